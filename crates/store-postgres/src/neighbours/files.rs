//! Files of agents, in pieces that fit a row.

use std::sync::Arc;

use sayso_core::id::TokenId;
use sayso_store::{Later, MakeRoom, SharedFile, SharedFileRow, SharedFiles, StoreError};
use tokio_postgres::{Client, GenericClient};

use crate::fault;
use crate::inner::PgInner;
use crate::journal::value;
use crate::sql::pooled;

/// Bytes in one row.
const PART_BYTES: usize = 256 * 1024;

/// Files in the database.
#[derive(Debug)]
pub(super) struct PgFiles(pub(super) Arc<PgInner>);

impl SharedFiles for PgFiles {
    fn keep(&self, file: SharedFile, room: MakeRoom) -> Later<'_, bool> {
        let inner = Arc::clone(&self.0);
        self.0.on(async move {
            let mut client = pooled(&inner.pool).await?;
            // It rolls back when this is given up, wherever that is.
            let work = client.transaction().await.map_err(fault::journal)?;
            put(&*work, &file).await?;
            // Only now, so that nobody waits while a long file comes in.
            let lock = inner.target.settings.seat_lock("files");
            work.query("SELECT pg_advisory_xact_lock($1)", &[&lock])
                .await
                .map_err(fault::journal)?;
            let others = all(&*work).await?;
            let others = others.into_iter().filter(|row| row.id != file.id);
            let Some(gone) = room(others.collect()) else {
                return Ok(false);
            };
            remove(&*work, &gone).await?;
            work.commit().await.map_err(fault::journal)?;
            Ok(true)
        })
    }

    fn read<'a>(&'a self, id: &'a str) -> Later<'a, Option<(String, Vec<u8>)>> {
        let (inner, id) = (Arc::clone(&self.0), id.to_owned());
        self.0.on(async move {
            let client = pooled(&inner.pool).await?;
            read(&client, &id).await
        })
    }
}

/// What was said about a file, and what is in it.
pub(crate) async fn read(
    client: &Client,
    id: &str,
) -> Result<Option<(String, Vec<u8>)>, StoreError> {
    let sql = "SELECT f.about, f.bytes, p.bytes
               FROM file f LEFT JOIN file_part p ON p.id = f.id
               WHERE f.id = $1 ORDER BY p.part";
    let rows = client.query(sql, &[&id]).await.map_err(fault::journal)?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let about: String = first.try_get(0).map_err(fault::journal)?;
    let whole: u64 = value(first, 1)?;
    let mut content = Vec::new();
    for row in &rows {
        let part: Option<Vec<u8>> = row.try_get(2).map_err(fault::journal)?;
        content.extend(part.unwrap_or_default());
    }
    Ok((content.len() as u64 == whole).then_some((about, content)))
}

/// Which files there are, oldest first.
pub(crate) async fn all(client: &impl GenericClient) -> Result<Vec<SharedFileRow>, StoreError> {
    let sql = "SELECT id, bytes, owner FROM file ORDER BY number";
    let rows = client.query(sql, &[]).await.map_err(fault::journal)?;
    rows.iter()
        .map(|row| {
            Ok(SharedFileRow {
                id: row.try_get(0).map_err(fault::journal)?,
                bytes: value(row, 1)?,
                owner: Some(TokenId(value(row, 2)?)),
            })
        })
        .collect()
}

/// Removes files, pieces and all.
pub(crate) async fn remove(client: &impl GenericClient, ids: &[String]) -> Result<(), StoreError> {
    let sql = "DELETE FROM file WHERE id = ANY($1)";
    let done = client.execute(sql, &[&ids]).await;
    done.map(|_| ()).map_err(fault::journal)
}

/// Writes a file in a transaction that has begun.
pub(crate) async fn put(client: &impl GenericClient, file: &SharedFile) -> Result<(), StoreError> {
    let (owner, bytes) = (
        i64::from(file.owner.0),
        i64::try_from(file.content.len()).unwrap_or(i64::MAX),
    );
    let sql = "INSERT INTO file (id, owner, bytes, about) VALUES ($1, $2, $3, $4)";
    let kept = client
        .execute(sql, &[&file.id, &owner, &bytes, &file.about])
        .await;
    kept.map_err(fault::journal)?;
    let sql = "INSERT INTO file_part (id, part, bytes) VALUES ($1, $2, $3)";
    let statement = client.prepare(sql).await.map_err(fault::journal)?;
    for (part, number) in file.content.chunks(PART_BYTES).zip(0_i32..) {
        let put = client
            .execute(&statement, &[&file.id, &number, &part])
            .await;
        put.map_err(fault::journal)?;
    }
    Ok(())
}
