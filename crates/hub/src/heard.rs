//! Turns that were heard of: which run, at which node, and when each counts as lost.

use std::collections::BTreeSet;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::id::{ConversationId, Seq};
use sayso_core::time::Time;
use sayso_store::NodeId;

/// What is added to the time of a turn that runs at another node: that one ends it, unless it cannot.
const ELSEWHERE: Duration = Duration::from_secs(30);
/// How often other nodes are told that a turn still runs.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// Ends that are remembered. Words are late by milliseconds, so that few are needed.
const ENDED_MAX: usize = 4096;

/// Every turn that was heard of, in hub time.
#[derive(Debug)]
pub(crate) struct HeardTurns {
    turns: HashMap<ConversationId, HeardTurn>,
    /// The same, in the order in which they are lost.
    order: BTreeSet<(Time, ConversationId)>,
    /// Where in the journal turns ended a moment ago: a word that was said before comes later.
    ended: HashMap<ConversationId, Seq>,
    /// How long nothing may be heard of a turn.
    timeout: Duration,
}

#[derive(Debug, Clone, Copy)]
struct HeardTurn {
    lost_at: Time,
    place: HeardAt,
    /// When other nodes were last told.
    told: Option<Time>,
}

/// Where an agent was last heard of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeardAt {
    /// At this node.
    Here,
    /// At another one, which is not always known.
    Elsewhere(Option<NodeId>),
}

impl HeardTurns {
    pub(crate) fn new(timeout: Duration) -> Self {
        Self {
            turns: HashMap::new(),
            order: BTreeSet::new(),
            ended: HashMap::new(),
            timeout,
        }
    }

    /// The agent was heard of. Says whether the clock must look sooner.
    pub(crate) fn hear(&mut self, id: ConversationId, now: Time, place: HeardAt) -> bool {
        let before = self.turns.get(&id).copied();
        let place = match (place, before.map(|before| before.place)) {
            (HeardAt::Elsewhere(None), Some(known @ HeardAt::Elsewhere(_))) => known,
            (place, _) => place,
        };
        let more = match place {
            HeardAt::Here => Duration::ZERO,
            HeardAt::Elsewhere(_) => ELSEWHERE,
        };
        let lost_at = now.after(self.timeout).after(more);
        if let Some(before) = before {
            self.order.remove(&(before.lost_at, id));
        }
        let sooner = self.order.first().is_none_or(|(first, _)| lost_at < *first);
        self.order.insert((lost_at, id));
        let turn = HeardTurn {
            lost_at,
            place,
            told: before.and_then(|before| before.told),
        };
        self.turns.insert(id, turn);
        sooner
    }

    /// The same for a turn that runs already, wherever; otherwise nothing begins.
    pub(crate) fn hear_again(&mut self, id: ConversationId, now: Time) {
        if let Some(turn) = self.turns.get(&id) {
            self.hear(id, now, turn.place);
        }
    }

    pub(crate) fn has(&self, id: ConversationId) -> bool {
        self.turns.contains_key(&id)
    }

    /// The turns that run, at this node or another one.
    pub(crate) fn all(&self) -> impl Iterator<Item = ConversationId> + '_ {
        self.turns.keys().copied()
    }

    /// A turn ended at this place in the journal.
    pub(crate) fn ended(&mut self, id: ConversationId, at: Seq) {
        if self.ended.len() >= ENDED_MAX {
            self.ended.clear();
        }
        self.ended.insert(id, at);
    }

    /// Whether a turn is known to have ended behind this place.
    pub(crate) fn has_ended_after(&self, id: ConversationId, after: Seq) -> bool {
        self.ended.get(&id).is_some_and(|ended| *ended > after)
    }

    pub(crate) fn forget(&mut self, id: ConversationId) {
        if let Some(turn) = self.turns.remove(&id) {
            self.order.remove(&(turn.lost_at, id));
        }
    }

    /// When the clock must look at a turn.
    pub(crate) fn next(&self) -> Option<Time> {
        self.order.first().map(|(lost_at, _)| *lost_at)
    }

    /// The turns of which nothing was heard for too long, at most so many.
    pub(crate) fn lost(&self, now: Time, most: usize) -> Vec<ConversationId> {
        let lost = self.order.iter();
        lost.take_while(|(lost_at, _)| *lost_at <= now)
            .map(|(_, id)| *id)
            .take(most)
            .collect()
    }

    /// Only these nodes live: nothing could be heard of turns at another, so their whole time runs again,
    /// and this node ends them.
    pub(crate) fn only_alive(&mut self, alive: &[NodeId], now: Time) {
        let orphans = self.turns.iter().filter(|(_, turn)| {
            let HeardAt::Elsewhere(Some(node)) = turn.place else {
                return false;
            };
            !alive.contains(&node)
        });
        let orphans: Vec<ConversationId> = orphans.map(|(id, _)| *id).collect();
        for id in orphans {
            self.hear(id, now, HeardAt::Here);
        }
    }

    /// Whether other nodes should be told now that a turn runs here.
    pub(crate) fn tell(&mut self, id: ConversationId, now: Time) -> bool {
        let Some(turn) = self.turns.get_mut(&id) else {
            return false;
        };
        let due = turn.told.is_none_or(|told| now.since(told) >= TELL_EVERY);
        if due {
            turn.told = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::from_millis(seconds * 1000)
    }

    #[test]
    fn a_turn_elsewhere_has_more_time_until_its_node_dies() {
        let mut turns = HeardTurns::new(Duration::from_secs(10));
        let (one, two) = (ConversationId(1), ConversationId(2));
        let node = NodeId(7);
        assert!(turns.hear(one, at(0), HeardAt::Elsewhere(Some(node))));
        assert!(turns.hear(two, at(1), HeardAt::Here), "it is lost sooner");
        assert_eq!(turns.next(), Some(at(11)));
        let mut running: Vec<_> = turns.all().collect();
        running.sort();
        assert_eq!(running, [one, two]);
        // An event of which the node is not known changes nothing about where it runs.
        turns.hear(one, at(5), HeardAt::Elsewhere(None));
        turns.only_alive(&[node], at(6));
        assert_eq!(turns.lost(at(44), 9), [two]);
        assert_eq!(turns.lost(at(45), 9), [two, one]);
        turns.only_alive(&[], at(20));
        assert_eq!(turns.lost(at(29), 9), [two], "the whole time runs again");
        assert_eq!(turns.lost(at(30), 9), [two, one]);
    }

    #[test]
    fn a_word_that_was_said_before_the_end_begins_nothing() {
        let mut turns = HeardTurns::new(Duration::from_secs(10));
        let (one, two) = (ConversationId(1), ConversationId(2));
        turns.ended(one, Seq(7));
        assert!(turns.has_ended_after(one, Seq(6)));
        assert!(!turns.has_ended_after(one, Seq(7)), "it was said since");
        assert!(!turns.has_ended_after(two, Seq(6)));
    }

    #[test]
    fn others_are_told_of_a_turn_now_and_then() {
        let mut turns = HeardTurns::new(Duration::from_secs(10));
        let one = ConversationId(1);
        assert!(!turns.tell(one, at(0)), "no turn runs");
        turns.hear(one, at(0), HeardAt::Here);
        assert!(turns.tell(one, at(0)));
        turns.hear(one, at(4), HeardAt::Here);
        assert!(!turns.tell(one, at(4)));
        assert!(turns.tell(one, at(5)));
    }
}
