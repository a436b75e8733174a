//! Asks: which are open, and how those ended that ended a moment ago.
//!
//! An ask is open until its first close; nothing here turns silence into an answer. Closed asks are
//! remembered for as long as look-ups may not find them yet; after that the one who looked says how
//! an ask stands.

mod chunks;
mod decide;
mod keys;
mod open;
mod patch;

pub use keys::{ask_keys, key_hash, keys_of};
pub use open::{OpenEntry, OpenFilter, OpenIndex, OpenTable};
pub use patch::OpenPatch;

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::ids::LastId;
use super::table::{Base, KeyTable, Layer, NoTrail, Over, Patch, Trail, count_down, count_up};
use crate::agent::Agent;
use crate::ask::{Ask, MatterKind};
use crate::id::{AgentId, AskId, ConversationId, Place, Seq};
use crate::outcome::{Delivery, OutcomeKind};

/// Closed asks that are remembered even once look-ups find them, for those that began before.
const CLOSED_KEPT: usize = 4096;

/// How an ask that ended stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedEntry {
    /// Where it was asked.
    pub opened: Seq,
    /// Where it was closed.
    pub closed: Seq,
    /// Where a late answer was kept.
    pub late: Option<Seq>,
    /// How it ended.
    pub how: OutcomeKind,
    /// How far the news has got.
    pub delivery: Delivery,
}

impl ClosedEntry {
    /// Where it stands in the journal.
    pub const fn place(&self) -> Place {
        Place {
            opened: self.opened,
            closed: Some(self.closed),
            late: self.late,
        }
    }

    /// Whether an answer that comes now is kept: once, and never an approval.
    pub const fn keeps_late(&self, matter: MatterKind) -> bool {
        match (self.how, matter) {
            (OutcomeKind::Expired, MatterKind::Questions | MatterKind::Form) => self.late.is_none(),
            (OutcomeKind::Expired, MatterKind::Approval)
            | (OutcomeKind::Answered | OutcomeKind::Dismissed | OutcomeKind::Withdrawn, _) => false,
        }
    }
}

/// How an ask stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It waits.
    Open(OpenEntry),
    /// It ended.
    Closed(ClosedEntry),
}

impl Standing {
    /// Where it stands in the journal.
    pub const fn place(&self) -> Place {
        match self {
            Self::Open(entry) => entry.place(),
            Self::Closed(entry) => entry.place(),
        }
    }
}

/// What is remembered of an ask that ended.
#[derive(Debug, Clone, Copy)]
struct Ended {
    entry: ClosedEntry,
    /// The keys it was taken in under.
    keys: [Option<u64>; 2],
    /// Whether its text was erased: then nothing more is said about it.
    erased: bool,
}

/// The asks.
#[derive(Debug)]
pub struct Asks<L: Layer> {
    open: L::Open,
    by_agent: L::Map<AgentId, usize>,
    by_conversation: L::Map<ConversationId, usize>,
    closed: L::Map<AskId, Ended>,
    /// Asks of an earlier life of the state that are not closed.
    void: L::Map<AskId, OpenEntry>,
    closed_keys: L::Map<u64, AskId>,
    late: L::Map<AskId, Seq>,
    /// Since when each closed ask is remembered.
    remembered: L::Tail<(Seq, AskId)>,
    /// Closes up to here may be forgotten.
    forgotten: Seq,
    last: LastId,
}

impl<L: Layer> Asks<L> {
    /// How many open asks an agent has.
    pub fn open_of(&self, agent: AgentId) -> usize {
        self.by_agent.get(&agent).copied().unwrap_or(0)
    }

    /// How many asks of a conversation are open.
    pub fn open_in(&self, conversation: ConversationId) -> usize {
        self.by_conversation
            .get(&conversation)
            .copied()
            .unwrap_or(0)
    }

