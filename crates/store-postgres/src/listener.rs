//! Learning of others: a connection that listens, and looks by itself when it hears nothing.
//!
//! A notification says only that there may be something; what there is, the journal says.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::Seq;
use sayso_store::{NodeId, StoreError};

use crate::fault;
use crate::inner::{PgInner, locked};
use crate::journal::{RowWindow, journal_row};
use crate::link::WALK;
use crate::setup::barrier;

/// The pause before a lost connection is opened again.
const PAUSE: Duration = Duration::from_millis(100);

/// What a node says to the others when it wrote.
pub(crate) fn wrote(node: NodeId) -> String {
    format!("node {node}")
}

/// Listens until the store stops.
pub(crate) async fn listen(inner: Arc<PgInner>) {
    loop {
        if let Err(error) = follow(&inner).await {
            tracing::warn!(%error, "lost the connection that listens to other nodes");
            *locked(&inner.away) = Some(error.to_string());
        }
        if inner.rest(PAUSE).await {
            return;
        }
    }
}

async fn follow(inner: &PgInner) -> Result<(), StoreError> {
    let link = inner.target.link().await?;
    let client = &link.client;
    let (schema, bus) = (&inner.target.settings.schema, inner.target.settings.bus());
    let begun = format!("{WALK}; LISTEN {schema}; LISTEN {bus}");
    let begun = async {
        client.batch_execute(&begun).await.map_err(fault::journal)?;
        barrier(&link, inner.node).await?;
        // A quiet node has no turn in which it would find out.
        inner.check_known(client).await
    };
    inner.target.answer(&link, begun).await??;
    // It is said once to each connection.
    let _ = link.news.own.set(wrote(inner.node));
    let sql = "SELECT seq, format, writer, writer_seq, prev, kind, ask, at, body_hash, NULL FROM header ORDER BY seq DESC LIMIT 1";
    let last = client.prepare(sql).await.map_err(fault::journal)?;
    let mut stop = inner.stop.subscribe();
    *locked(&inner.away) = None;
    inner.bus.begin(inner);
    while !*stop.borrow() {
        // Before the answer: what this node writes meanwhile may be newer.
        let known = inner.known();
        let row = inner
            .target
            .answer(&link, client.query_opt(&last, &[]))
            .await?;
        let row = row.map_err(fault::journal)?;
        let row = row.as_ref().map(journal_row).transpose()?;
        let end = RowWindow::of(row).end();
        let is_other = end.seq == known.seq && end.hash != known.hash;
        if end.seq < known.seq || is_other && known.seq > Seq::ZERO {
            // Or it leads to a server that is no longer the primary: the next connection tells.
            return Err(fault::later(
                "the database has fewer events than this node knows",
            ));
        }
        if end.seq > known.seq {
            inner.goes_on(client, end).await?;
            inner.bell.ring();
        }
        tokio::select! {
            () = link.news.notified.notified() => {}
            () = tokio::time::sleep(inner.target.settings.poll) => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
        inner
            .bus
            .hear(inner, std::mem::take(&mut *locked(&link.news.words)));
        if client.is_closed() {
            return Err(fault::later("PostgreSQL ended it"));
        }
    }
    Ok(())
}
