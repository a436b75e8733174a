//! What is asked in the story.

use sayso_client::wire::{
    AnswerRequest, Choice, Field, FieldKind, FieldValue, Fields, Form, Matter, NewAction, NewAsk,
    NewQuestion, Reply, Scope, Verdict,
};

/// The secret that a person types into the form.
pub(crate) const SECRET: &str = "correct horse battery staple";
/// Four of these fill the write-ahead log in one commit.
const PREVIEW: usize = 240 * 1024;

fn choice(label: &str) -> Choice {
    Choice {
        label: label.to_owned(),
        ..Choice::default()
    }
}

pub(crate) fn question(text: &str) -> NewAsk {
    let mut question = NewQuestion::of(text);
    question.choices = vec![choice("Redis"), choice("SQLite")];
    let mut ask = NewAsk::of(Matter::Questions);
    ask.questions = Some(vec![question]);
    ask
}

/// A question with long previews.
pub(crate) fn long_question(text: &str) -> NewAsk {
    let mut ask = question(text);
    for question in ask.questions.iter_mut().flatten() {
        question.choices.extend(["Redis 2", "SQLite 2"].map(choice));
        for choice in &mut question.choices {
            choice.preview = Some("x".repeat(PREVIEW));
        }
    }
    ask
}

pub(crate) fn approval(command: &str) -> NewAsk {
    let mut ask = NewAsk::of(Matter::Approval);
    ask.action = Some(NewAction {
        tool: "Bash".to_owned(),
        cwd: Some("/home/ann/shop".to_owned()),
        input: format!("{{\"command\":\"{command}\"}}"),
        ..NewAction::default()
    });
    ask
}

pub(crate) fn form() -> NewAsk {
    let mut ask = NewAsk::of(Matter::Form);
    let fields = serde_json::json!([{"name": "password", "kind": "secret", "required": true}]);
    ask.form = Some(Form {
        message: "Log in".to_owned(),
        fields: Some(serde_json::from_value::<Vec<Field>>(fields).unwrap()),
        url: None,
    });
    assert_eq!(
        ask.form.as_ref().unwrap().fields.as_ref().unwrap()[0].kind,
        FieldKind::Secret
    );
    ask
}

pub(crate) fn pick(label: &str, note: &str) -> AnswerRequest {
    AnswerRequest {
        digest: String::new(),
        replies: Some(vec![Reply {
            labels: vec![label.to_owned()],
            note: Some(note.to_owned()),
            ..Reply::default()
        }]),
        verdict: None,
        fields: None,
        rule: None,
    }
}

pub(crate) fn verdict(allow: bool, note: Option<&str>) -> AnswerRequest {
    AnswerRequest {
        digest: String::new(),
        replies: None,
        verdict: Some(Verdict {
            allow,
            scope: Scope::Once,
            note: note.map(str::to_owned),
            input: None,
            stop: false,
        }),
        fields: None,
        rule: None,
    }
}

pub(crate) fn filled() -> AnswerRequest {
    let secret = FieldValue::Text(SECRET.to_owned());
    AnswerRequest {
        digest: String::new(),
        replies: None,
        verdict: None,
        fields: Some(Fields(vec![("password".to_owned(), secret)])),
        rule: None,
    }
}
