//! What this node shares with the others beside the journal, as PostgreSQL keeps it.

mod bus;
mod codes;
pub(crate) mod files;
mod here;
mod nodes;
mod pulse;
pub(crate) mod shelf;

use std::sync::Arc;

use sayso_core::id::{AgentId, Seq, TokenId};
use sayso_core::time::Time;
use sayso_store::{
    HereRow, Later, Neighbours, NodeId, NodeRow, NodeWord, SharedCodes, SharedFiles, SharedShelf,
};

pub(crate) use bus::{Bus, speak};
pub use nodes::list_nodes;
pub(crate) use nodes::read as read_nodes;
pub(crate) use pulse::{Pulse, beat, steady_now};

use crate::fault;
use crate::inner::PgInner;
use crate::journal::value;
use crate::sql::pooled;
use codes::PgCodes;
use files::PgFiles;
use shelf::PgShelf;

/// The other nodes, as PostgreSQL knows them.
#[derive(Debug)]
pub(crate) struct PgNeighbours {
    inner: Arc<PgInner>,
    codes: PgCodes,
    shelf: PgShelf,
    files: PgFiles,
}

impl PgNeighbours {
    pub(crate) fn of(inner: &Arc<PgInner>) -> Self {
        Self {
            inner: Arc::clone(inner),
            codes: PgCodes(Arc::clone(inner)),
            shelf: PgShelf(Arc::clone(inner)),
            files: PgFiles(Arc::clone(inner)),
        }
    }
}

impl Neighbours for PgNeighbours {
    fn node(&self) -> NodeId {
        self.inner.node
    }

    fn node_name(&self) -> &str {
        &self.inner.target.settings.node
    }

    fn is_fresh(&self) -> bool {
        self.inner.pulse.is_fresh()
    }

    fn no_longer(&self, fresh: bool) -> Later<'_, ()> {
        Box::pin(async move {
            self.inner.pulse.no_longer(fresh).await;
            Ok(())
        })
    }

    fn is_current(&self) -> bool {
        self.inner.pulse.is_current()
    }

    fn becomes_current(&self, current: bool) -> Later<'_, ()> {
        Box::pin(async move {
            self.inner.pulse.becomes_current(current).await;
            Ok(())
        })
    }

    fn ended(&self) -> Later<'_, String> {
        let mut ended = self.inner.ended.subscribe();
        Box::pin(async move {
            let why = ended.wait_for(Option::is_some).await;
            let why = why.ok().and_then(|why| why.clone());
            why.ok_or_else(|| fault::later("the server is stopping"))
        })
    }

    fn level(&self) -> u32 {
        self.inner.pulse.level()
    }

    fn tell(&self, applied: Seq, url: Option<&str>) {
        self.inner.pulse.tell(applied, url);
    }

    fn nodes(&self) -> Later<'_, Vec<NodeRow>> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move { nodes::all(&inner).await })
    }

    fn alive(&self) -> Vec<NodeId> {
        self.inner.pulse.alive()
    }

    fn say(&self, word: NodeWord) {
        self.inner.bus.say(&word);
    }

    fn heard(&self) -> Later<'_, Vec<(NodeId, NodeWord)>> {
        Box::pin(async move { Ok(self.inner.bus.heard().await) })
    }

    fn put_here(&self, here: Vec<HereRow>, gone: Vec<AgentId>) -> Later<'_, ()> {
        let inner = Arc::clone(&self.inner);
        self.inner
            .on(async move { here::put(&inner, &here, &gone).await })
    }

    fn here(&self) -> Later<'_, Vec<(NodeId, HereRow)>> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move { here::others(&inner).await })
    }

    fn seat(&self, job: &str) -> bool {
        self.inner.pulse.seat(job)
    }

    fn last_used(&self, token: TokenId) -> Later<'_, Option<Time>> {
        let inner = Arc::clone(&self.inner);
        self.inner.on(async move {
            let client = pooled(&inner.pool).await?;
            let sql = "SELECT at FROM used WHERE token = $1";
            let statement = client.prepare_cached(sql).await.map_err(fault::journal)?;
            let row = client.query_opt(&statement, &[&i64::from(token.0)]).await;
            let row = row.map_err(fault::journal)?;
            let at = row.map(|row| value(&row, 0)).transpose()?;
            Ok(at.map(Time::from_millis))
        })
    }

    fn codes(&self) -> &dyn SharedCodes {
        &self.codes
    }

    fn shelf(&self) -> &dyn SharedShelf {
        &self.shelf
    }

    fn files(&self) -> &dyn SharedFiles {
        &self.files
    }
}
