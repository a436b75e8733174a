//! A socket that an agent dials, in its own language: many asks under way at once, each outcome told
//! here once it is there.
//!
//! Reading never waits for a commit. An outcome is never told before the word that its ask was taken
//! in: when one arrives while asks are under way, it is held until those have been told. Nothing the
//! agent sends can close the socket short of a flood: what is wrong is told or noted, and it stays.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::request::Parts;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sayso_core::agent::Agent;
use sayso_core::ask::MatterKind;
use sayso_core::id::{AgentId, AgentName, ConversationName, WireId};
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::{AgentFace, AgentHello, AgentMove, AgentNews, AgentSocket, Takes};
use sayso_hub::{AgentPass, Asked, Brought, HubError, Link, Tray, Turns};
use tokio::time::{Instant, Interval, MissedTickBehavior};

use super::Speech;
use super::agent_moves::{Done, Wish, follow};
use super::controls::Controls;
use super::order::InOrder;
use super::seats::{Seat, lost};
use crate::auth::bearer::{self, enter_speaking, enter_with, visitor_of};
use crate::body::too_large;
use crate::doors::ws::{Gone, Goodbye, SocketHeard, SocketLine, Upgrade};
use crate::metrics::{Counted, LongDoor};
use crate::problem::{ApiError, ApiResult};
use crate::query::Query;
use crate::shared::Shared;

/// Frames under way at once; with that many, no more are read until one is done.
const UNDER_WAY_MAX: usize = 64;
/// Outcomes held back at once; with that many, the hub keeps the rest.
const HELD_MAX: usize = 256;
/// What a person hears who wants of a program what its language has no word for.
const NO_WORD: &str = "this agent's program does not support that";

pub(super) async fn connect(
    speech: Arc<Speech>,
    door: &'static AgentSocket,
    State(shared): State<Arc<Shared>>,
    parts: Parts,
    upgrade: Result<Upgrade, ApiError>,
) -> ApiResult {
    let mut query = Query::parse(parts.uri.query().unwrap_or_default());
    let token = if door.query_token {
        query.text("token")
    } else {
        None
    };
    let pass = bearer::agent(match token {
        Some(token) => enter_with(&shared, visitor_of(&parts)?, &token, &speech.name).await?,
        None => enter_speaking(&shared, &parts, &speech.name).await?,
    })?;
    let name = door.name_key.and_then(|key| query.text(key));
    if door.strict {
        if name
            .as_deref()
            .is_some_and(|name| AgentName::new(name).is_err())
        {
            let key = door.name_key.unwrap_or_default();
            query.wrong(key, "must be an agent's name of 1 to 256 bytes");
        }
        query.finish()?;
    }
    let upgrade = upgrade?;
    let hello = AgentHello {
        name: name.as_deref(),
        token_name: pass.token().name.as_str(),
        knobs: &speech.knobs,
    };
    let face = (door.face)(&hello);
    let (link, agent) = open(&pass, face.agent(), door.name_key.is_some())
        .await
        .map_err(|error| ApiError::hub(error, Viewer::Asker, shared.now()))?;
    let seat = door.replaced.map(|_| {
        let named = agent.as_ref().filter(|_| door.name_key.is_some());
        let of = named.map_or("", |agent| agent.name.as_str());
        let key = format!("{} {} {of}", speech.name, pass.token().id);
        shared.seats.take(key)
    });
    Ok(upgrade.on_upgrade(move |socket| {
        // Boxed here: a future that holds it by value would hold it twice.
        let socket = Box::new(Socket {
            _counted: shared.metrics.opened(LongDoor::Agent),
            line: SocketLine::of_agent(socket, &shared, pass.token().id),
            pings: door.ping_every.map(pings),
            joined: agent.iter().map(|agent| agent.id).collect(),
            shared,
            speech,
            door,
            face,
            link,
            agent,
            seat,
            count: 0,
            tray: Tray::default(),
            asking: BTreeMap::new(),
            confirmed: Tray::default(),
            confirming: BTreeMap::new(),
            held: VecDeque::new(),
            order: InOrder::default(),
            controls: Controls::default(),
            moves: Vec::new(),
        });
        socket.run(pass)
    }))
}

