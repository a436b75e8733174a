//! What a person wants of a program that is connected to another node: asked over the bus, and answered
//! there.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;
use sayso_core::agent::Conversation;
use sayso_core::control::ControlKind;
use sayso_core::id::PersonName;
use sayso_store::{CallDecided, Neighbours, NodeId, NodeWord};
use tokio::sync::{Notify, Semaphore, broadcast, oneshot};

use crate::control::{ANSWER_MAX, ControlDone, Wanted};
use crate::hub::{Hub, Inner};
use crate::links::Brought;

/// Things that people want at the same time, of programs elsewhere or for people elsewhere.
const WANTED_MAX: usize = 256;
/// Words for others that may wait.
const WORDS_MAX: usize = 256;

/// What goes between this node and the others beside the journal.
#[derive(Debug)]
pub(crate) struct Remote {
    /// Rings when others said that who is connected to them has changed.
    pub(crate) presence: Notify,
    /// Places that were taken at other nodes, shelves that changed there, and what is said there to be
    /// decided: no business of the hub.
    pub(crate) seats: broadcast::Sender<String>,
    pub(crate) decided: broadcast::Sender<CallDecided>,
    pub(crate) shelves: broadcast::Sender<String>,
    last: AtomicU64,
    wanted: Mutex<HashMap<u64, oneshot::Sender<ControlDone>>>,
    /// Lets only so many things be wanted here for others.
    room: Arc<Semaphore>,
}

impl Default for Remote {
    fn default() -> Self {
        Self {
            presence: Notify::new(),
            seats: broadcast::Sender::new(WORDS_MAX),
            shelves: broadcast::Sender::new(WORDS_MAX),
            decided: broadcast::Sender::new(WORDS_MAX),
            last: AtomicU64::new(0),
            wanted: Mutex::default(),
            room: Arc::new(Semaphore::new(WANTED_MAX)),
        }
    }
}

impl Remote {
    fn wanted(&self) -> std::sync::MutexGuard<'_, HashMap<u64, oneshot::Sender<ControlDone>>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program elsewhere did what was wanted, or says why not.
    pub(super) fn answered(&self, number: u64, refused: Option<String>) {
        let waiting = self.wanted().remove(&number);
        if let Some(waiting) = waiting {
            // Whoever wanted it may be gone.
            drop(waiting.send(refused.map_or(Ok(()), Err)));
        }
    }
}

/// Something that is wanted elsewhere; dropped, nobody waits for it any more.
#[derive(Debug)]
pub(crate) struct ControlAsked<'a> {
    remote: &'a Remote,
    number: u64,
    pub(crate) answered: oneshot::Receiver<ControlDone>,
}

impl Drop for ControlAsked<'_> {
    fn drop(&mut self) {
        self.remote.wanted().remove(&self.number);
    }
}

impl Hub {
    /// Tells the other nodes that a place which only one connection may have was taken here.
    pub fn seat_taken(&self, key: &str) {
        if let Some(neighbours) = &self.0.neighbours {
            let key = key.to_owned();
            neighbours.say(NodeWord::SeatTaken { key });
        }
    }

    /// The places that are taken at other nodes from now on. Whoever is too slow misses some.
    pub fn seats_taken(&self) -> broadcast::Receiver<String> {
        self.0.remote.seats.subscribe()
    }

    /// Tells the other nodes that calls which wait for this need not.
    pub fn call_decided(&self, decided: CallDecided) {
        if let Some(neighbours) = &self.0.neighbours {
            neighbours.say(NodeWord::Decided(decided));
        }
    }

    /// What is said at other nodes to be decided from now on. Whoever is too slow misses some.
    pub fn calls_decided(&self) -> broadcast::Receiver<CallDecided> {
        self.0.remote.decided.subscribe()
    }

    /// The shelves that other nodes change from now on. Whoever is too slow misses some.
    pub fn shelves_changed(&self) -> broadcast::Receiver<String> {
        self.0.remote.shelves.subscribe()
    }
}

impl Inner {
    /// Asks the other nodes for something that a person wants, if a program there can be told.
    pub(crate) fn control_elsewhere(
        &self,
        conversation: &Conversation,
        what: &ControlKind,
        by: &PersonName,
    ) -> Option<ControlAsked<'_>> {
        let neighbours = self.neighbours.as_ref()?;
        if !self.links.controls_elsewhere(conversation) {
            return None;
        }
        let (done, answered) = oneshot::channel();
        let number = self.remote.last.fetch_add(1, Ordering::Relaxed);
        {
            let mut wanted = self.remote.wanted();
            // Without room nobody answers, and whoever wants it hears that.
            if wanted.len() < WANTED_MAX {
                wanted.insert(number, done);
            }
        }
        neighbours.say(NodeWord::Control {
            number,
            conversation: conversation.id,
            what: what.clone(),
            by: by.clone(),
        });
        Some(ControlAsked {
            remote: &self.remote,
            number,
            answered,
        })
    }

    /// Tells a program that is connected here what a person at another node wants, and says there what
    /// became of it.
    pub(super) fn control_for(
        self: &Arc<Self>,
        neighbours: &Arc<dyn Neighbours>,
        (node, number): (NodeId, u64),
        conversation: Arc<Conversation>,
        what: ControlKind,
        by: PersonName,
    ) {
        let Ok(room) = Arc::clone(&self.remote.room).try_acquire_owned() else {
            return;
        };
        let (wanted, answered) = Wanted::new(conversation, what, by);
        let brought = Brought::Control(Arc::clone(&wanted));
        if !self.links.control(&wanted.conversation, &brought) {
            return;
        }
        let (inner, neighbours) = (Arc::clone(self), Arc::clone(neighbours));
        tokio::spawn(async move {
            let _room = room;
            // Whoever has it answers, or drops it: then nothing is said, as if nobody had it.
            drop((wanted, brought));
            tokio::select! {
                Ok(done) = answered => neighbours.say(NodeWord::Controlled {
                    node,
                    number,
                    refused: done.err(),
                }),
                () = inner.clock.sleep(ANSWER_MAX) => {}
                () = inner.stopped() => {}
            }
        });
    }
}
