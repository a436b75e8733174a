//! `sayso claude run`: Claude Code without a terminal, whose questions may wait for days.

use std::path::Path;

use sayso_bridges::BridgeError;
use sayso_bridges::run::{ClaudeRun, HOLD, RunEnd, RunFolder, RunProgram, RunStart, all};
use sayso_core::escape::escape_line;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use super::claude::{find, tie};
use super::hook::server_access;
use super::install::own_words;
use crate::argv::shell_line;
use crate::context::CommandContext;
use crate::dispatch::block_on;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::RunFlags;
use crate::output::Output;
use crate::settings::names::{BESIDE, RUN};
use crate::signals::StopSignal;

/// Words that say what only a run can say.
const OURS: [&str; 8] = [
    "-p",
    "--print",
    "--resume",
    "--continue",
    "--session-id",
    "--output-format",
    "--settings",
    "--permission-prompt-tool",
];

/// What a shell says for a program that was told to end.
const TERMINATED: u8 = 143;

pub(crate) fn run(flags: &RunFlags, place: &CommandContext, out: &mut Output) -> Ran {
    match &flags.prompt {
        Some(prompt) => block_on(begin(prompt, flags, place, out)),
        None => block_on(resume_all(flags, place, out)),
    }
}

async fn begin(prompt: &str, flags: &RunFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let is_ours = |word: &&String| {
        let name = word.split('=').next().unwrap_or_default();
        OURS.contains(&name)
    };
    if let Some(word) = flags.words.iter().find(is_ours) {
        let word = escape_line(word).into_owned();
        return Err(Failure::usage(format!(
            "{word} is set by `claude run`; leave it out"
        )));
    }
    let begun = RunStart {
        prompt: prompt.to_owned(),
        cwd: std::env::current_dir()?,
        bin: std::path::absolute(find(flags.bin.as_deref(), place)?)?,
        words: flags.words.clone(),
        hold_s: flags.hold.unwrap_or(HOLD).as_secs(),
    };
    let folder = RunFolder::make(&place.settings.state.value, &session()?, &begun)?;
    let session = folder.session().to_owned();
    let run = ClaudeRun {
        server: server_access(place),
        program: program(begun, &session, place)?,
        folder,
    };
    let interrupted = tokio::signal::ctrl_c();
    let mut terminate = signal(SignalKind::terminate())?;
    let done = {
        let say = |line: &str| out.say(&format!("sayso claude run: {}", escape_line(line)));
        tokio::select! {
            done = run.begin(say) => Some(done?),
            // The program is gone with the run.
            _ = interrupted => None,
            // It is the machine that wants to stop, not the person: the run is gone on with later.
            _ = terminate.recv() => return Ok(Exit::As(TERMINATED)),
        }
    };
    if let Some(done) = done {
        return said(&done, out);
    }
    if let Some(folder) = RunFolder::of_hook(&place.settings.state.value, &session) {
        ClaudeRun::stop(&server_access(place), &folder).await;
    }
    Ok(Exit::Interrupted)
}

fn said(done: &RunEnd, out: &mut Output) -> Ran {
    if !done.text.is_empty() {
        out.data(&escape_text(&done.text))?;
    }
    Ok(Exit::As(done.code))
}

/// Every line escaped, the lines kept.
fn escape_text(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| escape_line(line).into_owned())
        .collect();
    lines.join("\n")
}

async fn resume_all(flags: &RunFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let mut runs = JoinSet::new();
    for folder in all(&place.settings.state.value) {
        let session = folder.session().to_owned();
        let Some(mut begun) = folder.begun() else {
            out.say(&format!("{session} can't be read and is left unchanged"));
            continue;
        };
        if let Some(bin) = &flags.bin {
            begun.bin.clone_from(bin);
        }
        out.say(&format!(
            "resuming {session}: {}",
            escape_line(&begun.prompt)
        ));
        let run = ClaudeRun {
            server: server_access(place),
            program: program(begun, &session, place)?,
            folder,
        };
        runs.spawn(async move {
            // What it waits for is in the inbox.
            let done: Result<RunEnd, BridgeError> = run.go_on(|_| {}).await;
            (session, done)
        });
    }
    let mut exit = Exit::Done;
    let mut stop = StopSignal::listen()?;
    loop {
        let joined = tokio::select! {
            joined = runs.join_next() => joined,
            // They are gone on with the next time.
            () = stop.come() => return Ok(Exit::Interrupted),
        };
        let Some(joined) = joined else {
            return Ok(exit);
        };
        let (session, done) = joined.map_err(|error| Failure::unexpected(error.to_string()))?;
        match done {
            Ok(done) => {
                out.say(&format!("{session} ended with code {}", done.code));
                said(&done, out)?;
            }
            Err(error) => {
                exit = Exit::Unexpected;
                out.say(&format!("{session}: {}", escape_line(&error.to_string())));
            }
        }
    }
}

fn program(begun: RunStart, session: &str, place: &CommandContext) -> Result<RunProgram, Failure> {
    let state = std::path::absolute(&place.settings.state.value)?;
    let state = text(&state)?;
    Ok(RunProgram {
        begun,
        tie: tie(),
        hook: shell_line(&own_words(place, &["hook"])?),
        tools: own_words(place, &["mcp"])?,
        environment: vec![
            (BESIDE.to_owned(), "1".to_owned()),
            (RUN.to_owned(), session.to_owned()),
            ("SAYSO_STATE".to_owned(), state),
        ],
    })
}

fn text(path: &Path) -> Result<String, Failure> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::unexpected(format!("{} is not valid UTF-8", path.display())))
}

/// A name for a session: a random UUID, as Claude Code wants it.
fn session() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::unexpected(format!("no random source: {error}")))?;
    Ok(uuid::Builder::from_random_bytes(bytes)
        .into_uuid()
        .to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_a_uuid() {
        let name = session().unwrap();
        let parts: Vec<usize> = name.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(name.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&name.as_bytes()[19]), "{name}");
        assert_ne!(name, session().unwrap());
    }
}
