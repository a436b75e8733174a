//! The committer: takes everything that waits, decides it, commits it once, then runs the effects.
//!
//! Whoever finds no round running starts one as a task of its own, so that neither a caller that
//! goes away nor a slow disk can leave a round half done. The write under way is the window in
//! which the next batch gathers; nothing ever waits for a timer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;
use sayso_core::ask::Ask;
use sayso_core::digest::Shown;
use sayso_core::id::{AskId, Seq};
use sayso_core::limits;
use sayso_core::view::AskView;
use sayso_store::Fate;
use tokio::sync::oneshot;

use crate::error::HubError;
use crate::faults::point;
use crate::hub::{Inner, Stage};
use crate::op::{Asked, Op, Put, Reply};
use crate::roll::LiveToken;
use crate::round::{Planned, Round, Told, waits_no_more};
use crate::tray::Slip;

/// Operations that wait for a round.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    ops: Mutex<VecDeque<Put>>,
    running: AtomicBool,
    /// Set when a round panicked: what is in memory may no longer be what is in the journal.
    broken: AtomicBool,
}

impl Queue {
    /// The queue, if one more may be put into it.
    fn admit(&self) -> Result<std::sync::MutexGuard<'_, VecDeque<Put>>, HubError> {
        let ops = self.lock();
        // Looked at under the lock, so that nothing is queued behind the last sweep.
        if self.broken.load(Ordering::Acquire) {
            return Err(HubError::TryLater(
                "the server broke down while it wrote; it must be started again".to_owned(),
            ));
        }
        if ops.len() >= limits::COMMIT_QUEUE_MAX {
            return Err(HubError::TryLater(
                "too much waits to be written; try again in a second".to_owned(),
            ));
        }
        Ok(ops)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Put>> {
        self.ops.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Puts an operation of the hub's own before the committer and waits for its word.
    pub(crate) async fn commit<T>(
        self: &Arc<Self>,
        op: impl FnOnce(Reply<T>) -> Op,
    ) -> Result<T, HubError> {
        self.wait_for(None, op).await
    }

    /// The same for whoever came with this token: refused once that was taken back.
    pub(crate) async fn commit_by<T>(
        self: &Arc<Self>,
        by: &Arc<LiveToken>,
        op: impl FnOnce(Reply<T>) -> Op,
    ) -> Result<T, HubError> {
        self.used(by);
        self.wait_for(Some(Arc::clone(by)), op).await
    }

    /// Puts many operations before the committer at once, so that they share its rounds.
    pub(crate) async fn commit_all(
        self: &Arc<Self>,
        ops: impl IntoIterator<Item = impl FnOnce(Reply<()>) -> Op>,
    ) -> Result<(), HubError> {
        let mut words = Vec::new();
        for op in ops {
            let (reply, word) = oneshot::channel();
            self.submit(op(Reply::Waiter(reply)), None)?;
            words.push(word);
        }
        for word in words {
            word.await.unwrap_or_else(|_| Err(HubError::stopping()))?;
        }
        Ok(())
    }

    async fn wait_for<T>(
        self: &Arc<Self>,
        by: Option<Arc<LiveToken>>,
        op: impl FnOnce(Reply<T>) -> Op,
    ) -> Result<T, HubError> {
        let (reply, word) = oneshot::channel();
        self.submit(op(Reply::Waiter(reply)), by)?;
        word.await.unwrap_or_else(|_| Err(HubError::stopping()))
    }

    /// Puts an operation of this token before the committer; its word goes where the slip says.
    pub(crate) fn submit_for<T>(
        self: &Arc<Self>,
        by: &Arc<LiveToken>,
        slip: Slip<T>,
        op: impl FnOnce(Reply<T>) -> Op,
    ) {
        self.used(by);
        match self.queue.admit() {
            Ok(mut ops) => {
                ops.push_back(Put {
                    op: op(Reply::Slip(slip)),
                    by: Some(Arc::clone(by)),
                });
                drop(ops);
                self.begin();
            }
            Err(error) => slip.send(Err(error)),
        }
    }

    /// Sees to it that what is ready is handed over.
    pub(crate) fn hand(self: &Arc<Self>) -> Result<(), HubError> {
        self.submit(Op::Hand, None)
    }

    fn submit(self: &Arc<Self>, op: Op, by: Option<Arc<LiveToken>>) -> Result<(), HubError> {
        self.queue.admit()?.push_back(Put { op, by });
        self.begin();
        Ok(())
    }

    /// Sees to it that a round runs.
    fn begin(self: &Arc<Self>) {
        if !self.queue.running.swap(true, Ordering::AcqRel) {
            tokio::spawn(Arc::clone(self).run());
        }
    }

    async fn run(self: Arc<Self>) {
        let _sweep = Sweep(&self);
        loop {
            let batch: Vec<Put> = {
                let mut ops = self.queue.lock();
                let count = ops.len().min(limits::COMMIT_BATCH_MAX);
                ops.drain(..count).collect()
            };
            if batch.is_empty() {
                self.queue.running.store(false, Ordering::Release);
                // Something may have come between the look and the store; then it is ours again.
                if self.queue.lock().is_empty() || self.queue.running.swap(true, Ordering::AcqRel) {
                    return;
                }
                continue;
            }
            let begun = self.clock.steady();
            self.round(batch).await;
            let took = self.clock.steady().saturating_sub(begun).as_micros();
            let took = u64::try_from(took).unwrap_or(u64::MAX);
            self.counts.round_us.store(took, Ordering::Relaxed);
        }
    }

    async fn round(self: &Arc<Self>, batch: Vec<Put>) {
        point("round_begin");
        let flush = batch.iter().any(|put| matches!(put.op, Op::Flush { .. }));
        let mut round = Round::new(self.now(), &self.settings);
        {
            let mut known = self.known();
            round.lapse(&mut known);
            // A link that is about to be closed is no place to hand anything to.
            if *self.stage.borrow() == Stage::Up {
                round.hand_out(&mut known, &self.links);
            }
            // What is taken back no longer decides anything that has no word yet.
            let (back, rest): (Vec<Put>, Vec<Put>) =
                batch.into_iter().partition(|put| put.op.takes_back());
            for put in back.into_iter().chain(rest) {
                round.decide(&mut known, put);
            }
            round.take_marks(&known, flush);
            round.take_shown(&known, flush);
        }
        point("round_decided");
        let fates = if round.entries.is_empty() {
            Ok(Vec::new())
        } else {
            point("round_before_commit");
            self.store.commit(&round.entries).await
        };
        match fates {
            Ok(fates) => {
                point("round_after_commit");
                self.counts.commits.fetch_add(1, Ordering::Relaxed);
                self.counts
                    .events
                    .fetch_add(fates.len() as u64, Ordering::Relaxed);
                self.healthy.store(true, Ordering::Relaxed);
                let views = self.settle(round.planned, &fates).await;
                point("reply_before");
                for told in round.told {
                    self.tell(told, &views);
                }
                point("reply_after");
            }
            Err(error) => {
                point("round_failed");
                self.healthy.store(false, Ordering::Relaxed);
                let detail = HubError::from(error).to_string();
                self.undo(&round.planned);
                for told in round.told {
                    refuse(told, || HubError::TryLater(detail.clone()));
                }
            }
        }
    }

    /// Puts back what deciding took out of memory, after a commit that failed.
    fn undo(&self, planned: &[Planned]) {
        let now = self.now();
        let mut known = self.known();
        // Backwards: what was said is put back before what was said after it.
        for plan in planned.iter().rev() {
            match plan {
                Planned::Closed { open, .. } => {
                    if let Some(deadline) = open.deadline {
                        known.timers.push(std::cmp::Reverse((deadline, open.ask)));
                    }
                }
                Planned::Chat {
                    conversation, plan, ..
                } => known.chat.undo(conversation.id, plan, now.hub),
                Planned::Met { .. }
                | Planned::Began { .. }
                | Planned::Opened { .. }
                | Planned::KeptLate { .. }
                | Planned::TokenMade { .. }
                | Planned::TokenRevoked { .. }
                | Planned::Marked { .. }
                | Planned::Shown { .. }
                | Planned::RuleMade { .. }
                | Planned::RuleRevoked { .. }
                | Planned::Erased { .. }
                | Planned::Cleared { .. } => {}
            }
        }
        drop(known);
        // What is to be tried again has nobody else who asks for it.
        self.bell.notify_one();
    }

    /// Makes a committed round known: first in memory, then to everyone, in the journal's order.
    async fn settle(
        self: &Arc<Self>,
        planned: Vec<Planned>,
        fates: &[Fate],
    ) -> HashMap<AskId, Arc<AskView>> {
        let mut views = HashMap::new();
        for plan in planned {
            self.settle_one(plan, fates, &mut views).await;
        }
        let last = fates.iter().rev().find_map(|fate| match fate {
            Fate::Kept(seq) => Some(*seq),
            Fate::Lost { .. } => None,
        });
        if let Some(last) = last {
            self.feed.advance(last);
        }
        {
            let viewed = self.store.viewed();
            let mut known = self.known();
            known.recent.prune(viewed);
            known.chat.prune(viewed);
        }
        views
    }

    fn tell(self: &Arc<Self>, told: Told, views: &HashMap<AskId, Arc<AskView>>) {
        let view_of = |ask: &AskId| views.get(ask).map(|view| AskView::clone(view));
        match told {
            Told::Asked {
                ask,
                fresh: true,
                reply,
                ..
            } => reply.send(
                view_of(&ask)
                    .map(|view| Asked { view, fresh: true })
                    .ok_or(HubError::NotFound),
            ),
            Told::Asked {
                ask,
                fresh: false,
                digest_of,
                reply,
            } => self.tell_after_a_look(ask, reply, move |view| match digest_of {
                Some(new) if !repeats(&new, &view) && !view.is_unreadable() => {
                    Err(HubError::KeyConflict(Box::new(view)))
                }
                Some(_) | None => Ok(Asked { view, fresh: false }),
            }),
            Told::Closed { ask, reply } => match view_of(&ask) {
                Some(view) => reply.send(Ok(view)),
                // Another node was first.
                None => self.tell_after_a_look(ask, reply, |view| {
                    Err(HubError::AlreadyClosed(Box::new(view)))
                }),
            },
            Told::LostTo { ask, reply } => self.tell_after_a_look(ask, reply, |view| {
                Err(HubError::AlreadyClosed(Box::new(view)))
            }),
            Told::TooLate { ask, kept, reply } => self.tell_after_a_look(ask, reply, move |view| {
                Err(HubError::Expired {
                    view: Box::new(view),
                    kept,
                })
            }),
            Told::Met { agent, reply } => reply.send(Ok(agent)),
            Told::TokenMade { hash, reply } => {
                let live = self.known().roll.token_with_hash(&hash);
                reply.send(live.ok_or(HubError::NotFound));
            }
            Told::Messaged {
                conversation,
                message,
                reply,
            } => reply.send(Ok((conversation, message))),
            Told::Conversed {
                conversation,
                reply,
            } => reply.send(Ok(conversation)),
            Told::RulesMade { rules, reply } => reply.send(Ok(rules)),
            Told::RuleRevoked { rule, reply } => reply.send(Ok(rule)),
            Told::NotRemoved { reply } => reply.send(Err(waits_no_more())),
            Told::Confirmed { reply } => {
                point("confirm_committed");
                reply.send(Ok(()));
            }
            Told::Done { reply } => reply.send(Ok(())),
        }
    }

    /// Looks an ask up beside the committer and tells what comes of it.
    fn tell_after_a_look<T: Send + 'static>(
        self: &Arc<Self>,
        ask: AskId,
        reply: Reply<T>,
        then: impl FnOnce(AskView) -> Result<T, HubError> + Send + 'static,
    ) {
        let inner = Arc::clone(self);
        tokio::spawn(async move {
            let word = inner.look(ask).await.and_then(then);
            reply.send(word);
        });
    }
}

