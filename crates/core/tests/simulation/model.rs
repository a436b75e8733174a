//! What must be true, read plainly from the log: no index, no overlay, nothing remembered between looks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::id::{AgentId, AskId, ConversationId, MessageId, RuleId, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Delivery, Outcome, OutcomeKind};
use sayso_core::role::Token;
use sayso_core::state::{QueuedEntry, RuleEntry, SnapshotPart, Standing, State};

/// Everything that the log says, as plain maps.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) open: BTreeMap<AskId, (Seq, AgentId, Option<ConversationId>)>,
    pub(crate) closed: BTreeMap<AskId, (Seq, OutcomeKind)>,
    pub(crate) owed: BTreeMap<AskId, (AgentId, Delivery)>,
    /// What was on its way in an earlier life: nobody is owed it, but an agent may still say that it
    /// has it.
    earlier: BTreeMap<AskId, (AgentId, Delivery)>,
    pub(crate) tokens: BTreeMap<TokenId, String>,
    pub(crate) rules: BTreeMap<RuleId, u32>,
    /// Rules that only record what they would do.
    pub(crate) shadows: BTreeSet<RuleId>,
    /// Asks of an earlier life.
    pub(crate) void: BTreeSet<AskId>,
    /// Where each message that waits was said.
    said_at: BTreeMap<MessageId, Seq>,
    last_rule: u32,
    pub(crate) keys: HashMap<(TokenId, String), AskId>,
    pub(crate) agents: BTreeMap<AgentId, TokenId>,
    pub(crate) queue: BTreeMap<ConversationId, Vec<MessageId>>,
    pub(crate) running: BTreeSet<ConversationId>,
    pub(crate) late: BTreeSet<AskId>,
    pub(crate) erased: BTreeSet<AskId>,
    conversations: u32,
    last_ask: Option<AskId>,
    last_token: u32,
}

