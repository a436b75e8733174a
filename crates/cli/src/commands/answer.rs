//! `sayso answer`: replies, a verdict, the fields of a preset, or putting an ask aside.

use std::collections::BTreeMap;

use clap::ArgMatches;
use sayso_client::{Client, ClientError};
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{
    AnswerRequest, Ask, DismissRequest, Matter, ProblemCode, Reply, RuleAppliesTo, RuleChoice,
    Scope, Verdict,
};

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::{AnswerFlags, AppliesToFlag, RuleChoiceFlags, ScopeFlag};
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::{resolve, show};

pub(crate) async fn run(
    flags: &AnswerFlags,
    order: &ArgMatches,
    place: &CommandContext,
    out: &mut Output,
) -> Ran {
    let replies = Groups::read(flags, order)?;
    let client = place.client(LocalRole::Person)?;
    let ask = resolve::ask(&client, &flags.id).await?;
    let said = say(&client, flags, replies, &ask).await?;
    match said {
        Ok(closed) => print(&closed, flags, out),
        Err(error) => second(error, flags, out),
    }
}

/// Sends it; an error of the server is given back for its winner.
async fn say(
    client: &Client,
    flags: &AnswerFlags,
    replies: Groups,
    ask: &Ask,
) -> Result<Result<Ask, ClientError>, Failure> {
    let note = || one_note(flags);
    if flags.dismiss {
        let dismissal = DismissRequest {
            digest: ask.digest.clone(),
            note: note()?,
            stop: flags.stop,
        };
        return Ok(client.dismiss(&ask.id, &dismissal).await);
    }
    let mut answer = AnswerRequest {
        digest: ask.digest.clone(),
        replies: None,
        verdict: None,
        fields: None,
        rule: choice(flags),
    };
    if flags.allow || flags.deny {
        if let Some(edit) = &flags.edit {
            takes_edits(ask)?;
            serde_json::from_str::<serde::de::IgnoredAny>(edit)
                .map_err(|error| Failure::usage(format!("--edit is not JSON: {error}")))?;
        }
        let scope = match flags.scope {
            Some(ScopeFlag::Once) | None => Scope::Once,
            Some(ScopeFlag::Conversation) => Scope::Conversation,
            Some(ScopeFlag::Always) => Scope::Always,
        };
        answer.verdict = Some(Verdict {
            allow: flags.allow,
            scope,
            note: note()?,
            input: flags.edit.clone(),
            stop: flags.stop,
        });
    } else if let Some(fields) = &flags.fields {
        let fields = serde_json::from_str(fields)
            .map_err(|error| Failure::usage(format!("--fields is not a JSON object: {error}")))?;
        answer.fields = Some(fields);
    } else {
        answer.replies = Some(replies.settle(ask, &flags.id)?);
    }
    Ok(client.answer(&ask.id, &answer).await)
}

/// Whether a yes may change the input: some languages have no place for another one.
fn takes_edits(ask: &Ask) -> Result<(), Failure> {
    if ask.edit != Some(false) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the input can't be edited: this agent speaks {}, which can't carry a changed input",
        escape_line(&ask.agent.dialect)
    ))
    .hint("allow it as it is, or deny it and use --note to say what to change"))
}

/// The rule that is wanted with a verdict, when anything is said about it.
fn choice(flags: &AnswerFlags) -> Option<RuleChoice> {
    let RuleChoiceFlags {
        preset,
        applies_to,
        expires,
    } = &flags.rule;
    let choice = RuleChoice {
        preset: preset.clone(),
        applies_to: applies_to.map(|applies_to| match applies_to {
            AppliesToFlag::Agent => RuleAppliesTo::Agent,
            AppliesToFlag::Workspace => RuleAppliesTo::Workspace,
        }),
        expires_s: expires.map(|span| span.as_secs()),
    };
    (choice != RuleChoice::default()).then_some(choice)
}

fn one_note(flags: &AnswerFlags) -> Result<Option<String>, Failure> {
    match flags.note.as_slice() {
        [] => Ok(None),
        [note] => Ok(Some(note.clone())),
        [_, _, ..] => Err(Failure::usage("use --note only once here")),
    }
}

fn print(ask: &Ask, flags: &AnswerFlags, out: &mut Output) -> Ran {
    if flags.json {
        return out.json([ask]);
    }
    let how = ask
        .outcome
        .as_ref()
        .map_or_else(|| "closed".to_owned(), |outcome| show::closed(ask, outcome));
    out.data(&how)?;
    if flags.scope.is_some_and(|scope| scope != ScopeFlag::Once) {
        out.say(
            "made a rule from it; `sayso rules list` shows whom it applies to and when it \
                 ends",
        );
    }
    Ok(Exit::Done)
}

