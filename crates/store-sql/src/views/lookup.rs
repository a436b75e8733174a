//! Finding one ask: by its id, or by a key of its asker.

use sayso_core::id::{AgentId, AskId, ConversationId, Place, Seq};
use sayso_core::outcome::Delivery;
use sayso_core::time::Time;
use sayso_core::unreadable::Remains;

use super::word;
use crate::sql::{Sql, SqlResult, SqlRow, ask_id, maybe_moment, maybe_seq, moment, number, seq};
use crate::values;

/// Asks found under one key: a key is meant to name one, and hashes hardly ever collide.
const FOUND_MAX: i64 = 64;

/// Where an ask stands.
pub fn find(view: &dyn Sql, ask: AskId) -> SqlResult<Option<(Place, Delivery)>> {
    view.first(
        "SELECT opened, closed, late, delivery FROM asks WHERE ask = ?1 ORDER BY opened LIMIT 1",
        values![ask.bytes().as_slice()],
        |row| Ok((place(row)?, word::delivery_from(row.get(3)?))),
    )
}

/// The place of an ask, in the first three columns of a row.
pub(crate) fn place(row: &dyn SqlRow) -> SqlResult<Place> {
    Ok(Place {
        opened: seq(row, 0)?,
        closed: maybe_seq(row, 1)?,
        late: maybe_seq(row, 2)?,
    })
}

/// Where and when the outcome of the ask opened here was sent, and confirmed.
pub fn news(view: &dyn Sql, opened: Seq) -> SqlResult<[Option<(Seq, Time)>; 2]> {
    let at = |row: &dyn SqlRow, at| Ok(maybe_seq(row, at)?.zip(maybe_moment(row, at + 1)?));
    let found = view.first(
        "SELECT sent, sent_at, confirmed, confirmed_at FROM asks WHERE opened = ?1",
        values![number(opened.0)],
        |row| Ok([at(row, 0)?, at(row, 2)?]),
    )?;
    Ok(found.unwrap_or_default())
}

/// What is known here of the ask opened at a place.
pub fn remains(view: &dyn Sql, opened: Seq) -> SqlResult<Option<Remains>> {
    view.first(
        "SELECT ask, agent, conversation, asked_at, deadline FROM asks WHERE opened = ?1",
        values![number(opened.0)],
        |row| {
            Ok(Remains {
                ask: ask_id(row, 0)?,
                opened,
                agent: Some(AgentId(row.get(1)?)),
                conversation: row.get::<Option<u32>>(2)?.map(ConversationId),
                asked_at: moment(row, 3)?,
                deadline: maybe_moment(row, 4)?,
            })
        },
    )
}

/// The asks under a key, newest first.
pub fn find_key(view: &dyn Sql, key: u64) -> SqlResult<Vec<AskId>> {
    view.all(
        "SELECT ask, opened FROM asks WHERE key_a IS NOT NULL AND key_a = ?1
         UNION SELECT ask, opened FROM asks WHERE key_b IS NOT NULL AND key_b = ?1
         ORDER BY opened DESC LIMIT ?2",
        values![key.cast_signed(), FOUND_MAX],
        |row| ask_id(row, 0),
    )
}
