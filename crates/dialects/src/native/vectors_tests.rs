//! The vectors replayed: what goes in comes out, and what is bad is told so exactly.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::action::{Rated, Span};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::{Answer, Scope};
use sayso_core::ask::{Ask, Matter};
use sayso_core::check::{Violation, check_answer, check_draft, settle_fields};
use sayso_core::digest::{Digest, Shown};
use sayso_core::entry::{Entry, EntryKind, Message, MessageState, Note, NoteStatus, Said, TurnEnd};
use sayso_core::id::{AgentName, ConversationName, DialectName, PersonName, TokenId, TokenName};
use sayso_core::journal::DeliveryMark;
use sayso_core::outcome::{Closer, Closing, Late, Outcome, Seen};
use sayso_core::view::{AskView, Prefill, Viewer};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::map::{answer_from_wire, draft_from_wire};
use super::wire::{self, AgentEvent, AgentFrame, DeviceFrame, FeedEvent, Problem};
use super::write::{self, AskEvent};
use super::{ReadError, read};
use crate::envelope::{Heard, text_under};

const ASKS: &str = include_str!("vectors/asks.json");
const DRAFTS: &str = include_str!("vectors/drafts.json");
const FRAMES: &str = include_str!("vectors/frames.json");
const PROBLEMS: &str = include_str!("vectors/problems.json");
const BAD: &str = include_str!("vectors/bad.json");
const ZERO: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// The same JSON without white space; every other byte stays.
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

fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("wire types are serialisable")
}

#[derive(Deserialize)]
struct AskVector {
    name: String,
    ask: Box<RawValue>,
    told: Option<Box<RawValue>>,
}

fn answer(sent: wire::Answer, matter: &Matter) -> Answer {
    let mut request = wire::AnswerRequest {
        digest: ZERO.to_owned(),
        replies: None,
        verdict: None,
        fields: None,
        rule: None,
    };
    match sent {
        wire::Answer::Replies(replies) => request.replies = Some(replies),
        wire::Answer::Verdict(verdict) => request.verdict = Some(verdict),
        wire::Answer::Fields(fields) => request.fields = Some(fields),
    }
    let request: wire::AnswerRequest =
        read(written(&request).as_bytes()).expect("an answer of ours is readable");
    let (_, mut answer) = answer_from_wire(request).expect("an answer of ours has a meaning");
    if let Matter::Form(form) = matter {
        answer = settle_fields(form, answer);
    }
    check_answer(matter, &[Scope::Once], &answer).expect("an answer of ours fits");
    answer
}

fn closer(by: &wire::By) -> Closer {
    match (&by.person, &by.device, &by.rule, &by.agent) {
        (Some(person), Some(device), None, None) => Closer::Person {
            person: PersonName::new(person.as_str()).expect("a name"),
            device: TokenName::new(device.as_str()).expect("a name"),
            seen: Seen::Digest,
        },
        (None, None, Some(rule), None) => Closer::Rule {
            rule: rule.parse().expect("an id"),
            version: by.version.expect("a version"),
            also: Vec::new(),
        },
        (None, None, None, Some(_)) => Closer::Agent,
        _ => Closer::Clock,
    }
}

fn closing(outcome: wire::Outcome, matter: &Matter) -> Closing {
    let by = closer(&outcome.by);
    let at = outcome.at.0;
    let outcome = match outcome.kind {
        wire::OutcomeKind::Answered => {
            Outcome::Answered(answer(outcome.answer.expect("an answer"), matter))
        }
        wire::OutcomeKind::Dismissed => Outcome::Dismissed {
            note: outcome.note,
            stop: outcome.stop,
        },
        wire::OutcomeKind::Expired => Outcome::Expired,
        wire::OutcomeKind::Withdrawn => Outcome::Withdrawn { note: outcome.note },
    };
    Closing { outcome, by, at }
}

