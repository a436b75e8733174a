//! The threads of a store: one that drives its connections, one that takes turns, one that projects.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use sayso_core::id::Seq;
use sayso_store::{Decide, StoreError};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle as JoinTask;

use crate::fault;
use crate::inner::PgInner;
use crate::turn::TurnWriter;

/// Turns that wait for the one under way. The hub brings one at a time.
const TURNS_MAX: usize = 64;
/// Threads that wait for the database at one time.
const READS_MAX: usize = 16;
/// How long reads that are under way may hold up the end.
const LAST_READS: Duration = Duration::from_secs(1);

/// A turn with a caller who waits for it.
pub(crate) struct TurnJob {
    pub(crate) after: Seq,
    pub(crate) decide: Decide,
    pub(crate) reply: oneshot::Sender<Result<Vec<Seq>, StoreError>>,
}

/// Starts a thread of ours.
pub(crate) fn start(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, StoreError> {
    let started = Builder::new().name(name.to_owned()).spawn(work);
    started.map_err(|error| fault::unusable(format!("cannot start the thread {name}"), error))
}

/// A runtime for the thread that calls.
pub(crate) fn runtime() -> Result<Runtime, StoreError> {
    let built = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(READS_MAX)
        .thread_name("postgres-read")
        .build();
    built.map_err(|error| fault::unusable("cannot start a runtime for PostgreSQL", error))
}

/// Drives connections for as long as the node gives signs of life: until the store stops, and the last
/// one is given.
pub(crate) fn drive(runtime: Runtime, life: JoinTask<()>) {
    // A panic in it has been printed.
    let _ = runtime.block_on(life);
    runtime.shutdown_timeout(LAST_READS);
}

/// Starts the thread that takes turns. It has a runtime of its own: between taking a turn and writing it
/// nothing runs but the decision, however busy everybody else is.
pub(crate) fn take_turns(
    inner: &Arc<PgInner>,
    level: u32,
) -> Result<(mpsc::Sender<TurnJob>, JoinHandle<()>), StoreError> {
    let (jobs, mut queue) = mpsc::channel::<TurnJob>(TURNS_MAX);
    let mut writer = TurnWriter::new(Arc::clone(inner), level);
    let mut stop = inner.stop.subscribe();
    let runtime = runtime()?;
    let thread = start("turns", move || {
        // A task of its own: waking what the runtime itself waits for is a system call.
        let turns = runtime.spawn(async move {
            while let Some(job) = queue.recv().await {
                // The barrier may wait for a standby for ever; the end of the store does not.
                let places = tokio::select! {
                    places = writer.turn(job.after, job.decide) => places,
                    _ = stop.wait_for(|stop| *stop) => Err(fault::later("the server is stopping")),
                };
                // Whoever went away reads the journal when it is back.
                drop(job.reply.send(places));
            }
        });
        // A panic in it has been printed.
        let _ = runtime.block_on(turns);
    })?;
    Ok((jobs, thread))
}
