//! The vectors replayed: each scene is one run, from its body to its end, and everything that comes
//! out is compared whole.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sayso_core::action::{Act, Action, Flag, Rated, Risk};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Choice, Look, Matter, Pick, Question};
use sayso_core::check::{check_answer, check_matter};
use sayso_core::digest::Shown;
use sayso_core::entry::{
    Entry, EntryKind, Message, MessageState, Note, NoteStatus, Said, Turn, TurnEnd,
};
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, MessageId,
    PersonName, Seq, TokenId, TokenName,
};
use sayso_core::outcome::{Closer, Closing, Delivery, Outcome, Seen};
use sayso_core::text::Number;
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{DIALECT, lasts, reading};
use crate::{
    Knobs, PersonHello, PersonMove, PersonNews, Problem, ProblemCode, Refused, Settled, StreamCall,
    StreamFace, Target,
};

const UPDATE: &str = "UPDATE_VECTORS";
const FILES: [&str; 4] = ["interrupts", "tool_calls", "talk", "bad"];
const RANDOM: &str = "0123456789abcdef0123456789abcdef";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskVector {
    id: u8,
    title: Option<String>,
    deadline_ms: Option<u64>,
    questions: Option<Vec<QuestionVector>>,
    action: Option<ActionVector>,
    form: Option<FormVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionVector {
    text: String,
    tag: Option<String>,
    #[serde(default)]
    many: bool,
    #[serde(default)]
    labels: Vec<(String, Option<String>)>,
    #[serde(default)]
    default: Vec<String>,
    #[serde(default)]
    closed: bool,
    #[serde(default)]
    required: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionVector {
    tool: String,
    input: String,
    #[serde(default)]
    high: bool,
    #[serde(default)]
    default_no: bool,
    #[serde(default)]
    once_only: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormVector {
    message: String,
    url: Option<String>,
    #[serde(default)]
    fields: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    asks: BTreeMap<String, AskVector>,
    scenes: Vec<Scene>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    name: String,
    form: Option<String>,
    run: Option<Value>,
    text: Option<String>,
    #[serde(default)]
    open: Vec<String>,
    /// Asks that are closed, with the label that was chosen.
    #[serde(default)]
    closed: BTreeMap<String, String>,
    #[serde(default)]
    turn: String,
    #[serde(default)]
    entries: Vec<EntryVector>,
    #[serde(default)]
    news: Vec<News>,
    /// What comes of it.
    out: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum EntryVector {
    Message(u64, String),
    Queued(u64, String),
    Said(u64, String),
    Note(u64, String, String),
    Ended(u64, String),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum News {
    Done,
    Asked(String),
    Closed(String, String),
    Entry(EntryVector),
    Saying(String),
    Turn(String, String),
    Refused(String),
    RefusedClosed(String, String),
    Elapsed,
}

fn conversation() -> Arc<Conversation> {
    Arc::new(Conversation {
        id: ConversationId(3),
        agent: AgentId(7),
        name: ConversationName::new("t1").unwrap(),
    })
}

fn question(vector: QuestionVector) -> Question {
    let choice = |(label, description)| Choice {
        label,
        description,
        ..Choice::default()
    };
    Question {
        text: vector.text,
        tag: vector.tag,
        pick: match (vector.labels.is_empty(), vector.many) {
            (true, _) => Pick::Text,
            (false, true) => Pick::Many,
            (false, false) => Pick::One,
        },
        choices: vector.labels.into_iter().map(choice).collect(),
        look: Look::List,
        default: vector.default,
        free_text: !vector.closed,
        required: vector.required,
    }
}

fn field((name, kind): (String, String)) -> Field {
    let choice = |value: &str| FieldChoice {
        value: value.to_owned(),
        title: Some(value.to_uppercase()),
    };
    let kind = match kind.as_str() {
        "email" => FieldKind::Text {
            format: Some(TextFormat::Email),
            min_length: None,
            max_length: Some(64),
            default: Some("a@b.example".to_owned()),
        },
        "port" => FieldKind::Integer(Range {
            min: Number::new("1"),
            max: Number::new("65535"),
            default: Number::new("8080"),
        }),
        "ratio" => FieldKind::Number(Range::default()),
        "boolean" => FieldKind::Boolean {
            default: Some(true),
        },
        "one_of" => FieldKind::OneOf {
            choices: vec![choice("a"), choice("b")],
            default: None,
        },
        "many_of" => FieldKind::ManyOf {
            choices: vec![choice("a"), choice("b")],
            min_items: Some(1),
            max_items: None,
            default: vec!["a".to_owned()],
        },
        "secret" => FieldKind::Secret,
        other => panic!("no such kind: {other}"),
    };
    Field {
        required: name == "port",
        title: None,
        description: Some(format!("The {name}")),
        name,
        kind,
    }
}

fn view(vector: AskVector) -> AskView {
    let mut scopes: &'static [Scope] = &[];
    let matter = match (vector.questions, vector.action, vector.form) {
        (Some(questions), None, None) => {
            Matter::Questions(questions.into_iter().map(question).collect())
        }
        (None, Some(action), None) => {
            scopes = if action.once_only {
                &[Scope::Once]
            } else {
                &Scope::ALL
            };
            Matter::Approval(Action {
                tool: action.tool,
                input: action.input,
                tool_schema: None,
                links: None,
                cwd: Some("/shop".to_owned()),
                reason: Some("tests pass".to_owned()),
                act: Act::Other,
                risk: rated(action.high),
                flags: if action.default_no {
                    vec![Flag::DefaultNo]
                } else {
                    Vec::new()
                },
            })
        }
        (None, None, Some(form)) => Matter::Form(match form.url {
            Some(url) => Form::Page {
                message: form.message,
                url,
            },
            None => Form::Fields {
                message: form.message,
                fields: form.fields.into_iter().map(field).collect(),
            },
        }),
        _ => panic!("one matter"),
    };
    check_matter(&matter).expect("a matter that makes sense");
    let agent = Arc::new(Agent {
        id: AgentId(7),
        token: TokenId(1),
        name: AgentName::new("coder").unwrap(),
        dialect: DialectName::new("native").unwrap(),
        beside: None,
    });
    let conversation = conversation();
    let (digest, shape) = Shown {
        agent: &agent.name,
        conversation: Some(&conversation.name),
        workspace: None,
        title: vector.title.as_deref(),
        matter: &matter,
    }
    .digest_and_shape();
    AskView {
        ask: Arc::new(Ask {
            id: AskId::from_bytes([vector.id; 16]),
            agent: agent.id,
            conversation: Some(conversation.id),
            workspace: None,
            wire_id: None,
            key: None,
            title: vector.title,
            matter,
            digest,
            shape,
            asked_at: Time::from_millis(0),
            deadline: vector.deadline_ms.map(Time::from_millis),
            stops: false,
        }),
        agent,
        connected: true,
        conversation: Some(conversation),
        closing: None,
        late: None,
        delivery: Delivery::Owed,
        scopes,
        prefill: None,
    }
}

/// The ask once it was answered with this label by somebody else.
fn closed(view: &AskView, label: &str) -> AskView {
    let reply = Reply {
        question: 0,
        labels: vec![label.to_owned()],
        ..Reply::default()
    };
    let closing = Closing {
        outcome: Outcome::Answered(Answer::Replies(vec![reply])),
        by: Closer::Person {
            person: PersonName::new("bob").unwrap(),
            device: TokenName::new("phone").unwrap(),
            seen: Seen::Digest,
        },
        at: Time::from_millis(5),
    };
    AskView {
        closing: Some(Arc::new(closing)),
        ..view.clone()
    }
}

fn turn(word: &str) -> Turn {
    match word {
        "" | "idle" => Turn::Idle,
        "running" => Turn::Running,
        "waiting" => Turn::Waiting,
        other => panic!("no such turn: {other}"),
    }
}

fn entry(vector: &EntryVector) -> Entry {
    let id = MessageId::from_bytes([9; 16]);
    let conversation = conversation();
    let message = |text: &str, state| EntryKind::Message {
        message: Arc::new(Message {
            id,
            conversation: conversation.id,
            person: PersonName::new("ann").unwrap(),
            device: TokenName::new("page").unwrap(),
            text: text.to_owned(),
        }),
        state,
    };
    let (seq, kind) = match vector {
        EntryVector::Message(seq, text) => (seq, message(text, MessageState::Sent)),
        EntryVector::Queued(seq, text) => (seq, message(text, MessageState::Queued)),
        EntryVector::Said(seq, text) => {
            let said = Said {
                id,
                conversation: conversation.id,
                text: text.clone(),
            };
            (seq, EntryKind::Said(Arc::new(said)))
        }
        EntryVector::Note(seq, tool, text) => {
            let note = Note {
                id,
                conversation: conversation.id,
                tool: tool.clone(),
                text: text.clone(),
                status: Some(NoteStatus::Running),
            };
            (seq, EntryKind::Note(Arc::new(note)))
        }
        EntryVector::Ended(seq, end) => {
            let end = match end.as_str() {
                "done" => TurnEnd::Done,
                "failed" => TurnEnd::Failed,
                "lost" => TurnEnd::Lost,
                "stopped" => TurnEnd::Stopped,
                other => panic!("no such end: {other}"),
            };
            (seq, EntryKind::TurnEnded(end))
        }
    };
    Entry {
        seq: Seq(*seq),
        at: Time::from_millis(0),
        conversation,
        kind,
    }
}

fn shown(value: &FieldValue) -> Value {
    match value {
        FieldValue::Text(text) => json!(text),
        FieldValue::Number(number) => json!({ "number": number.as_str() }),
        FieldValue::Boolean(yes) => json!(yes),
        FieldValue::Many(values) => json!(values),
        FieldValue::Secret(_) => panic!("no secret is taken here"),
    }
}

fn answer(answer: &Answer) -> Value {
    match answer {
        Answer::Replies(replies) => replies
            .iter()
            .map(|reply| json!([reply.question, reply.labels, reply.other]))
            .collect(),
        Answer::Verdict(Verdict {
            decision,
            scope,
            note,
        }) => match decision {
            Decision::Allow { edited_input } => {
                json!({"allow": scope.word(), "input": edited_input, "note": note})
            }
            Decision::Deny { .. } => json!({ "deny": note }),
        },
        Answer::Fields(fields) => fields
            .iter()
            .map(|(name, value)| json!([name, shown(value)]))
            .collect(),
    }
}

fn wish(wish: &PersonMove, asks: &BTreeMap<String, AskView>) -> Value {
    match wish {
        PersonMove::Settle(list) => {
            let one = |one: &crate::Settlement| {
                let (name, view) = asks
                    .iter()
                    .find(|(_, view)| view.ask.id == one.ask)
                    .unwrap();
                let how = match &one.how {
                    Settled::Answer(said) => {
                        let fits = check_answer(&view.ask.matter, view.scopes, said).is_ok();
                        json!({"answer": answer(said), "fits": fits})
                    }
                    Settled::Dismiss { note } => json!({ "dismiss": note }),
                };
                json!([name, how, one.seen.is_some()])
            };
            json!({ "settle": list.iter().map(one).collect::<Vec<_>>() })
        }
        PersonMove::Message { conversation, text } => {
            assert_eq!(*conversation, None);
            json!({ "message": text })
        }
        other => panic!("nothing asks for {other:?}"),
    }
}

fn frames(written: &[String]) -> Vec<Value> {
    let read = |frame: &String| serde_json::from_str(frame).unwrap();
    written.iter().map(read).collect()
}

fn tell(face: &mut dyn StreamFace, news: &PersonNews<'_>) -> Vec<Value> {
    let mut written = Vec::new();
    face.tell(news, Time::from_millis(0), &mut written);
    frames(&written)
}

fn news(face: &mut dyn StreamFace, told: &News, asks: &BTreeMap<String, AskView>) -> Vec<Value> {
    let ended = |name: &String, label: &String| closed(&asks[name], label);
    match told {
        News::Done => tell(face, &PersonNews::Done),
        News::Asked(name) => tell(face, &PersonNews::Asked(&asks[name])),
        News::Closed(name, label) => tell(face, &PersonNews::Closed(&ended(name, label))),
        News::Entry(vector) => tell(face, &PersonNews::Entry(&entry(vector))),
        News::Saying(text) => {
            let conversation = &conversation();
            let from = 0;
            let news = PersonNews::Saying {
                conversation,
                from,
                text,
            };
            tell(face, &news)
        }
        News::Turn(word, saying) => tell(
            face,
            &PersonNews::Turn {
                conversation: ConversationId(3),
                name: "t1",
                turn: turn(word),
                saying,
            },
        ),
        News::Refused(why) => tell(
            face,
            &PersonNews::Refused {
                reference: None,
                ask: None,
                why: Refused::Other(why),
                problem: &Problem::of(ProblemCode::Invalid),
            },
        ),
        News::RefusedClosed(name, label) => tell(
            face,
            &PersonNews::Refused {
                reference: None,
                ask: Some(asks[name].ask.id),
                why: Refused::AlreadyClosed(&ended(name, label)),
                problem: &Problem::of(ProblemCode::Invalid),
            },
        ),
        News::Elapsed => tell(face, &PersonNews::Elapsed),
    }
}

fn play(scene: &Scene, asks: &BTreeMap<String, AskView>) -> Value {
    let knobs = match &scene.form {
        Some(form) => Knobs::set(&DIALECT, [("form", form.as_str())]).unwrap(),
        None => Knobs::usual(&DIALECT),
    };
    let body = match (&scene.run, &scene.text) {
        (Some(run), None) => run.to_string(),
        (None, Some(text)) => text.clone(),
        _ => panic!("a run or a text"),
    };
    let read = reading::open(&StreamCall {
        agent: "coder",
        body: body.as_bytes(),
        hello: PersonHello {
            person: "ann",
            random: RANDOM,
            knobs: &knobs,
        },
    });
    let mut stream = match read {
        Ok(stream) => stream,
        Err(error) => return json!({ "unreadable": error.to_string() }),
    };
    let Target::OfAgent { agent, .. } = &stream.target else {
        panic!("it is about one agent: {:?}", stream.target);
    };
    assert_eq!(agent, "coder");
    let face = stream.face.as_mut();
    let open: Vec<AskView> = scene.open.iter().map(|name| asks[name].clone()).collect();
    let entries: Vec<Entry> = scene.entries.iter().map(entry).collect();
    let mut opened = tell(
        face,
        &PersonNews::Opened {
            conversation: Some(&conversation()),
            entries: &entries,
            turn: turn(&scene.turn),
            open: &open,
        },
    );
    let ended = scene
        .closed
        .iter()
        .map(|(name, label)| closed(&asks[name], label));
    let known: Vec<AskView> = open.iter().cloned().chain(ended).collect();
    let named: Vec<AskView> = known
        .into_iter()
        .filter(|view| stream.named.contains(&view.ask.id))
        .collect();
    let (mut moves, mut written) = (Vec::new(), Vec::new());
    face.wants(&named, Time::from_millis(0), &mut moves, &mut written);
    opened.extend(frames(&written));
    let moves: Vec<Value> = moves.iter().map(|made| wish(made, asks)).collect();
    let told: Vec<Value> = scene
        .news
        .iter()
        .map(|told| json!(news(face, told, asks)))
        .collect();
    json!({"opened": opened, "moves": moves, "told": told, "over": face.is_over()})
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "whether to write the vectors anew is said from outside"
)]
fn every_run_comes_out_as_its_vector_says() {
    let update = std::env::var_os(UPDATE).is_some();
    for name in FILES {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/agui/vectors/{name}.json"));
        let text = std::fs::read_to_string(&path).unwrap();
        let mut whole: Value = serde_json::from_str(&text).unwrap();
        let file: File = serde_json::from_str(&text).unwrap();
        assert!(!file.about.is_empty());
        let asks = file.asks.into_iter();
        let asks: BTreeMap<String, AskView> =
            asks.map(|(name, vector)| (name, view(vector))).collect();
        for (at, scene) in file.scenes.iter().enumerate() {
            let out = play(scene, &asks);
            if update {
                whole["scenes"][at]["out"] = out;
            } else {
                assert_eq!(Some(&out), scene.out.as_ref(), "{name}: {}", scene.name);
            }
        }
        if update {
            let text = serde_json::to_string_pretty(&whole).unwrap() + "\n";
            std::fs::write(&path, text).unwrap();
        }
    }
}

#[test]
fn the_questions_stand_in_the_schema_in_the_order_they_are_asked() {
    let question = |text: &str| QuestionVector {
        text: text.to_owned(),
        tag: None,
        many: false,
        labels: Vec::new(),
        default: Vec::new(),
        closed: false,
        required: false,
    };
    let view = view(AskVector {
        id: 1,
        title: None,
        deadline_ms: None,
        questions: Some(vec![question("Z?"), question("A?"), question("Z?")]),
        action: None,
        form: None,
    });
    let shown = serde_json::to_string(&super::map::interrupt(&view, "x").response_schema).unwrap();
    let places = ["\"Z?\"", "\"A?\"", "\"Z? (2)\""].map(|key| shown.find(key).unwrap());
    assert!(places.is_sorted(), "{shown}");
}

#[test]
fn a_run_lasts_as_long_as_is_set() {
    let set =
        |value| Knobs::set(&DIALECT, [("wait_s", value)]).map(|knobs| lasts(&knobs).as_secs());
    assert_eq!(lasts(&Knobs::usual(&DIALECT)).as_secs(), 55);
    assert_eq!(set("5"), Ok(5));
    for bad in ["0", "56", "-1", "1.5", ""] {
        assert!(set(bad).is_err(), "{bad}");
    }
}

/// Every value inside this one, by its path.
fn paths(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    let key = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Array(list) => {
            for (at, inner) in list.iter().enumerate() {
                paths(inner, &format!("{path}/{at}"), found);
            }
        }
        Value::Object(map) => {
            for (name, inner) in map {
                paths(inner, &format!("{path}/{}", key(name)), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What a client that checks events demands of a stream.
fn assert_in_order(out: &Value, what: &str) {
    let told = out["told"].as_array().into_iter().flatten();
    let frames: Vec<&Value> = out["opened"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(told.filter_map(Value::as_array).flatten())
        .collect();
    let kinds: Vec<&str> = frames
        .iter()
        .map(|frame| frame["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.first(), Some(&"RUN_STARTED"), "{what}");
    let ends = |kind: &&&str| ["RUN_FINISHED", "RUN_ERROR"].contains(kind);
    let ended = kinds.iter().filter(ends).count();
    assert_eq!(ended, usize::from(out["over"] == true), "{what}: {kinds:?}");
    if ended == 1 {
        assert!(kinds.last().iter().any(ends), "{what}: {kinds:?}");
    }
    let mut open: Option<&Value> = None;
    for frame in frames {
        match frame["type"].as_str().unwrap() {
            "TEXT_MESSAGE_START" => assert_eq!(open.replace(&frame["messageId"]), None, "{what}"),
            "TEXT_MESSAGE_CONTENT" => {
                assert_eq!(open, Some(&frame["messageId"]), "{what}");
                assert_ne!(frame["delta"], "", "{what}");
            }
            "TEXT_MESSAGE_END" => assert_eq!(open.take(), Some(&frame["messageId"]), "{what}"),
            "RUN_FINISHED" => assert_eq!(open, None, "{what}"),
            _ => {}
        }
    }
}

#[test]
fn whatever_stands_in_a_run_its_events_are_in_order_and_nothing_breaks() {
    let odd = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(""),
        json!("{\"answers\":[[[]]]}"),
        json!([]),
        json!([null]),
        json!({}),
        json!({"answers": {"answers": {"answers": {"answers": "{}"}}}}),
    ];
    let mut played = 0;
    for name in FILES {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/agui/vectors/{name}.json"));
        let file: File = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let asks = file.asks.into_iter();
        let asks: BTreeMap<String, AskView> =
            asks.map(|(name, vector)| (name, view(vector))).collect();
        for mut scene in file.scenes {
            let Some(run) = scene.run.clone() else {
                continue;
            };
            let mut places = Vec::new();
            paths(&run, "", &mut places);
            for place in places {
                for value in &odd {
                    let mut changed = run.clone();
                    *changed.pointer_mut(&place).unwrap() = value.clone();
                    scene.run = Some(changed);
                    let out = play(&scene, &asks);
                    let what = format!("{}: {value} at {place}", scene.name);
                    if out.get("unreadable").is_none() {
                        assert_in_order(&out, &what);
                    }
                    played += 1;
                }
            }
        }
    }
    assert!(played > 5_000, "{played}");
}

/// A level with a reason where it is high.
fn rated(high: bool) -> Rated {
    if !high {
        return Rated::hint(Risk::Medium);
    }
    Rated {
        reasons: vec!["deletes files".to_owned()],
        ..Rated::hint(Risk::High)
    }
}
