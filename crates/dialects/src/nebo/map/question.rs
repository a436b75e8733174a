//! A prompt with widgets as questions, and a question as a widget.

use sayso_core::ask::{Choice, Look, Pick, Question};
use sayso_core::limits;

use super::super::wire;
use crate::texts;

/// What a browser sends, and an agent gets, instead of an answer when a person puts an ask aside.
pub(in super::super) const SKIP: &str = "__skip__";

/// What an ask without a prompt gets: programs compare this sentence.
pub(in super::super) const NO_PROMPT: &str = "'prompt' (or 'text') is required for ask action";

/// One question for each widget; a plain Yes or No when there is none.
pub(in super::super) fn questions(
    prompt: &str,
    widgets: Option<Vec<wire::Widget>>,
) -> Vec<Question> {
    let mut widgets = widgets.unwrap_or_default();
    if widgets.is_empty() {
        widgets.push(wire::Widget {
            kind: "confirm".to_owned(),
            ..wire::Widget::default()
        });
    }
    widgets
        .into_iter()
        .map(|widget| question(prompt, widget))
        .collect()
}

fn question(prompt: &str, widget: wire::Widget) -> Question {
    let mut choices = choices(widget.options.unwrap_or_default());
    let look = match widget.kind.as_str() {
        "buttons" | "confirm" | "connect_account" | "install_plugin" => Look::Buttons,
        "select" => Look::Dropdown,
        _ => Look::List,
    };
    if choices.is_empty() {
        let usual: &[&str] = match widget.kind.as_str() {
            "confirm" => &["Yes", "No"],
            "connect_account" => &["connected"],
            "install_plugin" => &["installed"],
            _ => &[],
        };
        choices.extend(usual.iter().map(|label| Choice::new(*label)));
    }
    let many = widget.kind == "checkbox" || widget.many == Some(true);
    let pick = Pick::among(&choices, many);
    let (text, tag) = match widget.label.filter(|label| !label.is_empty()) {
        Some(label) if label.len() > limits::TAG_BYTES_MAX => {
            (format!("{prompt}\n\n{label}"), None)
        }
        label => (prompt.to_owned(), label),
    };
    let mut question = Question {
        tag,
        look: if pick == Pick::Text { Look::List } else { look },
        ..Question::new(text, pick, choices)
    };
    question.default = default(&question, widget.default);
    question
}

/// The choices with each label once; nobody could tell two equal ones apart.
fn choices(sent: Vec<wire::Choice>) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for choice in sent {
        let choice = match choice {
            wire::Choice::Label(label) => Choice::new(label),
            wire::Choice::Rich(rich) => Choice {
                label: rich.label,
                description: rich.description,
                preview: None,
                recommended: rich.recommended == Some(true),
            },
        };
        if !choice.label.trim().is_empty() && choices.iter().all(|have| have.label != choice.label)
        {
            choices.push(choice);
        }
    }
    choices
}

/// A default that is none of the labels presets nothing.
fn default(question: &Question, sent: Option<String>) -> Vec<String> {
    let Some(text) = sent.filter(|text| !text.is_empty()) else {
        return Vec::new();
    };
    match question.pick {
        Pick::Text => vec![text],
        Pick::One | Pick::Many => {
            texts::reply_of_text(0, question, &text).map_or_else(Vec::new, |reply| reply.labels)
        }
    }
}

/// The widget in which a question is answered.
pub(in super::super) fn widget(question: &Question) -> wire::Widget {
    let rich = question.choices.iter().any(is_rich);
    let is_confirm = || {
        let labels = question.choices.iter().map(|choice| choice.label.as_str());
        labels.eq(["Yes", "No"])
    };
    let kind = match (question.pick, question.look) {
        (_, _) if question.choices.is_empty() => "text_input",
        (Pick::Text, _) => "text_input",
        (Pick::Many, _) | (Pick::One, Look::List) if rich => "options",
        (Pick::Many, _) => "checkbox",
        (Pick::One, Look::Dropdown) => "select",
        (Pick::One, Look::Buttons) if is_confirm() => "confirm",
        (Pick::One, Look::Buttons) => "buttons",
        (Pick::One, Look::List) => "radio",
    };
    wire::Widget {
        kind: kind.to_owned(),
        label: question.tag.clone(),
        options: (kind != "text_input")
            .then(|| question.choices.iter().map(choice_to_wire).collect()),
        default: (!question.default.is_empty()).then(|| question.default.join(texts::JOINT)),
        many: (kind == "options" && question.pick == Pick::Many).then_some(true),
    }
}

fn is_rich(choice: &Choice) -> bool {
    choice.description.is_some() || choice.preview.is_some() || choice.recommended
}

fn choice_to_wire(choice: &Choice) -> wire::Choice {
    if !is_rich(choice) {
        return wire::Choice::Label(choice.label.clone());
    }
    // There is no place for a preview, and leaving it out would hide what the asker wants seen.
    let lines = [choice.description.as_deref(), choice.preview.as_deref()];
    let lines: Vec<&str> = lines.into_iter().flatten().collect();
    wire::Choice::Rich(wire::RichChoice {
        label: choice.label.clone(),
        description: (!lines.is_empty()).then(|| lines.join("\n")),
        recommended: choice.recommended.then_some(true),
    })
}