/// Lets nobody wait for a committer that panicked.
struct Sweep<'a>(&'a Inner);

impl Drop for Sweep<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let Inner { queue, healthy, .. } = self.0;
        let left = {
            let mut ops = queue.lock();
            queue.broken.store(true, Ordering::Release);
            std::mem::take(&mut *ops)
        };
        healthy.store(false, Ordering::Relaxed);
        // Whoever waits for one of these is refused as its reply is dropped.
        drop(left);
    }
}

fn refuse(told: Told, error: impl Fn() -> HubError) {
    match told {
        Told::Asked { reply, .. } => reply.send(Err(error())),
        Told::Closed { reply, .. } | Told::LostTo { reply, .. } | Told::TooLate { reply, .. } => {
            reply.send(Err(error()));
        }
        Told::Met { reply, .. } => reply.send(Err(error())),
        Told::TokenMade { reply, .. } => reply.send(Err(error())),
        Told::Messaged { reply, .. } => reply.send(Err(error())),
        Told::Conversed { reply, .. } => reply.send(Err(error())),
        Told::RulesMade { reply, .. } => reply.send(Err(error())),
        Told::RuleRevoked { reply, .. } => reply.send(Err(error())),
        Told::NotRemoved { reply } | Told::Confirmed { reply } | Told::Done { reply } => {
            reply.send(Err(error()));
        }
    }
}

/// Where a planned entry went, if it was kept.
pub(crate) fn kept(fates: &[Fate], at: usize) -> Result<Seq, Seq> {
    match fates.get(at) {
        Some(Fate::Kept(seq)) => Ok(*seq),
        Some(Fate::Lost { winner }) => Err(*winner),
        None => Err(Seq::ZERO),
    }
}

/// Whether an ask is what was asked before, maybe of an older version, under the same key.
fn repeats(new: &Ask, view: &AskView) -> bool {
    let conversation = view.conversation.as_ref();
    let known = Shown {
        agent: &view.agent.name,
        conversation: conversation.map(|conversation| &conversation.name),
        workspace: new.workspace.as_ref(),
        title: new.title.as_deref(),
        matter: &new.matter,
    };
    new.agent == view.agent.id
        && new.conversation == view.ask.conversation
        && known.is_known_by(view.ask.digest)
}