/// What an agent would have sent to get this ask.
fn sent(ask: &wire::Ask) -> wire::NewAsk {
    let question = |question: wire::Question| wire::NewQuestion {
        text: question.text,
        tag: question.tag,
        pick: Some(question.pick),
        choices: question.choices,
        look: question.look,
        default: question.default,
        free_text: question.free_text,
        required: question.required,
    };
    wire::NewAsk {
        matter: ask.matter,
        title: ask.title.clone(),
        questions: ask
            .questions
            .clone()
            .map(|list| list.into_iter().map(question).collect()),
        action: ask.action.clone().map(|action| wire::NewAction {
            tool: action.tool,
            input: action.input,
            tool_schema: action.tool_schema,
            links: action.links,
            cwd: action.cwd,
            reason: action.reason,
            act: Some(action.act),
            risk: Some(action.risk),
            flags: action.flags,
        }),
        form: ask.form.clone(),
        conversation: ask
            .conversation
            .clone()
            .map(|conversation| conversation.name),
        workspace: ask.workspace.clone(),
        wire_id: ask.wire_id.clone(),
        timeout_s: ask
            .deadline
            .map(|deadline| deadline.0.since(ask.asked_at.0).as_secs()),
        stop: ask.stop,
        agent: Some(ask.agent.name.clone()),
    }
}

/// What the server said of an action.
fn rated(action: &wire::Action) -> Rated {
    let span = |span: &wire::Span| Span {
        start: span.start,
        end: span.end,
        reason: span.reason,
    };
    Rated {
        level: action.risk.into(),
        reasons: action.reasons.clone(),
        spans: action.spans.iter().map(span).collect(),
    }
}

fn replay(vector: &AskVector) -> AskView {
    let shown: wire::Ask = serde_json::from_str(vector.ask.get()).expect("an ask vector is an ask");
    let new: wire::NewAsk =
        read(written(&sent(&shown)).as_bytes()).expect("an ask of ours is readable");
    let (mut draft, name) = draft_from_wire(new, None).expect("an ask of ours has a meaning");
    if let (Matter::Approval(action), Some(shown)) = (&mut draft.matter, &shown.action) {
        action.risk = rated(shown);
    }
    check_draft(&draft).expect("an ask of ours makes sense");
    let name: AgentName = name.expect("the vector names its agent");
    let (digest, shape) = Shown::of(&name, &draft).digest_and_shape();
    let agent = Agent {
        id: shown.agent.id.parse().expect("an id"),
        token: TokenId(1),
        name,
        dialect: DialectName::new(shown.agent.dialect.as_str()).expect("a name"),
        beside: None,
    };
    let conversation = shown.conversation.as_ref().map(|conversation| {
        Arc::new(Conversation {
            id: conversation.id.parse().expect("an id"),
            agent: agent.id,
            name: ConversationName::new(conversation.name.as_str()).expect("a name"),
        })
    });
    let outcome = vector
        .told
        .as_ref()
        .map(|told| serde_json::from_str(told.get()).expect("an outcome"))
        .or_else(|| shown.outcome.clone());
    let asked_at = shown.asked_at.0;
    let matter = draft.matter.clone();
    AskView {
        connected: shown.agent.connected,
        closing: outcome.map(|outcome| Arc::new(closing(outcome, &draft.matter))),
        late: shown.late.clone().map(|late| {
            Arc::new(Late {
                answer: answer(late.answer, &draft.matter),
                by: closer(&late.by),
                at: late.at.0,
            })
        }),
        delivery: shown.delivery.into(),
        scopes: if shown.scopes.is_empty() {
            &[]
        } else {
            &[Scope::Once]
        },
        ask: Arc::new(Ask {
            id: shown.id.parse().expect("an id"),
            agent: agent.id,
            conversation: conversation.as_ref().map(|conversation| conversation.id),
            workspace: draft.workspace,
            wire_id: draft.wire_id,
            key: None,
            title: draft.title,
            matter: draft.matter,
            digest,
            shape,
            asked_at,
            deadline: draft
                .timeout
                .map(|timeout: Duration| asked_at.after(timeout)),
            stops: draft.stops,
        }),
        agent: Arc::new(agent),
        conversation,
        prefill: shown.prefill.clone().map(|prefill| {
            let late = Late {
                answer: answer(prefill.answer, &matter),
                by: closer(&prefill.by),
                at: prefill.at.0,
            };
            Arc::new(Prefill {
                ask: prefill.ask.parse().expect("an id"),
                late: Arc::new(late),
            })
        }),
    }
}

