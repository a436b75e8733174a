//! The vectors replayed: frames in and the moves they are, news in and the frames they become.
//!
//! A scene is one life of an agent; `connect` begins the next connection. Every value is compared
//! as a whole, and frames of ours byte for byte.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::action::Act;
use sayso_core::agent::Agent;
use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Choice, Draft, Matter, Pick, Question};
use sayso_core::check::{check_answer, check_draft};
use sayso_core::digest::Shown;
use sayso_core::entry::{Message, NoteStatus, TurnEnd};
use sayso_core::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, MessageId,
    PersonName, TokenId, TokenName, WireId,
};
use sayso_core::outcome::{Closer, Closing, Delivery, Outcome, Seen};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{DIALECT, agent};
use crate::{AgentFace, AgentHello, AgentMove, AgentNews, Ends, Knobs, Problem, ProblemCode};

const TOKEN: &str = "Laptop 1";
const START: Time = Time::from_millis(1_700_000_000_000);

#[derive(Deserialize)]
struct Scene {
    name: String,
    #[serde(default)]
    knobs: BTreeMap<String, String>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    /// A frame of the plugin.
    In {
        frame: Box<RawValue>,
        moves: Vec<Value>,
    },
    /// The same, for text that is no JSON, or not plain JSON.
    Raw { text: String, moves: Vec<Value> },
    /// An ask ended.
    Outcome {
        ask: String,
        #[serde(default)]
        after_s: u64,
        how: How,
        frames: Vec<Box<RawValue>>,
    },
    /// An ask was not taken.
    Refused {
        ask: String,
        why: String,
        frames: Vec<Box<RawValue>>,
    },
    /// A person said something.
    Turn {
        agent: String,
        conversation: String,
        text: String,
        frames: Vec<Box<RawValue>>,
    },
    /// It is time for a ping.
    Ping { frames: Vec<Box<RawValue>> },
    /// A new connection, on which these conversations have a turn.
    Connect { running: Vec<String> },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    Replies(Vec<ReplyText>),
    Allow {
        note: Option<String>,
        edited: Option<String>,
    },
    Deny {
        note: Option<String>,
    },
    Dismissed {
        note: Option<String>,
    },
    Expired,
    Withdrawn,
}

#[derive(Deserialize)]
struct ReplyText {
    question: usize,
    #[serde(default)]
    labels: Vec<String>,
    other: Option<String>,
}

