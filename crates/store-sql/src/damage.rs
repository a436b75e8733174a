//! Entries of the journal that could not be read: which they are, kept where a lost projection cannot
//! take it away.
//!
//! A place is forgotten once its ask was erased, or once it can be read again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sayso_core::id::{AskId, Seq};
use sayso_store::{StoreError, Trouble};

use crate::journal::{Found, SqlJournal, Tail, found_at};
use crate::sql::{Sql, SqlResult, number, seq};
use crate::values;

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
pub struct Damages(Mutex<BTreeMap<Seq, Damage>>);

impl Damages {
    fn all(&self) -> MutexGuard<'_, BTreeMap<Seq, Damage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What earlier starts noticed and is still so.
    pub fn load(connection: &dyn Sql, tail: Tail) -> Result<Self, StoreError> {
        let journal = SqlJournal(connection);
        let failed = |error| journal.error(&error);
        let places = connection
            .all(
                "SELECT seq, noticed FROM damage ORDER BY seq LIMIT ?1",
                values![number(DAMAGES_MAX as u64)],
                |row| Ok((seq(row, 0)?, seq(row, 1)?)),
            )
            .map_err(failed)?;
        let mut damages = BTreeMap::new();
        for (place, noticed) in places {
            let found = found_at(&journal, place, tail, &mut |_| None)?;
            match found.fault.clone() {
                Some(what) => {
                    let ask = found.ask();
                    damages.insert(place, Damage { ask, what, noticed });
                }
                None => drop_at(connection, place).map_err(failed)?,
            }
        }
        Ok(Self(Mutex::new(damages)))
    }

    /// Takes down what is wrong with a row. Says where the journal ended when it was first noticed.
    /// `keep` writes it to the journal; when it cannot, this process knows all the same.
    pub fn note(
        &self,
        found: &Found,
        end: Seq,
        keep: impl FnOnce() -> Result<(), StoreError>,
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
            "can't read an entry of the journal; everything else keeps running"
        );
        if let Err(error) = keep() {
            tracing::warn!(%error, entry = found.seq.0, "could not record that an entry is \
                                                         damaged");
        }
        end
    }

    /// Forgets places whose text was erased.
    pub fn forget(&self, places: impl Iterator<Item = Seq>) {
        let mut all = self.all();
        if !all.is_empty() {
            places.for_each(|seq| drop(all.remove(&seq)));
        }
    }

    /// What to tell the owner.
    pub fn troubles(&self) -> Vec<Trouble> {
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
pub fn keep(connection: &dyn Sql, found: &Found, end: Seq) -> SqlResult<()> {
    connection.run(
        "INSERT INTO damage (seq, kind, ask, noticed, what) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (seq) DO NOTHING",
        values![
            number(found.seq.0),
            found.header.as_ref().map_or(0, |header| header.kind),
            found.ask().as_ref().map(|ask| ask.bytes().as_slice()),
            number(end.0),
            found.fault.as_deref().unwrap_or_default(),
        ],
    )
}

/// Forgets a place.
pub fn drop_at(connection: &dyn Sql, seq: Seq) -> SqlResult<()> {
    connection.run("DELETE FROM damage WHERE seq = ?1", values![number(seq.0)])
}