impl Model {
    /// Takes one event in, and says what of the contract it breaks.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind")]
    pub(crate) fn take(&mut self, seq: Seq, event: &Event) -> Result<(), String> {
        match event {
            Event::TokenMade(token) => {
                if token.id.0 != self.last_token + 1 {
                    return Err(format!("{} has a gap before it", token.id));
                }
                let name = token.name.to_string();
                if self.tokens.values().any(|other| *other == name) {
                    return Err(format!("two good tokens are named {name}"));
                }
                self.last_token = token.id.0;
                self.tokens.insert(token.id, name);
            }
            Event::TokenRevoked(id) => {
                if self.tokens.remove(id).is_none() {
                    return Err(format!("{id} is revoked and was not good"));
                }
            }
            Event::AgentMet(agent) => {
                if agent.id.0 as usize != self.agents.len() + 1 {
                    return Err(format!("{} has a gap before it", agent.id));
                }
                self.agents.insert(agent.id, agent.token);
            }
            Event::ConversationBegan(conversation) => {
                self.conversations += 1;
                if conversation.id.0 != self.conversations {
                    return Err(format!("{} has a gap before it", conversation.id));
                }
            }
            Event::Asked(ask) => {
                if self.last_ask.is_some_and(|last| ask.id <= last) {
                    return Err(format!("the id {} does not rise", ask.id));
                }
                self.last_ask = Some(ask.id);
                if let Some(key) = &ask.key {
                    let token = *self.agents.get(&ask.agent).ok_or("nobody asks")?;
                    let before = self.keys.insert((token, key.to_string()), ask.id);
                    let free = |ask: &AskId| self.erased.contains(ask) || self.void.contains(ask);
                    if before.is_some_and(|before| !free(&before)) {
                        return Err(format!("the key {key} makes a second ask"));
                    }
                }
                self.open.insert(ask.id, (seq, ask.agent, ask.conversation));
            }
            Event::Closed {
                ask,
                opened,
                closing,
            } => {
                let Some((place, agent, _)) = self.open.remove(ask) else {
                    return Err(format!("{ask} closes a second time, or without being open"));
                };
                if place != *opened {
                    return Err(format!("{ask} was opened at {place}, not at {opened}"));
                }
                match (&closing.by, &closing.outcome) {
                    (Closer::Rule { rule, version, .. }, _) => {
                        if self.rules.get(rule) != Some(version) || self.shadows.contains(rule) {
                            return Err(format!("{rule} answers and is not in force"));
                        }
                    }
                    (Closer::Clock, Outcome::Expired | Outcome::Withdrawn { .. })
                    | (Closer::Person { .. }, Outcome::Answered(_) | Outcome::Dismissed { .. })
                    | (Closer::Agent, Outcome::Withdrawn { .. }) => {}
                    (by, outcome) => return Err(format!("{outcome:?} by {by:?}")),
                }
                self.closed.insert(*ask, (seq, closing.outcome.kind()));
                self.owed.insert(*ask, (agent, Delivery::Owed));
            }
            Event::AnsweredLate { ask, .. } => {
                let how = self.closed.get(ask).map(|(_, how)| *how);
                if how != Some(OutcomeKind::Expired)
                    || self.erased.contains(ask)
                    || !self.late.insert(*ask)
                {
                    return Err(format!("a late answer to {ask} is kept twice, or in time"));
                }
            }
            Event::Delivered(marks) => {
                for mark in marks {
                    let owed = self.owed.get_mut(&mark.ask);
                    let owed = owed.or_else(|| self.earlier.get_mut(&mark.ask));
                    let Some((_, delivery)) = owed else {
                        return Err(format!("{} is told of what nobody is owed", mark.ask));
                    };
                    if mark.delivery <= *delivery {
                        return Err(format!("{} is no news", mark.ask));
                    }
                    *delivery = mark.delivery;
                    if mark.delivery == Delivery::Confirmed {
                        self.owed.remove(&mark.ask);
                        self.earlier.remove(&mark.ask);
                    }
                }
            }
            Event::Erased { ask, place } => {
                let closed = self.closed.get(ask).map(|(seq, _)| *seq);
                if closed.is_none() || place.closed != closed {
                    return Err(format!("{ask} is erased and not closed there"));
                }
                if place.late.is_some() != self.late.contains(ask) {
                    return Err(format!("{ask} is erased without its late answer"));
                }
                self.owed.remove(ask);
                self.earlier.remove(ask);
                self.erased.insert(*ask);
            }
            Event::Messaged(message) => {
                let queue = self.queue.entry(message.conversation).or_default();
                queue.push(message.id);
                self.said_at.insert(message.id, seq);
            }
            Event::Handed {
                message,
                conversation,
                ..
            } => {
                let waits = self
                    .open
                    .values()
                    .any(|(_, _, at)| *at == Some(*conversation));
                if waits || self.running.contains(conversation) {
                    return Err(format!("{message} is handed to an agent that is busy"));
                }
                let queue = self.queue.entry(*conversation).or_default();
                if queue.first() != Some(message) {
                    return Err(format!("{message} is handed over out of turn, or twice"));
                }
                queue.remove(0);
                self.running.insert(*conversation);
            }
            Event::Returned {
                message,
                conversation,
                opened,
            } => {
                let queue = self.queue.entry(*conversation).or_default();
                if queue.contains(message) || self.said_at.get(message) != Some(opened) {
                    return Err(format!("{message} waits again and was not handed over"));
                }
                // Where it was said among those that wait.
                let said_at = &self.said_at;
                queue.push(*message);
                queue.sort_by_key(|message| said_at.get(message));
                self.running.remove(conversation);
            }
            Event::Removed {
                message,
                conversation,
                ..
            } => {
                let queue = self.queue.entry(*conversation).or_default();
                let before = queue.len();
                queue.retain(|other| other != message);
                if queue.len() + 1 != before {
                    return Err(format!("{message} is removed and did not wait"));
                }
            }
            Event::Said(said) => drop(self.running.insert(said.conversation)),
            Event::TurnEnded { conversation, .. } => {
                self.running.remove(conversation);
            }
            Event::RuleMade(rule) => {
                let shadowed = self.shadows.contains(&rule.id);
                match self.rules.insert(rule.id, rule.version) {
                    None if rule.id.0 != self.last_rule + 1 || rule.version != 1 => {
                        return Err(format!("{} has a gap before it", rule.id));
                    }
                    Some(before) if rule.version != before + 1 || !shadowed => {
                        return Err(format!("{} is made twice", rule.id));
                    }
                    None | Some(_) => {}
                }
                self.last_rule = self.last_rule.max(rule.id.0);
                if rule.shadow {
                    self.shadows.insert(rule.id);
                } else {
                    self.shadows.remove(&rule.id);
                }
            }
            Event::RuleRevoked { rule, .. } => {
                if self.rules.remove(rule).is_none() {
                    return Err(format!("{rule} is revoked and was not in force"));
                }
            }
            Event::Cleared {
                conversation,
                places,
            } => {
                let queue = self.queue.get(conversation).into_iter().flatten();
                let mut waiting = queue.filter_map(|message| self.said_at.get(message));
                if places.is_empty() || waiting.any(|place| places.contains(place)) {
                    return Err(format!("{conversation} is cleared of what waits in it"));
                }
                if self.running.contains(conversation) {
                    return Err(format!("{conversation} is cleared in the middle of a turn"));
                }
            }
            Event::EpochBegan(_) => {
                self.void.extend(std::mem::take(&mut self.open).into_keys());
                self.earlier.append(&mut self.owed);
                self.queue.clear();
                self.running.clear();
            }
            Event::Shown(_) | Event::Noted(_) => {}
        }
        Ok(())
    }

