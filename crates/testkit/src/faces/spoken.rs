//! What the documents that come from Claude's question tool share: their questions, and answers
//! that are keyed by a question's text.

use serde_json::{Map, Value, json};

use super::{AskedOne, SaidReply};

/// A question as the tool has it.
pub(super) fn question(asked: &AskedOne, text: &str) -> Value {
    let choice = |label: &&str| json!({"label": label, "description": format!("Takes {label}")});
    json!({"question": text, "header": asked.tag, "multiSelect": asked.many,
        "options": asked.labels.iter().map(choice).collect::<Vec<_>>()})
}

/// The questions with their own texts.
pub(super) fn questions(asked: &[AskedOne]) -> Vec<Value> {
    let questions = asked.iter();
    questions
        .map(|asked| question(asked, &asked.text))
        .collect()
}

/// Answers by text, those that were given.
pub(super) fn answers(texts: &[String], replies: &[Option<SaidReply>]) -> Value {
    let given = texts.iter().zip(replies).filter_map(|(text, said)| {
        let said = said.as_ref()?;
        Some((text.clone(), Value::from(said.joined())))
    });
    Value::Object(given.collect::<Map<_, _>>())
}

/// What questions are called on a screen that keys answers by their texts: no two alike.
pub(super) fn keys(texts: &[String]) -> Vec<String> {
    let key = |(place, text): (usize, &String)| {
        let before = texts.iter().take(place).filter(|other| *other == text);
        match before.count() {
            0 => text.clone(),
            count => format!("{text} ({})", count + 1),
        }
    };
    texts.iter().enumerate().map(key).collect()
}

/// Looks at a question on a screen that shows it as the tool has it.
pub(super) fn look_at(shown: &Value, asked: &AskedOne, text: &str) {
    let labels: Vec<&Value> = shown["options"]
        .as_array()
        .expect("a list of choices")
        .iter()
        .map(|choice| &choice["label"])
        .collect();
    assert_eq!(
        json!([
            shown["question"],
            shown["header"],
            labels,
            shown["multiSelect"]
        ]),
        json!([text, asked.tag, asked.labels, asked.many]),
    );
}
