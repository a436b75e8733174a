//! Finding one ask: by its id, or by a key of its asker.

use rusqlite::{OptionalExtension as _, Row};
use sayso_core::id::{AgentId, AskId, ConversationId, Place, Seq};
use sayso_core::outcome::Delivery;
use sayso_core::time::Time;
use sayso_core::unreadable::Remains;
use sayso_store::StoreError;

use super::{Views, word};

/// Asks found under one key: a key is meant to name one, and hashes hardly ever collide.
const FOUND_MAX: i64 = 64;

impl Views {
    /// Where an ask stands.
    pub(crate) fn find(&self, ask: AskId) -> Result<Option<(Place, Delivery)>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT opened, closed, late, delivery FROM asks WHERE ask = ?1 ORDER BY opened LIMIT 1")?
                .query_row([ask.bytes().as_slice()], |row| {
                    let place = Place { opened: seq(row, 0)?, closed: maybe_seq(row, 1)?, late: maybe_seq(row, 2)? };
                    Ok((place, word::delivery_from(row.get(3)?)))
                })
                .optional()
        })
    }

    /// Where and when the outcome of the ask opened here was sent, and confirmed.
    pub(crate) fn news(&self, opened: Seq) -> Result<[Option<(Seq, Time)>; 2], StoreError> {
        let found = self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT sent, sent_at, confirmed, confirmed_at FROM asks WHERE opened = ?1",
                )?
                .query_row([crate::journal::number(opened.0)], |row| {
                    Ok([news_at(row, 0)?, news_at(row, 2)?])
                })
                .optional()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// What is known here of the ask opened at a place.
    pub(crate) fn remains(&self, opened: Seq) -> Result<Option<Remains>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT ask, agent, conversation, asked_at, deadline FROM asks WHERE opened = ?1")?
                .query_row([crate::journal::number(opened.0)], |row| {
                    Ok(Remains {
                        ask: AskId::from_bytes(row.get(0)?),
                        opened,
                        agent: Some(AgentId(row.get(1)?)),
                        conversation: row.get::<_, Option<u32>>(2)?.map(ConversationId),
                        asked_at: Time::from_millis(unsigned(row, 3)?),
                        deadline: maybe_unsigned(row, 4)?.map(Time::from_millis),
                    })
                })
                .optional()
        })
    }

    /// The asks under a key, newest first.
    pub(crate) fn find_key(&self, key: u64) -> Result<Vec<AskId>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT ask, opened FROM asks WHERE key_a IS NOT NULL AND key_a = ?1
                     UNION SELECT ask, opened FROM asks WHERE key_b IS NOT NULL AND key_b = ?1
                     ORDER BY opened DESC LIMIT ?2",
                )?
                .query_map((key.cast_signed(), FOUND_MAX), |row| {
                    row.get(0).map(AskId::from_bytes)
                })?
                .collect()
        })
    }
}

/// A place and the moment beside it, if they are there.
fn news_at(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<(Seq, Time)>> {
    let place = maybe_seq(row, at)?;
    let moment = maybe_unsigned(row, at + 1)?.map(Time::from_millis);
    Ok(place.zip(moment))
}

/// A place in a row.
pub(super) fn seq(row: &Row<'_>, at: usize) -> rusqlite::Result<Seq> {
    unsigned(row, at).map(Seq)
}

/// A place in a row, if there is one.
pub(super) fn maybe_seq(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<Seq>> {
    maybe_unsigned(row, at).map(|found| found.map(Seq))
}

/// A number in a row.
pub(super) fn unsigned(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(at)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, value))
}

/// A number in a row, if there is one.
pub(super) fn maybe_unsigned(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<u64>> {
    let value: Option<i64> = row.get(at)?;
    value
        .map(|value| {
            u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, value))
        })
        .transpose()
}
