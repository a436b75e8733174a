//! The vectors replayed: what a front end and a CLI are told and what they say, whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use sayso_core::action::{Act, Action};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Draft, Matter, Question};
use sayso_core::check::{check_answer, check_draft, settle_fields};
use sayso_core::digest::Shown;
use sayso_core::entry::{
    Entry, EntryKind, Message, MessageState, Note, NoteStatus, Said, Turn, TurnEnd,
};
use sayso_core::form::{FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::id::{
    AgentId, AgentName, AskId, AskKey, ConversationId, ConversationName, DialectName, PersonName,
    Seq, TokenId, TokenName, WireId, Workspace,
};
use sayso_core::outcome::{Closer, Closing, Delivery, Late, Outcome, Seen};
use sayso_core::text::{Number, Secret};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{DIALECT, agent, draft_from_control_request, person, write_control_response};
use crate::call::{Body, Call as _, Called};
use crate::{
    Control, ControlKind, Knobs, PersonFace, PersonHello, PersonMove, PersonNews, Problem,
    ProblemCode, Refused,
};

const FRONT: &str = include_str!("vectors/front.json");
const CLI: &str = include_str!("vectors/cli.json");

fn at(millis: u64) -> Time {
    Time::from_millis(1_794_729_600_000 + millis)
}

#[derive(Deserialize)]
struct AskVector {
    id: String,
    /// The control request it came in with.
    asked: Box<RawValue>,
    /// Another input than the request's own, for askers of other languages.
    input: Option<String>,
    /// Whether a yes may last as long as the conversation.
    #[serde(default)]
    lasting: bool,
    ended: Option<Ended>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ended {
    Replies(Vec<SentReply>),
    Allowed(SentAllow),
    Denied(Option<String>),
    Fields(Value),
    Dismissed(Option<String>),
    DeniedToStop(Option<String>),
    DismissedToStop(Option<String>),
    Expired,
    Late(Vec<SentReply>),
    Withdrawn(Option<String>),
}

#[derive(Deserialize)]
struct SentReply {
    question: usize,
    #[serde(default)]
    labels: Vec<String>,
    other: Option<String>,
    note: Option<String>,
}

#[derive(Deserialize)]
struct SentAllow {
    input: Option<String>,
}

fn replies(sent: &[SentReply]) -> Answer {
    let reply = |sent: &SentReply| Reply {
        question: sent.question,
        labels: sent.labels.clone(),
        other: sent.other.clone(),
        note: sent.note.clone(),
    };
    Answer::Replies(sent.iter().map(reply).collect())
}

fn verdict(decision: Decision, note: Option<String>) -> Answer {
    Answer::Verdict(Verdict {
        decision,
        scope: Scope::Once,
        note,
    })
}

fn fields(sent: &Value, matter: &Matter) -> Answer {
    let value = |value: &Value| match value {
        Value::String(text) => FieldValue::Text(text.clone()),
        Value::Bool(value) => FieldValue::Boolean(*value),
        Value::Number(number) => {
            FieldValue::Number(Number::new(&number.to_string()).expect("a number"))
        }
        Value::Array(items) => {
            let text = |item: &Value| item.as_str().expect("a text").to_owned();
            FieldValue::Many(items.iter().map(text).collect())
        }
        other => panic!("{other} is no value of a field"),
    };
    let entries = sent.as_object().expect("an object").iter();
    let sent = Answer::Fields(
        entries
            .map(|(name, sent)| (name.clone(), value(sent)))
            .collect(),
    );
    match matter {
        Matter::Form(form) => settle_fields(form, sent),
        Matter::Questions(_) | Matter::Approval(_) => sent,
    }
}

fn closing(ended: &Ended, matter: &Matter) -> (Closing, Option<Late>) {
    let ann = || Closer::Person {
        person: PersonName::new("ann").expect("a name"),
        device: TokenName::new("phone").expect("a name"),
        seen: Seen::Digest,
    };
    let mut late = None;
    let (outcome, by) = match ended {
        Ended::Replies(sent) => (Outcome::Answered(replies(sent)), ann()),
        Ended::Allowed(sent) => {
            let edited_input = sent.input.clone();
            let allowed = verdict(Decision::Allow { edited_input }, None);
            (Outcome::Answered(allowed), ann())
        }
        Ended::Denied(note) => {
            let denied = verdict(Decision::Deny { stop: false }, note.clone());
            (Outcome::Answered(denied), ann())
        }
        Ended::DeniedToStop(note) => {
            let denied = verdict(Decision::Deny { stop: true }, note.clone());
            (Outcome::Answered(denied), ann())
        }
        Ended::DismissedToStop(note) => {
            let note = note.clone();
            (Outcome::Dismissed { note, stop: true }, ann())
        }
        Ended::Fields(sent) => (Outcome::Answered(fields(sent, matter)), ann()),
        Ended::Dismissed(note) => (
            Outcome::Dismissed {
                note: note.clone(),
                stop: false,
            },
            ann(),
        ),
        Ended::Expired => (Outcome::Expired, Closer::Clock),
        Ended::Late(sent) => {
            late = Some(Late {
                answer: replies(sent),
                by: ann(),
                at: at(90_000),
            });
            (Outcome::Expired, Closer::Clock)
        }
        Ended::Withdrawn(note) => (Outcome::Withdrawn { note: note.clone() }, Closer::Agent),
    };
    if let Outcome::Answered(answer) = &outcome {
        check_answer(matter, &[Scope::Once], answer).expect("the answer of a vector fits");
    }
    let closing = Closing {
        outcome,
        by,
        at: at(60_000),
    };
    (closing, late)
}

fn conversation() -> Arc<Conversation> {
    Arc::new(Conversation {
        id: ConversationId(3),
        agent: AgentId(7),
        name: ConversationName::new("s-1").expect("a name"),
    })
}

fn view_of(id: &str, draft: Draft, scopes: &'static [Scope], ended: Option<&Ended>) -> AskView {
    check_draft(&draft).expect("the ask of a vector makes sense");
    let name = AgentName::new("coder").expect("a name");
    let (digest, shape) = Shown::of(&name, &draft).digest_and_shape();
    let ended = ended.map(|ended| closing(ended, &draft.matter));
    let (closing, late) = ended.map_or((None, None), |(closing, late)| {
        (Some(Arc::new(closing)), late.map(Arc::new))
    });
    AskView {
        ask: Arc::new(Ask {
            id: id.parse().expect("an id"),
            agent: AgentId(7),
            conversation: Some(ConversationId(3)),
            workspace: draft.workspace,
            wire_id: draft.wire_id,
            key: None,
            title: draft.title,
            matter: draft.matter,
            digest,
            shape,
            asked_at: at(1_000),
            deadline: None,
            stops: draft.stops,
        }),
        agent: Arc::new(Agent {
            id: AgentId(7),
            token: TokenId(1),
            name,
            dialect: DialectName::new("claude-control").expect("a name"),
            beside: None,
        }),
        connected: true,
        conversation: Some(conversation()),
        closing,
        late,
        delivery: Delivery::Owed,
        scopes,
        prefill: None,
    }
}

fn view(vector: &AskVector, with_end: bool) -> AskView {
    let mut draft = draft_from_control_request(vector.asked.get())
        .expect("the request of a vector is readable")
        .draft;
    if let (Some(input), Matter::Approval(action)) = (&vector.input, &mut draft.matter) {
        action.input.clone_from(input);
    }
    let scopes: &'static [Scope] = if vector.lasting {
        &[Scope::Once, Scope::Conversation]
    } else {
        &[Scope::Once]
    };
    let ended = vector.ended.as_ref().filter(|_| with_end);
    view_of(&vector.id, draft, scopes, ended)
}

#[derive(Deserialize)]
struct Scene {
    name: String,
    #[serde(default)]
    knobs: BTreeMap<String, String>,
    #[serde(default)]
    asks: BTreeMap<String, AskVector>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    #[serde(flatten)]
    does: Does,
    #[serde(default)]
    frames: Vec<Value>,
    #[serde(default)]
    moves: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Does {
    Opened {
        entries: Vec<EntryVector>,
        turn: String,
        open: Vec<String>,
    },
    Read(Value),
    ReadText(String),
    Asked(String),
    Closed(String),
    Entry(EntryVector),
    Saying(String),
    Turn(String),
    AlreadyClosed(String),
    Refused {
        ask: Option<String>,
        why: String,
    },
    Controlled {
        id: String,
        mode: Option<String>,
        refused: Option<String>,
    },
    Taken(()),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum EntryVector {
    Message(String),
    Queued(String),
    Said(String),
    Note {
        number: u8,
        tool: String,
        text: String,
        status: Option<String>,
    },
    Ask(String),
    Ended(String),
}

fn message_id(number: u8) -> sayso_core::id::MessageId {
    let text = format!("01938d1e-0000-7000-8000-0000000000{number:02x}");
    text.parse().expect("an id")
}

fn entry(vector: &EntryVector, place: u64, asks: &BTreeMap<String, AskVector>) -> Entry {
    let message = |text: &str, state| EntryKind::Message {
        message: Arc::new(Message {
            id: message_id(1),
            conversation: ConversationId(3),
            person: PersonName::new("ann").expect("a name"),
            device: TokenName::new("phone").expect("a name"),
            text: text.to_owned(),
        }),
        state,
    };
    let kind = match vector {
        EntryVector::Message(text) => message(text, MessageState::Sent),
        EntryVector::Queued(text) => message(text, MessageState::Queued),
        EntryVector::Said(text) => EntryKind::Said(Arc::new(Said {
            id: message_id(2),
            conversation: ConversationId(3),
            text: text.clone(),
        })),
        EntryVector::Note {
            number,
            tool,
            text,
            status,
        } => EntryKind::Note(Arc::new(Note {
            id: message_id(*number),
            conversation: ConversationId(3),
            tool: tool.clone(),
            text: text.clone(),
            status: status.as_deref().and_then(NoteStatus::from_word),
        })),
        EntryVector::Ask(name) => EntryKind::Ask(view(&asks[name], true)),
        EntryVector::Ended(how) => EntryKind::TurnEnded(match how.as_str() {
            "done" => TurnEnd::Done,
            "failed" => TurnEnd::Failed,
            "lost" => TurnEnd::Lost,
            "stopped" => TurnEnd::Stopped,
            other => panic!("{other} is no end of a turn"),
        }),
    };
    Entry {
        seq: Seq(place),
        at: at(place * 1_000),
        conversation: conversation(),
        kind,
    }
}

fn turn(word: &str) -> Turn {
    match word {
        "idle" => Turn::Idle,
        "running" => Turn::Running,
        "waiting" => Turn::Waiting,
        other => panic!("{other} is no state of a turn"),
    }
}

fn face(knobs: &BTreeMap<String, String>) -> Box<dyn PersonFace> {
    let set = knobs
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()));
    let knobs = Knobs::set(&DIALECT, set).expect("the knobs of a vector fit");
    person::face(&PersonHello {
        person: "ann",
        random: "00000000000000000000000000000000",
        knobs: &knobs,
    })
}

/// What a step does to a face: frames, then moves.
fn play(
    face: &mut dyn PersonFace,
    does: &Does,
    place: u64,
    asks: &BTreeMap<String, AskVector>,
) -> (Vec<Value>, Vec<Value>) {
    let (mut frames, mut moves) = (Vec::new(), Vec::new());
    let now = at(100_000);
    let ask_view = |name: &String, with_end| view(&asks[name], with_end);
    let conversation = conversation();
    let mut tell = |news: PersonNews<'_>| face.tell(&news, now, &mut frames);
    match does {
        Does::Opened {
            entries,
            turn: word,
            open,
        } => {
            let entries: Vec<Entry> = (10..)
                .zip(entries)
                .map(|(place, vector)| entry(vector, place, asks))
                .collect();
            let open: Vec<AskView> = open.iter().map(|name| ask_view(name, false)).collect();
            tell(PersonNews::Opened {
                conversation: Some(&conversation),
                entries: &entries,
                turn: turn(word),
                open: &open,
            });
        }
        Does::Read(frame) => face.read(&frame.to_string(), now, &mut moves),
        Does::ReadText(frame) => face.read(frame, now, &mut moves),
        Does::Asked(name) => tell(PersonNews::Asked(&ask_view(name, false))),
        Does::Closed(name) => tell(PersonNews::Closed(&ask_view(name, true))),
        Does::Entry(vector) => tell(PersonNews::Entry(&entry(vector, place, asks))),
        Does::Saying(text) => tell(PersonNews::Saying {
            conversation: &conversation,
            from: 0,
            text,
        }),
        Does::Turn(word) => tell(PersonNews::Turn {
            conversation: conversation.id,
            name: conversation.name.as_str(),
            turn: turn(word),
            saying: "",
        }),
        Does::AlreadyClosed(name) => {
            let winner = ask_view(name, true);
            tell(PersonNews::Refused {
                reference: None,
                ask: Some(winner.ask.id),
                why: Refused::AlreadyClosed(&winner),
                problem: &Problem::of(ProblemCode::Invalid),
            });
        }
        Does::Refused { ask, why } => tell(PersonNews::Refused {
            reference: None,
            ask: ask.as_ref().map(|name| ask_view(name, false).ask.id),
            why: Refused::Other(why),
            problem: &Problem::of(ProblemCode::Invalid),
        }),
        Does::Controlled { id, mode, refused } => tell(PersonNews::Controlled {
            control: &Control {
                conversation: None,
                wire_id: id.clone(),
                what: mode
                    .clone()
                    .map_or(ControlKind::Interrupt, ControlKind::SetMode),
            },
            refused: refused.as_deref(),
        }),
        Does::Taken(()) => tell(PersonNews::Taken),
    }
    let frame = |text: String| serde_json::from_str(&text).expect("a frame is JSON");
    (
        frames.into_iter().map(frame).collect(),
        moves.iter().map(move_json).collect(),
    )
}

fn move_json(wish: &PersonMove) -> Value {
    match wish {
        PersonMove::Answer { ask, answer, .. } => {
            json!({"answer": answer_json(answer), "ask": ask.to_string()})
        }
        PersonMove::Dismiss {
            ask, note, stop, ..
        } => {
            let mut told = json!({"dismiss": note, "ask": ask.to_string()});
            if *stop {
                told["stop"] = json!(true);
            }
            told
        }
        PersonMove::Message { conversation, text } => {
            json!({"message": text, "conversation": conversation})
        }
        PersonMove::Control(Control { wire_id, what, .. }) => match what {
            ControlKind::Interrupt => json!({"interrupt": wire_id}),
            ControlKind::SetMode(mode) => json!({"set_mode": mode, "id": wire_id}),
        },
        PersonMove::Reply(text) => {
            json!({"reply": serde_json::from_str::<Value>(text).expect("a frame is JSON")})
        }
        PersonMove::Unknown(name) => json!({"unknown": name}),
        PersonMove::Ref(_)
        | PersonMove::Wrong(_)
        | PersonMove::LookAt { .. }
        | PersonMove::Close(_)
        | PersonMove::Settle(_) => {
            panic!("nobody asked for {wish:?}")
        }
    }
}

fn answer_json(answer: &Answer) -> Value {
    match answer {
        Answer::Replies(replies) => replies
            .iter()
            .map(|reply| {
                json!({
                    "question": reply.question, "labels": reply.labels,
                    "other": reply.other, "note": reply.note,
                })
            })
            .collect(),
        Answer::Verdict(verdict) => match &verdict.decision {
            Decision::Allow { edited_input } => json!({
                "allow": verdict.scope.word(), "note": verdict.note, "input": edited_input,
            }),
            Decision::Deny { stop: false } => {
                json!({"deny": verdict.scope.word(), "note": verdict.note})
            }
            Decision::Deny { stop: true } => {
                json!({"deny": verdict.scope.word(), "note": verdict.note, "stop": true})
            }
        },
        Answer::Fields(fields) => fields
            .iter()
            .map(|(name, value)| {
                let value = match value {
                    FieldValue::Text(text) => json!({"text": text}),
                    FieldValue::Number(number) => json!({"number": number.as_str()}),
                    FieldValue::Boolean(value) => json!({"boolean": value}),
                    FieldValue::Many(items) => json!({"many": items}),
                    FieldValue::Secret(secret) => {
                        json!({"secret": secret.as_ref().map(Secret::reveal)})
                    }
                };
                json!([name, value])
            })
            .collect(),
    }
}

#[test]
fn front_ends_see_and_say_what_the_vectors_hold() {
    for scene in serde_json::from_str::<Vec<Scene>>(FRONT).expect("the vectors are JSON") {
        let mut face = face(&scene.knobs);
        for (place, step) in (50..).zip(&scene.steps) {
            let (frames, moves) = play(face.as_mut(), &step.does, place, &scene.asks);
            let told = |values: &[Value]| serde_json::to_string_pretty(values).expect("JSON");
            let where_ = format!("{}, step {}", scene.name, place - 49);
            assert_eq!(told(&frames), told(&step.frames), "{where_}: frames");
            assert_eq!(told(&moves), told(&step.moves), "{where_}: moves");
        }
    }
}

#[derive(Deserialize)]
struct CallVector {
    name: String,
    body: Option<Box<RawValue>>,
    text: Option<String>,
    draft: Option<Value>,
    reply: Option<Value>,
    status: Option<u16>,
    #[serde(default)]
    ends: Vec<EndVector>,
}

#[derive(Deserialize)]
struct EndVector {
    ended: Ended,
    reply: Value,
}

fn json_of(body: &Body) -> Value {
    match body {
        Body::Json(text) => {
            assert!(!text.contains('\n'), "a line of its own: {text}");
            serde_json::from_str(text).expect("a reply is JSON")
        }
        Body::Text(text) => panic!("{text} is no JSON"),
    }
}

/// What a call made of its body, as the vectors write it.
fn called(vector: &CallVector) -> (Value, Option<Draft>) {
    let body = body_of(vector);
    match agent::AskCall.read(body.as_bytes(), at(0)) {
        Called::Reply(reply) => (
            json!({"status": reply.status, "reply": json_of(&reply.body)}),
            None,
        ),
        Called::Ask { agent, draft } => (draft_json(agent.as_ref(), &draft), Some(*draft)),
    }
}

fn body_of(vector: &CallVector) -> String {
    match (&vector.body, &vector.text) {
        (Some(body), None) => body.get().to_owned(),
        (None, Some(text)) => text.clone(),
        (_, _) => panic!("{}: a body or a text", vector.name),
    }
}

const ASK: &str = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";

fn draft_json(agent: Option<&AgentName>, draft: &Draft) -> Value {
    json!({
        "agent": agent.map(AgentName::as_str),
        "title": draft.title,
        "conversation": draft.conversation.as_ref().map(ConversationName::as_str),
        "workspace": draft.workspace.as_ref().map(Workspace::as_str),
        "wire_id": draft.wire_id.as_ref().map(WireId::as_str),
        "key": draft.key.as_ref().map(AskKey::as_str),
        "timeout": draft.timeout.map(|timeout| timeout.as_secs()),
        "matter": match &draft.matter {
            Matter::Questions(questions) => questions.iter().map(question_json).collect(),
            Matter::Approval(action) => action_json(action),
            Matter::Form(form) => form_json(form),
        },
    })
}

fn question_json(question: &Question) -> Value {
    let choices: Value = question
        .choices
        .iter()
        .map(|choice| {
            assert!(!choice.recommended, "nothing in this language recommends");
            json!([choice.label, choice.description, choice.preview])
        })
        .collect();
    json!({
        "text": question.text, "tag": question.tag, "pick": format!("{:?}", question.pick),
        "choices": choices, "default": question.default,
        "free_text": question.free_text, "required": question.required,
    })
}

fn action_json(action: &Action) -> Value {
    let flags: Vec<&str> = action.flags.iter().map(|flag| flag.word()).collect();
    let act = match &action.act {
        Act::Shell { command } => json!({"shell": command}),
        Act::Edit { path, old, new } => json!({"edit": [path, old, new]}),
        Act::Write { path, content } => json!({"write": [path, content]}),
        Act::Other => json!("other"),
    };
    json!({
        "tool": action.tool, "input": action.input, "cwd": action.cwd, "reason": action.reason,
        "act": act, "risk": action.risk.level.word(), "flags": flags,
    })
}

fn form_json(form: &Form) -> Value {
    let fields: Value = form
        .fields()
        .iter()
        .map(|field| {
            json!([
                field.name,
                field.title,
                field.description,
                field.required,
                kind_json(&field.kind)
            ])
        })
        .collect();
    match form {
        Form::Fields { message, .. } => json!({"message": message, "fields": fields}),
        Form::Page { message, url } => json!({"message": message, "url": url}),
    }
}

fn kind_json(kind: &FieldKind) -> Value {
    let listed = |choices: &[FieldChoice]| -> Value {
        let pair = |choice: &FieldChoice| json!([choice.value, choice.title]);
        choices.iter().map(pair).collect()
    };
    let range = |range: &Range| {
        let text = |number: &Option<Number>| number.as_ref().map(|one| one.as_str().to_owned());
        json!([text(&range.min), text(&range.max), text(&range.default)])
    };
    match kind {
        FieldKind::Text {
            format,
            min_length,
            max_length,
            default,
        } => {
            json!({"text": [format.map(TextFormat::word), min_length, max_length, default]})
        }
        FieldKind::Number(numbers) => json!({"number": range(numbers)}),
        FieldKind::Integer(numbers) => json!({"integer": range(numbers)}),
        FieldKind::Boolean { default } => json!({"boolean": default}),
        FieldKind::OneOf { choices, default } => json!({"one_of": [listed(choices), default]}),
        FieldKind::ManyOf {
            choices,
            min_items,
            max_items,
            default,
        } => json!({"many_of": [listed(choices), min_items, max_items, default]}),
        FieldKind::Secret => json!("secret"),
    }
}

#[test]
fn the_cli_asks_and_is_answered_as_the_vectors_hold() {
    for vector in serde_json::from_str::<Vec<CallVector>>(CLI).expect("the vectors are JSON") {
        let (made, draft) = called(&vector);
        let Some(draft) = draft else {
            let wanted = json!({"status": vector.status, "reply": vector.reply});
            assert_eq!(made, wanted, "{}", vector.name);
            continue;
        };
        assert_eq!(Some(made), vector.draft, "{}", vector.name);
        let body = body_of(&vector);
        for (number, end) in vector.ends.iter().enumerate() {
            let view = view_of(ASK, draft.clone(), &[Scope::Once], Some(&end.ended));
            let reply = agent::AskCall.write(body.as_bytes(), &view);
            let wanted = (200, end.reply.clone());
            let got = (reply.status, json_of(&reply.body));
            assert_eq!(got, wanted, "{}, end {number}", vector.name);
        }
    }
}

const PRETTY: &str = "{\n  \"type\": \"control_request\",\n  \"request_id\": \"r-1\",\n  \"request\": {\"subtype\": \"can_use_tool\", \"tool_name\": \"Bash\",\r\n    \"input\": {\n      \"n\": 1.50,\n      \"command\": \"a\\nb\"\n    }}\n}";

#[test]
fn an_input_goes_back_number_for_number_on_one_line() {
    let asked = draft_from_control_request(PRETTY).expect("it is readable");
    let allowed = Ended::Allowed(SentAllow { input: None });
    let view = view_of(ASK, asked.draft, &[Scope::Once], Some(&allowed));
    assert_eq!(
        write_control_response(&view, "r-1"),
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r-1","response":{"behavior":"allow","updatedInput":{       "n": 1.50,       "command": "a\nb"     }}}}"#
    );
}

#[test]
fn a_front_end_gets_the_stored_input_byte_for_byte() {
    let asked = draft_from_control_request(PRETTY).expect("it is readable");
    let stored = "{\n      \"n\": 1.50,\n      \"command\": \"a\\nb\"\n    }";
    let view = view_of(ASK, asked.draft, &[Scope::Once], None);
    let mut frames = Vec::new();
    face(&BTreeMap::new()).tell(&PersonNews::Asked(&view), at(0), &mut frames);
    assert_eq!(frames.len(), 2);
    for frame in frames {
        assert!(frame.contains(&format!("\"input\":{stored}")), "{frame}");
    }
}

#[test]
fn an_input_that_nobody_can_run_is_an_error() {
    let asked = draft_from_control_request(PRETTY).expect("it is readable");
    let allowed = Ended::Allowed(SentAllow {
        input: Some("rm -rf".to_owned()),
    });
    let view = view_of(ASK, asked.draft.clone(), &[Scope::Once], Some(&allowed));
    assert_eq!(
        write_control_response(&view, "r-1"),
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r-1","error":"The allowed input is not a JSON object, so nothing can run."}}"#
    );
    let open = view_of(ASK, asked.draft, &[Scope::Once], None);
    assert_eq!(
        write_control_response(&open, "r-1"),
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r-1","error":"The question is still open."}}"#
    );
}

#[test]
fn an_ask_that_was_refused_is_told_in_the_clis_own_form() {
    let reply = agent::AskCall.refuse(PRETTY.as_bytes(), "Too many open asks.", 429);
    let told = json!({"type": "control_response", "response": {
        "subtype": "error", "request_id": "r-1", "error": "Too many open asks."}});
    assert_eq!((reply.status, json_of(&reply.body)), (429, told));
}

#[test]
fn two_asks_with_one_wire_id_are_told_apart() {
    let asked = draft_from_control_request(PRETTY).expect("it is readable");
    let ids = [ASK, "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3d"];
    let mut face = face(&BTreeMap::new());
    let decide = |id: &str| {
        json!({"type": "control_response", "request_id": id,
            "response": {"subtype": "success", "response": {"behavior": "allow"}}})
        .to_string()
    };
    let taken = |face: &mut dyn PersonFace, id: &str| -> Vec<Option<AskId>> {
        let mut moves = Vec::new();
        face.read(&decide(id), at(0), &mut moves);
        let ask = |made: &PersonMove| match made {
            PersonMove::Answer { ask, .. } => Some(*ask),
            _ => None,
        };
        moves.iter().map(ask).collect()
    };
    let mut frames = Vec::new();
    let views = ids.map(|id| view_of(id, asked.draft.clone(), &[Scope::Once], None));
    face.tell(&PersonNews::Asked(&views[0]), at(0), &mut frames);
    assert_eq!(taken(face.as_mut(), "r-1"), [Some(views[0].ask.id)]);
    face.tell(&PersonNews::Asked(&views[1]), at(0), &mut frames);
    assert_eq!(taken(face.as_mut(), "r-1"), [None], "it could be either");
    for view in &views {
        let id = view.ask.id;
        assert_eq!(taken(face.as_mut(), &id.to_string()), [Some(id)]);
    }
}

#[path = "vectors_beside_tests.rs"]
mod beside;
