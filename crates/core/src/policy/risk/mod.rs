//! How dangerous an action is, and why: decided from all of it, for every kind of tool.
//!
//! What only reads inside the workspace and is known to is low. What cannot be undone, sends data
//! away, changes how the machine starts or whom it trusts, touches sayso itself or cannot be read in
//! one way is high. Everything else is medium, unknown programs included. Nothing here allows or
//! denies anything: rules do not look at it.

mod archive;
mod code;
mod container;
mod database;
mod effort;
mod files;
mod filters;
mod git;
mod here;
mod judge;
mod net;
mod options;
mod peel;
mod place;
mod programs;
mod reader;
mod reason;
mod special;
mod tools;
mod word;

use self::judge::Judge;
use self::place::Surroundings;
use self::reason::{Findings, Reason};
use super::facts::Facts;
use crate::action::{Act, Action, Rated, Risk};
use crate::id::Workspace;

/// How dangerous an action is. The risk it already has is its agent's hint, which can only raise it.
pub fn rate(action: &Action, workspace: Option<&Workspace>) -> Rated {
    let facts = Facts::of_action(action);
    let mut found = Findings::default();
    let place = Surroundings::new(action.cwd.as_deref(), workspace.map(Workspace::as_str));
    if let Some(difference) = facts.difference() {
        found.put(Reason::Differs, Some(difference), None);
    }
    match &action.act {
        Act::Shell { command } => Judge::new(&mut found, place).script(command),
        Act::Edit { path, .. } | Act::Write { path, .. } => {
            tools::written(&mut found, &place, path);
            tools::named(&mut found, &facts, &place);
        }
        Act::Other => tools::judge(&mut found, &facts, &place),
    }
    if found.level().is_none() {
        found.add(Reason::Unknown);
    }
    if found.level() < Some(action.risk.level) {
        match action.risk.level {
            Risk::Low => {}
            Risk::Medium => found.add(Reason::HintMedium),
            Risk::High => found.add(Reason::HintHigh),
        }
    }
    found.rated()
}

#[cfg(test)]
#[path = "risk_tests.rs"]
mod tests;
