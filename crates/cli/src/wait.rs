//! Asking and waiting on a terminal: a line that says it waits, and Ctrl-C that withdraws.

use std::cell::RefCell;
use std::pin::pin;
use std::time::Duration;

use sayso_client::{ClientError, ServerLocator, WaitProgress, Waiting};
use sayso_core::escape::escape_line;
use sayso_core::time::Time;
use sayso_dialects::native::wire::{Answer, Ask, NewAsk, Outcome, OutcomeKind, State};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::clock;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::signals::StopSignal;
use crate::span;

/// How long Ctrl-C may take to withdraw: a person wants out.
const WITHDRAW_MAX: Duration = Duration::from_secs(2);
const WITHDRAWN: &str = "The asking command was interrupted.";

/// An ask that is closed, and the wait that must still be confirmed.
#[derive(Debug)]
pub(crate) struct Closed {
    pub(crate) ask: Ask,
    waiting: Waiting,
}

impl Closed {
    /// How it ended.
    pub(crate) fn outcome(&self) -> Result<&Outcome, Failure> {
        self.ask.outcome.as_ref().ok_or_else(|| {
            Failure::unexpected("the ask is closed, but its outcome was erased")
                .hint("use another --key to ask again")
        })
    }

    /// Tells the server that the outcome was handed over. What cannot be told stays owed.
    pub(crate) async fn confirm(&mut self, out: &mut Output) {
        if let Err(error) = self.waiting.confirm().await {
            out.say(&format!(
                "note: could not tell the server that the answer arrived: {}",
                escape_line(&error.to_string())
            ));
        }
    }
}

/// Asks and waits for the outcome; Ctrl-C takes the ask back.
pub(crate) async fn ask(
    place: &CommandContext,
    new: &NewAsk,
    key: Option<&str>,
    out: &mut Output,
) -> Result<Closed, Failure> {
    let client = place.client(LocalRole::Agent)?;
    // A server that took a free port comes back at another one; its file says where.
    let again = place.clone();
    let locator = ServerLocator::of(move || again.client(LocalRole::Agent).ok());
    let mut stop = StopSignal::listen()?;
    let mut waiting = {
        let mut begun = pin!(Waiting::begin_at(&client, locator, new, key));
        tokio::select! {
            begun = &mut begun => begun?,
            () = stop.come() => {
                // The ask may be on its way: see it through, then take it back.
                if let Ok(Ok(waiting)) = timeout(WITHDRAW_MAX, begun).await {
                    return Err(withdraw(waiting, out).await);
                }
                return Err(Failure::silent(Exit::Interrupted));
            }
        }
    };
    let outcome = follow(&mut waiting, &mut stop, out).await;
    match outcome {
        Some(Ok(ask)) => Ok(Closed { ask, waiting }),
        Some(Err(error)) => Err(error.into()),
        None => Err(withdraw(waiting, out).await),
    }
}

/// The outcome, or nothing when the wait was interrupted.
async fn follow(
    waiting: &mut Waiting,
    stop: &mut StopSignal,
    out: &mut Output,
) -> Option<Result<Ask, ClientError>> {
    let state = RefCell::new(WaitProgress::Connected);
    let mut shown = Shown::new(waiting.ask());
    if waiting.ask().state == State::Open {
        shown.begin(out);
    }
    let mut ticks = interval(Duration::from_secs(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let ended = {
        let mut outcome = pin!(waiting.outcome(|now| *state.borrow_mut() = now.clone()));
        loop {
            tokio::select! {
                biased;
                () = stop.come() => break None,
                ended = &mut outcome => break Some(ended),
                _ = ticks.tick() => shown.tick(&state.borrow(), clock::now(), out),
            }
        }
    };
    Shown::end(out);
    ended
}

async fn withdraw(mut waiting: Waiting, out: &mut Output) -> Failure {
    let said = match timeout(WITHDRAW_MAX, waiting.withdraw(Some(WITHDRAWN))).await {
        Ok(Ok(ask))
            if ask
                .outcome
                .as_ref()
                .is_none_or(|outcome| outcome.kind == OutcomeKind::Withdrawn) =>
        {
            "withdrawn".to_owned()
        }
        Ok(Ok(_)) => "interrupted; the ask was already answered, see `sayso history`".to_owned(),
        Ok(Err(error)) => format!(
            "interrupted; could not withdraw the ask: {}",
            escape_line(&error.to_string())
        ),
        Err(_) => "interrupted; could not withdraw the ask in time; it stays open".to_owned(),
    };
    out.say(&said);
    Failure::silent(Exit::Interrupted)
}

/// The line that says it waits.
struct Shown {
    id: String,
    deadline: Option<Time>,
    was_cut: bool,
}

impl Shown {
    fn new(ask: &Ask) -> Self {
        Self {
            id: escape_line(&ask.id).into_owned(),
            deadline: ask.deadline.map(|deadline| deadline.0),
            was_cut: false,
        }
    }

    fn begin(&self, out: &mut Output) {
        if !out.said_is_terminal {
            out.say(&self.line(&WaitProgress::Connected, clock::now()));
        }
    }

    fn tick(&mut self, state: &WaitProgress, now: Time, out: &mut Output) {
        let cut = matches!(state, WaitProgress::Cut { .. });
        if out.said_is_terminal {
            out.rewrite(&self.line(state, now));
        } else if cut != self.was_cut {
            out.say(&self.line(state, now));
        }
        self.was_cut = cut;
    }

    fn end(out: &mut Output) {
        if out.said_is_terminal {
            out.rewrite("");
        }
    }

    fn line(&self, state: &WaitProgress, now: Time) -> String {
        let left = match self.deadline {
            Some(deadline) => format!(", {} left", span::words(deadline.since(now))),
            None => String::new(),
        };
        match state {
            WaitProgress::Connected => format!(
                "waiting for an answer to {}{left}; Ctrl-C withdraws it",
                self.id
            ),
            WaitProgress::Cut { why, .. } => {
                format!("{}; the ask is saved, retrying{left}", escape_line(why))
            }
        }
    }
}

/// The exit code that tells how an ask ended.
pub(crate) fn exit_of(outcome: &Outcome) -> Exit {
    match outcome.kind {
        OutcomeKind::Answered => match &outcome.answer {
            Some(Answer::Verdict(verdict)) if !verdict.allow => Exit::Denied,
            Some(Answer::Verdict(_) | Answer::Replies(_) | Answer::Fields(_)) => Exit::Done,
            // Nothing was said that could be taken for a yes.
            None => Exit::Unexpected,
        },
        OutcomeKind::Dismissed => Exit::Dismissed,
        OutcomeKind::Expired => Exit::Expired,
        OutcomeKind::Withdrawn => Exit::Withdrawn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_long_still() {
        let mut shown = Shown {
            id: "01938d1e".into(),
            deadline: Some(Time::from_millis(252_000)),
            was_cut: false,
        };
        let now = Time::from_millis(0);
        assert_eq!(
            shown.line(&WaitProgress::Connected, now),
            "waiting for an answer to 01938d1e, 4 min 12 s left; Ctrl-C withdraws it"
        );
        let cut = WaitProgress::Cut {
            why: "cannot reach\u{1b}[2J".into(),
            again_in: Duration::ZERO,
        };
        assert_eq!(
            shown.line(&cut, now),
            "cannot reach\\u{1b}[2J; the ask is saved, retrying, 4 min 12 s left"
        );
        shown.deadline = None;
        assert_eq!(
            shown.line(&WaitProgress::Connected, now),
            "waiting for an answer to 01938d1e; Ctrl-C withdraws it"
        );
    }
}
