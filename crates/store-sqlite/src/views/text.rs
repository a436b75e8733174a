//! The second stage: what needs the text of an ask that has ended. Its words go into the index, and
//! what a person denied is kept by what it was like.

use rusqlite::{Connection, OptionalExtension as _};
use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_store::StoreError;

use super::words::words;
use super::{ViewError, denied};
use crate::journal::{self, Tail, What, number};

/// Pages that one step of a purge works through.
const PURGE_PAGES: i64 = 64;

/// Applies one event. Says whether words were taken out.
pub(crate) fn apply(
    views: &Connection,
    journal: &Connection,
    tail: Tail,
    event: Event,
) -> Result<bool, ViewError> {
    match event {
        Event::Closed {
            opened, closing, ..
        } => {
            if let Some(Event::Asked(ask)) = event_at(journal, tail, opened)? {
                keep(views, opened, &words(&ask, Some(&closing), None))?;
                denied::closed(views, opened, &ask, &closing)?;
            }
            Ok(false)
        }
        Event::AnsweredLate { opened, late, .. } => {
            let Some(Event::Asked(ask)) = event_at(journal, tail, opened)? else {
                return Ok(false);
            };
            let closed: Option<Option<i64>> = views
                .prepare_cached("SELECT closed FROM asks WHERE opened = ?1")?
                .query_row([number(opened.0)], |row| row.get(0))
                .optional()?;
            let closed = closed
                .flatten()
                .and_then(|seq| u64::try_from(seq).ok())
                .map(Seq);
            let closing = match closed
                .map(|seq| event_at(journal, tail, seq))
                .transpose()?
                .flatten()
            {
                Some(Event::Closed { closing, .. }) => Some(closing),
                _ => None,
            };
            keep(views, opened, &words(&ask, closing.as_deref(), Some(&late)))?;
            Ok(false)
        }
        Event::Erased { place, .. } => {
            denied::erased(views, place.opened)?;
            let gone = views
                .prepare_cached("DELETE FROM asks_text WHERE rowid = ?1")?
                .execute([number(place.opened.0)])?;
            Ok(gone > 0)
        }
        Event::EpochBegan(_)
        | Event::TokenMade(_)
        | Event::TokenRevoked(_)
        | Event::AgentMet(_)
        | Event::ConversationBegan(_)
        | Event::Asked(_)
        | Event::Delivered(_)
        | Event::Shown(_)
        | Event::Cleared { .. }
        | Event::Messaged(_)
        | Event::Handed { .. }
        | Event::Removed { .. }
        | Event::Said(_)
        | Event::Noted(_)
        | Event::TurnEnded { .. }
        | Event::RuleMade(_)
        | Event::RuleRevoked { .. } => Ok(false),
    }
}

fn keep(views: &Connection, opened: Seq, words: &str) -> rusqlite::Result<()> {
    views
        .prepare_cached("INSERT OR REPLACE INTO asks_text (rowid, words) VALUES (?1, ?2)")?
        .execute((number(opened.0), words))
        .map(|_| ())
}

fn event_at(journal: &Connection, tail: Tail, seq: Seq) -> Result<Option<Event>, StoreError> {
    Ok(
        match journal::found_at(journal, seq, tail, &mut |_| None)?.what {
            What::Event(event) => Some(*event),
            What::Gone | What::Lost => None,
        },
    )
}

/// Merges some of the index, which drops what was deleted from it. Says whether there is more.
pub(crate) fn purge(views: &Connection) -> rusqlite::Result<bool> {
    let before = views.total_changes();
    views
        .prepare_cached("INSERT INTO asks_text (asks_text, rank) VALUES ('merge', ?1)")?
        .execute([-PURGE_PAGES])?;
    if views.total_changes() - before >= 2 {
        return Ok(true);
    }
    // Nor may they live on in the log; a reader may hold it for a while.
    let is_held: bool = views.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if !is_held {
        views.execute("UPDATE progress SET seq = 0 WHERE stage = 'purge'", [])?;
    }
    Ok(is_held)
}
