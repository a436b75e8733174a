//! Rows that a command writes: those of another journal as they are, and entries of its own.

use std::collections::BTreeMap;

use sayso_store::{JournalEntry, StoreError};
use sayso_store_sql::journal::{End, JournalRow, SqlJournal, last_row};
use sayso_store_sql::sql::{Sql, SqlResult, number};
use sayso_store_sql::transfer::JournalTarget;
use tokio_postgres::types::{ToSql, Type};

use super::{PostgresJournal, failing, within};
use crate::batch::TurnBatch;
use crate::fault;
use crate::sql::PgValue;

/// The node of rows that no node wrote; nodes are numbered from 1.
const NO_NODE: i32 = 0;
/// Entries written at one time.
const ROWS_AT_ONCE: usize = 1000;

const HEADER: &str = "COPY header (seq, format, writer, writer_seq, prev, kind, ask, at, body_hash, node, turn) FROM STDIN BINARY";
const HEADER_TYPES: [Type; 11] = [
    Type::INT8,
    Type::INT2,
    Type::INT4,
    Type::INT8,
    Type::BYTEA,
    Type::INT2,
    Type::UUID,
    Type::INT8,
    Type::BYTEA,
    Type::INT4,
    Type::INT8,
];
const BODY: &str = "COPY body (seq, body) FROM STDIN BINARY";
const BODY_TYPES: [Type; 2] = [Type::INT8, Type::BYTEA];

fn header(row: &JournalRow) -> Vec<PgValue> {
    let (seq, header) = (number(row.seq.0), &row.header);
    let bytes = |bytes: &[u8]| PgValue::Bytes(bytes.to_vec());
    vec![
        PgValue::Int(seq),
        PgValue::Int(header.format.into()),
        PgValue::Int(header.writer.into()),
        PgValue::Int(number(header.writer_seq)),
        bytes(&header.prev),
        PgValue::Int(header.kind.into()),
        header.ask.map_or(PgValue::Null, |ask| bytes(ask.bytes())),
        PgValue::Int(number(header.at.as_millis())),
        bytes(&header.body_hash),
        PgValue::Int(NO_NODE.into()),
        // Which rows were one turn elsewhere is not known: each is one here.
        PgValue::Int(seq),
    ]
}

fn body(row: &JournalRow) -> Option<Vec<PgValue>> {
    let body = row.body.clone()?;
    Some(vec![PgValue::Int(number(row.seq.0)), PgValue::Bytes(body)])
}

impl JournalTarget for PostgresJournal {
    fn sql(&self) -> &dyn Sql {
        &self.sql
    }

    fn put(&self, rows: &[JournalRow]) -> Result<(), StoreError> {
        let sql = &self.sql;
        within(sql, "", || {
            let headers = sql.copy_in(HEADER, &HEADER_TYPES, rows.iter().map(header));
            failing(sql, headers)?;
            let bodies = sql.copy_in(BODY, &BODY_TYPES, rows.iter().filter_map(body));
            failing(sql, bodies)
        })
    }

    fn within(&self, work: &mut dyn FnMut(&dyn Sql) -> SqlResult<()>) -> Result<(), StoreError> {
        within(&self.sql, "", || failing(&self.sql, work(&self.sql)))
    }
}

impl PostgresJournal {
    /// Appends entries at the end of the journal, in the transaction under way.
    pub(super) fn append(
        &self,
        level: u32,
        mut entries: impl Iterator<Item = JournalEntry>,
    ) -> Result<(), StoreError> {
        let mut end = End::of(last_row(SqlJournal(&self.sql))?.as_ref());
        let mut level = level;
        loop {
            let some: Vec<JournalEntry> = entries.by_ref().take(ROWS_AT_ONCE).collect();
            let unused = BTreeMap::new();
            let batch = TurnBatch::new(&some, end, NO_NODE, level, &self.sealer, &unused)?;
            let Some(batch) = batch else {
                return Ok(());
            };
            (end, level) = (batch.end, batch.level);
            let client = self.sql.client();
            self.runtime.block_on(async {
                for (which, values) in &batch.statements {
                    let statement = client.prepare_cached(which.text()).await;
                    let statement = statement.map_err(fault::journal)?;
                    let values = values.iter().map(|value| &**value as &(dyn ToSql + Sync));
                    let written = client.execute_raw(&statement, values).await;
                    written.map_err(fault::journal)?;
                }
                Ok::<_, StoreError>(())
            })?;
        }
    }
}