    /// A state that was loaded from what the log says, in the parts in which a store tells it.
    pub(crate) fn loaded(&self, whole: &State) -> State {
        let mut state = State::default();
        let directory = &whole.directory;
        for id in self.tokens.keys() {
            let token = directory.token(*id).unwrap();
            state.load(SnapshotPart::Token(Token::clone(token)));
        }
        state.load(SnapshotPart::LastToken(TokenId(self.last_token)));
        for agent in directory.agents() {
            state.load(SnapshotPart::Agent(Agent::clone(agent)));
        }
        for conversation in directory.conversations() {
            state.load(SnapshotPart::Conversation(Conversation::clone(
                conversation,
            )));
        }
        for entry in whole.asks.open().iter() {
            state.load(SnapshotPart::Open(entry));
        }
        for entry in self.agents.keys().flat_map(|id| whole.delivery.of(*id)) {
            state.load(SnapshotPart::Owed(*entry));
        }
        for (conversation, queue) in &self.queue {
            for message in queue {
                state.load(SnapshotPart::Queued(QueuedEntry {
                    message: *message,
                    conversation: *conversation,
                    seq: self.said_at[message],
                }));
            }
        }
        for conversation in &self.running {
            state.load(SnapshotPart::Running(*conversation));
        }
        for rule in whole.rules.policy().rules() {
            let uses = whole.rules.uses(rule.id);
            state.load(SnapshotPart::Rule(RuleEntry {
                rule: Arc::clone(rule),
                hits: uses.hits,
                last_used: uses.last,
            }));
        }
        state.load(SnapshotPart::LastRule(RuleId(self.last_rule)));
        state.loaded(whole.head, whole.epoch, self.last_ask);
        state
    }

    /// Holds a state that has taken everything in against what the log says.
    pub(crate) fn held_against(&self, state: &State, head: Seq) -> Result<(), String> {
        let same = |what: &str, is: bool| if is { Ok(()) } else { Err(what.to_owned()) };
        same("the head", state.head == head)?;
        let open = state.asks.open();
        same("the number of open asks", open.len() == self.open.len())?;
        for (entry, (ask, (opened, agent, conversation))) in open.iter().zip(&self.open) {
            same(
                "an open ask",
                (entry.ask, entry.opened, entry.agent, entry.conversation)
                    == (*ask, *opened, *agent, *conversation),
            )?;
        }
        for agent in self.agents.keys() {
            let open = self.open.values().filter(|(_, asker, _)| asker == agent);
            same(
                "the open asks of an agent",
                open.count() == state.asks.open_of(*agent),
            )?;
            let owed = self.owed.iter().filter(|(_, (asker, _))| asker == agent);
            let mut owed: Vec<_> = owed.map(|(ask, (_, delivery))| (*ask, *delivery)).collect();
            owed.sort_by_key(|(ask, _)| self.closed.get(ask).map(|(seq, _)| *seq));
            let told: Vec<_> = state
                .delivery
                .of(*agent)
                .map(|e| (e.ask, e.delivery))
                .collect();
            same("what an agent is owed", owed == told)?;
        }
        same("what is owed", self.owed.len() == state.delivery.len())?;
        for (ask, (seq, how)) in &self.closed {
            let Some(Standing::Closed(entry)) = state.asks.find(*ask) else {
                return Err(format!("{ask} is not remembered as closed"));
            };
            same("where an ask ended", entry.closed == *seq)?;
            let is_known = entry.how == *how || self.erased.contains(ask);
            same("how an ask ended", is_known)?;
            same(
                "a late answer",
                entry.late.is_some() == self.late.contains(ask),
            )?;
        }
        for id in (1..=self.last_token).map(TokenId) {
            let name = state
                .directory
                .token(id)
                .map(|token| token.name.to_string());
            same("a token", name.as_ref() == self.tokens.get(&id))?;
        }
        let rules = state.rules.policy().rules();
        let rules: BTreeMap<_, _> = rules.map(|rule| (rule.id, rule.version)).collect();
        same("the rules", rules == self.rules)?;
        for id in (1..=self.conversations).map(ConversationId) {
            let queue = self.queue.get(&id).map_or(&[][..], Vec::as_slice);
            same("a queue", state.talk.queued_in(id) == queue.len())?;
            same(
                "what is next",
                state.talk.next(id).map(|e| e.message).as_ref() == queue.first(),
            )?;
            same(
                "a turn",
                state.talk.is_running(id) == self.running.contains(&id),
            )?;
            let here = self
                .open
                .values()
                .filter(|(_, _, at)| *at == Some(id))
                .count();
            same(
                "the open asks of a conversation",
                state.asks.open_in(id) == here,
            )?;
        }
        let queued: usize = self.queue.values().map(Vec::len).sum();
        same("how many messages wait", state.talk.queued() == queued)
    }
}
