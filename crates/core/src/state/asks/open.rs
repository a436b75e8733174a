//! The compact index of open asks: a million of them fit in memory, their bodies stay on disk.
//!
//! Ask ids and their places in the journal rise together, because one decision gives both. So one
//! list is sorted by both and serves every look-up by binary search. Keys, which many asks do not have,
//! stand in a list of their own.

use hashbrown::HashTable;

use super::chunks::Chunks;
use crate::ask::MatterKind;
use crate::id::{AgentId, AskId, ConversationId, Place, Seq};
use crate::time::Time;

/// An ask that waits: what is kept in memory of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenEntry {
    /// Which ask.
    pub ask: AskId,
    /// Where it was asked.
    pub opened: Seq,
    /// When it lapses, as it is written down.
    pub deadline: Option<Time>,
    /// Who asked.
    pub agent: AgentId,
    /// In which conversation.
    pub conversation: Option<ConversationId>,
    /// About what.
    pub matter: MatterKind,
    /// Under which keys a second try finds it.
    pub keys: [Option<u64>; 2],
}

impl OpenEntry {
    /// Where it stands in the journal.
    pub const fn place(&self) -> Place {
        Place {
            opened: self.opened,
            closed: None,
            late: None,
        }
    }
}

/// The open asks, as the state or a batch sees them.
pub trait OpenTable {
    /// An open ask.
    fn get(&self, ask: AskId) -> Option<OpenEntry>;
    /// The newest open ask that was taken in under this key.
    fn newest_by_key(&self, key: u64) -> Option<AskId>;
    /// Adds an ask; ids come in rising order.
    fn push(&mut self, entry: &OpenEntry);
    /// Removes an ask.
    fn remove(&mut self, ask: AskId) -> Option<OpenEntry>;
    /// Removes every ask and tells which they were.
    fn clear(&mut self) -> Vec<OpenEntry>;
}

/// How many keys an ask may have.
const KEYS: usize = 2;

/// One open ask, packed, without its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packed {
    ask: AskId,
    opened: u64,
    /// In milliseconds, or [`NEVER`], and what else needs only a few bits.
    deadline_and: u64,
    agent: u32,
    /// The id plus one; zero stands for none.
    conversation: u32,
}

/// No deadline: later than any moment there is.
const NEVER: u64 = u64::MAX >> DEADLINE_SHIFT;
/// Below the deadline: which matter, and whether there are keys.
const DEADLINE_SHIFT: u32 = 3;
const MATTER_BITS: u64 = 0b011;
const KEYED_BIT: u64 = 0b100;

const fn matter_bits(matter: MatterKind) -> u64 {
    match matter {
        MatterKind::Questions => 0,
        MatterKind::Approval => 1,
        MatterKind::Form => 2,
    }
}

impl Packed {
    fn new(entry: &OpenEntry) -> Self {
        let deadline = entry.deadline.map_or(NEVER, Time::as_millis);
        let is_keyed = entry.keys.iter().any(Option::is_some);
        Self {
            ask: entry.ask,
            opened: entry.opened.0,
            deadline_and: deadline << DEADLINE_SHIFT
                | if is_keyed { KEYED_BIT } else { 0 }
                | matter_bits(entry.matter),
            agent: entry.agent.0,
            conversation: entry.conversation.map_or(0, |id| id.0.saturating_add(1)),
        }
    }

    const fn matter(&self) -> MatterKind {
        match self.deadline_and & MATTER_BITS {
            0 => MatterKind::Questions,
            1 => MatterKind::Approval,
            _ => MatterKind::Form,
        }
    }

    const fn is_keyed(&self) -> bool {
        self.deadline_and & KEYED_BIT != 0
    }

    fn deadline(&self) -> Option<Time> {
        let millis = self.deadline_and >> DEADLINE_SHIFT;
        (millis != NEVER).then(|| Time::from_millis(millis))
    }
}

/// One key of an open ask.
#[derive(Debug, Clone, Copy)]
struct KeyRow {
    place: u64,
    key: u64,
}

/// Where a key of an ask stands among all keys, by the place of the ask and which of its keys it is.
const fn key_place(opened: u64, number: u64) -> u64 {
    opened * KEYS as u64 + number
}

/// Which open asks to list.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenFilter {
    /// Only of this agent.
    pub agent: Option<AgentId>,
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Only about this kind of matter.
    pub matter: Option<MatterKind>,
}

