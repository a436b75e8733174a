//! Buffers that sockets lend each other: whoever reads or writes takes one, whoever is done gives
//! it back, and a quiet socket has none.
//!
//! The one that was given last is taken first, because the processor still has it at hand.

use std::cell::RefCell;

/// What a new buffer holds: an ordinary frame in, an ask with its receipts out.
const BYTES: usize = 4096;
/// A buffer that grew past this is not kept.
const BYTES_MAX: usize = 64 * 1024;
/// Buffers that are kept on a thread.
const KEPT_MAX: usize = 64;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer with room in it.
pub(super) fn take() -> Vec<u8> {
    SPARE
        .with_borrow_mut(Vec::pop)
        .unwrap_or_else(|| Vec::with_capacity(BYTES))
}

/// Leaves an empty buffer without room, and keeps what it was for the next one who needs it.
pub(super) fn give_back(buffer: &mut Vec<u8>) {
    let mut buffer = std::mem::take(buffer);
    if (BYTES..=BYTES_MAX).contains(&buffer.capacity()) {
        buffer.clear();
        SPARE.with_borrow_mut(|kept| {
            if kept.len() < KEPT_MAX {
                kept.push(buffer);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_last_is_taken_first_and_empty() {
        let mut buffer = take();
        buffer.extend_from_slice(b"something secret");
        let place = buffer.as_ptr();
        give_back(&mut buffer);
        assert_eq!(buffer.capacity(), 0);
        let again = take();
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
    }

    #[test]
    fn neither_large_ones_nor_many_are_kept() {
        give_back(&mut vec![0; BYTES_MAX + 1]);
        for _ in 0..2 * KEPT_MAX {
            give_back(&mut vec![0; BYTES]);
        }
        SPARE.with_borrow(|kept| {
            assert_eq!(kept.len(), KEPT_MAX);
            assert!(kept.iter().all(|buffer| buffer.capacity() <= BYTES_MAX));
        });
    }
}
