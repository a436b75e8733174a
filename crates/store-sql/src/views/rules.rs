//! Rules in the projections: as they were made, whether they were taken back, and what each has done.

use std::sync::Arc;

use sayso_core::id::{RuleId, Seq};
use sayso_core::journal::Event;
use sayso_core::policy::{Rule, Says};
use sayso_core::state::{RuleEntry, SnapshotPart};
use sayso_core::time::Time;
use sayso_store::{Kind, record};

use crate::sql::{Sql, SqlError, SqlResult, maybe_moment, number};
use crate::values;

/// Keeps a rule as its row of the journal, so that there is one way to read it.
pub(crate) fn made(connection: &dyn Sql, seq: Seq, rule: RuleId, event: &Event) -> SqlResult<()> {
    let mut body = Vec::new();
    record::write(event, &mut body).map_err(SqlError::damaged)?;
    connection.run(
        "INSERT INTO rules (rule, body, made) VALUES (?1, ?2, ?3)
         ON CONFLICT (rule) DO UPDATE SET body = ?2, made = ?3, revoked = 0",
        values![rule.0, body.as_slice(), number(seq.0)],
    )
}

/// Switches off every rule made up to here that does not deny: a rule that denied, or a revocation, was
/// lost.
pub(crate) fn switch_off(connection: &dyn Sql, until: Seq) -> SqlResult<()> {
    connection.run(
        "UPDATE progress SET seq = ?1 WHERE stage = 'rules_off' AND seq < ?1",
        values![number(until.0)],
    )
}

pub(crate) fn revoked(connection: &dyn Sql, rule: RuleId) -> SqlResult<()> {
    connection.run(
        "UPDATE rules SET revoked = 1 WHERE rule = ?1",
        values![rule.0],
    )
}

pub(crate) fn used(connection: &dyn Sql, rule: RuleId, at: Time) -> SqlResult<()> {
    connection.run(
        "UPDATE rules SET hits = hits + 1, last_used = ?2 WHERE rule = ?1",
        values![rule.0, number(at.as_millis())],
    )
}

/// Tells the rules that were not taken back, and which ids were given.
pub(crate) fn recover(
    view: &dyn Sql,
    take: &mut (dyn FnMut(SnapshotPart) + Send),
) -> SqlResult<()> {
    let off: i64 = view
        .first(
            "SELECT seq FROM progress WHERE stage = 'rules_off'",
            values![],
            |row| row.get(0),
        )?
        .unwrap_or_default();
    let sql = "SELECT body, hits, last_used, made FROM rules WHERE revoked = 0 ORDER BY rule";
    view.rows(sql, values![], &mut |row| {
        let rule = read(&row.get::<Vec<u8>>(0)?)?;
        if row.get::<i64>(3)? <= off && !matches!(rule.says, Says::Deny(_)) {
            tracing::warn!(
                rule = rule.id.0,
                "a rule is off because another entry about rules can't be read; make it again"
            );
            return Ok(true);
        }
        take(SnapshotPart::Rule(RuleEntry {
            rule,
            hits: row.get(1)?,
            last_used: maybe_moment(row, 2)?,
        }));
        Ok(true)
    })?;
    let last = view.first("SELECT max(rule) FROM rules", values![], |row| {
        row.get::<Option<u32>>(0)
    })?;
    if let Some(last) = last.flatten() {
        take(SnapshotPart::LastRule(RuleId(last)));
    }
    Ok(())
}

fn read(body: &[u8]) -> SqlResult<Arc<Rule>> {
    match record::read(Kind::RuleMade, None, body, &mut |_| None) {
        Ok(Event::RuleMade(rule)) => Ok(rule),
        Ok(_) => Err(SqlError::damaged("not a rule")),
        Err(error) => Err(SqlError::damaged(error)),
    }
}
