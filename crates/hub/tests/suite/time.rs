//! Deadlines on a clock that is moved by hand.

use std::time::Duration;

use sayso_core::outcome::{Closer, OutcomeKind};
use sayso_core::time::Time;
use sayso_hub::{Clock, HubError};
use sayso_testkit::{House, approval, questions};

use super::answering::{allow, redis};
use crate::GROUND;

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn an_ask_expires_at_its_deadline_and_the_waiting_agent_hears_it() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let ask = agent
        .ask(questions("Which cache?", Some(MINUTE)), None)
        .await
        .unwrap()
        .view
        .ask;
    let waiting = {
        let agent = agent.clone();
        let id = ask.id;
        tokio::spawn(async move { agent.look(id, Duration::from_secs(3600)).await.unwrap() })
    };
    house.pass(Duration::from_millis(59_999)).await;
    assert_eq!(house.ann().look(ask.id).await.unwrap().closing, None);
    house.pass(Duration::from_millis(1)).await;
    let closing = waiting.await.unwrap().closing.unwrap();
    assert_eq!(
        (closing.outcome.kind(), &closing.by),
        (OutcomeKind::Expired, &Closer::Clock)
    );
}

#[tokio::test]
async fn a_jump_of_the_wall_clock_neither_expires_nor_answers() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", Some(MINUTE))).await;
    for wall in [0, 4_000_000_000_000, 1_700_000_000_000] {
        house.jump(Time::from_millis(wall));
        // A commit runs the clock's work.
        house
            .agent()
            .ask(questions("Another?", None), None)
            .await
            .unwrap();
        assert_eq!(house.ann().look(ask.id).await.unwrap().closing, None);
    }
    house.pass(MINUTE).await;
    let view = house.agent().look(ask.id, MINUTE).await.unwrap();
    assert_eq!(view.closing.unwrap().outcome.kind(), OutcomeKind::Expired);
}

#[tokio::test]
async fn a_deadline_survives_a_restart_and_never_grows() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", Some(MINUTE))).await;
    house.pass(Duration::from_secs(40)).await;
    let house = house.reopen().await;
    house.pass(Duration::from_secs(19)).await;
    assert_eq!(house.ann().look(ask.id).await.unwrap().closing, None);
    // Back before the ask was made: what is left is what it had at first, not more.
    house.jump(Time::from_millis(1_000));
    let house = house.reopen().await;
    let wall = house.clock.wall();
    assert_eq!(wall, Time::from_millis(1_000));
    house.pass(MINUTE).await;
    let view = house.agent().look(ask.id, MINUTE).await.unwrap();
    assert_eq!(view.closing.unwrap().outcome.kind(), OutcomeKind::Expired);
}

#[tokio::test]
async fn ids_that_are_ahead_of_the_clock_shorten_no_deadline() {
    let house = House::new(GROUND).await;
    let now = house.clock.wall();
    // For one ask the clock is two hours ahead; ids never go back, so the next one is ahead too.
    house.jump(now.after(120 * MINUTE));
    house.asked(questions("Which clock?", None)).await;
    house.jump(now);
    let ask = house
        .asked(questions("Which cache?", Some(60 * MINUTE)))
        .await;
    let last = house.asked(questions("Which store?", None)).await;
    let house = house.reopen().await;
    house.pass(59 * MINUTE).await;
    for open in [&ask, &last] {
        assert_eq!(house.ann().look(open.id).await.unwrap().closing, None);
    }
    house.pass(MINUTE).await;
    let view = house.agent().look(ask.id, MINUTE).await.unwrap();
    assert_eq!(view.closing.unwrap().outcome.kind(), OutcomeKind::Expired);
}

#[tokio::test]
async fn a_late_answer_is_kept_once_and_changes_nothing() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", Some(MINUTE))).await;
    house.pass(MINUTE).await;
    let late = |house: &House| {
        let ann = house.ann();
        let (id, digest) = (ask.id, ask.digest);
        async move { ann.answer(id, Some(digest), redis()).await }
    };
    match late(&house).await {
        Err(HubError::Expired { kept, view }) => {
            assert!(kept);
            assert_eq!(
                view.closing.as_ref().unwrap().outcome.kind(),
                OutcomeKind::Expired
            );
            assert_eq!(view.late.as_ref().unwrap().answer, redis());
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        late(&house).await,
        Err(HubError::Expired { kept: false, .. })
    ));
    let house = house.reopen().await;
    let view = house.ann().look(ask.id).await.unwrap();
    assert_eq!(view.closing.unwrap().outcome.kind(), OutcomeKind::Expired);
    assert_eq!(view.late.unwrap().answer, redis());
}

#[tokio::test]
async fn a_late_answer_is_kept_even_when_only_the_journal_remembers_the_ask() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", Some(MINUTE))).await;
    house.pass(MINUTE).await;
    house.agent().look(ask.id, MINUTE).await.unwrap();
    house.agent().confirm(ask.id).await.unwrap();
    house.stop().await;
    let house = house.reopen().await;
    match house.ann().answer(ask.id, Some(ask.digest), redis()).await {
        Err(HubError::Expired { kept, .. }) => assert!(kept),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        house.ann().look(ask.id).await.unwrap().late.unwrap().answer,
        redis()
    );
}

#[tokio::test]
async fn a_late_yes_to_an_action_is_never_kept() {
    let house = House::new(GROUND).await;
    let ask = house.asked(approval("rm -rf build", Some(MINUTE))).await;
    house.pass(MINUTE).await;
    match house.ann().answer(ask.id, Some(ask.digest), allow()).await {
        Err(HubError::Expired { kept, view }) => assert_eq!((kept, view.late), (false, None)),
        other => panic!("{other:?}"),
    }
}
