//! Making ids: UUIDv7, and each greater than the one before, whatever the clock does.

use uuid::{Builder, Variant, Version};

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

/// Where a UUIDv7 has its version and its variant.
const MARKS: u128 = 0x0000_0000_0000_f000_c000_0000_0000_0000;

impl LastId {
    /// An id was given: the next one is greater.
    pub(super) fn saw(&mut self, ask: AskId) {
        self.0 = self.0.max(u128::from_be_bytes(*ask.bytes()));
    }

    /// The id of an ask that is taken in now.
    pub(super) fn next(self, now: Time, Random(random): Random) -> AskId {
        let id = Builder::from_unix_timestamp_millis(now.as_millis(), &random).into_uuid();
        if id.as_u128() > self.0 {
            return AskId::new(id);
        }
        // The clock stood still or went back: stay in the last id's millisecond and step over it by a
        // random amount. With all marks set, what is carried goes past them, and into the next
        // millisecond when the room is used up.
        let [a, b, c, d, ..] = random;
        let step = 1 + u128::from(u32::from_be_bytes([a, b, c, d]));
        let next = Builder::from_u128((self.0 | MARKS).saturating_add(step))
            .with_variant(Variant::RFC4122)
            .with_version(Version::SortRand);
        AskId::new(next.into_uuid())
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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

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
    fn at_one_moment_the_next_id_is_a_step_behind_the_last() {
        let at = Time::from_millis(5);
        let cases = [
            (0, 0, 0x0000_0000_0005_7000_8000_0000_0000_0000),
            (
                0x0000_0000_0005_7000_8000_0000_0000_0000,
                0,
                0x0000_0000_0005_7000_8000_0000_0000_0001,
            ),
            (
                0x0000_0000_0005_7001_8000_0000_0000_0000,
                2,
                0x0000_0000_0005_7001_8000_0000_0000_0003,
            ),
            (
                0x0000_0000_0005_7000_bfff_ffff_ffff_ffff,
                0,
                0x0000_0000_0005_7001_8000_0000_0000_0000,
            ),
            (
                0x0000_0000_0005_7fff_bfff_ffff_ffff_ffff,
                0,
                0x0000_0000_0006_7000_8000_0000_0000_0000,
            ),
        ];
        for (last, step, expected) in cases {
            let random = Random([0, 0, 0, step, 0, 0, 0, 0, 0, 0]);
            let next = LastId(last).next(at, random);
            assert_eq!(next, AskId::new(Uuid::from_u128(expected)), "{last:x}");
        }
    }

    #[test]
    fn an_id_tells_when_it_was_made() {
        let now = Time::from_millis(1_700_000_000_123);
        let ask = LastId::default().next(now, Random([9; 10]));
        assert_eq!(asked_at(ask), now);
    }
}
