//! Projections thrown away and made again, beside nodes that go on.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use sayso_store::{Head, StoreError};
use sayso_store_sql::sql::Sql as _;
use sayso_store_sql::views::ViewError;

use crate::fault;
use crate::projector::{self, ProjectorMemory, ViewsLeft};
use crate::settings::PostgresSettings;
use crate::snapshot;
use crate::sql::PgSql;
use crate::store::{PostgresStore, viewed};

/// Throws the projections away and makes them again from the journal, text and all.
pub fn rebuild(settings: PostgresSettings) -> Result<Head, StoreError> {
    let store = PostgresStore::open(settings)?;
    let inner = Arc::clone(&store.inner);
    let (told, hears) = mpsc::channel();
    store.inner.runtime.spawn_blocking(move || {
        let sql = PgSql::take(&inner.runtime, &inner.pool);
        let done = sql.and_then(|sql| {
            sql.within("", |sql| {
                sql.run(
                    "SELECT seq FROM progress WHERE stage = 'rows' FOR UPDATE",
                    &[],
                )?;
                projector::clear(sql)
            })
            .map_err(viewed)?;
            let mut memory = ProjectorMemory::default();
            loop {
                let left = projector::step(&inner, &sql, &mut memory);
                match left.map_err(ViewError::into_store)?.0 {
                    ViewsLeft::Nothing => return snapshot::read(&inner, &sql, &mut |_| {}),
                    ViewsLeft::Others => std::thread::sleep(Duration::from_millis(20)),
                    ViewsLeft::More => {}
                }
            }
        });
        // Whoever asked may be gone.
        drop(told.send(done));
    });
    let gone = |_| fault::later("the rebuild was given up");
    hears.recv().map_err(gone)?
}
