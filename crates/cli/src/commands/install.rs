//! `sayso install claude`: puts our hooks into the settings of Claude Code, or takes them out.
//!
//! The file is read, edited as text, shown as a difference, kept as a backup, and replaced in one
//! step. No token ever goes into it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use sayso_bridges::install::{InPlace, in_place, obstacles, with_hooks, without_hooks};
use sayso_core::escape::escape_line;

use crate::argv::shell_line;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::InstallFlags;
use crate::output::Output;
use crate::settings::SettingSource;

/// Backups of one file; whoever has so many can spare an older one.
const BACKUPS_MAX: usize = 1000;
/// The largest settings file.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

pub(crate) fn run(flags: &InstallFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let path = settings_path(flags.project, place)?;
    let before = read(&path)?;
    let command = command(place)?;
    let after = if flags.uninstall {
        without_hooks(before.as_deref().unwrap_or("{}"))
    } else {
        with_hooks(before.as_deref(), &command)
    };
    let shown = escape_line(&path.display().to_string()).into_owned();
    let after = after.map_err(|bad| {
        Failure::unexpected(format!("{shown} can't be edited: {bad}")).hint(
            "nothing was changed; fix the file, or add the hooks by hand: `sayso install \
                   claude --print`",
        )
    })?;
    if flags.print {
        out.raw(after.as_bytes())?;
        return Ok(Exit::Done);
    }
    if !flags.uninstall {
        warn(&command, out);
    }
    if before.as_deref().unwrap_or("{}") == after {
        out.say(&format!("{shown} is up to date; nothing was changed"));
    } else {
        for line in difference(before.as_deref().unwrap_or_default(), &after) {
            out.say(&escape_line(&line));
        }
        refuse_read_only(&path)?;
        if let Some(text) = &before {
            let kept = back_up(&path, text)?;
            out.say(&format!(
                "the old settings are saved in {}",
                escape_line(&kept.display().to_string())
            ));
        }
        write(&path, &after)?;
        out.say(&format!("wrote {shown}"));
    }
    if !flags.uninstall {
        check(&command)?;
        out.say(
            "checked: the hook works. Claude Code reads the settings when it starts; check \
                 with `sayso doctor`",
        );
    }
    Ok(Exit::Done)
}

/// Whether our hooks are in the settings of this user, or of the project here.
pub(crate) fn standing(project: bool, place: &CommandContext) -> Result<InstallState, Failure> {
    let path = settings_path(project, place)?;
    let text = read(&path)?;
    let hooks = match &text {
        Some(text) => in_place(text).map_err(|bad| {
            Failure::unexpected(format!(
                "{} cannot be read: {bad}",
                escape_line(&path.display().to_string())
            ))
        })?,
        None => InPlace::None,
    };
    Ok(InstallState {
        obstacles: text.as_deref().map(obstacles).unwrap_or_default(),
        path,
        hooks,
    })
}

/// How a settings file stands.
pub(crate) struct InstallState {
    pub(crate) path: PathBuf,
    pub(crate) hooks: InPlace,
    /// What in it keeps people from being asked.
    pub(crate) obstacles: Vec<String>,
}

fn settings_path(project: bool, place: &CommandContext) -> Result<PathBuf, Failure> {
    let folder = if project {
        std::env::current_dir()?.join(".claude")
    } else if let Some(folder) = place.environment.get("CLAUDE_CONFIG_DIR") {
        PathBuf::from(folder)
    } else {
        PathBuf::from(place.environment.path("CLAUDE_CONFIG_DIR", "", ".claude")?)
    };
    let path = folder.join("settings.json");
    // A link stays a link: what it points to is edited.
    match fs::canonicalize(&path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path),
        Err(error) => Err(Failure::unexpected(format!(
            "cannot find {}: {error}",
            path.display()
        ))),
    }
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    let failed = |error: io::Error| {
        Failure::unexpected(format!("cannot read {}: {error}", path.display()))
            .hint("nothing was changed")
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(about) if about.len() > BYTES_MAX => {
            return Err(failed(io::Error::other("it is too large for settings")));
        }
        Ok(_) => {}
    }
    fs::read_to_string(path).map(Some).map_err(failed)
}

