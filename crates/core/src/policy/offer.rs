//! What a yes may reach beyond one time: exactly this first, then only what was vetted.

use super::facts::Facts;
use super::predicate::{Must, PathMust, Predicate, absolute, below, host_of};
use super::rule::{Reach, Subject, is_foreign, never_offered};
use super::vetted;
use crate::action::{Act, Action, Flag};
use crate::answer::Scope;
use crate::ask::{Ask, Matter};
use crate::digest::Digest;
use crate::escape::escape_line;

/// The offer that covers just what was asked.
pub const EXACT: &str = "exact";

/// Something a person may allow, or deny, for longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What it is called: [`EXACT`], the name of a vetted form, `folder` or `host`.
    pub form: String,
    /// What it means, as a sentence.
    pub says: String,
    /// What the rule would be about.
    pub subject: Subject,
}

/// How far the rule of an offer reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Width {
    /// This agent, in this workspace if there is one.
    #[default]
    Agent,
    /// Every agent in this workspace.
    Workspace,
    /// This conversation.
    Conversation,
}

impl Width {
    /// Every width, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Agent, Self::Workspace, Self::Conversation];

    /// The one word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Workspace => "workspace",
            Self::Conversation => "conversation",
        }
    }

    /// The reach of a rule made from this ask; nothing when the ask does not say enough.
    pub fn reach(self, ask: &Ask) -> Option<Reach> {
        match self {
            Self::Agent => Some(Reach {
                agent: Some(ask.agent),
                workspace: ask.workspace.clone(),
                ..Reach::default()
            }),
            Self::Workspace => ask.workspace.clone().map(|workspace| Reach {
                workspace: Some(workspace),
                ..Reach::default()
            }),
            Self::Conversation => ask.conversation.map(|conversation| Reach {
                conversation: Some(conversation),
                ..Reach::default()
            }),
        }
    }
}

/// Everything that may be offered for an ask; empty when it is for once only.
pub fn offers(ask: &Ask) -> Vec<Offer> {
    match &ask.matter {
        Matter::Approval(action) if may_be_offered(action) => of_action(action),
        Matter::Approval(_) | Matter::Questions(_) | Matter::Form(_) => Vec::new(),
    }
}

/// How far a yes to an ask may reach.
pub fn scopes(ask: &Ask) -> &'static [Scope] {
    let Matter::Approval(action) = &ask.matter else {
        return &[];
    };
    if !may_be_offered(action) || of_action(action).is_empty() {
        return &[Scope::Once];
    }
    if ask.conversation.is_some() {
        &[Scope::Once, Scope::Conversation, Scope::Always]
    } else {
        &[Scope::Once, Scope::Always]
    }
}

fn may_be_offered(action: &Action) -> bool {
    !action
        .flags
        .iter()
        .any(|flag| matches!(flag, Flag::NoAlways | Flag::NeedsPerson))
}

fn of_action(action: &Action) -> Vec<Offer> {
    let facts = Facts::of_action(action);
    if !facts.agrees {
        return Vec::new();
    }
    match &action.act {
        _ if is_foreign(&action.tool) => of_foreign(&facts),
        Act::Shell { .. } => of_command(&facts),
        Act::Edit { path, .. } | Act::Write { path, .. } => of_file(action, path),
        Act::Other => of_tool(&facts),
    }
}

