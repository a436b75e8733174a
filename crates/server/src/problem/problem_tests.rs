//! What callers read when they are refused.

use std::sync::Arc;

use sayso_core::agent::Agent;
use sayso_core::answer::{Answer, Reply};
use sayso_core::ask::{Ask, Look, Matter, Pick, Question};
use sayso_core::digest::Digest;
use sayso_core::id::{AgentId, AgentName, AskId, DialectName, PersonName, TokenId, TokenName};
use sayso_core::outcome::{Closer, Closing, Delivery, Outcome, Seen};

use super::*;

fn view(outcome: Outcome, by: Closer) -> AskView {
    let question = Question {
        text: "Which?".into(),
        tag: None,
        pick: Pick::Text,
        choices: Vec::new(),
        look: Look::List,
        default: Vec::new(),
        free_text: true,
        required: false,
    };
    let ask = Ask {
        id: AskId::from_bytes([7; 16]),
        agent: AgentId(1),
        conversation: None,
        workspace: None,
        wire_id: None,
        key: None,
        title: None,
        matter: Matter::Questions(vec![question]),
        digest: Digest::of(b"a"),
        shape: Digest::of(b"b"),
        asked_at: Time::from_millis(1_000),
        deadline: None,
        stops: false,
    };
    let agent = Agent {
        id: AgentId(1),
        token: TokenId(1),
        name: AgentName::new("coder").unwrap(),
        dialect: DialectName::new("native").unwrap(),
        beside: None,
    };
    let closing = Closing {
        outcome,
        by,
        at: Time::from_millis(10_000),
    };
    AskView {
        ask: Arc::new(ask),
        agent: Arc::new(agent),
        connected: false,
        conversation: None,
        closing: Some(Arc::new(closing)),
        late: None,
        delivery: Delivery::Owed,
        scopes: &[],
        prefill: None,
    }
}

fn ann(device: &str) -> Closer {
    Closer::Person {
        person: PersonName::new("Ann").unwrap(),
        device: TokenName::stored(device).unwrap(),
        seen: Seen::Digest,
    }
}

fn detail(error: HubError, now: u64) -> String {
    ApiError::hub(error, Viewer::Anybody, Time::from_millis(now))
        .problem
        .detail
        .unwrap_or_default()
}

#[test]
fn whoever_comes_second_is_told_who_was_first() {
    let reply = Reply {
        question: 0,
        labels: vec!["Redis".into()],
        ..Reply::default()
    };
    let answered = || {
        Box::new(view(
            Outcome::Answered(Answer::Replies(vec![reply.clone()])),
            ann("phone"),
        ))
    };
    assert_eq!(
        detail(HubError::AlreadyClosed(answered()), 13_000),
        "Ann answered Redis on phone 3 s ago."
    );
    assert_eq!(
        detail(HubError::AlreadyClosed(answered()), 10_000),
        "Ann answered Redis on phone just now."
    );
    let dismissed = Box::new(view(
        Outcome::Dismissed {
            note: None,
            stop: false,
        },
        ann("phone"),
    ));
    assert_eq!(
        detail(HubError::AlreadyClosed(dismissed), 310_000),
        "Ann dismissed it on phone 5 min ago."
    );
    let withdrawn = Box::new(view(Outcome::Withdrawn { note: None }, Closer::Agent));
    assert_eq!(
        detail(HubError::AlreadyClosed(withdrawn), 7_210_000),
        "coder withdrew it 2 h ago."
    );
    let expired = HubError::Expired {
        view: Box::new(view(Outcome::Expired, Closer::Clock)),
        kept: true,
    };
    assert_eq!(
        detail(expired, 13_000),
        "Its deadline passed 3 s ago. Your answer was saved as a late answer."
    );
}

#[test]
fn the_text_of_others_is_escaped_and_cut() {
    let reply = Reply {
        question: 0,
        labels: vec!["a\u{1b}[31m".into()],
        other: Some("x".repeat(200)),
        note: None,
    };
    let told = detail(
        HubError::AlreadyClosed(Box::new(view(
            Outcome::Answered(Answer::Replies(vec![reply])),
            ann("ph\none"),
        ))),
        13_000,
    );
    assert!(!told.contains(['\u{1b}', '\n']), "{told:?}");
    assert!(told.contains('…') && told.len() < 200, "{told:?}");
}

#[test]
fn a_problem_says_when_and_how_to_come_back() {
    let slow = ApiError::hub(
        HubError::SlowDown {
            what: sayso_hub::Flood::Asks,
            retry_after: Duration::from_millis(1_200),
        },
        Viewer::Asker,
        Time::default(),
    );
    let response = slow.into_response();
    assert_eq!(response.status(), 429);
    assert_eq!(
        response.headers().get(RETRY_AFTER),
        Some(&HeaderValue::from_static("2"))
    );
    let response = ApiError::no_token().into_response();
    assert_eq!(
        response.headers().get(WWW_AUTHENTICATE),
        Some(&HeaderValue::from_static("Bearer"))
    );
    assert_eq!(
        response.headers().get(CONTENT_TYPE),
        Some(&HeaderValue::from_static("application/problem+json"))
    );
}

#[test]
fn every_refusal_has_a_sentence_and_a_hint() {
    for refusal in [
        ApiError::no_such_ask(),
        ApiError::no_such_address(),
        ApiError::bad_token(),
        ApiError::invalid("/a", "is wrong"),
        ApiError::hub(
            HubError::TryLater("the disk is full".into()),
            Viewer::Asker,
            Time::default(),
        ),
        ApiError::hub(
            HubError::Refused("there is no token named x".into()),
            Viewer::Asker,
            Time::default(),
        ),
    ] {
        assert!(
            refusal.problem.detail.is_some() && refusal.problem.hint.is_some(),
            "{refusal:?}"
        );
    }
    assert_eq!(capital("the disk is full"), "The disk is full.");
}
