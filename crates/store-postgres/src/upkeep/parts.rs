//! What belongs to a state beside its journal, for a state that moves: small records and files.

use sayso_store::{SharedFile, SharedFileRow, ShelfRow, StoreError};
use tokio_postgres::Client;

use super::{PostgresJournal, within};
use crate::fault;
use crate::neighbours::{files, shelf};

impl PostgresJournal {
    /// Everything on a shelf, by its keys.
    pub fn shelf(&self, name: &str) -> Result<Vec<ShelfRow>, StoreError> {
        let sql = "SELECT key, bytes FROM shelf WHERE shelf = $1 ORDER BY key";
        let rows = self
            .runtime
            .block_on(self.sql.client().query(sql, &[&name]));
        let rows = rows.map_err(fault::journal)?;
        rows.iter()
            .map(|row| {
                let key: String = row.try_get(0).map_err(fault::journal)?;
                let bytes: Vec<u8> = row.try_get(1).map_err(fault::journal)?;
                let bytes = shelf::opened(&self.sealer, name, &key, &bytes)?;
                Ok(ShelfRow { key, bytes })
            })
            .collect()
    }

    /// Has a shelf hold these records and no others.
    pub fn fill_shelf(&self, name: &str, rows: &[ShelfRow]) -> Result<(), StoreError> {
        within(&self.sql, "", || {
            let client = self.sql.client();
            self.runtime.block_on(async {
                let clear = "DELETE FROM shelf WHERE shelf = $1";
                let cleared = client.execute(clear, &[&name]).await;
                cleared.map_err(fault::journal)?;
                for row in rows {
                    let bytes = shelf::sealed(&self.sealer, name, row)?;
                    let sql = "INSERT INTO shelf (shelf, key, bytes) VALUES ($1, $2, $3)";
                    let put = client.execute(sql, &[&name, &row.key, &bytes]).await;
                    put.map_err(fault::journal)?;
                }
                Ok(())
            })
        })
    }

    /// Which files there are, oldest first.
    pub fn files(&self) -> Result<Vec<SharedFileRow>, StoreError> {
        let client: &Client = self.sql.client();
        self.runtime.block_on(files::all(client))
    }

    /// What was said about a file, and what is in it.
    pub fn file(&self, id: &str) -> Result<Option<(String, Vec<u8>)>, StoreError> {
        self.runtime.block_on(files::read(self.sql.client(), id))
    }

    /// Puts a file behind those that are there, or again in its place.
    pub fn put_file(&self, file: SharedFile) -> Result<(), StoreError> {
        within(&self.sql, "", || {
            let client: &Client = self.sql.client();
            self.runtime.block_on(async {
                files::remove(client, std::slice::from_ref(&file.id)).await?;
                files::put(client, &file).await
            })
        })
    }

    /// Removes every file.
    pub fn clear_files(&self) -> Result<(), StoreError> {
        self.run("DELETE FROM file")
    }
}
