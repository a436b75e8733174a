//! Rules in the projections: as they were made, whether they were taken back, and what each has done.

use std::sync::Arc;

use rusqlite::Connection;
use sayso_core::id::{RuleId, Seq};
use sayso_core::journal::Event;
use sayso_core::policy::{Rule, Says};
use sayso_core::state::{RuleEntry, SnapshotPart};
use sayso_core::time::Time;
use sayso_store::{Kind, record};

use super::lookup::{maybe_unsigned, unsigned};
use super::rows::run;
use crate::journal::number;

/// Keeps a rule as its row of the journal, so that there is one way to read it.
pub(super) fn made(
    connection: &Connection,
    seq: Seq,
    rule: RuleId,
    event: &Event,
) -> rusqlite::Result<()> {
    let mut body = Vec::new();
    record::write(event, &mut body)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    run(
        connection,
        "INSERT INTO rules (rule, body, made) VALUES (?1, ?2, ?3)
         ON CONFLICT (rule) DO UPDATE SET body = ?2, made = ?3, revoked = 0",
        (rule.0, body, number(seq.0)),
    )
}

/// Switches off every rule made up to here that does not deny: a rule that denied, or a revocation, was
/// lost.
pub(super) fn switch_off(connection: &Connection, until: Seq) -> rusqlite::Result<()> {
    run(
        connection,
        "UPDATE progress SET seq = max(seq, ?1) WHERE stage = 'rules_off'",
        [number(until.0)],
    )
}

pub(super) fn revoked(connection: &Connection, rule: RuleId) -> rusqlite::Result<()> {
    run(
        connection,
        "UPDATE rules SET revoked = 1 WHERE rule = ?1",
        [rule.0],
    )
}

pub(super) fn used(connection: &Connection, rule: RuleId, at: Time) -> rusqlite::Result<()> {
    run(
        connection,
        "UPDATE rules SET hits = hits + 1, last_used = ?2 WHERE rule = ?1",
        (rule.0, number(at.as_millis())),
    )
}

/// Tells the rules that were not taken back, and which ids were given.
pub(super) fn recover(
    view: &Connection,
    take: &mut (dyn FnMut(SnapshotPart) + Send),
) -> rusqlite::Result<()> {
    let mut statement = view
        .prepare("SELECT body, hits, last_used, made FROM rules WHERE revoked = 0 ORDER BY rule")?;
    let off: i64 = view.query_row(
        "SELECT seq FROM progress WHERE stage = 'rules_off'",
        [],
        |row| row.get(0),
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let body: Vec<u8> = row.get(0)?;
        let rule = read(&body)?;
        if row.get::<_, i64>(3)? <= off && !matches!(rule.says, Says::Deny(_)) {
            tracing::warn!(
                rule = rule.id.0,
                "a rule is off because another entry about rules cannot be read; make it again"
            );
            continue;
        }
        take(SnapshotPart::Rule(RuleEntry {
            rule,
            hits: unsigned(row, 1)?,
            last_used: maybe_unsigned(row, 2)?.map(Time::from_millis),
        }));
    }
    let last: Option<u32> = view.query_row("SELECT max(rule) FROM rules", [], |row| row.get(0))?;
    if let Some(last) = last {
        take(SnapshotPart::LastRule(RuleId(last)));
    }
    Ok(())
}

fn read(body: &[u8]) -> rusqlite::Result<Arc<Rule>> {
    let bad = |error: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Blob, error)
    };
    match record::read(Kind::RuleMade, None, body, &mut |_| None) {
        Ok(Event::RuleMade(rule)) => Ok(rule),
        Ok(_) => Err(bad("not a rule".into())),
        Err(error) => Err(bad(Box::new(error))),
    }
}
