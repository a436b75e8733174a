//! The vectors replayed: what comes in and what happens, and exactly what that leads to.

use std::sync::Arc;

use sayso_core::action::{Act, Action};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Choice, Draft, Look, Matter, MatterKind, Pick, Question};
use sayso_core::check::check_draft;
use sayso_core::control::ControlKind;
use sayso_core::digest::Shown;
use sayso_core::entry::{
    Entry, EntryKind, Message, MessageState, Note, NoteStatus, Said, Turn, TurnEnd,
};
use sayso_core::form::Form;
use sayso_core::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, MessageId,
    PersonName, Seq, TokenId, TokenName, WireId,
};
use sayso_core::outcome::{Closer, Closing, Delivery, Late, Outcome, Seen};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::DIALECT;
use super::agent::NeboAgentFace as AgentSide;
use super::call::MessageCall;
use super::map::{self, History};
use super::person::{self, Person};
use super::wire;
use crate::call::{Body, Call, Called};
use crate::door::{AgentHello, Knobs, PersonHello, SignIn};
use crate::person_face::{Control, PersonFace, PersonMove, PersonNews, Refused, Transcript};
use crate::{AgentFace, AgentMove, AgentNews, Ends, Problem, ProblemCode};

const AGENT: &str = include_str!("vectors/agent.json");
const PERSON: &str = include_str!("vectors/person.json");
const CALL: &str = include_str!("vectors/call.json");
const HISTORY: &str = include_str!("vectors/history.json");
const NOW: Time = Time::from_millis(1_794_729_600_123);

