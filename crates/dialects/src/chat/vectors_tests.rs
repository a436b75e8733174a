//! The vectors replayed: each scene is one connection, told news and sent frames step by step, and
//! what comes out is compared whole.

use std::collections::BTreeMap;
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
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range};
use sayso_core::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, MessageId,
    PersonName, Seq, TokenId, TokenName,
};
use sayso_core::outcome::{Closer, Closing, Delivery, Outcome, Seen};
use sayso_core::text::{Number, Secret};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::transcript::Messages;
use super::{DIALECT, exclusive, fresh, person, target};
use crate::{
    Body, Knobs, Moment, PersonHello, PersonMove, PersonNews, Problem, ProblemCode, Refused,
    Target, Transcript,
};

const ASKS: &str = include_str!("vectors/asks.json");
const SCENES: &[&str] = &[
    include_str!("vectors/document.json"),
    include_str!("vectors/answers.json"),
    include_str!("vectors/turns.json"),
    include_str!("vectors/bad.json"),
];
const TRANSCRIPT: &str = include_str!("vectors/transcript.json");
const RANDOM: &str = "0123456789abcdef0123456789abcdef";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskVector {
    id: u8,
    deadline_ms: Option<u64>,
    #[serde(default)]
    elsewhere: bool,
    #[serde(default)]
    no_scopes: bool,
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
    choices: Vec<ChoiceVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceVector {
    label: String,
    description: Option<String>,
    preview: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionVector {
    tool: String,
    input: String,
    /// How often the input is repeated.
    #[serde(default = "once")]
    times: usize,
    cwd: Option<String>,
    reason: Option<String>,
    #[serde(default)]
    high: bool,
    #[serde(default)]
    default_no: bool,
}

fn once() -> usize {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormVector {
    message: String,
    url: Option<String>,
    #[serde(default)]
    fields: Vec<FieldVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldVector {
    name: String,
    title: Option<String>,
    description: Option<String>,
    kind: String,
    #[serde(default)]
    values: Vec<(String, Option<String>)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeVector {
    Replies(Vec<(usize, Vec<String>, Option<String>)>),
    Allow,
    Deny { note: Option<String> },
    Fields(Vec<(String, Value)>),
    Expired,
    Dismissed,
    Withdrawn,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryVector {
    at: u64,
    #[serde(default)]
    elsewhere: bool,
    message: Option<String>,
    #[serde(default)]
    queued: bool,
    said: Option<String>,
    tool: Option<String>,
    note: Option<String>,
    status: Option<String>,
    ask: Option<String>,
    outcome: Option<OutcomeVector>,
    ended: Option<String>,
}

#[derive(Deserialize)]
struct Scene {
    name: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(default)]
    at: u64,
    news: Option<News>,
    /// A frame, exactly as it is written here.
    sent: Option<Box<RawValue>>,
    /// A frame that is no JSON.
    sent_text: Option<String>,
    #[serde(default)]
    frames: Vec<Value>,
    #[serde(default)]
    moves: Vec<Value>,
    /// Whether the answer among the moves is one that core refuses.
    #[serde(default)]
    unfit: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum News {
    Opened {
        #[serde(default)]
        fresh: bool,
        #[serde(default)]
        turn: String,
        #[serde(default)]
        entries: Vec<EntryVector>,
        #[serde(default)]
        open: Vec<String>,
    },
    Began,
    Asked(String),
    Closed(String, OutcomeVector),
    Entry(EntryVector),
    Saying(String),
    Turn(String, String),
    RefusedClosed(String, OutcomeVector),
    Refused(Option<String>, String),
    Taken,
}

fn conversation(elsewhere: bool) -> Arc<Conversation> {
    let (id, name) = if elsewhere {
        (4, "other")
    } else {
        (3, "user-42")
    };
    Arc::new(Conversation {
        id: ConversationId(id),
        agent: AgentId(7),
        name: ConversationName::new(name).expect("a name"),
    })
}

fn person_name() -> PersonName {
    PersonName::new("ann").expect("a name")
}

fn device() -> TokenName {
    TokenName::new("phone").expect("a name")
}

fn question(vector: QuestionVector) -> Question {
    let choice = |choice: ChoiceVector| Choice {
        label: choice.label,
        description: choice.description,
        preview: choice.preview,
        recommended: false,
    };
    Question {
        text: vector.text,
        tag: vector.tag,
        pick: match (vector.choices.is_empty(), vector.many) {
            (true, _) => Pick::Text,
            (false, true) => Pick::Many,
            (false, false) => Pick::One,
        },
        choices: vector.choices.into_iter().map(choice).collect(),
        look: Look::List,
        default: Vec::new(),
        free_text: true,
        required: false,
    }
}

fn field(vector: FieldVector) -> Field {
    let choice = |(value, title)| FieldChoice { value, title };
    let choices = vector.values.into_iter().map(choice).collect();
    Field {
        name: vector.name,
        title: vector.title,
        description: vector.description,
        kind: match vector.kind.as_str() {
            "text" => FieldKind::Text {
                format: None,
                min_length: None,
                max_length: None,
                default: None,
            },
            "integer" => FieldKind::Integer(Range::default()),
            "boolean" => FieldKind::Boolean { default: None },
            "one_of" => FieldKind::OneOf {
                choices,
                default: None,
            },
            "many_of" => FieldKind::ManyOf {
                choices,
                min_items: None,
                max_items: None,
                default: Vec::new(),
            },
            "secret" => FieldKind::Secret,
            other => panic!("no kind {other}"),
        },
        required: false,
    }
}

fn matter(vector: &mut AskVector) -> Matter {
    if let Some(questions) = vector.questions.take() {
        return Matter::Questions(questions.into_iter().map(question).collect());
    }
    if let Some(action) = vector.action.take() {
        return Matter::Approval(Action {
            tool: action.tool,
            input: action.input.repeat(action.times),
            tool_schema: None,
            links: None,
            cwd: action.cwd,
            reason: action.reason,
            act: Act::Other,
            risk: rated(action.high),
            flags: if action.default_no {
                vec![Flag::DefaultNo]
            } else {
                Vec::new()
            },
        });
    }
    let form = vector.form.take().expect("an ask has a matter");
    Matter::Form(match form.url {
        Some(url) => Form::Page {
            message: form.message,
            url,
        },
        None => Form::Fields {
            message: form.message,
            fields: form.fields.into_iter().map(field).collect(),
        },
    })
}

fn view(mut vector: AskVector) -> AskView {
    let matter = matter(&mut vector);
    check_matter(&matter).expect("the ask makes sense");
    let agent = Agent {
        id: AgentId(7),
        token: TokenId(1),
        name: AgentName::new("coder").expect("a name"),
        dialect: DialectName::new("native").expect("a name"),
        beside: None,
    };
    let conversation = conversation(vector.elsewhere);
    let (digest, shape) = Shown {
        agent: &agent.name,
        conversation: Some(&conversation.name),
        workspace: None,
        title: None,
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
            title: None,
            matter,
            digest,
            shape,
            asked_at: Time::from_millis(0),
            deadline: vector.deadline_ms.map(Time::from_millis),
            stops: false,
        }),
        agent: Arc::new(agent),
        connected: true,
        conversation: Some(conversation),
        closing: None,
        late: None,
        delivery: Delivery::Owed,
        scopes: if vector.no_scopes {
            &[]
        } else {
            &[Scope::Once]
        },
        prefill: None,
    }
}

type Asks = BTreeMap<String, AskView>;

fn asks() -> Asks {
    serde_json::from_str::<BTreeMap<String, AskVector>>(ASKS)
        .expect("the vectors are JSON")
        .into_iter()
        .map(|(name, vector)| (name, view(vector)))
        .collect()
}

fn outcome(vector: OutcomeVector) -> Outcome {
    let verdict = |decision, note| {
        Outcome::Answered(Answer::Verdict(Verdict {
            decision,
            scope: Scope::Once,
            note,
        }))
    };
    let value = |value: Value| match value {
        Value::String(text) => FieldValue::Text(text),
        Value::Bool(value) => FieldValue::Boolean(value),
        Value::Number(number) => {
            FieldValue::Number(Number::new(&number.to_string()).expect("a number"))
        }
        Value::Array(values) => FieldValue::Many(
            values
                .iter()
                .map(|value| value.as_str().expect("a text").to_owned())
                .collect(),
        ),
        Value::Null | Value::Object(_) => {
            FieldValue::Secret(Some(Secret::new("hunter2".to_owned())))
        }
    };
    match vector {
        OutcomeVector::Replies(replies) => {
            let reply = |(question, labels, other)| Reply {
                question,
                labels,
                other,
                note: None,
            };
            Outcome::Answered(Answer::Replies(replies.into_iter().map(reply).collect()))
        }
        OutcomeVector::Allow => verdict(Decision::Allow { edited_input: None }, None),
        OutcomeVector::Deny { note } => verdict(Decision::Deny { stop: false }, note),
        OutcomeVector::Fields(fields) => Outcome::Answered(Answer::Fields(
            fields
                .into_iter()
                .map(|(name, given)| (name, value(given)))
                .collect(),
        )),
        OutcomeVector::Expired => Outcome::Expired,
        OutcomeVector::Dismissed => Outcome::Dismissed {
            note: None,
            stop: false,
        },
        OutcomeVector::Withdrawn => Outcome::Withdrawn { note: None },
    }
}

fn closed(view: &AskView, vector: OutcomeVector) -> AskView {
    AskView {
        closing: Some(Arc::new(Closing {
            outcome: outcome(vector),
            by: Closer::Person {
                person: person_name(),
                device: device(),
                seen: Seen::Unbound,
            },
            at: Time::from_millis(1),
        })),
        ..view.clone()
    }
}

fn entry(asks: &Asks, vector: EntryVector) -> Entry {
    let conversation = conversation(vector.elsewhere);
    let (id, place) = (MessageId::from_bytes([1; 16]), conversation.id);
    let kind = if let Some(text) = vector.message {
        EntryKind::Message {
            message: Arc::new(Message {
                id,
                conversation: place,
                person: person_name(),
                device: device(),
                text,
            }),
            state: if vector.queued {
                MessageState::Queued
            } else {
                MessageState::Sent
            },
        }
    } else if let Some(text) = vector.said {
        EntryKind::Said(Arc::new(Said {
            id,
            conversation: place,
            text,
        }))
    } else if let Some(text) = vector.note {
        EntryKind::Note(Arc::new(Note {
            id,
            conversation: place,
            tool: vector.tool.expect("a tool"),
            text,
            status: vector
                .status
                .map(|word| NoteStatus::from_word(&word).expect("a status")),
        }))
    } else if let Some(name) = vector.ask {
        let view = &asks[&name];
        EntryKind::Ask(match vector.outcome {
            Some(outcome) => closed(view, outcome),
            None => view.clone(),
        })
    } else {
        EntryKind::TurnEnded(match vector.ended.as_deref() {
            Some("done") => TurnEnd::Done,
            Some("failed") => TurnEnd::Failed,
            Some("lost") => TurnEnd::Lost,
            Some("stopped") => TurnEnd::Stopped,
            other => panic!("no end {other:?}"),
        })
    };
    Entry {
        seq: Seq(1),
        at: Time::from_millis(vector.at),
        conversation,
        kind,
    }
}

fn turn(word: &str) -> Turn {
    match word {
        "" | "idle" => Turn::Idle,
        "running" => Turn::Running,
        "waiting" => Turn::Waiting,
        other => panic!("no turn {other}"),
    }
}

/// Gives each news to `tell` as the server would.
fn told(asks: &Asks, news: News, mut tell: impl FnMut(&PersonNews<'_>)) {
    let own = conversation(false);
    match news {
        News::Opened {
            fresh,
            turn: word,
            entries,
            open,
        } => {
            let entries: Vec<Entry> = entries.into_iter().map(|one| entry(asks, one)).collect();
            let open: Vec<AskView> = open.iter().map(|name| asks[name].clone()).collect();
            tell(&PersonNews::Opened {
                conversation: (!fresh).then_some(&own),
                entries: &entries,
                turn: turn(&word),
                open: &open,
            });
        }
        News::Began => tell(&PersonNews::Began(&own)),
        News::Asked(name) => tell(&PersonNews::Asked(&asks[&name])),
        News::Closed(name, outcome) => tell(&PersonNews::Closed(&closed(&asks[&name], outcome))),
        News::Entry(vector) => tell(&PersonNews::Entry(&entry(asks, vector))),
        News::Saying(text) => tell(&PersonNews::Saying {
            conversation: &own,
            from: 0,
            text: &text,
        }),
        News::Turn(word, saying) => tell(&PersonNews::Turn {
            conversation: own.id,
            name: "user-42",
            turn: turn(&word),
            saying: &saying,
        }),
        News::RefusedClosed(name, outcome) => {
            let view = closed(&asks[&name], outcome);
            tell(&PersonNews::Refused {
                reference: None,
                ask: Some(view.ask.id),
                why: Refused::AlreadyClosed(&view),
                problem: &Problem::of(ProblemCode::Invalid),
            });
        }
        News::Refused(name, why) => tell(&PersonNews::Refused {
            reference: None,
            ask: name.map(|name| asks[&name].ask.id),
            why: Refused::Other(&why),
            problem: &Problem::of(ProblemCode::Invalid),
        }),
        News::Taken => tell(&PersonNews::Taken),
    }
}

fn answer_value(answer: &Answer) -> Value {
    match answer {
        Answer::Replies(replies) => replies
            .iter()
            .map(|reply| json!([reply.question, reply.labels, reply.other]))
            .collect(),
        Answer::Verdict(verdict) => json!({
            "allow": match &verdict.decision {
                Decision::Allow { edited_input: None } => true,
                Decision::Allow { edited_input: Some(_) } => panic!("nothing edits here"),
                Decision::Deny { .. } => false,
            },
            "scope": verdict.scope.word(),
            "note": verdict.note,
        }),
        Answer::Fields(fields) => fields
            .iter()
            .map(|(name, value)| match value {
                FieldValue::Text(text) => json!([name, text]),
                FieldValue::Number(number) => json!([name, { "number": number.as_str() }]),
                FieldValue::Boolean(value) => json!([name, value]),
                FieldValue::Many(values) => json!([name, values]),
                FieldValue::Secret(_) => panic!("no secret comes in here"),
            })
            .collect(),
    }
}

fn move_value(asks: &Asks, made: &PersonMove) -> Value {
    let name = |id: &AskId| {
        let found = asks.iter().find(|(_, view)| view.ask.id == *id);
        found.expect("a known ask").0.clone()
    };
    match made {
        PersonMove::Answer { ask, answer, .. } => {
            json!({ "answer": name(ask), "is": answer_value(answer) })
        }
        PersonMove::Dismiss { ask, note, .. } => json!({ "dismiss": name(ask), "note": note }),
        PersonMove::Message { conversation, text } => {
            json!({ "message": text, "conversation": conversation })
        }
        PersonMove::Reply(frame) => {
            json!({ "reply": serde_json::from_str::<Value>(frame).expect("a frame is JSON") })
        }
        PersonMove::Close(why) => json!({ "close": why }),
        PersonMove::Unknown(name) => json!({ "unknown": name }),
        PersonMove::Ref(_)
        | PersonMove::Wrong(_)
        | PersonMove::LookAt { .. }
        | PersonMove::Control(_)
        | PersonMove::Settle(_) => {
            panic!("nothing asks for {made:?}")
        }
    }
}

#[test]
fn scenes_go_as_written() {
    let asks = asks();
    let knobs = Knobs::usual(&DIALECT);
    for scene in SCENES
        .iter()
        .flat_map(|text| serde_json::from_str::<Vec<Scene>>(text).expect("the vectors are JSON"))
    {
        let mut face = person::face(&PersonHello {
            person: "ann",
            random: RANDOM,
            knobs: &knobs,
        });
        for (index, step) in scene.steps.into_iter().enumerate() {
            let now = Time::from_millis(step.at);
            let (mut frames, mut moves) = (Vec::new(), Vec::new());
            if let Some(news) = step.news {
                told(&asks, news, |news| face.tell(news, now, &mut frames));
            }
            let sent = step.sent.map(|raw| raw.get().to_owned());
            if let Some(frame) = sent.or(step.sent_text) {
                face.read(&frame, now, &mut moves);
            }
            let frames: Vec<Value> = frames
                .iter()
                .map(|frame| serde_json::from_str(frame).expect("a frame is JSON"))
                .collect();
            for made in &moves {
                if let PersonMove::Answer { ask, answer, .. } = made {
                    let view = asks.values().find(|view| view.ask.id == *ask);
                    let view = view.expect("a known ask");
                    let fits = check_answer(&view.ask.matter, view.scopes, answer).is_ok();
                    assert_eq!(fits, !step.unfit, "{}, step {index}", scene.name);
                }
            }
            let moves: Vec<Value> = moves.iter().map(|made| move_value(&asks, made)).collect();
            assert_eq!(
                (json!(frames), json!(moves)),
                (json!(step.frames), json!(step.moves)),
                "{}, step {index}",
                scene.name
            );
        }
    }
}

#[derive(Deserialize)]
struct TranscriptVector {
    entries: Vec<EntryVector>,
    page: Value,
}

fn json_of(body: &Body) -> Value {
    match body {
        Body::Json(text) => serde_json::from_str(text).expect("the body is JSON"),
        Body::Text(text) => panic!("no JSON: {text}"),
    }
}

#[test]
fn a_transcript_has_everything_that_was_said_and_no_secret() {
    let asks = asks();
    let vector: TranscriptVector = serde_json::from_str(TRANSCRIPT).expect("the vectors are JSON");
    let entries: Vec<Entry> = vector
        .entries
        .into_iter()
        .map(|one| entry(&asks, one))
        .collect();
    let page = Messages.write(&conversation(false), &entries);
    assert_eq!((page.status, json_of(&page.body)), (200, vector.page));
}

#[test]
fn an_unknown_conversation_is_named_and_an_impossible_one_refused() {
    let told = |id: &str| {
        let reply = Messages.unknown(id);
        (reply.status, json_of(&reply.body))
    };
    assert_eq!(
        told("session-123"),
        (404, json!({ "detail": "Session session-123 not found" }))
    );
    let impossible = json!({
        "detail": "Invalid session ID: it must have 1 to 256 bytes and no control characters"
    });
    assert_eq!(told("a\nb"), (400, impossible.clone()));
    assert_eq!(told(&"x".repeat(257)), (400, impossible));
}

#[test]
fn a_fresh_name_opens_a_new_conversation() {
    let reply = fresh(&Moment {
        now: Time::from_millis(0),
        random: RANDOM,
    });
    assert_eq!(
        (reply.status, json_of(&reply.body)),
        (
            200,
            json!({
                "session_id": "conn_0123456789abcdef",
                "created_at": "1970-01-01T00:00:00.000Z"
            })
        )
    );
    assert_eq!(target("conn_0123456789abcdef"), Target::New);
    assert_eq!(target("new"), Target::New);
    assert_eq!(target("cv_3"), Target::Named("cv_3".to_owned()));
}

#[test]
fn a_conversation_is_exclusive_unless_it_is_shared() {
    let set = |value| Knobs::set(&DIALECT, [("shared", value)]);
    assert!(exclusive(&Knobs::usual(&DIALECT)));
    assert!(exclusive(&set("false").expect("it will do")));
    assert!(!exclusive(&set("true").expect("it will do")));
    assert_eq!(
        set("yes"),
        Err("`shared` of the dialect chat must be true or false".to_owned())
    );
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
