//! What a person's frames want, and how it is done.
//!
//! Answers go together. What is said, looked at or wanted of a program waits for what came before it,
//! and holds up what comes after it.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::escape::escape_line;
use sayso_core::id::{AskId, ConversationName, Seq};
use sayso_core::time::Time;
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::{Control, PersonMove, PersonNews, Refused};
use sayso_hub::{HubError, MessageTo, NotControlled, PersonPass};

use super::order::Goes;
use super::person::{Answering, PersonConnection, Viewed};
use super::settle::settle;
use crate::answering;
use crate::doors::ws::Gone;
use crate::metrics::LongDoor;
use crate::problem::ApiError;
use crate::routes::rules::rule_choice;

/// What is said of something that only some programs can do.
const NOBODY: &str = "no connected program of this agent accepts such commands (Claude Code does \
                      when it is started with `sayso claude`)";
/// What is said when nothing came back.
const SILENT: &str = "the agent's program did not confirm it";

/// What became of it.
#[derive(Debug)]
pub(super) enum PersonDone {
    Nothing,
    Closed {
        number: u64,
        closed: Result<Box<AskView>, HubError>,
    },
    /// Those that were closed before in another way; or the one that could not be settled.
    Settled {
        number: u64,
        settled: Result<Vec<AskView>, (AskId, HubError)>,
    },
    /// Where something was said, and how far the journal had got before.
    Said(Result<(Arc<Conversation>, Seq), HubError>),
    Looked(Result<Arc<Conversation>, HubError>),
    Controlled {
        control: Control,
        done: Result<(), NotControlled>,
    },
}

/// Does what takes a while, on a connection that is about this place.
pub(super) async fn follow(
    pass: &PersonPass,
    place: Viewed,
    (number, wanted): (u64, PersonMove),
) -> PersonDone {
    match wanted {
        PersonMove::Answer {
            ask,
            seen,
            answer,
            rule,
        } => {
            let choice = rule_choice(rule.map(|rule| *rule));
            let closed = answering::answer(pass, ask, seen, answer, &choice).await;
            let closed = closed.map(Box::new);
            PersonDone::Closed { number, closed }
        }
        PersonMove::Dismiss {
            ask,
            seen,
            note,
            stop,
        } => {
            let closed = pass.dismiss(ask, seen, note, stop).await.map(Box::new);
            PersonDone::Closed { number, closed }
        }
        PersonMove::Settle(list) => PersonDone::Settled {
            number,
            settled: settle(pass, list).await,
        },
        PersonMove::Message { conversation, text } => {
            let before = pass.head();
            let said = match addressee(pass, place, conversation).await {
                Ok(to) => pass.message(to, text).await,
                Err(error) => Err(error),
            };
            PersonDone::Said(said.map(|said| (said.conversation, before)))
        }
        PersonMove::LookAt { conversation } => {
            PersonDone::Looked(pass.conversation(&conversation).await)
        }
        PersonMove::Control(control) => {
            let found = match (&control.conversation, place) {
                (Some(name), _) => pass.conversation(name).await.ok(),
                (None, Viewed::Here(conversation)) => Some(conversation),
                (None, Viewed::Everything | Viewed::New) => None,
            };
            let done = match found {
                Some(conversation) => pass.control(&conversation, control.what.clone()).await,
                None => Err(NotControlled::Nobody),
            };
            PersonDone::Controlled { control, done }
        }
        // Done where they were heard.
        PersonMove::Ref(_)
        | PersonMove::Reply(_)
        | PersonMove::Wrong(_)
        | PersonMove::Close(_)
        | PersonMove::Unknown(_) => PersonDone::Nothing,
    }
}

/// Where a message goes. A name that nobody knows yet is that of a new conversation.
async fn addressee(
    pass: &PersonPass,
    place: Viewed,
    named: Option<String>,
) -> Result<MessageTo, HubError> {
    let fresh = |name| MessageTo::New { agent: None, name };
    match (named, place) {
        (None, Viewed::Here(conversation)) => Ok(MessageTo::Conversation(conversation)),
        (None, Viewed::Everything | Viewed::New) => Ok(fresh(None)),
        (Some(named), _) => match pass.conversation(&named).await {
            Ok(conversation) => Ok(MessageTo::Conversation(conversation)),
            Err(HubError::Unknown(_)) => Ok(fresh(ConversationName::new(named).ok())),
            Err(error) => Err(error),
        },
    }
}

/// What the hub refused, and the ask where it was closed before.
pub(super) fn refusal(error: HubError, now: Time) -> (Option<Box<AskView>>, ApiError) {
    let mut closed = None;
    if let HubError::AlreadyClosed(view) | HubError::Expired { view, .. } = &error {
        closed = Some(view.clone());
    }
    (closed, ApiError::hub(error, Viewer::Anybody, now))
}

