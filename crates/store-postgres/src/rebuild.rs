//! Projections thrown away and made again, beside nodes that go on.

use std::sync::{Arc, mpsc};

use sayso_store::{Head, StoreError};
use sayso_store_sql::sql::Sql as _;
use sayso_store_sql::views::ViewError;

use crate::fault;
use crate::projector::{self, ProjectorMemory};
use crate::settings::PostgresSettings;
use crate::snapshot;
use crate::sql::PgSql;
use crate::store::PostgresStore;

/// Throws the projections away and makes them again from the journal, text and all.
pub fn rebuild(settings: PostgresSettings) -> Result<Head, StoreError> {
    let store = PostgresStore::open(settings)?;
    let inner = Arc::clone(&store.inner);
    let (told, hears) = mpsc::channel();
    store.inner.runtime.spawn_blocking(move || {
        let sql = PgSql::take(&inner.runtime, &inner.pool);
        let done = sql.and_then(|sql| {
            let made = sql.within("", |sql| {
                sql.run(
                    "SELECT seq FROM progress WHERE stage = 'rows' FOR UPDATE",
                    &[],
                )?;
                projector::make_again(&inner, sql, &mut ProjectorMemory::default())
            });
            let progress = made.map_err(ViewError::into_store)?;
            inner.saw_views(progress.rows);
            snapshot::read(&inner, &sql, &mut |_| {})
        });
        // Whoever asked may be gone.
        drop(told.send(done));
    });
    let gone = |_| fault::later("the rebuild was aborted");
    hears.recv().map_err(gone)?
}
