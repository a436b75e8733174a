//! The compact index of open asks: a million of them fit in memory, their bodies stay on disk.
//!
//! Ask ids and their places in the journal rise together, because one decision gives both. So one
//! list, cut into chunks, is sorted by both and serves every look-up by binary search; closing an
//! ask removes it from its chunk.

use hashbrown::HashTable;

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

/// Entries in one chunk: large enough that the list of chunks stays short, small enough to shift.
const CHUNK: usize = 512;

/// One open ask, packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Packed {
    ask: AskId,
    opened: u64,
    /// In milliseconds, or `u64::MAX` for never.
    deadline: u64,
    /// Zero stands for none.
    keys: [u64; 2],
    agent: u32,
    /// The id plus one; zero stands for none.
    conversation: u32,
    matter: MatterKind,
}

impl Packed {
    fn new(entry: &OpenEntry) -> Self {
        Self {
            ask: entry.ask,
            opened: entry.opened.0,
            deadline: entry.deadline.map_or(u64::MAX, Time::as_millis),
            keys: entry.keys.map(|key| key.unwrap_or(0)),
            agent: entry.agent.0,
            conversation: entry.conversation.map_or(0, |id| id.0.saturating_add(1)),
            matter: entry.matter,
        }
    }

    fn entry(&self) -> OpenEntry {
        OpenEntry {
            ask: self.ask,
            opened: Seq(self.opened),
            deadline: (self.deadline != u64::MAX).then(|| Time::from_millis(self.deadline)),
            agent: AgentId(self.agent),
            conversation: self.conversation.checked_sub(1).map(ConversationId),
            matter: self.matter,
            keys: self.keys.map(|key| (key != 0).then_some(key)),
        }
    }
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
            && self.matter.is_none_or(|matter| matter == packed.matter)
    }
}

/// Every open ask.
#[derive(Debug, Default)]
pub struct OpenIndex {
    chunks: Vec<Vec<Packed>>,
    /// Places of asks by the hash of a key: only for asks that have one.
    keys: HashTable<(u64, u64)>,
    len: usize,
}

impl OpenIndex {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn add(&mut self, entry: &OpenEntry) {
        let packed = Packed::new(entry);
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(packed),
            Some(_) | None => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(packed);
                self.chunks.push(chunk);
            }
        }
        for key in packed.keys.into_iter().filter(|key| *key != 0) {
            self.keys
                .insert_unique(key, (key, packed.opened), |(key, _)| *key);
        }
        self.len += 1;
    }

    fn locate(&self, ask: AskId) -> Option<(usize, usize)> {
        let after = self
            .chunks
            .partition_point(|chunk| chunk.first().is_some_and(|first| first.ask <= ask));
        let chunk = after.checked_sub(1)?;
        let at = self
            .chunks
            .get(chunk)?
            .binary_search_by(|packed| packed.ask.cmp(&ask))
            .ok()?;
        Some((chunk, at))
    }

    fn at_place(&self, opened: u64) -> Option<&Packed> {
        let after = self
            .chunks
            .partition_point(|chunk| chunk.first().is_some_and(|first| first.opened <= opened));
        let chunk = self.chunks.get(after.checked_sub(1)?)?;
        chunk
            .binary_search_by(|packed| packed.opened.cmp(&opened))
            .ok()
            .and_then(|at| chunk.get(at))
    }

    /// An open ask.
    pub fn find(&self, ask: AskId) -> Option<OpenEntry> {
        let (chunk, at) = self.locate(ask)?;
        Some(self.chunks.get(chunk)?.get(at)?.entry())
    }

    fn take(&mut self, ask: AskId) -> Option<OpenEntry> {
        let (chunk_at, at) = self.locate(ask)?;
        let chunk = self.chunks.get_mut(chunk_at)?;
        let packed = chunk.remove(at);
        if chunk.is_empty() {
            self.chunks.remove(chunk_at);
        } else {
            self.merge(chunk_at);
        }
        for key in packed.keys.into_iter().filter(|key| *key != 0) {
            if let Ok(found) = self.keys.find_entry(key, |(other, opened)| {
                *other == key && *opened == packed.opened
            }) {
                found.remove();
            }
        }
        self.len -= 1;
        Some(packed.entry())
    }

    /// Two neighbours that fit into one chunk become one, so that long-lived asks do not each keep
    /// a chunk of their own alive.
    fn merge(&mut self, at: usize) {
        let here = self.chunks.get(at).map_or(CHUNK, Vec::len);
        let next = self.chunks.get(at + 1).map_or(CHUNK, Vec::len);
        if here + next <= CHUNK / 2 {
            let tail = self.chunks.remove(at + 1);
            if let Some(chunk) = self.chunks.get_mut(at) {
                chunk.extend(tail);
            }
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
            .filter_map(|opened| self.at_place(opened))
            .map(Packed::entry)
            .collect()
    }

    /// Open asks after `after`, oldest first, at most `limit`; and whether there may be more.
    pub fn list(
        &self,
        filter: &OpenFilter,
        after: Option<AskId>,
        limit: usize,
    ) -> (Vec<OpenEntry>, bool) {
        let start = after.map_or(0, |after| {
            self.chunks
                .partition_point(|chunk| chunk.last().is_some_and(|last| last.ask <= after))
        });
        let mut rows = self
            .chunks
            .iter()
            .skip(start)
            .flatten()
            .skip_while(|packed| after.is_some_and(|after| packed.ask <= after))
            .filter(|packed| filter.takes(packed))
            .map(Packed::entry);
        let page: Vec<_> = rows.by_ref().take(limit).collect();
        let more = page.len() == limit && rows.next().is_some();
        (page, more)
    }

    /// The newest ones, newest first.
    pub fn newest(&self) -> impl Iterator<Item = OpenEntry> + '_ {
        let all = self
            .chunks
            .iter()
            .rev()
            .flat_map(|chunk| chunk.iter().rev());
        all.map(Packed::entry)
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = OpenEntry> + '_ {
        self.chunks.iter().flatten().map(Packed::entry)
    }
}

impl PartialEq for OpenIndex {
    /// The same asks, however they are cut into chunks.
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
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
            keys: [number.is_multiple_of(4).then_some(number % 16 + 1), None],
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
        for key in 1..20 {
            let expected: Vec<_> = model
                .values()
                .rev()
                .filter(|entry| entry.keys[0] == Some(key))
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
            (index.len(), index.chunks.len(), index.keys.len()),
            (0, 0, 0)
        );
    }

    #[test]
    fn chunks_are_filled_and_small_neighbours_become_one() {
        let mut index = OpenIndex::default();
        assert!(index.is_empty());
        let chunk = CHUNK as u64;
        (1..=3 * chunk).for_each(|number| index.push(&entry(number)));
        assert!(!index.is_empty());
        let mut left_without = |numbers: std::ops::Range<u64>| {
            for number in numbers {
                index.remove(entry(number).ask);
            }
            index.chunks.iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(left_without(0..1), [CHUNK; 3]);
        let most = 3 * chunk / 4;
        let (second, third) = (chunk + 1, 2 * chunk + 1);
        let quarter = CHUNK / 4;
        let left = left_without(second..second + most);
        assert_eq!(left, [CHUNK, quarter, CHUNK]);
        let left = left_without(third..third + most - 1);
        assert_eq!(left, [CHUNK, quarter, quarter + 1]);
        let left = left_without(third - 1..third);
        assert_eq!(left, [CHUNK, 2 * quarter]);
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
        assert!(size_of::<Packed>() <= 64, "{}", size_of::<Packed>());
    }
}
