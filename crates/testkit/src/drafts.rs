//! Asks to ask in tests.

use std::time::Duration;

use sayso_core::action::{Act, Action, Rated};
use sayso_core::ask::{Choice, Draft, Look, Matter, Pick, Question};
use sayso_core::form::{Field, FieldKind, Form};

fn draft(matter: Matter) -> Draft {
    Draft {
        title: None,
        matter,
        conversation: None,
        workspace: None,
        wire_id: None,
        key: None,
        timeout: None,
        stops: false,
    }
}

/// A choice with only a label.
pub fn choice(label: &str) -> Choice {
    Choice {
        label: label.to_owned(),
        ..Choice::default()
    }
}

/// A question with one pick among labels.
pub fn question(text: &str, labels: &[&str]) -> Question {
    Question {
        text: text.to_owned(),
        tag: None,
        pick: Pick::One,
        choices: labels.iter().map(|label| choice(label)).collect(),
        look: Look::List,
        default: Vec::new(),
        free_text: true,
        required: false,
    }
}

/// An ask of one question, `Redis` or `SQLite`, that lapses after a while if one is given.
pub fn questions(text: &str, timeout: Option<Duration>) -> Draft {
    Draft {
        timeout,
        ..draft(Matter::Questions(vec![question(
            text,
            &["Redis", "SQLite"],
        )]))
    }
}

/// An ask for leave to run a shell command.
pub fn approval(command: &str, timeout: Option<Duration>) -> Draft {
    let action = Action {
        tool: "Bash".to_owned(),
        input: format!("{{\"command\":\"{command}\"}}"),
        tool_schema: None,
        links: None,
        cwd: Some("/home/ann/shop".to_owned()),
        reason: None,
        act: Act::Shell {
            command: command.to_owned(),
        },
        risk: Rated::default(),
        flags: Vec::new(),
    };
    Draft {
        timeout,
        ..draft(Matter::Approval(action))
    }
}

/// An ask for a password.
pub fn form_with_secret() -> Draft {
    let field = Field {
        name: "password".to_owned(),
        title: None,
        description: None,
        kind: FieldKind::Secret,
        required: true,
    };
    draft(Matter::Form(Form::Fields {
        message: "Log in".to_owned(),
        fields: vec![field],
    }))
}
