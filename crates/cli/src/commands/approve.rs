//! `sayso approve`: requests approval for an action, and runs a command only when it is given.

use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::process::CommandExt;
use std::path::Path;

use sayso_core::action;
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{
    Act, ActKind, Answer, Ask, Flag, Links, Matter, NewAction, NewAsk, Outcome, Verdict,
};

use super::ask::complete;
use crate::context::CommandContext;
use crate::failure::{Failure, Ran};
use crate::flags::ApproveFlags;
use crate::output::Output;
use crate::wait::exit_of;
use crate::{argv, json, show, wait, workspace};

/// What is said about a command that reads what is not shown.
const UNSEEN_INPUT: &str = "The command reads from a pipe or a file. What it reads is not shown.";

pub(crate) async fn run(flags: &ApproveFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let new = draft(flags)?;
    let mut closed = wait::ask(place, &new, flags.asking.key.as_deref(), out).await?;
    let outcome = closed.outcome()?;
    let line = json::line(outcome)?;
    if let Some(file) = &flags.outcome {
        write(file, &line)?;
    }
    if flags.json {
        out.data(&line)?;
    } else {
        out.say(&show::closed(&closed.ask, outcome));
    }
    let allowed = allowance(outcome);
    if allowed.is_none() || flags.command.is_empty() {
        if let (
            Some(Verdict {
                input: Some(input), ..
            }),
            false,
        ) = (allowed, flags.json)
        {
            out.data(input)?;
        }
        let exit = exit_of(outcome);
        closed.confirm(out).await;
        return Ok(exit);
    }
    let argv = to_run(flags, &new, &closed.ask, allowed)?;
    closed.confirm(out).await;
    Err(replace(&argv))
}

/// The verdict, when it is a yes. Nothing else ever is.
fn allowance(outcome: &Outcome) -> Option<&Verdict> {
    match (&outcome.kind, &outcome.answer) {
        (sayso_dialects::native::wire::OutcomeKind::Answered, Some(Answer::Verdict(verdict)))
            if verdict.allow =>
        {
            Some(verdict)
        }
        _ => None,
    }
}

/// What was allowed, word for word.
fn to_run(
    flags: &ApproveFlags,
    new: &NewAsk,
    ask: &Ask,
    allowed: Option<&Verdict>,
) -> Result<Vec<String>, Failure> {
    let asked = new.action.as_ref().map(|action| action.input.as_str());
    let shown = ask.action.as_ref().map(|action| action.input.as_str());
    if asked != shown {
        return Err(Failure::unexpected(
            "the allowed action is not the one this command asked for; nothing was run",
        ));
    }
    match allowed.and_then(|verdict| verdict.input.as_deref()) {
        Some(input) => argv::edited(input, &flags.command),
        None => Ok(flags.command.clone()),
    }
}

/// Whether the command would read a pipe or a file that the person who is asked does not see.
fn is_piped() -> bool {
    std::fs::metadata("/dev/stdin").is_ok_and(|input| {
        let kind = input.file_type();
        kind.is_fifo() || kind.is_socket() || kind.is_file()
    })
}

fn draft(flags: &ApproveFlags) -> Result<NewAsk, Failure> {
    let (input, act) = if flags.command.is_empty() {
        let input = flags.input.clone().unwrap_or_else(|| "{}".to_owned());
        serde_json::from_str::<serde::de::IgnoredAny>(&input)
            .map_err(|error| Failure::usage(format!("--input is not JSON: {error}")))?;
        (input, None)
    } else {
        let line = argv::shell_line(&flags.command);
        (
            argv::input(&flags.command),
            Some(Act {
                command: Some(line),
                ..Act::of(ActKind::Shell)
            }),
        )
    };
    let piped = act.is_some() && is_piped();
    let action = NewAction {
        // No rule may speak for what nobody is shown.
        flags: piped.then_some(Flag::NeedsPerson).into_iter().collect(),
        reason: piped.then(|| UNSEEN_INPUT.to_owned()),
        tool: flags.tool.clone(),
        input,
        tool_schema: flags.schema.clone(),
        cwd: workspace::here().0,
        act,
        ..NewAction::default()
    };
    let mut new = NewAsk {
        action: Some(action),
        ..NewAsk::of(Matter::Approval)
    };
    complete(&mut new, &flags.asking);
    let workspace = new.workspace.clone();
    if let Some(action) = &mut new.action {
        let command = action.act.as_ref().and_then(|act| act.command.clone());
        let act = command.map(|command| action::Act::Shell { command });
        let links = act.and_then(|act| {
            sayso_bridges::links_of(&act, action.cwd.as_deref(), workspace.as_deref())
        });
        action.links = links.map(|links| Links {
            resolved: true,
            escapes: links.escapes,
        });
    }
    Ok(new)
}

fn write(file: &Path, line: &str) -> Result<(), Failure> {
    std::fs::write(file, format!("{line}\n")).map_err(|error| {
        Failure::unexpected(format!(
            "cannot write the outcome to {}: {error}; nothing was run",
            file.display()
        ))
    })
}

/// Becomes the command, so that its signals, streams and exit code are its own.
#[expect(
    clippy::disallowed_methods,
    reason = "running the command that a person allowed is what `approve` is for"
)]
fn replace(argv: &[String]) -> Failure {
    let Some((program, words)) = argv.split_first() else {
        return Failure::unexpected("there is no command to run");
    };
    let error = std::process::Command::new(program).args(words).exec();
    Failure::unexpected(format!(
        "the command was allowed, but {} can't be run: {error}",
        escape_line(program)
    ))
}
