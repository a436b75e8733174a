//! Operations that wait for a turn, and where their replies go.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::agent::Conversation;
use sayso_core::id::TokenId;
use sayso_core::limits;
use sayso_core::state::Op;
use sayso_core::state::op::{Confirm, HalfSaid};
use tokio::sync::oneshot;

use crate::error::HubError;
use crate::hub::Inner;
use crate::reply::{CallerReply, FromReply};
use crate::tokens::LiveToken;
use crate::tray::Slip;
use crate::turn::put_back;

/// Something that waits for a turn.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) task: Task,
    /// The token it came with; the hub's own come with none.
    pub(crate) by: Option<TokenId>,
    pub(crate) answer: ReplyTo,
}

/// What a turn is wanted for.
#[derive(Debug)]
pub(crate) enum Task {
    /// Something to be decided.
    Decide(Op),
    /// Words of an agent are to be written down.
    Say(SayTask),
    /// An asker has an outcome: all confirmations of a turn are one event.
    Confirm(Confirm),
    /// Nothing of its own: every turn looks after what is due and hands over what is ready.
    Look,
    /// The same, and every delivery is written down.
    Flush,
}

/// Words of an agent that were taken out of what it is saying, to be written down.
#[derive(Debug)]
pub(crate) struct SayTask {
    pub(crate) conversation: Arc<Conversation>,
    pub(crate) said: HalfSaid,
    /// What goes on being said if this is refused, whether or not anybody waits for it.
    pub(crate) before: String,
}

/// Where a reply goes.
#[derive(Debug)]
pub(crate) enum ReplyTo {
    /// To somebody who waits for this alone.
    Waiter(oneshot::Sender<Result<CallerReply, HubError>>),
    /// Into the tray of a connection.
    Slip(Box<dyn AnySlip>),
    /// Nobody waits.
    Nobody,
}

/// A slip, whatever its tray takes.
pub(crate) trait AnySlip: Send + std::fmt::Debug {
    /// Sends the reply, if it is what the tray takes.
    fn send(self: Box<Self>, told: Result<CallerReply, HubError>);
}

impl<T: FromReply + Send + std::fmt::Debug> AnySlip for Slip<T> {
    fn send(self: Box<Self>, told: Result<CallerReply, HubError>) {
        Slip::send(*self, told.and_then(T::from_reply));
    }
}

impl ReplyTo {
    pub(crate) fn send(self, told: Result<CallerReply, HubError>) {
        match self {
            // Whoever went away reads the journal when it is back.
            Self::Waiter(waiter) => drop(waiter.send(told)),
            Self::Slip(slip) => slip.send(told),
            Self::Nobody => {}
        }
    }
}

/// Jobs that wait for a turn.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    running: AtomicBool,
    /// Set when a turn panicked: what is in memory may no longer be what is in the journal.
    broken: AtomicBool,
}