/// The same JSON without white space between values.
fn tight(raw: &RawValue) -> String {
    let (mut out, mut in_string, mut escaped) = (String::new(), false, false);
    for c in raw.get().chars() {
        if in_string || !c.is_whitespace() {
            out.push(c);
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
    }
    out
}

/// A value without the keys that say nothing, so that vectors show what matters.
fn shown(mut value: Value) -> Value {
    if let Some(keys) = value.as_object_mut() {
        keys.retain(|_, value| !value.is_null());
    }
    value
}

fn choice(choice: &Choice) -> Value {
    assert!(!choice.recommended);
    shown(
        json!({"label": choice.label, "description": choice.description, "preview": choice.preview}),
    )
}

fn question(question: &Question) -> Value {
    assert!(question.free_text && !question.required && question.default.is_empty());
    let pick = match question.pick {
        Pick::One => "one",
        Pick::Many => "many",
        Pick::Text => "text",
    };
    let choices: Vec<Value> = question.choices.iter().map(choice).collect();
    shown(json!({"text": question.text, "tag": question.tag, "pick": pick, "choices": choices}))
}

fn act(act: &Act) -> Value {
    match act {
        Act::Shell { command } => json!({"shell": command}),
        Act::Edit { path, old, new } => json!({"edit": path, "old": old, "new": new}),
        Act::Write { path, content } => json!({"write": path, "content": content}),
        Act::Other => json!("other"),
    }
}

fn matter(matter: &Matter) -> Value {
    match matter {
        Matter::Questions(list) => list.iter().map(question).collect(),
        Matter::Approval(action) => {
            assert!(action.flags.is_empty());
            shown(
                json!({"tool": action.tool, "input": action.input, "cwd": action.cwd,
                "reason": action.reason, "act": act(&action.act)}),
            )
        }
        Matter::Form(_) => panic!("this language has no forms"),
    }
}

fn draft(agent: Option<&AgentName>, draft: &Draft) -> Value {
    assert_eq!(
        (&draft.title, &draft.workspace, &draft.key),
        (&None, &None, &None)
    );
    shown(json!({
        "ask": draft.wire_id.as_ref().map(WireId::as_str),
        "agent": agent.map(AgentName::as_str),
        "conversation": draft.conversation.as_ref().map(ConversationName::as_str),
        "timeout_s": draft.timeout.map(|timeout| timeout.as_secs()),
        "matter": matter(&draft.matter),
    }))
}

fn shown_move(made: &AgentMove) -> Value {
    let name = |agent: &Option<AgentName>| agent.as_ref().map(|agent| agent.as_str().to_owned());
    match made {
        AgentMove::Ask { agent, draft: what } => draft(agent.as_ref(), what),
        AgentMove::Say {
            agent,
            conversation,
            text,
            ends,
        } => shown(
            json!({"say": text, "done": *ends == Ends::Message, "agent": name(agent),
            "conversation": conversation.as_str()}),
        ),
        AgentMove::Note {
            agent,
            conversation,
            tool,
            text,
            status,
        } => shown(json!({"note": text, "tool": tool, "agent": name(agent),
            "status": status.map(NoteStatus::word), "conversation": conversation.as_str()})),
        AgentMove::TurnEnded {
            agent,
            conversation,
            end,
        } => {
            let end = match end {
                TurnEnd::Done => "done",
                TurnEnd::Failed => "failed",
                TurnEnd::Lost => "lost",
                TurnEnd::Stopped => "stopped",
            };
            shown(json!({"turn_ended": end, "agent": name(agent),
                "conversation": conversation.as_str()}))
        }
        AgentMove::Reply(frame) => json!({"reply": frame}),
        AgentMove::Unreadable(why) => json!({"unreadable": why}),
        AgentMove::Unknown(name) => json!({"unknown": name}),
        AgentMove::Confirm(_) => {
            panic!("this language has no way to say {made:?}")
        }
        other => panic!("no such move is made here: {other:?}"),
    }
}

fn agent_named(name: &str) -> Agent {
    Agent {
        id: AgentId(1),
        token: TokenId(1),
        name: AgentName::new(name).expect("a name"),
        dialect: DialectName::new("whimmy").expect("a name"),
        beside: None,
    }
}

fn view(draft: &Draft, how: How) -> AskView {
    let outcome = match how {
        How::Replies(replies) => Outcome::Answered(Answer::Replies(
            replies
                .into_iter()
                .map(|reply| Reply {
                    question: reply.question,
                    labels: reply.labels,
                    other: reply.other,
                    note: None,
                })
                .collect(),
        )),
        How::Allow { note, edited } => verdict(
            Decision::Allow {
                edited_input: edited,
            },
            note,
        ),
        How::Deny { note } => verdict(Decision::Deny { stop: false }, note),
        How::Dismissed { note } => Outcome::Dismissed { note, stop: false },
        How::Expired => Outcome::Expired,
        How::Withdrawn => Outcome::Withdrawn { note: None },
    };
    if let Outcome::Answered(answer) = &outcome {
        check_answer(&draft.matter, &[Scope::Once], answer).expect("an answer that fits");
    }
    let agent = agent_named("laptop-1");
    let (digest, shape) = Shown::of(&agent.name, draft).digest_and_shape();
    let wait = draft.timeout.or(DIALECT.default_deadline);
    AskView {
        ask: Arc::new(Ask {
            id: AskId::from_bytes([7; 16]),
            agent: agent.id,
            conversation: None,
            workspace: None,
            wire_id: draft.wire_id.clone(),
            key: None,
            title: None,
            matter: draft.matter.clone(),
            digest,
            shape,
            asked_at: START,
            deadline: wait.map(|wait| START.after(wait)),
            stops: false,
        }),
        agent: Arc::new(agent),
        connected: true,
        conversation: None,
        closing: Some(Arc::new(Closing {
            outcome,
            by: Closer::Person {
                person: PersonName::new("kim").expect("a name"),
                device: TokenName::new("phone").expect("a name"),
                seen: Seen::Digest,
            },
            at: START,
        })),
        late: None,
        delivery: Delivery::Owed,
        scopes: &[],
        prefill: None,
    }
}

fn verdict(decision: Decision, note: Option<String>) -> Outcome {
    Outcome::Answered(Answer::Verdict(Verdict {
        decision,
        scope: Scope::Once,
        note,
    }))
}

fn names(list: &[String]) -> Vec<ConversationName> {
    let name = |text: &String| ConversationName::new(text.as_str()).expect("a name");
    list.iter().map(name).collect()
}

struct Stage {
    knobs: Knobs,
    face: Box<dyn AgentFace>,
    asks: BTreeMap<String, Draft>,
}

impl Stage {
    fn new(scene: &Scene) -> Self {
        let set = scene.knobs.iter().map(|(key, value)| (&**key, &**value));
        let knobs = Knobs::set(&DIALECT, set).expect("knobs that will do");
        let face = Self::face(&knobs);
        Self {
            knobs,
            face,
            asks: BTreeMap::new(),
        }
    }

    fn face(knobs: &Knobs) -> Box<dyn AgentFace> {
        agent::open(&AgentHello {
            name: None,
            token_name: TOKEN,
            knobs,
        })
    }

    fn hear(&mut self, frame: &str) -> Vec<Value> {
        let mut moves = Vec::new();
        self.face.read(frame, START, &mut moves);
        for made in &moves {
            if let AgentMove::Ask { draft, .. } = made {
                check_draft(draft).expect("an ask that makes sense");
                let id = draft.wire_id.as_ref().expect("every ask has an id");
                self.asks.insert(id.to_string(), (**draft).clone());
            }
        }
        moves.iter().map(shown_move).collect()
    }

    fn told(&mut self, news: &AgentNews<'_>, now: Time) -> Vec<String> {
        let mut frames = Vec::new();
        self.face.tell(news, now, &mut frames);
        frames
    }

    /// What came of a step, and what should have.
    fn play(&mut self, step: Step) -> (Vec<Value>, Vec<Value>) {
        let (news, wanted) = match step {
            Step::In { frame, moves } => return (self.hear(frame.get()), moves),
            Step::Raw { text, moves } => return (self.hear(&text), moves),
            Step::Outcome {
                ask,
                after_s,
                how,
                frames,
            } => {
                let view = view(&self.asks[&ask], how);
                let now = START.after(Duration::from_secs(after_s));
                (self.told(&AgentNews::Outcome(&view), now), frames)
            }
            Step::Refused { ask, why, frames } => {
                let id = self.asks[&ask].wire_id.clone();
                let news = AgentNews::Refused {
                    reference: None,
                    ask: Some((self.asks[&ask].matter.kind(), id.as_ref())),
                    why: &why,
                    problem: &Problem::of(ProblemCode::Invalid),
                };
                (self.told(&news, START), frames)
            }
            Step::Turn {
                agent,
                conversation,
                text,
                frames,
            } => {
                let message = Message {
                    id: MessageId::from_bytes([1; 16]),
                    conversation: ConversationId(1),
                    person: PersonName::new("kim").expect("a name"),
                    device: TokenName::new("phone").expect("a name"),
                    text,
                };
                let news = AgentNews::Turn {
                    conversation: &names(&[conversation])[0],
                    agent: &agent_named(&agent).name,
                    message: &message,
                };
                (self.told(&news, START), frames)
            }
            Step::Ping { frames } => (self.told(&AgentNews::Ping, START), frames),
            Step::Connect { running } => {
                self.face = Self::face(&self.knobs);
                let news = AgentNews::Opened {
                    agent: &agent_named("laptop-1"),
                    running: &names(&running),
                };
                (self.told(&news, START), Vec::new())
            }
        };
        (
            news.into_iter().map(Value::String).collect(),
            wanted
                .iter()
                .map(|frame| Value::String(tight(frame)))
                .collect(),
        )
    }
}

fn replay(text: &str) {
    let scenes: Vec<Scene> = serde_json::from_str(text).expect("vectors are readable");
    for scene in scenes {
        let mut stage = Stage::new(&scene);
        for (at, step) in scene.steps.into_iter().enumerate() {
            let (got, wanted) = stage.play(step);
            assert_eq!(
                got,
                wanted,
                "step {at} of {:?} came out as {}",
                scene.name,
                Value::from(got.clone())
            );
        }
    }
}

#[test]
fn the_frames_of_the_document() {
    replay(include_str!("vectors/document.json"));
}

#[test]
fn the_frames_of_the_real_plugin() {
    replay(include_str!("vectors/captures.json"));
}

#[test]
fn chats_turns_and_tools() {
    replay(include_str!("vectors/chats.json"));
}

#[test]
fn answers_and_verdicts() {
    replay(include_str!("vectors/answers.json"));
}

#[test]
fn odd_and_bad_frames() {
    replay(include_str!("vectors/odd.json"));
}

#[test]
fn a_frame_nested_too_deep_is_refused_unread() {
    let deep = format!(
        r#"{{"type":"event","payload":{}{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    let mut stage = Stage::new(&Scene {
        name: String::new(),
        knobs: BTreeMap::new(),
        steps: Vec::new(),
    });
    assert_eq!(
        stage.hear(&deep),
        [json!({"unreadable": "invalid JSON: nested deeper than 64 levels"})]
    );
}

#[test]
fn nothing_is_told_before_the_plugin_has_spoken() {
    let mut stage = Stage::new(&Scene {
        name: String::new(),
        knobs: BTreeMap::new(),
        steps: Vec::new(),
    });
    assert!(!stage.face.listens());
    stage.hear(r#"{"type":"health"}"#);
    assert!(stage.face.listens());
    stage.face = Stage::face(&stage.knobs);
    assert!(!stage.face.listens(), "a new connection may stall again");
}
