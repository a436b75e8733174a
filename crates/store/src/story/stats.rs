//! Counting asks that ended: how, by whom, and how long they took.

use std::sync::Arc;

use sayso_core::id::{AgentId, RuleId};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Outcome, OutcomeKind};
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, commit, recover};
use crate::{Stats, StatsQuery, StatsRow, StatsSplit, Store};

const DAY: u64 = 24 * 3600 * 1000;
/// 2026-11-15.
const FIRST: u64 = 20_772 * DAY;

/// Statistics count every end once and know how long asks took.
pub async fn statistics_add_up<S: Store>(mut open: impl FnMut() -> S) {
    {
        let store = begin(&mut open).await;
        live(&store).await;
    }
    let store = open();
    let head = recover(&store).await.1.seq;
    for (query, rows) in cases() {
        assert_eq!(
            store.stats(&query).await.unwrap(),
            Stats { rows, as_of: head },
            "{query:?}"
        );
    }
}

/// Thirteen asks, of which each took as many seconds as its number says.
async fn live<S: Store>(store: &S) {
    for n in 1..=13_u64 {
        let mut ask = sample::ask(
            n,
            match n {
                1..=9 => sample::question("?"),
                10 => sample::form(),
                _ => sample::approval("Bash", "{}"),
            },
        );
        ask.agent = AgentId(if n <= 8 { 7 } else { 11 });
        let asked_at = FIRST + if n <= 6 { 0 } else { DAY };
        ask.asked_at = Time::from_millis(asked_at);
        let outcome = match n {
            1..=5 => Outcome::Answered(sample::replies()),
            6 | 7 => sample::dismissed(),
            8 => Outcome::Expired,
            9 | 10 => Outcome::Withdrawn { note: None },
            12 => Outcome::Answered(sample::deny()),
            _ => Outcome::Answered(sample::allow()),
        };
        let id = ask.id;
        let opened = commit(store, asked_at, vec![Event::Asked(Arc::new(ask))])
            .await
            .into_iter()
            .next()
            .unwrap();
        let mut closing = (*sample::closing(outcome, asked_at + n * 1000)).clone();
        if n == 13 {
            closing.by = Closer::Rule {
                rule: RuleId(1),
                version: 1,
                also: Vec::new(),
            };
        }
        commit(
            store,
            asked_at + n * 1000,
            vec![sample::closed(id, opened, Arc::new(closing))],
        )
        .await;
    }
}

fn row(
    part: &str,
    counts: [u64; 4],
    said: [u64; 3],
    waited_s: u64,
    took_s: Option<[u64; 2]>,
) -> StatsRow {
    let mut ended = OutcomeKind::ALL.map(|kind| (kind, 0));
    for (end, count) in ended.iter_mut().zip(counts) {
        end.1 = count;
    }
    let [by_rule, allowed, denied] = said;
    StatsRow {
        part: part.to_owned(),
        ended,
        by_rule,
        allowed,
        denied,
        waited_ms: waited_s * 1000,
        median_ms: took_s.map(|[median, _]| median * 1000),
        p90_ms: took_s.map(|[_, p90]| p90 * 1000),
    }
}

fn cases() -> Vec<(StatsQuery, Vec<StatsRow>)> {
    let by = |by, from, to| StatsQuery {
        from: Time::from_millis(from),
        to: Time::from_millis(to),
        agent: None,
        ahead_min: 0,
        by,
    };
    let whole = |split| by(split, 0, u64::MAX);
    let none = [0; 3];
    vec![
        (
            whole(StatsSplit::Day),
            vec![
                row("2026-11-15", [5, 1, 0, 0], none, 21, Some([3, 5])),
                row("2026-11-16", [3, 1, 1, 2], [1, 1, 1], 57, Some([11, 12])),
            ],
        ),
        (
            StatsQuery {
                ahead_min: -1440,
                ..whole(StatsSplit::Day)
            },
            vec![
                row("2026-11-14", [5, 1, 0, 0], none, 21, Some([3, 5])),
                row("2026-11-15", [3, 1, 1, 2], [1, 1, 1], 57, Some([11, 12])),
            ],
        ),
        (
            StatsQuery {
                ahead_min: 90,
                ..whole(StatsSplit::Hour)
            },
            vec![row("01", [8, 2, 1, 2], [1, 1, 1], 78, Some([4, 12]))],
        ),
        (
            whole(StatsSplit::All),
            vec![row("all", [8, 2, 1, 2], [1, 1, 1], 78, Some([4, 12]))],
        ),
        (
            whole(StatsSplit::Agent),
            vec![
                row("ag_7", [5, 2, 1, 0], none, 36, Some([3, 5])),
                row("ag_11", [3, 0, 0, 2], [1, 1, 1], 42, Some([11, 12])),
            ],
        ),
        (
            StatsQuery {
                agent: Some(AgentId(11)),
                ..whole(StatsSplit::Matter)
            },
            vec![
                row("questions", [0, 0, 0, 1], none, 9, None),
                row("approval", [3, 0, 0, 0], [1, 1, 1], 23, Some([11, 12])),
                row("form", [0, 0, 0, 1], none, 10, None),
            ],
        ),
        (
            whole(StatsSplit::Tool),
            vec![row("Bash", [3, 0, 0, 0], [1, 1, 1], 23, Some([11, 12]))],
        ),
        (
            by(StatsSplit::Matter, FIRST + 2000, FIRST + 4000),
            vec![row("questions", [2, 0, 0, 0], none, 5, Some([2, 3]))],
        ),
        (by(StatsSplit::Day, 0, FIRST), Vec::new()),
    ]
}
