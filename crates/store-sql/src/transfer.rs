//! A journal on its way from one database to another: rows as they are, a piece at a time, and what lies
//! beside them. Places, hashes and sealed secrets stay what they were.
//!
//! A copy that was cut off goes on where it ended. Nothing here says which of the two is alive: whoever
//! moves a journal does.

use std::path::Path;

use sayso_core::id::Seq;
use sayso_store::StoreError;

use crate::journal::{End, JournalRow, JournalRows as _, SqlJournal, hash_at, last_row, last_seq};
use crate::sql::{Sql, SqlResult, number};
use crate::values;

/// Rows of one piece.
const ROWS: usize = 10_000;

/// Where a journal is copied to.
pub trait JournalTarget {
    /// What is there, to be read.
    fn sql(&self) -> &dyn Sql;

    /// Puts rows behind those that are there: all of them, durably, or none.
    fn put(&self, rows: &[JournalRow]) -> Result<(), StoreError>;

    /// Changes what lies beside the rows, in one transaction.
    fn within(&self, work: &mut dyn FnMut(&dyn Sql) -> SqlResult<()>) -> Result<(), StoreError>;
}

/// A backup that is being written, in the one format there is.
pub trait BackupFile: JournalTarget {
    /// Gives the file its name. A build of this level reads it.
    fn finish(self: Box<Self>, level: u32) -> Result<(), StoreError>;

    /// Removes what there is of it.
    fn give_up(self: Box<Self>);
}

/// Begins a backup in a new file.
pub type NewBackupFile = fn(&Path) -> Result<Box<dyn BackupFile>, StoreError>;

/// Copies the rows that the target has not got yet, and says where it ends then. `told` hears of every
/// piece that is durable.
pub fn copy_rows(
    source: &dyn Sql,
    target: &dyn JournalTarget,
    told: &mut dyn FnMut(Seq),
) -> Result<End, StoreError> {
    let mut end = begun(source, target)?;
    loop {
        let rows = SqlJournal(source).rows_after(end.seq, ROWS)?;
        if rows.is_empty() {
            return Ok(end);
        }
        target.put(&rows)?;
        end = End::of(rows.last());
        told(end.seq);
    }
}

/// Where an earlier copy ended. It must have been one of the same journal.
pub fn begun(source: &dyn Sql, target: &dyn JournalTarget) -> Result<End, StoreError> {
    let there = End::of(last_row(SqlJournal(target.sql()))?.as_ref());
    if there.seq > Seq::ZERO && hash_at(SqlJournal(source), there.seq)? != Some(there.hash) {
        return Err(StoreError::Unusable {
            what: "the target holds another journal".to_owned(),
            detail: format!(
                "its event {} is not the one that was written here. Name an empty target",
                there.seq
            ),
        });
    }
    Ok(there)
}

/// Copies what lies beside the rows: sealed secrets, when tokens were used, and which entries are known to
/// be damaged. What an earlier copy left there is replaced.
pub fn copy_beside(source: &dyn Sql, target: &dyn JournalTarget) -> Result<(), StoreError> {
    target.within(&mut |to| {
        for clear in [
            "DELETE FROM sealed",
            "DELETE FROM used",
            "DELETE FROM damage",
        ] {
            to.run(clear, values![])?;
        }
        let sealed = "SELECT opened, seq, gap, bytes FROM sealed ORDER BY opened, seq, gap";
        source.rows(sealed, values![], &mut |row| {
            let values = [row.value(0)?, row.value(1)?, row.value(2)?, row.value(3)?];
            to.run(
                "INSERT INTO sealed (opened, seq, gap, bytes) VALUES (?1, ?2, ?3, ?4)",
                &values,
            )?;
            Ok(true)
        })?;
        let used = "SELECT token, at FROM used ORDER BY token";
        source.rows(used, values![], &mut |row| {
            let values = [row.value(0)?, row.value(1)?];
            to.run("INSERT INTO used (token, at) VALUES (?1, ?2)", &values)?;
            Ok(true)
        })?;
        let damage = "SELECT seq, kind, ask, noticed, what FROM damage ORDER BY seq";
        source.rows(damage, values![], &mut |row| {
            // Text in the one database, bytes in the other.
            let what: String = row.get(4)?;
            let values = [
                row.value(0)?,
                row.value(1)?,
                row.value(2)?,
                row.value(3)?,
                what.as_str().into(),
            ];
            to.run(
                "INSERT INTO damage (seq, kind, ask, noticed, what) VALUES (?1, ?2, ?3, ?4, ?5)",
                &values,
            )?;
            Ok(true)
        })
    })
}

/// Holds every row of the target against the source, byte for byte, and says where both end. Text that
/// was erased in the source after it was copied is erased in the target, too.
pub fn compare(
    source: &dyn Sql,
    target: &dyn JournalTarget,
    told: &mut dyn FnMut(Seq),
) -> Result<End, StoreError> {
    let mut end = End::of(None);
    loop {
        let wanted = SqlJournal(source).rows_after(end.seq, ROWS)?;
        if wanted.is_empty() {
            let last = last_seq(SqlJournal(target.sql()))?;
            return if last == end.seq {
                Ok(end)
            } else {
                Err(differs(last))
            };
        }
        let found = SqlJournal(target.sql()).rows_after(end.seq, wanted.len())?;
        let mut erased = Vec::new();
        for (wanted, found) in wanted.iter().zip(&found) {
            let is_same = (wanted.seq, &wanted.header) == (found.seq, &found.header);
            if is_same && wanted.body.is_none() && found.body.is_some() {
                erased.push(found.seq);
            } else if !is_same || wanted.body != found.body {
                return Err(differs(wanted.seq));
            }
        }
        if found.is_empty() {
            return Err(differs(end.seq.next()));
        }
        if !erased.is_empty() {
            target.within(&mut |to| {
                erased.iter().try_for_each(|seq| {
                    to.run("DELETE FROM body WHERE seq = ?1", values![number(seq.0)])
                })
            })?;
        }
        // Long texts may have cut the one piece earlier than the other.
        let both = wanted.len().min(found.len());
        end = End::of(wanted.get(both - 1));
        told(end.seq);
    }
}

fn differs(seq: Seq) -> StoreError {
    StoreError::Unusable {
        what: format!("event {seq} is not the same in the target"),
        detail: "the copy is not used. Remove it, or name an empty target".to_owned(),
    }
}
