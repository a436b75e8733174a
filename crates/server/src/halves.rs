//! Frames and bodies of agents that have come in half: how much of them is kept at one time.
//!
//! Each connection keeps a little for free. What goes beyond that is counted, for each token and for
//! all agents together, so that many large messages that never end cannot fill the memory. People are
//! not counted here: no agent can take their room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::id::TokenId;
use sayso_core::limits;

/// What the agents' half messages hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Halves(Arc<Mutex<Counted>>);

#[derive(Debug, Default)]
struct Counted {
    all: usize,
    by_token: HashMap<TokenId, usize>,
}

/// What one connection holds of it; given back with this.
#[derive(Debug)]
pub(crate) struct Half {
    halves: Halves,
    token: TokenId,
    counted: usize,
}

/// There is no room for more of a message that is not whole yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom;

impl Halves {
    /// A connection of an agent.
    pub(crate) fn of(&self, token: TokenId) -> Half {
        Half {
            halves: self.clone(),
            token,
            counted: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Half {
    /// The connection holds this much of a message now.
    pub(crate) fn holds(&mut self, bytes: usize) -> Result<(), NoRoom> {
        let wanted = bytes.saturating_sub(limits::HALF_FREE_BYTES);
        if wanted == self.counted {
            return Ok(());
        }
        let mut counted = self.halves.lock();
        let all = counted.all - self.counted + wanted;
        let own = counted.by_token.get(&self.token).copied().unwrap_or(0);
        let of_token = own - self.counted + wanted;
        let grows = wanted > self.counted;
        let is_full = all > limits::HALF_BYTES_MAX || of_token > limits::HALF_PER_TOKEN_BYTES_MAX;
        if grows && is_full {
            return Err(NoRoom);
        }
        if of_token == 0 {
            counted.by_token.remove(&self.token);
        } else {
            counted.by_token.insert(self.token, of_token);
        }
        counted.all = all;
        self.counted = wanted;
        Ok(())
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        // Less always fits.
        let _ = self.holds(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    #[test]
    fn a_token_and_all_of_them_have_their_bounds_and_a_little_is_free() {
        let halves = Halves::default();
        let whole = limits::HALF_FREE_BYTES + 2 * MIB;
        let per_token = limits::HALF_PER_TOKEN_BYTES_MAX / (2 * MIB);
        let mut held = Vec::new();
        for token in 0..64 {
            for _ in 0..per_token {
                let mut half = halves.of(TokenId(token));
                if half.holds(whole).is_ok() {
                    held.push(half);
                }
            }
            assert_eq!(halves.of(TokenId(token)).holds(whole), Err(NoRoom));
        }
        assert_eq!(held.len(), limits::HALF_BYTES_MAX / (2 * MIB));
        let mut small = halves.of(TokenId(99));
        assert_eq!(small.holds(limits::HALF_FREE_BYTES), Ok(()));
        assert_eq!(small.holds(limits::HALF_FREE_BYTES + 1), Err(NoRoom));
        let last = held.last_mut().unwrap();
        assert_eq!(last.holds(whole), Ok(()), "it has that already");
        assert_eq!(last.holds(10), Ok(()));
        assert_eq!(small.holds(whole), Ok(()), "what was let go");
        drop((held, small));
        let counted = halves.lock();
        assert_eq!((counted.all, counted.by_token.len()), (0, 0));
    }
}
