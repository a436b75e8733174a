//! The wire language that CONTRIBUTING.md works through: it builds, it works, and it is what stands there.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its world stops at once and says where"
)]

#[expect(
    unreachable_pub,
    reason = "among the other languages the row is public, and this is what the guide shows"
)]
mod knock;

use std::path::Path;
use std::sync::Arc;

use sayso_core::agent::Agent;
use sayso_core::answer::{Answer, Reply};
use sayso_core::ask::{Ask, Matter};
use sayso_core::digest::Digest;
use sayso_core::id::{AgentId, AgentName, AskId, DialectName, PersonName, TokenId, TokenName};
use sayso_core::outcome::{Closer, Closing, Delivery, Outcome, Seen};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use sayso_dialects::{AgentHello, AgentMove, AgentNews, Knobs, Way};

#[test]
fn a_knock_is_asked_and_heard() {
    let knobs = Knobs::default();
    let hello = AgentHello {
        name: None,
        token_name: "door",
        knobs: &knobs,
    };
    let [door] = knock::DIALECT.doors else {
        panic!("it has one door");
    };
    let Way::AgentSocket(socket) = door.way else {
        panic!("agents dial it");
    };
    let mut face = (socket.face)(&hello);
    assert_eq!(face.agent(), AgentName::new("door").ok());

    let mut moves = Vec::new();
    let now = Time::from_millis(1);
    face.read(r#"{"id":"1","question":"Deploy?"}"#, now, &mut moves);
    face.read("{}", now, &mut moves);
    let [AgentMove::Ask { draft, .. }, AgentMove::Unreadable(_)] = moves.as_slice() else {
        panic!("{moves:?}");
    };
    let Matter::Questions(questions) = &draft.matter else {
        panic!("{draft:?}");
    };
    assert_eq!(questions[0].text, "Deploy?");

    let mut frames = Vec::new();
    face.tell(
        &AgentNews::Outcome(&answered(draft.matter.clone())),
        now,
        &mut frames,
    );
    assert_eq!(frames, [r#"{"said":["yes"]}"#]);
}

fn answered(matter: Matter) -> AskView {
    let (now, digest) = (Time::from_millis(1), Digest::of(b"shown"));
    let reply = Reply {
        question: 0,
        labels: Vec::new(),
        other: Some("yes".to_owned()),
        note: None,
    };
    AskView {
        ask: Arc::new(Ask {
            id: AskId::from_bytes([7; 16]),
            agent: AgentId(1),
            conversation: None,
            workspace: None,
            wire_id: None,
            key: None,
            title: None,
            matter,
            digest,
            shape: digest,
            asked_at: now,
            deadline: None,
            stops: false,
        }),
        agent: Arc::new(Agent {
            id: AgentId(1),
            token: TokenId(1),
            name: AgentName::new("door").unwrap(),
            dialect: DialectName::new("knock").unwrap(),
            beside: None,
        }),
        connected: true,
        conversation: None,
        closing: Some(Arc::new(Closing {
            outcome: Outcome::Answered(Answer::Replies(vec![reply])),
            by: Closer::Person {
                person: PersonName::new("ann").unwrap(),
                device: TokenName::new("phone").unwrap(),
                seen: Seen::Digest,
            },
            at: now,
        })),
        late: None,
        delivery: Delivery::Owed,
        scopes: &[],
        prefill: None,
    }
}

#[test]
fn the_guide_shows_what_was_built() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = std::fs::read_to_string(here.join("../../CONTRIBUTING.md")).unwrap();
    let blocks: Vec<&str> = guide
        .split("```rust,ignore\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    let files = ["wire.rs", "map.rs", "mod.rs"].map(|name| {
        let text = std::fs::read_to_string(here.join("tests/knock").join(name)).unwrap();
        text.replace("sayso_dialects::", "crate::")
    });
    assert_eq!(blocks, files);
}
