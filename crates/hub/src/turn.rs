//! The driver: gathers everything that waits, has it decided and written in one turn of the store,
//! takes it into the state, publishes it in the journal's order, and then gives the replies.
//!
//! Nothing is planned beside the events. What was decided becomes visible only once it is written; a
//! turn that fails leaves the state as it was.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sayso_core::entry::TurnEnd;
use sayso_core::id::{AskId, ConversationId, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_core::state::op::{HalfSaid, Marks, TurnOver};
use sayso_core::state::{self, Batch, Op, OpReply, QueuedEntry, Refusal};
use sayso_core::time::Time;
use sayso_store::{JournalEntry, Since, needed};

use crate::applied::{Applied, WrittenBy};
use crate::clock::ClockReading;
use crate::error::HubError;
use crate::faults::point;
use crate::hub::{Inner, Stage};
use crate::memory::HubMemory;
use crate::queue::{Job, ReplyTo, Task};

/// How long deliveries may wait for a turn that happens anyway.
const MARKS_RIDE_AFTER: Duration = Duration::from_millis(100);

/// An operation in its place in a turn.
#[derive(Debug)]
struct Ready {
    op: Op,
    by: Option<TokenId>,
    answer: ReplyTo,
    /// Words that were taken, which go back if the operation is refused.
    words: Option<(ConversationId, String)>,
}

/// What a turn is about, and what became of it once it is decided.
#[derive(Debug, Default)]
struct Work {
    ready: Vec<Ready>,
    /// Who waits for each confirmation of the last operation.
    confirmers: Vec<ReplyTo>,
    /// Conversations at which this turn looks for something to hand over.
    looked: Vec<ConversationId>,
    /// Messages without a link that this turn lets wait again.
    returning: Vec<QueuedEntry>,
    /// Outcomes that were written to links, as far as this turn takes that along.
    sent: Vec<AskId>,
    /// Answered at the end, whatever is decided.
    flushes: Vec<ReplyTo>,
    replies: Vec<(ReplyTo, Result<OpReply, Refusal>)>,
    entries: Vec<JournalEntry>,
    /// Words that decided operations took, in order; they go back if the turn fails.
    words: Vec<(ConversationId, String)>,
}

/// What the two sides of a turn share: the one that waits for it, and the one that decides in it.
type Shared = Arc<Mutex<Work>>;

fn lock(work: &Shared) -> std::sync::MutexGuard<'_, Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    pub(crate) async fn turn(self: &Arc<Self>, jobs: Vec<Job>) {
        point("turn_begin");
        let others = std::mem::take(&mut self.memory().untold);
        self.publish_all(&others).await;
        let now = self.now();
        let work = self.gather(jobs, &now);
        if work.ready.is_empty() {
            // Nothing to decide: nobody need wait for this.
            self.finish(work, Vec::new()).await;
            return;
        }
        let work: Shared = Arc::new(Mutex::new(work));
        let after = self.memory().state.head;
        let (inner, shared) = (Arc::clone(self), Arc::clone(&work));
        let decide = move |since| inner.decide_turn(since, &mut lock(&shared), &now);
        let written = self.store.turn(after, Box::new(decide)).await;
        let work = std::mem::take(&mut *lock(&work));
        match written {
            Ok(places) => {
                point("turn_written");
                self.healthy.store(true, Ordering::Relaxed);
                self.finish(work, places).await;
            }
            Err(error) => {
                point("turn_failed");
                self.healthy.store(false, Ordering::Relaxed);
                let detail = HubError::from(error).to_string();
                self.give_up(work, &detail).await;
            }
        }
    }

    /// Puts the operations of a turn in order: what time brings, what waits again, what can be
    /// handed over, what is revoked, everything else, and how far outcomes have got.
    fn gather(&self, jobs: Vec<Job>, now: &ClockReading) -> Work {
        let mut memory = self.memory();
        let mut work = Work {
            ready: Vec::with_capacity(jobs.len() + 1),
            ..Work::default()
        };
        self.gather_due(&mut memory, &mut work, now);
        work.returning = memory.live.take_returning(limits::COMMIT_BATCH_MAX);
        let returns = work.returning.iter().copied().map(Op::Return);
        work.ready.extend(returns.map(of_hub));
        // A link that is about to be closed is no place to hand anything to.
        if *self.stage.borrow() == Stage::Up {
            self.gather_hands(&mut memory, &mut work);
        }
        let first = work.ready.len();
        let mut marks = Marks::default();
        let mut flush = false;
        for job in jobs {
            match job.task {
                Task::Decide(op) => {
                    let mut ready = Ready {
                        op,
                        by: job.by,
                        answer: job.answer,
                        words: None,
                    };
                    self.take_words(&mut memory, &mut ready);
                    work.ready.push(ready);
                }
                Task::Say(words) => {
                    let id = words.conversation.id;
                    work.ready.push(Ready {
                        op: Op::Say {
                            conversation: words.conversation,
                            said: words.said,
                        },
                        by: job.by,
                        answer: job.answer,
                        words: Some((id, words.before)),
                    });
                }
                Task::Confirm(confirm) => {
                    marks.confirmed.push(confirm);
                    work.confirmers.push(job.answer);
                }
                Task::Look => work.flushes.push(job.answer),
                Task::Flush => {
                    flush = true;
                    work.flushes.push(job.answer);
                }
            }
        }
        // What is revoked no longer decides anything that has no reply yet.
        if let Some(jobs) = work.ready.get_mut(first..)
            && jobs.iter().any(|ready| ready.op.revokes())
        {
            jobs.sort_by_key(|ready| !ready.op.revokes());
        }
        gather_marks(&memory, &mut marks, flush, now);
        work.sent = marks.sent.iter().map(|mark| mark.ask).collect();
        if !(marks.confirmed.is_empty() && marks.sent.is_empty() && marks.shown.is_empty()) {
            work.ready.push(of_hub(Op::Mark(marks)));
        }
        work
    }

    /// Ends asks whose time is over, and turns of which nothing was heard for too long.
    fn gather_due(&self, memory: &mut HubMemory, work: &mut Work, now: &ClockReading) {
        let HubMemory {
            state,
            timers,
            live,
            ..
        } = memory;
        let due = timers.due(now.hub, state.asks.open(), limits::COMMIT_BATCH_MAX);
        for ask in due {
            point("turn_expire");
            work.ready.push(of_hub(Op::Expire(ask)));
        }
        let lost = live.lost(now.hub, limits::COMMIT_BATCH_MAX, |conversation| {
            state.asks.open_in(conversation) > 0
        });
        for id in lost {
            let Some(conversation) = memory.state.directory.conversation(id).cloned() else {
                continue;
            };
            let mut ready = of_hub(Op::EndTurn(Box::new(TurnOver {
                conversation,
                end: TurnEnd::Lost,
                said: None,
                heard: true,
            })));
            self.take_words(memory, &mut ready);
            work.ready.push(ready);
        }
    }

    /// Hands over what is ready: where the agent is here for it and says nothing.
    fn gather_hands(&self, memory: &mut HubMemory, work: &mut Work) {
        for id in memory.live.take_ready(limits::COMMIT_BATCH_MAX) {
            work.looked.push(id);
            let Some(conversation) = memory.state.directory.conversation(id) else {
                continue;
            };
            let takes = self
                .links
                .takes_here(conversation.agent, &conversation.name);
            if takes && !memory.live.is_heard(id) {
                work.ready.push(of_hub(Op::Hand(id)));
            }
        }
    }

    /// Takes the words along that an agent was saying before what it does now.
    fn take_words(&self, memory: &mut HubMemory, ready: &mut Ready) {
        let directory = &memory.state.directory;
        let (id, said) = match &mut ready.op {
            Op::Ask(_) if memory.live.is_silent() => return,
            Op::Ask(new) => {
                let meet = &new.meet;
                let agent = directory.agent_named(meet.token, &meet.dialect, &meet.name);
                let found = agent
                    .zip(new.draft.conversation.as_ref())
                    .and_then(|(agent, name)| directory.conversation_named(agent.id, name));
                let Some(conversation) = found else { return };
                (conversation.id, &mut new.said)
            }
            Op::Note(new) => (new.conversation.id, &mut new.said),
            Op::EndTurn(over) => {
                over.heard |= memory.live.is_heard(over.conversation.id);
                (over.conversation.id, &mut over.said)
            }
            Op::Begin { .. }
            | Op::Close(_)
            | Op::Expire(_)
            | Op::Mark(_)
            | Op::Erase { .. }
            | Op::Meet(_)
            | Op::Converse { .. }
            | Op::MakeToken(_)
            | Op::RevokeToken(_)
            | Op::Message(_)
            | Op::Hand(_)
            | Op::Return(_)
            | Op::Remove(_)
            | Op::Say { .. }
            | Op::Clear { .. }
            | Op::MakeRules(_)
            | Op::ActivateRule(_)
            | Op::RevokeRule { .. }
            | Op::Sweep(_) => return,
        };
        if memory.live.saying(id).is_empty() {
            return;
        }
        // Without random numbers the words wait for the next turn.
        if let Ok(random) = self.random() {
            let text = memory.live.take_saying(id);
            ready.words = Some((id, text.clone()));
            *said = Some(HalfSaid { text, random });
        }
    }

    /// Decides a turn: takes in what others wrote, then every operation on exactly the state before it.
    fn decide_turn(&self, since: Since, work: &mut Work, now: &ClockReading) -> Vec<JournalEntry> {
        let mut memory = self.memory();
        self.take_in(&mut memory, since.others, WrittenBy::Others);
        let HubMemory {
            state,
            emptied,
            untold,
            ..
        } = &mut *memory;
        self.shared.heard(since.now, self.clock.steady());
        let wall = since.now.unwrap_or(now.wall);
        let now = state::Now {
            wall,
            latest: now.latest.max(wall),
            bounds: &self.bounds,
            emptied,
        };
        let level = self.level();
        let mut batch = state.batch();
        work.replies.reserve(work.ready.len());
        work.entries.reserve(work.ready.len());
        let (mut refused, mut returning) = (Vec::new(), Vec::new());
        for ready in std::mem::take(&mut work.ready) {
            if ready.by.is_none() && is_heard_of(&ready.op, untold) {
                refused.extend(ready.words);
                continue;
            }
            let returned = if let Op::Return(message) = &ready.op {
                Some(*message)
            } else {
                None
            };
            let decided = batch.decide(ready.op, ready.by, &now).and_then(|plan| {
                if plan.events.iter().any(|event| needed(event) > level) {
                    returning.extend(returned);
                    return Err(Refusal::OlderNodes);
                }
                take_plan(&mut batch, &mut work.entries, plan.events, wall);
                Ok(plan.reply)
            });
            match decided {
                Ok(OpReply::Confirmed(confirmed)) => {
                    let confirmers = std::mem::take(&mut work.confirmers);
                    let replies = confirmed.into_iter().map(|one| one.map(|()| OpReply::Done));
                    work.replies.extend(confirmers.into_iter().zip(replies));
                }
                Ok(reply) => {
                    work.words.extend(ready.words);
                    work.replies.push((ready.answer, Ok(reply)));
                }
                Err(refusal) => {
                    refused.extend(ready.words);
                    work.replies.push((ready.answer, Err(refusal)));
                }
            }
        }
        drop(batch);
        // They wait on until older nodes are gone, whatever becomes of the turn.
        work.returning
            .retain(|message| !returning.contains(message));
        for message in returning {
            memory.live.give_back(message);
        }
        for (conversation, text) in refused.into_iter().rev() {
            put_back(&mut memory, conversation, text);
        }
        memory.is_writing = !work.entries.is_empty();
        point("turn_decided");
        work.entries.clone()
    }

    /// What was decided is written: takes it into the state, publishes it, and gives the replies.
    async fn finish(self: &Arc<Self>, work: Work, places: Vec<Seq>) {
        if !places.is_empty() {
            self.counts.commits.fetch_add(1, Ordering::Relaxed);
            let events = places.len() as u64;
            self.counts.events.fetch_add(events, Ordering::Relaxed);
        }
        let applied = {
            let mut memory = self.memory();
            memory.is_writing = false;
            // Whatever was taken in meanwhile stands before what was decided on it.
            let mut applied = std::mem::take(&mut memory.untold);
            applied.reserve(work.entries.len());
            for (seq, entry) in places.into_iter().zip(work.entries) {
                applied.push(self.fold_own(&mut memory, seq, entry));
            }
            self.folded(&memory);
            applied
        };
        self.marks_taken(&work.sent);
        point("turn_applied");
        let Some(views) = self.publish_all(&applied).await else {
            // It is written, and found again by whoever asks again.
            let replies = work.replies.into_iter().map(|(answer, _)| answer);
            for answer in replies.chain(work.flushes) {
                answer.send(Err(HubError::stopping()));
            }
            return;
        };
        point("reply_before");
        for (answer, reply) in work.replies {
            self.reply(answer, reply, &views);
        }
        for answer in work.flushes {
            self.reply(answer, Ok(OpReply::Done), &views);
        }
        point("reply_after");
    }

    /// Marks wait no longer that a turn took along, whether or not they were news.
    fn marks_taken(&self, sent: &[AskId]) {
        if sent.is_empty() {
            return;
        }
        let steady = self.clock.steady();
        self.memory().sent.taken(sent, steady);
    }

    /// Nothing was written: everything stays as it was, and nobody is told otherwise.
    async fn give_up(self: &Arc<Self>, work: Work, detail: &str) {
        let others = {
            let mut memory = self.memory();
            memory.is_writing = false;
            for conversation in work.looked {
                memory.live.make_ready(conversation);
            }
            for message in work.returning {
                memory.live.give_back(message);
            }
            // Backwards: what was said first is put back before what was said after it.
            let taken = work.ready.into_iter().filter_map(|ready| {
                let words = ready.words;
                ready
                    .answer
                    .send(Err(HubError::TryLater(detail.to_owned())));
                words
            });
            let words: Vec<_> = work.words.into_iter().chain(taken).collect();
            for (conversation, text) in words.into_iter().rev() {
                put_back(&mut memory, conversation, text);
            }
            std::mem::take(&mut memory.untold)
        };
        // What others wrote was taken in all the same.
        self.publish_all(&others).await;
        let replies = work.replies.into_iter().map(|(answer, _)| answer);
        for answer in replies.chain(work.confirmers).chain(work.flushes) {
            answer.send(Err(HubError::TryLater(detail.to_owned())));
        }
        // What is to be tried again has nobody else who asks for it.
        self.bell.notify_one();
    }
}

