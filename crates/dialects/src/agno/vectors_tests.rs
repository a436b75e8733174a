//! The vectors replayed: a body in, the exact text or the ask out, and for each outcome the exact
//! text that the tool returns.

use std::sync::Arc;

use sayso_core::agent::Agent;
use sayso_core::answer::{Answer, Reply};
use sayso_core::ask::{Ask, Draft, Matter, Pick};
use sayso_core::check::{check_answer, check_draft};
use sayso_core::digest::Shown;
use sayso_core::id::{AgentId, AgentName, AskId, DialectName, PersonName, TokenId, TokenName};
use sayso_core::outcome::{Closer, Closing, Delivery, Outcome, Seen};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::call;
use crate::{Body, Call, Called};

const CALLS: &str = include_str!("vectors/calls.json");
const BAD: &str = include_str!("vectors/bad.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallVector {
    name: String,
    /// The body, exactly as it is written here.
    body: Option<Box<RawValue>>,
    body_text: Option<String>,
    #[serde(default = "fine")]
    status: u16,
    /// What `format` prints, line by line.
    format: Vec<String>,
    /// What `ask` asks; where it is absent, `ask` says what `format` says.
    asks: Option<Value>,
    #[serde(default)]
    outcomes: Vec<OutcomeVector>,
}

fn fine() -> u16 {
    200
}

/// Which question, the labels, and own words.
type ReplyVector = (usize, Vec<String>, Option<String>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutcomeVector {
    replies: Option<Vec<ReplyVector>>,
    other: Option<String>,
    note: Option<String>,
    prints: Vec<String>,
}

fn questions(draft: &Draft) -> Value {
    let Matter::Questions(questions) = &draft.matter else {
        panic!("it asks questions");
    };
    questions
        .iter()
        .map(|question| {
            let choices: Vec<Value> = question
                .choices
                .iter()
                .map(|choice| json!([choice.label, choice.description]))
                .collect();
            json!({
                "text": question.text,
                "tag": question.tag,
                "many": question.pick == Pick::Many,
                "choices": choices,
                "free_text": question.free_text,
                "required": question.required,
            })
        })
        .collect()
}

fn outcome(vector: &mut OutcomeVector) -> Outcome {
    let note = vector.note.take();
    match (vector.replies.take(), vector.other.as_deref()) {
        (Some(replies), None) => {
            let reply = |(question, labels, other)| Reply {
                question,
                labels,
                other,
                note: None,
            };
            Outcome::Answered(Answer::Replies(replies.into_iter().map(reply).collect()))
        }
        (None, Some("dismissed")) => Outcome::Dismissed { note, stop: false },
        (None, Some("expired")) => Outcome::Expired,
        (None, Some("withdrawn")) => Outcome::Withdrawn { note },
        (_, other) => panic!("no outcome {other:?}"),
    }
}

fn view(draft: &Draft, outcome: Outcome) -> AskView {
    let agent = Agent {
        id: AgentId(7),
        token: TokenId(1),
        name: AgentName::new("agno").expect("a name"),
        dialect: DialectName::new("agno").expect("a name"),
        beside: None,
    };
    let (digest, shape) = Shown::of(&agent.name, draft).digest_and_shape();
    AskView {
        ask: Arc::new(Ask {
            id: AskId::from_bytes([1; 16]),
            agent: agent.id,
            conversation: None,
            workspace: None,
            wire_id: None,
            key: None,
            title: None,
            matter: draft.matter.clone(),
            digest,
            shape,
            asked_at: Time::from_millis(0),
            deadline: None,
            stops: false,
        }),
        agent: Arc::new(agent),
        connected: true,
        conversation: None,
        closing: Some(Arc::new(Closing {
            outcome,
            by: Closer::Person {
                person: PersonName::new("ann").expect("a name"),
                device: TokenName::new("phone").expect("a name"),
                seen: Seen::Digest,
            },
            at: Time::from_millis(1),
        })),
        late: None,
        delivery: Delivery::Owed,
        scopes: &[],
        prefill: None,
    }
}

fn said(reply: crate::CallReply) -> (u16, Vec<String>) {
    match reply.body {
        Body::Json(text) => (reply.status, text.lines().map(str::to_owned).collect()),
        Body::Text(text) => panic!("no JSON: {text}"),
    }
}

#[test]
fn calls_print_what_the_tool_prints() {
    let now = Time::from_millis(0);
    for mut vector in [CALLS, BAD]
        .iter()
        .flat_map(|text| serde_json::from_str::<Vec<CallVector>>(text).expect("vectors are JSON"))
    {
        let name = &vector.name;
        let raw = vector.body.as_ref().map(|raw| raw.get().to_owned());
        let body = raw.or(vector.body_text.take()).expect("a body");
        let format = call::AgnoCall::Format.read(body.as_bytes(), now);
        let Called::Reply(reply) = format else {
            panic!("{name}: format never asks");
        };
        let expected = (vector.status, vector.format);
        assert_eq!(said(reply), expected, "{name}");
        match call::AgnoCall::Ask.read(body.as_bytes(), now) {
            Called::Reply(reply) => {
                assert_eq!(None, vector.asks, "{name}");
                assert_eq!(said(reply), expected, "{name}");
            }
            Called::Ask { agent, draft } => {
                assert_eq!(agent, None);
                assert_eq!(check_draft(&draft), Ok(()), "{name}");
                assert_eq!(Some(questions(&draft)), vector.asks, "{name}");
                for mut told in vector.outcomes {
                    let view = view(&draft, outcome(&mut told));
                    if let Some(Outcome::Answered(answer)) =
                        view.closing.as_ref().map(|closing| &closing.outcome)
                    {
                        check_answer(&draft.matter, &[], answer).expect("the answer fits");
                    }
                    let reply = call::AgnoCall::Ask.write(body.as_bytes(), &view);
                    assert_eq!(said(reply), (200, told.prints), "{name}");
                }
            }
        }
    }
}

#[test]
fn what_we_refuse_fails_in_the_tools_form() {
    let reply = call::AgnoCall::Ask.refuse(b"{}", "slow down", 429);
    let failed = [
        "{",
        "  \"error\": \"slow down\",",
        "  \"status\": \"failed\"",
        "}",
    ];
    assert_eq!(said(reply), (429, failed.map(str::to_owned).to_vec()));
}
