//! Values to tell the story with: every kind of ask, answer and end, long texts and odd letters.

mod chat;

use std::sync::Arc;

use sayso_core::action::{Act, Action, Flag, Risk};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Choice, Look, Matter, Pick, Question};
use sayso_core::digest::digest_and_shape;
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::id::{
    AgentId, AgentName, AskId, AskKey, ConversationId, ConversationName, DialectName, Epoch,
    PersonName, RuleId, TokenId, TokenName, WireId, Workspace,
};
use sayso_core::limits;
use sayso_core::outcome::{Closer, Closing, Late, Outcome, Seen};
use sayso_core::role::{Role, Token};
use sayso_core::text::{Number, Secret};
use sayso_core::time::Time;

pub use chat::{handed, message, message_id, noted, said, turn_ended};

/// Letters of many scripts, marks, joiners, controls and everything that JSON escapes.
pub const ODD: &str = "Größe \u{0}\u{1}\u{1f}\u{7f} \"\\/ \u{8}\u{c}\n\r\t 你好 \u{202e}abc\u{202c} é e\u{301} 👩‍👩‍👧 \u{feff}\u{2028}\u{10ffff}";

/// The `n`th ask id; they rise with `n`.
pub fn ask_id(n: u64) -> AskId {
    let value = (u128::from(n) << 80) | (0x7 << 76) | (0x2 << 62) | u128::from(n);
    AskId::from_bytes(value.to_be_bytes())
}

/// The `n`th epoch.
pub fn epoch(n: u8) -> Epoch {
    Epoch(
        format!("{n:02x}8d1e7c-1a7e-7559-a4e3-a0f6c1d2b3c4")
            .parse()
            .unwrap(),
    )
}

/// The `n`th token, as a role.
pub fn token(n: u32, role: Role) -> Token {
    let is_admin = role == Role::Admin;
    Token {
        id: TokenId(n),
        name: TokenName::new(format!("token {n} ü")).unwrap(),
        role,
        hash: [u8::try_from(n % 256).unwrap_or_default(); 32],
        made_at: Time::from_millis(1000 + u64::from(n)),
        // An admin's goes with the one before it.
        with: is_admin.then(|| TokenId(n.saturating_sub(1))),
    }
}

/// A person's name.
pub fn person(name: &str) -> PersonName {
    PersonName::new(name).unwrap()
}

/// The `n`th agent, with the `n`th token.
pub fn agent(n: u32) -> Agent {
    Agent {
        id: AgentId(n),
        token: TokenId(n),
        name: AgentName::new(format!("agent {n}")).unwrap(),
        dialect: DialectName::new("native").unwrap(),
    }
}

/// The `n`th conversation, of an agent.
pub fn conversation(n: u32, agent: u32) -> Conversation {
    Conversation {
        id: ConversationId(n),
        agent: AgentId(agent),
        name: ConversationName::new(format!("conversation {n} 会話")).unwrap(),
    }
}

/// An ask about a matter, by the first agent, without anything that may be left out.
pub fn ask(n: u64, matter: Matter) -> Ask {
    let (digest, shape) = digest_and_shape(&agent(1).name, None, &matter);
    Ask {
        id: ask_id(n),
        agent: AgentId(1),
        conversation: None,
        workspace: None,
        wire_id: None,
        key: None,
        title: None,
        matter,
        digest,
        shape,
        asked_at: Time::from_millis(10_000 + n),
        deadline: None,
        stops: false,
    }
}

/// One question with this text and nothing else.
pub fn question(text: &str) -> Matter {
    Matter::Questions(vec![Question {
        text: text.to_owned(),
        tag: None,
        pick: Pick::Text,
        choices: Vec::new(),
        look: Look::List,
        default: Vec::new(),
        free_text: true,
        required: false,
    }])
}

/// An approval of a tool with an input.
pub fn approval(tool: &str, input: &str) -> Matter {
    Matter::Approval(Action {
        tool: tool.to_owned(),
        input: input.to_owned(),
        cwd: None,
        reason: None,
        act: Act::Other,
        risk: Risk::Normal,
        flags: Vec::new(),
    })
}

