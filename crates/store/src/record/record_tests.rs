//! The bytes on disk, to the letter: whoever changes one of these breaks every journal there is.

use sayso_core::action::{Act, Action, Rated, Risk, Span};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Choice, Look, Matter, Pick, Question};
use sayso_core::digest::Digest;
use sayso_core::entry::{Message, Note, NoteStatus, Said, TurnEnd};
use sayso_core::form::{Field, FieldKind, Form, Range};
use sayso_core::id::{
    AgentId, AgentName, AskKey, ConversationId, ConversationName, DialectName, MessageId,
    PersonName, Place, RuleId, Seq, TokenId, TokenName, WireId, Workspace,
};
use sayso_core::journal::{DeliveryMark, ShownMark};
use sayso_core::outcome::{Closer, Closing, Delivery, Late, Outcome, Seen};
use sayso_core::policy::shell::Line;
use sayso_core::policy::{AppliesTo, Folder, Maker, Rule, Says, Subject};
use sayso_core::role::{Role, Token};
use sayso_core::text::Number;
use sayso_core::time::Time;

use super::*;

pub(super) const ASK: AskId = AskId::from_bytes([5; 16]);
pub(super) const SHA: &str =
    "sha256:0909090909090909090909090909090909090909090909090909090909090909";

fn written(event: &Event) -> (String, Vec<Secret>) {
    let mut body = Vec::new();
    let secrets = write(event, &mut body).unwrap();
    (String::from_utf8(body).unwrap(), secrets)
}

/// An ask about this matter, on disk.
pub(super) fn around(matter: &str) -> String {
    format!(
        r#"{{"agent":7,"conversation":3,"workspace":"/w","wire_id":"w1","key":"k1","title":"T","matter":{matter},"digest":"{SHA}","shape":"{SHA}","asked_at":1,"deadline":2}}"#
    )
}

/// Writes an event, compares the bytes, and reads them back.
pub(super) fn is_on_disk_as(event: &Event, text: &str) {
    let (body, secrets) = written(event);
    assert_eq!(body, text);
    let back = read(event.kind(), event.ask(), body.as_bytes(), &mut |gap| {
        secrets.get(gap).cloned()
    });
    assert_eq!(back.unwrap(), *event);
}

pub(super) fn ask(matter: Matter) -> Event {
    Event::Asked(Arc::new(Ask {
        id: ASK,
        agent: AgentId(7),
        conversation: Some(ConversationId(3)),
        workspace: Some(Workspace::new("/w").unwrap()),
        wire_id: Some(WireId::new("w1").unwrap()),
        key: Some(AskKey::new("k1").unwrap()),
        title: Some("T".to_owned()),
        matter,
        digest: Digest([9; 32]),
        shape: Digest([9; 32]),
        asked_at: Time::from_millis(1),
        deadline: Some(Time::from_millis(2)),
        stops: false,
    }))
}

pub(super) fn closed(outcome: Outcome, by: Closer) -> Event {
    let closing = Closing {
        outcome,
        by,
        at: Time::from_millis(4),
    };
    Event::Closed {
        ask: ASK,
        opened: Seq(3),
        closing: Arc::new(closing),
    }
}

pub(super) fn person(seen: Seen) -> Closer {
    Closer::Person {
        person: PersonName::new("Zoë").unwrap(),
        device: TokenName::new("phone").unwrap(),
        seen,
    }
}

