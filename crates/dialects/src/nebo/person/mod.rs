//! A browser's connection: its frames as moves, and what it is told as frames.
//!
//! It remembers which asks are on the screen and under which ids. An ask is never answered in
//! parts: see [`shown`].

mod batch;
mod body;
mod chat;
mod frames;
mod messages;
mod sessions;
mod shown;

pub(super) use self::body::sign_in;

use sayso_core::agent::Conversation;
use sayso_core::entry::{Entry, EntryKind, Turn};
use sayso_core::id::{AskId, ConversationId};
use sayso_core::time::Time;
use sayso_core::view::AskView;

use self::body::{body, needed};
use self::messages::DeviceMessages;
use self::sessions::Sessions;
use self::shown::{AnswerStep, ShownAsk};
use super::map;
use super::wire::{
    ChatBody, HistoryShown, MessageShown, SessionBody, SessionShown, TokenBody, ValueBody,
    VerdictBody, Welcome,
};
use crate::Frames;
use crate::door::PersonHello;
use crate::envelope::{Envelope, Heard};
use crate::person_face::{Control, ControlKind, PersonFace, PersonMove, PersonNews, Refused};
use crate::read::ReadError;

/// What an answer gets that fits nothing on this screen.
const NOT_OPEN: &str = "No open ask has this id: it was answered elsewhere or never existed.";
/// What a yes for always gets where no rule can be made of it.
const ONCE_ONLY: &str = "Allowed once only: this ask can't be allowed for longer.";
/// Conversations a browser looks at before it is told of one.
const LOOKS_MAX: usize = 64;
/// Conversations in which an agent is in the middle of a message.
const STREAMED_MAX: usize = 1024;

/// One connection of a browser.
#[derive(Debug)]
pub(super) struct Person {
    /// Who looks at it.
    name: String,
    /// Whether the welcome that is written at once still stands for the browser's first word.
    greeting: bool,
    shown: Vec<ShownAsk>,
    sessions: Sessions,
    /// What the browser asked about and was not told yet.
    looks: Vec<String>,
    messages: DeviceMessages,
    /// Where pieces of an unfinished message were written.
    streamed: Vec<ConversationId>,
}

impl Person {
    pub(super) fn new(hello: &PersonHello<'_>) -> Self {
        Self {
            name: hello.person.to_owned(),
            greeting: false,
            shown: Vec::new(),
            sessions: Sessions::default(),
            looks: Vec::new(),
            messages: DeviceMessages::default(),
            streamed: Vec::new(),
        }
    }

    fn hear(
        &mut self,
        text: &str,
        now: Time,
        moves: &mut Vec<PersonMove>,
    ) -> Result<(), ReadError> {
        let envelope = Envelope::open(text.as_bytes(), "type")?;
        match envelope.name() {
            "auth" | "connect" => {
                let _: (TokenBody, _) = body(&envelope)?;
                if !std::mem::take(&mut self.greeting) {
                    moves.push(PersonMove::Reply(self.welcome(now)));
                }
            }
            "ping" => moves.push(PersonMove::Reply(frames::event::<()>("pong", None, now))),
            "presence" => {}
            "ask_response" => {
                let (body, id): (ValueBody, _) = body(&envelope)?;
                let id = needed(body.request_id.or(id), "/data/request_id")?;
                let value = needed(body.value, "/data/value")?;
                self.step(&id, now, moves, |shown| shown.take(&value));
            }
            "approval_response" => {
                let (body, id): (VerdictBody, _) = body(&envelope)?;
                let id = needed(body.request_id.or(id), "/data/request_id")?;
                let approved = needed(body.approved, "/data/approved")?;
                let always = body.always == Some(true);
                self.step(&id, now, moves, |shown| shown.judge(approved, always));
            }
            "chat" => {
                let (body, _): (ChatBody, _) = body(&envelope)?;
                let session = body.session_id.unwrap_or_default();
                self.sessions.used(&session);
                let text = body.prompt.unwrap_or_default();
                if text.trim().is_empty() {
                    return Err(ReadError::at("/data/prompt", "is empty"));
                }
                self.messages.sent(&text);
                moves.push(PersonMove::Message {
                    conversation: (!session.is_empty()).then_some(session),
                    text,
                });
            }
            "check_stream" => {
                let (body, _): (SessionBody, _) = body(&envelope)?;
                let session = body.session_id.unwrap_or_default();
                if session.is_empty() {
                    let frame = chat::status("", Turn::Idle, "", now);
                    moves.push(PersonMove::Reply(frame));
                } else {
                    self.sessions.used(&session);
                    self.looks.retain(|look| *look != session);
                    self.looks.push(session.clone());
                    if self.looks.len() > LOOKS_MAX {
                        self.looks.remove(0);
                    }
                    moves.push(PersonMove::LookAt {
                        conversation: session,
                    });
                }
            }
            "cancel" => {
                let (body, _): (SessionBody, _) = body(&envelope)?;
                let named = body.session_id.filter(|session| !session.is_empty());
                let session = named.unwrap_or_else(|| self.sessions.last().to_owned());
                moves.push(PersonMove::Control(Control {
                    conversation: (!session.is_empty()).then(|| session.clone()),
                    wire_id: session,
                    what: ControlKind::Interrupt,
                }));
            }
            _ => {
                if let Heard::Unknown(name) = envelope.unknown::<()>()? {
                    moves.push(PersonMove::Unknown(name));
                }
            }
        }
        Ok(())
    }

