//! Small sealed records.

use std::sync::Arc;

use sayso_store::{Later, NodeWord, SharedShelf, ShelfRow, StoreError};
use sayso_store_sql::seal::Sealer;

use crate::fault;
use crate::inner::PgInner;
use crate::sql::pooled;

/// Records in the database.
#[derive(Debug)]
pub(super) struct PgShelf(pub(super) Arc<PgInner>);

/// What a record is sealed under: it opens only where it was put.
fn label(shelf: &str, key: &str) -> Vec<u8> {
    format!("sayso shelf {shelf}\0{key}").into_bytes()
}

/// A record as it is kept.
pub(crate) fn sealed(sealer: &Sealer, shelf: &str, row: &ShelfRow) -> Result<Vec<u8>, StoreError> {
    sealer.seal_bytes(&label(shelf, &row.key), &row.bytes)
}

/// What is in a record that is kept.
pub(crate) fn opened(
    sealer: &Sealer,
    shelf: &str,
    key: &str,
    bytes: &[u8],
) -> Result<Vec<u8>, StoreError> {
    let opened = sealer.open_bytes(&label(shelf, key), bytes);
    opened.ok_or_else(|| {
        fault::unusable(
            format!("the record {key} in {shelf} can't be decrypted"),
            "it was changed in the database, or sealed with another key",
        )
    })
}

impl PgShelf {
    /// Tells the other nodes to look again.
    fn changed(inner: &PgInner, shelf: String) {
        inner.bus.say(&NodeWord::ShelfChanged { shelf });
    }
}

impl SharedShelf for PgShelf {
    fn rows<'a>(&'a self, name: &'a str) -> Later<'a, Vec<ShelfRow>> {
        let (inner, name) = (Arc::clone(&self.0), name.to_owned());
        self.0.on(async move {
            let client = pooled(&inner.pool).await?;
            let sql = "SELECT key, bytes FROM shelf WHERE shelf = $1 ORDER BY key";
            let rows = client.query(sql, &[&name]).await.map_err(fault::journal)?;
            rows.iter()
                .map(|row| {
                    let key: String = row.try_get(0).map_err(fault::journal)?;
                    let bytes: Vec<u8> = row.try_get(1).map_err(fault::journal)?;
                    let bytes = opened(&inner.sealer, &name, &key, &bytes)?;
                    Ok(ShelfRow { key, bytes })
                })
                .collect()
        })
    }

    fn put<'a>(&'a self, name: &'a str, row: ShelfRow) -> Later<'a, ()> {
        let (inner, name) = (Arc::clone(&self.0), name.to_owned());
        self.0.on(async move {
            let bytes = sealed(&inner.sealer, &name, &row)?;
            let client = pooled(&inner.pool).await?;
            let sql = "INSERT INTO shelf (shelf, key, bytes) VALUES ($1, $2, $3)
                       ON CONFLICT (shelf, key) DO UPDATE SET bytes = excluded.bytes";
            let put = client.execute(sql, &[&name, &row.key, &bytes]).await;
            put.map_err(fault::journal)?;
            Self::changed(&inner, name);
            Ok(())
        })
    }

    fn put_first<'a>(&'a self, name: &'a str, row: ShelfRow) -> Later<'a, Vec<u8>> {
        let (inner, name) = (Arc::clone(&self.0), name.to_owned());
        self.0.on(async move {
            let bytes = sealed(&inner.sealer, &name, &row)?;
            let client = pooled(&inner.pool).await?;
            let sql =
                "INSERT INTO shelf (shelf, key, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            let put = client.execute(sql, &[&name, &row.key, &bytes]).await;
            put.map_err(fault::journal)?;
            let sql = "SELECT bytes FROM shelf WHERE shelf = $1 AND key = $2";
            let found = client.query_one(sql, &[&name, &row.key]).await;
            let found: Vec<u8> = found
                .and_then(|found| found.try_get(0))
                .map_err(fault::journal)?;
            opened(&inner.sealer, &name, &row.key, &found)
        })
    }

    fn remove<'a>(&'a self, name: &'a str, keys: Vec<String>) -> Later<'a, ()> {
        let (inner, name) = (Arc::clone(&self.0), name.to_owned());
        self.0.on(async move {
            let client = pooled(&inner.pool).await?;
            let sql = "DELETE FROM shelf WHERE shelf = $1 AND key = ANY($2)";
            let done = client.execute(sql, &[&name, &keys]).await;
            done.map_err(fault::journal)?;
            Self::changed(&inner, name);
            Ok(())
        })
    }
}
