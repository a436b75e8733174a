//! One run: what the front end is told, what it wants, and when it is over.

use sayso_core::digest::Digest;
use sayso_core::entry::{Entry, EntryKind, MessageState, NoteStatus, Turn, TurnEnd};
use sayso_core::escape::escape_line;
use sayso_core::id::{AskId, Seq};
use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::map::{self, FrontEndTools, Given, ShownAs, ShownId};
use super::text_stream::TextStream;
use super::wire::{Custom, Event, Noted, Outcome, Patch, Place};
use crate::Frames;
use crate::person_face::{PersonMove, PersonNews, Refused, Settlement, StreamFace};

/// Asks that one run shows; the others are shown by the next.
const SHOWN_MAX: usize = 32;
/// Letters of a foreign id that are repeated.
const ID_CHARS_MAX: usize = 80;

/// What a front end says to one ask.
#[derive(Debug)]
pub(crate) struct Meant {
    /// How it names it.
    pub(crate) name: String,
    /// The ask of that name; nothing where it is none of ours.
    pub(crate) id: Option<ShownId>,
    /// What it says.
    pub(crate) given: Given,
    /// What it proved to have shown.
    pub(crate) seen: Option<Digest>,
}

/// How answers came.
#[derive(Debug)]
pub(crate) enum Answers {
    /// As the resume of interrupts.
    Resume(Vec<Meant>),
    /// As results of tools.
    Results(Vec<Meant>),
}

impl Answers {
    /// All of them.
    pub(crate) fn list(&self) -> &[Meant] {
        match self {
            Self::Resume(list) | Self::Results(list) => list,
        }
    }
}

/// What the person said last.
#[derive(Debug)]
pub(crate) struct LastWord {
    pub(crate) id: Option<String>,
    pub(crate) text: String,
}

