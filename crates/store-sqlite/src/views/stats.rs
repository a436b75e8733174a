//! Statistics over closed asks: how they ended, and how long they took.

use std::collections::BTreeMap;

use sayso_core::id::AgentId;
use sayso_core::outcome::OutcomeKind;
use sayso_store::{Stats, StatsQuery, StatsRow, StatsSplit, StoreError};

use super::lookup::unsigned;
use super::{Views, word};
use crate::journal::number;

/// The newest asks that one answer counts.
const COUNTED_MAX: i64 = 1_000_000;
const DAY_MS: u64 = 24 * 3600 * 1000;

#[derive(Default)]
struct Part {
    ended: [u64; 4],
    spans_ms: Vec<u64>,
}

impl Views {
    /// Statistics of the asks closed in a span of time.
    pub(crate) fn stats(&self, query: &StatsQuery) -> Result<Stats, StoreError> {
        let (parts, as_of) = self.read_as_of("rows", |view| {
            let mut statement = view.prepare_cached(
                "SELECT closed_at, asked_at, outcome, agent, matter FROM asks INDEXED BY asks_closed_at
                 WHERE closed IS NOT NULL AND erased = 0 AND closed_at >= ?1 AND closed_at < ?2
                 ORDER BY closed_at DESC LIMIT ?3",
            )?;
            let span = (number(query.from.as_millis()), number(query.to.as_millis()), COUNTED_MAX);
            let mut found = statement.query(span)?;
            let mut parts = BTreeMap::<u64, Part>::new();
            while let Some(row) = found.next()? {
                let (closed_at, asked_at) = (unsigned(row, 0)?, unsigned(row, 1)?);
                let key = match query.by {
                    StatsSplit::Day => closed_at / DAY_MS,
                    StatsSplit::Agent => unsigned(row, 3)?,
                    StatsSplit::Matter => unsigned(row, 4)?,
                };
                let part = parts.entry(key).or_default();
                let how = word::outcome_from(row.get(2)?);
                for (count, kind) in part.ended.iter_mut().zip(OutcomeKind::ALL) {
                    *count += u64::from(kind == how);
                }
                part.spans_ms.push(closed_at.saturating_sub(asked_at));
            }
            Ok(parts)
        })?;
        let rows = parts
            .into_iter()
            .map(|(key, part)| stats_row(query.by, key, part))
            .collect();
        Ok(Stats { rows, as_of })
    }
}

fn stats_row(by: StatsSplit, key: u64, mut part: Part) -> StatsRow {
    part.spans_ms.sort_unstable();
    let mut ended = OutcomeKind::ALL.map(|kind| (kind, 0));
    for (row, count) in ended.iter_mut().zip(part.ended) {
        row.1 = count;
    }
    StatsRow {
        part: match by {
            StatsSplit::Day => day(key),
            StatsSplit::Agent => AgentId(u32::try_from(key).unwrap_or_default()).to_string(),
            StatsSplit::Matter => word::matter_from(key.cast_signed()).word().to_owned(),
        },
        ended,
        median_ms: rank(&part.spans_ms, 50),
        p90_ms: rank(&part.spans_ms, 90),
    }
}

/// The smallest value that this share of all values does not exceed.
fn rank(sorted: &[u64], percent: usize) -> u64 {
    let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
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
        assert_eq!([rank(&[], 50), rank(&[7], 50), rank(&[7], 90)], [0, 7, 7]);
        let ten: Vec<u64> = (1..=10).collect();
        assert_eq!([rank(&ten, 50), rank(&ten, 90)], [5, 9]);
    }
}
