//! Losing replies, restarts and proxies while an ask waits.

use sayso_dialects::native::wire::{Matter, OutcomeKind, Problem};

use super::*;
use crate::stand_in::{StandInStep, ask, heard, json, start};

const ID: &str = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";

fn problem(code: ProblemCode) -> StandInStep {
    StandInStep::Reply(code.status(), json(&Problem::of(code)))
}

fn open() -> StandInStep {
    StandInStep::Reply(200, json(&ask(None)))
}

fn closed() -> StandInStep {
    StandInStep::Reply(200, json(&ask(Some(OutcomeKind::Expired))))
}

#[tokio::test]
async fn a_lost_reply_is_asked_for_again_under_the_same_key() {
    let script = vec![
        StandInStep::Lose,
        StandInStep::Lose,
        problem(ProblemCode::TryLater),
        open(),
        closed(),
        StandInStep::Reply(200, "{}".into()),
    ];
    let (client, told) = start(script).await;
    let mut waiting = Waiting::begin(&client, &NewAsk::of(Matter::Questions), None)
        .await
        .unwrap();
    let outcome = waiting.outcome(|wait| panic!("{wait:?}")).await.unwrap();
    assert_eq!(outcome, ask(Some(OutcomeKind::Expired)));
    waiting.confirm().await.unwrap();
    let asked = format!("POST /v1/asks key={}", waiting.key());
    assert_eq!(
        heard(&told),
        [
            asked.clone(),
            asked.clone(),
            asked.clone(),
            asked,
            format!("GET /v1/asks/{ID}?wait=30"),
            format!("POST /v1/asks/{ID}/confirm")
        ]
    );
}

#[tokio::test]
async fn an_ask_that_was_never_sent_fails_at_once() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = Client::new(&url, "token").unwrap();
    let error = Waiting::begin(&client, &NewAsk::of(Matter::Questions), None)
        .await
        .unwrap_err();
    assert!(
        matches!(error, ClientError::Unreachable { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_refusal_before_the_ask_is_taken_in_is_told_at_once() {
    let (client, _) = start(vec![problem(ProblemCode::SlowDown)]).await;
    let error = Waiting::begin(&client, &NewAsk::of(Matter::Questions), Some("k"))
        .await
        .unwrap_err();
    let ClientError::Refused { problem, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(problem.code, ProblemCode::SlowDown);
}

#[tokio::test]
async fn a_wait_rides_out_cuts_and_proxies_and_says_so() {
    let bad_gateway = StandInStep::Reply(502, "<html>".into());
    let script = vec![
        open(),
        StandInStep::Lose,
        bad_gateway,
        problem(ProblemCode::TryLater),
        open(),
        closed(),
    ];
    let (client, _) = start(script).await;
    let mut waiting = Waiting::begin(&client, &NewAsk::of(Matter::Questions), Some("k"))
        .await
        .unwrap();
    let mut told = Vec::new();
    let outcome = waiting
        .outcome(|wait| told.push(matches!(wait, WaitProgress::Connected)))
        .await
        .unwrap();
    assert_eq!(outcome.state, State::Closed);
    assert_eq!(told, [false, false, false, true]);
}

#[tokio::test]
async fn a_refusal_that_cannot_pass_ends_the_wait() {
    let (client, _) = start(vec![open(), problem(ProblemCode::Unauthorized)]).await;
    let mut waiting = Waiting::begin(&client, &NewAsk::of(Matter::Questions), Some("k"))
        .await
        .unwrap();
    let error = waiting.outcome(|_| {}).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused { .. }), "{error:?}");
}

#[tokio::test]
async fn what_cannot_be_read_is_told_as_such() {
    let (client, _) = start(vec![
        StandInStep::Reply(200, "{\"id\":1}".into()),
        StandInStep::Reply(418, "tea".into()),
    ])
    .await;
    for _ in 0..2 {
        let error = client.get(ID, None).await.unwrap_err();
        assert!(matches!(error, ClientError::BadAnswer(_)), "{error:?}");
    }
}

#[tokio::test]
async fn withdrawing_too_late_gives_the_answer_that_won() {
    let mut refusal = Problem::of(ProblemCode::AlreadyClosed);
    refusal.ask = Some(Box::new(ask(Some(OutcomeKind::Dismissed))));
    let (client, _) = start(vec![open(), StandInStep::Reply(409, json(&refusal))]).await;
    let mut waiting = Waiting::begin(&client, &NewAsk::of(Matter::Questions), Some("k"))
        .await
        .unwrap();
    assert_eq!(
        waiting.withdraw(None).await.unwrap(),
        ask(Some(OutcomeKind::Dismissed))
    );
}

#[tokio::test]
async fn a_server_that_came_back_elsewhere_is_found_there() {
    let (old, _) = start(vec![open()]).await;
    let (new, told) = start(vec![closed()]).await;
    let locator = ServerLocator::of(move || Some(new.clone()));
    let mut waiting = Waiting::begin_at(&old, locator, &NewAsk::of(Matter::Questions), Some("k"))
        .await
        .unwrap();
    assert_eq!(
        waiting.outcome(|_| {}).await.unwrap(),
        ask(Some(OutcomeKind::Expired))
    );
    assert_eq!(heard(&told), [format!("GET /v1/asks/{ID}?wait=30")]);
}
