//! The connection that writes: its statements, and what goes to the server in one go.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future;
use sayso_core::id::Seq;
use sayso_store::StoreError;
use sayso_store_sql::sql::number;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row, Statement};

use crate::batch::{TurnBatch, WriteSql};
use crate::fault;
use crate::inner::PgInner;
use crate::journal::{journal_row, walk_sql};
use crate::link::{PgLink, WALK};
use crate::listener::wrote;
use crate::setup::barrier;
use crate::sql::in_order;

/// Rows of others that one turn takes in; more are read outside of it.
pub(crate) const OTHERS_MAX: usize = if cfg!(test) { 16 } else { 8192 };

/// The connection that writes, with its statements.
pub(crate) struct WriteLink {
    pub(crate) link: PgLink,
    pub(crate) lock: Statement,
    take: Statement,
    now: Statement,
    header: Statement,
    notify: Statement,
    write: BTreeMap<WriteSql, Statement>,
}

impl WriteLink {
    pub(crate) async fn open(inner: &PgInner) -> Result<Self, StoreError> {
        let link = inner.target.link().await?;
        let made = Self::over(inner, link.clone());
        inner.target.answer(&link, made).await?
    }

    async fn over(inner: &PgInner, link: PgLink) -> Result<Self, StoreError> {
        let client = Arc::clone(&link.client);
        // A node that stops inside a turn holds up the others for this long, once.
        let set = format!("{WALK}; SET idle_in_transaction_session_timeout = '1s'");
        client.batch_execute(&set).await.map_err(fault::journal)?;
        barrier(&link, inner.node).await?;
        let prepare = async |sql: &str| client.prepare(sql).await.map_err(fault::journal);
        let mut write = BTreeMap::new();
        for one in WriteSql::ALL {
            write.insert(one, prepare(one.text()).await?);
        }
        let link = Self {
            lock: prepare("SELECT pg_advisory_xact_lock($1)").await?,
            take: prepare(&walk_sql("")).await?,
            now: prepare(
                "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8,
                        (SELECT seq FROM progress WHERE stage = 'rows'),
                        (SELECT moved FROM meta), (SELECT life::text FROM meta),
                        (SELECT level FROM meta), (SELECT lost FROM meta)",
            )
            .await?,
            header: prepare(
                "SELECT seq, format, writer, writer_seq, prev, kind, ask, at, body_hash, NULL FROM header WHERE seq = $1",
            )
            .await?,
            notify: prepare("SELECT pg_notify($1, $2)").await?,
            write,
            link,
        };
        inner.check_known(&link.link.client).await?;
        Ok(link)
    }

    pub(crate) async fn hash_at(&self, seq: Seq) -> Result<Option<[u8; 32]>, StoreError> {
        let found = self
            .link
            .client
            .query_opt(&self.header, &[&number(seq.0)])
            .await;
        let row = found.map_err(fault::journal)?;
        let row = row.as_ref().map(journal_row).transpose()?;
        Ok(row.map(|row| row.header.hash()))
    }

    pub(crate) async fn roll_back(&self) {
        if let Err(error) = self.link.client.batch_execute("ROLLBACK").await {
            tracing::debug!(
                error = fault::told(&error),
                "a turn ends with its connection"
            );
        }
    }
}

/// Sends what a turn begins with in one go.
pub(crate) async fn take_once(
    link: &WriteLink,
    lock: i64,
    from: Seq,
) -> Result<(Vec<Row>, Row), Error> {
    let client = &link.link.client;
    let (from, most) = (number(from.0), number(OTHERS_MAX as u64 + 2));
    let (begun, locked, rows, now) = future::join4(
        client.batch_execute("BEGIN"),
        client.query(&link.lock, &[&lock]),
        client.query(&link.take, &[&from, &most]),
        client.query_one(&link.now, &[]),
    )
    .await;
    begun?;
    locked?;
    Ok((rows?, now?))
}

/// Reads what others wrote without the turn.
pub(crate) async fn read_once(link: &WriteLink, from: Seq) -> Result<Vec<Row>, Error> {
    let (from, most) = (number(from.0), number(OTHERS_MAX as u64 + 2));
    link.link.client.query(&link.take, &[&from, &most]).await
}

/// Sends everything a turn writes in one go, the commit and the word to others among it. Says whether
/// the statements went well, and how the commit ended as far as the server said so.
pub(crate) async fn send(
    link: &WriteLink,
    inner: &PgInner,
    batch: &TurnBatch,
) -> (Result<(), Error>, Result<(), Error>) {
    type Sent<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;
    let mut sent: Vec<Sent<'_>> = Vec::with_capacity(batch.statements.len() + 1);
    for (which, values) in &batch.statements {
        if let Some(statement) = link.write.get(which) {
            let done = link.link.client.execute_raw(
                statement,
                values.iter().map(|value| &**value as &(dyn ToSql + Sync)),
            );
            sent.push(Box::pin(async { done.await.map(|_| ()) }));
        }
    }
    sent.push(Box::pin(link.link.client.batch_execute("COMMIT")));
    let mut done = if inner.pulse.is_alone() {
        in_order(sent).await
    } else {
        match future::select(Box::pin(in_order(sent)), Box::pin(tell(link, inner))).await {
            future::Either::Left((done, _)) => done,
            future::Either::Right((_, done)) => done.await,
        }
    };
    let committed = done.pop().unwrap_or(Ok(()));
    (done.into_iter().collect(), committed)
}

/// Tells the others that there is something. A transaction of its own: it waits for no disk and no standby,
/// and cannot fail the commit.
fn tell(
    link: &WriteLink,
    inner: &PgInner,
) -> impl Future<Output = Result<(), Error>> + Send + use<> {
    let (channel, word) = (inner.target.settings.schema.clone(), wrote(inner.node));
    let (client, notify) = (Arc::clone(&link.link.client), link.notify.clone());
    async move { client.query(&notify, &[&channel, &word]).await.map(|_| ()) }
}
