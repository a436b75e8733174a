//! Making ids: UUIDv7, and each greater than the one before, whatever the clock does.

use crate::id::{AskId, MessageId};
use crate::time::Time;

/// Random bytes that make one id unguessable. They come from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Random(pub [u8; Self::BYTES]);

impl Random {
    /// How many bytes one id takes.
    pub const BYTES: usize = 10;
}

/// The last id that was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct LastId(u128);

/// Where the 48-bit timestamp of a UUIDv7 begins.
const STAMP_SHIFT: u32 = 80;
/// The version and variant bits of a UUIDv7.
const MARKS: u128 = 0x0000_0000_0000_7000_8000_0000_0000_0000;
/// The bits that a UUIDv7 leaves free below its timestamp.
const FREE: u128 = 0x0000_0000_0000_0fff_3fff_ffff_ffff_ffff;

impl LastId {
    /// An id was given: the next one is greater.
    pub(super) fn saw(&mut self, ask: AskId) {
        self.0 = self.0.max(u128::from_be_bytes(*ask.bytes()));
    }

    /// The id of an ask that is taken in now.
    pub(super) fn next(self, now: Time, Random(random): Random) -> AskId {
        let mut low = [0; 16];
        let (_, tail) = low.split_at_mut(16 - Random::BYTES);
        tail.copy_from_slice(&random);
        let stamp = u128::from(now.as_millis() & 0xffff_ffff_ffff);
        let mut id = (stamp << STAMP_SHIFT) | MARKS | (u128::from_be_bytes(low) & FREE);
        if id <= self.0 {
            // The clock stood still or went back: stay in the last id's millisecond and step over
            // it by a random amount, carrying into the next millisecond when the room is used up.
            let [a, b, c, d, ..] = random;
            let step = 1 + u128::from(u32::from_be_bytes([a, b, c, d]));
            let free = squeeze(self.0) + step;
            id = ((free >> 74) << STAMP_SHIFT) | MARKS | spread(free);
        }
        AskId::from_bytes(id.to_be_bytes())
    }
}

/// The id of something that is said now.
pub(super) fn message_id(now: Time, random: Random) -> MessageId {
    let id = LastId::default().next(now, random);
    MessageId::from_bytes(*id.bytes())
}

/// The moment in an ask's own id: within a step of when it was taken in, or later, when the clock
/// was put back before.
pub fn asked_at(ask: AskId) -> Time {
    let mut millis = [0; 8];
    let (_, stamp) = millis.split_at_mut(2);
    stamp.copy_from_slice(ask.bytes().split_at(6).0);
    Time::from_millis(u64::from_be_bytes(millis))
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
    fn ids_rise_whatever_the_clock_does() {
        let mut last = LastId::default();
        let mut before = AskId::from_bytes([0; 16]);
        for millis in [5, 5, 5, 4, 9, 0, 0, 10, u64::MAX, 3] {
            for random in [[0; 10], [0xff; 10], [7; 10]] {
                let next = last.next(Time::from_millis(millis), Random(random));
                assert!(next > before);
                let bytes = next.bytes();
                assert_eq!((bytes[6] >> 4, bytes[8] >> 6), (7, 2), "a UUIDv7");
                last.saw(next);
                before = next;
            }
        }
    }

    #[test]
    fn an_id_tells_when_it_was_made() {
        let now = Time::from_millis(1_700_000_000_123);
        let ask = LastId::default().next(now, Random([9; 10]));
        assert_eq!(asked_at(ask), now);
    }
}