/// A form with one field of each kind.
pub fn form() -> Matter {
    let number = |text: &str| Number::new(text);
    let choices = || {
        vec![
            FieldChoice {
                value: "a".to_owned(),
                title: Some("Apfel".to_owned()),
            },
            FieldChoice {
                value: "b, c".to_owned(),
                title: None,
            },
        ]
    };
    let range = Range {
        min: number("-1.50e3"),
        max: number("9007199254740993"),
        default: number("0.10"),
    };
    let kinds = vec![
        FieldKind::Text {
            format: None,
            min_length: None,
            max_length: None,
            default: None,
        },
        FieldKind::Text {
            format: Some(TextFormat::Email),
            min_length: Some(1),
            max_length: Some(u32::MAX),
            default: Some(ODD.to_owned()),
        },
        FieldKind::Text {
            format: Some(TextFormat::Uri),
            min_length: None,
            max_length: None,
            default: None,
        },
        FieldKind::Text {
            format: Some(TextFormat::Date),
            min_length: None,
            max_length: None,
            default: None,
        },
        FieldKind::Text {
            format: Some(TextFormat::DateTime),
            min_length: None,
            max_length: None,
            default: None,
        },
        FieldKind::Number(range.clone()),
        FieldKind::Integer(range),
        FieldKind::Integer(Range::default()),
        FieldKind::Boolean {
            default: Some(false),
        },
        FieldKind::Boolean { default: None },
        FieldKind::OneOf {
            choices: choices(),
            default: Some("a".to_owned()),
        },
        FieldKind::ManyOf {
            choices: choices(),
            min_items: Some(0),
            max_items: Some(2),
            default: vec!["a".to_owned(), "b, c".to_owned()],
        },
        FieldKind::ManyOf {
            choices: Vec::new(),
            min_items: None,
            max_items: None,
            default: Vec::new(),
        },
        FieldKind::Secret,
    ];
    let fields = (0..)
        .zip(kinds)
        .map(|(at, kind)| Field {
            name: format!("field {at}"),
            title: (at % 2 == 0).then(|| format!("Title {at} {ODD}")),
            description: (at % 3 == 0).then(|| "description".to_owned()),
            kind,
            required: at % 2 == 1,
        })
        .collect();
    Matter::Form(Form::Fields {
        message: ODD.to_owned(),
        fields,
    })
}

/// Asks of every kind, from the barest to the fullest and the longest.
pub fn asks(first: u64) -> Vec<Ask> {
    let long = "ä".repeat(limits::TEXT_BYTES_MAX / 2);
    let action = |act: Act| {
        Matter::Approval(Action {
            tool: format!("tool {ODD}"),
            input: format!("{{\"x\": {ODD:?}, \"n\": 1.0}}"),
            cwd: Some("/home/ann".to_owned()),
            reason: Some(ODD.to_owned()),
            act,
            risk: Risk::High,
            flags: Flag::ALL.to_vec(),
        })
    };
    let choice = |label: &str, recommended| Choice {
        label: label.to_owned(),
        description: Some(ODD.to_owned()),
        preview: Some("  white space \n kept ".to_owned()),
        recommended,
    };
    let full = |pick, look| Question {
        text: ODD.to_owned(),
        tag: Some("tag".to_owned()),
        pick,
        choices: vec![
            choice("a, b", true),
            choice("", false),
            Choice {
                label: "bare".to_owned(),
                ..Choice::default()
            },
        ],
        look,
        default: vec!["a, b".to_owned(), String::new()],
        free_text: false,
        required: true,
    };
    let matters = vec![
        question("bare?"),
        Matter::Questions(Vec::new()),
        Matter::Questions(vec![
            full(Pick::One, Look::List),
            full(Pick::Many, Look::Buttons),
            full(Pick::Text, Look::Dropdown),
        ]),
        question(&long),
        approval("bare", "{}"),
        action(Act::Shell {
            command: ODD.to_owned(),
        }),
        action(Act::Edit {
            path: "a".to_owned(),
            old: ODD.to_owned(),
            new: String::new(),
        }),
        action(Act::Write {
            path: "b".to_owned(),
            content: long,
        }),
        action(Act::Other),
        form(),
        Matter::Form(Form::Page {
            message: ODD.to_owned(),
            url: "https://example.org/ü?a=b#c".to_owned(),
        }),
        Matter::Form(Form::Fields {
            message: String::new(),
            fields: Vec::new(),
        }),
        question("stops?"),
        approval("stops", "{}"),
    ];
    (first..)
        .zip(matters)
        .map(|(n, matter)| {
            let mut ask = ask(n, matter);
            ask.stops = n % 3 == 0;
            if n % 2 == 0 {
                ask.conversation = Some(ConversationId(1));
                ask.workspace =
                    Some(Workspace::new("w".repeat(limits::WORKSPACE_BYTES_MAX)).unwrap());
                ask.wire_id = Some(WireId::new(format!("{n}{}", "é".repeat(120))).unwrap());
                ask.key = Some(AskKey::new(format!("key {n}")).unwrap());
                ask.title = Some(ODD.to_owned());
                ask.deadline = Some(Time::MAX);
            }
            ask
        })
        .collect()
}