fn asks() -> Vec<AskVector> {
    serde_json::from_str(ASKS).expect("the vectors are JSON")
}

/// Every ask of the vectors, as a view.
pub(super) fn views() -> Vec<AskView> {
    asks().iter().map(replay).collect()
}

/// What is written for this viewer, as the types read it.
pub(super) fn ask_to_wire(view: &AskView, viewer: Viewer) -> wire::Ask {
    super::map::ask_to_wire(view, viewer).expect("it reads back")
}

#[test]
fn asks_come_out_as_they_went_in() {
    for vector in asks() {
        let view = replay(&vector);
        let shown = ask_to_wire(&view, Viewer::Anybody);
        assert_eq!(written(&shown), tight(vector.ask.get()), "{}", vector.name);
        if let Some(told) = &vector.told {
            let outcome = ask_to_wire(&view, Viewer::Asker).outcome;
            assert_eq!(written(&outcome), tight(told.get()), "{}", vector.name);
        }
    }
}

#[test]
fn the_fast_way_out_writes_the_same() {
    let text = |out: Vec<u8>| String::from_utf8(out).expect("JSON is UTF-8");
    for view in views() {
        for viewer in [Viewer::Asker, Viewer::Anybody] {
            let mut out = Vec::new();
            write::write_ask(&view, viewer, &mut out);
            assert_eq!(text(out), written(&ask_to_wire(&view, viewer)));
        }
        let (seq, at) = (sayso_core::id::Seq(7), view.ask.asked_at);
        for (event, make) in [
            (AskEvent::Asked, FeedEvent::Asked as fn(_) -> _),
            (AskEvent::Closed, FeedEvent::Closed),
        ] {
            let mut out = Vec::new();
            write::write_ask_event(event, seq, at, &view, &mut out);
            let ask = ask_to_wire(&view, Viewer::Anybody);
            assert_eq!(
                text(out),
                written(&make(Box::new(wire::AskChange {
                    seq: 7,
                    at: wire::WireTime(at),
                    ask
                })))
            );
        }
        let mut out = Vec::new();
        let mark = DeliveryMark {
            ask: view.ask.id,
            opened: seq,
            delivery: view.delivery,
            at,
        };
        write::write_delivery_event(seq, at, &[mark, mark], &mut out);
        let delivered = wire::Delivered {
            id: view.ask.id.to_string(),
            delivery: view.delivery.into(),
            at: wire::WireTime(at),
        };
        let change = wire::DeliveryChange {
            seq: 7,
            at: wire::WireTime(at),
            asks: vec![delivered.clone(), delivered],
        };
        assert_eq!(text(out), written(&FeedEvent::Delivery(change)));
        for reference in [None, Some("r \"1\"")] {
            let mut out = Vec::new();
            write::write_done(reference, &view, &mut out);
            let done = wire::Done {
                reference: reference.map(str::to_owned),
                ask: ask_to_wire(&view, Viewer::Anybody),
            };
            assert_eq!(text(out), written(&FeedEvent::Done(Box::new(done))));
            let mut out = Vec::new();
            write::write_asked(reference, view.ask.id, view.ask.digest, &mut out);
            let asked = wire::AskedEvent {
                reference: reference.map(str::to_owned),
                id: view.ask.id.to_string(),
                digest: view.ask.digest.to_string(),
            };
            assert_eq!(text(out), written(&AgentEvent::Asked(asked)));
        }
        if let Some(closing) = &view.closing {
            let mut out = Vec::new();
            write::write_outcome_event(
                view.ask.id,
                view.ask.wire_id.as_ref(),
                closing,
                view.late.as_deref(),
                &view.agent,
                &mut out,
            );
            let asked = ask_to_wire(&view, Viewer::Asker);
            let event = wire::OutcomeEvent {
                id: view.ask.id.to_string(),
                wire_id: view.ask.wire_id.as_ref().map(ToString::to_string),
                outcome: asked.outcome.expect("it is closed"),
                late: asked.late,
            };
            assert_eq!(text(out), written(&AgentEvent::Outcome(Box::new(event))));
        }
    }
}