#[test]
fn identities_are_written_so() {
    let epoch = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";
    is_on_disk_as(
        &Event::EpochBegan(Epoch(epoch.parse().unwrap())),
        &format!(r#"{{"epoch":"{epoch}"}}"#),
    );
    let token = |role| {
        Event::TokenMade(Token {
            id: TokenId(2),
            name: TokenName::new("n").unwrap(),
            role,
            hash: [9; 32],
            made_at: Time::from_millis(1),
            with: None,
        })
    };
    for (role, text) in [
        (Role::Agent, r#""agent""#),
        (
            Role::Person(PersonName::new("Zoë").unwrap()),
            r#"{"person":"Zoë"}"#,
        ),
        (Role::Admin, r#""admin""#),
    ] {
        let text = format!(r#"{{"token":2,"name":"n","role":{text},"hash":"{SHA}","made_at":1}}"#);
        is_on_disk_as(&token(role), &text);
    }
    is_on_disk_as(&Event::TokenRevoked(TokenId(2)), r#"{"token":2}"#);
    let agent = Agent {
        id: AgentId(7),
        token: TokenId(2),
        name: AgentName::new("a").unwrap(),
        dialect: DialectName::new("native").unwrap(),
        beside: None,
    };
    is_on_disk_as(
        &Event::AgentMet(agent),
        r#"{"agent":7,"token":2,"name":"a","dialect":"native"}"#,
    );
    let conversation = Conversation {
        id: ConversationId(3),
        agent: AgentId(7),
        name: ConversationName::new("c").unwrap(),
    };
    is_on_disk_as(
        &Event::ConversationBegan(conversation),
        r#"{"conversation":3,"agent":7,"name":"c"}"#,
    );
}

#[test]
fn asks_are_written_so() {
    let question = Question {
        text: "Q".to_owned(),
        tag: Some("t".to_owned()),
        pick: Pick::Many,
        choices: vec![
            Choice {
                label: "a".to_owned(),
                description: Some("d".to_owned()),
                preview: Some("p".to_owned()),
                recommended: true,
            },
            Choice {
                label: "b".to_owned(),
                ..Choice::default()
            },
        ],
        look: Look::Dropdown,
        default: vec!["a".to_owned()],
        free_text: true,
        required: false,
    };
    is_on_disk_as(
        &ask(Matter::Questions(vec![question])),
        &around(
            r#"{"questions":[{"text":"Q","tag":"t","pick":"many","choices":[{"label":"a","description":"d","preview":"p","recommended":true},{"label":"b"}],"look":"dropdown","default":["a"],"free_text":true,"required":false}]}"#,
        ),
    );
    let range = Range {
        min: Number::new("1.0"),
        max: None,
        default: None,
    };
    let field = |name: &str, kind| Field {
        name: name.to_owned(),
        title: None,
        description: None,
        kind,
        required: true,
    };
    let fields = vec![
        field("n", FieldKind::Number(range)),
        field("s", FieldKind::Secret),
    ];
    is_on_disk_as(
        &ask(Matter::Form(Form::Fields {
            message: "M".to_owned(),
            fields,
        })),
        &around(
            r#"{"form":{"fields":{"message":"M","fields":[{"name":"n","kind":{"number":{"min":"1.0"}},"required":true},{"name":"s","kind":"secret","required":true}]}}}"#,
        ),
    );
}

#[test]
fn a_risk_is_written_so_that_an_older_version_reads_what_it_has_a_word_for() {
    let rated = |level, reasons: &[&str], spans: &[(u32, u32, u32)]| Rated {
        level,
        reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
        spans: spans
            .iter()
            .map(|&(start, end, reason)| Span { start, end, reason })
            .collect(),
    };
    let action = |risk| Action {
        tool: "Bash".to_owned(),
        input: "{}".to_owned(),
        tool_schema: None,
        links: None,
        cwd: None,
        reason: None,
        act: Act::Other,
        risk,
        flags: Vec::new(),
    };
    for (risk, on_disk) in [
        (
            rated(Risk::Low, &["only reads"], &[]),
            r#""risk":"normal","low":true,"reasons":["only reads"]"#,
        ),
        (
            rated(Risk::Medium, &["a", "b"], &[(0, 2, 1)]),
            r#""risk":"normal","reasons":["a","b"],"spans":[[0,2,1]]"#,
        ),
        (
            rated(Risk::High, &["a"], &[]),
            r#""risk":"high","reasons":["a"]"#,
        ),
        // As the first version wrote it.
        (rated(Risk::Medium, &[], &[]), r#""risk":"normal""#),
        (rated(Risk::High, &[], &[]), r#""risk":"high""#),
    ] {
        is_on_disk_as(
            &ask(Matter::Approval(action(risk))),
            &around(&format!(
                r#"{{"approval":{{"tool":"Bash","input":"{{}}","act":"other",{on_disk}}}}}"#
            )),
        );
    }
}

#[test]
fn rules_are_written_so_that_no_older_version_takes_them_for_wider_ones() {
    let made = |subject: Subject| {
        Event::RuleMade(Arc::new(Rule {
            id: RuleId(1),
            version: 1,
            says: Says::Allow(subject),
            applies_to: AppliesTo::default(),
            expires: None,
            by: Maker::Person {
                person: PersonName::new("ann").unwrap(),
                device: TokenName::new("laptop").unwrap(),
            },
            made_at: Time::from_millis(1),
            note: None,
            shadow: false,
        }))
    };
    let on_disk = |subject: &str| {
        format!(
            r#"{{"rule":1,"version":1,"says":{{"allow":{subject}}},"reach":{{}},"by":{{"person":{{"person":"ann","device":"laptop"}}}},"made_at":1}}"#
        )
    };
    let preset = |folder, tool| Subject::Preset {
        name: "ls".to_owned(),
        revision: 1,
        folder,
        tool,
    };
    let command = |folder, tool| Subject::Command {
        line: Line::read("ls").unwrap(),
        folder,
        tool,
    };
    let here = || Folder::In("/w".to_owned());
    let bash = || Some("Bash".to_owned());
    // Without a folder, as the first version wrote it: such a rule of a person answers nothing now.
    let old = [
        (
            preset(Folder::Anywhere, None),
            r#"{"form":{"name":"ls","revision":1}}"#,
        ),
        (
            command(Folder::Anywhere, None),
            r#"{"command":{"line":[{"argv":["ls"]}]}}"#,
        ),
    ];
    for (subject, text) in old {
        let event = made(subject);
        is_on_disk_as(&event, &on_disk(text));
        let Event::RuleMade(rule) = event else {
            panic!("it is a rule");
        };
        assert!(rule.idle().is_some_and(|why| why.contains("folder")));
    }
    for (subject, text) in [
        (
            preset(here(), bash()),
            r#"{"preset":{"name":"ls","revision":1,"cwd":"/w","tool":"Bash"}}"#,
        ),
        (
            command(here(), bash()),
            r#"{"command":{"line":[{"argv":["ls"]}],"cwd":"/w","tool":"Bash"}}"#,
        ),
        (
            command(Folder::Untold, None),
            r#"{"untold":{"line":[{"argv":["ls"]}]}}"#,
        ),
    ] {
        is_on_disk_as(&made(subject), &on_disk(text));
    }
}

#[test]
fn ends_are_written_so() {
    let reply = Reply {
        question: 1,
        labels: vec!["a, b".to_owned()],
        other: Some("o".to_owned()),
        note: Some("n".to_owned()),
    };
    is_on_disk_as(
        &closed(
            Outcome::Answered(Answer::Replies(vec![reply])),
            person(Seen::Digest),
        ),
        r#"{"opened":3,"outcome":{"answered":{"replies":[{"question":1,"labels":["a, b"],"other":"o","note":"n"}]}},"by":{"person":{"person":"Zoë","device":"phone"}},"at":4}"#,
    );
    let verdict = Verdict {
        decision: Decision::Allow {
            edited_input: Some("{}".to_owned()),
        },
        scope: Scope::Always,
        note: None,
    };
    is_on_disk_as(
        &closed(
            Outcome::Answered(Answer::Verdict(verdict)),
            person(Seen::Unbound),
        ),
        r#"{"opened":3,"outcome":{"answered":{"verdict":{"allow":true,"edited_input":"{}","scope":"always"}}},"by":{"person":{"person":"Zoë","device":"phone","unbound":true}},"at":4}"#,
    );
    is_on_disk_as(
        &closed(Outcome::Expired, Closer::Clock),
        r#"{"opened":3,"outcome":"expired","by":"clock","at":4}"#,
    );
    is_on_disk_as(
        &closed(
            Outcome::Dismissed {
                note: None,
                stop: false,
            },
            Closer::Rule {
                rule: RuleId(4),
                version: 2,
                also: Vec::new(),
            },
        ),
        r#"{"opened":3,"outcome":{"dismissed":{}},"by":{"rule":{"rule":4,"version":2}},"at":4}"#,
    );
    is_on_disk_as(
        &closed(
            Outcome::Dismissed {
                note: None,
                stop: false,
            },
            Closer::Rule {
                rule: RuleId(4),
                version: 2,
                also: vec![RuleId(7)],
            },
        ),
        r#"{"opened":3,"outcome":{"dismissed":{}},"by":{"rule":{"rule":4,"version":2,"also":[7]}},"at":4}"#,
    );
    is_on_disk_as(
        &closed(
            Outcome::Withdrawn {
                note: Some("n".to_owned()),
            },
            Closer::Agent,
        ),
        r#"{"opened":3,"outcome":{"withdrawn":{"note":"n"}},"by":"agent","at":4}"#,
    );
    let late = Late {
        answer: Answer::Replies(Vec::new()),
        by: person(Seen::Digest),
        at: Time::from_millis(4),
    };
    is_on_disk_as(
        &Event::AnsweredLate {
            ask: ASK,
            opened: Seq(3),
            late: Arc::new(late),
        },
        r#"{"opened":3,"answer":{"replies":[]},"by":{"person":{"person":"Zoë","device":"phone"}},"at":4}"#,
    );
}

#[test]
fn marks_and_erasures_are_written_so() {
    let mark = DeliveryMark {
        ask: ASK,
        opened: Seq(3),
        delivery: Delivery::Confirmed,
        at: Time::from_millis(9),
    };
    is_on_disk_as(
        &Event::Delivered(vec![mark]),
        r#"[{"ask":"05050505-0505-0505-0505-050505050505","opened":3,"delivery":"confirmed","at":9}]"#,
    );
    let shown = ShownMark {
        ask: ASK,
        opened: Seq(3),
        device: TokenId(2),
        at: Time::from_millis(9),
    };
    is_on_disk_as(
        &Event::Shown(vec![shown]),
        r#"[{"ask":"05050505-0505-0505-0505-050505050505","opened":3,"device":2,"at":9}]"#,
    );
    let place = Place {
        opened: Seq(3),
        closed: Some(Seq(4)),
        late: None,
    };
    is_on_disk_as(
        &Event::Erased { ask: ASK, place },
        r#"{"opened":3,"closed":4}"#,
    );
}

#[test]
fn what_is_said_is_written_so() {
    let id = MessageId::from_bytes([6; 16]);
    let conversation = ConversationId(3);
    is_on_disk_as(
        &Event::Messaged(Arc::new(Message {
            id,
            conversation,
            person: PersonName::new("Zoë").unwrap(),
            device: TokenName::new("phone").unwrap(),
            text: "go \"on\"".to_owned(),
        })),
        r#"{"message":"06060606-0606-0606-0606-060606060606","conversation":3,"person":"Zoë","device":"phone","text":"go \"on\""}"#,
    );
    is_on_disk_as(
        &Event::Removed {
            message: id,
            conversation,
            opened: Seq(4),
            by: sayso_core::policy::Maker::Person {
                person: PersonName::new("Zoë").unwrap(),
                device: TokenName::new("phone").unwrap(),
            },
        },
        r#"{"message":"06060606-0606-0606-0606-060606060606","conversation":3,"opened":4,"by":{"person":{"person":"Zoë","device":"phone"}}}"#,
    );
    is_on_disk_as(
        &Event::Cleared {
            conversation,
            places: vec![Seq(4), Seq(9)],
        },
        r#"{"conversation":3,"places":[4,9]}"#,
    );
    is_on_disk_as(
        &Event::Handed {
            message: id,
            conversation,
            opened: Seq(3),
        },
        r#"{"message":"06060606-0606-0606-0606-060606060606","conversation":3,"opened":3}"#,
    );
    is_on_disk_as(
        &Event::Returned {
            message: id,
            conversation,
            opened: Seq(3),
        },
        r#"{"message":"06060606-0606-0606-0606-060606060606","conversation":3,"opened":3}"#,
    );
    is_on_disk_as(
        &Event::Said(Arc::new(Said {
            id,
            conversation,
            text: "done".to_owned(),
        })),
        r#"{"message":"06060606-0606-0606-0606-060606060606","conversation":3,"text":"done"}"#,
    );
    let note = |status| {
        Event::Noted(Arc::new(Note {
            id,
            conversation,
            tool: "Bash".to_owned(),
            text: "ls".to_owned(),
            status,
        }))
    };
    for (status, text) in [
        (None, ""),
        (Some(NoteStatus::Running), r#","status":"running""#),
        (Some(NoteStatus::Done), r#","status":"done""#),
        (Some(NoteStatus::Failed), r#","status":"failed""#),
    ] {
        let text = format!(
            r#"{{"message":"06060606-0606-0606-0606-060606060606","conversation":3,"tool":"Bash","text":"ls"{text}}}"#
        );
        is_on_disk_as(&note(status), &text);
    }
    for (end, text) in [
        (TurnEnd::Done, "done"),
        (TurnEnd::Failed, "failed"),
        (TurnEnd::Lost, "lost"),
        (TurnEnd::Stopped, "stopped"),
    ] {
        is_on_disk_as(
            &Event::TurnEnded { conversation, end },
            &format!(r#"{{"conversation":3,"end":"{text}"}}"#),
        );
    }
}

#[test]
fn a_secret_leaves_a_numbered_gap_and_nothing_else() {
    let secret = |text: &str| FieldValue::Secret(Some(Secret::new(text.to_owned())));
    let fields = vec![
        ("a".to_owned(), secret("hunter2")),
        ("b".to_owned(), FieldValue::Secret(None)),
        ("c".to_owned(), secret("correct horse")),
    ];
    let event = closed(Outcome::Answered(Answer::Fields(fields)), Closer::Agent);
    is_on_disk_as(
        &event,
        r#"{"opened":3,"outcome":{"answered":{"fields":[["a",{"secret":0}],["b",{"secret":null}],["c",{"secret":1}]]}},"by":"agent","at":4}"#,
    );
    let secrets: Vec<String> = written(&event)
        .1
        .iter()
        .map(|secret| secret.reveal().to_owned())
        .collect();
    assert_eq!(secrets, ["hunter2", "correct horse"]);
}

#[test]
fn a_field_that_a_later_version_adds_is_passed_over() {
    let text = br#"{"token":2,"reason":"lost"}"#;
    let event = read(Kind::TokenRevoked, None, text, &mut |_| None).unwrap();
    assert_eq!(event, Event::TokenRevoked(TokenId(2)));
}

#[test]
fn what_we_could_not_have_written_is_refused() {
    let cases: [(Kind, Option<AskId>, &str); 7] = [
        (Kind::EpochBegan, None, r#"{"epoch":"x"}"#),
        (Kind::TokenRevoked, None, "{}"),
        (
            Kind::TokenRevoked,
            None,
            r#"{"token":2} "#.trim_end_matches("} "),
        ),
        (Kind::Erased, None, r#"{"opened":3}"#),
        (
            Kind::Delivered,
            None,
            r#"[{"ask":"x","opened":3,"delivery":"sent","at":9}]"#,
        ),
        (
            Kind::Shown,
            None,
            r#"[{"ask":"x","opened":3,"device":2,"at":9}]"#,
        ),
        (
            Kind::AgentMet,
            None,
            r#"{"agent":7,"token":2,"name":"","dialect":"native"}"#,
        ),
    ];
    for (kind, ask, body) in cases {
        assert!(
            read(kind, ask, body.as_bytes(), &mut |_| None).is_err(),
            "{body}"
        );
    }
}
