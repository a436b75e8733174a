//! Values to tell the story with: every kind of ask, answer and end, long texts and odd letters.

mod chat;
mod end;
mod rule;

use sayso_core::action::{Act, Action, Flag, Links, Rated, Risk};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::ask::{Ask, Choice, Look, Matter, Pick, Question};
use sayso_core::digest::{Digest, Shown};
use sayso_core::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use sayso_core::id::{
    AgentId, AgentName, AskId, AskKey, ConversationId, ConversationName, DialectName, Epoch,
    PersonName, Seq, TokenId, TokenName, WireId, Workspace,
};
use sayso_core::journal::ShownMark;
use sayso_core::limits;
use sayso_core::role::{Role, Token};
use sayso_core::text::Number;
use sayso_core::time::Time;

pub use chat::{cleared, handed, message, message_id, noted, removed, returned, said, turn_ended};
pub use end::{
    allow, answered_late, by_person, closed, closing, closings, deny, dismissed, fields, late,
    place, replies,
};
pub use rule::{every_rule, rule};

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

/// That the device with the `token`th token had the `n`th ask, opened at the `n`th place, on screen.
pub fn shown(n: u64, token: u32, at: u64) -> ShownMark {
    ShownMark {
        ask: ask_id(n),
        opened: Seq(n),
        device: TokenId(token),
        at: Time::from_millis(at),
    }
}

/// A person's name.
pub fn person(name: &str) -> PersonName {
    PersonName::stored(name).unwrap()
}

/// The `n`th agent, with the `n`th token.
pub fn agent(n: u32) -> Agent {
    Agent {
        id: AgentId(n),
        token: TokenId(n),
        name: AgentName::new(format!("agent {n}")).unwrap(),
        dialect: DialectName::new("native").unwrap(),
        beside: None,
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
    let (digest, shape) = Shown {
        agent: &agent(1).name,
        conversation: None,
        workspace: None,
        title: None,
        matter: &matter,
    }
    .digest_and_shape();
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
    Matter::Questions(vec![Question::open(text)])
}

/// An approval of a tool with an input.
pub fn approval(tool: &str, input: &str) -> Matter {
    Matter::Approval(Action::new(tool, input, Act::Other))
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
    let text = |format| FieldKind::Text {
        format,
        min_length: None,
        max_length: None,
        default: None,
    };
    let kinds = vec![
        text(None),
        FieldKind::Text {
            format: Some(TextFormat::Email),
            min_length: Some(1),
            max_length: Some(u32::MAX),
            default: Some(ODD.to_owned()),
        },
        text(Some(TextFormat::Uri)),
        text(Some(TextFormat::Date)),
        text(Some(TextFormat::DateTime)),
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
            tool_schema: Some(Digest::of(b"schema")),
            links: Some(Box::new(Links {
                escapes: vec!["out".to_owned()],
            })),
            cwd: Some("/home/ann".to_owned()),
            reason: Some(ODD.to_owned()),
            act,
            risk: Rated::hint(Risk::High),
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
        approval("plain", "[]"),
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
