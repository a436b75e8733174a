//! The live connections of agents: who is here, and where outcomes and turns can be brought now.
//!
//! A cache: what is owed is in the journal, and the next link of an agent gets it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::agent::{Agent, Conversation};
use sayso_core::entry::Message;
use sayso_core::id::{AgentId, ConversationName, DialectName, Seq, TokenId};
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_core::view::AskView;
use sayso_store::{HereRow, NodeId, OfferedIn, Offers};
use tokio::sync::Notify;

use crate::agent_presence::AgentPresence;
use crate::clock::ClockReading;
use crate::control::Wanted;
use crate::elsewhere::LinkedElsewhere;
use crate::mailbox::{Mailbox, Post, mailbox};

/// How long an agent that asks by polling counts as here after its last call.
const POLL_GRACE: Duration = Duration::from_secs(10);
/// Names of conversations of which other nodes are told that an agent takes turns in them.
const OFFERED_MAX: usize = 256;

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
        /// Where it was said.
        opened: Seq,
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

/// Who is here.
#[derive(Debug)]
pub(crate) struct LinkRegistry {
    everyone: Mutex<Everyone>,
    /// When the server started, on the steady clock.
    started: Duration,
    /// Rings when who is connected here, or what is offered, has changed.
    pub(crate) changed: Notify,
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
    /// Who is connected to other nodes.
    elsewhere: LinkedElsewhere,
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

