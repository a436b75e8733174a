//! From what an agent hands in to a draft.

use std::time::Duration;

use sayso_core::action::{Act, Action, Links, Rated, Span};
use sayso_core::ask::{Choice, Draft, Matter, Pick, Question};
use sayso_core::check::Violation;
use sayso_core::digest::Digest;
use sayso_core::id::{AgentName, AskKey, ConversationName, WireId, Workspace};
use sayso_core::limits;
use sayso_core::policy::act_of;

use super::form::{form_from_wire, form_to_wire};
use super::{Found, named, refuse_keys, wire};

/// The draft in what an agent handed in, and the name the asker goes by.
///
/// Every violation of the shape is listed; whether the draft makes sense is `check_draft`'s work.
pub fn draft_from_wire(
    new: wire::NewAsk,
    key: Option<AskKey>,
) -> Result<(Draft, Option<AgentName>), Vec<Violation>> {
    let mut found = Found::default();
    let conversation = named(
        &mut found,
        "/conversation",
        new.conversation,
        ConversationName::new,
    );
    let workspace = named(&mut found, "/workspace", new.workspace, Workspace::new);
    let wire_id = named(&mut found, "/wire_id", new.wire_id, WireId::new);
    let agent = named(&mut found, "/agent", new.agent, AgentName::new);
    let matter = matter_from_wire(&mut found, new.matter, new.questions, new.action, new.form);
    match matter {
        Some(matter) if found.0.is_empty() => {
            let timeout = new.timeout_s.map(Duration::from_secs);
            Ok((
                Draft {
                    title: new.title,
                    matter,
                    conversation,
                    workspace,
                    wire_id,
                    key,
                    timeout,
                    stops: new.stop,
                },
                agent,
            ))
        }
        Some(_) | None => Err(found.0),
    }
}

fn matter_from_wire(
    found: &mut Found,
    matter: wire::Matter,
    questions: Option<Vec<wire::NewQuestion>>,
    action: Option<wire::NewAction>,
    form: Option<wire::Form>,
) -> Option<Matter> {
    let there = [
        ("questions", questions.is_some(), wire::Matter::Questions),
        ("action", action.is_some(), wire::Matter::Approval),
        ("form", form.is_some(), wire::Matter::Form),
    ];
    for (key, there, belongs) in there {
        if there && belongs != matter {
            found.push(format!("/{key}"), "does not belong to this matter");
        } else if !there && belongs == matter {
            found.push(format!("/{key}"), "is missing");
        }
    }
    match matter {
        wire::Matter::Questions => questions
            .map(|list| Matter::Questions(list.into_iter().map(question_from_wire).collect())),
        wire::Matter::Approval => action
            .and_then(|action| action_from_wire(found, action))
            .map(Matter::Approval),
        wire::Matter::Form => form
            .and_then(|form| form_from_wire(found, form))
            .map(Matter::Form),
    }
}

fn question_from_wire(question: wire::NewQuestion) -> Question {
    let choices: Vec<Choice> = question
        .choices
        .into_iter()
        .map(|choice| Choice {
            label: choice.label,
            description: choice.description,
            preview: choice.preview,
            recommended: choice.recommended,
        })
        .collect();
    let pick = question.pick.map_or(
        if choices.is_empty() {
            Pick::Text
        } else {
            Pick::One
        },
        Pick::from,
    );
    Question {
        text: question.text,
        tag: question.tag,
        pick,
        choices,
        look: question.look.into(),
        default: question.default,
        free_text: question.free_text,
        required: question.required,
    }
}

fn action_from_wire(found: &mut Found, action: wire::NewAction) -> Option<Action> {
    let act = match action.act {
        Some(act) => act_from_wire(found, act)?,
        // Whoever says nothing about it still means what everybody means by these tools.
        None => act_of(&action.tool, &action.input),
    };
    let tool_schema = named(found, "/action/tool_schema", action.tool_schema, |text| {
        text.parse::<Digest>()
    });
    let mut flags: Vec<_> = action.flags.into_iter().map(Into::into).collect();
    flags.sort_unstable();
    flags.dedup();
    Some(Action {
        tool: action.tool,
        input: action.input,
        tool_schema,
        links: links_from_wire(found, action.links),
        cwd: action.cwd,
        reason: action.reason,
        act,
        risk: action
            .risk
            .map_or_else(Rated::default, |risk| Rated::hint(risk.into())),
        flags,
    })
}

/// What was found out about links; nothing where they were not followed.
fn links_from_wire(found: &mut Found, links: Option<wire::Links>) -> Option<Box<Links>> {
    const AT: &str = "/action/links/escapes";
    let links = links?;
    let too_long = |path: &String| path.len() > limits::WORKSPACE_BYTES_MAX;
    if links.escapes.len() > limits::LINK_ESCAPES_MAX || links.escapes.iter().any(too_long) {
        found.push(
            AT,
            format!(
                "has more than {} paths, or a longer one than {} bytes",
                limits::LINK_ESCAPES_MAX,
                limits::WORKSPACE_BYTES_MAX
            ),
        );
    }
    if !links.resolved && !links.escapes.is_empty() {
        found.push(AT, "must be empty unless links were resolved");
    }
    links.resolved.then(|| {
        Box::new(Links {
            escapes: links.escapes,
        })
    })
}

