//! Places that only one connection may have: a newer one takes it, and the older one is told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sayso_hub::Hub;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::oneshot;

use crate::shared::Shared;

/// Who sits where. The key is the door's own: a token and a name, or a conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seats {
    taken: Arc<Mutex<Taken>>,
    /// Tells the other nodes, where there are any.
    hub: Option<Hub>,
}

#[derive(Debug, Default)]
struct Taken {
    count: u64,
    seats: HashMap<String, (u64, oneshot::Sender<()>)>,
}

/// A place that is held. Dropping it gives it up.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Seats,
    key: String,
    number: u64,
    lost: oneshot::Receiver<()>,
}

impl Seats {
    /// The places of a server on this hub.
    pub(crate) fn of(hub: &Hub) -> Self {
        Self {
            taken: Arc::default(),
            hub: Some(hub.clone()),
        }
    }

    /// Takes a place, whoever had it before, at any node.
    pub(crate) fn take(&self, key: String) -> Seat {
        if let Some(hub) = &self.hub {
            hub.seat_taken(&key);
        }
        self.take_here(key)
    }

    /// Takes a place that nobody has at another node.
    pub(crate) fn take_here(&self, key: String) -> Seat {
        let (sender, lost) = oneshot::channel();
        let mut taken = self.lock();
        taken.count += 1;
        let number = taken.count;
        let before = taken.seats.insert(key.clone(), (number, sender));
        drop(taken);
        if let Some((_, older)) = before {
            // One that is gone already need not hear it.
            let _ = older.send(());
        }
        Seat {
            seats: self.clone(),
            key,
            number,
            lost,
        }
    }

    /// Somebody at another node has the place now.
    fn taken_elsewhere(&self, key: &str) {
        if let Some((_, older)) = self.lock().seats.remove(key) {
            // One that is gone already need not hear it.
            let _ = older.send(());
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Resolves once somebody else has the place. Safe to drop and call again.
    pub(crate) async fn lost(&mut self) {
        // The sender leaves the table only by being told or with us.
        let _ = (&mut self.lost).await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.lock();
        if taken
            .seats
            .get(&self.key)
            .is_some_and(|(number, _)| *number == self.number)
        {
            taken.seats.remove(&self.key);
        }
    }
}

/// Gives up the places that are taken at other nodes, until everyone goes home. A word may be lost; then
/// two connections have one place until one of them goes.
pub(crate) async fn give_up(shared: Arc<Shared>) {
    let mut taken = shared.hub.seats_taken();
    loop {
        let key = tokio::select! {
            key = taken.recv() => key,
            () = shared.stopped() => return,
        };
        match key {
            Ok(key) => shared.seats.taken_elsewhere(&key),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// Waits for a seat to be lost; for ever where there is none.
pub(crate) async fn lost(seat: &mut Option<Seat>) {
    match seat {
        Some(seat) => seat.lost().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn the_newest_has_the_place_and_the_older_one_is_told() {
        let seats = Seats::default();
        let mut first = seats.take("a".to_owned());
        let mut other = seats.take("b".to_owned());
        assert!(first.lost().now_or_never().is_none());
        let mut second = seats.take("a".to_owned());
        assert!(first.lost().now_or_never().is_some());
        drop(first);
        assert!(second.lost().now_or_never().is_none());
        let third = seats.take("a".to_owned());
        assert!(second.lost().now_or_never().is_some());
        assert!(other.lost().now_or_never().is_none());
        let mut third = third;
        seats.taken_elsewhere("a");
        assert!(third.lost().now_or_never().is_some());
        assert!(other.lost().now_or_never().is_none());
        drop((second, third, other));
        assert!(seats.lock().seats.is_empty());
    }
}
