//! What the parts of the state are kept in: tables, in the state itself and laid over it in a batch.
//!
//! `apply` and `decide` see only the traits here, so that each is written once and serves both.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;

use hashbrown::{Equivalent, HashMap};

use super::asks::{OpenIndex, OpenPatch, OpenTable};

/// What a table can be keyed by.
pub trait TableKey: Eq + Hash + Clone + Debug + 'static {}
impl<K: Eq + Hash + Clone + Debug + 'static> TableKey for K {}

/// What a table can hold.
pub trait TableValue: Clone + Debug + 'static {}
impl<V: Clone + Debug + 'static> TableValue for V {}

/// Values by key.
pub trait KeyTable<K, V> {
    /// The value under a key, which may be borrowed in another way than it is kept.
    fn get<Q: Hash + Equivalent<K>>(&self, key: &Q) -> Option<&V>;
    /// The same, to be changed.
    fn edit(&mut self, key: &K) -> Option<&mut V>;
    /// Puts a value under a key, in place of the one before.
    fn put(&mut self, key: K, value: V);
    /// Removes a value.
    fn cut(&mut self, key: &K);
    /// Removes every value.
    fn clear(&mut self);
}

/// Values by key, in the order of the keys.
pub trait Ordered<K, V> {
    /// The first at or after a key.
    fn first_from(&self, key: &K) -> Option<(K, V)>;
    /// Puts a value under a key.
    fn put(&mut self, key: K, value: V);
    /// Removes a value.
    fn cut(&mut self, key: &K);
    /// Removes every value.
    fn clear(&mut self);
}

/// Values that are numbered from one without gaps.
pub trait NumberedRows<V> {
    /// The value with this number.
    fn get(&self, number: u32) -> Option<&V>;
    /// The same, to be changed.
    fn edit(&mut self, number: u32) -> Option<&mut V>;
    /// Adds a value under the next number.
    fn push(&mut self, value: V);
    /// How many there are.
    fn count(&self) -> usize;
}

/// A list that only the state itself needs.
pub trait Trail<V> {
    /// Adds a value at the end.
    fn push(&mut self, value: V);
}

/// Where the parts are kept: in the state, or in a batch over it.
pub trait Layer: Debug + Sized {
    /// Values by key.
    type Map<K: TableKey, V: TableValue>: KeyTable<K, V> + Debug;
    /// Values by key, in order.
    type Order<K: Ord + TableValue, V: TableValue>: Ordered<K, V> + Debug;
    /// Numbered values.
    type List<V: TableValue>: NumberedRows<V> + Debug;
    /// A list that a batch does without.
    type Tail<V: TableValue>: Trail<V> + Debug;
    /// The open asks.
    type Open: OpenTable + Debug;
}

/// The state itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {}

impl Layer for Base {
    type Map<K: TableKey, V: TableValue> = HashMap<K, V>;
    type Order<K: Ord + TableValue, V: TableValue> = BTreeMap<K, V>;
    type List<V: TableValue> = Vec<V>;
    type Tail<V: TableValue> = VecDeque<V>;
    type Open = OpenIndex;
}

/// A batch: what it has changed so far, reading through to the state.
#[derive(Debug, Clone, Copy)]
pub struct Over<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> Layer for Over<'a> {
    type Map<K: TableKey, V: TableValue> = Patch<'a, K, V>;
    type Order<K: Ord + TableValue, V: TableValue> = OrderPatch<'a, K, V>;
    type List<V: TableValue> = ListPatch<'a, V>;
    type Tail<V: TableValue> = NoTrail;
    type Open = OpenPatch<'a>;
}

impl<K: TableKey, V: TableValue> KeyTable<K, V> for HashMap<K, V> {
    fn get<Q: Hash + Equivalent<K>>(&self, key: &Q) -> Option<&V> {
        HashMap::get(self, key)
    }

    fn edit(&mut self, key: &K) -> Option<&mut V> {
        self.get_mut(key)
    }

    fn put(&mut self, key: K, value: V) {
        self.insert(key, value);
    }

    fn cut(&mut self, key: &K) {
        self.remove(key);
    }

    fn clear(&mut self) {
        HashMap::clear(self);
    }
}

/// What a batch has changed in a table.
#[derive(Debug)]
pub struct Patch<'a, K, V> {
    /// Absent once the batch has removed everything.
    base: Option<&'a HashMap<K, V>>,
    over: HashMap<K, Option<V>>,
}

impl<'a, K: TableKey, V: TableValue> Patch<'a, K, V> {
    /// Nothing changed yet.
    pub(super) fn over(base: &'a HashMap<K, V>) -> Self {
        Self {
            base: Some(base),
            over: HashMap::new(),
        }
    }