    /// Does something with the ask whose request has this id.
    fn step(
        &mut self,
        id: &str,
        now: Time,
        moves: &mut Vec<PersonMove>,
        take: impl FnOnce(&mut ShownAsk) -> AnswerStep,
    ) {
        let mut all = self.shown.iter_mut();
        let Some(shown) = all.find(|shown| shown.request_id() == id) else {
            let frame = frames::error(self.sessions.last(), Some(id), NOT_OPEN, now);
            moves.push(PersonMove::Reply(frame));
            return;
        };
        let session = session_of(&self.sessions, &shown.view);
        match take(shown) {
            AnswerStep::Next => {
                let frame = frames::request(shown, session.as_deref(), now);
                moves.push(PersonMove::Reply(frame));
            }
            AnswerStep::Done(done) => moves.push(done),
            AnswerStep::Wrong(why) => {
                let session = session.unwrap_or_default();
                let frame = frames::error(&session, Some(id), &why, now);
                moves.push(PersonMove::Reply(frame));
            }
            AnswerStep::Twice => {}
        }
    }

    fn welcome(&self, now: Time) -> String {
        let welcome = Welcome {
            user_id: &self.name,
        };
        frames::event("auth_ok", Some(welcome), now)
    }

    fn show(&mut self, view: &AskView, now: Time, frames: &mut dyn Frames) {
        if self
            .shown
            .iter()
            .any(|shown| shown.view.ask.id == view.ask.id)
        {
            return;
        }
        let taken = |base: &str| self.shown.iter().any(|shown| shown.request_id() == base);
        let shown = ShownAsk::new(view.clone(), taken);
        let session = session_of(&self.sessions, view);
        frames.push(frames::request(&shown, session.as_deref(), now));
        self.shown.push(shown);
    }

    /// Takes an ask that ended off the screen and says so. An answer of this connection that was not
    /// taken is told before its ask ends here, so one that is still under way is how it ended.
    fn clear(&mut self, view: &AskView, now: Time, frames: &mut dyn Frames) {
        let is_it = |shown: &ShownAsk| shown.view.ask.id == view.ask.id;
        let Some(at) = self.shown.iter().position(is_it) else {
            return;
        };
        let shown = self.shown.remove(at);
        let (session, id) = (session_of(&self.sessions, view), shown.request_id());
        if shown.narrowed {
            let session = session.as_deref().unwrap_or_default();
            frames.push(frames::error(session, Some(&id), ONCE_ONLY, now));
        }
        frames.extend(frames::resolved(view, &id, session.as_deref(), now));
    }

    /// The same for one that somebody else had ended before.
    fn lost(&mut self, view: &AskView, now: Time, frames: &mut dyn Frames) {
        let is_it = |shown: &&mut ShownAsk| shown.view.ask.id == view.ask.id;
        if let Some(shown) = self.shown.iter_mut().find(is_it) {
            shown.narrowed = false;
        }
        self.clear(view, now, frames);
    }

    fn refused(&mut self, ask: Option<AskId>, why: &str, now: Time, frames: &mut dyn Frames) {
        let is_it = |shown: &&mut ShownAsk| Some(shown.view.ask.id) == ask;
        let Some(shown) = self.shown.iter_mut().find(is_it) else {
            frames.push(frames::error(self.sessions.last(), None, why, now));
            return;
        };
        let session = session_of(&self.sessions, &shown.view);
        let id = shown.request_id();
        let name = session.as_deref().unwrap_or_default();
        frames.push(frames::error(name, Some(&id), why, now));
        shown.again();
        frames.push(frames::request(shown, session.as_deref(), now));
    }

