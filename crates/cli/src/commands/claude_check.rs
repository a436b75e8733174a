//! What `doctor` says about Claude Code: which one is there, whether our hooks are, and what will not
//! work on it.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use sayso_bridges::install::InPlace;
use sayso_bridges::run::all;
use sayso_core::escape::escape_line;

use super::claude::find_cli;
use super::install::{InstallState, standing};
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::Output;

/// How long a program may take to say its version, in tenths of a second.
const TENTHS_MAX: usize = 50;

/// The last version in which a hook is not asked for permissions under `-p`.
const OLD: [u32; 3] = [2, 1, 197];

pub(crate) fn run(place: &CommandContext, out: &mut Output) -> Result<(), Failure> {
    let cli = find_cli(place);
    let hooks = standing(false, place);
    let none = |standing: &InstallState| standing.hooks == InPlace::None;
    if cli.is_none() && hooks.as_ref().is_ok_and(none) {
        return Ok(());
    }
    out.data("")?;
    let version = cli.as_ref().and_then(version_of);
    match (&cli, &version) {
        (None, _) => out.data("claude code: not found in PATH")?,
        (Some(cli), None) => out.data(&format!(
            "claude code: {} does not report its version",
            escape_line(&cli.display().to_string())
        ))?,
        (Some(cli), Some(version)) => out.data(&format!(
            "claude code: {} at {}",
            escape_line(version),
            escape_line(&cli.display().to_string())
        ))?,
    }
    let elsewhere = |project: &InstallState| {
        let own = hooks.as_ref();
        own.map_or(true, |own| own.path != project.path)
    };
    let project = standing(true, place).ok().filter(elsewhere);
    let in_project = project
        .as_ref()
        .is_some_and(|project| project.hooks != InPlace::None);
    match hooks {
        // A project has its own, and what is there twice would be asked twice.
        Ok(standing) if standing.hooks == InPlace::None && in_project => {}
        Ok(standing) => told(&standing, out)?,
        Err(failure) => out.data(&format!(
            "claude hooks: {}",
            failure.error.unwrap_or_default()
        ))?,
    }
    if let Some(project) = &project
        && (in_project || !project.obstacles.is_empty())
    {
        told(project, out)?;
    }
    let waiting = all(&place.settings.state.value).len();
    if waiting > 0 {
        out.data(&format!(
            "claude runs: {waiting} unfinished and not running; run `sayso claude run \
             --resume-all`"
        ))?;
    }
    for line in version.as_deref().and_then(numbers).map_or(&[][..], limits) {
        out.data(line)?;
    }
    Ok(())
}

fn told(standing: &InstallState, out: &mut Output) -> Result<(), Failure> {
    let word = match standing.hooks {
        InPlace::All => "installed",
        InPlace::Some => "partly installed; run `sayso install claude`",
        InPlace::None => "not installed; run `sayso install claude`",
    };
    out.data(&format!(
        "claude hooks: {word} ({})",
        escape_line(&standing.path.display().to_string())
    ))?;
    for line in &standing.obstacles {
        out.data(&format!("  {}", escape_line(line)))?;
    }
    Ok(())
}

fn limits(version: [u32; 3]) -> &'static [&'static str] {
    if version <= OLD {
        &[
            "  With -p, its hooks are not asked for permissions; use `sayso mcp` or `sayso \
             claude` there.",
            "  Under `sayso claude run`, its model is not told the result of a deferred call \
             when the turn had several calls.",
            "  MCP servers cannot send it a page to visit, only forms.",
        ]
    } else {
        &[
            "  Its sessions may start in permission mode `auto`, where a model approves commands \
             and you are not asked;",
            "  `claude --permission-mode default` asks. With -p, questions need `sayso mcp` or `sayso claude`.",
        ]
    }
}

/// `2.1.325 (Claude Code)` as numbers.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let word = version.split_whitespace().next()?;
    let mut parts = word.split('.').map(str::parse);
    let mut next = || parts.next()?.ok();
    Some([next()?, next()?, next()?])
}

#[expect(
    clippy::disallowed_methods,
    reason = "only the program itself knows its version"
)]
fn version_of(cli: &PathBuf) -> Option<String> {
    let mut child = std::process::Command::new(cli)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    for _ in 0..TENTHS_MAX {
        if child.try_wait().ok()?.is_some() {
            let said = child.wait_with_output().ok()?.stdout;
            let said = String::from_utf8_lossy(&said).trim().to_owned();
            return Some(said).filter(|said| !said.is_empty());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    // Whatever it does, it is not saying its version.
    drop(child.kill());
    drop(child.wait());
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_three_numbers() {
        assert_eq!(numbers("2.1.325 (Claude Code)"), Some([2, 1, 325]));
        assert_eq!(numbers("nonsense"), None);
        assert!(limits([2, 1, 197]) != limits([2, 1, 325]));
    }
}
