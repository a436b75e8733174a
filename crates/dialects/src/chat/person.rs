//! One front end's connection: which ask it shows, what it was told, and what its frames want.
//!
//! An answer that was taken has no acknowledgement in this language: the turn just goes on.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::entry::{Entry, EntryKind, Turn};
use sayso_core::escape::escape_line;
use sayso_core::id::{AskId, ConversationId};
use sayso_core::outcome::{Closing, Outcome};
use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::map::{self, ChatAnswer};
use super::opening::Opening;
use super::queue::{AskQueue, Stood};
use super::turn_progress::TurnProgress;
use super::wire::{AskUserResponse, Event, Frame, UserMessage};
use crate::Frames;
use crate::door::PersonHello;
use crate::envelope::{Envelope, Heard};
use crate::person_face::{PersonFace, PersonMove, PersonNews, Refused};

const MISMATCH: &str = "Question ID does not match pending question";
const NO_INTERRUPT: &str = "Interrupt not yet implemented";
const NO_MESSAGE: &str = "Missing 'message' field in data";
const BAD_FRAME: &str = "Invalid message format";
const BAD_ANSWER: &str = "Invalid ask_user_response";

/// The face of one connection.
pub(crate) fn face(hello: &PersonHello<'_>) -> Box<dyn PersonFace> {
    Box::new(Person {
        connection: super::connection_id(hello.random),
        placeholder: format!("pending_{}", hello.random),
        conversation: None,
        queue: AskQueue::default(),
        answering: None,
        told: TurnProgress::nothing(),
        named: false,
        taken: false,
    })
}

/// One connection.
#[derive(Debug)]
struct Person {
    connection: String,
    /// What the conversation is called until there is one.
    placeholder: String,
    conversation: Option<Arc<Conversation>>,
    queue: AskQueue,
    /// The ask that this connection answered last, until that is refused.
    answering: Option<AskId>,
    told: TurnProgress,
    /// Whether the conversation was named for a turn that is yet to begin.
    named: bool,
    taken: bool,
}

impl PersonFace for Person {
    fn read(&mut self, frame: &str, _now: Time, moves: &mut Vec<PersonMove>) {
        if self.taken {
            moves.push(PersonMove::Reply(Event::SessionTaken.written()));
            moves.push(PersonMove::Close("session taken"));
            return;
        }
        if let Err(error) = self.hear(frame, moves) {
            let error = Event::Error { error: &error };
            moves.push(PersonMove::Reply(error.written()));
        }
    }

    fn tell(&mut self, news: &PersonNews<'_>, now: Time, frames: &mut dyn Frames) {
        match *news {
            PersonNews::Opened {
                conversation,
                entries,
                turn,
                open,
            } => {
                self.conversation = conversation.cloned();
                self.opened(entries, turn, open, now, frames);
            }
            PersonNews::Began(conversation) => {
                self.conversation = Some(Arc::clone(conversation));
                self.named = true;
                self.name(frames);
            }
            PersonNews::Asked(view) => {
                if self.is_ours(view.ask.conversation) && self.queue.add(view) {
                    frames.push(shown(view, now));
                }
            }
            PersonNews::Closed(view) => {
                if let Some(closing) = &view.closing {
                    self.ended(view.ask.id, closing, now, frames);
                }
            }
            PersonNews::Entry(entry) => {
                if self.is_ours(Some(entry.conversation.id))
                    && let Some((_, event)) = self.told.entry(entry)
                {
                    frames.push(event.written());
                }
            }
            PersonNews::Saying {
                conversation, text, ..
            } => {
                if self.is_ours(Some(conversation.id))
                    && let Some(event) = self.told.piece(text)
                {
                    frames.push(event.written());
                }
            }
            PersonNews::Turn {
                conversation,
                name: _,
                turn,
                saying,
            } => {
                if self.is_ours(Some(conversation))
                    && self.told.turned(turn, saying, now)
                    && !std::mem::take(&mut self.named)
                {
                    self.name(frames);
                }
            }
            PersonNews::Refused { ask, why, .. } => self.refused(ask, why, now, frames),
            PersonNews::Taken => {
                self.taken = true;
                frames.push(Event::SessionTaken.written());
            }
            PersonNews::Resumed(_)
            | PersonNews::Status(_)
            | PersonNews::Recorded { .. }
            | PersonNews::Controlled { .. }
            | PersonNews::Done
            | PersonNews::Elapsed => {}
        }
    }
}

impl Person {
    fn is_ours(&self, conversation: Option<ConversationId>) -> bool {
        let own = self.conversation.as_ref().map(|own| own.id);
        own.is_some() && own == conversation
    }

    /// Reads a frame; an error is told back.
    fn hear(&mut self, frame: &str, moves: &mut Vec<PersonMove>) -> Result<(), String> {
        let bad_frame = |error| format!("{BAD_FRAME}: {error}");
        let envelope = Envelope::open(frame.as_bytes(), "type").map_err(bad_frame)?;
        match envelope.name() {
            "user_message" => {
                let frame: Frame<UserMessage> = envelope.read_kindly().map_err(bad_frame)?;
                let text = frame.data().and_then(|data| data.message);
                let Some(text) = text.filter(|text| !text.is_empty()) else {
                    return Err(NO_MESSAGE.to_owned());
                };
                moves.push(PersonMove::Message {
                    conversation: None,
                    text,
                });
                Ok(())
            }
            "ask_user_response" => {
                let frame: Frame<AskUserResponse> = envelope
                    .read_kindly()
                    .map_err(|error| format!("{BAD_ANSWER}: {error}"))?;
                moves.extend(self.answer(&frame.data().unwrap_or_default())?);
                Ok(())
            }
            "interrupt" => Err(NO_INTERRUPT.to_owned()),
            _ => match envelope.unknown::<()>().map_err(bad_frame)? {
                Heard::Known(()) => Ok(()),
                Heard::Unknown(name) => {
                    let error = format!("{BAD_FRAME}: unknown type `{}`", escape_line(&name));
                    moves.push(PersonMove::Unknown(name));
                    Err(error)
                }
            },
        }
    }

