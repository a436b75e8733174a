//! What a person's frames want, followed one after the other.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::escape::escape_line;
use sayso_core::id::{AskId, ConversationName};
use sayso_core::view::AskView;
use sayso_dialects::{PersonMove, PersonNews, Refused, Settlement};
use sayso_hub::{HubError, MessageTo, NotControlled, PersonPass};

use super::person::{Place, Socket};
use super::settle::settle;
use crate::doors::ws::Gone;

/// What is said of something that only an agent behind our stand-in could do.
const NO_STAND_IN: &str = "this agent does not run behind `sayso claude`";
/// What is said when nothing came back.
const SILENT: &str = "the agent's program did not say that it did";

impl Socket {
    /// Follows a frame; a reason when the connection is to be closed.
    pub(super) async fn hear(
        &mut self,
        pass: &PersonPass,
        text: &str,
    ) -> Result<Option<&'static str>, Gone> {
        let mut moves = std::mem::take(&mut self.moves);
        self.face.read(text, self.shared.now(), &mut moves);
        for wanted in moves.drain(..) {
            if let PersonMove::Close(reason) = wanted {
                return Ok(Some(reason));
            }
            self.follow(pass, wanted).await?;
        }
        self.moves = moves;
        Ok(None)
    }

    async fn follow(&mut self, pass: &PersonPass, wanted: PersonMove) -> Result<(), Gone> {
        match wanted {
            PersonMove::Answer { ask, answer } => {
                let closed = pass.answer(ask, None, answer).await;
                self.closed(ask, closed).await
            }
            PersonMove::Dismiss { ask, note, stop } => {
                let closed = pass.dismiss(ask, None, note, stop).await;
                self.closed(ask, closed).await
            }
            PersonMove::Settle(list) => self.settle(pass, list).await,
            PersonMove::Message { conversation, text } => {
                self.message(pass, conversation, text).await
            }
            PersonMove::LookAt { conversation } => match pass.conversation(&conversation) {
                Ok(found) => {
                    let turn = pass.turn(found.id);
                    self.turn(pass, &found, turn).await
                }
                Err(error) => self.refused(None, error).await,
            },
            PersonMove::Control(control) => {
                let done = match &self.place {
                    Place::Here(conversation) => {
                        pass.control(conversation, control.what.clone()).await
                    }
                    Place::Everything | Place::New => Err(NotControlled::Nobody),
                };
                let refused = match &done {
                    Ok(()) => None,
                    Err(NotControlled::Nobody) => Some(NO_STAND_IN),
                    Err(NotControlled::Refused(why)) => Some(why.as_str()),
                    Err(NotControlled::Silent) => Some(SILENT),
                };
                let news = PersonNews::Controlled {
                    control: &control,
                    refused,
                };
                self.tell(&news).await
            }
            PersonMove::Reply(frame) => self.line.send(&frame).await,
            PersonMove::Unknown(name) => {
                let name = escape_line(&name);
                tracing::debug!(dialect = %self.speech.name, %name, "a front end sent a frame nobody knows");
                Ok(())
            }
            // Seen to before it comes here.
            PersonMove::Close(_) => Ok(()),
        }
    }

    /// What was done is told by the feed, to this connection as to every other.
    async fn closed(&mut self, ask: AskId, closed: Result<AskView, HubError>) -> Result<(), Gone> {
        match closed {
            Ok(_) => Ok(()),
            Err(HubError::AlreadyClosed(view) | HubError::Expired { view, .. }) => {
                let news = PersonNews::Refused {
                    ask: Some(ask),
                    why: Refused::AlreadyClosed(&view),
                };
                self.tell(&news).await
            }
            Err(error) => self.refused(Some(ask), error).await,
        }
    }

    async fn settle(&mut self, pass: &PersonPass, list: Vec<Settlement>) -> Result<(), Gone> {
        match settle(pass, list).await {
            Ok(otherwise) => {
                for view in otherwise {
                    let news = PersonNews::Refused {
                        ask: Some(view.ask.id),
                        why: Refused::AlreadyClosed(&view),
                    };
                    self.tell(&news).await?;
                }
                Ok(())
            }
            Err((ask, error)) => self.refused(Some(ask), error).await,
        }
    }

    async fn refused(&mut self, ask: Option<AskId>, error: HubError) -> Result<(), Gone> {
        let why = self.why(error);
        let news = PersonNews::Refused {
            ask,
            why: Refused::Other(&why),
        };
        self.tell(&news).await
    }

    async fn message(
        &mut self,
        pass: &PersonPass,
        named: Option<String>,
        text: String,
    ) -> Result<(), Gone> {
        let to = match self.addressee(pass, named) {
            Ok(to) => to,
            Err(error) => return self.refused(None, error).await,
        };
        let before = pass.head();
        match pass.message(to, text).await {
            Ok(said) => match &self.place {
                Place::New => self.begin(pass, &said.conversation, before).await,
                Place::Everything | Place::Here(_) => Ok(()),
            },
            Err(error) => self.refused(None, error).await,
        }
    }

    /// Where a message goes. A name that nobody knows yet is that of a new conversation.
    fn addressee(&self, pass: &PersonPass, named: Option<String>) -> Result<MessageTo, HubError> {
        let here: Option<Arc<Conversation>> = match &self.place {
            Place::Here(conversation) => Some(Arc::clone(conversation)),
            Place::Everything | Place::New => None,
        };
        let fresh = |name| MessageTo::New { agent: None, name };
        let Some(named) = named else {
            return Ok(here.map_or_else(|| fresh(None), MessageTo::Conversation));
        };
        match pass.conversation(&named) {
            Ok(conversation) => Ok(MessageTo::Conversation(conversation)),
            Err(HubError::Unknown(_)) => Ok(fresh(ConversationName::new(named).ok())),
            Err(error) => Err(error),
        }
    }
}
