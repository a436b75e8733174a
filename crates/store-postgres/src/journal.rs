//! Rows of the journal, a few at a time, judged as every store judges them.

use std::collections::BTreeMap;

use deadpool_postgres::{Object, Pool};
use futures_util::future;
use sayso_core::id::{Place, Seq};
use sayso_store::{Header, StoreError};
use sayso_store_sql::journal::{
    AskRows, End, Found, JournalRow, JournalRows, Tail, damaged, found_after, found_at, unsealed,
};
use sayso_store_sql::seal::{Gap, Sealer};
use sayso_store_sql::sql::{FromSqlValue, SqlRow, number};
use tokio_postgres::{Client, Row};

use crate::fault::{self, JOURNAL};
use crate::sql::{PgRow, pooled};

/// Rows read beyond those asked for: the next one confirms a header, the one after it the next.
const AHEAD: u64 = 2;

/// Rows that were read with one statement.
#[derive(Debug, Default)]
pub(crate) struct RowWindow(BTreeMap<Seq, JournalRow>);

impl JournalRows for RowWindow {
    fn rows_after(&self, after: Seq, limit: usize) -> Result<Vec<JournalRow>, StoreError> {
        let rows = self.0.range(after.next()..).take(limit);
        Ok(rows.map(|(_, row)| row.clone()).collect())
    }

    fn row_at(&self, seq: Seq) -> Result<Option<JournalRow>, StoreError> {
        Ok(self.0.get(&seq).cloned())
    }

    fn header_at(&self, seq: Seq) -> Result<Option<Header>, StoreError> {
        Ok(self.0.get(&seq).map(|row| row.header.clone()))
    }

    fn name(&self) -> &'static str {
        JOURNAL
    }
}

/// A value in a row of an answer.
pub(crate) fn value<T: FromSqlValue>(row: &Row, at: usize) -> Result<T, StoreError> {
    let row: &dyn SqlRow = &PgRow(row);
    row.get(at).map_err(|error| damaged(JOURNAL, error))
}

/// A row of the journal from a row of an answer.
pub(crate) fn journal_row(row: &Row) -> Result<JournalRow, StoreError> {
    JournalRow::read(&PgRow(row)).map_err(|error| damaged(JOURNAL, error))
}

impl RowWindow {
    pub(crate) fn of(rows: impl IntoIterator<Item = JournalRow>) -> Self {
        Self(rows.into_iter().map(|row| (row.seq, row)).collect())
    }

    fn read(rows: &[Row]) -> Result<Self, StoreError> {
        let rows: Result<Vec<_>, _> = rows.iter().map(journal_row).collect();
        rows.map(Self::of)
    }

    fn tail(&self) -> Tail {
        let seq = self.0.last_key_value().map_or(Seq::ZERO, |(seq, _)| *seq);
        Tail { seq, hash: None }
    }

    /// The last row of it, as the end of a journal.
    pub(crate) fn end(&self) -> End {
        End::of(self.0.values().next_back())
    }

    /// What there is after a place.
    pub(crate) fn found_after(&self, after: Seq, limit: usize) -> Result<Vec<Found>, StoreError> {
        found_after(self, after, limit, self.tail())
    }
}

/// The end of the journal.
pub(crate) async fn end(client: &Object) -> Result<End, StoreError> {
    let sql = "SELECT seq, format, writer, writer_seq, prev, kind, ask, at, body_hash, NULL FROM header ORDER BY seq DESC LIMIT 1";
    let statement = client.prepare_cached(sql).await.map_err(fault::journal)?;
    let rows = client
        .query(&statement, &[])
        .await
        .map_err(fault::journal)?;
    RowWindow::read(&rows).map(|rows| rows.end())
}

/// The hash of the header at a place.
pub(crate) async fn hash_at(client: &Client, seq: Seq) -> Result<Option<[u8; 32]>, StoreError> {
    let sql = "SELECT seq, format, writer, writer_seq, prev, kind, ask, at, body_hash, NULL FROM header WHERE seq = $1";
    let row = client.query_opt(sql, &[&number(seq.0)]).await;
    let row = row.map_err(fault::journal)?;
    let row = row.as_ref().map(journal_row).transpose()?;
    Ok(row.map(|row| row.header.hash()))
}