    /// How an ask stands, if that is remembered.
    pub fn find(&self, ask: AskId) -> Option<Standing> {
        let open = self.open.get(ask).map(Standing::Open);
        open.or_else(|| {
            self.closed
                .get(&ask)
                .map(|ended| Standing::Closed(ended.entry))
        })
    }

    /// The newest ask under this key that is remembered.
    fn by_key(&self, key: u64) -> Option<AskId> {
        let open = self.open.newest_by_key(key);
        open.or_else(|| self.closed_keys.get(&key).copied())
    }

    /// An id was given: the next one is greater.
    pub(super) fn saw(&mut self, ask: AskId) {
        self.last.saw(ask);
    }

    pub(super) fn opened(&mut self, entry: &OpenEntry) {
        self.saw(entry.ask);
        self.open.push(entry);
        count_up(&mut self.by_agent, entry.agent);
        if let Some(conversation) = entry.conversation {
            count_up(&mut self.by_conversation, conversation);
        }
    }

    fn no_longer_open(&mut self, ask: AskId) -> Option<OpenEntry> {
        if let Some(entry) = self.open.remove(ask) {
            count_down(&mut self.by_agent, &entry.agent);
            if let Some(conversation) = &entry.conversation {
                count_down(&mut self.by_conversation, conversation);
            }
            return Some(entry);
        }
        // A close in a new life of the state is news of that life.
        let entry = *self.void.get(&ask)?;
        self.void.cut(&ask);
        Some(entry)
    }

    /// Closes an ask, unless it is closed: the first close is the one that counts.
    pub(super) fn closed(
        &mut self,
        ask: AskId,
        closed: Seq,
        how: OutcomeKind,
    ) -> Option<OpenEntry> {
        let entry = self.no_longer_open(ask)?;
        let ended = ClosedEntry {
            opened: entry.opened,
            closed,
            late: None,
            how,
            delivery: Delivery::Owed,
        };
        let ended = Ended {
            entry: ended,
            keys: entry.keys,
            erased: false,
        };
        self.closed.put(ask, ended);
        for key in entry.keys.into_iter().flatten() {
            self.closed_keys.put(key, ask);
        }
        self.remembered.push((closed, ask));
        Some(entry)
    }

    /// A late answer was kept.
    pub(super) fn kept_late(&mut self, ask: AskId, late: Seq) {
        match self.closed.edit(&ask) {
            Some(ended) => ended.entry.late = Some(late),
            // It closed so long ago that look-ups had it; now they are behind.
            None => self.late.put(ask, late),
        }
        self.remembered.push((late, ask));
    }

    /// Where a late answer to an ask was kept that is otherwise not remembered.
    pub fn late_of(&self, ask: AskId) -> Option<Seq> {
        self.late.get(&ask).copied()
    }

    /// The news of an outcome has got this far.
    pub(super) fn delivered(&mut self, ask: AskId, delivery: Delivery) {
        if let Some(ended) = self.closed.edit(&ask) {
            ended.entry.delivery = ended.entry.delivery.max(delivery);
        }
    }

    /// The text of an ask was erased, as is written at `seq`: its keys are free again, and nobody is owed
    /// its outcome. One that is open here was closed by an event whose text went with it.
    pub(super) fn erased(&mut self, ask: AskId, place: Place, seq: Seq) -> Option<OpenEntry> {
        let open = self.no_longer_open(ask);
        self.free_keys(ask);
        if let Some(ended) = self.closed.edit(&ask) {
            ended.erased = true;
            ended.entry.late = place.late;
            ended.entry.delivery = Delivery::Confirmed;
            return open;
        }
        // Whoever looked it up before must find that it is gone. How it ended went with its text.
        let entry = ClosedEntry {
            opened: place.opened,
            closed: place.closed.unwrap_or(seq),
            late: place.late,
            how: OutcomeKind::Withdrawn,
            delivery: Delivery::Confirmed,
        };
        let ended = Ended {
            entry,
            keys: [None; 2],
            erased: true,
        };
        self.closed.put(ask, ended);
        self.remembered.push((seq, ask));
        open
    }

