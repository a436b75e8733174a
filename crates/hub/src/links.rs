//! The live connections of agents: who is here, and where outcomes and turns can be brought now.
//!
//! A cache: what is owed is in the journal, and the next link of an agent gets it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::agent::{Agent, Conversation};
use sayso_core::entry::Message;
use sayso_core::id::{AgentId, ConversationName, DialectName, TokenId};
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_core::view::AskView;

use crate::clock::ClockReading;
use crate::control::Wanted;
use crate::mailbox::{Mailbox, Post, mailbox};

/// How long an agent that asks by polling counts as here after its last call.
const POLL_GRACE: Duration = Duration::from_secs(10);

/// What is brought to a connection.
#[derive(Debug, Clone)]
pub enum Brought {
    /// An ask has ended.
    Outcome(Arc<AskView>),
    /// A person said something: the agent's turn begins.
    Turn {
        /// Whose turn.
        agent: Arc<Agent>,
        /// In which conversation.
        conversation: Arc<Conversation>,
        /// What was said.
        message: Arc<Message>,
    },
    /// A person wants something of the agent's program.
    Control(Arc<Wanted>),
}

/// In which conversations a connection takes turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turns {
    /// In every one, new ones too.
    Any,
    /// Only in those of these names.
    These(HashSet<ConversationName>),
}

#[derive(Debug, Default)]
struct Here {
    links: Vec<Arc<LinkSender>>,
    /// When the first of the links came.
    since: Time,
    polling: u32,
    polled_at: Time,
}

/// How an agent is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgentReach {
    /// How many connections it has.
    pub links: usize,
    /// Since when it has at least one.
    pub since: Option<Time>,
    /// When its last one ended, in this life of the server; absent while it has one.
    pub left_at: Option<Time>,
}

/// Who is here.
#[derive(Debug)]
pub(crate) struct LinkRegistry {
    everyone: Mutex<Everyone>,
    /// When the server started, on the steady clock.
    started: Duration,
}

#[derive(Debug, Default)]
struct Everyone {
    last: u64,
    here: HashMap<AgentId, Here>,
    /// When the last link of an agent ended; at most one for each agent there is.
    left: HashMap<AgentId, Time>,
    /// When an agent that is not here was last seen, on the steady clock.
    seen: HashMap<AgentId, Duration>,
    /// Connections that speak for every agent of their token, also for those met later.
    wide: HashMap<Namespace, Vec<Arc<LinkSender>>>,
}

/// Where agents are named: by one token, in one dialect.
pub(crate) type Namespace = (TokenId, DialectName);

impl Everyone {
    /// Makes a connection one of this agent's. Says whether it was none before, and whether the
    /// agent just came.
    fn join(&mut self, link: &Arc<LinkSender>, agent: AgentId, now: Time) -> Joined {
        if !lock(&link.agents).insert(agent) {
            return Joined::Before;
        }
        let here = self.here.entry(agent).or_default();
        let came = here.links.is_empty();
        if came {
            here.since = now;
        }
        here.links.push(Arc::clone(link));
        if came { Joined::Came } else { Joined::Also }
    }
}

/// What became of an agent when a connection was made one of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joined {
    /// The connection was one of its own before.
    Before,
    /// It has another connection.
    Also,
    /// It has its first connection.
    Came,
}

/// Where one connection is told outcomes; it may speak for several agents of one token.
#[derive(Debug)]
pub(crate) struct LinkSender {
    pub(crate) number: u64,
    /// Absent once the connection was cut for falling behind: it reads what it was given, and ends.
    sender: Mutex<Option<Post<Brought>>>,
    turns: Mutex<Option<Turns>>,
    controls: Mutex<Option<Turns>>,
    /// Whom it speaks for. Changed only while `Links` is locked.
    agents: Mutex<HashSet<AgentId>>,
}

impl LinkSender {
    /// Whether it speaks for this agent.
    pub(crate) fn is_of(&self, agent: AgentId) -> bool {
        lock(&self.agents).contains(&agent)
    }

    /// Whom it speaks for.
    pub(crate) fn agents(&self) -> Vec<AgentId> {
        lock(&self.agents).iter().copied().collect()
    }