impl OpenFilter {
    fn takes(&self, packed: &Packed) -> bool {
        self.agent.is_none_or(|agent| agent.0 == packed.agent)
            && self
                .conversation
                .is_none_or(|id| id.0.saturating_add(1) == packed.conversation)
            && self.matter.is_none_or(|matter| matter == packed.matter())
    }
}

/// Every open ask.
#[derive(Debug, Default)]
pub struct OpenIndex {
    asks: Chunks<Packed>,
    key_rows: Chunks<KeyRow>,
    /// Places of asks by the hash of a key: only for asks that have one.
    keys: HashTable<(u64, u64)>,
}

impl OpenIndex {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.asks.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn add(&mut self, entry: &OpenEntry) {
        self.asks.push(Packed::new(entry));
        let opened = entry.opened.0;
        for (number, key) in (0..).zip(entry.keys) {
            if let Some(key) = key {
                let place = key_place(opened, number);
                self.key_rows.push(KeyRow { place, key });
                self.keys.insert_unique(key, (key, opened), |(key, _)| *key);
            }
        }
    }

    /// An ask as it stands outside.
    fn entry(&self, packed: &Packed) -> OpenEntry {
        let mut keys = [None; KEYS];
        if packed.is_keyed() {
            for (number, key) in (0..).zip(&mut keys) {
                let place = key_place(packed.opened, number);
                let spot = self.key_rows.find(place, |row| row.place);
                *key = spot.and_then(|spot| Some(self.key_rows.get(spot)?.key));
            }
        }
        OpenEntry {
            ask: packed.ask,
            opened: Seq(packed.opened),
            deadline: packed.deadline(),
            agent: AgentId(packed.agent),
            conversation: packed.conversation.checked_sub(1).map(ConversationId),
            matter: packed.matter(),
            keys,
        }
    }

    /// The open ask that was asked at this place.
    pub fn at_place(&self, opened: Seq) -> Option<OpenEntry> {
        let spot = self.asks.find(opened.0, |packed| packed.opened)?;
        Some(self.entry(self.asks.get(spot)?))
    }

    /// An open ask.
    pub fn find(&self, ask: AskId) -> Option<OpenEntry> {
        let spot = self.asks.find(ask, |packed| packed.ask)?;
        Some(self.entry(self.asks.get(spot)?))
    }

    fn take(&mut self, ask: AskId) -> Option<OpenEntry> {
        let spot = self.asks.find(ask, |packed| packed.ask)?;
        let packed = self.asks.remove(spot)?;
        let entry = self.entry(&packed);
        for (number, key) in (0..).zip(entry.keys) {
            if let Some(key) = key {
                self.forget_key(key, packed.opened, number);
            }
        }
        Some(entry)
    }

    fn forget_key(&mut self, key: u64, opened: u64, number: u64) {
        let place = key_place(opened, number);
        if let Some(spot) = self.key_rows.find(place, |row| row.place) {
            self.key_rows.remove(spot);
        }
        let is_this = |row: &(u64, u64)| *row == (key, opened);
        if let Ok(found) = self.keys.find_entry(key, is_this) {
            found.remove();
        }
    }

    /// Open asks taken in under this key, newest first.
    pub fn by_key(&self, key: u64) -> Vec<OpenEntry> {
        let mut found: Vec<u64> = self
            .keys
            .iter_hash(key)
            .filter(|(other, _)| *other == key)
            .map(|(_, opened)| *opened)
            .collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found
            .into_iter()
            .filter_map(|opened| self.at_place(Seq(opened)))
            .collect()
    }

    /// Open asks after `after`, oldest first, at most `limit`; and whether there may be more.
    pub fn list(
        &self,
        filter: &OpenFilter,
        after: Option<AskId>,
        limit: usize,
    ) -> (Vec<OpenEntry>, bool) {
        let mut rows = self
            .asks
            .iter_from(&after, |packed| Some(packed.ask))
            .skip_while(|packed| after.is_some_and(|after| packed.ask <= after))
            .filter(|packed| filter.takes(packed));
        let page = rows.by_ref().take(limit);
        let page: Vec<_> = page.map(|packed| self.entry(packed)).collect();
        let more = page.len() == limit && rows.next().is_some();
        (page, more)
    }

    /// The newest ones, newest first.
    pub fn newest(&self) -> impl Iterator<Item = OpenEntry> + '_ {
        self.asks.iter().rev().map(|packed| self.entry(packed))
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = OpenEntry> + '_ {
        self.asks.iter().map(|packed| self.entry(packed))
    }
}

