//! A socket that an agent dials, in its own language.
//!
//! Moves are followed in the order of the frames, each before the next frame is read, so that what
//! an agent says, notes and asks stands in the journal as it was sent. Nothing the agent sends can
//! close the socket short of a flood: what cannot be read is noted, and the socket stays.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::request::Parts;
use axum::response::Response;
use sayso_core::agent::Agent;
use sayso_core::escape::escape_line;
use sayso_core::id::{AgentName, ConversationName, WireId};
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::{AgentFace, AgentHello, AgentMove, AgentNews, AgentSocket};
use sayso_hub::{AgentPass, Brought, HubError, Link, NewNote, Piece, Turns};
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::Speech;
use super::seats::{Seat, lost};
use crate::auth::bearer::{self, enter_speaking, enter_with, visitor_of};
use crate::doors::ws::{Gone, Goodbye, Heard, Line, Upgrade};
use crate::metrics::{Counted, LongDoor};
use crate::problem::Refusal;
use crate::query::Query;
use crate::shared::Shared;

pub(super) async fn connect(
    speech: Arc<Speech>,
    door: AgentSocket,
    State(shared): State<Arc<Shared>>,
    parts: Parts,
    upgrade: Result<Upgrade, Refusal>,
) -> Result<Response, Refusal> {
    let mut query = Query::parse(parts.uri.query().unwrap_or_default());
    let token = query.text("token").filter(|_| door.query_token);
    let pass = bearer::agent(match token {
        Some(token) => enter_with(&shared, visitor_of(&parts)?, &token, &speech.name)?,
        None => enter_speaking(&shared, &parts, &speech.name)?,
    })?;
    let name = door.name_key.and_then(|key| query.text(key));
    let upgrade = upgrade?;
    let hello = AgentHello {
        name: name.as_deref(),
        token_name: pass.token().name.as_str(),
        knobs: &speech.knobs,
    };
    let face = (door.face)(&hello);
    let (link, agent) = open(&pass, face.agent(), door.name_key.is_some())
        .await
        .map_err(|error| Refusal::hub(error, Viewer::Asker, shared.now()))?;
    let seat = door.replaced.map(|reason| {
        let of = door.name_key.map_or("", |_| agent.name.as_str());
        let key = format!("{} {} {of}", speech.name, pass.token().id);
        (shared.seats.take(key), reason)
    });
    let (seat, reason) = seat.unzip();
    Ok(upgrade.on_upgrade(move |socket| {
        let socket = Box::new(Socket {
            _counted: shared.metrics.opened(LongDoor::Agent),
            line: Line::of_agent(socket, &shared, pass.token().id),
            pings: door.ping_every.map(pings),
            reason: reason.unwrap_or_default(),
            shared,
            speech,
            face,
            link,
            agent,
            seat,
            moves: Vec::new(),
            frames: Vec::new(),
        });
        socket.run(pass)
    }))
}

/// A connection of the agent of this name, or of every agent its token has had.
async fn open(
    pass: &AgentPass,
    name: Option<AgentName>,
    alone: bool,
) -> Result<(Link, Arc<Agent>), HubError> {
    let mut link = pass.link(name.clone().filter(|_| alone)).await?;
    let agent = pass.join(&mut link, name).await?;
    Ok((link, agent))
}