    /// Whether the text of an ask was erased a moment ago.
    fn is_erased(&self, ask: AskId) -> bool {
        self.closed.get(&ask).is_some_and(|ended| ended.erased)
    }

    fn free_keys(&mut self, ask: AskId) {
        let keys = self.closed.get(&ask).map_or([None; 2], |ended| ended.keys);
        for key in keys.into_iter().flatten() {
            if self.closed_keys.get(&key) == Some(&ask) {
                self.closed_keys.cut(&key);
            }
        }
    }

    /// Another life of the state began: what was open is void.
    pub(super) fn epoch_began(&mut self) {
        for entry in self.open.clear() {
            self.void.put(entry.ask, entry);
        }
        self.by_agent.clear();
        self.by_conversation.clear();
    }
}

impl Asks<Base> {
    pub(super) fn new() -> Self {
        Self {
            open: OpenIndex::default(),
            by_agent: HashMap::new(),
            by_conversation: HashMap::new(),
            closed: HashMap::new(),
            void: HashMap::new(),
            closed_keys: HashMap::new(),
            late: HashMap::new(),
            remembered: VecDeque::new(),
            forgotten: Seq::ZERO,
            last: LastId::default(),
        }
    }

    /// The same, to be changed by a batch.
    pub(super) fn over(&self) -> Asks<Over<'_>> {
        Asks {
            open: OpenPatch::over(&self.open),
            by_agent: Patch::over(&self.by_agent),
            by_conversation: Patch::over(&self.by_conversation),
            closed: Patch::over(&self.closed),
            void: Patch::over(&self.void),
            closed_keys: Patch::over(&self.closed_keys),
            late: Patch::over(&self.late),
            remembered: NoTrail,
            forgotten: self.forgotten,
            last: self.last,
        }
    }

    /// The open asks.
    pub fn open(&self) -> &OpenIndex {
        &self.open
    }

    /// Agents with open asks.
    pub fn agents(&self) -> impl Iterator<Item = AgentId> + '_ {
        self.by_agent.keys().copied()
    }

    /// Forgets closes up to this place, which look-ups find, but for a margin.
    pub(super) fn forget(&mut self, looked: Seq) {
        while self.remembered.len() > CLOSED_KEPT
            && self.remembered.front().is_some_and(|(at, _)| *at <= looked)
        {
            let Some((at, ask)) = self.remembered.pop_front() else {
                return;
            };
            self.forgotten = self.forgotten.max(at);
            let newest = self.closed.get(&ask).map(|ended| ended.entry);
            if newest.is_some_and(|entry| entry.late.unwrap_or(entry.closed) <= at) {
                self.free_keys(ask);
                self.closed.remove(&ask);
            }
            if self.late.get(&ask).is_some_and(|late| *late <= at) {
                self.late.remove(&ask);
            }
        }
    }

    /// Nothing is remembered of closes up to this place.
    pub(super) fn forgotten_to(&mut self, seq: Seq) {
        self.forgotten = seq;
    }

    /// Whether the same asks are open and the same id was given last.
    pub(super) fn stands_as(&self, other: &Self) -> bool {
        self.open == other.open
            && self.by_agent == other.by_agent
            && self.by_conversation == other.by_conversation
            && self.last == other.last
    }
}

/// What is kept in memory of an ask that was taken in at a place. Who asked what cannot be read may
/// not be known.
pub(super) fn open_entry(agent: Option<&Agent>, ask: &Ask, opened: Seq) -> OpenEntry {
    OpenEntry {
        ask: ask.id,
        opened,
        deadline: ask.deadline,
        agent: ask.agent,
        conversation: ask.conversation,
        matter: ask.matter.kind(),
        keys: agent.map_or([None; 2], |agent| ask_keys(agent, ask)),
    }
}