/// The shell command that runs the hook: this very program, by its whole path.
fn command(place: &CommandContext) -> Result<String, Failure> {
    Ok(shell_line(&own_words(place, &["hook"])?))
}

/// This very program by its whole path, with these words, wherever it is run from.
pub(crate) fn own_words(place: &CommandContext, words: &[&str]) -> Result<Vec<String>, Failure> {
    let program = std::env::current_exe()?;
    let text = |path: &Path| {
        path.to_str()
            .map(str::to_owned)
            .ok_or_else(|| Failure::unexpected(format!("{} is not valid UTF-8", path.display())))
    };
    let mut all = vec![text(&program)?];
    all.extend(words.iter().map(|&word| word.to_owned()));
    // A state that was named now must be named by the hook too; it runs elsewhere.
    if let SettingSource::Flag(_) = place.settings.state.source {
        let state = std::path::absolute(&place.settings.state.value)?;
        all.extend(["--state".to_owned(), text(&state)?]);
    }
    Ok(all)
}

fn warn(command: &str, out: &mut Output) {
    if command.contains("/target/debug/") || command.contains("/target/release/") {
        out.say(
            "warning: this program is in a build folder; the hooks stop working when that \
                 folder is cleaned",
        );
    }
}

/// The lines that go and come, with the few around them that stay.
fn difference(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(same)
        .count()
        .min(old.len().min(new.len()) - head);
    let part = |lines: &[&str], mark: &str| -> Vec<String> {
        let lines = lines.get(head..lines.len() - tail).unwrap_or_default();
        lines.iter().map(|line| format!("{mark} {line}")).collect()
    };
    [part(&old, "-"), part(&new, "+")].concat()
}

fn back_up(path: &Path, text: &str) -> Result<PathBuf, Failure> {
    for number in 1..=BACKUPS_MAX {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".sayso-{number}"));
        let kept = PathBuf::from(name);
        match fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&kept)
        {
            Ok(mut file) => {
                file.write_all(text.as_bytes())
                    .and_then(|()| file.sync_all())?;
                return Ok(kept);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unwritable(&kept, &error)),
        }
    }
    Err(Failure::unexpected(
        "there are too many backups of the settings",
    ))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::unexpected(format!("cannot write {}: {error}", path.display()))
        .hint("nothing was changed; `sayso install claude --print` shows what would be written")
}

/// Somebody does not want it to change.
fn refuse_read_only(path: &Path) -> Result<(), Failure> {
    let read_only = fs::metadata(path).is_ok_and(|about| about.permissions().readonly());
    if read_only {
        return Err(unwritable(path, &io::Error::other("it is read-only")));
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| unwritable(path, &error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mode = fs::metadata(path).map(|about| about.permissions()).ok();
    let new = path.with_extension(format!("json.new-{}", std::process::id()));
    fs::write(&new, text).map_err(failed)?;
    if let Some(mode) = mode {
        fs::set_permissions(&new, mode).map_err(failed)?;
    }
    fs::rename(&new, path).map_err(failed)
}

/// Runs the hook as Claude Code would, with something that asks nothing.
#[expect(
    clippy::disallowed_methods,
    reason = "the command that was just written for this user is tried once"
)]
fn check(command: &str) -> Result<(), Failure> {
    let told = br#"{"session_id":"sayso-install-check","hook_event_name":"Stop"}"#;
    let mut child = std::process::Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(told)?;
    }
    let ended = child.wait_with_output()?;
    let said = [ended.stdout, ended.stderr].concat();
    if ended.status.success() && said.is_empty() {
        return Ok(());
    }
    Err(Failure::unexpected(format!(
        "the hook is installed but its test failed: {}",
        escape_line(String::from_utf8_lossy(&said).trim())
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown() {
        assert_eq!(
            difference("a\nb\nc\n", "a\nx\ny\nc\n"),
            ["- b", "+ x", "+ y"]
        );
        assert_eq!(difference("", "a\n"), ["+ a"]);
        assert_eq!(difference("a\na\n", "a\n"), ["- a"]);
        assert_eq!(difference("a\n", "a\n"), [""; 0]);
    }
}