impl Queue {
    /// The queue, if one more may be put into it.
    fn admit(&self) -> Result<MutexGuard<'_, VecDeque<Job>>, HubError> {
        let jobs = self.lock();
        // Looked at under the lock, so that nothing is queued behind the last sweep.
        if self.broken.load(Ordering::Acquire) {
            return Err(HubError::TryLater(
                "A write failed and the server stopped accepting changes. Restart it.".to_owned(),
            ));
        }
        if jobs.len() >= limits::COMMIT_QUEUE_MAX {
            return Err(HubError::TryLater(
                "The write queue is full. Retry in a second.".to_owned(),
            ));
        }
        Ok(jobs)
    }

    /// The next jobs, at most as many as go into one turn.
    fn next(&self) -> Vec<Job> {
        let mut jobs = self.lock();
        let count = jobs.len().min(limits::COMMIT_BATCH_MAX);
        jobs.drain(..count).collect()
    }

    /// Whether somebody must run turns now, who finds nothing to do. Jobs may have come meanwhile.
    fn rest(&self) -> bool {
        self.running.store(false, Ordering::Release);
        !self.lock().is_empty() && !self.running.swap(true, Ordering::AcqRel)
    }

    /// Lets nobody wait for a turn that panicked.
    fn breaks(&self) {
        let left = {
            let mut jobs = self.lock();
            self.broken.store(true, Ordering::Release);
            std::mem::take(&mut *jobs)
        };
        // Whoever waits for one of these is refused as its answer is dropped.
        drop(left);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Has an operation of the hub's own decided, and waits for the reply.
    pub(crate) async fn decide<T: FromReply>(self: &Arc<Self>, op: Op) -> Result<T, HubError> {
        self.wait_for(Task::Decide(op), None).await
    }

    /// The same for whoever came with this token: refused once that was revoked.
    pub(crate) async fn decide_for<T: FromReply>(
        self: &Arc<Self>,
        by: &LiveToken,
        task: Task,
    ) -> Result<T, HubError> {
        self.used(by);
        self.wait_for(task, Some(by.token.id)).await
    }

    /// The same without waiting: the reply goes where the slip says.
    pub(crate) fn submit_for<T: FromReply + Send + std::fmt::Debug + 'static>(
        self: &Arc<Self>,
        by: &LiveToken,
        slip: Slip<T>,
        task: Task,
    ) {
        self.used(by);
        match self.queue.admit() {
            Ok(mut jobs) => {
                jobs.push_back(Job {
                    task,
                    by: Some(by.token.id),
                    answer: ReplyTo::Slip(Box::new(slip)),
                });
                drop(jobs);
                self.begin();
            }
            Err(error) => slip.send(Err(error)),
        }
    }

    /// Has many operations decided, which share turns, and waits for all of them.
    pub(crate) async fn decide_all(
        self: &Arc<Self>,
        ops: impl IntoIterator<Item = Op>,
    ) -> Result<(), HubError> {
        let mut words = Vec::new();
        for op in ops {
            words.push(self.submit(Task::Decide(op), None)?);
        }
        for word in words {
            heard(word.await)?;
        }
        Ok(())
    }

    /// Has words of an agent written down that is not here any more.
    pub(crate) async fn write_words(self: &Arc<Self>, words: SayTask) -> Result<(), HubError> {
        self.wait_for(Task::Say(words), None).await
    }

    /// Has a turn write down every delivery and look after what is due and ready.
    pub(crate) async fn flush(self: &Arc<Self>) -> Result<(), HubError> {
        self.wait_for(Task::Flush, None).await
    }

    /// Has a turn look after what is due, ready and arrived, and waits for it.
    pub(crate) async fn take_turn(self: &Arc<Self>) -> Result<(), HubError> {
        self.wait_for(Task::Look, None).await
    }

    /// Sees to it that a turn hands over what is ready.
    pub(crate) fn look_soon(self: &Arc<Self>) -> Result<(), HubError> {
        self.queue.admit()?.push_back(Job {
            task: Task::Look,
            by: None,
            answer: ReplyTo::Nobody,
        });
        self.begin();
        Ok(())
    }

    async fn wait_for<T: FromReply>(
        self: &Arc<Self>,
        task: Task,
        by: Option<TokenId>,
    ) -> Result<T, HubError> {
        let word = self.submit(task, by)?;
        heard(word.await).and_then(T::from_reply)
    }

    fn submit(
        self: &Arc<Self>,
        task: Task,
        by: Option<TokenId>,
    ) -> Result<oneshot::Receiver<Result<CallerReply, HubError>>, HubError> {
        let (answer, word) = oneshot::channel();
        let answer = ReplyTo::Waiter(answer);
        match self.queue.admit() {
            Ok(mut jobs) => jobs.push_back(Job { task, by, answer }),
            Err(error) => {
                if let Task::Say(words) = task {
                    put_back(&mut self.memory(), words.conversation.id, words.before);
                }
                return Err(error);
            }
        }
        self.begin();
        Ok(word)
    }

    /// Sees to it that turns run.
    fn begin(self: &Arc<Self>) {
        if !self.queue.running.swap(true, Ordering::AcqRel) {
            tokio::spawn(Arc::clone(self).run());
        }
    }

    async fn run(self: Arc<Self>) {
        let _broken = Broken(&self);
        loop {
            let jobs = self.queue.next();
            if jobs.is_empty() {
                if self.queue.rest() {
                    continue;
                }
                return;
            }
            let begun = self.clock.steady();
            self.turn(jobs).await;
            let took = self.clock.steady().saturating_sub(begun).as_micros();
            let took = u64::try_from(took).unwrap_or(u64::MAX);
            self.counts.turn_us.store(took, Ordering::Relaxed);
        }
    }
}

fn heard(
    word: Result<Result<CallerReply, HubError>, oneshot::error::RecvError>,
) -> Result<CallerReply, HubError> {
    word.unwrap_or_else(|_| Err(HubError::stopping()))
}

/// Says that turns no longer run when one panicked.
struct Broken<'a>(&'a Inner);

impl Drop for Broken<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.queue.breaks();
            self.0.healthy.store(false, Ordering::Relaxed);
        }
    }
}
