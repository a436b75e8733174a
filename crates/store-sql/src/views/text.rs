//! The second stage: what needs the text of an ask that has ended. Its words go into the index, and
//! what a person denied is kept by what it was like.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sayso_core::ask::Ask;
use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::outcome::Closing;

use super::words::IndexWords;
use super::{ViewError, denied};
use crate::journal::{FoundEvents, Tail, What};
use crate::sql::{Sql, SqlResult, number};
use crate::values;

/// Bytes of words that are held of asks that have ended in a batch.
const ENDED_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes of words that are held of asks that are open.
const OPEN_BYTES_MAX: usize = 512 * 1024;

/// The words of asks that are open, as far as there is room: they need not be read again at the end.
#[derive(Debug, Default)]
pub struct OpenWords {
    words: HashMap<Seq, IndexWords>,
    bytes: usize,
}

impl OpenWords {
    fn put(&mut self, opened: Seq, words: IndexWords) {
        if self.bytes + words.as_str().len() > OPEN_BYTES_MAX {
            *self = Self::default();
        }
        self.bytes += words.as_str().len();
        self.words.insert(opened, words);
    }

    fn take(&mut self, opened: Seq) -> Option<IndexWords> {
        let words = self.words.remove(&opened)?;
        self.bytes = self.bytes.saturating_sub(words.as_str().len());
        Some(words)
    }
}

/// The text of one batch. The index takes words best in the order in which their asks were opened, so
/// they are held until the batch is over.
pub(crate) struct TextStage<'a> {
    pub(crate) views: &'a dyn Sql,
    journal: &'a dyn FoundEvents,
    tail: Tail,
    open: &'a mut OpenWords,
    /// Asks that have ended, in the order in which they were opened.
    ended: BTreeMap<Seq, IndexWords>,
    ended_bytes: usize,
}

impl<'a> TextStage<'a> {
    pub(crate) fn new(
        views: &'a dyn Sql,
        journal: &'a dyn FoundEvents,
        tail: Tail,
        open: &'a mut OpenWords,
    ) -> Self {
        Self {
            views,
            journal,
            tail,
            open,
            ended: BTreeMap::new(),
            ended_bytes: 0,
        }
    }

    /// Applies one event, whose rows are in the file as far as they are read here. Says whether words
    /// were taken out.
    pub(crate) fn apply(&mut self, seq: Seq, event: &Event) -> Result<bool, ViewError> {
        match event {
            Event::Asked(ask) => {
                self.open.put(seq, IndexWords::of(ask).shrunk());
                Ok(false)
            }
            Event::Closed {
                opened, closing, ..
            } => {
                self.closed(*opened, closing)?;
                Ok(false)
            }
            Event::AnsweredLate { opened, late, .. } => {
                let Some(ask) = self.ask_at(*opened)? else {
                    return Ok(false);
                };
                let mut words = IndexWords::of(&ask);
                if let Some(closing) = self.closing_of(*opened)? {
                    words.end(&closing);
                }
                words.late(late);
                self.ended(*opened, words)?;
                Ok(false)
            }
            Event::Erased { place, .. } => {
                self.open.take(place.opened);
                self.write()?;
                denied::erased(self.views, place.opened)?;
                let (text, opened) = (self.views.text(), number(place.opened.0));
                let there = self.views.first(text.there, values![opened], |_| Ok(()))?;
                self.views.run(text.remove, values![opened])?;
                Ok(there.is_some())
            }
            Event::EpochBegan(_)
            | Event::TokenMade(_)
            | Event::TokenRevoked(_)
            | Event::AgentMet(_)
            | Event::ConversationBegan(_)
            | Event::Delivered(_)
            | Event::Shown(_)
            | Event::Cleared { .. }
            | Event::Messaged(_)
            | Event::Handed { .. }
            | Event::Returned { .. }
            | Event::Removed { .. }
            | Event::Said(_)
            | Event::Noted(_)
            | Event::TurnEnded { .. }
            | Event::RuleMade(_)
            | Event::RuleRevoked { .. } => Ok(false),
        }
    }

    fn closed(&mut self, opened: Seq, closing: &Closing) -> Result<(), ViewError> {
        let mut known = self.open.take(opened);
        let is_no = denied::is_no(closing);
        if (known.is_none() || is_no)
            && let Some(ask) = self.ask_at(opened)?
        {
            if is_no {
                denied::keep(self.views, opened, &ask)?;
            }
            known = known.or_else(|| Some(IndexWords::of(&ask)));
        }
        match known {
            Some(mut words) => {
                words.end(closing);
                Ok(self.ended(opened, words)?)
            }
            None => Ok(()),
        }
    }

    fn ended(&mut self, opened: Seq, words: IndexWords) -> SqlResult<()> {
        self.ended_bytes += words.as_str().len();
        self.ended.insert(opened, words);
        if self.ended_bytes > ENDED_BYTES_MAX {
            self.write()?;
        }
        Ok(())
    }

    /// Writes the words of asks that have ended.
    pub(crate) fn write(&mut self) -> SqlResult<()> {
        self.ended_bytes = 0;
        let text = self.views.text();
        for (opened, words) in std::mem::take(&mut self.ended) {
            let kept = (text.kept)(words.as_str());
            self.views
                .run(text.keep, values![number(opened.0), &*kept])?;
        }
        Ok(())
    }

    fn ask_at(&self, opened: Seq) -> Result<Option<Arc<Ask>>, ViewError> {
        Ok(match self.event_at(opened)? {
            Some(Event::Asked(ask)) => Some(ask),
            Some(_) | None => None,
        })
    }

    /// How the ask opened here ended.
    fn closing_of(&self, opened: Seq) -> Result<Option<Arc<Closing>>, ViewError> {
        let closed = self.views.first(
            "SELECT closed FROM asks WHERE opened = ?1",
            values![number(opened.0)],
            |row| row.get::<Option<u64>>(0),
        )?;
        let Some(closed) = closed.flatten() else {
            return Ok(None);
        };
        Ok(match self.event_at(Seq(closed))? {
            Some(Event::Closed { closing, .. }) => Some(closing),
            Some(_) | None => None,
        })
    }

    fn event_at(&self, seq: Seq) -> Result<Option<Event>, ViewError> {
        Ok(match self.journal.found_at(seq, self.tail)?.what {
            What::Event(event) => Some(*event),
            What::Gone | What::Lost => None,
        })
    }
}
