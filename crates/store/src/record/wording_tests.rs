//! Every field and word of a body that `record_tests` does not come by, to the letter.

use sayso_core::action::{Act, Action, Flag, Links, Rated, Risk, Span};
use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::ask::{Choice, Look, Matter, Pick, Question};
use sayso_core::digest::Digest;
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::id::{
    AgentId, ConversationId, DialectName, MessageId, PersonName, Place, RuleId, Seq, TokenId,
    TokenName, Workspace,
};
use sayso_core::journal::DeliveryMark;
use sayso_core::outcome::{Closer, Delivery, Late, Outcome, Seen};
use sayso_core::policy::shell::{Joint, Line, Part};
use sayso_core::policy::{
    AppliesTo, AskMode, Folder, Level, Maker, Must, PathMust, Predicate, Rule, Says, Subject,
};
use sayso_core::role::{Role, Token};
use sayso_core::text::Number;
use sayso_core::time::Time;

use super::tests::{ASK, SHA, around, ask, closed, is_on_disk_as, person};
use super::*;

fn text(text: &str) -> String {
    text.to_owned()
}

#[test]
fn the_words_of_a_question_are_written_so() {
    let picks = [
        (Pick::One, "one"),
        (Pick::Many, "many"),
        (Pick::Text, "text"),
    ];
    let looks = [
        (Look::List, "list"),
        (Look::Buttons, "buttons"),
        (Look::Dropdown, "dropdown"),
    ];
    for (pick, picked) in picks {
        for (look, looked) in looks {
            let question = Question {
                look,
                ..Question::new("Q \"q\"\n", pick, vec![Choice::new("a")])
            };
            is_on_disk_as(
                &ask(Matter::Questions(vec![question])),
                &around(&format!(
                    r#"{{"questions":[{{"text":"Q \"q\"\n","pick":"{picked}","choices":[{{"label":"a"}}],"look":"{looked}","free_text":true,"required":false}}]}}"#
                )),
            );
        }
    }
    let Event::Asked(plain) = ask(Matter::Questions(Vec::new())) else {
        panic!("it is an ask");
    };
    let mut plain = Arc::unwrap_or_clone(plain);
    plain.conversation = None;
    plain.workspace = None;
    plain.wire_id = None;
    plain.key = None;
    plain.title = None;
    plain.deadline = None;
    plain.stops = true;
    is_on_disk_as(
        &Event::Asked(Arc::new(plain)),
        &format!(
            r#"{{"agent":7,"matter":{{"questions":[]}},"digest":"{SHA}","shape":"{SHA}","asked_at":1,"stops":true}}"#
        ),
    );
}

