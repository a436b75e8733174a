//! Which devices had an ask on screen, in the projections.

use rusqlite::Connection;
use sayso_core::id::{PersonName, Seq, TokenId, TokenName};
use sayso_core::journal::ShownMark;
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_store::StoreError;

use super::Views;
use super::lookup::{seq, unsigned};
use super::pending::Pending;
use super::rows::run;
use crate::journal::number;

/// A device that had an ask on screen: whose it is, and where and when it said so.
#[derive(Debug)]
pub(crate) struct ShownRow {
    pub(crate) person: PersonName,
    pub(crate) device: TokenName,
    pub(crate) seq: Seq,
    pub(crate) at: Time,
}

/// Notes a device. What was erased meanwhile stays gone.
pub(super) fn shown(pending: &Pending<'_>, seq: Seq, mark: &ShownMark) -> rusqlite::Result<()> {
    let sql = if pending.asks.contains_key(&mark.opened) {
        "INSERT OR IGNORE INTO shown (opened, token, seq, at) VALUES (?1, ?2, ?3, ?4)"
    } else {
        "INSERT OR IGNORE INTO shown (opened, token, seq, at)
         SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM asks WHERE opened = ?1 AND erased = 0)"
    };
    run(
        pending.connection,
        sql,
        (
            number(mark.opened.0),
            mark.device.0,
            number(seq.0),
            number(mark.at.as_millis()),
        ),
    )
}

pub(super) fn erased(connection: &Connection, opened: Seq) -> rusqlite::Result<()> {
    run(
        connection,
        "DELETE FROM shown WHERE opened = ?1",
        [number(opened.0)],
    )
}

impl Views {
    /// The devices that had the ask opened here on screen, the first one first.
    pub(crate) fn shown_on(&self, opened: Seq) -> Result<Vec<ShownRow>, StoreError> {
        let rows = self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT t.person, t.name, s.seq, s.at FROM shown s JOIN tokens t USING (token)
                     WHERE s.opened = ?1 AND t.person IS NOT NULL ORDER BY s.at, s.seq, s.token LIMIT ?2",
                )?
                .query_map(
                    (number(opened.0), number(limits::SHOWN_DEVICES_MAX as u64)),
                    |row| {
                        Ok((
                            row.get::<_, String>(0)?,
                            row.get::<_, String>(1)?,
                            seq(row, 2)?,
                            Time::from_millis(unsigned(row, 3)?),
                        ))
                    },
                )?
                .collect::<rusqlite::Result<Vec<_>>>()
        })?;
        // Names that were taken in once are names; one that is none any more is left out.
        Ok(rows
            .into_iter()
            .filter_map(|(person, device, seq, at)| {
                Some(ShownRow {
                    person: PersonName::stored(person).ok()?,
                    device: TokenName::stored(device).ok()?,
                    seq,
                    at,
                })
            })
            .collect())
    }

    /// The devices that had the asks opened at these places on screen.
    pub(crate) fn shown(&self, opened: &[Seq]) -> Result<Vec<(Seq, TokenId)>, StoreError> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT token FROM shown WHERE opened = ?1 LIMIT ?2")?;
            let mut found = Vec::new();
            for place in opened {
                let limit = number(limits::SHOWN_DEVICES_MAX as u64);
                let tokens = statement.query_map((number(place.0), limit), |row| row.get(0))?;
                for token in tokens {
                    found.push((*place, TokenId(token?)));
                }
            }
            Ok(found)
        })
    }
}
