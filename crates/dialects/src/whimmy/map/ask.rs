//! What the plugin asks, and which files it names, as core values.

use sayso_core::action::{Act, Action};
use sayso_core::ask::{Choice, Pick, Question};
use sayso_core::limits;

use super::super::wire;
use crate::object::Object;
use crate::texts;

/// Whether a tool is the one that asks questions; its name in lower case.
pub(in crate::whimmy) fn is_question_tool(tool: &str) -> bool {
    matches!(tool, "askuserquestion" | "ask_user_question")
}

/// The questions of an ask.
pub(in crate::whimmy) fn questions(list: Vec<Object<wire::Question>>) -> Vec<Question> {
    list.into_iter()
        .map(|Object(question)| self::question(question))
        .collect()
}

fn question(sent: wire::Question) -> Question {
    let mut choices: Vec<Choice> = Vec::new();
    for Object(option) in sent.options.unwrap_or_default() {
        // A choice without a name, or with the name of another, cannot be told apart in an answer.
        let is_known = choices.iter().any(|choice| choice.label == option.label);
        if !is_known && !option.label.trim().is_empty() {
            choices.push(choice(option));
        }
    }
    let pick = Pick::among(&choices, sent.multi_select.unwrap_or(false));
    Question {
        // Only a caption: no answer repeats it.
        tag: filled(sent.header).map(|tag| texts::cut(tag, limits::TAG_BYTES_MAX)),
        ..Question::new(sent.question, pick, choices)
    }
}

fn choice(sent: wire::QuestionOption) -> Choice {
    let preview = match (filled(sent.markdown), filled(sent.preview)) {
        (Some(first), Some(second)) if first != second => Some(format!("{first}\n\n{second}")),
        (Some(only), _) | (None, Some(only)) => Some(only),
        (None, None) => None,
    };
    Choice {
        label: sent.label,
        description: filled(sent.description),
        preview,
        recommended: false,
    }
}

fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// The action that approval is requested for.
pub(in crate::whimmy) fn action(sent: wire::ApprovalRequested) -> Action {
    // The event is named after this tool, and older plugins say nothing else.
    let tool = filled(sent.tool_name).unwrap_or_else(|| "exec".to_owned());
    let input = sent
        .params
        .map_or_else(|| "{}".to_owned(), |params| params.get().to_owned());
    let (act, cwd) = recognise(&tool, &input);
    Action {
        cwd,
        reason: filled(sent.action),
        ..Action::new(tool, input, act)
    }
}

/// What a tool of the plugin's host does, and where. Input that says a thing twice, or lacks something, is
/// not recognised: the person reads it as it is.
fn recognise(tool: &str, input: &str) -> (Act, Option<String>) {
    let is_path = |path: &str| !path.trim().is_empty() && path.len() <= limits::WORKSPACE_BYTES_MAX;
    let other = (Act::Other, None);
    match tool.to_ascii_lowercase().as_str() {
        "exec" | "bash" | "shell" => match serde_json::from_str(input) {
            Ok(Object(wire::CommandParams { command, workdir })) => (
                Act::Shell { command },
                workdir.filter(|workdir| is_path(workdir)),
            ),
            Err(_) => other,
        },
        "edit" => match serde_json::from_str(input) {
            Ok(Object(wire::EditParams {
                file_path: path,
                old_string: old,
                new_string: new,
            })) if is_path(&path) => (Act::Edit { path, old, new }, None),
            Ok(_) | Err(_) => other,
        },
        "write" => match serde_json::from_str(input) {
            Ok(Object(wire::WriteParams {
                file_path: path,
                content,
            })) if is_path(&path) => (Act::Write { path, content }, None),
            Ok(_) | Err(_) => other,
        },
        _ => other,
    }
}

/// What a file that an agent sent is called in the conversation.
pub(in crate::whimmy) fn media_text(sent: &wire::Media) -> String {
    let name = sent.file_name.as_deref().filter(|name| !name.is_empty());
    let kind = sent.mime_type.as_deref().filter(|kind| !kind.is_empty());
    match (name, kind) {
        (Some(name), Some(kind)) => format!("{name} ({kind}): {}", sent.media_url),
        (Some(name), None) => format!("{name}: {}", sent.media_url),
        (None, Some(kind)) => format!("({kind}): {}", sent.media_url),
        (None, None) => sent.media_url.clone(),
    }
}