/// The rows after the place `$1`, at most `$2`, with these columns more. The row at that place is told, too,
/// without its body: the first must follow it.
pub(crate) fn walk_sql(more: &str) -> String {
    let columns = JournalRow::COLUMNS;
    format!(
        "SELECT {columns}{more} FROM header h LEFT JOIN body b ON b.seq = h.seq AND b.seq > $1
         WHERE h.seq >= $1 ORDER BY h.seq LIMIT $2"
    )
}

/// What there is after a place, at most `limit`.
pub(crate) async fn after(pool: &Pool, after: Seq, limit: usize) -> Result<Vec<Found>, StoreError> {
    let client = pooled(pool).await?;
    let statement = client.prepare_cached(&walk_sql("")).await;
    let statement = statement.map_err(fault::journal)?;
    let most = number((limit as u64).saturating_add(AHEAD + 1));
    let rows = client
        .query(&statement, &[&number(after.0), &most])
        .await
        .map_err(fault::journal)?;
    RowWindow::read(&rows)?.found_after(after, limit)
}

async fn around(client: &Object, places: &[Seq]) -> Result<RowWindow, StoreError> {
    let exact: Vec<i64> = places.iter().map(|seq| number(seq.0)).collect();
    let near: Vec<i64> = exact.iter().flat_map(|seq| seq - 1..=seq + 2).collect();
    let sql = format!(
        "SELECT {} FROM header h LEFT JOIN body b ON b.seq = h.seq AND b.seq = ANY($1)
         WHERE h.seq = ANY($2)",
        JournalRow::COLUMNS
    );
    let statement = client.prepare_cached(&sql).await.map_err(fault::journal)?;
    let rows = client.query(&statement, &[&exact, &near]).await;
    RowWindow::read(&rows.map_err(fault::journal)?)
}

/// What there is at these places; those with nothing there are left out.
pub(crate) async fn at(pool: &Pool, places: &[Seq]) -> Result<Vec<Found>, StoreError> {
    let client = pooled(pool).await?;
    let window = around(&client, places).await?;
    let tail = window.tail();
    let there = places.iter().filter(|seq| **seq <= tail.seq);
    there
        .map(|seq| found_at(&window, *seq, tail, &mut |_| None))
        .collect()
}

/// The rows of an ask, secrets opened.
pub(crate) async fn ask(pool: &Pool, place: Place, sealer: &Sealer) -> Result<AskRows, StoreError> {
    let client = pooled(pool).await?;
    let places: Vec<Seq> = [Some(place.opened), place.closed, place.late]
        .into_iter()
        .flatten()
        .collect();
    let sql = "SELECT seq, gap, bytes FROM sealed WHERE opened = $1";
    let statement = client.prepare_cached(sql).await.map_err(fault::journal)?;
    let opened = number(place.opened.0);
    let (window, bytes) = future::join(
        around(&client, &places),
        client.query(&statement, &[&opened]),
    )
    .await;
    let window = window?;
    let mut secrets = BTreeMap::<(i64, i64), Vec<u8>>::new();
    for row in bytes.map_err(fault::journal)? {
        let place = (value(&row, 0)?, value(&row, 1)?);
        secrets.insert(place, value(&row, 2)?);
    }
    let mut is_secret_lost = false;
    let mut found = |seq: Seq| {
        found_at(&window, seq, window.tail(), &mut |gap| {
            let bytes = secrets.get(&(number(seq.0), number(gap as u64)))?;
            let gap = Gap {
                opened: place.opened,
                seq,
                number: gap,
            };
            unsealed(sealer, gap, bytes, &mut is_secret_lost)
        })
    };
    Ok(AskRows {
        asked: found(place.opened)?,
        closed: place.closed.map(&mut found).transpose()?,
        late: place.late.map(&mut found).transpose()?,
        is_secret_lost,
    })
}