#[test]
fn a_secret_reaches_nobody_but_the_asker() {
    let mut found = 0;
    for view in views() {
        let mut out = Vec::new();
        write::write_ask(&view, Viewer::Anybody, &mut out);
        write::write_ask_event(
            AskEvent::Closed,
            sayso_core::id::Seq(1),
            view.ask.asked_at,
            &view,
            &mut out,
        );
        write::write_done(None, &view, &mut out);
        let shown = String::from_utf8(out).expect("JSON is UTF-8") + &format!("{view:?}");
        assert!(!shown.contains("hunter2"));
        let mut out = Vec::new();
        write::write_ask(&view, Viewer::Asker, &mut out);
        found += usize::from(
            String::from_utf8(out)
                .expect("JSON is UTF-8")
                .contains("hunter2"),
        );
    }
    assert_eq!(found, 1);
}

#[derive(Deserialize)]
struct DraftVector {
    name: String,
    sent: Box<RawValue>,
    questions: Option<Box<RawValue>>,
    action: Option<Box<RawValue>>,
    form: Option<Box<RawValue>>,
}

#[test]
fn drafts_get_the_usual_values() {
    let template = views().remove(0);
    for vector in serde_json::from_str::<Vec<DraftVector>>(DRAFTS).expect("the vectors are JSON") {
        let new = read(vector.sent.get().as_bytes())
            .unwrap_or_else(|error| panic!("{}: {error}", vector.name));
        let (draft, agent) = draft_from_wire(new, None).expect("it has a meaning");
        assert_eq!(
            (agent, check_draft(&draft)),
            (None, Ok(())),
            "{}",
            vector.name
        );
        let ask = Ask {
            matter: draft.matter,
            ..(*template.ask).clone()
        };
        let shown = ask_to_wire(
            &AskView {
                ask: Arc::new(ask),
                ..template.clone()
            },
            Viewer::Anybody,
        );
        let out = (
            shown.questions.as_ref().map(written),
            shown.action.as_ref().map(written),
            shown.form.as_ref().map(written),
        );
        let wanted = |raw: Option<Box<RawValue>>| raw.map(|raw| tight(raw.get()));
        assert_eq!(
            out,
            (
                wanted(vector.questions),
                wanted(vector.action),
                wanted(vector.form)
            ),
            "{}",
            vector.name
        );
    }
}

#[derive(Deserialize)]
struct FrameVectors {
    agent: Vec<Box<RawValue>>,
    agent_events: Vec<Box<RawValue>>,
    feed_events: Vec<Box<RawValue>>,
    device: Vec<Box<RawValue>>,
}

fn frames<T: serde::Serialize>(
    vectors: &[Box<RawValue>],
    read: impl Fn(&[u8]) -> Result<Heard<T>, ReadError>,
) {
    for vector in vectors {
        match read(vector.get().as_bytes()) {
            Ok(Heard::Known(frame)) => assert_eq!(written(&frame), tight(vector.get())),
            Ok(Heard::Unknown(name)) => panic!("{name} is not known"),
            Err(error) => panic!("{error}: {vector}"),
        }
    }
}

