//! Asks of a moment ago, so that an answer that comes soon needs no read from disk.
//!
//! Two generations: what is looked up moves to the young one; when that is full it becomes the old
//! one and the old one is dropped. A cache only: forgetting anything here changes nothing.

use std::sync::Arc;

use hashbrown::HashMap;
use sayso_core::answer::Answer;
use sayso_core::ask::{Ask, Matter};
use sayso_core::id::AskId;
use sayso_core::limits;
use sayso_core::outcome::{Closing, Late, Outcome};

/// Everything that was written about one ask.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) ask: Arc<Ask>,
    pub(crate) closing: Option<Arc<Closing>>,
    pub(crate) late: Option<Arc<Late>>,
}

#[derive(Debug, Default)]
pub(crate) struct AskCache {
    young: HashMap<AskId, (Kept, usize)>,
    old: HashMap<AskId, (Kept, usize)>,
    young_bytes: usize,
}

impl AskCache {
    pub(crate) fn get(&mut self, ask: AskId) -> Option<Kept> {
        if let Some((kept, _)) = self.young.get(&ask) {
            return Some(kept.clone());
        }
        let (kept, bytes) = self.old.remove(&ask)?;
        self.put_sized(ask, kept.clone(), bytes);
        Some(kept)
    }

    pub(crate) fn put(&mut self, kept: Kept) {
        // What was filled in may be secret, and is erased once its asker has it: a copy here would
        // outlive that.
        if kept.closing.is_some() && matches!(kept.ask.matter, Matter::Form(_)) {
            self.forget(kept.ask.id);
            return;
        }
        let bytes =
            512 + matter_bytes(&kept.ask.matter) + kept.closing.as_deref().map_or(0, closing_bytes);
        self.old.remove(&kept.ask.id);
        self.put_sized(kept.ask.id, kept, bytes);
    }

    /// Drops an ask whose text must not be shown any more.
    pub(crate) fn forget(&mut self, ask: AskId) {
        self.old.remove(&ask);
        if let Some((_, bytes)) = self.young.remove(&ask) {
            self.young_bytes -= bytes;
        }
    }

    fn put_sized(&mut self, ask: AskId, kept: Kept, bytes: usize) {
        if let Some((_, before)) = self.young.insert(ask, (kept, bytes)) {
            self.young_bytes -= before;
        }
        self.young_bytes += bytes;
        if self.young_bytes > limits::ASK_CACHE_BYTES_MAX / 2 {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
    }
}

/// About how much text there is in an ask.
pub(crate) fn matter_bytes(matter: &Matter) -> usize {
    match matter {
        Matter::Questions(questions) => questions
            .iter()
            .map(|question| {
                let choices = question.choices.iter().map(|choice| {
                    128 + choice.label.len()
                        + choice.description.as_ref().map_or(0, String::len)
                        + choice.preview.as_ref().map_or(0, String::len)
                });
                256 + question.text.len() + choices.sum::<usize>()
            })
            .sum(),
        // The act repeats parts of the input.
        Matter::Approval(action) => {
            256 + 2 * action.input.len() + action.reason.as_ref().map_or(0, String::len)
        }
        Matter::Form(form) => form.message().len() + 512 * form.fields().len(),
    }
}

fn closing_bytes(closing: &Closing) -> usize {
    match &closing.outcome {
        Outcome::Answered(Answer::Replies(replies)) => replies
            .iter()
            .map(|reply| {
                128 + reply.other.as_ref().map_or(0, String::len) + 64 * reply.labels.len()
            })
            .sum(),
        Outcome::Answered(Answer::Verdict(_)) => 256,
        Outcome::Answered(Answer::Fields(fields)) => 256 * fields.len(),
        Outcome::Dismissed { note, .. } | Outcome::Withdrawn { note } => {
            128 + note.as_ref().map_or(0, String::len)
        }
        Outcome::Expired => 64,
    }
}
