//! Statistics over closed asks: how they ended, and how long they took.

use std::collections::BTreeMap;

use sayso_core::id::AgentId;
use sayso_core::outcome::OutcomeKind;
use sayso_store::{Stats, StatsQuery, StatsRow, StatsSplit};

use super::progress::{self, ViewStage};
use super::word;
use crate::sql::{Sql, SqlResult, SqlRow, number};
use crate::values;

/// The newest asks that one answer counts.
const COUNTED_MAX: i64 = 1_000_000;
const DAY_MS: u64 = 24 * 3600 * 1000;

const HOUR_MS: u64 = 3600 * 1000;
/// Parts that are told; agents name their tools as they like, so the rarest are left out.
const PARTS_MAX: usize = 1000;

/// What rows are gathered under.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(u64),
    Name(String),
}

#[derive(Default)]
struct SnapshotPart {
    ended: [u64; 4],
    by_rule: u64,
    allowed: u64,
    denied: u64,
    waited_ms: u64,
    answers_ms: Vec<u64>,
}

impl SnapshotPart {
    fn add(&mut self, row: &dyn SqlRow, span_ms: u64) -> SqlResult<()> {
        let how = word::outcome_from(row.get(2)?);
        for (count, kind) in self.ended.iter_mut().zip(OutcomeKind::ALL) {
            *count += u64::from(kind == how);
        }
        let (closer, verdict): (i64, Option<bool>) = (row.get(5)?, row.get(6)?);
        let by_person = closer == word::PERSON;
        if closer == word::RULE {
            self.by_rule += 1;
        } else {
            self.waited_ms = self.waited_ms.saturating_add(span_ms);
        }
        if by_person {
            self.allowed += u64::from(verdict == Some(true));
            self.denied += u64::from(verdict == Some(false));
        }
        if by_person && how == OutcomeKind::Answered {
            self.answers_ms.push(span_ms);
        }
        Ok(())
    }

    fn count(&self) -> u64 {
        self.ended.iter().sum()
    }
}

/// Statistics of the asks closed in a span of time.
pub fn stats(view: &dyn Sql, query: &StatsQuery) -> SqlResult<Stats> {
    let as_of = progress::as_of(view, ViewStage::Rows)?;
    let mut parts = BTreeMap::<Key, SnapshotPart>::new();
    view.rows(
        "SELECT closed_at, asked_at, outcome, agent, matter, closer, verdict, tool
         FROM asks INDEXED BY asks_closed_at
         WHERE closed IS NOT NULL AND erased = 0 AND closed_at >= ?1 AND closed_at < ?2
           AND (CAST(?3 AS BIGINT) IS NULL OR agent = CAST(?3 AS BIGINT))
         ORDER BY closed_at DESC LIMIT ?4",
        values![
            number(query.from.as_millis()),
            number(query.to.as_millis()),
            query.agent.map(|agent| agent.0),
            COUNTED_MAX,
        ],
        &mut |row| {
            let (closed_at, asked_at) = (row.get::<u64>(0)?, row.get(1)?);
            if let Some(key) = key(query, row, closed_at)? {
                let span_ms = closed_at.saturating_sub(asked_at);
                parts.entry(key).or_default().add(row, span_ms)?;
            }
            Ok(true)
        },
    )?;
    let mut parts: Vec<(Key, SnapshotPart)> = parts.into_iter().collect();
    if parts.len() > PARTS_MAX {
        parts.sort_by_key(|(_, part)| std::cmp::Reverse(part.count()));
        parts.truncate(PARTS_MAX);
    }
    let rows = parts
        .into_iter()
        .map(|(key, part)| stats_row(query.by, key, part))
        .collect();
    Ok(Stats { rows, as_of })
}

/// What a row is gathered under; nothing when it is of no part.
fn key(query: &StatsQuery, row: &dyn SqlRow, closed_at: u64) -> SqlResult<Option<Key>> {
    let local = closed_at.saturating_add_signed(i64::from(query.ahead_min) * 60_000);
    let number = match query.by {
        StatsSplit::All => 0,
        StatsSplit::Day => local / DAY_MS,
        StatsSplit::Hour => local / HOUR_MS % 24,
        StatsSplit::Agent => row.get(3)?,
        StatsSplit::Matter => row.get(4)?,
        StatsSplit::Tool => return Ok(row.get::<Option<String>>(7)?.map(Key::Name)),
    };
    Ok(Some(Key::Number(number)))
}

fn stats_row(by: StatsSplit, key: Key, mut part: SnapshotPart) -> StatsRow {
    part.answers_ms.sort_unstable();
    let mut ended = OutcomeKind::ALL.map(|kind| (kind, 0));
    for (row, count) in ended.iter_mut().zip(part.ended) {
        row.1 = count;
    }
    let named = match key {
        Key::Name(name) => name,
        Key::Number(number) => match by {
            StatsSplit::All | StatsSplit::Tool => "all".to_owned(),
            StatsSplit::Day => day(number),
            StatsSplit::Hour => format!("{number:02}"),
            StatsSplit::Agent => AgentId(u32::try_from(number).unwrap_or_default()).to_string(),
            StatsSplit::Matter => word::matter_from(number.cast_signed()).word().to_owned(),
        },
    };
    StatsRow {
        part: named,
        ended,
        by_rule: part.by_rule,
        allowed: part.allowed,
        denied: part.denied,
        waited_ms: part.waited_ms,
        median_ms: rank(&part.answers_ms, 50),
        p90_ms: rank(&part.answers_ms, 90),
    }
}

/// The smallest value that this share of all values does not exceed.
fn rank(sorted: &[u64], percent: usize) -> Option<u64> {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied()
}

/// A day after 1970 as it is written, in the calendar that begins each year in March.
fn day(days: u64) -> String {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let written = [0, 58, 59, 789, 11_016, 20_772, 2_932_896].map(day);
        assert_eq!(
            written,
            [
                "1970-01-01",
                "1970-02-28",
                "1970-03-01",
                "1972-02-29",
                "2000-02-29",
                "2026-11-15",
                "9999-12-31"
            ]
        );
    }

    #[test]
    fn ranks_are_values_that_occurred() {
        assert_eq!(
            [rank(&[], 50), rank(&[7], 50), rank(&[7], 90)],
            [None, Some(7), Some(7)]
        );
        let ten: Vec<u64> = (1..=10).collect();
        assert_eq!([rank(&ten, 50), rank(&ten, 90)], [Some(5), Some(9)]);
    }
}
