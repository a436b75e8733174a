//! Where a connection hears what became of many things that are under way on it, without a wait of
//! its own for each of them.

use std::future::pending;

use crate::error::HubError;
use crate::mailbox::{Mailbox, Slot};

/// What became of the thing with this number.
type Word<T> = (u64, Result<T, HubError>);

/// The tray of one connection. It holds at most one word for each slip that was given out.
#[derive(Debug)]
pub struct Tray<T>(Mailbox<Word<T>>);

/// Where one word goes. Dropped without one, it says that there will be none.
#[derive(Debug)]
pub(crate) struct Slip<T> {
    tray: Slot<Word<T>>,
    number: u64,
    sent: bool,
}

impl<T> Default for Tray<T> {
    fn default() -> Self {
        Self(Mailbox::default())
    }
}

impl<T> Tray<T> {
    pub(crate) fn slip(&self, number: u64) -> Slip<T> {
        Slip {
            tray: self.0.slot(),
            number,
            sent: false,
        }
    }

    /// The next word and the number it is about. Safe to drop and call again.
    pub async fn next(&mut self) -> (u64, Result<T, HubError>) {
        match self.0.next().await {
            Some(word) => word,
            // Slips do not seal it.
            None => pending().await,
        }
    }
}

impl<T> Slip<T> {
    pub(crate) fn send(mut self, word: Result<T, HubError>) {
        self.put(word);
    }

    fn put(&mut self, word: Result<T, HubError>) {
        self.sent = true;
        // Whoever went away reads the journal when it is back.
        let _ = self.tray.put((self.number, word), usize::MAX);
    }
}

impl<T> Drop for Slip<T> {
    fn drop(&mut self) {
        if !self.sent {
            self.put(Err(HubError::stopping()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_slip_brings_one_word() {
        let mut tray = Tray::default();
        let (first, second, third) = (tray.slip(1), tray.slip(2), tray.slip(3));
        second.send(Ok("b"));
        drop(third);
        first.send(Ok("a"));
        assert!(matches!(tray.next().await, (2, Ok("b"))));
        assert!(matches!(tray.next().await, (3, Err(HubError::TryLater(_)))));
        assert!(matches!(tray.next().await, (1, Ok("a"))));
    }
}