#[test]
fn frames_come_out_as_they_went_in() {
    let vectors: FrameVectors = serde_json::from_str(FRAMES).expect("the vectors are JSON");
    frames(&vectors.agent, AgentFrame::read);
    frames(&vectors.agent_events, AgentEvent::read);
    frames(&vectors.feed_events, FeedEvent::read);
    frames(&vectors.device, DeviceFrame::read);
}

#[test]
fn the_name_of_a_frame_may_stand_anywhere() {
    let frame = AgentFrame::read(br#"{"id":"x","\u0064o":"confirm"}"#).expect("it is readable");
    assert_eq!(
        frame,
        Heard::Known(AgentFrame::Confirm(wire::ConfirmFrame {
            reference: None,
            id: "x".to_owned()
        }))
    );
    let later = AgentFrame::read(br#"{"what":[{}],"do":"dance","id":7}"#).expect("it is readable");
    assert_eq!(later, Heard::Unknown("dance".to_owned()));
}

#[test]
fn a_newer_server_may_say_more() {
    let frame = AgentEvent::read(br#"{"event":"asked","id":"x","digest":"d","new":[1]}"#)
        .expect("it is readable");
    assert_eq!(
        frame,
        Heard::Known(AgentEvent::Asked(wire::AskedEvent {
            reference: None,
            id: "x".to_owned(),
            digest: "d".to_owned()
        }))
    );
    assert_eq!(
        FeedEvent::read(br#"{"event":"parade","seq":1}"#),
        Ok(Heard::Unknown("parade".to_owned()))
    );
}

#[test]
fn the_reference_of_a_broken_frame_is_found() {
    assert_eq!(
        text_under(br#"{"do":"ask","ref":"7","ask":7}"#, "ref"),
        Some("7".to_owned())
    );
    assert_eq!(text_under(br#"{"do":"ask","ref":7}"#, "ref"), None);
    assert_eq!(text_under(b"{", "ref"), None);
}

#[test]
fn problems_come_out_as_they_went_in() {
    let vectors: Vec<Box<RawValue>> = serde_json::from_str(PROBLEMS).expect("the vectors are JSON");
    assert_eq!(vectors.len(), wire::ProblemCode::ALL.len());
    for (vector, code) in vectors.iter().zip(wire::ProblemCode::ALL) {
        let problem: Problem = serde_json::from_str(vector.get()).expect("a problem");
        assert_eq!(written(&problem), tight(vector.get()));
        let plain = Problem {
            detail: None,
            kept: None,
            violations: Vec::new(),
            ..problem
        };
        assert_eq!(plain, Problem::of(code));
    }
}

#[derive(Deserialize)]
struct BadVector {
    name: String,
    #[serde(rename = "as")]
    kind: String,
    text: String,
    #[serde(default)]
    bad_json: bool,
    #[serde(default)]
    violations: Vec<wire::Violation>,
}

fn refusal(kind: &str, text: &str) -> Option<ReadError> {
    let invalid = |violations: Vec<Violation>| ReadError::Invalid { violations };
    let bytes = text.as_bytes();
    match kind {
        "new_ask" => read(bytes)
            .and_then(|new| draft_from_wire(new, None).map_err(invalid))
            .err(),
        "answer" => read(bytes)
            .and_then(|sent| answer_from_wire(sent).map_err(invalid))
            .err(),
        "agent_frame" => AgentFrame::read(bytes).err(),
        "device_frame" => DeviceFrame::read(bytes).err(),
        other => panic!("{other} is no kind of input"),
    }
}

#[test]
fn bad_input_is_told_exactly_what_is_wrong() {
    for vector in serde_json::from_str::<Vec<BadVector>>(BAD).expect("the vectors are JSON") {
        let refused = refusal(&vector.kind, &vector.text);
        match refused.unwrap_or_else(|| panic!("{} was taken", vector.name)) {
            ReadError::BadJson { detail } => assert!(vector.bad_json, "{}: {detail}", vector.name),
            ReadError::Invalid { violations } => {
                let found: Vec<_> = violations
                    .into_iter()
                    .map(|violation| wire::Violation {
                        path: violation.path,
                        message: violation.message,
                    })
                    .collect();
                assert_eq!(found, vector.violations, "{}", vector.name);
            }
        }
    }
}

#[test]
fn a_depth_bomb_is_refused_before_it_is_parsed() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [65, 100_000] {
            let bomb = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let text = format!("{{\"matter\":{bomb}}}");
            assert_eq!(
                refusal("new_ask", &text),
                Some(ReadError::BadJson {
                    detail: "nested deeper than 64 levels".to_owned()
                })
            );
            assert!(matches!(
                refusal("agent_frame", &bomb),
                Some(ReadError::BadJson { .. })
            ));
            assert!(matches!(
                refusal("new_ask", &open.repeat(depth)),
                Some(ReadError::BadJson { .. })
            ));
        }
    }
    let brackets = "[{".repeat(500);
    let text =
        format!("{{\"matter\":\"questions\",\"questions\":[{{\"text\":\"{brackets}\\\"\"}}]}}");
    assert_eq!(
        refusal("new_ask", &text),
        None,
        "brackets in a text are no depth"
    );
}

#[test]
fn bytes_that_are_no_text_are_no_json() {
    let refused = read::<wire::NewAsk>(b"{\"matter\":\"\xff\"}");
    assert_eq!(
        refused,
        Err(ReadError::BadJson {
            detail: "byte 11 is not UTF-8".to_owned()
        })
    );
}

#[test]
fn a_digest_is_one_of_ours() {
    assert_eq!(super::map::digest_from_wire(ZERO), Ok(Digest([0; 32])));
}

#[test]
fn entries_are_shown_with_what_belongs_to_them() {
    let view = views().remove(0);
    let id = sayso_core::id::MessageId::from_bytes(*view.ask.id.bytes());
    let conversation = Arc::new(Conversation {
        id: sayso_core::id::ConversationId(3),
        agent: view.agent.id,
        name: ConversationName::new("user-42").expect("a name"),
    });
    let asked = written(&ask_to_wire(&view, Viewer::Anybody));
    let cases = [
        (
            EntryKind::Message {
                message: Arc::new(Message {
                    id,
                    conversation: conversation.id,
                    person: PersonName::new("ann").expect("a name"),
                    device: TokenName::new("phone").expect("a name"),
                    text: "go on".to_owned(),
                }),
                state: MessageState::Queued,
            },
            format!(
                r#""kind":"message","id":"{id}","person":"ann","device":"phone","state":"queued","text":"go on""#
            ),
        ),
        (
            EntryKind::Said(Arc::new(Said {
                id,
                conversation: conversation.id,
                text: "done".to_owned(),
            })),
            format!(r#""kind":"said","id":"{id}","text":"done""#),
        ),
        (
            EntryKind::Note(Arc::new(Note {
                id,
                conversation: conversation.id,
                tool: "Bash".to_owned(),
                text: "ls".to_owned(),
                status: Some(NoteStatus::Failed),
            })),
            format!(r#""kind":"note","id":"{id}","tool":"Bash","text":"ls","status":"failed""#),
        ),
        (
            EntryKind::Ask(view),
            format!(r#""kind":"ask","ask":{asked}"#),
        ),
        (
            EntryKind::TurnEnded(TurnEnd::Lost),
            r#""kind":"turn_ended","end":"lost""#.to_owned(),
        ),
    ];
    for (kind, rest) in cases {
        let entry = Entry {
            seq: sayso_core::id::Seq(7),
            at: sayso_core::time::Time::default(),
            conversation: Arc::clone(&conversation),
            kind,
        };
        assert_eq!(
            written(&super::map::entry_to_wire(&entry)),
            format!(r#"{{"seq":7,"at":"1970-01-01T00:00:00.000Z","conversation":"cv_3",{rest}}}"#)
        );
    }
}
