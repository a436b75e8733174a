//! A sorted list cut into chunks: values come at its end and go anywhere, and a million of them have next
//! to nothing beside them.

/// Values in one chunk: large enough that the list of chunks stays short, small enough to shift.
const CHUNK: usize = 512;

/// Values in rising order, by a number or an id that each of them has.
#[derive(Debug)]
pub(super) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
    len: usize,
}

/// Where a value stands until one comes or goes: in which chunk, and where in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot(usize, usize);

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Chunks<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a value that comes after all others.
    pub(super) fn push(&mut self, value: T) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(value),
            Some(_) | None => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(value);
                self.chunks.push(chunk);
            }
        }
        self.len += 1;
    }

    /// Where the value with this key stands.
    pub(super) fn find<K: Ord + Copy>(&self, key: K, of: impl Fn(&T) -> K) -> Option<Spot> {
        let begins = |chunk: &Vec<T>| chunk.first().is_some_and(|first| of(first) <= key);
        let chunk = self.chunks.partition_point(begins).checked_sub(1)?;
        let values = self.chunks.get(chunk)?;
        let at = values.binary_search_by(|value| of(value).cmp(&key)).ok()?;
        Some(Spot(chunk, at))
    }

    pub(super) fn get(&self, Spot(chunk, at): Spot) -> Option<&T> {
        self.chunks.get(chunk)?.get(at)
    }

    /// Takes a value out.
    pub(super) fn remove(&mut self, Spot(chunk_at, at): Spot) -> Option<T> {
        let chunk = self.chunks.get_mut(chunk_at).filter(|it| at < it.len())?;
        let value = chunk.remove(at);
        if chunk.is_empty() {
            self.chunks.remove(chunk_at);
        } else {
            self.merge(chunk_at);
        }
        self.len -= 1;
        Some(value)
    }

    /// Two neighbours that fit into one chunk become one, so that long-lived values do not each keep a
    /// chunk of their own alive.
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

    /// All of them, in rising order.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// Those from the first on whose chunk does not end before a key.
    pub(super) fn iter_from<K: Ord>(
        &self,
        key: &K,
        of: impl Fn(&T) -> K,
    ) -> impl Iterator<Item = &T> {
        let ends = |chunk: &Vec<T>| chunk.last().is_some_and(|last| of(last) <= *key);
        let start = self.chunks.partition_point(ends);
        self.chunks.iter().skip(start).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_filled_and_small_neighbours_become_one() {
        let mut values = Chunks::default();
        let chunk = CHUNK as u64;
        (1..=3 * chunk).for_each(|value| values.push(value));
        let mut left_without = |gone: std::ops::Range<u64>| {
            for value in gone {
                if let Some(spot) = values.find(value, |value| *value) {
                    assert_eq!(values.remove(spot), Some(value));
                }
            }
            values.chunks.iter().map(Vec::len).collect::<Vec<_>>()
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
}