    /// What has changed, to be added to.
    fn changes(&mut self) -> &mut HashMap<K, Option<V>> {
        with_room(&mut self.over)
    }
}

/// Changes for which a table of a batch has room from the first one on, so that it seldom grows.
const ROOM: usize = 28;

/// A table of changes, with room once there are any.
pub(super) fn with_room<K: Eq + Hash, V>(changes: &mut HashMap<K, V>) -> &mut HashMap<K, V> {
    if changes.capacity() == 0 {
        changes.reserve(ROOM);
    }
    changes
}

impl<K: TableKey, V: TableValue> KeyTable<K, V> for Patch<'_, K, V> {
    fn get<Q: Hash + Equivalent<K>>(&self, key: &Q) -> Option<&V> {
        match self.over.get(key) {
            Some(changed) => changed.as_ref(),
            None => HashMap::get(self.base?, key),
        }
    }

    fn edit(&mut self, key: &K) -> Option<&mut V> {
        let base = self.base;
        self.changes()
            .entry(key.clone())
            .or_insert_with(|| HashMap::get(base?, key).cloned())
            .as_mut()
    }

    fn put(&mut self, key: K, value: V) {
        self.changes().insert(key, Some(value));
    }

    fn cut(&mut self, key: &K) {
        self.changes().insert(key.clone(), None);
    }

    fn clear(&mut self) {
        self.base = None;
        self.over.clear();
    }
}

impl<K: Ord + TableValue, V: TableValue> Ordered<K, V> for BTreeMap<K, V> {
    fn first_from(&self, key: &K) -> Option<(K, V)> {
        let (key, value) = self.range(key..).next()?;
        Some((key.clone(), value.clone()))
    }

    fn put(&mut self, key: K, value: V) {
        self.insert(key, value);
    }

    fn cut(&mut self, key: &K) {
        self.remove(key);
    }

    fn clear(&mut self) {
        BTreeMap::clear(self);
    }
}

/// What a batch has changed in an ordered table.
#[derive(Debug)]
pub struct OrderPatch<'a, K, V> {
    /// Absent once the batch has removed everything.
    base: Option<&'a BTreeMap<K, V>>,
    over: BTreeMap<K, Option<V>>,
}

impl<'a, K: Ord + TableValue, V: TableValue> OrderPatch<'a, K, V> {
    /// Nothing changed yet.
    pub(super) fn over(base: &'a BTreeMap<K, V>) -> Self {
        Self {
            base: Some(base),
            over: BTreeMap::new(),
        }
    }
}

impl<K: Ord + TableValue, V: TableValue> Ordered<K, V> for OrderPatch<'_, K, V> {
    fn first_from(&self, key: &K) -> Option<(K, V)> {
        let below = self.base.into_iter().flat_map(|base| base.range(key..));
        let mut below = below.filter(|(key, _)| !self.over.contains_key(key));
        let mut above = self.over.range(key..);
        let above = above.find_map(|(key, value)| Some((key, value.as_ref()?)));
        let first = below.next().into_iter().chain(above);
        let (key, value) = first.min_by(|(one, _), (other, _)| one.cmp(other))?;
        Some((key.clone(), value.clone()))
    }

    fn put(&mut self, key: K, value: V) {
        self.over.insert(key, Some(value));
    }

    fn cut(&mut self, key: &K) {
        self.over.insert(key.clone(), None);
    }

    fn clear(&mut self) {
        self.base = None;
        self.over.clear();
    }
}

/// Where a number stands in a list that begins with one.
fn index(number: u32) -> Option<usize> {
    (number as usize).checked_sub(1)
}

impl<V: TableValue> NumberedRows<V> for Vec<V> {
    fn get(&self, number: u32) -> Option<&V> {
        <[V]>::get(self, index(number)?)
    }

    fn edit(&mut self, number: u32) -> Option<&mut V> {
        self.get_mut(index(number)?)
    }

    fn push(&mut self, value: V) {
        Vec::push(self, value);
    }

    fn count(&self) -> usize {
        self.len()
    }
}

/// What a batch has changed in a list.
#[derive(Debug)]
pub struct ListPatch<'a, V> {
    base: &'a [V],
    over: HashMap<u32, V>,
    added: u32,
}

impl<'a, V: TableValue> ListPatch<'a, V> {
    /// Nothing changed yet.
    pub(super) fn over(base: &'a [V]) -> Self {
        Self {
            base,
            over: HashMap::new(),
            added: 0,
        }
    }
}