/// A reply with everything.
pub fn replies() -> Answer {
    Answer::Replies(vec![
        Reply {
            question: 0,
            labels: vec!["a, b".to_owned(), ODD.to_owned()],
            other: Some(ODD.to_owned()),
            note: Some("note".to_owned()),
        },
        Reply {
            question: 2,
            ..Reply::default()
        },
    ])
}

/// A plain yes.
pub fn allow() -> Answer {
    Answer::Verdict(Verdict {
        decision: Decision::Allow { edited_input: None },
        scope: Scope::Once,
        note: None,
    })
}

/// Fields with a value of each kind; the secrets are as given.
pub fn fields(secrets: &[Option<&str>]) -> Answer {
    let mut fields = vec![
        ("text".to_owned(), FieldValue::Text(ODD.to_owned())),
        (
            "number".to_owned(),
            FieldValue::Number(Number::new("-0.10e+2").unwrap()),
        ),
        ("yes".to_owned(), FieldValue::Boolean(true)),
        ("no".to_owned(), FieldValue::Boolean(false)),
        (
            "many".to_owned(),
            FieldValue::Many(vec![String::new(), ODD.to_owned()]),
        ),
        ("none".to_owned(), FieldValue::Many(Vec::new())),
    ];
    fields.extend(secrets.iter().map(|secret| {
        (
            "secret".to_owned(),
            FieldValue::Secret(secret.map(|text| Secret::new(text.to_owned()))),
        )
    }));
    Answer::Fields(fields)
}

/// A person who closes.
pub fn by_person(seen: Seen) -> Closer {
    Closer::Person {
        person: person("Zoë"),
        device: TokenName::new("phone").unwrap(),
        seen,
    }
}

/// Ends of every kind, by everyone who can end an ask. None has a secret.
pub fn closings() -> Vec<Closing> {
    let at = Time::from_millis(77_777);
    let edited = Decision::Allow {
        edited_input: Some(ODD.to_owned()),
    };
    let mut closings = vec![
        Closing {
            outcome: Outcome::Answered(replies()),
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Answered(Answer::Replies(Vec::new())),
            by: by_person(Seen::Unbound),
            at,
        },
        Closing {
            outcome: Outcome::Answered(allow()),
            by: Closer::Rule {
                rule: RuleId(4),
                version: u32::MAX,
                also: vec![RuleId(1), RuleId(u32::MAX)],
            },
            at,
        },
        Closing {
            outcome: Outcome::Answered(verdict(edited, Scope::Always, Some(ODD))),
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Answered(verdict(
                Decision::Deny { stop: false },
                Scope::Conversation,
                None,
            )),
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Answered(fields(&[None])),
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Dismissed {
                note: None,
                stop: false,
            },
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Dismissed {
                note: Some(ODD.to_owned()),
                stop: false,
            },
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Expired,
            by: Closer::Clock,
            at: Time::MAX,
        },
        Closing {
            outcome: Outcome::Withdrawn { note: None },
            by: Closer::Agent,
            at,
        },
        Closing {
            outcome: Outcome::Withdrawn {
                note: Some("n".repeat(limits::NOTE_BYTES_MAX)),
            },
            by: Closer::Clock,
            at,
        },
    ];
    closings.extend(stopping());
    closings
}

/// Ends that are to end the agent's turn too.
fn stopping() -> [Closing; 2] {
    let closing = |outcome| Closing {
        outcome,
        by: by_person(Seen::Digest),
        at: Time::from_millis(77_777),
    };
    let no = verdict(Decision::Deny { stop: true }, Scope::Once, Some(ODD));
    let (note, stop) = (None, true);
    [Outcome::Dismissed { note, stop }, Outcome::Answered(no)].map(closing)
}

fn verdict(decision: Decision, scope: Scope, note: Option<&str>) -> Answer {
    Answer::Verdict(Verdict {
        decision,
        scope,
        note: note.map(str::to_owned),
    })
}

/// An end at a moment.
pub fn closing(outcome: Outcome, at: u64) -> Arc<Closing> {
    Arc::new(Closing {
        outcome,
        by: by_person(Seen::Digest),
        at: Time::from_millis(at),
    })
}

/// A plain no.
pub fn deny() -> Answer {
    Answer::Verdict(Verdict {
        decision: Decision::Deny { stop: false },
        scope: Scope::Once,
        note: None,
    })
}

/// A late answer.
pub fn late(answer: Answer, at: u64) -> Arc<Late> {
    Arc::new(Late {
        answer,
        by: by_person(Seen::Unbound),
        at: Time::from_millis(at),
    })
}
