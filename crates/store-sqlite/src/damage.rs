//! Entries of the journal that could not be read: which they are, kept where a lost projection cannot
//! take it away.
//!
//! A place is forgotten once its ask was erased, or once it can be read again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use sayso_core::id::{AskId, Seq};
use sayso_store::{StoreError, Trouble};

use crate::fault;
use crate::journal::{self, Found, Tail, number};

/// Places that are listed and kept; a journal with more of them is lost anyway.
const DAMAGES_MAX: usize = 1000;

/// What is known of one place.
#[derive(Debug, Clone)]
struct Damage {
    ask: Option<AskId>,
    what: String,
    /// Where the journal ended when this was noticed.
    noticed: Seq,
}

/// Every place that could not be read.
#[derive(Debug, Default)]
pub(crate) struct Damages(Mutex<BTreeMap<Seq, Damage>>);

impl Damages {
    fn all(&self) -> MutexGuard<'_, BTreeMap<Seq, Damage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What earlier starts noticed and is still so.
    pub(crate) fn load(connection: &Connection, tail: Tail) -> Result<Self, StoreError> {
        let mut statement = connection
            .prepare("SELECT seq, noticed FROM damage ORDER BY seq LIMIT ?1")
            .map_err(fault::journal)?;
        let places: Vec<(i64, i64)> = statement
            .query_map([number(DAMAGES_MAX as u64)], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .and_then(Iterator::collect)
            .map_err(fault::journal)?;
        let mut damages = BTreeMap::new();
        for (seq, noticed) in places {
            let place = |value: i64| Seq(u64::try_from(value).unwrap_or_default());
            let found = journal::found_at(connection, place(seq), tail, &mut |_| None)?;
            match found.fault.clone() {
                Some(what) => {
                    let (ask, noticed) = (found.ask(), place(noticed));
                    damages.insert(place(seq), Damage { ask, what, noticed });
                }
                None => drop_at(connection, place(seq)).map_err(fault::journal)?,
            }
        }
        Ok(Self(Mutex::new(damages)))
    }

    /// Takes down what is wrong with a row. Says where the journal ended when it was first noticed.
    /// `keep` writes it to the journal; when it cannot, this process knows all the same.
    pub(crate) fn note(
        &self,
        found: &Found,
        end: Seq,
        keep: impl FnOnce() -> rusqlite::Result<()>,
    ) -> Seq {
        let Some(what) = found.fault.clone() else {
            return end;
        };
        let ask = found.ask();
        {
            let mut all = self.all();
            if let Some(known) = all.get(&found.seq) {
                return known.noticed;
            }
            if all.len() >= DAMAGES_MAX {
                return end;
            }
            let noticed = end;
            let text = what.clone();
            all.insert(
                found.seq,
                Damage {
                    ask,
                    what: text,
                    noticed,
                },
            );
        }
        tracing::error!(
            entry = found.seq.0,
            ask = ask.map(tracing::field::display),
            what,
            "an entry of the journal cannot be read; everything else goes on"
        );
        if let Err(error) = keep() {
            tracing::warn!(%error, entry = found.seq.0, "that an entry is damaged cannot be noted");
        }
        end
    }

    /// Forgets places whose text was erased.
    pub(crate) fn forget(&self, places: impl Iterator<Item = Seq>) {
        let mut all = self.all();
        if !all.is_empty() {
            places.for_each(|seq| drop(all.remove(&seq)));
        }
    }

    /// What to tell the owner.
    pub(crate) fn troubles(&self) -> Vec<Trouble> {
        let all = self.all();
        all.iter()
            .map(|(seq, damage)| Trouble::Unreadable {
                seq: *seq,
                ask: damage.ask,
                what: damage.what.clone(),
            })
            .collect()
    }
}

/// Writes a damaged place to the journal.
pub(crate) fn keep(connection: &Connection, found: &Found, end: Seq) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO damage (seq, kind, ask, noticed, what) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((
            number(found.seq.0),
            found.header.as_ref().map_or(0, |header| header.kind),
            found.ask().map(|ask| ask.bytes().to_vec()),
            number(end.0),
            found.fault.as_deref().unwrap_or_default(),
        ))
        .map(|_| ())
}

/// Forgets a place.
pub(crate) fn drop_at(connection: &Connection, seq: Seq) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM damage WHERE seq = ?1")?
        .execute([number(seq.0)])
        .map(|_| ())
}