fn pings(every: Duration) -> Interval {
    let mut pings = tokio::time::interval_at(Instant::now() + every, every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings
}

/// Waits for the time of a ping; for ever where the dialect has none.
async fn tick(pings: &mut Option<Interval>) {
    match pings {
        Some(pings) => drop(pings.tick().await),
        None => std::future::pending().await,
    }
}

struct Socket {
    shared: Arc<Shared>,
    speech: Arc<Speech>,
    face: Box<dyn AgentFace>,
    link: Link,
    /// Who speaks when a frame does not say.
    agent: Arc<Agent>,
    line: Line,
    pings: Option<Interval>,
    seat: Option<Seat>,
    /// What the older one is told when a newer connection has its place.
    reason: &'static str,
    moves: Vec<AgentMove>,
    frames: Vec<String>,
    _counted: Counted,
}

impl Socket {
    async fn run(mut self: Box<Self>, pass: AgentPass) {
        let pass = &pass;
        let shared = Arc::clone(&self.shared);
        let (revoked, stopped) = (pass.revoked(), shared.stopped());
        tokio::pin!(revoked, stopped);
        if Box::pin(self.greet(pass)).await.is_err() {
            return;
        }
        let goodbye = loop {
            let went_on = tokio::select! {
                biased;
                () = &mut revoked => break Goodbye::Revoked,
                () = &mut stopped => break Goodbye::Stopping,
                () = lost(&mut self.seat) => break Goodbye::Done(self.reason),
                brought = self.link.next(), if self.face.listens() => match brought {
                    Some(brought) => self.bring(brought).await,
                    None => break Goodbye::Behind("behind; connect again".to_owned()),
                },
                () = tick(&mut self.pings) => self.tell(&AgentNews::Ping).await.map(drop),
                heard = self.line.next(true) => match heard {
                    Heard::Text(text) => Box::pin(self.hear(pass, &text)).await,
                    Heard::TooLarge => {
                        Box::pin(self.unreadable(pass, "a frame over the limit of 1 MiB")).await
                    }
                    Heard::NotText => {
                        self.shared.metrics.bad_frame(LongDoor::Agent);
                        Ok(())
                    }
                    Heard::Gone => Err(Gone),
                    Heard::FarTooLarge => break Goodbye::TooLarge,
                },
            };
            if went_on.is_err() {
                return;
            }
        };
        Box::pin(self.line.close(goodbye)).await;
    }

    async fn greet(&mut self, pass: &AgentPass) -> Result<(), Gone> {
        let running = pass.running(&self.link);
        let running: Vec<ConversationName> = running
            .iter()
            .map(|conversation| conversation.name.clone())
            .collect();
        let agent = Arc::clone(&self.agent);
        self.tell(&AgentNews::Opened {
            agent: &agent,
            running: &running,
        })
        .await?;
        self.link.take_turns(Turns::Any);
        Ok(())
    }

    /// Tells the face, and writes what it makes of that; says whether that was anything.
    async fn tell(&mut self, news: &AgentNews<'_>) -> Result<bool, Gone> {
        let mut frames = std::mem::take(&mut self.frames);
        self.face.tell(news, self.shared.now(), &mut frames);
        let any = !frames.is_empty();
        for frame in frames.drain(..) {
            self.line.send(&frame).await?;
        }
        self.frames = frames;
        Ok(any)
    }

    async fn bring(&mut self, brought: Brought) -> Result<(), Gone> {
        let told = match &brought {
            Brought::Outcome(view) => self.outcome(view).await,
            Brought::Turn {
                agent,
                conversation,
                message,
            } => {
                let news = AgentNews::Turn {
                    conversation: &conversation.name,
                    agent: &agent.name,
                    message,
                };
                self.tell(&news).await.map(drop)
            }
            // No dialect has a word for it, and none offers it.
            Brought::Control(_) => Ok(()),
        };
        if told.is_err() {
            // A turn that never left goes to the agent's next connection.
            self.link.give_back(brought);
        }
        told
    }

    async fn outcome(&mut self, view: &AskView) -> Result<(), Gone> {
        // A dialect that has no word for an outcome leaves it owed.
        if self.tell(&AgentNews::Outcome(view)).await? {
            self.link.sent(view.ask.id);
        }
        Ok(())
    }

    async fn hear(&mut self, pass: &AgentPass, text: &str) -> Result<(), Gone> {
        let mut moves = std::mem::take(&mut self.moves);
        self.face.read(text, self.shared.now(), &mut moves);
        for wanted in moves.drain(..) {
            self.follow(pass, wanted).await?;
        }
        self.moves = moves;
        Ok(())
    }

    fn who(&self, agent: Option<AgentName>) -> AgentName {
        agent.unwrap_or_else(|| self.agent.name.clone())
    }

    async fn follow(&mut self, pass: &AgentPass, wanted: AgentMove) -> Result<(), Gone> {
        let done = match wanted {
            AgentMove::Ask { agent, mut draft } => {
                let wire_id = draft.wire_id.clone();
                draft.timeout = draft.timeout.or(self.speech.row.default_deadline);
                match pass.ask(*draft, Some(self.who(agent))).await {
                    Ok(asked) => return self.asked(pass, &asked.view, asked.fresh).await,
                    Err(error) => return self.refused(pass, wire_id.as_ref(), &error).await,
                }
            }
            AgentMove::Confirm(ask) => pass.confirm(ask).await.map(drop),
            AgentMove::Say {
                agent,
                conversation,
                text,
                done,
            } => {
                let piece = if done { Piece::Last } else { Piece::More };
                let who = Some(self.who(agent));
                pass.say(who, &conversation, &text, piece).await
            }
            AgentMove::Note {
                agent,
                conversation,
                tool,
                text,
                status,
            } => {
                let note = NewNote { tool, text, status };
                pass.note(Some(self.who(agent)), &conversation, note).await
            }
            AgentMove::TurnEnded {
                agent,
                conversation,
                end,
            } => {
                let who = Some(self.who(agent));
                pass.turn_ended(who, &conversation, end).await
            }
            AgentMove::Reply(frame) => return self.line.send(&frame).await,
            AgentMove::Unreadable(why) => return self.unreadable(pass, &why).await,
            AgentMove::Unknown(name) => {
                let name = escape_line(&name);
                tracing::debug!(dialect = %self.speech.name, %name, "an agent sent a frame nobody knows");
                return Ok(());
            }
        };
        match done {
            Ok(()) => Ok(()),
            Err(error) => self.refused(pass, None, &error).await,
        }
    }

    async fn asked(&mut self, pass: &AgentPass, view: &AskView, fresh: bool) -> Result<(), Gone> {
        if view.agent.id != self.agent.id {
            let name = Some(view.agent.name.clone());
            if let Err(error) = pass.join(&mut self.link, name).await {
                tracing::warn!(%error, "an agent could not be joined to its socket");
            }
        }
        self.tell(&AgentNews::Asked(view)).await?;
        // An ask that an earlier try made may be long over, and its outcome told to nobody here.
        if !fresh && view.closing.is_some() {
            return self.outcome(view).await;
        }
        Ok(())
    }

    async fn refused(
        &mut self,
        pass: &AgentPass,
        wire_id: Option<&WireId>,
        error: &HubError,
    ) -> Result<(), Gone> {
        tracing::info!(dialect = %self.speech.name, %error, "a frame of an agent could not be followed");
        let why = error.to_string();
        self.tell(&AgentNews::Refused { wire_id, why: &why })
            .await?;
        match error {
            // What the agent hears of it, if anything, may never reach a person.
            HubError::Invalid(_) => self.unreadable(pass, &why).await,
            HubError::NotFound
            | HubError::Unknown(_)
            | HubError::AlreadyClosed(_)
            | HubError::Expired { .. }
            | HubError::DigestMismatch(_)
            | HubError::KeyConflict(_)
            | HubError::Refused(_)
            | HubError::Revoked
            | HubError::Forbidden(_)
            | HubError::SlowDown { .. }
            | HubError::TryLater(_) => Ok(()),
        }
    }

    /// Writes down, where people see it, that this agent sent what nobody can read.
    async fn unreadable(&mut self, pass: &AgentPass, why: &str) -> Result<(), Gone> {
        self.shared.metrics.bad_frame(LongDoor::Agent);
        if let Err(error) = pass.unreadable(&self.agent, why).await {
            tracing::warn!(%error, "an unreadable frame could not be noted");
        }
        Ok(())
    }
}