    /// Whether it takes turns at all.
    pub(crate) fn takes_turns(&self) -> bool {
        lock(&self.turns).is_some()
    }

    /// Brings something; a connection that does not keep up is cut instead.
    fn bring(&self, brought: Brought) -> bool {
        let mut sender = lock(&self.sender);
        let taken = sender
            .as_ref()
            .is_some_and(|sender| sender.put(brought, limits::LINK_BEHIND_MAX).is_ok());
        if !taken {
            *sender = None;
        }
        taken
    }

    /// Offers to take turns, in place of what was offered before.
    pub(crate) fn offer(&self, turns: Turns) {
        *lock(&self.turns) = Some(turns);
    }

    /// Offers to be told what people want of the agent's program, in place of an earlier offer.
    pub(crate) fn offer_control(&self, controls: Turns) {
        *lock(&self.controls) = Some(controls);
    }

    /// Whether turns in this conversation are welcome here; without a name, in any.
    fn takes(&self, name: Option<&ConversationName>) -> bool {
        self.is_offered(&self.turns, name)
    }

    fn is_offered(&self, offered: &Mutex<Option<Turns>>, name: Option<&ConversationName>) -> bool {
        if lock(&self.sender).is_none() {
            return false;
        }
        match (&*lock(offered), name) {
            (Some(Turns::Any), _) => true,
            (Some(Turns::These(names)), Some(name)) => names.contains(name),
            (Some(Turns::These(_)), None) | (None, _) => false,
        }
    }
}

