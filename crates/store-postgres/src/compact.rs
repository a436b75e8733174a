//! Space that erasing freed: PostgreSQL gives it back by itself, a vacuum does at once.

use sayso_store::{Compact, Compacted, StoreError};
use sayso_store_sql::sql::Sql;
use sayso_store_sql::values;
use sayso_store_sql::views::ViewError;

use crate::old_views::drop_old_views;
use crate::settings::PostgresSettings;
use crate::sql::PgSql;

/// The tables that erasing makes holes in.
const TABLES: &str = "body, sealed, asks, entries, shown, denied, asks_text";

/// Vacuums the tables that erasing makes holes in. When it is worth it, PostgreSQL decides itself.
pub(crate) fn compact(
    sql: &PgSql,
    settings: &PostgresSettings,
    when: Compact,
) -> Result<Compacted, StoreError> {
    let failed = |error| ViewError::Views(error).into_store();
    let before = bytes(sql).map_err(failed)?;
    drop_old_views(sql, settings).map_err(failed)?;
    match when {
        Compact::All => sql
            .batch(&format!("VACUUM (TRUNCATE) {TABLES}"))
            .map_err(failed)?,
        Compact::WhenWorthIt => {}
    }
    Ok(Compacted {
        before,
        after: bytes(sql).map_err(failed)?,
        held: 0,
        stuck: 0,
    })
}

fn bytes(sql: &PgSql) -> sayso_store_sql::sql::SqlResult<u64> {
    let size = "SELECT sum(pg_total_relation_size(c.oid))::int8 FROM pg_catalog.pg_class c
         WHERE c.relnamespace = ANY (SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = ANY (current_schemas(false)))
         AND c.relkind = 'r'";
    let found = (sql as &dyn Sql).first(size, values![], |row| row.get::<Option<u64>>(0))?;
    Ok(found.flatten().unwrap_or_default())
}
