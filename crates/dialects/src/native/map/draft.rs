//! From what an agent hands in to a draft.

use std::time::Duration;

use sayso_core::action::{Act, Action, Links, Rated};
use sayso_core::ask::{Choice, Draft, Matter, Pick, Question};
use sayso_core::check::Violation;
use sayso_core::digest::Digest;
use sayso_core::id::{AgentName, AskKey, ConversationName, WireId, Workspace};
use sayso_core::limits;
use sayso_core::policy::act_of;

use super::form::form_from_wire;
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
            found.push(format!("/{key}"), "is not allowed with this `matter`");
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