    /// What an answer wants; nothing when it comes too late.
    fn answer(&mut self, sent: &AskUserResponse) -> Result<Option<PersonMove>, String> {
        let Some(id) = sent.id() else {
            return Err(format!("{BAD_ANSWER}: /data/question_id: is missing"));
        };
        let Some(shown) = self.queue.first() else {
            return Ok(None);
        };
        let ask = shown.ask.id;
        let meant = map::ask_id(id);
        if meant != Some(ask) {
            let late = meant.is_some_and(|meant| self.queue.is_closed(meant));
            return if late {
                Ok(None)
            } else {
                Err(MISMATCH.to_owned())
            };
        }
        if self.answering == meant {
            return Ok(None);
        }
        let said = if sent.cancelled {
            ChatAnswer::Dismiss
        } else {
            map::said(shown, &sent.answers).map_err(|why| format!("{BAD_ANSWER}: {why}"))?
        };
        self.answering = meant;
        Ok(Some(match said {
            ChatAnswer::Answer(answer) => PersonMove::unbound(ask, answer),
            ChatAnswer::Dismiss => PersonMove::Dismiss {
                ask,
                seen: None,
                note: None,
                stop: false,
            },
        }))
    }

    fn opened(
        &mut self,
        entries: &[Entry],
        turn: Turn,
        open: &[AskView],
        now: Time,
        frames: &mut dyn Frames,
    ) {
        for entry in entries {
            if let EntryKind::Ask(view) = &entry.kind
                && view.closing.is_some()
            {
                self.queue.add(view);
            }
        }
        for view in open {
            if self.is_ours(view.ask.conversation) {
                self.queue.add(view);
            }
        }
        let own = self.conversation.as_ref();
        let conversation = own.map(|own| map::conversation_id(own.id));
        let shown = |view: &AskView| (map::question_id(view.ask.id), shown(view, now));
        let opening = Opening {
            connection: &self.connection,
            conversation: conversation.as_deref(),
            placeholder: &self.placeholder,
            entries,
            turn,
            shown: self.queue.first().map(shown),
        };
        opening.write(&mut self.told, now, frames);
    }

    /// Says which conversation this is.
    fn name(&self, frames: &mut dyn Frames) {
        if let Some(own) = &self.conversation {
            let id = map::conversation_id(own.id);
            let event = Event::SessionId {
                session_id: &id,
                session_id_again: &id,
            };
            frames.push(event.written());
        }
    }

    /// An ask ended: the one that was shown makes room for the next. Says whether it was known.
    fn ended(&mut self, ask: AskId, closing: &Closing, now: Time, frames: &mut dyn Frames) -> bool {
        match self.queue.close(ask) {
            Stood::Nowhere => return false,
            Stood::Behind => return true,
            Stood::First => {}
        }
        // An answer of this connection is taken for the one that counted; if another was faster,
        // the refusal that follows says so.
        let counted =
            self.answering == Some(ask) && matches!(closing.outcome, Outcome::Answered(_));
        if !counted {
            self.answering = None;
            frames.push(over(ask, closing));
        }
        frames.extend(self.queue.first().map(|view| shown(view, now)));
        true
    }

    fn refused(
        &mut self,
        ask: Option<AskId>,
        why: Refused<'_>,
        now: Time,
        frames: &mut dyn Frames,
    ) {
        let answered = ask.filter(|ask| self.answering == Some(*ask));
        if answered.is_some() {
            self.answering = None;
        }
        match (why, answered) {
            (Refused::AlreadyClosed(view), Some(ask)) => {
                let Some(closing) = &view.closing else {
                    return;
                };
                if !self.ended(ask, closing, now, frames) {
                    frames.push(over(ask, closing));
                }
            }
            (Refused::AlreadyClosed(_), None) => {}
            (Refused::Other(why), _) => {
                let error = match ask {
                    Some(_) => format!("{BAD_ANSWER}: {why}"),
                    None => why.to_owned(),
                };
                frames.push(Event::Error { error: &error }.written());
            }
        }
    }
}

/// The frame that shows an ask.
fn shown(view: &AskView, now: Time) -> String {
    let id = map::question_id(view.ask.id);
    let event = Event::AskUserQuestion {
        question_id: &id,
        question_id_again: &id,
        questions: map::to_wire(map::card(view)),
        timeout_seconds: map::seconds_left(view.ask.deadline, now),
    };
    event.written()
}

/// The frame that takes an ask away.
fn over(ask: AskId, closing: &Closing) -> String {
    let id = map::question_id(ask);
    let event = Event::AskUserTimeout {
        question_id: &id,
        question_id_again: &id,
        error: map::over(closing),
    };
    event.written()
}
