//! Which devices had an ask on screen, in the projections.

use sayso_core::id::{PersonName, Seq, TokenId, TokenName};
use sayso_core::journal::ShownMark;
use sayso_core::limits;
use sayso_core::time::Time;

use super::pending::Pending;
use crate::sql::{Sql, SqlResult, moment, number, seq};
use crate::values;

/// A device that had an ask on screen: whose it is, and where and when it said so.
#[derive(Debug)]
pub struct ShownRow {
    /// Whose device.
    pub person: PersonName,
    /// Which.
    pub device: TokenName,
    /// Where it said so.
    pub seq: Seq,
    /// When.
    pub at: Time,
}

/// Notes a device. What was erased meanwhile stays gone.
pub(crate) fn note(pending: &Pending<'_>, seq: Seq, mark: &ShownMark) -> SqlResult<()> {
    let sql = if pending.asks.contains_key(&mark.opened) {
        "INSERT INTO shown (opened, token, seq, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (opened, token) DO NOTHING"
    } else {
        "INSERT INTO shown (opened, token, seq, at)
         SELECT opened, CAST(?2 AS BIGINT), CAST(?3 AS BIGINT), CAST(?4 AS BIGINT) FROM asks WHERE opened = ?1 AND erased = 0
         ON CONFLICT (opened, token) DO NOTHING"
    };
    pending.connection.run(
        sql,
        values![
            number(mark.opened.0),
            mark.device.0,
            number(seq.0),
            number(mark.at.as_millis())
        ],
    )
}

pub(crate) fn erased(connection: &dyn Sql, opened: Seq) -> SqlResult<()> {
    connection.run(
        "DELETE FROM shown WHERE opened = ?1",
        values![number(opened.0)],
    )
}

/// The devices that had the ask opened here on screen, the first one first.
pub fn shown_on(view: &dyn Sql, opened: Seq) -> SqlResult<Vec<ShownRow>> {
    let rows = view.all(
        "SELECT t.person, t.name, s.seq, s.at FROM shown s JOIN tokens t USING (token)
         WHERE s.opened = ?1 AND t.person IS NOT NULL ORDER BY s.at, s.seq, s.token LIMIT ?2",
        values![number(opened.0), number(limits::SHOWN_DEVICES_MAX as u64)],
        |row| {
            // Names that were taken in once are names; one that is none any more is left out.
            let person = PersonName::stored(row.get::<String>(0)?).ok();
            let device = TokenName::stored(row.get::<String>(1)?).ok();
            let (seq, at) = (seq(row, 2)?, moment(row, 3)?);
            Ok(person.zip(device).map(|(person, device)| ShownRow {
                person,
                device,
                seq,
                at,
            }))
        },
    )?;
    Ok(rows.into_iter().flatten().collect())
}

/// The devices that had the asks opened at these places on screen.
pub fn shown(view: &dyn Sql, opened: &[Seq]) -> SqlResult<Vec<(Seq, TokenId)>> {
    let mut found = Vec::new();
    for place in opened {
        let values = values![number(place.0), number(limits::SHOWN_DEVICES_MAX as u64)];
        let sql = "SELECT token FROM shown WHERE opened = ?1 LIMIT ?2";
        found.extend(view.all(sql, values, |row| Ok((*place, TokenId(row.get(0)?))))?);
    }
    Ok(found)
}
