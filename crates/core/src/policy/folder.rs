//! Where a rule holds: in one folder, in folders below it, or where nobody says where.

use std::fmt;

use super::facts::Facts;
use super::predicate::{absolute, below};
use super::sensitive::why_sensitive;
use crate::escape::escape_line;

/// Folders in which nobody works: a preset given there would hold for the whole machine.
const NOBODYS: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/media",
    "/mnt",
    "/opt",
    "/private",
    "/private/etc",
    "/private/tmp",
    "/private/var",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/var",
    "/var/lib",
    "/var/log",
    "/var/tmp",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
];

/// Where a command must run for a rule to cover it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Folder {
    /// Anywhere. Only an admin may say so.
    Anywhere,
    /// Where the asker does not tell its folder.
    Untold,
    /// In this folder, by its whole path.
    In(String),
}

impl Folder {
    /// Whether an ask runs exactly here.
    pub(super) fn is_here(&self, facts: &Facts<'_>) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Untold => facts.action.cwd.is_none(),
            Self::In(folder) => facts.cwd.as_ref() == Some(folder),
        }
    }

    /// Whether an ask runs here or below, in no hidden folder, and inside the workspace it tells; if
    /// not, why not.
    pub(super) fn is_above(&self, facts: &Facts<'_>) -> Result<(), String> {
        let folder = match self {
            Self::Anywhere => return Ok(()),
            Self::Untold => return Err("the rule names no folder".to_owned()),
            Self::In(folder) => folder,
        };
        let cwd = facts
            .cwd
            .as_deref()
            .ok_or("the agent does not report its folder")?;
        if cwd != folder {
            let rest = below(cwd, folder)
                .ok_or_else(|| format!("only in {} or below", escape_line(folder)))?;
            if let Some(why) = why_sensitive(rest) {
                return Err(format!("its folder {why}"));
            }
        }
        facts.within_workspace(cwd)
    }

    /// Whether a preset may be given here, or why not.
    pub(super) fn takes_presets(&self) -> Result<(), &'static str> {
        match self {
            Self::Anywhere | Self::Untold => Err("must name the folder where the preset applies"),
            Self::In(folder) if is_nobodys(folder) => {
                Err("is not in a project folder: a preset there would apply to the whole machine")
            }
            Self::In(_) => Ok(()),
        }
    }
}

/// Whether a folder, by its whole path, is one in which nobody works.
pub(super) fn is_nobodys(folder: &str) -> bool {
    NOBODYS.contains(&folder) || absolute(folder, None).as_deref() != Some(folder)
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anywhere => f.write_str("in any folder"),
            Self::Untold => f.write_str("where the agent does not report its folder"),
            Self::In(folder) => write!(f, "in {}", escape_line(folder)),
        }
    }
}
