//! What a yes may reach beyond one time: exactly this first, then only what was vetted.

use super::facts::Facts;
use super::folder::{Folder, is_nobodys};
use super::predicate::{Must, PathMust, Predicate, absolute, origin_of, unspoken};
use super::preset::Holds;
use super::recognise::is_like_shell;
use super::rule::{AppliesTo, Subject, is_foreign, never_offered};
use super::sensitive::{makes_repository, why_sensitive};
use super::texts;
use super::vetted;
use crate::action::{Act, Action, Flag};
use crate::answer::Scope;
use crate::ask::{Ask, Matter};
use crate::digest::Digest;
use crate::escape::escape_line;

/// The offer that covers just what was asked.
pub const EXACT: &str = "exact";

const NEVER_SECRETS: &str = "Never hidden files, keys, tokens or credentials.";

/// Something a person may allow, or deny, for longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What it is called: [`EXACT`], the name of a preset, `this-file`, `folder` or `host`.
    pub preset: String,
    /// What it means, as a sentence.
    pub says: String,
    /// What the rule would be about.
    pub subject: Subject,
}

/// What the rule of an offer applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Width {
    /// This agent, in this workspace if there is one.
    #[default]
    Agent,
    /// Every agent in this workspace.
    Workspace,
    /// This agent in this conversation.
    Conversation,
}

crate::words! { Width: Agent = "agent", Workspace = "workspace", Conversation = "conversation" }

impl Width {
    /// What a rule made from this ask applies to; nothing when the ask does not say enough.
    pub fn applies_to(self, ask: &Ask) -> Option<AppliesTo> {
        let all = AppliesTo {
            links: follows_links(ask),
            ..AppliesTo::default()
        };
        match self {
            Self::Agent => Some(AppliesTo {
                agent: Some(ask.agent),
                workspace: ask.workspace.clone(),
                ..all
            }),
            Self::Workspace => ask.workspace.clone().map(|workspace| AppliesTo {
                workspace: Some(workspace),
                ..all
            }),
            Self::Conversation => ask.conversation.map(|conversation| AppliesTo {
                agent: Some(ask.agent),
                conversation: Some(conversation),
                ..all
            }),
        }
    }
}

/// Whether the asker says that the links in the paths of an ask were followed.
fn follows_links(ask: &Ask) -> bool {
    let action = ask.matter.action();
    action.is_some_and(|action| action.links.is_some())
}

/// Everything that may be offered for an ask; empty when it is for once only.
pub fn offers(ask: &Ask) -> Vec<Offer> {
    match &ask.matter {
        Matter::Approval(action) if may_be_offered(action) => of_action(ask, action),
        Matter::Approval(_) | Matter::Questions(_) | Matter::Form(_) => Vec::new(),
    }
}

/// How far a yes to an ask may reach.
pub fn scopes(ask: &Ask) -> &'static [Scope] {
    let Matter::Approval(action) = &ask.matter else {
        return &[];
    };
    if !may_be_offered(action) || of_action(ask, action).is_empty() {
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

fn of_action(ask: &Ask, action: &Action) -> Vec<Offer> {
    let facts = Facts {
        workspace: ask.workspace.as_ref(),
        ..Facts::of_action(action)
    };
    if !facts.agrees() || facts.escape().is_some() {
        return Vec::new();
    }
    match &action.act {
        _ if is_foreign(&action.tool) => of_foreign(&facts),
        Act::Shell { .. } => of_command(&facts),
        Act::Edit { path, .. } | Act::Write { path, .. } => of_file(&facts, path),
        Act::Other => of_tool(&facts),
    }
}

fn of_command(facts: &Facts<'_>) -> Vec<Offer> {
    let Some(Ok(line)) = &facts.line else {
        return Vec::new();
    };
    let vetted = |part| vetted::presets_of(part).next().is_some();
    let careless = line
        .parts
        .iter()
        .any(|part| never_offered(&part.argv) && !vetted(part));
    if careless {
        return Vec::new();
    }
    // Where a folder is told that cannot be compared, nothing can be bound to it.
    let folder = match (&facts.action.cwd, &facts.cwd) {
        (None, _) => Folder::Untold,
        (Some(_), Some(cwd)) => Folder::In(cwd.clone()),
        (Some(_), None) => return Vec::new(),
    };
    let tool = Some(facts.action.tool.clone());
    let place = match &folder {
        Folder::Anywhere | Folder::Untold => {
            ". The agent does not report its folder, so this applies wherever it runs".to_owned()
        }
        Folder::In(cwd) => format!(", in {}", escape_line(cwd)),
    };
    let mut offers = vec![Offer {
        preset: EXACT.to_owned(),
        says: format!("This exact command{place}."),
        subject: Subject::Command {
            line: line.clone(),
            folder: folder.clone(),
            tool: tool.clone(),
        },
    }];
    if let (Some(part), Ok(())) = (line.alone(), folder.takes_presets()) {
        let presets = vetted::presets_of(part).filter(|_| folder.is_above(facts).is_ok());
        offers.extend(presets.map(|preset| {
            let words: Vec<&str> = std::iter::once(preset.program)
                .chain(preset.path.iter().copied())
                .collect();
            let or_below = match preset.holds {
                Holds::Here => "",
                Holds::Below => " or below",
            };
            Offer {
                preset: preset.name.to_owned(),
                says: format!(
                    "Any `{}` with vetted options{place}{or_below}. {} {NEVER_SECRETS} {}",
                    words.join(" "),
                    preset.says,
                    links(facts.action)
                )
                .trim_end()
                .to_owned(),
                subject: Subject::Preset {
                    name: preset.name.to_owned(),
                    revision: preset.revision,
                    folder: folder.clone(),
                    tool: tool.clone(),
                },
            }
        }));
    }
    offers
}

/// What is known about links where this runs.
const fn links(action: &Action) -> &'static str {
    match &action.links {
        Some(_) => "",
        None => "Symbolic links there are not checked and may lead elsewhere.",
    }
}