fn of_command(facts: &Facts<'_>) -> Vec<Offer> {
    let Some(Ok(line)) = &facts.line else {
        return Vec::new();
    };
    let vetted = |part| vetted::forms_of(part).next().is_some();
    let careless = line
        .parts
        .iter()
        .any(|part| never_offered(&part.argv) && !vetted(part));
    if careless {
        return Vec::new();
    }
    // What was vetted means the same in every folder; anything else is bound to where it was seen.
    let anywhere = line.parts.iter().all(vetted);
    let cwd = facts.action.cwd.clone().filter(|_| !anywhere);
    let place = cwd
        .as_deref()
        .map(|cwd| format!(", in {}", escape_line(cwd)))
        .unwrap_or_default();
    let mut offers = vec![Offer {
        form: EXACT.to_owned(),
        says: format!("This exact command{place}."),
        subject: Subject::Command {
            line: line.clone(),
            cwd,
            tool: None,
        },
    }];
    if let Some(part) = line.alone() {
        offers.extend(vetted::forms_of(part).map(|form| {
            let words: Vec<&str> = std::iter::once(form.program)
                .chain(form.path.iter().copied())
                .collect();
            Offer {
                form: form.name.to_owned(),
                says: format!(
                    "Every `{}` with vetted options only. {}",
                    words.join(" "),
                    form.says
                ),
                subject: Subject::Form {
                    name: form.name.to_owned(),
                    revision: form.revision,
                },
            }
        }));
    }
    offers
}

fn of_file(action: &Action, path: &str) -> Vec<Offer> {
    let Some(whole) = absolute(path, action.cwd.as_deref()) else {
        return Vec::new();
    };
    let tool = escape_line(&action.tool);
    let subject = |must| tool_subject(action, Predicate::File(must));
    let mut offers = vec![Offer {
        form: EXACT.to_owned(),
        says: format!("{tool} on {}, whatever it puts there.", escape_line(&whole)),
        subject: subject(PathMust::Is(whole.clone())),
    }];
    let folder = action
        .cwd
        .as_deref()
        .and_then(|cwd| absolute(cwd, None))
        .filter(|folder| folder != "/" && below(&whole, folder).is_some());
    if let Some(folder) = folder {
        offers.push(Offer {
            form: "folder".to_owned(),
            says: format!(
                "{tool} on every file below {} that is not hidden.",
                escape_line(&folder)
            ),
            subject: subject(PathMust::Below(folder)),
        });
    }
    offers
}

fn of_tool(facts: &Facts<'_>) -> Vec<Offer> {
    let action = facts.action;
    let name = action.tool.to_ascii_lowercase();
    let runs = ["bash", "exec", "shell", "terminal"].contains(&name.as_str());
    if runs || facts.input.is_none() {
        return Vec::new();
    }
    let tool = escape_line(&action.tool);
    let mut offers = vec![Offer {
        form: EXACT.to_owned(),
        says: format!("{tool} with exactly this input."),
        subject: exactly(action),
    }];
    let url = facts.input.as_ref().and_then(|input| input.at("/url"));
    if let Some(host) = url.and_then(super::input::Value::text).and_then(host_of) {
        offers.push(Offer {
            form: "host".to_owned(),
            says: format!("{tool} for every address at {host}."),
            subject: tool_subject(
                action,
                Predicate::Value {
                    at: "/url".to_owned(),
                    must: Must::Host(host.to_owned()),
                },
            ),
        });
    }
    offers
}

/// A tool of an MCP server: only while its schema is what it is now, and only just this.
fn of_foreign(facts: &Facts<'_>) -> Vec<Offer> {
    let action = facts.action;
    if action.tool_schema.is_none() || facts.input.is_none() {
        return Vec::new();
    }
    vec![Offer {
        form: EXACT.to_owned(),
        says: format!(
            "{} with exactly this input, until the tool's schema changes.",
            escape_line(&action.tool)
        ),
        subject: exactly(action),
    }]
}

fn exactly(action: &Action) -> Subject {
    let input = Digest::of(action.input.as_bytes());
    tool_subject(action, Predicate::Input(input))
}

/// A use of the tool; bound to its schema where that is told.
fn tool_subject(action: &Action, predicate: Predicate) -> Subject {
    Subject::Tool {
        tool: action.tool.clone(),
        only: action
            .tool_schema
            .map(Predicate::Schema)
            .into_iter()
            .chain([predicate])
            .collect(),
    }
}
