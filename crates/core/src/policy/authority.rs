//! Who may make what. The one place where it is decided, for the page, the API, the command, files of
//! rules and the answer to an ask alike; and for rules that were made before it was decided so.
//!
//! A person may allow exactly what was shown, and presets, for agents and folders that they name.
//! Everything wider is an admin's. To deny takes nothing away from anybody's safety and is free.

use super::folder::{Folder, is_nobodys};
use super::predicate::{Must, PathMust, Predicate};
use super::rule::{AppliesTo, Maker, Rule, Says, Subject, is_bound, is_foreign, never_offered};
use super::sensitive::why_sensitive;
use super::shell::Line;
use super::texts;
use super::vetted;

/// Who may make a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Authority {
    /// Any person.
    Person,
    /// Admins only.
    Admin,
}

impl Authority {
    /// Whether a rule may be made with this authority; if not, why, and what to add.
    pub fn may_make(self, says: &Says, applies_to: &AppliesTo) -> Result<(), String> {
        match self {
            Self::Admin => Ok(()),
            Self::Person => person_may(says, applies_to),
        }
    }
}

impl Maker {
    /// What this maker may make.
    pub const fn authority(&self) -> Authority {
        match self {
            Self::Person { .. } => Authority::Person,
            Self::Admin(_) => Authority::Admin,
        }
    }
}

impl Rule {
    /// Why a rule answers nothing although it has not ended: its preset changed, or it is wider than
    /// its maker may make one. Rules that deny always hold.
    pub fn idle(&self) -> Option<String> {
        match &self.says {
            Says::Deny(_) => return None,
            Says::Allow(_) | Says::Level { .. } => {}
        }
        if let Err(violation) = self.says.check() {
            return Some(format!(
                "This rule has no effect: its {} {}. Revoke it and make it again from an ask.",
                violation.path.trim_start_matches('/'),
                violation.message
            ));
        }
        let why = self
            .by
            .authority()
            .may_make(&self.says, &self.applies_to)
            .err()?;
        Some(format!(
            "This rule has no effect: {why}. Revoke it and make it again from an ask."
        ))
    }
}

fn person_may(says: &Says, applies_to: &AppliesTo) -> Result<(), String> {
    match says {
        Says::Deny(_) => Ok(()),
        Says::Level { .. } => Err("only an admin can set a level".to_owned()),
        Says::Allow(subject) => match subject {
            Subject::Words(_) => Err(
                "only an admin can allow every command that starts with certain words".to_owned(),
            ),
            Subject::Command { line, folder, .. } => command(line, folder, applies_to),
            Subject::Preset { folder, .. } => folder
                .takes_presets()
                .map_err(|why| format!("the rule {why}; set `cwd` (--cwd)")),
            Subject::Tool { tool, only } => uses(tool, only, applies_to),
        },
    }
}

fn command(line: &Line, folder: &Folder, applies_to: &AppliesTo) -> Result<(), String> {
    let careless = line
        .parts
        .iter()
        .any(|part| never_offered(&part.argv) && vetted::presets_of(part).next().is_none());
    if careless {
        return Err(
            "only an admin can allow programs that run other programs, use the network or are \
             given by path"
                .to_owned(),
        );
    }
    match folder {
        Folder::In(folder) if is_whole(folder) => Ok(()),
        Folder::In(_) => Err("the folder must be an absolute path without `..`".to_owned()),
        Folder::Untold if applies_to.agent.is_some() => Ok(()),
        Folder::Untold => Err(
            "the agent does not report its folder, so the rule must be for that one agent \
             (--agent)"
                .to_owned(),
        ),
        Folder::Anywhere => Err(
            "only an admin can allow a command in every folder; name one with `cwd` (--cwd)"
                .to_owned(),
        ),
    }
}

/// A use of a tool that is no shell command.
fn uses(tool: &str, only: &[Predicate], applies_to: &AppliesTo) -> Result<(), String> {
    let exactly = only.iter().any(Predicate::is_input);
    if only.iter().all(Predicate::is_schema) {
        return Err("only an admin can allow every use of a tool".to_owned());
    }
    if !exactly && is_foreign(tool) && !is_bound(only) {
        return Err(
            "tools of MCP servers can change, so without the tool's schema only one exact input \
             can be allowed"
                .to_owned(),
        );
    }
    if !exactly && texts::runs(tool) {
        return Err(
            "this tool runs the code it is given, so only one exact input can be allowed"
                .to_owned(),
        );
    }
    if let Some(why) = only.iter().find_map(too_wide) {
        return Err(why);
    }
    let named = applies_to.agent.is_some()
        || applies_to.conversation.is_some()
        || applies_to.workspace.is_some();
    // Where nobody tells the folder, one input means one thing to one agent only.
    let placed = applies_to.agent.is_some() || applies_to.workspace.is_some() || !is_foreign(tool);
    if !named || !placed {
        return Err(
            "the rule would apply to every agent everywhere; set an agent (--agent) or a \
             workspace (--workspace)"
                .to_owned(),
        );
    }
    Ok(())
}

/// Why a demand leaves more open than a person may.
fn too_wide(predicate: &Predicate) -> Option<String> {
    let must = match predicate {
        Predicate::File(must)
        | Predicate::Value {
            must: Must::Path(must),
            ..
        } => must,
        Predicate::Input(_) | Predicate::Schema(_) | Predicate::Value { .. } => return None,
    };
    match must {
        PathMust::Is(file) => why_sensitive(file)
            .map(|why| format!("only an admin can allow any change to a file that {why}")),
        PathMust::Below(folder) if is_nobodys(folder) => Some(
            "the folder is not a project folder; a rule there would apply to the whole machine"
                .to_owned(),
        ),
        PathMust::Below(_) => None,
    }
}

fn is_whole(folder: &str) -> bool {
    super::predicate::absolute(folder, None).as_deref() == Some(folder)
}