impl PersonConnection {
    /// What a frame wants stands in order; what is wrong with it is told at once. A reason when the
    /// connection is to be closed.
    pub(super) async fn hear(&mut self, text: &str) -> Result<Option<&'static str>, Gone> {
        let mut moves = std::mem::take(&mut self.moves);
        self.face.read(text, self.shared.now(), &mut moves);
        let mut reference = None;
        for wanted in moves.drain(..) {
            match wanted {
                PersonMove::Ref(named) => reference = Some(named),
                PersonMove::Answer { ask, .. } | PersonMove::Dismiss { ask, .. } => {
                    let number = self.number(reference.take(), Some(ask));
                    self.order.push(Goes::Together, (number, wanted));
                }
                PersonMove::Settle(_) => {
                    let number = self.number(reference.take(), None);
                    self.order.push(Goes::Together, (number, wanted));
                }
                PersonMove::Message { .. } | PersonMove::LookAt { .. } | PersonMove::Control(_) => {
                    self.order.push(Goes::Alone, (self.count, wanted));
                }
                PersonMove::Reply(frame) => self.line.send(&frame).await?,
                PersonMove::Wrong(problem) => {
                    self.wrong(reference.take(), &(*problem).into()).await?;
                }
                PersonMove::Close(reason) => return Ok(Some(reason)),
                PersonMove::Unknown(name) => {
                    self.shared.metrics.bad_frame(LongDoor::Feed);
                    let name = escape_line(&name);
                    tracing::debug!(dialect = %self.speech.name, %name, "a front end sent an \
                                                                         unknown frame");
                }
            }
        }
        self.moves = moves;
        Ok(None)
    }

    /// Counts an answer that is under way.
    fn number(&mut self, reference: Option<String>, ask: Option<AskId>) -> u64 {
        self.count += 1;
        self.answering
            .insert(self.count, Answering { reference, ask });
        self.count
    }

    /// The next that is to be followed; what needs no look is done here.
    pub(super) fn next_work(&mut self, pass: &PersonPass) -> Option<(u64, PersonMove)> {
        loop {
            let (number, wanted) = self.order.next()?;
            let PersonMove::Answer {
                ask,
                seen,
                answer,
                rule: None,
            } = wanted
            else {
                return Some((number, wanted));
            };
            let tray = (&self.tray, number);
            if let Err(answer) = answering::answer_into(pass, tray, ask, seen, answer) {
                let again = PersonMove::Answer {
                    ask,
                    seen,
                    answer: *answer,
                    rule: None,
                };
                return Some((number, again));
            }
            self.order.done();
        }
    }

    /// Tells what became of it.
    pub(super) async fn done(&mut self, pass: &PersonPass, done: PersonDone) -> Result<(), Gone> {
        match done {
            PersonDone::Nothing => Ok(()),
            PersonDone::Closed { number, closed } => {
                self.closed(number, closed.map(|view| *view)).await
            }
            PersonDone::Settled { number, settled } => {
                let reference = self.answering.remove(&number).and_then(|it| it.reference);
                match settled {
                    Ok(otherwise) => {
                        for view in otherwise {
                            let ask = Some(view.ask.id);
                            let error = HubError::AlreadyClosed(Box::new(view));
                            self.refused(reference.as_deref(), ask, error).await?;
                        }
                        Ok(())
                    }
                    Err((ask, error)) => self.refused(reference.as_deref(), Some(ask), error).await,
                }
            }
            PersonDone::Said(Ok((conversation, before))) => match &self.place {
                Viewed::New => self.begin(pass, &conversation, before).await,
                Viewed::Everything | Viewed::Here(_) => Ok(()),
            },
            PersonDone::Looked(Ok(found)) => {
                let (turn, saying) = (pass.turn(found.id), pass.saying(found.id));
                self.tell(&PersonNews::Turn {
                    conversation: found.id,
                    name: found.name.as_str(),
                    turn,
                    saying: &saying,
                })
                .await
            }
            PersonDone::Said(Err(error)) | PersonDone::Looked(Err(error)) => {
                self.refused(None, None, error).await
            }
            PersonDone::Controlled { control, done } => {
                let refused = match &done {
                    Ok(()) => None,
                    Err(NotControlled::Nobody) => Some(NOBODY),
                    Err(NotControlled::Refused(why)) => Some(why.as_str()),
                    Err(NotControlled::Silent) => Some(SILENT),
                };
                let control = &control;
                self.tell(&PersonNews::Controlled { control, refused })
                    .await
            }
        }
    }

    /// Tells what became of an answer. That an ask ended is told by the feed, to this connection as to
    /// every other.
    pub(super) async fn closed(
        &mut self,
        number: u64,
        closed: Result<AskView, HubError>,
    ) -> Result<(), Gone> {
        let Some(Answering { reference, ask }) = self.answering.remove(&number) else {
            return Ok(());
        };
        let reference = reference.as_deref();
        match closed {
            Ok(view) => {
                let view = &view;
                self.mention(&PersonNews::Recorded { reference, view })
                    .await
            }
            Err(error) => self.refused(reference, ask, error).await,
        }
    }

    async fn refused(
        &mut self,
        reference: Option<&str>,
        ask: Option<AskId>,
        error: HubError,
    ) -> Result<(), Gone> {
        let (closed, refusal) = refusal(error, self.shared.now());
        let why = match &closed {
            Some(view) => Refused::AlreadyClosed(view),
            None => Refused::Other(refusal.sentence()),
        };
        self.problem(reference, ask, why, &refusal).await
    }

    /// Tells what is wrong with a frame.
    pub(super) async fn wrong(
        &mut self,
        reference: Option<String>,
        refusal: &ApiError,
    ) -> Result<(), Gone> {
        self.shared.metrics.bad_frame(LongDoor::Feed);
        let why = Refused::Other(refusal.sentence());
        self.problem(reference.as_deref(), None, why, refusal).await
    }

    async fn problem(
        &mut self,
        reference: Option<&str>,
        ask: Option<AskId>,
        why: Refused<'_>,
        refusal: &ApiError,
    ) -> Result<(), Gone> {
        self.shared.count_problem(refusal.problem.code);
        self.tell(&PersonNews::Refused {
            reference,
            ask,
            why,
            problem: &refusal.problem,
        })
        .await
    }
}