fn act_from_wire(found: &mut Found, act: wire::Act) -> Option<Act> {
    const AT: &str = "/action/act";
    let wire::Act {
        kind,
        command,
        path,
        old,
        new,
        content,
    } = act;
    let there = |keys: [&'static str; 5], kept: &[&str]| -> Vec<(&'static str, bool)> {
        let given = [
            command.is_some(),
            path.is_some(),
            old.is_some(),
            new.is_some(),
            content.is_some(),
        ];
        keys.into_iter()
            .zip(given)
            .map(|(key, given)| (key, given && !kept.contains(&key)))
            .collect()
    };
    let keys = ["command", "path", "old", "new", "content"];
    let (name, kept): (&str, &[&str]) = match kind {
        wire::ActKind::Shell => ("shell", &["command"]),
        wire::ActKind::Edit => ("edit", &["path", "old", "new"]),
        wire::ActKind::Write => ("write", &["path", "content"]),
        wire::ActKind::Other => ("other", &[]),
    };
    refuse_keys(found, AT, name, &there(keys, kept));
    let mut needed = |key: &str, text: Option<String>| {
        if text.is_none() {
            found.push(format!("{AT}/{key}"), "is missing");
        }
        text
    };
    match kind {
        wire::ActKind::Shell => Some(Act::Shell {
            command: needed("command", command)?,
        }),
        wire::ActKind::Edit => {
            let (path, old, new) = (needed("path", path), needed("old", old), needed("new", new));
            Some(Act::Edit {
                path: path?,
                old: old?,
                new: new?,
            })
        }
        wire::ActKind::Write => {
            let (path, content) = (needed("path", path), needed("content", content));
            Some(Act::Write {
                path: path?,
                content: content?,
            })
        }
        wire::ActKind::Other => Some(Act::Other),
    }
}

/// The parts of an ask that say what it is about.
pub(super) fn matter_to_wire(
    matter: &Matter,
) -> (
    Option<Vec<wire::Question>>,
    Option<wire::Action>,
    Option<wire::Form>,
) {
    match matter {
        Matter::Questions(questions) => (
            Some(questions.iter().map(question_to_wire).collect()),
            None,
            None,
        ),
        Matter::Approval(action) => (None, Some(action_to_wire(action)), None),
        Matter::Form(form) => (None, None, Some(form_to_wire(form))),
    }
}

fn question_to_wire(question: &Question) -> wire::Question {
    let choice = |choice: &Choice| wire::Choice {
        label: choice.label.clone(),
        description: choice.description.clone(),
        preview: choice.preview.clone(),
        recommended: choice.recommended,
    };
    wire::Question {
        text: question.text.clone(),
        tag: question.tag.clone(),
        pick: question.pick.into(),
        choices: question.choices.iter().map(choice).collect(),
        look: question.look.into(),
        default: question.default.clone(),
        free_text: question.free_text,
        required: question.required,
    }
}

fn action_to_wire(action: &Action) -> wire::Action {
    wire::Action {
        tool: action.tool.clone(),
        input: action.input.clone(),
        tool_schema: action.tool_schema.map(|schema| schema.to_string()),
        links: action.links.as_ref().map(|links| wire::Links {
            resolved: true,
            escapes: links.escapes.clone(),
        }),
        cwd: action.cwd.clone(),
        reason: action.reason.clone(),
        act: act_to_wire(&action.act),
        risk: action.risk.level.into(),
        reasons: action.risk.reasons.clone(),
        spans: action
            .risk
            .spans
            .iter()
            .copied()
            .map(span_to_wire)
            .collect(),
        flags: action.flags.iter().copied().map(Into::into).collect(),
    }
}

const fn span_to_wire(span: Span) -> wire::Span {
    let Span { start, end, reason } = span;
    wire::Span { reason, start, end }
}

fn act_to_wire(act: &Act) -> wire::Act {
    match act {
        Act::Shell { command } => wire::Act {
            command: Some(command.clone()),
            ..wire::Act::of(wire::ActKind::Shell)
        },
        Act::Edit { path, old, new } => wire::Act {
            path: Some(path.clone()),
            old: Some(old.clone()),
            new: Some(new.clone()),
            ..wire::Act::of(wire::ActKind::Edit)
        },
        Act::Write { path, content } => wire::Act {
            path: Some(path.clone()),
            content: Some(content.clone()),
            ..wire::Act::of(wire::ActKind::Write)
        },
        Act::Other => wire::Act::of(wire::ActKind::Other),
    }
}
