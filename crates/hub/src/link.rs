//! An agent's live connection: what it is owed first, then what closes from now on, and turns.

use std::collections::VecDeque;
use std::sync::Arc;

use sayso_core::agent::Agent;
use sayso_core::id::{AgentId, AskId};
use sayso_core::time::Time;

use crate::bringing::queued;
use crate::error::HubError;
use crate::faults::point;
use crate::feed::News;
use crate::hub::Inner;
use crate::links::{Brought, Joined, LinkSender, Namespace, Turns};
use crate::mailbox::Mailbox;
use crate::publish::READ_AGAIN_AFTER;

/// A live connection of an agent. Dropping it is going away.
#[derive(Debug)]
pub struct Link {
    inner: Arc<Inner>,
    sender: Arc<LinkSender>,
    live: Mailbox<Brought>,
    backlog: VecDeque<AskId>,
    /// Where every agent is one of this connection's, when it speaks for all of a token.
    namespace: Option<Namespace>,
    /// Turns that were returned from `next` and yet never written.
    returned: Vec<Brought>,
}

impl Link {
    pub(crate) fn new(inner: Arc<Inner>) -> Self {
        let (sender, live) = inner.links.open();
        Self {
            inner,
            sender,
            live,
            backlog: VecDeque::new(),
            namespace: None,
            returned: Vec::new(),
        }
    }

    /// Makes this connection one of the agent's: what it is owed comes here now.
    pub(crate) fn join(&mut self, agent: &Arc<Agent>) {
        // Joined before the list is read: what closes in between comes twice, never not at all.
        point("link_join");
        let wall = self.inner.clock.wall();
        let joined = self.inner.links.join(&self.sender, agent.id, wall);
        if joined == Joined::Before {
            return;
        }
        self.backlog.extend(self.inner.owed(agent.id));
        self.inner.joined(&self.sender, agent, joined);
    }

    /// Makes this connection that of every agent of a token: those known, and those met later.
    pub(crate) fn widen(&mut self, namespace: Namespace) {
        // Before the known ones are listed: whoever is met in between joins twice, never not at all.
        self.inner.links.widen(&self.sender, namespace.clone());
        let (token, dialect) = &namespace;
        let agents = {
            let memory = self.inner.memory();
            memory.state.directory.agents_of(*token, dialect)
        };
        self.namespace = Some(namespace);
        for agent in &agents {
            self.join(agent);
        }
    }

    /// Whether this connection is one of the agent's.
    pub(crate) fn is_of(&self, agent: AgentId) -> bool {
        self.sender.is_of(agent)
    }

    /// Whether nobody is known yet for whom it speaks.
    pub(crate) fn is_nobodys(&self) -> bool {
        self.sender.agents().is_empty()
    }

    /// Offers to take turns, for every agent of this connection, in place of an earlier offer.
    /// What waits for one of them comes here now.
    pub fn take_turns(&mut self, turns: Turns) {
        self.sender.offer(turns);
        self.inner.links.changed.notify_one();
        for agent in self.sender.agents() {
            self.inner.turns_offered(agent);
        }
        self.tell_offers();
    }

    /// Tells devices what can be done with the agents of this connection now.
    fn tell_offers(&self) {
        for id in self.sender.agents() {
            let agent = self.inner.memory().state.directory.agent(id).cloned();
            if let Some(agent) = agent {
                self.inner.tell(News::Agent(self.inner.agent_view(&agent)));
            }
        }
    }

    /// Offers to be told what people want of the agents' programs, in place of an earlier offer.
    pub fn take_controls(&mut self, controls: Turns) {
        self.sender.offer_control(controls);
        self.inner.links.changed.notify_one();
        self.tell_offers();
    }

