//! Asks to ask in tests.

use std::time::Duration;

use sayso_core::action::{Act, Action};
use sayso_core::ask::{Choice, Draft, Matter, Pick, Question};
use sayso_core::form::{Field, FieldKind, Form};

/// A question with one pick among labels.
pub fn question(text: &str, labels: &[&str]) -> Question {
    let choices = labels.iter().map(|label| Choice::new(*label)).collect();
    Question::new(text, Pick::One, choices)
}

/// An ask of one question, `Redis` or `SQLite`, that lapses after a while if one is given.
pub fn questions(text: &str, timeout: Option<Duration>) -> Draft {
    Draft {
        timeout,
        ..Draft::new(Matter::Questions(vec![question(
            text,
            &["Redis", "SQLite"],
        )]))
    }
}

/// An request approval to run a shell command.
pub fn approval(command: &str, timeout: Option<Duration>) -> Draft {
    let action = Action {
        cwd: Some("/home/ann/shop".to_owned()),
        ..bash(command.to_owned())
    };
    Draft {
        timeout,
        ..Draft::new(Matter::Approval(action))
    }
}

/// The call that runs a shell command.
pub(crate) fn bash(command: String) -> Action {
    let input = format!("{{\"command\":\"{command}\"}}");
    Action::new("Bash", input, Act::Shell { command })
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
    Draft::new(Matter::Form(Form::Fields {
        message: "Log in".to_owned(),
        fields: vec![field],
    }))
}
