//! One step of either stage: the next events of the journal become rows and words, inside a transaction
//! that the caller begins and ends.

use sayso_core::id::Seq;
use sayso_store::Header;

use super::batch::ViewBatch;
use super::pending::Pending;
use super::progress::{Progress, put_rows, put_text};
use super::text::{OpenWords, TextStage};
use super::{NoteDamage, ViewError, lost, rows};
use crate::journal::{FoundEvents, Tail, What};
use crate::point;
use crate::sql::Sql;

/// Where a step reads and writes.
pub struct ViewStep<'a> {
    /// The projections, inside a transaction.
    pub views: &'a dyn Sql,
    /// The journal.
    pub journal: &'a dyn FoundEvents,
    /// The words of open asks that are held.
    pub open: &'a mut OpenWords,
}

impl std::fmt::Debug for ViewStep<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ViewStep(..)")
    }
}

impl ViewStep<'_> {
    /// Takes the next events into the rows, and into the text where it is asked for and not behind.
    /// Says how far it got.
    pub fn rows(
        &mut self,
        before: Progress,
        tail: Tail,
        note: NoteDamage<'_>,
        with_text: bool,
    ) -> Result<Progress, ViewError> {
        let with_text = with_text && before.text == before.rows;
        let mut progress = before;
        let mut pending = Pending::new(self.views);
        let mut text = TextStage::new(self.views, self.journal, tail, self.open);
        let mut batch = ViewBatch::new(self.journal, before.rows, tail);
        let mut last = None;
        while let Some(row) = batch.next()? {
            let noticed = match row.fault {
                Some(_) => note(&row),
                None => tail.seq,
            };
            match &row.what {
                What::Event(event) => {
                    rows::apply(&mut pending, row.seq, row.at(), event)?;
                    if with_text {
                        progress.purge |= text.apply(row.seq, event)?;
                    }
                }
                What::Gone => {
                    pending.write()?;
                    lost::gone(self.views, &row)?;
                }
                What::Lost => {
                    pending.write()?;
                    lost::apply(self.views, &row, noticed)?;
                }
            }
            progress.rows = row.seq;
            last = row.header;
        }
        pending.write()?;
        if progress.rows > before.rows {
            progress.hash = last.as_ref().map_or([0; 32], Header::hash);
        }
        put_rows(self.views, &progress)?;
        if with_text {
            progress.text = progress.rows;
            finish_text(&mut text, &progress)?;
        }
        Ok(progress)
    }

    /// Takes the next events into the text index, which has fallen behind the rows. Says how far it got.
    pub fn text(&mut self, before: Progress) -> Result<Progress, ViewError> {
        let mut progress = before;
        let tail = Tail {
            seq: before.rows,
            hash: Some(before.hash).filter(|_| before.rows > Seq::ZERO),
        };
        let mut text = TextStage::new(self.views, self.journal, tail, self.open);
        let mut batch = ViewBatch::new(self.journal, before.text, tail);
        while let Some(row) = batch.next()? {
            progress.text = row.seq;
            if let What::Event(event) = &row.what {
                progress.purge |= text.apply(row.seq, event)?;
            }
        }
        finish_text(&mut text, &progress)?;
        Ok(progress)
    }
}

fn finish_text(text: &mut TextStage<'_>, progress: &Progress) -> Result<(), ViewError> {
    point("text_begin");
    text.write()?;
    put_text(text.views, progress)?;
    point("text_before_commit");
    Ok(())
}