impl<V: TableValue> NumberedRows<V> for ListPatch<'_, V> {
    fn get(&self, number: u32) -> Option<&V> {
        let changed = self.over.get(&number);
        changed.or_else(|| self.base.get(index(number)?))
    }

    fn edit(&mut self, number: u32) -> Option<&mut V> {
        if !self.over.contains_key(&number) {
            let value = self.base.get(index(number)?)?;
            self.over.insert(number, value.clone());
        }
        self.over.get_mut(&number)
    }

    fn push(&mut self, value: V) {
        self.added += 1;
        let number = u32::try_from(self.count()).unwrap_or(u32::MAX);
        self.over.insert(number, value);
    }

    fn count(&self) -> usize {
        self.base.len() + self.added as usize
    }
}

impl<V: TableValue> Trail<V> for VecDeque<V> {
    fn push(&mut self, value: V) {
        self.push_back(value);
    }
}

/// A list that a batch does without.
#[derive(Debug, Clone, Copy)]
pub struct NoTrail;

impl<V> Trail<V> for NoTrail {
    fn push(&mut self, _: V) {}
}

/// Counts one more under a key.
pub(super) fn count_up<K: TableKey>(counts: &mut impl KeyTable<K, usize>, key: K) {
    match counts.edit(&key) {
        Some(count) => *count += 1,
        None => counts.put(key, 1),
    }
}

/// Counts one less under a key; what is down to nothing is gone.
pub(super) fn count_down<K: TableKey>(counts: &mut impl KeyTable<K, usize>, key: &K) {
    if let Some(count) = counts.edit(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.cut(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts a value under a key or removes it; without a key everything is removed.
    type Step = Option<(u32, Option<char>)>;

    const STEPS: [Step; 9] = [
        Some((3, Some('x'))),
        Some((4, None)),
        Some((6, Some('y'))),
        Some((3, None)),
        Some((4, Some('z'))),
        None,
        Some((5, Some('x'))),
        Some((5, None)),
        Some((1, Some('y'))),
    ];

    #[test]
    fn an_ordered_table_of_a_batch_reads_as_if_the_state_were_changed() {
        fn take(table: &mut impl Ordered<u32, char>, step: Step) -> Vec<Option<(u32, char)>> {
            match step {
                Some((key, Some(value))) => table.put(key, value),
                Some((key, None)) => table.cut(&key),
                None => table.clear(),
            }
            (0..8).map(|key| table.first_from(&key)).collect()
        }
        let base = BTreeMap::from([(2, 'a'), (4, 'b'), (6, 'c')]);
        let (mut state, mut batch) = (base.clone(), OrderPatch::over(&base));
        for step in STEPS {
            assert_eq!(take(&mut batch, step), take(&mut state, step), "{step:?}");
        }
        assert_eq!(state, BTreeMap::from([(1, 'y')]));
    }

    #[test]
    fn a_table_of_a_batch_reads_as_if_the_state_were_changed() {
        fn take(table: &mut impl KeyTable<u32, char>, step: Step) -> Vec<Option<char>> {
            match step {
                Some((key, Some(value))) => table.put(key, value),
                Some((key, None)) => table.cut(&key),
                None => table.clear(),
            }
            if let Some(value) = table.edit(&2) {
                value.make_ascii_uppercase();
            }
            (0..8).map(|key| table.get(&key).copied()).collect()
        }
        let base = HashMap::from([(2, 'a'), (4, 'b'), (6, 'c')]);
        let (mut state, mut batch) = (base.clone(), Patch::over(&base));
        for step in STEPS {
            assert_eq!(take(&mut batch, step), take(&mut state, step), "{step:?}");
        }
        assert_eq!(state, HashMap::from([(1, 'y')]));
    }

    #[test]
    fn a_list_of_a_batch_reads_as_if_the_state_were_changed() {
        fn take(list: &mut impl NumberedRows<char>, number: u32) -> (usize, Vec<Option<char>>) {
            if let Some(value) = list.edit(number) {
                value.make_ascii_uppercase();
            } else {
                list.push('c');
            }
            let rows = (0..8).map(|number| list.get(number).copied());
            (list.count(), rows.collect())
        }
        let base = vec!['a', 'b'];
        let (mut state, mut batch) = (base.clone(), ListPatch::over(&base));
        for number in [0, 2, 2, 3, 4, 9, 4] {
            assert_eq!(take(&mut batch, number), take(&mut state, number));
        }
        assert_eq!(state, ['a', 'B', 'C', 'C', 'c']);
    }
}