impl PartialEq for OpenIndex {
    /// The same asks, however they are cut into chunks.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl OpenTable for OpenIndex {
    fn get(&self, ask: AskId) -> Option<OpenEntry> {
        self.find(ask)
    }

    fn newest_by_key(&self, key: u64) -> Option<AskId> {
        self.by_key(key).first().map(|entry| entry.ask)
    }

    fn push(&mut self, entry: &OpenEntry) {
        self.add(entry);
    }

    fn remove(&mut self, ask: AskId) -> Option<OpenEntry> {
        self.take(ask)
    }

    fn clear(&mut self) -> Vec<OpenEntry> {
        let all = self.iter().collect();
        *self = Self::default();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64) -> OpenEntry {
        let mut bytes = [0; 16];
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        OpenEntry {
            ask: AskId::from_bytes(bytes),
            opened: Seq(number * 2),
            deadline: number.is_multiple_of(3).then(|| Time::from_millis(number)),
            agent: AgentId(u32::try_from(number % 5).unwrap()),
            conversation: number
                .is_multiple_of(2)
                .then(|| ConversationId(u32::try_from(number % 7).unwrap())),
            matter: MatterKind::ALL[usize::try_from(number % 3).unwrap()],
            keys: [
                number.is_multiple_of(4).then_some(number % 16 + 1),
                number.is_multiple_of(10).then_some(number % 3 + 100),
            ],
        }
    }

    #[test]
    fn it_is_a_map_that_keeps_order() {
        let mut index = OpenIndex::default();
        let mut model = std::collections::BTreeMap::new();
        for number in 1..4_000 {
            index.push(&entry(number));
            model.insert(number, entry(number));
            if number.is_multiple_of(3) {
                let gone = number / 2;
                assert_eq!(index.remove(entry(gone).ask), model.remove(&gone));
            }
        }
        assert_eq!(index.len(), model.len());
        assert_eq!(
            index.iter().collect::<Vec<_>>(),
            model.values().copied().collect::<Vec<_>>()
        );
        for number in 0..4_000 {
            assert_eq!(index.find(entry(number).ask), model.get(&number).copied());
        }
        for key in (1..20).chain(100..103) {
            let expected: Vec<_> = model
                .values()
                .rev()
                .filter(|entry| entry.keys.contains(&Some(key)))
                .copied()
                .collect();
            assert_eq!(index.by_key(key), expected);
        }
        let by_agent = OpenFilter {
            agent: Some(AgentId(2)),
            conversation: None,
            matter: Some(MatterKind::Form),
        };
        let by_conversation = OpenFilter {
            conversation: Some(ConversationId(3)),
            ..OpenFilter::default()
        };
        for filter in [by_agent, by_conversation] {
            let is = |e: &OpenEntry| {
                filter.agent.is_none_or(|agent| e.agent == agent)
                    && (filter.conversation.is_none() || e.conversation == filter.conversation)
                    && filter.matter.is_none_or(|matter| e.matter == matter)
            };
            let expected: Vec<_> = model.values().filter(|e| is(e)).copied().collect();
            let (mut seen, mut after) = (Vec::new(), None);
            loop {
                let (page, more) = index.list(&filter, after, 7);
                after = page.last().map(|entry| entry.ask);
                seen.extend(page);
                if !more {
                    break;
                }
            }
            assert_eq!(seen, expected);
        }
        for number in 0..4_000 {
            index.remove(entry(number).ask);
        }
        assert_eq!(
            (index.len(), index.key_rows.len(), index.keys.len()),
            (0, 0, 0)
        );
    }

    #[test]
    fn a_page_that_ends_with_the_last_one_has_none_behind_it() {
        let mut index = OpenIndex::default();
        (1..=3).for_each(|number| index.push(&entry(number)));
        let list = |after: Option<u64>, limit| {
            let after = after.map(|number| entry(number).ask);
            index.list(&OpenFilter::default(), after, limit)
        };
        let page = |numbers: std::ops::RangeInclusive<u64>| numbers.map(entry).collect::<Vec<_>>();
        assert_eq!(list(None, 2), (page(1..=2), true));
        assert_eq!(list(None, 3), (page(1..=3), false));
        assert_eq!(list(Some(1), 2), (page(2..=3), false));
        assert_eq!(list(Some(3), 2), (Vec::new(), false));
        let newest: Vec<_> = index.newest().collect();
        assert_eq!(newest, [3, 2, 1].map(entry));
    }

    #[test]
    fn an_entry_stays_small() {
        assert!(size_of::<Packed>() <= 40, "{}", size_of::<Packed>());
    }
}