/// The same JSON without white space outside of strings; every other byte stays.
fn tight(text: &str) -> String {
    let (mut out, mut in_string, mut escaped) = (String::new(), false, false);
    for c in text.chars() {
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

#[derive(Deserialize)]
struct Vector {
    name: String,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    tell_always: Option<String>,
    #[serde(default)]
    asks: Vec<AskMade>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    #[serde(rename = "in")]
    frame: Option<Box<RawValue>>,
    text: Option<String>,
    news: Option<News>,
    #[serde(default)]
    frames: Vec<Box<RawValue>>,
    #[serde(default)]
    moves: Vec<Value>,
}

impl Step {
    fn sent(&self) -> Option<&str> {
        self.text
            .as_deref()
            .or(self.frame.as_ref().map(|frame| frame.get()))
    }

    fn frames(&self) -> Vec<String> {
        self.frames.iter().map(|frame| tight(frame.get())).collect()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum News {
    Opened {
        #[serde(default)]
        running: Vec<String>,
        #[serde(default)]
        open: Vec<usize>,
        #[serde(default)]
        entries: Vec<EntryMade>,
    },
    Asked(usize),
    Outcome(End),
    Closed(End),
    Lost(End),
    Refused {
        of: Option<usize>,
        wire_id: Option<String>,
        why: String,
    },
    Message {
        conversation: String,
        text: String,
    },
    Began(String),
    Saying {
        conversation: String,
        text: String,
    },
    Turn {
        conversation: String,
        running: bool,
        saying: String,
    },
    Entry(EntryMade),
    Reconnected,
    Ping,
    Cancel(String),
    /// That the turn was not stopped.
    NotStopped(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    of: usize,
    #[serde(default)]
    replies: Option<Vec<ReplyMade>>,
    #[serde(default)]
    allow: Option<bool>,
    #[serde(default)]
    edited: Option<String>,
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    ended: Option<String>,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    late: Option<String>,
}

#[derive(Deserialize)]
struct ReplyMade {
    question: usize,
    #[serde(default)]
    labels: Vec<String>,
    other: Option<String>,
}

/// An ask of any dialect, as a browser is shown it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskMade {
    #[serde(default)]
    dialect: Option<String>,
    wire_id: Option<String>,
    conversation: Option<String>,
    title: Option<String>,
    prompt: Option<String>,
    widgets: Option<Vec<wire::Widget>>,
    questions: Option<Vec<QuestionMade>>,
    tool: Option<String>,
    input: Option<Box<RawValue>>,
    form: Option<String>,
    #[serde(default)]
    always: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionMade {
    text: String,
    tag: Option<String>,
    pick: String,
    choices: Vec<String>,
    #[serde(default)]
    preview: Option<String>,
    #[serde(default)]
    closed: bool,
    #[serde(default)]
    required: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryMade {
    conversation: String,
    #[serde(default)]
    person: Option<String>,
    #[serde(default)]
    said: Option<String>,
    #[serde(default)]
    tool: Option<(String, String, Option<String>)>,
    #[serde(default)]
    ask: Option<End>,
    #[serde(default)]
    open: Option<usize>,
    #[serde(default)]
    turn: Option<String>,
}

fn ask_id(index: usize) -> AskId {
    AskId::from_bytes((0xa000_u128 + index as u128).to_be_bytes())
}

fn message_id(index: u128) -> MessageId {
    MessageId::from_bytes((0xb000_u128 + index).to_be_bytes())
}

fn conversation(name: &str) -> Arc<Conversation> {
    // The number is the sum of the bytes, so that equal names are the same conversation.
    let id = name.bytes().map(u32::from).sum();
    Arc::new(Conversation {
        id: ConversationId(id),
        agent: AgentId(7),
        name: ConversationName::new(name).expect("a name"),
    })
}

fn agent(name: &str, dialect: &str) -> Agent {
    Agent {
        id: AgentId(7),
        token: TokenId(1),
        name: AgentName::new(name).expect("a name"),
        dialect: DialectName::new(dialect).expect("a name"),
        beside: None,
    }
}

fn view(index: usize, draft: &Draft, dialect: &str, scopes: &'static [Scope]) -> AskView {
    assert_eq!(check_draft(draft), Ok(()), "what is asked makes sense");
    let agent = agent("main", dialect);
    let conversation = draft
        .conversation
        .as_ref()
        .map(|name| conversation(name.as_str()));
    let (digest, shape) = Shown::of(&agent.name, draft).digest_and_shape();
    AskView {
        ask: Arc::new(Ask {
            id: ask_id(index),
            agent: agent.id,
            conversation: conversation.as_ref().map(|have| have.id),
            workspace: None,
            wire_id: draft.wire_id.clone(),
            key: None,
            title: draft.title.clone(),
            matter: draft.matter.clone(),
            digest,
            shape,
            asked_at: NOW,
            deadline: None,
            stops: false,
        }),
        agent: Arc::new(agent),
        connected: true,
        conversation,
        closing: None,
        late: None,
        delivery: Delivery::Owed,
        scopes,
        prefill: None,
    }
}

impl AskMade {
    fn view(&self, index: usize) -> AskView {
        let matter = match (&self.prompt, &self.questions, &self.tool, &self.form) {
            (Some(prompt), None, None, None) => {
                Matter::Questions(map::questions(prompt, self.widgets.clone()))
            }
            (None, Some(questions), None, None) => {
                Matter::Questions(questions.iter().map(QuestionMade::question).collect())
            }
            (None, None, Some(tool), None) => {
                Matter::Approval(map::action(tool.clone(), self.input.as_deref()))
            }
            (None, None, None, Some(message)) => Matter::Form(Form::Page {
                message: message.clone(),
                url: "https://example.org/form".to_owned(),
            }),
            _ => panic!("an ask is one thing"),
        };
        let draft = Draft {
            title: self.title.clone(),
            matter,
            conversation: self
                .conversation
                .as_deref()
                .map(|name| ConversationName::new(name).expect("a name")),
            workspace: None,
            wire_id: self
                .wire_id
                .as_deref()
                .map(|id| WireId::new(id).expect("an id")),
            key: None,
            timeout: None,
            stops: false,
        };
        let scopes: &[Scope] = if self.always {
            &[Scope::Once, Scope::Always]
        } else {
            &[Scope::Once]
        };
        view(
            index,
            &draft,
            self.dialect.as_deref().unwrap_or("nebo"),
            scopes,
        )
    }
}

impl QuestionMade {
    fn question(&self) -> Question {
        let choice = |label: &String| Choice {
            label: label.clone(),
            preview: self.preview.clone(),
            ..Choice::default()
        };
        Question {
            text: self.text.clone(),
            tag: self.tag.clone(),
            pick: match self.pick.as_str() {
                "one" => Pick::One,
                "many" => Pick::Many,
                _ => Pick::Text,
            },
            choices: self.choices.iter().map(choice).collect(),
            look: Look::List,
            default: Vec::new(),
            free_text: !self.closed,
            required: self.required,
        }
    }
}

impl End {
    fn close(&self, view: &AskView) -> AskView {
        let reply = |made: &ReplyMade| Reply {
            question: made.question,
            labels: made.labels.clone(),
            other: made.other.clone(),
            note: None,
        };
        let note = self.note.clone();
        let outcome = match (&self.replies, self.allow, self.ended.as_deref()) {
            (Some(replies), None, None) => {
                Outcome::Answered(Answer::Replies(replies.iter().map(reply).collect()))
            }
            (None, Some(allow), None) => Outcome::Answered(Answer::Verdict(Verdict {
                decision: if allow {
                    Decision::Allow {
                        edited_input: self.edited.clone(),
                    }
                } else {
                    Decision::Deny { stop: false }
                },
                scope: match self.scope.as_deref() {
                    Some("always") => Scope::Always,
                    Some("conversation") => Scope::Conversation,
                    _ => Scope::Once,
                },
                note,
            })),
            (None, None, Some("dismissed")) => Outcome::Dismissed { note, stop: false },
            (None, None, Some("expired")) => Outcome::Expired,
            (None, None, Some("withdrawn")) => Outcome::Withdrawn { note },
            _ => panic!("an end is one thing"),
        };
        let by = match outcome {
            Outcome::Answered(_) | Outcome::Dismissed { .. } => Closer::Person {
                person: PersonName::new("ann").expect("a name"),
                device: TokenName::new("phone").expect("a name"),
                seen: Seen::Digest,
            },
            Outcome::Expired | Outcome::Withdrawn { .. } => Closer::Clock,
        };
        let late = self.late.as_ref().map(|label| {
            Arc::new(Late {
                answer: Answer::Replies(vec![Reply {
                    question: 0,
                    labels: vec![label.clone()],
                    ..Reply::default()
                }]),
                by: by.clone(),
                at: NOW,
            })
        });
        AskView {
            closing: Some(Arc::new(Closing {
                outcome,
                by,
                at: NOW,
            })),
            late,
            ..view.clone()
        }
    }
}

impl EntryMade {
    fn entry(&self, asks: &[AskView]) -> Entry {
        let conversation = conversation(&self.conversation);
        let id = message_id(9);
        let kind = if let Some(text) = &self.person {
            EntryKind::Message {
                message: Arc::new(message(&conversation, text, 9)),
                state: MessageState::Sent,
            }
        } else if let Some(text) = &self.said {
            EntryKind::Said(Arc::new(Said {
                id,
                conversation: conversation.id,
                text: text.clone(),
            }))
        } else if let Some((tool, text, status)) = &self.tool {
            EntryKind::Note(Arc::new(Note {
                id,
                conversation: conversation.id,
                tool: tool.clone(),
                text: text.clone(),
                status: status.as_deref().and_then(NoteStatus::from_word),
            }))
        } else if let Some(end) = &self.ask {
            EntryKind::Ask(end.close(&asks[end.of]))
        } else if let Some(open) = self.open {
            EntryKind::Ask(asks[open].clone())
        } else {
            EntryKind::TurnEnded(match self.turn.as_deref() {
                Some("done") => TurnEnd::Done,
                Some("failed") => TurnEnd::Failed,
                Some("lost") => TurnEnd::Lost,
                Some("stopped") => TurnEnd::Stopped,
                _ => panic!("an entry is one thing"),
            })
        };
        Entry {
            seq: Seq(1),
            at: NOW,
            conversation,
            kind,
        }
    }
}

fn message(conversation: &Conversation, text: &str, number: u128) -> Message {
    Message {
        id: message_id(number),
        conversation: conversation.id,
        person: PersonName::new("ann").expect("a name"),
        device: TokenName::new("phone").expect("a name"),
        text: text.to_owned(),
    }
}

fn choice_json(choice: &Choice) -> Value {
    json!([choice.label, choice.description, choice.recommended])
}

fn matter_json(matter: &Matter) -> Value {
    match matter {
        Matter::Questions(questions) => questions
            .iter()
            .map(|question| {
                json!({
                    "text": question.text, "tag": question.tag,
                    "pick": format!("{:?}", question.pick), "look": format!("{:?}", question.look),
                    "choices": question.choices.iter().map(choice_json).collect::<Vec<_>>(),
                    "default": question.default, "free_text": question.free_text,
                    "required": question.required,
                })
            })
            .collect(),
        Matter::Approval(action) => {
            let Action {
                tool,
                input,
                tool_schema,
                links,
                cwd,
                reason,
                act,
                risk,
                flags,
            } = action;
            assert_eq!(links, &None, "nobody follows links here");
            let act = match act {
                Act::Shell { command } => json!({ "shell": command }),
                Act::Edit { path, old, new } => json!({ "edit": [path, old, new] }),
                Act::Write { path, content } => json!({ "write": [path, content] }),
                Act::Other => json!("other"),
            };
            assert_eq!((tool_schema, cwd, reason), (&None, &None, &None));
            assert_eq!(flags.len(), 0);
            json!({ "tool": tool, "input": input, "act": act, "risk": risk.level.word() })
        }
        Matter::Form(_) => panic!("nobody asks a form here"),
    }
}

fn draft_json(draft: &Draft) -> Value {
    let Draft {
        title,
        matter,
        conversation,
        workspace,
        wire_id,
        key,
        timeout,
        stops,
    } = draft;
    assert_eq!(
        (title, workspace, key, timeout, stops),
        (&None, &None, &None, &None, &false)
    );
    json!({
        "ask": matter_json(matter),
        "wire_id": wire_id.as_ref().map(WireId::as_str),
        "conversation": conversation.as_ref().map(ConversationName::as_str),
    })
}

fn frame_json(frame: &str) -> Value {
    serde_json::from_str(frame).expect("a frame is JSON")
}

fn agent_move_json(it: &AgentMove) -> Value {
    match it {
        AgentMove::Ask { agent: None, draft } => draft_json(draft),
        AgentMove::Confirm(ask) => json!({ "confirm": ask.to_string() }),
        AgentMove::Say {
            agent: None,
            conversation,
            text,
            ends,
        } => json!({ "say": [conversation.as_str(), text, *ends == Ends::Message] }),
        AgentMove::Controlled { number, problem } => json!({ "controlled": [number, problem] }),
        AgentMove::Note {
            agent: None,
            conversation,
            tool,
            text,
            status,
        } => json!({ "note": [conversation.as_str(), tool, text, status.map(NoteStatus::word)] }),
        AgentMove::TurnEnded {
            agent: None,
            conversation,
            end,
        } => json!({ "ended": [conversation.as_str(), format!("{end:?}")] }),
        AgentMove::Reply(frame) => json!({ "reply": frame_json(frame) }),
        AgentMove::Unreadable(why) => json!({ "unreadable": why }),
        AgentMove::Unknown(name) => json!({ "unknown": name }),
        other => panic!("no such move is made here: {other:?}"),
    }
}

fn person_move_json(it: &PersonMove) -> Value {
    match it {
        PersonMove::Answer { ask, answer, .. } => {
            let answer = match answer {
                Answer::Replies(replies) => replies
                    .iter()
                    .map(|reply| json!([reply.question, reply.labels, reply.other, reply.note]))
                    .collect(),
                Answer::Verdict(verdict) => json!(format!("{verdict:?}")),
                Answer::Fields(_) => panic!("there are no fields here"),
            };
            json!({ "answer": answer, "ask": ask.to_string() })
        }
        PersonMove::Dismiss { ask, note, .. } => {
            json!({ "dismiss": ask.to_string(), "note": note })
        }
        PersonMove::Message { conversation, text } => json!({ "message": [conversation, text] }),
        PersonMove::LookAt { conversation } => json!({ "look": conversation }),
        PersonMove::Reply(frame) => json!({ "reply": frame_json(frame) }),
        PersonMove::Unknown(name) => json!({ "unknown": name }),
        PersonMove::Control(Control {
            conversation,
            wire_id,
            what,
        }) => json!({ "control": [conversation, wire_id, format!("{what:?}")] }),
        other => panic!("no such move is made here: {other:?}"),
    }
}

fn vectors(text: &str) -> Vec<Vector> {
    serde_json::from_str(text).expect("the vectors are JSON")
}

fn agent_side(vector: &Vector) -> AgentSide {
    let knobs = vector.tell_always.as_deref().map(|it| ("tell_always", it));
    AgentSide::new(&AgentHello {
        name: vector.agent.as_deref(),
        token_name: "laptop",
        knobs: &Knobs::set(&DIALECT, knobs).expect("a knob"),
    })
}

#[test]
fn an_agents_frames_and_news_lead_to_this() {
    for vector in vectors(AGENT) {
        let mut face = agent_side(&vector);
        let mut views: Vec<AskView> = Vec::new();
        for (at, step) in vector.steps.iter().enumerate() {
            let (mut frames, mut moves) = (Vec::new(), Vec::new());
            let name = face.agent().expect("an agent has a name");
            match &step.news {
                None => face.read(step.sent().expect("a frame"), NOW, &mut moves),
                Some(News::Opened { running, .. }) => {
                    let running: Vec<_> = running
                        .iter()
                        .map(|name| ConversationName::new(name.as_str()).expect("a name"))
                        .collect();
                    let agent = agent(name.as_str(), "nebo");
                    let news = AgentNews::Opened {
                        agent: &agent,
                        running: &running,
                    };
                    face.tell(&news, NOW, &mut frames);
                }
                Some(News::Outcome(end)) => {
                    let view = end.close(&views[end.of]);
                    face.tell(&AgentNews::Outcome(&view), NOW, &mut frames);
                }
                Some(News::Refused { wire_id, why, .. }) => {
                    let wire_id = wire_id.as_deref().map(|id| WireId::new(id).expect("an id"));
                    let news = AgentNews::Refused {
                        reference: None,
                        ask: Some((MatterKind::Questions, wire_id.as_ref())),
                        why,
                        problem: &Problem::of(ProblemCode::Invalid),
                    };
                    face.tell(&news, NOW, &mut frames);
                }
                Some(News::Message {
                    conversation: to,
                    text,
                }) => {
                    let conversation = conversation(to);
                    let message = message(&conversation, text, at as u128);
                    let news = AgentNews::Turn {
                        conversation: &conversation.name,
                        agent: &name,
                        message: &message,
                    };
                    face.tell(&news, NOW, &mut frames);
                }
                Some(News::Cancel(to)) => {
                    let news = AgentNews::Control {
                        number: at as u64,
                        conversation: &conversation(to).name,
                        what: &ControlKind::Interrupt,
                        by: &PersonName::new("ann").expect("a name"),
                    };
                    face.tell(&news, NOW, &mut frames);
                }
                Some(News::Reconnected) => face = agent_side(&vector),
                Some(News::Ping) => face.tell(&AgentNews::Ping, NOW, &mut frames),
                Some(_) => panic!("{}: no news for an agent", vector.name),
            }
            for it in &moves {
                if let AgentMove::Ask { draft, .. } = it {
                    let new = view(views.len(), draft, "nebo", &[Scope::Once]);
                    let (reference, view) = (None, &new);
                    face.tell(&AgentNews::Asked { reference, view }, NOW, &mut frames);
                    views.push(new);
                }
            }
            let moves: Vec<Value> = moves.iter().map(agent_move_json).collect();
            let frames: Vec<String> = frames.iter().map(|frame| tight(frame)).collect();
            assert_eq!(frames, step.frames(), "{} {at}", vector.name);
            assert_eq!(moves, step.moves, "{} {at}", vector.name);
        }
    }
}

fn tell_person(face: &mut Person, news: &News, views: &[AskView], frames: &mut Vec<String>) {
    match news {
        News::Opened { open, entries, .. } => {
            let open: Vec<AskView> = open.iter().map(|at| views[*at].clone()).collect();
            let entries: Vec<Entry> = entries.iter().map(|it| it.entry(views)).collect();
            let news = PersonNews::Opened {
                conversation: None,
                entries: &entries,
                turn: Turn::Idle,
                open: &open,
            };
            face.tell(&news, NOW, frames);
        }
        News::Asked(at) => face.tell(&PersonNews::Asked(&views[*at]), NOW, frames),
        News::Closed(end) => {
            let view = end.close(&views[end.of]);
            face.tell(&PersonNews::Closed(&view), NOW, frames);
        }
        News::Lost(end) => {
            let view = end.close(&views[end.of]);
            let news = PersonNews::Refused {
                reference: None,
                ask: Some(view.ask.id),
                why: Refused::AlreadyClosed(&view),
                problem: &Problem::of(ProblemCode::Invalid),
            };
            face.tell(&news, NOW, frames);
        }
        News::Refused { of, why, .. } => {
            let news = PersonNews::Refused {
                reference: None,
                ask: of.map(ask_id),
                why: Refused::Other(why),
                problem: &Problem::of(ProblemCode::Invalid),
            };
            face.tell(&news, NOW, frames);
        }
        News::Began(name) => face.tell(&PersonNews::Began(&conversation(name)), NOW, frames),
        News::Saying {
            conversation: to,
            text,
        } => {
            let news = PersonNews::Saying {
                conversation: &conversation(to),
                from: 0,
                text,
            };
            face.tell(&news, NOW, frames);
        }
        News::Turn {
            conversation: to,
            running,
            saying,
        } => {
            let news = PersonNews::Turn {
                conversation: conversation(to).id,
                name: to,
                turn: if *running { Turn::Running } else { Turn::Idle },
                saying,
            };
            face.tell(&news, NOW, frames);
        }
        News::Entry(entry) => face.tell(&PersonNews::Entry(&entry.entry(views)), NOW, frames),
        News::NotStopped(session) => {
            let control = Control {
                conversation: None,
                wire_id: session.clone(),
                what: ControlKind::Interrupt,
            };
            let news = PersonNews::Controlled {
                control: &control,
                refused: Some("it is busy"),
            };
            face.tell(&news, NOW, frames);
        }
        News::Ping
        | News::Cancel(_)
        | News::Outcome(_)
        | News::Message { .. }
        | News::Reconnected => {
            panic!("no news for a person")
        }
    }
}

#[test]
fn a_browsers_frames_and_news_lead_to_this() {
    for vector in vectors(PERSON) {
        let mut face = Person::new(&PersonHello {
            person: "ann",
            random: "0",
            knobs: &Knobs::usual(&DIALECT),
        });
        let views: Vec<AskView> = (vector.asks.iter().enumerate())
            .map(|(at, made)| made.view(at))
            .collect();
        for (at, step) in vector.steps.iter().enumerate() {
            let (mut frames, mut moves) = (Vec::new(), Vec::new());
            match &step.news {
                None => face.read(step.sent().expect("a frame"), NOW, &mut moves),
                Some(news) => tell_person(&mut face, news, &views, &mut frames),
            }
            for frame in &frames {
                assert!(
                    !frame.contains('\n'),
                    "browsers split at line ends: {frame}"
                );
            }
            let frames: Vec<String> = frames.iter().map(|frame| tight(frame)).collect();
            let moves: Vec<Value> = moves.iter().map(person_move_json).collect();
            assert_eq!(frames, step.frames(), "{} {at}", vector.name);
            assert_eq!(moves, step.moves, "{} {at}", vector.name);
        }
    }
}

#[derive(Deserialize)]
struct CallVector {
    name: String,
    body: Option<Box<RawValue>>,
    text: Option<String>,
    #[serde(default)]
    asked: Option<Value>,
    #[serde(default)]
    end: Option<End>,
    #[serde(default)]
    reply: Option<(u16, Box<RawValue>)>,
}

#[test]
fn a_tool_call_asks_and_returns_this() {
    let vectors: Vec<CallVector> = serde_json::from_str(CALL).expect("the vectors are JSON");
    for vector in vectors {
        let body = vector.body.as_ref().map(|body| body.get());
        let body = vector.text.as_deref().or(body).expect("a body").as_bytes();
        let (asked, reply) = match MessageCall.read(body, NOW) {
            Called::Reply(reply) => (None, Some(reply)),
            Called::Ask { agent, draft } => {
                assert_eq!(agent, None);
                let end = vector.end.as_ref();
                let reply = end.map(|end| {
                    let open = view(0, &draft, "nebo", &[]);
                    MessageCall.write(body, &end.close(&open))
                });
                (Some(draft_json(&draft)), reply)
            }
        };
        let reply = reply.map(|reply| match reply.body {
            Body::Json(text) => (reply.status, text),
            Body::Text(text) => panic!("a tool gets JSON: {text}"),
        });
        let expected = vector
            .reply
            .map(|(status, text)| (status, tight(text.get())));
        assert_eq!(asked, vector.asked, "{}", vector.name);
        assert_eq!(reply, expected, "{}", vector.name);
    }
}

#[derive(Deserialize)]
struct HistoryVector {
    asks: Vec<AskMade>,
    entries: Vec<EntryMade>,
    page: Box<RawValue>,
    metadata: Vec<Value>,
}

#[test]
fn a_reloaded_browser_fetches_this() {
    let vector: HistoryVector = serde_json::from_str(HISTORY).expect("the vector is JSON");
    let views: Vec<AskView> = (vector.asks.iter().enumerate())
        .map(|(at, made)| made.view(at))
        .collect();
    let entries: Vec<Entry> = vector.entries.iter().map(|it| it.entry(&views)).collect();
    let reply = History.write(&conversation("s1"), &entries);
    let Body::Json(text) = reply.body else {
        panic!("a browser gets JSON");
    };
    let page = frame_json(&text);
    let messages = page["messages"].as_array().expect("a list");
    let metadata: Vec<Value> = messages
        .iter()
        .filter_map(|message| message["metadata"].as_str())
        .map(frame_json)
        .collect();
    assert_eq!((reply.status, text), (200, tight(vector.page.get())));
    assert_eq!(metadata, vector.metadata);
    let unknown = History.unknown("cv_1");
    assert_eq!(
        (unknown.status, unknown.body),
        (404, Body::Json(r#"{"error":"chat not found"}"#.to_owned()))
    );
}

#[test]
fn the_token_is_read_at_every_place() {
    let token = |frame: &str| person::sign_in(frame);
    let found = SignIn::Token("t1".to_owned());
    for frame in [
        r#"{"type":"auth","data":{"token":"t1"}}"#,
        r#"{"type":"connect","payload":{"token":"t1"}}"#,
        r#"{"type":"connect","token":"t1","clientId":"x"}"#,
        "{\"type\":\"auth\",\"data\":{\"token\":\"t1\"}}\n{\"type\":\"ping\"}",
    ] {
        assert_eq!(token(frame), found, "{frame}");
    }
    for frame in [
        r#"{"type":"connect"}"#,
        r#"{"type":"auth","data":{"token":""}}"#,
        r#"{"type":"auth","data":{"token":7}}"#,
        r#"{"type":"auth","data":{"token":"a","token":"b"}}"#,
        r#"{"type":"ask_response","data":{"token":"t1"}}"#,
        "nonsense",
        "",
    ] {
        assert_eq!(token(frame), SignIn::Nothing, "{frame}");
    }
}

#[test]
fn what_a_widget_means_is_written_as_that_widget_again() {
    for (text, back) in [
        (
            r#"{"type":"buttons","label":"L","options":["A","B"],"default":"B"}"#,
            None,
        ),
        (
            r#"{"type":"confirm","options":["Yes","No"],"default":"No"}"#,
            None,
        ),
        (
            r#"{"type":"confirm"}"#,
            Some(r#"{"type":"confirm","options":["Yes","No"]}"#),
        ),
        (
            r#"{"type":"select","label":"L","options":["A","B"],"default":"A"}"#,
            None,
        ),
        (
            r#"{"type":"radio","options":["A, B","C"],"default":"A, B"}"#,
            None,
        ),
        (
            r#"{"type":"checkbox","options":["A, B","C"],"default":"A, B, C"}"#,
            None,
        ),
        (
            r#"{"type":"text_input","label":"L","default":"so far"}"#,
            None,
        ),
        (
            r#"{"type":"options","options":[{"label":"A","description":"d","recommended":true},"B"]}"#,
            None,
        ),
        (
            r#"{"type":"options","options":[{"label":"A","description":"d"},"B"],"default":"B","multiSelect":true}"#,
            None,
        ),
        // Browsers draw these pairs alike, and old ones do not know the first of each.
        (
            r#"{"type":"options","options":["A"]}"#,
            Some(r#"{"type":"radio","options":["A"]}"#),
        ),
        (
            r#"{"type":"options","options":["A"],"multi_select":true}"#,
            Some(r#"{"type":"checkbox","options":["A"]}"#),
        ),
    ] {
        let widget: wire::Widget = serde_json::from_str(text).expect("a widget");
        let questions = map::questions("Which?", Some(vec![widget]));
        let again = wire::written(&map::widget(&questions[0]));
        assert_eq!(again, back.unwrap_or(text));
        let widget = serde_json::from_str(&again).expect("a widget");
        assert_eq!(map::questions("Which?", Some(vec![widget])), questions);
    }
}
