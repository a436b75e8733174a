//! A backup: one view of the journal, written to a file while nodes go on.

use std::path::Path;

use sayso_store::StoreError;
use sayso_store_sql::sql::Sql;
use sayso_store_sql::transfer::{BackupFile, NewBackupFile, copy_beside, copy_rows};
use sayso_store_sql::values;

use super::{failing, within};
use crate::fault;
use crate::sql::PgSql;
use crate::store::ONE_VIEW;

/// Writes a backup to a new file.
pub(crate) fn write_backup(
    sql: &PgSql,
    new_backup: Option<NewBackupFile>,
    to: &Path,
) -> Result<(), StoreError> {
    let new_backup = new_backup.ok_or_else(|| {
        fault::unusable(
            "this program writes no backup files",
            "run `sayso backup --store URL FILE`",
        )
    })?;
    let file = new_backup(to)?;
    match copy(sql, &*file) {
        Ok(level) => file.finish(level),
        Err(error) => {
            file.give_up();
            Err(error)
        }
    }
}

/// Copies one view, and says which level it needs.
fn copy(sql: &PgSql, file: &dyn BackupFile) -> Result<u32, StoreError> {
    within(sql, ONE_VIEW, || {
        // A slow disk may keep it from reading on for a while.
        failing(
            sql,
            sql.batch("SET LOCAL idle_in_transaction_session_timeout = '10min'"),
        )?;
        let level = (sql as &dyn Sql).first("SELECT level FROM meta", values![], |row| row.get(0));
        let level = failing(sql, level)?.unwrap_or(1);
        copy_rows(sql, file, &mut |_| {})?;
        copy_beside(sql, file)?;
        Ok(level)
    })
}