fn lock<T>(held: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LinkRegistry {
    pub(crate) fn since(started: Duration) -> Self {
        Self {
            everyone: Mutex::default(),
            started,
        }
    }

    pub(crate) fn open(&self) -> (Arc<LinkSender>, Mailbox<Brought>) {
        let (sender, receiver) = mailbox();
        let mut guard = self.lock();
        guard.last += 1;
        let link = LinkSender {
            number: guard.last,
            sender: Mutex::new(Some(sender)),
            turns: Mutex::default(),
            controls: Mutex::default(),
            agents: Mutex::default(),
        };
        (Arc::new(link), receiver)
    }

    /// Makes a connection one of this agent's.
    pub(crate) fn join(&self, link: &Arc<LinkSender>, agent: AgentId, now: Time) -> Joined {
        self.lock().join(link, agent, now)
    }

    /// Makes a connection that of every agent of a token, also of those met from now on.
    pub(crate) fn widen(&self, link: &Arc<LinkSender>, namespace: Namespace) {
        let mut guard = self.lock();
        guard
            .wide
            .entry(namespace)
            .or_default()
            .push(Arc::clone(link));
    }

    /// Joins an agent that was just met to the connections that speak for every agent of its token.
    pub(crate) fn met(&self, agent: &Agent, now: Time) -> Vec<(Arc<LinkSender>, Joined)> {
        let mut guard = self.lock();
        let namespace = (agent.token, agent.dialect.clone());
        let wide = guard.wide.get(&namespace).cloned().unwrap_or_default();
        wide.into_iter()
            .map(|link| {
                let joined = guard.join(&link, agent.id, now);
                (link, joined)
            })
            .collect()
    }

    /// Takes a connection away; says which agents are gone now.
    pub(crate) fn leave(
        &self,
        link: &LinkSender,
        namespace: Option<&Namespace>,
        now: &ClockReading,
    ) -> Vec<AgentId> {
        let mut guard = self.lock();
        if let Some(namespace) = namespace
            && let Some(wide) = guard.wide.get_mut(namespace)
        {
            wide.retain(|other| other.number != link.number);
            if wide.is_empty() {
                guard.wide.remove(namespace);
            }
        }
        let agents = link.agents();
        agents
            .into_iter()
            .filter(|agent| {
                let Some(here) = guard.here.get_mut(agent) else {
                    return false;
                };
                let before = here.links.len();
                here.links.retain(|other| other.number != link.number);
                let gone = before > 0 && here.links.is_empty();
                if gone && here.polling == 0 {
                    guard.here.remove(agent);
                }
                if gone {
                    guard.left.insert(*agent, now.wall);
                    guard.seen.insert(*agent, now.steady);
                }
                gone
            })
            .collect()
    }

    /// Brings an outcome to every live link of the agent. One that does not keep up is cut.
    pub(crate) fn bring(&self, agent: AgentId, view: &Arc<AskView>) {
        let mut guard = self.lock();
        if let Some(here) = guard.here.get_mut(&agent) {
            here.links
                .retain(|link| link.bring(Brought::Outcome(Arc::clone(view))));
        }
    }

    /// Whether a live link of the agent takes turns in a conversation of this name.
    pub(crate) fn takes(&self, agent: AgentId, name: &ConversationName) -> bool {
        self.lock()
            .here
            .get(&agent)
            .is_some_and(|here| here.links.iter().any(|link| link.takes(Some(name))))
    }

    /// The agents that take turns in new conversations, in order.
    pub(crate) fn takers(&self) -> Vec<AgentId> {
        let mut takers: Vec<AgentId> = self
            .lock()
            .here
            .iter()
            .filter(|(_, here)| here.links.iter().any(|link| link.takes(None)))
            .map(|(agent, _)| *agent)
            .collect();
        takers.sort_unstable();
        takers
    }

    /// Hands a turn to the newest link that takes it; says whether there was one.
    pub(crate) fn hand(
        &self,
        agent: &Arc<Agent>,
        conversation: &Arc<Conversation>,
        message: &Arc<Message>,
    ) -> bool {
        let guard = self.lock();
        guard.here.get(&agent.id).is_some_and(|here| {
            here.links.iter().rev().any(|link| {
                link.takes(Some(&conversation.name))
                    && link.bring(Brought::Turn {
                        agent: Arc::clone(agent),
                        conversation: Arc::clone(conversation),
                        message: Arc::clone(message),
                    })
            })
        })
    }

    /// Hands what a person wants to the newest link whose program can be told; says whether there
    /// was one.
    pub(crate) fn control(&self, conversation: &Conversation, wanted: &Brought) -> bool {
        let guard = self.lock();
        guard.here.get(&conversation.agent).is_some_and(|here| {
            here.links.iter().rev().any(|link| {
                link.is_offered(&link.controls, Some(&conversation.name))
                    && link.bring(wanted.clone())
            })
        })
    }

    pub(crate) fn poll_began(&self, agent: AgentId) {
        self.lock().here.entry(agent).or_default().polling += 1;
    }

    pub(crate) fn poll_ended(&self, agent: AgentId, now: &ClockReading) {
        let mut guard = self.lock();
        guard.seen.insert(agent, now.steady);
        if let Some(here) = guard.here.get_mut(&agent) {
            here.polling = here.polling.saturating_sub(1);
            here.polled_at = now.wall;
        }
    }

    /// An agent called without waiting; it counts as here for a while.
    pub(crate) fn called(&self, agent: AgentId, now: &ClockReading) {
        let mut guard = self.lock();
        guard.seen.insert(agent, now.steady);
        guard.here.entry(agent).or_default().polled_at = now.wall;
    }

    /// How long an agent has been away; nothing while it is here. One that was never seen in this
    /// life of the server counts as away since its start.
    pub(crate) fn away(&self, agent: AgentId, now: &ClockReading) -> Option<Duration> {
        if self.is_here(agent, now.wall) {
            return None;
        }
        let seen = self.lock().seen.get(&agent).copied();
        Some(now.steady.saturating_sub(seen.unwrap_or(self.started)))
    }

    pub(crate) fn is_here(&self, agent: AgentId, now: Time) -> bool {
        self.lock().here.get(&agent).is_some_and(|here| {
            !here.links.is_empty()
                || here.polling > 0
                || (here.polled_at > Time::default() && now.since(here.polled_at) < POLL_GRACE)
        })
    }

    /// How an agent is reached.
    pub(crate) fn reach(&self, agent: AgentId) -> AgentReach {
        let guard = self.lock();
        let links = guard.here.get(&agent).filter(|here| !here.links.is_empty());
        AgentReach {
            links: links.map_or(0, |here| here.links.len()),
            since: links.map(|here| here.since),
            left_at: match links {
                Some(_) => None,
                None => guard.left.get(&agent).copied(),
            },
        }
    }

    /// How many connections there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().here.values().map(|here| here.links.len()).sum()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Everyone> {
        lock(&self.everyone)
    }
}