/// Why a run came to nothing: a code, and a sentence.
type Fault = (&'static str, String);

/// The face of one run.
#[derive(Debug)]
pub(crate) struct RunFace {
    /// What the front end calls the conversation and the run.
    names: (String, String),
    /// Whether it speaks version 1.0 or later.
    is_new: bool,
    form: ShownAs,
    answers: Answers,
    word: Option<LastWord>,
    /// Whether the front end keeps state for us.
    keeps_state: bool,
    /// How far it was told what the agent said.
    seen_to: Option<Seq>,
    /// The id of its last message that was taken in.
    taken: Option<String>,
    /// How far it is told by now.
    seq: Seq,
    /// What it was last told to keep.
    kept: (Option<Seq>, Option<String>),
    told: TextStream,
    open: Vec<AskView>,
    settled: Vec<AskId>,
    /// Words that the agent has yet to be given.
    waiting: Option<String>,
    over: bool,
}

impl RunFace {
    pub(crate) fn new(
        names: (String, String),
        is_new: bool,
        form: ShownAs,
        answers: Answers,
        word: Option<LastWord>,
        (keeps_state, seen_to, taken): (bool, Option<Seq>, Option<String>),
        random: &str,
    ) -> Self {
        Self {
            names,
            is_new,
            form,
            answers,
            word,
            keeps_state,
            seen_to,
            taken: taken.clone(),
            seq: Seq::ZERO,
            kept: (seen_to, taken),
            told: TextStream::nothing(random),
            open: Vec::new(),
            settled: Vec::new(),
            waiting: None,
            over: false,
        }
    }

    fn opened(&mut self, entries: &[Entry], turn: Turn, frames: &mut dyn Frames) {
        let (thread_id, run_id) = (&self.names.0, &self.names.1);
        frames.push(Event::RunStarted { thread_id, run_id }.written());
        let again = self.is_again(entries, turn);
        if again {
            self.word = None;
        }
        // What the front end cannot have: everything after the place it kept, or after its own words.
        let missed = match (self.seen_to, again) {
            (Some(seen_to), _) => entries.iter().position(|entry| entry.seq > seen_to),
            (None, true) => last_message(entries).map(|(place, ..)| place),
            (None, false) => None,
        };
        let missed = missed.and_then(|from| entries.get(from..));
        for entry in missed.unwrap_or_default() {
            if let EntryKind::Said(said) = &entry.kind {
                self.told.missed(&said.text, frames);
            }
        }
        self.seq = entries.last().map_or(Seq::ZERO, |entry| entry.seq);
        self.seq = self.seq.max(self.seen_to.unwrap_or(Seq::ZERO));
        self.told.go_live(turn);
    }

    /// Whether the last words of the front end were taken in by an earlier run. One that keeps state
    /// says so; of another they are those that the agent still works on, or that it is answering.
    fn is_again(&mut self, entries: &[Entry], turn: Turn) -> bool {
        let Some(word) = &self.word else {
            return false;
        };
        if let Some(taken) = &self.taken {
            return word.id.as_ref() == Some(taken);
        }
        let Some((_, text, state)) = last_message(entries) else {
            return false;
        };
        let is_unfinished = turn != Turn::Idle || state == MessageState::Queued;
        text == word.text && (is_unfinished || !self.answers.list().is_empty())
    }

    /// The answers, once all of them make sense.
    fn settlements(&self, named: &[AskView]) -> Result<Vec<Settlement>, Fault> {
        let (list, unknown, partial) = match &self.answers {
            Answers::Resume(list) => (list, "unknown_interrupt", "partial_resume"),
            Answers::Results(list) => (list, "unknown_tool_call", "partial_results"),
        };
        let mut settled: Vec<Settlement> = Vec::new();
        for meant in list {
            let known = meant
                .id
                .and_then(|id| Some((id, named.iter().find(|view| view.ask.id == id.ask)?)));
            let Some((id, view)) = known else {
                let why = format!(
                    "This conversation has no ask called `{}`.",
                    shown(&meant.name)
                );
                return Err((unknown, why));
            };
            if settled.iter().any(|other| other.ask == id.ask) {
                let why = format!("`{}` is answered twice.", shown(&meant.name));
                return Err(("bad_answer", why));
            }
            let how = map::settled(view, &meant.given, meant.seen.is_some()).map_err(|why| {
                let why = format!(
                    "The answer to `{}` was rejected: {why}.",
                    shown(&meant.name)
                );
                ("bad_answer", why)
            })?;
            settled.push(Settlement {
                ask: id.ask,
                seen: meant.seen,
                how,
            });
        }
        let of = list.iter().filter_map(|meant| meant.id).map(|id| id.of);
        if of.clone().any(|of| of != settled.len()) {
            let most = of.max().unwrap_or(0);
            let why = if most > settled.len() {
                format!(
                    "Only {} of the {most} asks that were shown together are answered; answer \
                     all of them in one request.",
                    settled.len()
                )
            } else {
                "These asks were not shown together; answer all asks of one run in one request."
                    .to_owned()
            };
            return Err((partial, why));
        }
        Ok(settled)
    }

    fn fail(&mut self, code: &'static str, message: &str, frames: &mut dyn Frames) {
        frames.push(Event::RunError { message, code }.written());
        self.over = true;
    }

    /// Gives the front end what it is to keep.
    fn keep(&mut self, frames: &mut dyn Frames) {
        let kept = (Some(self.seq), self.taken.clone());
        if !self.keeps_state || self.kept == kept {
            return;
        }
        self.kept = kept;
        let patch = Patch {
            op: "add",
            path: "/sayso",
            value: Place {
                seq: self.seq.0,
                taken: self.taken.as_deref(),
            },
        };
        frames.push(Event::StateDelta { delta: [patch] }.written());
    }

    /// The end of the run: with what is open, if anything is.
    fn finish(&mut self, frames: &mut dyn Frames) {
        self.told.end(frames);
        self.keep(frames);
        self.over = true;
        let of = self.open.len().min(SHOWN_MAX);
        let ids: Vec<String> = self
            .open
            .iter()
            .take(SHOWN_MAX)
            .map(|view| {
                ShownId {
                    ask: view.ask.id,
                    of,
                }
                .written()
            })
            .collect();
        let parent = self.told.fresh_id();
        let asks = self.open.iter().zip(&ids);
        let (calls, outcome) = match &self.form {
            ShownAs::Interrupts if !ids.is_empty() => {
                let interrupts = asks.map(|(view, id)| map::interrupt(view, id)).collect();
                (&[][..], Some(Outcome::Interrupt { interrupts }))
            }
            ShownAs::Interrupts => (&[][..], self.success(&[])),
            ShownAs::ToolCalls(tools) => {
                for (view, id) in asks {
                    call(tools, view, id, &parent, frames);
                }
                (ids.as_slice(), None)
            }
        };
        let outcome = outcome.or_else(|| self.success(calls));
        let finished = Event::RunFinished {
            thread_id: &self.names.0,
            run_id: &self.names.1,
            outcome,
        };
        frames.push(finished.written());
    }

    /// Older front ends take no outcome but an interrupt, or one without these ids.
    fn success<'a>(&self, pending_tool_call_ids: &'a [String]) -> Option<Outcome<'a>> {
        self.is_new.then_some(Outcome::Success {
            pending_tool_call_ids,
        })
    }

    fn entry(&mut self, entry: &Entry, frames: &mut dyn Frames) {
        self.seq = self.seq.max(entry.seq);
        match &entry.kind {
            EntryKind::Message { message, state } => {
                if self.waiting.as_ref() != Some(&message.text) {
                    return;
                }
                match state {
                    MessageState::Queued => {}
                    MessageState::Sent => self.waiting = None,
                    MessageState::Removed => {
                        self.waiting = None;
                        let why = "This message was removed before the agent received it.";
                        self.fail("message_removed", why, frames);
                    }
                }
            }
            EntryKind::Said(said) => self.told.said(&said.text, frames),
            EntryKind::Note(note) => {
                let noted = Noted {
                    tool: &note.tool,
                    text: &note.text,
                    status: note.status.map(NoteStatus::word),
                };
                frames.push(Event::Custom(Custom::Note(noted)).written());
            }
            EntryKind::Ask(_) => {}
            // The turn before the one that this run began.
            EntryKind::TurnEnded(_) if self.waiting.is_some() => self.told.end(frames),
            EntryKind::TurnEnded(end) => match end {
                TurnEnd::Done => self.finish(frames),
                TurnEnd::Failed => {
                    self.keep(frames);
                    self.fail(
                        "turn_failed",
                        "The agent reported that its turn failed.",
                        frames,
                    );
                }
                TurnEnd::Lost => {
                    self.keep(frames);
                    let why = "The agent stopped responding during its turn.";
                    self.fail("turn_lost", why, frames);
                }
                TurnEnd::Stopped => {
                    self.keep(frames);
                    self.fail("turn_stopped", "The agent's turn was stopped.", frames);
                }
            },
        }
    }

    fn refused(&mut self, why: Refused<'_>, frames: &mut dyn Frames) {
        match why {
            Refused::AlreadyClosed(view) => {
                if let Some(closing) = &view.closing {
                    let closed = map::closed(view, closing);
                    frames.push(Event::Custom(Custom::Closed(closed)).written());
                }
            }
            Refused::Other(why) => self.fail("refused", why, frames),
        }
    }
}