    fn entry(&mut self, entry: &Entry, now: Time, frames: &mut dyn Frames) {
        let id = entry.conversation.id;
        let session = self.call(&entry.conversation);
        match &entry.kind {
            // The browser that sent it drew it at once.
            EntryKind::Message { message, state: _ } => {
                if self.messages.is_news(message, &self.name) {
                    let body = MessageShown {
                        session_id: &session,
                        user_id: message.person.as_str(),
                        content: &message.text,
                    };
                    frames.push(frames::event("chat_message", Some(body), now));
                }
            }
            EntryKind::Ask(_) => {}
            EntryKind::Said(said) => {
                let streamed = self.streamed.contains(&id);
                self.streamed.retain(|have| *have != id);
                if !streamed {
                    frames.push(chat::stream(&session, &said.text, now));
                }
            }
            EntryKind::Note(note) => frames.push(chat::note(&session, note, now)),
            EntryKind::TurnEnded(end) => {
                self.streamed.retain(|have| *have != id);
                frames.push(chat::ended(&session, *end, now));
            }
        }
    }

    fn call(&self, conversation: &Conversation) -> String {
        let (id, name) = (conversation.id.to_string(), conversation.name.as_str());
        self.sessions.call(id, name)
    }

    fn history(&self, entries: &[Entry], now: Time, frames: &mut dyn Frames) {
        let mut rest = entries;
        while let Some(first) = rest.first() {
            let same = |entry: &&Entry| entry.conversation.id == first.conversation.id;
            let count = rest.iter().take_while(same).count();
            let (these, after) = rest.split_at(count);
            let session = self.call(&first.conversation);
            let body = HistoryShown {
                session_id: &session,
                messages: map::messages(&session, these),
            };
            frames.push(frames::event("chat_history", Some(body), now));
            rest = after;
        }
    }
}

impl PersonFace for Person {
    fn read(&mut self, frame: &str, now: Time, moves: &mut Vec<PersonMove>) {
        let (texts, more) = batch::texts(frame);
        let wrong = |why: &str, session: &str, moves: &mut Vec<PersonMove>| {
            moves.push(PersonMove::Reply(frames::error(session, None, why, now)));
        };
        for text in texts {
            if let Err(error) = self.hear(text, now, moves) {
                wrong(&error.to_string(), self.sessions.last(), moves);
            }
        }
        if more {
            wrong(
                "The frame is too large: the rest was not read.",
                self.sessions.last(),
                moves,
            );
        }
    }

    fn tell(&mut self, news: &PersonNews<'_>, now: Time, frames: &mut dyn Frames) {
        match news {
            PersonNews::Opened {
                conversation: _,
                entries,
                turn: _,
                open,
            } => {
                self.greeting = true;
                frames.push(self.welcome(now));
                self.history(entries, now, frames);
                for view in *open {
                    self.show(view, now, frames);
                }
            }
            PersonNews::Began(conversation) => {
                let (id, name) = (conversation.id.to_string(), conversation.name.as_str());
                if !self.sessions.knows(&id, name) {
                    self.sessions.used(&id);
                    let body = SessionShown {
                        session_id: &id,
                        content: None,
                    };
                    frames.push(frames::event("chat_created", Some(body), now));
                }
            }
            PersonNews::Asked(view) => self.show(view, now, frames),
            PersonNews::Closed(view) => self.clear(view, now, frames),
            PersonNews::Entry(entry) => self.entry(entry, now, frames),
            PersonNews::Saying {
                conversation, text, ..
            } => {
                if !self.streamed.contains(&conversation.id) && self.streamed.len() < STREAMED_MAX {
                    self.streamed.push(conversation.id);
                }
                let session = self.call(conversation);
                frames.push(chat::stream(&session, text, now));
            }
            PersonNews::Turn {
                conversation,
                name,
                turn,
                saying,
            } => {
                // Unasked it would make a browser draw the unfinished message a second time.
                let id = conversation.to_string();
                let Some(at) = self
                    .looks
                    .iter()
                    .position(|look| *look == id || look == name)
                else {
                    return;
                };
                let session = self.looks.remove(at);
                frames.push(chat::status(&session, *turn, saying, now));
            }
            PersonNews::Refused { ask, why, .. } => match why {
                Refused::AlreadyClosed(view) => self.lost(view, now, frames),
                Refused::Other(why) => self.refused(*ask, why, now, frames),
            },
            PersonNews::Controlled { control, refused } => {
                // That a turn was stopped shows when it ends.
                if let Some(why) = refused {
                    let why = format!("The turn was not stopped: {why}.");
                    frames.push(frames::error(&control.wire_id, None, &why, now));
                }
            }
            // Nothing is taken from a browser of this language, and the protocol's own pings keep
            // the socket alive.
            PersonNews::Resumed(_)
            | PersonNews::Status(_)
            | PersonNews::Recorded { .. }
            | PersonNews::Taken
            | PersonNews::Done
            | PersonNews::Elapsed => {}
        }
    }
}

fn session_of(sessions: &Sessions, view: &AskView) -> Option<String> {
    let conversation = view.conversation.as_ref()?;
    let (id, name) = (conversation.id.to_string(), conversation.name.as_str());
    Some(sessions.call(id, name))
}
