//! The vetted table: the only commands that a rule can cover without naming them word by word.
//!
//! A row lists what was looked at. What can write, run a program, or leave the folder is not in it:
//! `git diff --output`, `sort -o`, `find -exec`, `rg --pre`, `cargo --config`; nor are flags that make
//! a pattern out of what is otherwise a path, such as `grep -e`, nor words that some programs replace
//! by those of a file (`ruff @file`, `pytest @file`), nor searches through whole folders, which print
//! what hidden files and credentials in them say. Building and testing run the project's own code;
//! their rows say so, and the person decides.
//!
//! Programs that obey what a folder configures (git, build tools, test runners, linters) hold in
//! exactly the folder where the rule was given: a folder below may be a trap. Programs that only read
//! hold below it too.
//!
//! What no table can know: where `PATH` leads, aliases, and settings of the programs themselves,
//! such as git's `core.fsmonitor`. A rule lowers the number of questions; it is no sandbox.

mod table;

pub use super::preset::{Holds, Preset};
use super::shell::Part;
pub use table::PRESETS;

/// The presets that stand in every list of commands that are safe to run unasked: they only look.
/// One rule covers them all, for whoever wants it; nothing is allowed by default.
pub const SAFE: &str = "safe-defaults";

/// The presets in [`SAFE`].
pub const SAFE_PRESETS: &[&str] = &[
    "cat",
    "cut",
    "date",
    "echo",
    "find",
    "git-branch",
    "git-diff",
    "git-log",
    "git-show",
    "git-status",
    "go-version",
    "grep",
    "head",
    "jq",
    "ls",
    "pwd",
    "sort",
    "tail",
    "uniq",
    "wc",
    "which",
];

/// The revision of [`SAFE`].
pub const SAFE_REVISION: u32 = 2;

/// The preset of this name.
pub fn named(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The revision of a preset or of [`SAFE`], if there is one of this name.
pub fn revision(name: &str) -> Option<u32> {
    if name == SAFE {
        return Some(SAFE_REVISION);
    }
    named(name).map(|preset| preset.revision)
}

/// Whether no rule may allow this preset any more.
pub fn is_retired(name: &str) -> bool {
    named(name).is_some_and(|preset| preset.retired)
}

/// Whether a rule for this preset holds below the folder where it was given.
pub fn holds_below(name: &str) -> bool {
    name == SAFE || named(name).is_some_and(|preset| preset.holds == Holds::Below)
}

/// Every preset that a command is of.
pub fn presets_of(part: &Part) -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().filter(|preset| preset.fits(part).is_ok())
}

/// Whether a preset is one of [`SAFE`].
pub fn is_safe(preset: &Preset) -> bool {
    SAFE_PRESETS.contains(&preset.name)
}

#[cfg(test)]
#[path = "vetted_tests.rs"]
mod tests;