#[test]
fn actions_are_written_so() {
    let acts = [
        (
            Act::Shell {
                command: text("ls \"x\""),
            },
            r#"{"shell":{"command":"ls \"x\""}}"#,
        ),
        (
            Act::Edit {
                path: text("/f"),
                old: text("o"),
                new: text("n"),
            },
            r#"{"edit":{"path":"/f","old":"o","new":"n"}}"#,
        ),
        (
            Act::Write {
                path: text("/f"),
                content: text("c"),
            },
            r#"{"write":{"path":"/f","content":"c"}}"#,
        ),
        (Act::Other, r#""other""#),
    ];
    for (act, on_disk) in acts {
        let action = Action {
            tool: text("T"),
            input: text("{}"),
            tool_schema: Some(Digest([9; 32])),
            links: Some(Box::new(Links {
                escapes: vec![text("/l")],
            })),
            cwd: Some(text("/w")),
            reason: Some(text("r")),
            act,
            risk: Rated {
                level: Risk::Low,
                reasons: vec![text("only reads")],
                spans: vec![Span {
                    start: 0,
                    end: 2,
                    reason: 0,
                }],
            },
            flags: Flag::ALL.to_vec(),
        };
        is_on_disk_as(
            &ask(Matter::Approval(action)),
            &around(&format!(
                r#"{{"approval":{{"tool":"T","input":"{{}}","tool_schema":"{SHA}","links":{{"escapes":["/l"]}},"cwd":"/w","reason":"r","act":{on_disk},"risk":"normal","low":true,"reasons":["only reads"],"spans":[[0,2,0]],"flags":["default_no","no_always","needs_person"]}}}}"#
            )),
        );
    }
    let followed = Action {
        links: Some(Box::default()),
        ..Action::new("T", "{}", Act::Other)
    };
    is_on_disk_as(
        &ask(Matter::Approval(followed)),
        &around(
            r#"{"approval":{"tool":"T","input":"{}","links":{},"act":"other","risk":"normal","low":true}}"#,
        ),
    );
}

fn field_kinds() -> Vec<(FieldKind, String)> {
    let choices = || {
        vec![
            FieldChoice {
                value: text("a"),
                title: Some(text("A")),
            },
            FieldChoice {
                value: text("b"),
                title: None,
            },
        ]
    };
    let mut kinds = vec![
        (
            FieldKind::Text {
                format: None,
                min_length: Some(1),
                max_length: Some(9),
                default: Some(text("d")),
            },
            text(r#"{"text":{"min_length":1,"max_length":9,"default":"d"}}"#),
        ),
        (
            FieldKind::Integer(Range {
                min: Number::new("-1"),
                max: Number::new("2"),
                default: Number::new("0"),
            }),
            text(r#"{"integer":{"min":"-1","max":"2","default":"0"}}"#),
        ),
        (
            FieldKind::Number(Range::default()),
            text(r#"{"number":{}}"#),
        ),
        (
            FieldKind::Boolean {
                default: Some(true),
            },
            text(r#"{"boolean":{"default":true}}"#),
        ),
        (
            FieldKind::Boolean { default: None },
            text(r#"{"boolean":{}}"#),
        ),
        (
            FieldKind::OneOf {
                choices: choices(),
                default: Some(text("a")),
            },
            text(
                r#"{"one_of":{"choices":[{"value":"a","title":"A"},{"value":"b"}],"default":"a"}}"#,
            ),
        ),
        (
            FieldKind::ManyOf {
                choices: choices(),
                min_items: Some(1),
                max_items: Some(2),
                default: vec![text("a")],
            },
            text(
                r#"{"many_of":{"choices":[{"value":"a","title":"A"},{"value":"b"}],"min_items":1,"max_items":2,"default":["a"]}}"#,
            ),
        ),
        (
            FieldKind::ManyOf {
                choices: Vec::new(),
                min_items: None,
                max_items: None,
                default: Vec::new(),
            },
            text(r#"{"many_of":{"choices":[]}}"#),
        ),
    ];
    for (format, word) in [
        (TextFormat::Email, "email"),
        (TextFormat::Uri, "uri"),
        (TextFormat::Date, "date"),
        (TextFormat::DateTime, "date_time"),
    ] {
        let kind = FieldKind::Text {
            format: Some(format),
            min_length: None,
            max_length: None,
            default: None,
        };
        kinds.push((kind, format!(r#"{{"text":{{"format":"{word}"}}}}"#)));
    }
    kinds
}

#[test]
fn forms_are_written_so() {
    for (kind, on_disk) in field_kinds() {
        let field = Field {
            name: text("n"),
            title: Some(text("T")),
            description: Some(text("D")),
            kind,
            required: false,
        };
        let form = Form::Fields {
            message: text("M"),
            fields: vec![field],
        };
        is_on_disk_as(
            &ask(Matter::Form(form)),
            &around(&format!(
                r#"{{"form":{{"fields":{{"message":"M","fields":[{{"name":"n","title":"T","description":"D","kind":{on_disk},"required":false}}]}}}}}}"#
            )),
        );
    }
    let page = Form::Page {
        message: text("M"),
        url: text("https://x"),
    };
    is_on_disk_as(
        &ask(Matter::Form(page)),
        &around(r#"{"form":{"page":{"message":"M","url":"https://x"}}}"#),
    );
}

#[test]
fn verdicts_and_values_are_written_so() {
    let by = r#""by":{"person":{"person":"Zoë","device":"phone"}},"at":4"#;
    for (scope, word) in [
        (Scope::Once, "once"),
        (Scope::Conversation, "conversation"),
        (Scope::Always, "always"),
    ] {
        for (decision, allow, stop) in [
            (Decision::Allow { edited_input: None }, true, ""),
            (Decision::Deny { stop: false }, false, ""),
            (Decision::Deny { stop: true }, false, r#","stop":true"#),
        ] {
            let verdict = Verdict {
                decision,
                scope,
                note: Some(text("n")),
            };
            is_on_disk_as(
                &closed(
                    Outcome::Answered(Answer::Verdict(verdict)),
                    person(Seen::Digest),
                ),
                &format!(
                    r#"{{"opened":3,"outcome":{{"answered":{{"verdict":{{"allow":{allow},"scope":"{word}","note":"n"{stop}}}}}}},{by}}}"#
                ),
            );
        }
    }
    let number = Number::new("1.50").unwrap();
    let fields = vec![
        (text("t"), FieldValue::Text(text("x\ny"))),
        (text("n"), FieldValue::Number(number)),
        (text("b"), FieldValue::Boolean(true)),
        (text("m"), FieldValue::Many(vec![text("a"), text("b")])),
        (
            text("s"),
            FieldValue::Secret(Some(Secret::new(text("pst")))),
        ),
    ];
    let late = Late {
        answer: Answer::Fields(fields),
        by: person(Seen::Digest),
        at: Time::from_millis(4),
    };
    is_on_disk_as(
        &Event::AnsweredLate {
            ask: ASK,
            opened: Seq(3),
            late: Arc::new(late),
        },
        &format!(
            r#"{{"opened":3,"answer":{{"fields":[["t",{{"text":"x\ny"}}],["n",{{"number":"1.50"}}],["b",{{"boolean":true}}],["m",{{"many":["a","b"]}}],["s",{{"secret":0}}]]}},{by}}}"#
        ),
    );
    is_on_disk_as(
        &closed(
            Outcome::Answered(Answer::Replies(vec![Reply::default()])),
            person(Seen::Digest),
        ),
        &format!(
            r#"{{"opened":3,"outcome":{{"answered":{{"replies":[{{"question":0}}]}}}},{by}}}"#
        ),
    );
    is_on_disk_as(
        &closed(
            Outcome::Dismissed {
                note: Some(text("n")),
                stop: true,
            },
            person(Seen::Digest),
        ),
        &format!(r#"{{"opened":3,"outcome":{{"dismissed":{{"note":"n","stop":true}}}},{by}}}"#),
    );
    is_on_disk_as(
        &closed(Outcome::Withdrawn { note: None }, Closer::Clock),
        r#"{"opened":3,"outcome":{"withdrawn":{}},"by":"clock","at":4}"#,
    );
}

#[test]
fn a_secret_that_was_erased_is_read_as_absent() {
    let body = br#"{"opened":3,"outcome":{"answered":{"fields":[["a",{"secret":0}]]}},"by":"agent","at":4}"#;
    let event = read(Kind::Closed, Some(ASK), body, &mut |_| None).unwrap();
    let fields = vec![(text("a"), FieldValue::Secret(None))];
    assert_eq!(
        event,
        closed(Outcome::Answered(Answer::Fields(fields)), Closer::Agent)
    );
}

#[test]
fn tokens_marks_and_places_are_written_so() {
    let token = Token {
        id: TokenId(2),
        name: TokenName::new("n").unwrap(),
        role: Role::Agent,
        hash: [9; 32],
        made_at: Time::from_millis(1),
        with: Some(TokenId(1)),
    };
    is_on_disk_as(
        &Event::TokenMade(token),
        &format!(r#"{{"token":2,"name":"n","role":"agent","hash":"{SHA}","made_at":1,"with":1}}"#),
    );
    for (delivery, word) in [
        (Delivery::Owed, "owed"),
        (Delivery::Sent, "sent"),
        (Delivery::Confirmed, "confirmed"),
    ] {
        let mark = DeliveryMark {
            ask: ASK,
            opened: Seq(3),
            delivery,
            at: Time::from_millis(9),
        };
        is_on_disk_as(
            &Event::Delivered(vec![mark, mark]),
            &format!(
                r#"[{{"ask":"{ASK}","opened":3,"delivery":"{word}","at":9}},{{"ask":"{ASK}","opened":3,"delivery":"{word}","at":9}}]"#
            ),
        );
    }
    let place = Place {
        opened: Seq(3),
        closed: None,
        late: Some(Seq(5)),
    };
    is_on_disk_as(
        &Event::Erased { ask: ASK, place },
        r#"{"opened":3,"late":5}"#,
    );
    let removed = Event::Removed {
        message: MessageId::from_bytes([6; 16]),
        conversation: ConversationId(3),
        opened: Seq(4),
        by: Maker::Admin(TokenName::new("root").unwrap()),
    };
    is_on_disk_as(
        &removed,
        r#"{"message":"06060606-0606-0606-0606-060606060606","conversation":3,"opened":4,"by":{"admin":{"token":"root"}}}"#,
    );
}

fn made(says: Says, shadow: bool) -> Event {
    Event::RuleMade(Arc::new(Rule {
        id: RuleId(1),
        version: 2,
        says,
        applies_to: AppliesTo {
            agent: Some(AgentId(7)),
            conversation: Some(ConversationId(3)),
            workspace: Some(Workspace::new("/w").unwrap()),
            dialect: Some(DialectName::new("native").unwrap()),
            links: true,
        },
        expires: Some(Time::from_millis(8)),
        by: Maker::Person {
            person: PersonName::new("ann").unwrap(),
            device: TokenName::new("laptop").unwrap(),
        },
        made_at: Time::from_millis(1),
        note: Some(text("n")),
        shadow,
    }))
}

/// Compares what a rule says with what is on disk, in force and as a shadow.
fn says_so(says: &Says, on_disk: &str) {
    let around = |says: &str| {
        format!(
            r#"{{"rule":1,"version":2,"says":{says},"reach":{{"agent":7,"conversation":3,"workspace":"/w","dialect":"native","links":true}},"expires":8,"by":{{"person":{{"person":"ann","device":"laptop"}}}},"made_at":1,"note":"n"}}"#
        )
    };
    is_on_disk_as(&made(says.clone(), false), &around(on_disk));
    let shadow = around(&format!(r#"{{"shadow":{on_disk}}}"#));
    is_on_disk_as(&made(says.clone(), true), &shadow);
}

#[test]
fn what_a_rule_says_is_written_so() {
    for (level, word) in [
        (Level::Deny, "deny"),
        (Level::Ask, "ask"),
        (Level::AllowList, "allow-list"),
        (Level::Full, "full"),
    ] {
        for (mode, when) in [
            (AskMode::Always, "always"),
            (AskMode::OnMiss, "on-miss"),
            (AskMode::Off, "off"),
        ] {
            says_so(
                &Says::Level { level, mode },
                &format!(r#"{{"level":{{"level":"{word}","mode":"{when}"}}}}"#),
            );
        }
    }
    let joints = [
        Joint::First,
        Joint::Then,
        Joint::And,
        Joint::Or,
        Joint::Pipe,
    ];
    let part = |joint| Part {
        joint,
        argv: vec![text("ls"), text("a b")],
    };
    let line = Line {
        parts: joints.into_iter().map(part).collect(),
    };
    says_so(
        &Says::Deny(Subject::Command {
            line,
            folder: Folder::Anywhere,
            tool: None,
        }),
        r#"{"deny":{"command":{"line":[{"argv":["ls","a b"]},{"joint":";","argv":["ls","a b"]},{"joint":"&&","argv":["ls","a b"]},{"joint":"||","argv":["ls","a b"]},{"joint":"|","argv":["ls","a b"]}]}}}"#,
    );
    says_so(
        &Says::Allow(Subject::Preset {
            name: text("ls"),
            revision: 1,
            folder: Folder::Untold,
            tool: None,
        }),
        r#"{"allow":{"preset":{"name":"ls","revision":1,"untold":true}}}"#,
    );
    says_so(
        &Says::Allow(Subject::Words(vec![text("git"), text("log")])),
        r#"{"allow":{"words":["git","log"]}}"#,
    );
    let value = |must| Predicate::Value {
        at: text("/a"),
        must,
    };
    let only = vec![
        Predicate::Input(Digest([9; 32])),
        Predicate::Schema(Digest([9; 32])),
        Predicate::File(PathMust::Is(text("/f"))),
        Predicate::File(PathMust::Below(text("/d"))),
        value(Must::Text(text("t"))),
        value(Must::Path(PathMust::Is(text("/f")))),
        value(Must::Host(text("h"))),
        value(Must::Between(-1, 2)),
        value(Must::Boolean(false)),
    ];
    says_so(
        &Says::Allow(Subject::Tool {
            tool: text("T"),
            only,
        }),
        &format!(
            r#"{{"allow":{{"tool":{{"tool":"T","only":[{{"input":"{SHA}"}},{{"schema":"{SHA}"}},{{"file":{{"is":"/f"}}}},{{"file":{{"below":"/d"}}}},{{"value":{{"at":"/a","must":{{"text":"t"}}}}}},{{"value":{{"at":"/a","must":{{"path":{{"is":"/f"}}}}}}}},{{"value":{{"at":"/a","must":{{"host":"h"}}}}}},{{"value":{{"at":"/a","must":{{"between":[-1,2]}}}}}},{{"value":{{"at":"/a","must":{{"boolean":false}}}}}}]}}}}}}"#
        ),
    );
    let revoked = Event::RuleRevoked {
        rule: RuleId(1),
        by: Maker::Admin(TokenName::new("root").unwrap()),
    };
    is_on_disk_as(&revoked, r#"{"rule":1,"by":{"admin":{"token":"root"}}}"#);
}

#[test]
fn what_the_first_versions_left_out_is_read() {
    let body = br#"{"rule":1,"version":1,"says":{"deny":{"words":["rm"]}},"by":{"admin":{"token":"root"}},"made_at":1}"#;
    let event = read(Kind::RuleMade, None, body, &mut |_| None).unwrap();
    assert_eq!(event.rule().unwrap().applies_to, AppliesTo::default());
}

#[test]
fn an_impossible_rule_is_refused() {
    let rule = |says: &str| {
        format!(
            r#"{{"rule":1,"version":1,"says":{says},"by":{{"admin":{{"token":"root"}}}},"made_at":1}}"#
        )
    };
    for says in [
        r#"{"shadow":{"shadow":{"deny":{"words":["rm"]}}}}"#,
        r#"{"level":{"level":"some","mode":"off"}}"#,
        r#"{"level":{"level":"ask","mode":"some"}}"#,
        r#"{"deny":{"command":{"line":[{"joint":"?","argv":["rm"]}]}}}"#,
        r#"{"allow":{"tool":{"tool":"T","only":[{"input":"x"}]}}}"#,
    ] {
        let body = rule(says);
        let told = read(Kind::RuleMade, None, body.as_bytes(), &mut |_| None);
        assert!(told.is_err(), "{says}: {told:?}");
    }
}