    /// What comes next on this connection; nothing once it was cut for falling behind.
    ///
    /// Safe to drop and call again: what comes is only gone from here once it was returned.
    pub async fn next(&mut self) -> Option<Brought> {
        while let Some(ask) = self.backlog.front().copied() {
            // Boxed: a connection that waits must not carry the room a read needs.
            let looked = Box::pin(self.inner.look(ask)).await;
            self.backlog.pop_front();
            match looked {
                Ok(view)
                    if view.closing.is_some()
                        && view.delivery < sayso_core::outcome::Delivery::Confirmed =>
                {
                    return Some(Brought::Outcome(Arc::new(view)));
                }
                // Confirmed or erased since.
                Ok(_) | Err(HubError::NotFound) => {}
                Err(error) => {
                    tracing::warn!(%error, %ask, "could not read an outcome that is not \
                                                  delivered yet");
                    self.backlog.push_back(ask);
                    tokio::select! {
                        () = self.inner.clock.sleep(READ_AGAIN_AFTER) => {}
                        brought = self.live.next() => return brought,
                    }
                }
            }
        }
        self.live.next().await
    }

    /// Takes back what came from [`Link::next`] and was not written: once this connection is gone,
    /// a turn waits for another one. Outcomes come again by themselves.
    pub fn give_back(&mut self, brought: Brought) {
        self.returned.push(brought);
    }

    /// The outcome was written to this connection.
    pub fn sent(&self, ask: AskId) {
        point("link_sent");
        sent(&self.inner, ask);
    }
}

/// Notes that an outcome was written to a connection, and sees to it that this gets written down.
pub(crate) fn sent(inner: &Inner, ask: AskId) {
    let now = inner.now();
    let first = inner.memory().note_sent(ask, now.wall, now.steady);
    if first {
        inner.bell.notify_one();
    }
}

impl Inner {
    /// What an agent is owed, oldest first, without what is too old to bring up again.
    fn owed(&self, agent: AgentId) -> Vec<AskId> {
        let (offer_for, now) = (self.settings.offer_for, self.journal_time());
        let is_over = |at: Time| offer_for.is_some_and(|span| now.since(at) >= span);
        let memory = self.memory();
        let owed = memory.state.delivery.of(agent);
        owed.filter(|entry| !is_over(entry.closed_at))
            .map(|entry| entry.ask)
            .collect()
    }

    /// An agent was just met: connections that speak for every agent of its token speak for it.
    pub(crate) fn met(self: &Arc<Self>, agent: &Arc<Agent>) {
        for (sender, joined) in self.links.met(agent, self.clock.wall()) {
            self.joined(&sender, agent, joined);
        }
        // That it is connected to another node may have been heard before who it is.
        if self.links.is_elsewhere(agent.id) {
            self.tell(News::Agent(self.agent_view(agent)));
        }
    }

    /// Tells what follows from a connection being one of an agent's.
    fn joined(self: &Arc<Self>, sender: &LinkSender, agent: &Arc<Agent>, joined: Joined) {
        match joined {
            Joined::Before => return,
            Joined::Also => {}
            Joined::Came => {
                self.tell(News::Agent(self.agent_view(agent)));
            }
        }
        if sender.takes_turns() {
            self.turns_offered(agent.id);
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let now = self.inner.now();
        let gone = self
            .inner
            .links
            .leave(&self.sender, self.namespace.as_ref(), &now);
        for id in gone {
            self.inner.leave_words(id);
            let agent = self.inner.memory().state.directory.agent(id).cloned();
            if let Some(agent) = agent {
                let news = News::Agent(self.inner.agent_view(&agent));
                self.inner.tell(news);
            }
        }
        // Turns that were on their way here wait again, for another link or for the next one.
        let mut left = std::mem::take(&mut self.returned);
        left.extend(self.live.close());
        for brought in left {
            match brought {
                Brought::Turn {
                    message, opened, ..
                } => self.inner.give_back(queued(&message, opened)),
                // The next link is told; whoever wanted something hears that it was not done.
                Brought::Outcome(_) | Brought::Control(_) => {}
            }
        }
    }
}