/// A connection of the agent of this name, or of every agent its token has had.
async fn open(
    pass: &AgentPass,
    name: Option<AgentName>,
    alone: bool,
) -> Result<(Link, Option<Arc<Agent>>), HubError> {
    let mut link = pass.link(name.clone().filter(|_| alone)).await?;
    let agent = match name {
        Some(_) => Some(pass.join(&mut link, name).await?),
        None => None,
    };
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

pub(super) struct Socket {
    pub(super) shared: Arc<Shared>,
    pub(super) speech: Arc<Speech>,
    pub(super) door: &'static AgentSocket,
    pub(super) face: Box<dyn AgentFace>,
    pub(super) link: Link,
    pub(super) line: SocketLine,
    /// Who speaks when a frame does not say; without one it is who has the token's name.
    pub(super) agent: Option<Arc<Agent>>,
    /// Agents whose outcomes come here.
    joined: HashSet<AgentId>,
    /// What asks and confirmations are counted with.
    pub(super) count: u64,
    /// Where asks that need no look hear that they were taken in.
    pub(super) tray: Tray<Asked>,
    /// The asks that are under way, by their numbers.
    pub(super) asking: BTreeMap<u64, AskUnderWay>,
    /// Where confirmations hear that they were written down.
    pub(super) confirmed: Tray<()>,
    /// The confirmations that are under way by their numbers, and what their frames call themselves.
    pub(super) confirming: BTreeMap<u64, Option<String>>,
    /// Outcomes and turns that wait, each for the asks up to a number.
    held: VecDeque<(u64, Brought)>,
    pub(super) order: InOrder<Wish>,
    /// What people want of the agent's program and it has not said anything about.
    pub(super) controls: Controls,
    pub(super) moves: Vec<AgentMove>,
    pings: Option<Interval>,
    seat: Option<Seat>,
    _counted: Counted,
}

/// An ask that is under way.
#[derive(Debug)]
pub(super) struct AskUnderWay {
    /// What its frame calls itself.
    pub(super) reference: Option<String>,
    pub(super) wire_id: Option<WireId>,
    pub(super) matter: MatterKind,
}

impl Socket {
    async fn run(mut self: Box<Self>, pass: AgentPass) {
        let pass = &pass;
        let shared = Arc::clone(&self.shared);
        let (revoked, sent_home) = (pass.revoked(), shared.sent_home());
        tokio::pin!(revoked, sent_home);
        if Box::pin(self.greet(pass)).await.is_err() {
            return;
        }
        let mut under_way = FuturesUnordered::new();
        let goodbye = loop {
            while let Some(work) = self.next_work(pass) {
                under_way.push(follow(pass, self.agent.clone(), work));
            }
            let busy = under_way.len() + self.order.waiting();
            let reading = busy + self.asking.len() + self.confirming.len() < UNDER_WAY_MAX;
            let hearing = self.held.len() < HELD_MAX && self.face.listens();
            // What ends it comes first; of the rest what there is most of, which spares looks.
            let went_on = tokio::select! {
                biased;
                () = &mut revoked => break Some(Goodbye::Revoked),
                goodbye = &mut sent_home => break Some(goodbye),
                () = shared.silent() => tokio::select! {
                    goodbye = &mut sent_home => break Some(goodbye),
                    () = shared.hub.fresh() => Ok(()),
                },
                (number, asked) = self.tray.next() => self.tell_asked(pass, number, asked).await,
                brought = self.link.next(), if hearing => match brought {
                    Some(brought) => self.brought(brought).await,
                    None => break Some(Goodbye::Behind("behind; connect again".to_owned())),
                },
                heard = self.line.next(reading) => match heard {
                    SocketHeard::Text(text) => self.hear(pass, &text).await,
                    SocketHeard::TooLarge => self.wrong(None, too_large()).await,
                    SocketHeard::NotText => self.wrong(None, ApiError::not_text()).await,
                    SocketHeard::Gone => Err(Gone),
                    SocketHeard::FarTooLarge => break Some(Goodbye::TooLarge),
                },
                Some(done) = under_way.next(), if !under_way.is_empty() => {
                    self.order.done();
                    self.tell_done(pass, done).await
                }
                (number, done) = self.confirmed.next() => {
                    let reference = self.confirming.remove(&number).flatten();
                    self.tell_done(pass, Done::Other { reference, done }).await
                }
                () = lost(&mut self.seat) => {
                    break Some(Goodbye::Done(self.door.replaced.unwrap_or_default()));
                }
                () = tick(&mut self.pings) => self.tell(&AgentNews::Ping).await.map(drop),
            };
            if went_on.is_err() {
                break None;
            }
        };
        for (_, brought) in self.held.drain(..) {
            self.link.give_back(brought);
        }
        if let Some(goodbye) = goodbye {
            Box::pin(self.line.close(goodbye)).await;
            return;
        }
        // What was heard before the other side left counts: programs say one thing and go.
        loop {
            while let Some(work) = self.next_work(pass) {
                under_way.push(follow(pass, self.agent.clone(), work));
            }
            match under_way.next().await {
                Some(_) => self.order.done(),
                None => return,
            }
        }
    }

    async fn greet(&mut self, pass: &AgentPass) -> Result<(), Gone> {
        if let Some(agent) = self.agent.clone() {
            let running = pass.running(&self.link);
            let running: Vec<ConversationName> = running
                .iter()
                .map(|conversation| conversation.name.clone())
                .collect();
            let (agent, running) = (&*agent, &*running);
            self.tell(&AgentNews::Opened { agent, running }).await?;
        }
        match self.door.takes {
            Takes::Nothing => {}
            Takes::Turns => self.link.take_turns(Turns::Any),
            Takes::TurnsAndControls => {
                self.link.take_controls(Turns::Any);
                self.link.take_turns(Turns::Any);
            }
        }
        Ok(())
    }

    /// Tells the face, and writes what it makes of that; says whether that was anything.
    pub(super) async fn tell(&mut self, news: &AgentNews<'_>) -> Result<bool, Gone> {
        // Nobody acts on the word that an ask was taken in.
        let waits = matches!(news, AgentNews::Asked { .. });
        let patience = waits.then(|| self.shared.hub.patience());
        let mut frames = self.line.frames(patience);
        self.face.tell(news, self.shared.now(), &mut frames);
        let any = frames.any;
        self.line.room().await?;
        Ok(any)
    }

    async fn brought(&mut self, brought: Brought) -> Result<(), Gone> {
        if self.asking.is_empty() {
            return self.bring(brought).await;
        }
        self.held.push_back((self.count, brought));
        Ok(())
    }

    async fn bring(&mut self, brought: Brought) -> Result<(), Gone> {
        let told = match &brought {
            Brought::Outcome(view) => self.outcome(view).await,
            Brought::Turn {
                agent,
                conversation,
                message,
                ..
            } => {
                let news = AgentNews::Turn {
                    conversation: &conversation.name,
                    agent: &agent.name,
                    message,
                };
                self.tell(&news).await.map(drop)
            }
            Brought::Control(wanted) => {
                let number = self.controls.number(wanted);
                let news = AgentNews::Control {
                    number,
                    conversation: &wanted.conversation.name,
                    what: &wanted.what,
                    by: &wanted.by,
                };
                self.tell(&news).await.map(|any| {
                    if !any {
                        self.controls.answered(number, Some(NO_WORD.to_owned()));
                    }
                })
            }
        };
        if told.is_err() {
            // A turn that never left goes to the agent's next connection.
            self.link.give_back(brought);
        }
        told
    }

    /// Tells what was held for asks that are no longer under way.
    async fn release(&mut self) -> Result<(), Gone> {
        while let Some((number, _)) = self.held.front() {
            if (self.asking.first_key_value()).is_some_and(|(oldest, _)| oldest <= number) {
                return Ok(());
            }
            if let Some((_, brought)) = self.held.pop_front() {
                self.bring(brought).await?;
            }
        }
        Ok(())
    }

    async fn outcome(&mut self, view: &AskView) -> Result<(), Gone> {
        // A dialect that has no word for an outcome leaves it owed.
        if self.tell(&AgentNews::Outcome(view)).await? {
            self.link.sent(view.ask.id);
        }
        Ok(())
    }

    /// Tells what became of an ask, and what had to wait for that.
    async fn tell_asked(
        &mut self,
        pass: &AgentPass,
        number: u64,
        asked: Result<Asked, HubError>,
    ) -> Result<(), Gone> {
        let Some(asking) = self.asking.remove(&number) else {
            return Ok(());
        };
        match asked {
            Ok(asked) => self.asked(pass, asking.reference, asked).await?,
            Err(error) => {
                let ask = Some((asking.matter, asking.wire_id.as_ref()));
                self.refused(asking.reference, ask, error).await?;
            }
        }
        self.release().await
    }

    async fn asked(
        &mut self,
        pass: &AgentPass,
        reference: Option<String>,
        asked: Asked,
    ) -> Result<(), Gone> {
        let (reference, view) = (reference.as_deref(), &asked.view);
        self.tell(&AgentNews::Asked { reference, view }).await?;
        if self.joined.insert(view.agent.id) {
            let name = Some(view.agent.name.clone());
            if let Err(error) = Box::pin(pass.join(&mut self.link, name)).await {
                tracing::warn!(%error, "could not attach an agent to its socket");
            }
        }
        // An ask that an earlier try made may be long over, and its outcome told to nobody here.
        if !asked.fresh && view.closing.is_some() {
            return self.outcome(view).await;
        }
        Ok(())
    }

    async fn tell_done(&mut self, pass: &AgentPass, done: Done) -> Result<(), Gone> {
        match done {
            Done::Asked { number, asked } => self.tell_asked(pass, number, *asked).await,
            Done::Other { done: Ok(()), .. } => Ok(()),
            Done::Other {
                reference,
                done: Err(error),
            } => self.refused(reference, None, error).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size<A, B, F: Future>(_: impl FnOnce(A, B) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_socket_stays_small() {
        let bytes = size(Socket::run) + size_of::<Socket>();
        assert!(bytes <= 2300, "{bytes}");
    }
}
