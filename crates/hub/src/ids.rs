//! Making ask ids: UUIDv7, and each greater than the one before, whatever the clock does.

use sayso_core::id::AskId;
use sayso_core::time::Time;

use crate::error::HubError;

/// Gives out ask ids in rising order.
#[derive(Debug)]
pub(crate) struct AskIds {
    last: u128,
    /// Random bytes for the ids to come: the system is asked once for many.
    stock: Vec<[u8; RANDOM]>,
}

/// Random bytes of one id.
const RANDOM: usize = 10;
/// Ids for which the system is asked at once.
const STOCK: usize = 64;

/// Where the 48-bit timestamp of a UUIDv7 begins.
const STAMP_SHIFT: u32 = 80;
/// The version and variant bits of a UUIDv7.
const MARKS: u128 = 0x0000_0000_0000_7000_8000_0000_0000_0000;
/// The bits that a UUIDv7 leaves free below its timestamp.
const FREE: u128 = 0x0000_0000_0000_0fff_3fff_ffff_ffff_ffff;

impl AskIds {
    pub(crate) fn after(last: Option<AskId>) -> Self {
        Self {
            last: last.map_or(0, |id| u128::from_be_bytes(*id.bytes())),
            stock: Vec::new(),
        }
    }

    /// A new id.
    pub(crate) fn make(&mut self, now: Time) -> Result<AskId, HubError> {
        if let Some(random) = self.stock.pop() {
            return Ok(self.next(now, random));
        }
        let mut bytes = [0; RANDOM * STOCK];
        getrandom::fill(&mut bytes)
            .map_err(|_| HubError::TryLater("the system gives no random numbers".to_owned()))?;
        let (stock, _) = bytes.as_chunks::<RANDOM>();
        self.stock.extend_from_slice(stock);
        self.make(now)
    }

    /// The next id at this moment. `random` makes it unguessable.
    fn next(&mut self, now: Time, random: [u8; RANDOM]) -> AskId {
        let mut low = [0; 16];
        low[6..].copy_from_slice(&random);
        let stamp = u128::from(now.as_millis() & 0xffff_ffff_ffff);
        let mut id = (stamp << STAMP_SHIFT) | MARKS | (u128::from_be_bytes(low) & FREE);
        if id <= self.last {
            // The clock stood still or went back: stay in the last id's millisecond and step over
            // it by a random amount, carrying into the next millisecond when the room is used up.
            let step = 1 + u128::from(u32::from_be_bytes([
                random[0], random[1], random[2], random[3],
            ]));
            let free = squeeze(self.last) + step;
            id = ((free >> 74) << STAMP_SHIFT) | MARKS | spread(free);
        }
        self.last = id;
        AskId::from_bytes(id.to_be_bytes())
    }
}

/// Timestamp and free bits as one number.
fn squeeze(id: u128) -> u128 {
    ((id >> STAMP_SHIFT) << 74) | (((id >> 64) & 0xfff) << 62) | (id & 0x3fff_ffff_ffff_ffff)
}

/// The free bits of such a number, in their places.
fn spread(free: u128) -> u128 {
    (((free >> 62) & 0xfff) << 64) | (free & 0x3fff_ffff_ffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_even_when_the_clock_does_not() {
        let mut ids = AskIds::after(None);
        let mut last = ids.next(Time::from_millis(1_000), [0xff; 10]);
        for (millis, random) in [
            (1_000, [0; 10]),
            (1_000, [0xff; 10]),
            (10, [3; 10]),
            (999, [0xff; 10]),
            (1_001, [0; 10]),
            (2_000, [9; 10]),
        ] {
            let next = ids.next(Time::from_millis(millis), random);
            assert!(next > last, "{next} after {last}");
            let bytes = next.bytes();
            assert_eq!((bytes[6] >> 4, bytes[8] >> 6), (7, 2), "a UUIDv7: {next}");
            last = next;
        }
        assert!(AskIds::after(Some(last)).next(Time::from_millis(0), [0; 10]) > last);
    }

    #[test]
    fn no_two_ids_share_their_random_bytes() {
        let mut ids = AskIds::after(None);
        let made: std::collections::HashSet<_> = (0..u64::try_from(3 * STOCK).unwrap())
            .map(|millis| {
                let id = ids.make(Time::from_millis(1_000 + millis)).unwrap();
                <[u8; 8]>::try_from(&id.bytes()[8..]).unwrap()
            })
            .collect();
        assert_eq!(made.len(), 3 * STOCK);
    }
}
