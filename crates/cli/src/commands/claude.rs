//! `sayso claude`: stands in for the `claude` executable, also under its name.

use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use sayso_bridges::claude::{LaunchPlan, StandIn};
use sayso_bridges::tie::{ParentTie, become_tied};
use sayso_core::escape::escape_line;

use super::hook::server_access;
use crate::context::CommandContext;
use crate::dispatch::block_on;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::{ClaudeCommand, ClaudeFlags};
use crate::output::Output;
use crate::settings::names::{BESIDE, CLAUDE_BIN};

/// The name of what we stand in for.
const NAME: &str = "claude";

/// The words of this process. Called `claude`, everything is for the CLI.
pub(crate) fn as_called(words: Vec<OsString>) -> Vec<OsString> {
    let called = words.first().map(Path::new).and_then(Path::file_name);
    if called.is_none_or(|name| name != NAME) {
        return words;
    }
    let ours = ["sayso", NAME, "--"].map(OsString::from);
    ours.into_iter().chain(words.into_iter().skip(1)).collect()
}

pub(crate) fn run(flags: &ClaudeFlags, place: &CommandContext, out: &mut Output) -> Ran {
    match &flags.command {
        Some(ClaudeCommand::Run(flags)) => return super::claude_run::run(flags, place, out),
        Some(ClaudeCommand::Tied(flags)) => {
            let error = become_tied(flags.parent, &flags.words);
            return Err(Failure::unexpected(format!("cannot run the CLI: {error}")));
        }
        None => {}
    }
    let bin = find(flags.bin.as_deref(), place)?;
    match LaunchPlan::of(&flags.words) {
        LaunchPlan::Become => Err(replace(&bin, &flags.words)),
        LaunchPlan::Stand { words, app_answers } => {
            let stand_in = StandIn {
                server: server_access(place),
                bin,
                tie: tie(),
                words,
                app_answers,
                mark: BESIDE,
            };
            block_on(async {
                let code = stand_in
                    .run(|line| out.say(&format!("sayso claude: {}", escape_line(line))))
                    .await?;
                Ok(Exit::As(code))
            })
        }
    }
}

/// What makes a program end with this process, where the system can do that.
pub(crate) fn tie() -> ParentTie {
    let own = std::env::current_exe().ok();
    let parent = std::process::id().to_string();
    let words = |own: PathBuf| {
        let rest = [NAME, "tied", &parent, "--"].map(OsString::from);
        std::iter::once(own.into_os_string()).chain(rest).collect()
    };
    let own = own.filter(|_| cfg!(target_os = "linux"));
    ParentTie(own.map(words).unwrap_or_default())
}

/// The CLI: what is named, else the first of that name that is not we.
pub(crate) fn find(named: Option<&Path>, place: &CommandContext) -> Result<PathBuf, Failure> {
    let named = named.map(Path::to_owned);
    if let Some(bin) = named.or_else(|| place.environment.get(CLAUDE_BIN).map(PathBuf::from)) {
        return Ok(bin);
    }
    find_cli(place).ok_or_else(|| {
        Failure::usage("there is no other `claude` in PATH")
            .hint("install Claude Code, or set its path with --bin")
    })
}

/// The CLI in PATH, if there is one.
pub(crate) fn find_cli(place: &CommandContext) -> Option<PathBuf> {
    let path = place.environment.get("PATH").unwrap_or_default();
    std::env::split_paths(path)
        .map(|folder| folder.join(NAME))
        .find(|file| is_program(file) && !is_us(file))
}

fn is_program(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// Whether this file is this very program, whatever it is called.
fn is_us(file: &Path) -> bool {
    let us = std::env::current_exe().and_then(|us| us.metadata()).ok();
    us.zip(file.metadata().ok())
        .is_some_and(|(us, file)| (us.dev(), us.ino()) == (file.dev(), file.ino()))
}

/// Becomes the CLI, so that its terminal, signals and exit code are its own.
#[expect(
    clippy::disallowed_methods,
    reason = "standing in for a program means to run it"
)]
fn replace(bin: &Path, words: &[OsString]) -> Failure {
    let error = std::process::Command::new(bin).args(words).exec();
    Failure::unexpected(format!(
        "{} cannot be run: {error}",
        escape_line(&bin.display().to_string())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_it_is_called_by_decides() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            as_called(words("sayso claude -p")),
            words("sayso claude -p")
        );
        assert_eq!(
            as_called(words("/opt/x/claude --version")),
            words("sayso claude -- --version")
        );
        assert_eq!(as_called(Vec::new()), Vec::<OsString>::new());
    }
}
