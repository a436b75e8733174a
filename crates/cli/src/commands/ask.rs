//! `sayso ask`: asks a person and prints the answer.

use std::io::Read;
use std::path::Path;

use sayso_core::escape::escape_block;
use sayso_core::limits::FRAME_BYTES_MAX;
use sayso_dialects::native::wire::{Choice, Matter, NewAsk, NewQuestion, Pick};

use crate::context::CommandContext;
use crate::failure::{Failure, Ran};
use crate::flags::{AskFlags, AskingFlags};
use crate::output::Output;
use crate::wait::exit_of;
use crate::{show, wait, workspace};

pub(crate) async fn run(flags: &AskFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let mut new = match (&flags.file, &flags.question) {
        (Some(file), _) => whole(file)?,
        (None, Some(question)) => of_question(flags, question),
        (None, None) => return Err(Failure::usage("no question was given")),
    };
    complete(&mut new, &flags.asking);
    let mut closed = wait::ask(place, &new, flags.asking.key.as_deref(), out).await?;
    let outcome = closed.outcome()?;
    if flags.json {
        out.json([outcome])?;
    } else if let Some(answer) = &outcome.answer {
        for value in show::values(closed.ask.questions.as_deref().unwrap_or_default(), answer) {
            // A script gets what was said; a terminal must not obey it.
            let value = if out.data_is_terminal {
                escape_block(&value).into_owned()
            } else {
                value
            };
            out.data(&value)?;
        }
    } else {
        out.say(&show::closed(&closed.ask, outcome));
    }
    let exit = exit_of(outcome);
    closed.confirm(out).await;
    Ok(exit)
}

fn of_question(flags: &AskFlags, text: &str) -> NewAsk {
    let mut question = NewQuestion::of(text);
    question.tag.clone_from(&flags.tag);
    question.choices = flags
        .choice
        .iter()
        .map(|choice| choice_of(choice))
        .collect();
    question.pick = flags.many.then_some(Pick::Many);
    NewAsk {
        questions: Some(vec![question]),
        ..NewAsk::of(Matter::Questions)
    }
}

fn choice_of(text: &str) -> Choice {
    match text.split_once('=') {
        Some((label, description)) => Choice {
            label: label.to_owned(),
            description: Some(description.to_owned()),
            ..Choice::default()
        },
        None => Choice {
            label: text.to_owned(),
            ..Choice::default()
        },
    }
}

/// What the flags say beyond the ask itself, and where we are.
pub(crate) fn complete(new: &mut NewAsk, asking: &AskingFlags) {
    if let Some(timeout) = asking.timeout {
        new.timeout_s = Some(timeout.as_secs());
    }
    if let Some(conversation) = &asking.conversation {
        new.conversation = Some(conversation.clone());
    }
    if new.workspace.is_none() {
        new.workspace = workspace::here().1;
    }
}

/// A whole ask from a file or stdin.
fn whole(file: &Path) -> Result<NewAsk, Failure> {
    let from_stdin = file == Path::new("-");
    let shown = if from_stdin {
        "stdin".to_owned()
    } else {
        file.display().to_string()
    };
    let failed = |error: std::io::Error| Failure::usage(format!("cannot read {shown}: {error}"));
    let mut source: Box<dyn Read> = if from_stdin {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).map_err(failed)?)
    };
    let mut bytes = Vec::new();
    source
        .by_ref()
        .take(FRAME_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() > FRAME_BYTES_MAX {
        return Err(Failure::usage(format!(
            "{shown} is larger than the limit for an ask ({FRAME_BYTES_MAX} bytes)"
        )));
    }
    sayso_dialects::native::read(&bytes).map_err(|error| {
        Failure::usage(format!(
            "{shown} is not an ask: {}",
            escape_block(&error.to_string())
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_a_label_and_perhaps_a_description() {
        let choice = |label: &str, description: Option<&str>| Choice {
            label: label.into(),
            description: description.map(str::to_owned),
            ..Choice::default()
        };
        assert_eq!(choice_of("Redis"), choice("Redis", None));
        assert_eq!(
            choice_of("Redis=in memory, a=b"),
            choice("Redis", Some("in memory, a=b"))
        );
        assert_eq!(choice_of("Redis="), choice("Redis", Some("")));
    }
}