/// Whether this ends a turn as lost of which others wrote something that was not told when it was.
fn is_heard_of(op: &Op, untold: &[Applied]) -> bool {
    let Op::EndTurn(over) = op else {
        return false;
    };
    let lost = over.conversation.id;
    over.end == TurnEnd::Lost
        && (untold.iter()).any(|one| {
            let event = one.event.as_ref();
            event.and_then(Event::shows_turn_in) == Some(lost)
        })
}

/// An operation of the hub's own that nobody waits for.
fn of_hub(op: Op) -> Ready {
    Ready {
        op,
        by: None,
        answer: ReplyTo::Nobody,
        words: None,
    }
}

/// Takes along what was sent and what was shown, when that has waited long enough or must go now.
fn gather_marks(memory: &HubMemory, marks: &mut Marks, flush: bool, now: &ClockReading) {
    let waited = |since: Option<Duration>| {
        let waited = since.map(|since| now.steady.saturating_sub(since));
        flush || waited.is_some_and(|waited| waited >= MARKS_RIDE_AFTER)
    };
    if waited(memory.sent.since()) {
        marks.sent = memory.sent.next();
    }
    if waited(memory.shown.since()) {
        marks.shown = memory.shown.next();
    }
}

/// Gives the events of a plan their places.
fn take_plan(batch: &mut Batch<'_>, entries: &mut Vec<JournalEntry>, events: Vec<Event>, at: Time) {
    for event in events {
        batch.apply(batch.head.next(), &event);
        entries.push(JournalEntry { event, at });
    }
}

/// Gives words back that were taken along and not written down.
pub(crate) fn put_back(memory: &mut HubMemory, conversation: ConversationId, text: String) {
    let directory = &memory.state.directory;
    let agent = directory
        .conversation(conversation)
        .and_then(|conversation| directory.agent(conversation.agent));
    if let Some(speaker) = agent.map(|agent| agent.token) {
        memory.live.put_before(speaker, conversation, text);
    }
}
