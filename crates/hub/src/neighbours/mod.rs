//! The other nodes: what they write is taken in as it comes, and before anything is said that they could
//! have made untrue; what they say beside the journal is heard, and who is connected to them is known.
//!
//! What they write is in the state as soon as it is read; the next turn tells of it, so that everything is
//! published in the journal's order. A store with one writer never has anything for it.

mod freshness;
mod hearing;
mod presence;
mod remote;

pub(crate) use freshness::CatchUp;
pub(crate) use hearing::listen;
pub(crate) use presence::watch;
pub(crate) use remote::Remote;

use std::sync::Arc;
use std::time::Duration;

use sayso_core::ask::Ask;
use sayso_store::{LEVEL, Neighbours, StoredEvent};

use crate::applied::WrittenBy;
use crate::cache::matter_bytes;
use crate::error::HubError;
use crate::hub::Inner;

/// Events of others that are taken in and not told yet, before more are read.
const UNTOLD_MAX: usize = 8192;
/// How soon the store is asked again after it refused.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(250);

/// Nodes come after each other by so much when they end what another one took in and did not end.
const BACKUP_STEP: Duration = Duration::from_millis(300);
/// From so many on they come together.
const BACKUP_STEPS_MAX: u32 = 3;
/// The job of erasing what is old, withdrawing what nobody waits for and logging out old devices.
const TEND: &str = "tend";

/// How much later than the node that took an ask in this one ends it: only where that one is gone.
pub(crate) fn backup_delay(neighbours: &dyn Neighbours) -> Duration {
    let (alive, us) = (neighbours.alive(), neighbours.node());
    backup_step(alive.iter().position(|node| *node == us))
}

/// The same by the place among the live nodes. Whose the ask is, nobody knows; where it is the first, as
/// it is of two, the next comes one step later, and nobody comes with it in any case.
fn backup_step(place: Option<usize>) -> Duration {
    let steps = place.and_then(|place| u32::try_from(place).ok());
    BACKUP_STEP * steps.map_or(BACKUP_STEPS_MAX, |steps| steps.clamp(1, BACKUP_STEPS_MAX))
}

impl Inner {
    /// How much later than planned this node ends an ask that was written there.
    pub(crate) fn later(&self, by: WrittenBy) -> Duration {
        match (&self.neighbours, by) {
            (None, _) | (_, WrittenBy::Us) => Duration::ZERO,
            (Some(neighbours), WrittenBy::Others | WrittenBy::Before) => {
                backup_delay(&**neighbours)
            }
        }
    }

    /// Whether this node does what only one should do.
    pub(crate) fn has_seat(&self) -> bool {
        let neighbours = self.neighbours.as_ref();
        neighbours.is_none_or(|neighbours| neighbours.seat(TEND))
    }

    /// The highest level that may be written: every node that lives must read it.
    pub(crate) fn level(&self) -> u32 {
        let neighbours = self.neighbours.as_ref();
        neighbours.map_or(LEVEL, |neighbours| neighbours.level())
    }

    /// Counts what an agent asked at another node, as if it had asked here.
    pub(crate) fn charge(&self, ask: &Ask) {
        let agent = self.memory().state.directory.agent(ask.agent).cloned();
        if let Some(agent) = agent {
            let now = self.clock.steady();
            self.pace.charge(agent.token, 1, now);
            let bytes = u64::try_from(matter_bytes(&ask.matter)).unwrap_or(u64::MAX);
            self.bytes.charge(agent.token, bytes, now);
        }
    }

    /// Takes in what others wrote at once, so that whatever they revoked is revoked here; the next turn
    /// tells of it. Waits for that turn where this node must not get further ahead of what it told.
    async fn take_over_events(self: &Arc<Self>, events: Vec<StoredEvent>) -> Result<(), HubError> {
        {
            let mut memory = self.memory();
            // What this node writes just now may stand before it, and is taken in by its turn.
            if !memory.is_writing {
                self.take_in(&mut memory, events, WrittenBy::Others);
                if memory.untold.len() < UNTOLD_MAX {
                    drop(memory);
                    return self.look_soon();
                }
            }
        }
        self.take_turn().await
    }
}

/// Takes in what others write, until the hub stops.
pub(crate) async fn follow(inner: Arc<Inner>) {
    loop {
        let after = inner.memory().state.head;
        let taken = tokio::select! {
            others = inner.store.others(after) => match others {
                Ok(events) => inner.take_over_events(events).await,
                Err(error) => Err(error.into()),
            },
            () = inner.stopped() => return,
        };
        if let Err(error) = taken {
            tracing::warn!(%error, "could not read what other nodes wrote");
            tokio::select! {
                () = inner.clock.sleep(TRY_AGAIN_AFTER) => {}
                () = inner.stopped() => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nodes_behind_the_first_come_one_after_the_other() {
        let steps = [Some(0), Some(1), Some(2), Some(3), Some(9), None];
        let steps = steps.map(|place| backup_step(place).as_millis());
        assert_eq!(steps, [300, 300, 600, 900, 900, 900]);
    }
}