/// Somebody else was first: what they said is what counts, so that is printed.
fn second(error: ClientError, flags: &AnswerFlags, out: &mut Output) -> Ran {
    if let ClientError::Refused { problem, .. } = &error
        && problem.code == ProblemCode::Expired
    {
        let kept = if problem.kept == Some(true) {
            "; your answer was saved as a late answer"
        } else {
            ""
        };
        return Err(Failure::new(
            Exit::Expired,
            format!("the deadline of this ask has passed{kept}"),
        ));
    }
    match resolve::winner(error) {
        Ok(ask) => {
            print(&ask, flags, out)?;
            Err(Failure::new(
                Exit::AlreadyClosed,
                "this ask was already closed; the outcome that counts is printed",
            ))
        }
        Err(error) => {
            let does_not_fit = matches!(&error, ClientError::Refused { problem, .. }
                if matches!(problem.code, ProblemCode::Invalid | ProblemCode::ScopeUnavailable));
            let failure = Failure::from(error);
            Err(if does_not_fit {
                failure.hint(format!(
                    "`sayso show {}` lists the possible answers",
                    escape_line(&flags.id)
                ))
            } else {
                failure
            })
        }
    }
}

/// What was said for each question, in the order of the flags.
#[derive(Debug, Default, PartialEq, Eq)]
struct Groups {
    /// Said before any `--question`.
    first: Option<Group>,
    /// Said behind a `--question`, which counts from 1.
    named: BTreeMap<usize, Group>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Group {
    labels: Vec<String>,
    other: Option<String>,
    note: Option<String>,
}

/// One flag of the replies.
enum Part<'a> {
    Question(usize),
    Pick(&'a str),
    Other(&'a str),
    Note(&'a str),
}

impl Groups {
    fn read(flags: &AnswerFlags, order: &ArgMatches) -> Result<Self, Failure> {
        if flags.allow || flags.deny || flags.dismiss || flags.fields.is_some() {
            return Ok(Self::default());
        }
        if flags.stop {
            return Err(Failure::usage("--stop needs --deny or --dismiss"));
        }
        let mut parts: Vec<(usize, Part<'_>)> = Vec::new();
        let places = |name: &str| order.indices_of(name).into_iter().flatten();
        parts.extend(places("question").zip(flags.question.iter().copied().map(Part::Question)));
        parts.extend(places("pick").zip(flags.pick.iter().map(|text| Part::Pick(text))));
        parts.extend(places("other").zip(flags.other.iter().map(|text| Part::Other(text))));
        parts.extend(places("note").zip(flags.note.iter().map(|text| Part::Note(text))));
        parts.sort_by_key(|(place, _)| *place);
        let mut groups = Self::default();
        let mut current = None;
        for (_, part) in parts {
            if let Part::Question(number) = part {
                if number == 0 {
                    return Err(Failure::usage("questions are numbered from 1"));
                }
                current = Some(number);
                groups.group(current);
            } else {
                groups.group(current).add(&part)?;
            }
        }
        if groups == Self::default() {
            return Err(Failure::usage("no answer was given")
                .hint("use --pick, --other, --fields, --allow, --deny or --dismiss; see `sayso answer --help`"));
        }
        Ok(groups)
    }

    fn group(&mut self, number: Option<usize>) -> &mut Group {
        match number {
            Some(number) => self.named.entry(number).or_default(),
            None => self.first.get_or_insert_default(),
        }
    }

    fn settle(self, ask: &Ask, id: &str) -> Result<Vec<Reply>, Failure> {
        if ask.matter != Matter::Questions {
            let how = match ask.matter {
                Matter::Questions => "--pick or --other",
                Matter::Approval => "--allow or --deny",
                Matter::Form => "--fields",
            };
            return Err(Failure::usage(format!(
                "this ask has no questions; use {how}"
            )));
        }
        let count = ask.questions.as_ref().map_or(0, Vec::len);
        let mut groups = self.named;
        if let Some(number) = groups.keys().find(|number| **number > count) {
            return Err(Failure::usage(format!(
                "there is no question {number}: this ask has {count}, numbered from 1"
            ))
            .hint(format!("`sayso show {}` numbers them", escape_line(id))));
        }
        if let Some(first) = self.first {
            if count > 1 {
                return Err(Failure::usage(format!(
                    "this ask has {count} questions; choose one with --question N"
                ))
                .hint(format!("`sayso show {}` numbers them", escape_line(id))));
            }
            if !groups.is_empty() {
                return Err(Failure::usage(
                    "put --question before the flags that belong to it",
                ));
            }
            groups.insert(1, first);
        }
        Ok(groups
            .into_iter()
            .map(|(number, group)| Reply {
                question: number - 1,
                labels: group.labels,
                other: group.other,
                note: group.note,
            })
            .collect())
    }
}

impl Group {
    fn add(&mut self, part: &Part<'_>) -> Result<(), Failure> {
        let once = |slot: &mut Option<String>, text: &str, flag: &str| {
            if slot.replace(text.to_owned()).is_some() {
                return Err(Failure::usage(format!(
                    "{flag} was given twice for one question"
                )));
            }
            Ok(())
        };
        match part {
            Part::Question(_) => Ok(()),
            Part::Pick(label) => {
                self.labels.push((*label).to_owned());
                Ok(())
            }
            Part::Other(text) => once(&mut self.other, text, "--other"),
            Part::Note(text) => once(&mut self.note, text, "--note"),
        }
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