fn of_file(facts: &Facts<'_>, path: &str) -> Vec<Offer> {
    let action = facts.action;
    let tool = escape_line(&action.tool);
    let mut offers = vec![Offer {
        preset: EXACT.to_owned(),
        says: format!("{tool} with this exact input."),
        subject: exactly(action),
    }];
    let Some(whole) = absolute(path, facts.cwd.as_deref()) else {
        return offers;
    };
    let links = links(action);
    let subject = |must| tool_subject(action, Predicate::File(must));
    if why_sensitive(&whole).is_none() && !makes_repository(&whole) {
        offers.push(Offer {
            preset: "this-file".to_owned(),
            says: format!(
                "{tool} on {}, with any content. {links}",
                escape_line(&whole)
            )
            .trim_end()
            .to_owned(),
            subject: subject(PathMust::Is(whole)),
        });
    }
    if let Some(folder) = &facts.cwd {
        let below = Predicate::File(PathMust::Below(folder.clone()));
        if !is_nobodys(folder) && below.holds(facts).is_ok() {
            offers.push(Offer {
                preset: "folder".to_owned(),
                says: format!(
                    "{tool} on any file below {}. {NEVER_SECRETS} {links}",
                    escape_line(folder)
                )
                .trim_end()
                .to_owned(),
                subject: subject(PathMust::Below(folder.clone())),
            });
        }
    }
    offers
}

fn of_tool(facts: &Facts<'_>) -> Vec<Offer> {
    let action = facts.action;
    let Some(input) = &facts.input else {
        return Vec::new();
    };
    if is_like_shell(&action.tool) {
        return Vec::new();
    }
    let tool = escape_line(&action.tool);
    let mut offers = vec![Offer {
        preset: EXACT.to_owned(),
        says: format!("{tool} with this exact input."),
        subject: exactly(action),
    }];
    let url = input.at("/url").and_then(super::input::InputValue::text);
    if let Some(host) = url
        .and_then(origin_of)
        .filter(|_| !texts::runs(&action.tool))
    {
        let predicate = Predicate::Value {
            at: "/url".to_owned(),
            must: Must::Host(host.clone()),
        };
        if unspoken(std::slice::from_ref(&predicate), input).is_none() {
            offers.push(Offer {
                preset: "host".to_owned(),
                says: format!("{tool}, only to {host}, with a URL and nothing else."),
                subject: tool_subject(action, predicate),
            });
        }
    }
    offers
}

/// A tool of an MCP server: only just this, and only while its schema is what it is now, where that
/// is told.
fn of_foreign(facts: &Facts<'_>) -> Vec<Offer> {
    let action = facts.action;
    if facts.input.is_none() {
        return Vec::new();
    }
    let until = match action.tool_schema {
        Some(_) => ", until the tool's schema changes.",
        None => ". The tool may change: its schema is not known.",
    };
    vec![Offer {
        preset: EXACT.to_owned(),
        says: format!("{} with this exact input{until}", escape_line(&action.tool)),
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

#[cfg(test)]
#[path = "offer_tests.rs"]
mod tests;