    fn takes_here(&self, agent: AgentId, name: &ConversationName) -> bool {
        let here = self.here.get(&agent);
        here.is_some_and(|here| here.links.iter().any(|link| link.takes(Some(name))))
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

/// What several connections offer together.
fn offered<'a>(each: impl Iterator<Item = &'a Mutex<Option<Turns>>>) -> OfferedIn {
    let mut names = HashSet::new();
    for one in each {
        match &*lock(one) {
            Some(Turns::Any) => return OfferedIn::Anywhere,
            Some(Turns::These(these)) => names.extend(these.iter().cloned()),
            None => {}
        }
    }
    if names.is_empty() {
        return OfferedIn::Nowhere;
    }
    let mut names: Vec<ConversationName> = names.into_iter().collect();
    names.sort_unstable();
    names.truncate(OFFERED_MAX);
    OfferedIn::These(names)
}

fn lock<T>(held: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LinkRegistry {
    pub(crate) fn since(started: Duration) -> Self {
        Self {
            everyone: Mutex::default(),
            started,
            changed: Notify::new(),
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
        self.changed.notify_one();
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
        self.changed.notify_one();
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

    /// Ends every connection of the agent: where it connects again, it is brought what it is owed.
    pub(crate) fn cut(&self, agent: AgentId) {
        let guard = self.lock();
        let here = guard.here.get(&agent);
        for link in here.into_iter().flat_map(|here| &here.links) {
            *lock(&link.sender) = None;
        }
    }

    /// Whether a live link of the agent takes turns in a conversation of this name.
    pub(crate) fn takes_here(&self, agent: AgentId, name: &ConversationName) -> bool {
        self.lock().takes_here(agent, name)
    }

    /// The same at any node.
    pub(crate) fn takes(&self, agent: AgentId, name: &ConversationName) -> bool {
        let guard = self.lock();
        guard.takes_here(agent, name) || guard.elsewhere.takes(agent, name)
    }

    /// The agents that take turns in new conversations, in order.
    pub(crate) fn takers(&self) -> Vec<AgentId> {
        let guard = self.lock();
        let here = guard.here.iter();
        let here = here.filter(|(_, here)| here.links.iter().any(|link| link.takes(None)));
        let takers = here.map(|(agent, _)| *agent);
        let mut takers: Vec<AgentId> = takers.chain(guard.elsewhere.takers()).collect();
        takers.sort_unstable();
        takers.dedup();
        takers
    }

    /// Hands a turn to the newest link that takes it; says whether there was one.
    pub(crate) fn hand(&self, conversation: &Conversation, turn: &Brought) -> bool {
        let guard = self.lock();
        guard.here.get(&conversation.agent).is_some_and(|here| {
            here.links
                .iter()
                .rev()
                .any(|link| link.takes(Some(&conversation.name)) && link.bring(turn.clone()))
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

    /// Whether an agent is connected to some node, or asks there.
    pub(crate) fn is_here(&self, agent: AgentId, now: Time) -> bool {
        let guard = self.lock();
        guard.here.get(&agent).is_some_and(|here| {
            !here.links.is_empty()
                || here.polling > 0
                || (here.polled_at > Time::default() && now.since(here.polled_at) < POLL_GRACE)
        }) || guard.elsewhere.has(agent)
    }

    /// Takes over who is connected to other nodes. Gives the agents that came or went by that, over all
    /// nodes.
    pub(crate) fn set_elsewhere(
        &self,
        rows: Vec<(NodeId, HereRow)>,
        now: &ClockReading,
    ) -> Vec<AgentId> {
        let mut guard = self.lock();
        let (came, went) = guard.elsewhere.set(rows);
        let is_linked = |guard: &Everyone, agent: &AgentId| {
            let here = guard.here.get(agent);
            here.is_some_and(|here| !here.links.is_empty())
        };
        for agent in &went {
            guard.seen.insert(*agent, now.steady);
            if !is_linked(&guard, agent) {
                guard.left.insert(*agent, now.wall);
            }
        }
        let changed = came.into_iter().chain(went);
        changed.filter(|agent| !is_linked(&guard, agent)).collect()
    }

    /// Whether an agent is connected to another node.
    pub(crate) fn is_elsewhere(&self, agent: AgentId) -> bool {
        self.lock().elsewhere.has(agent)
    }

    /// Who is connected to this node or waits here, as other nodes are told.
    pub(crate) fn rows(&self) -> Vec<HereRow> {
        let guard = self.lock();
        let here = guard.here.iter();
        here.filter(|(_, here)| !here.links.is_empty() || here.polling > 0)
            .map(|(agent, here)| HereRow {
                agent: *agent,
                links: u32::try_from(here.links.len()).unwrap_or(u32::MAX),
                since: here.since,
                offers: Offers {
                    turns: offered(here.links.iter().map(|link| &link.turns)),
                    controls: offered(here.links.iter().map(|link| &link.controls)),
                },
            })
            .collect()
    }

    /// Whether a program at any node can be told what a person wants.
    pub(crate) fn controls(&self, conversation: &Conversation) -> bool {
        let guard = self.lock();
        let here = guard.here.get(&conversation.agent);
        let mut links = here.into_iter().flat_map(|here| &here.links);
        links.any(|link| link.is_offered(&link.controls, Some(&conversation.name)))
            || guard.elsewhere.controls(conversation)
    }

    /// Whether a program at another node can be told what a person wants.
    pub(crate) fn controls_elsewhere(&self, conversation: &Conversation) -> bool {
        self.lock().elsewhere.controls(conversation)
    }

    /// How an agent is reached.
    pub(crate) fn presence(&self, agent: AgentId) -> AgentPresence {
        let guard = self.lock();
        let here = guard.here.get(&agent).filter(|here| !here.links.is_empty());
        let (links, since) = guard.elsewhere.presence(agent);
        let links = links + here.map_or(0, |here| here.links.len());
        let takes_here = here.is_some_and(|here| here.links.iter().any(|link| link.takes(None)));
        AgentPresence {
            links,
            takes_turns: takes_here || guard.elsewhere.takers().any(|taker| taker == agent),
            since: since.into_iter().chain(here.map(|here| here.since)).min(),
            left_at: match links {
                0 => guard.left.get(&agent).copied(),
                _ => None,
            },
        }
    }

    /// How many connections there are here.
    pub(crate) fn count(&self) -> usize {
        self.lock().here.values().map(|here| here.links.len()).sum()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Everyone> {
        lock(&self.everyone)
    }
}
