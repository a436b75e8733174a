//! Lists of closed asks: newest first, page by page, by a cursor that new rows do not move.
//!
//! One index is walked in its order and the other conditions are checked on the way. The walk is
//! bounded: a page may hold fewer rows than asked for and still say where the next one starts.

use rusqlite::{Connection, OptionalExtension as _, Row};
use sayso_core::id::{AskId, Place, Seq};
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_store::{AskPage, AskQuery, AskRow, StoreError};

use super::lookup::{maybe_seq, seq, unsigned};
use super::words::{Search, search};
use super::{Views, word};
use crate::journal::number;

/// Rows looked at for one page.
const LOOKED_MAX: usize = 20_000;

/// A row on the way into a page.
struct Candidate {
    /// What the page is ordered by.
    cursor: Seq,
    row: AskRow,
    agent: i64,
    conversation: Option<i64>,
    matter: i64,
    closed_at: u64,
}

impl Views {
    /// A page of closed asks.
    pub(crate) fn closed(&self, query: &AskQuery) -> Result<AskPage, StoreError> {
        let wanted = match query.search.as_deref().map_or(Search::Everything, search) {
            Search::Everything => None,
            Search::IndexWords(words) => Some(words),
            Search::Nothing => {
                return Ok(AskPage {
                    rows: Vec::new(),
                    next: None,
                    as_of: self.text(),
                });
            }
        };
        let ((rows, next), as_of) = match &wanted {
            Some(words) => self.read_as_of("text", |view| searched(view, query, words))?,
            None => self.read_as_of("rows", |view| listed(view, query))?,
        };
        Ok(AskPage { rows, next, as_of })
    }
}

type Page = (Vec<AskRow>, Option<Seq>);

const COLUMNS: &str =
    "a.opened, a.closed, a.late, a.ask, a.delivery, a.agent, a.conversation, a.matter, a.closed_at";

fn candidate(row: &Row<'_>, by_opened: bool) -> rusqlite::Result<Candidate> {
    let opened = seq(row, 0)?;
    let closed = seq(row, 1)?;
    Ok(Candidate {
        cursor: if by_opened { opened } else { closed },
        row: AskRow {
            ask: AskId::from_bytes(row.get(3)?),
            place: Place {
                opened,
                closed: Some(closed),
                late: maybe_seq(row, 2)?,
            },
            delivery: word::delivery_from(row.get(4)?),
        },
        agent: row.get(5)?,
        conversation: row.get(6)?,
        matter: row.get(7)?,
        closed_at: unsigned(row, 8)?,
    })
}

fn fits(query: &AskQuery, found: &Candidate) -> bool {
    query
        .agent
        .is_none_or(|agent| i64::from(agent.0) == found.agent)
        && query
            .conversation
            .is_none_or(|id| found.conversation == Some(i64::from(id.0)))
        && query
            .matter
            .is_none_or(|matter| word::matter(matter) == found.matter)
        && query
            .closed_before
            .is_none_or(|before| found.closed_at < before.as_millis())
}

/// Takes rows until the page is full, the rows end, or enough were looked at.
fn fill(
    query: &AskQuery,
    mut next: impl FnMut() -> rusqlite::Result<Option<Candidate>>,
) -> rusqlite::Result<Page> {
    let limit = query.limit.clamp(1, limits::PAGE_ROWS_MAX);
    let mut rows: Vec<AskRow> = Vec::with_capacity(limit);
    let mut last = None;
    for _ in 0..LOOKED_MAX {
        let Some(found) = next()? else {
            return Ok((rows, None));
        };
        if !fits(query, &found) {
            last = Some(found.cursor);
            continue;
        }
        if rows.len() == limit {
            return Ok((rows, last));
        }
        last = Some(found.cursor);
        rows.push(found.row);
    }
    Ok((rows, last))
}

fn searched(connection: &Connection, query: &AskQuery, words: &str) -> rusqlite::Result<Page> {
    let mut matches = connection.prepare_cached(
        "SELECT rowid FROM asks_text WHERE asks_text MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC",
    )?;
    let mut by_place = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM asks a WHERE a.opened = ?1 AND a.closed IS NOT NULL AND a.erased = 0"
    ))?;
    let mut found = matches.query((words, query.after.map_or(i64::MAX, |seq| number(seq.0))))?;
    fill(query, || {
        while let Some(row) = found.next()? {
            let opened: i64 = row.get(0)?;
            let row = by_place
                .query_row([opened], |row| candidate(row, true))
                .optional()?;
            if row.is_some() {
                return Ok(row);
            }
        }
        Ok(None)
    })
}

fn listed(connection: &Connection, query: &AskQuery) -> rusqlite::Result<Page> {
    // The narrowest of the indexes leads the walk.
    let (index, lead) = match (query.conversation, query.agent, query.matter) {
        (Some(id), _, _) => (
            "asks_conversation",
            Some((
                "a.conversation IS NOT NULL AND a.conversation",
                i64::from(id.0),
            )),
        ),
        (None, Some(id), _) => ("asks_agent", Some(("a.agent", i64::from(id.0)))),
        (None, None, Some(matter)) => ("asks_matter", Some(("a.matter", word::matter(matter)))),
        (None, None, None) => ("asks_closed", None),
    };
    let (condition, value) = lead.map_or(("1", 1), |lead| lead);
    let sql = format!(
        "SELECT {COLUMNS} FROM asks a INDEXED BY {index}
         WHERE {condition} = ?1 AND a.closed IS NOT NULL AND a.erased = 0 AND a.closed < ?2
         ORDER BY a.closed DESC"
    );
    let mut start = query.after.map_or(i64::MAX, |seq| number(seq.0));
    if let Some(before) = query.closed_before {
        start = start.min(closed_before(connection, before)?);
    }
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = statement.query((value, start))?;
    fill(query, || {
        found.next()?.map(|row| candidate(row, false)).transpose()
    })
}

/// Where the walk starts for asks closed before a moment, so that newer ones are not looked at.
fn closed_before(connection: &Connection, before: Time) -> rusqlite::Result<i64> {
    let newest: Option<i64> = connection
        .prepare_cached(
            "SELECT closed FROM asks INDEXED BY asks_closed_at
             WHERE closed IS NOT NULL AND erased = 0 AND closed_at < ?1 ORDER BY closed_at DESC, closed DESC LIMIT 1",
        )?
        .query_row([number(before.as_millis())], |row| row.get(0))
        .optional()?;
    Ok(newest.map_or(0, |closed| closed + 1))
}
