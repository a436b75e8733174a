//! Late answers to questions, so that a person who is asked the same again can start from one.
//!
//! Kept by the shape of the ask, the newest of each. A cache over the journal: what does not fit is
//! forgotten, the oldest first, and nothing decides anything by it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::answer::Answer;
use sayso_core::ask::{Ask, MatterKind};
use sayso_core::digest::Digest;
use sayso_core::id::AskId;
use sayso_core::limits;
use sayso_core::outcome::Late;
use sayso_core::time::Time;
use sayso_core::view::Prefill;

/// The newest late answer to each question.
#[derive(Debug, Default)]
pub(crate) struct Prefills {
    by_shape: HashMap<Digest, (Arc<Prefill>, usize)>,
    /// The shapes in the order of their answers, the one that goes first in front.
    order: VecDeque<(Digest, AskId)>,
    bytes: usize,
}

impl Prefills {
    /// Keeps a late answer. Those to anything but questions are never offered again.
    pub(crate) fn keep(&mut self, ask: &Ask, late: &Arc<Late>) {
        let Answer::Replies(replies) = &late.answer else {
            return;
        };
        let text = replies.iter().map(|reply| {
            let words = [&reply.other, &reply.note].into_iter().flatten();
            let words: usize = words.map(String::len).sum();
            words + reply.labels.iter().map(String::len).sum::<usize>()
        });
        let bytes = text.sum();
        self.remove(ask.shape);
        let prefill = Arc::new(Prefill {
            ask: ask.id,
            late: Arc::clone(late),
        });
        self.by_shape.insert(ask.shape, (prefill, bytes));
        self.order.push_back((ask.shape, ask.id));
        self.bytes += bytes;
        while self.by_shape.len() > limits::PREFILLS_MAX || self.bytes > limits::PREFILL_BYTES_MAX {
            let Some((shape, _)) = self.order.front().copied() else {
                return;
            };
            self.remove(shape);
        }
    }

    /// What a person can start from when this is asked.
    pub(crate) fn of(&self, ask: &Ask, now: Time) -> Option<Arc<Prefill>> {
        let too_old = Duration::from_secs(limits::PREFILL_DAYS * 24 * 3600);
        let (prefill, _) = self.by_shape.get(&ask.shape)?;
        let is_offered = ask.matter.kind() == MatterKind::Questions
            && ask.id != prefill.ask
            && now.since(prefill.late.at) < too_old;
        is_offered.then(|| Arc::clone(prefill))
    }

    /// Drops the answer to an ask whose text was erased.
    pub(crate) fn forget(&mut self, ask: AskId) {
        let found = self.order.iter().find(|(_, other)| *other == ask);
        if let Some((shape, _)) = found.copied() {
            self.remove(shape);
        }
    }

    fn remove(&mut self, shape: Digest) {
        if let Some((_, bytes)) = self.by_shape.remove(&shape) {
            self.bytes -= bytes;
            self.order.retain(|(other, _)| *other != shape);
        }
    }
}