impl StreamFace for RunFace {
    fn wants(
        &mut self,
        named: &[AskView],
        _now: Time,
        moves: &mut Vec<PersonMove>,
        frames: &mut dyn Frames,
    ) {
        match self.settlements(named) {
            Err((code, why)) => return self.fail(code, &why, frames),
            Ok(settled) if settled.is_empty() => {}
            Ok(settled) => {
                self.settled = settled.iter().map(|one| one.ask).collect();
                moves.push(PersonMove::Settle(settled));
            }
        }
        if let Some(word) = self.word.take() {
            self.waiting = Some(word.text.clone());
            if word.id.is_some() {
                self.taken = word.id;
            }
            moves.push(PersonMove::Message {
                conversation: None,
                text: word.text,
            });
        }
    }

    fn tell(&mut self, news: &PersonNews<'_>, _now: Time, frames: &mut dyn Frames) {
        if self.over {
            return;
        }
        match *news {
            PersonNews::Opened {
                conversation: _,
                entries,
                turn,
                open,
            } => {
                self.open = open.to_vec();
                self.opened(entries, turn, frames);
            }
            PersonNews::Done => {
                self.open
                    .retain(|view| !self.settled.contains(&view.ask.id));
                if self.open.is_empty() {
                    // A stream that breaks must not make the front end say its words again.
                    self.keep(frames);
                } else {
                    self.finish(frames);
                }
            }
            PersonNews::Asked(view) => {
                self.open.push(view.clone());
                self.finish(frames);
            }
            PersonNews::Closed(view) => self.open.retain(|open| open.ask.id != view.ask.id),
            PersonNews::Entry(entry) => self.entry(entry, frames),
            PersonNews::Saying { text, .. } => self.told.piece(text, frames),
            PersonNews::Turn { saying, .. } => self.told.saying(saying),
            PersonNews::Refused { why, .. } => self.refused(why, frames),
            PersonNews::Elapsed => self.finish(frames),
            PersonNews::Resumed(_)
            | PersonNews::Began(_)
            | PersonNews::Status(_)
            | PersonNews::Recorded { .. }
            | PersonNews::Controlled { .. }
            | PersonNews::Taken => {}
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}

/// The newest words of a person, where they stand, and whether the agent has them.
fn last_message(entries: &[Entry]) -> Option<(usize, &str, MessageState)> {
    entries
        .iter()
        .enumerate()
        .rev()
        .find_map(|(place, entry)| match &entry.kind {
            EntryKind::Message { message, state } => Some((place, message.text.as_str(), *state)),
            EntryKind::Said(_)
            | EntryKind::Note(_)
            | EntryKind::Ask(_)
            | EntryKind::TurnEnded(_) => None,
        })
}

/// Shows an ask as a call of a tool, which has no result until the front end gives one.
fn call(tools: &FrontEndTools, view: &AskView, id: &str, parent: &str, frames: &mut dyn Frames) {
    let call = tools.call(view);
    let events = [
        Event::ToolCallStart {
            tool_call_id: id,
            tool_call_name: call.name,
            parent_message_id: parent,
        },
        Event::ToolCallArgs {
            tool_call_id: id,
            delta: &call.arguments,
        },
        Event::ToolCallEnd { tool_call_id: id },
    ];
    frames.extend(events.iter().map(Event::written));
}

fn shown(name: &str) -> String {
    let short: String = name.chars().take(ID_CHARS_MAX).collect();
    escape_line(&short).into_owned()
}
