//! Lists of closed asks: newest first, page by page, by a cursor that new rows do not move.
//!
//! One index is walked in its order and the other conditions are checked on the way. The walk is
//! bounded: a page may hold fewer rows than asked for and still say where the next one starts.

use sayso_core::id::{Place, Seq};
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_store::{AskPage, AskQuery, AskRow};

use super::progress::{self, ViewStage};
use super::word;
use super::words::{Search, search};
use crate::sql::{Sql, SqlResult, SqlRow, SqlValue, ask_id, maybe_seq, moment, number, seq};
use crate::values;

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
    closed_at: Time,
}

/// A page of closed asks.
pub fn closed(view: &dyn Sql, query: &AskQuery) -> SqlResult<AskPage> {
    let typed = query.search.as_deref().map_or(Search::Everything, search);
    let wanted = match typed {
        Search::Everything => {
            let as_of = progress::as_of(view, ViewStage::Rows)?;
            let (rows, next) = listed(view, query)?;
            return Ok(AskPage { rows, next, as_of });
        }
        Search::Words(words) => (view.text().wanted)(&words),
        Search::Nothing => None,
    };
    let as_of = progress::as_of(view, ViewStage::Text)?;
    let (rows, next) = match wanted {
        Some(words) => searched(view, query, &words)?,
        None => (Vec::new(), None),
    };
    Ok(AskPage { rows, next, as_of })
}

type Page = (Vec<AskRow>, Option<Seq>);

const COLUMNS: &str =
    "a.opened, a.closed, a.late, a.ask, a.delivery, a.agent, a.conversation, a.matter, a.closed_at";

fn candidate(row: &dyn SqlRow, by_opened: bool) -> SqlResult<Candidate> {
    let opened = seq(row, 0)?;
    let closed = seq(row, 1)?;
    Ok(Candidate {
        cursor: if by_opened { opened } else { closed },
        row: AskRow {
            ask: ask_id(row, 3)?,
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
        closed_at: moment(row, 8)?,
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
            .is_none_or(|before| found.closed_at < before)
}

/// Takes rows until the page is full, the rows end, or enough were looked at. The walk goes on in
/// pieces, each beginning where the one before ended.
fn fill(
    view: &dyn Sql,
    query: &AskQuery,
    sql: &str,
    lead: SqlValue<'_>,
    by_opened: bool,
    mut before: i64,
) -> SqlResult<Page> {
    let limit = query.limit.clamp(1, limits::PAGE_ROWS_MAX);
    let mut rows: Vec<AskRow> = Vec::with_capacity(limit);
    let (mut last, mut looked, mut piece) = (None, 0, limit + 1);
    while looked < LOOKED_MAX {
        let found = view.all(
            sql,
            &[lead, before.into(), number(piece as u64).into()],
            |row| candidate(row, by_opened),
        )?;
        let is_end = found.len() < piece;
        looked += found.len();
        for found in found {
            let is_wanted = fits(query, &found);
            if is_wanted && rows.len() == limit {
                return Ok((rows, last));
            }
            last = Some(found.cursor);
            rows.extend(is_wanted.then_some(found.row));
        }
        if is_end {
            return Ok((rows, None));
        }
        before = last.map_or(before, |last| number(last.0));
        piece = (piece * 4).min(LOOKED_MAX / 10);
    }
    Ok((rows, last))
}

fn searched(view: &dyn Sql, query: &AskQuery, words: &str) -> SqlResult<Page> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {} AND a.closed IS NOT NULL AND a.erased = 0
         ORDER BY a.opened DESC LIMIT ?3",
        view.text().found
    );
    let before = query.after.map_or(i64::MAX, |seq| number(seq.0));
    fill(view, query, &sql, words.into(), true, before)
}

fn listed(view: &dyn Sql, query: &AskQuery) -> SqlResult<Page> {
    // The narrowest of the indexes leads the walk.
    let (index, condition, lead) = match (query.conversation, query.agent, query.matter) {
        (Some(id), _, _) => (
            "asks_conversation",
            "a.conversation IS NOT NULL AND a.conversation",
            id.0.into(),
        ),
        (None, Some(id), _) => ("asks_agent", "a.agent", id.0.into()),
        (None, None, Some(matter)) => ("asks_matter", "a.matter", word::matter(matter)),
        (None, None, None) => ("asks_closed", "1", 1),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM asks a INDEXED BY {index}
         WHERE {condition} = ?1 AND a.closed IS NOT NULL AND a.erased = 0 AND a.closed < ?2
         ORDER BY a.closed DESC LIMIT ?3"
    );
    let mut start = query.after.map_or(i64::MAX, |seq| number(seq.0));
    if let Some(before) = query.closed_before {
        start = start.min(closed_before(view, before)?);
    }
    fill(view, query, &sql, SqlValue::Int(lead), false, start)
}

/// Where the walk starts for asks closed before a moment, so that newer ones are not looked at.
fn closed_before(view: &dyn Sql, before: Time) -> SqlResult<i64> {
    let newest: Option<i64> = view.first(
        "SELECT closed FROM asks INDEXED BY asks_closed_at
         WHERE closed IS NOT NULL AND erased = 0 AND closed_at < ?1 ORDER BY closed_at DESC, closed DESC LIMIT 1",
        values![number(before.as_millis())],
        |row| row.get(0),
    )?;
    Ok(newest.map_or(0, |closed| closed + 1))
}
