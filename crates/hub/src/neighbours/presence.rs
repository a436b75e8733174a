//! Who is connected where: each node writes down who is connected to it, and reads who is connected to
//! the others. A word on the bus says that something changed; where it is lost, a look every few seconds
//! finds out.

use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::id::AgentId;
use sayso_store::{HereRow, Neighbours, NodeId, NodeWord, StoreError};

use crate::feed::News;
use crate::hub::Inner;

/// How often a node looks who is connected to the others, and whether they live.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// After so long everything is written again: a database that crashed has forgotten it.
const WRITE_AGAIN_AFTER: Duration = Duration::from_secs(30);

/// What this node has written down, and what it knows of the others.
#[derive(Debug, Default)]
struct Presence {
    written: HashMap<AgentId, HereRow>,
    alive: Vec<NodeId>,
    /// When everything was last written, on the steady clock.
    written_at: Duration,
}

/// Keeps who is connected where, until the hub stops.
pub(crate) async fn watch(inner: Arc<Inner>, neighbours: Arc<dyn Neighbours>) {
    let mut presence = Presence::default();
    loop {
        if let Err(error) = presence.tell(&inner, &*neighbours).await {
            tracing::debug!(%error, "could not record who is connected to this node");
        }
        if let Err(error) = presence.learn(&inner, &*neighbours).await {
            tracing::debug!(%error, "could not read who is connected to other nodes");
        }
        tokio::select! {
            () = inner.links.changed.notified() => {}
            () = inner.remote.presence.notified() => {}
            () = inner.clock.sleep(LOOK_EVERY) => {}
            () = inner.stopped() => return,
        }
    }
}

impl Presence {
    /// Writes down what changed since the last time, and says that it did.
    async fn tell(&mut self, inner: &Inner, neighbours: &dyn Neighbours) -> Result<(), StoreError> {
        let now = inner.clock.steady();
        if now.saturating_sub(self.written_at) >= WRITE_AGAIN_AFTER {
            self.written_at = now;
            self.written.clear();
        }
        let rows = inner.links.rows();
        let now: HashMap<AgentId, HereRow> = rows.into_iter().map(|row| (row.agent, row)).collect();
        let changed = now.values();
        let changed: Vec<HereRow> = changed
            .filter(|row| self.written.get(&row.agent) != Some(*row))
            .cloned()
            .collect();
        let gone = self.written.keys();
        let gone: Vec<AgentId> = gone
            .filter(|agent| !now.contains_key(*agent))
            .copied()
            .collect();
        if changed.is_empty() && gone.is_empty() {
            return Ok(());
        }
        neighbours.put_here(changed, gone).await?;
        self.written = now;
        neighbours.say(NodeWord::Here);
        Ok(())
    }

    /// Takes over who is connected to the others, and which of them died.
    async fn learn(
        &mut self,
        inner: &Arc<Inner>,
        neighbours: &dyn Neighbours,
    ) -> Result<(), StoreError> {
        let alive = neighbours.alive();
        if alive != self.alive {
            let now = inner.now().hub;
            inner.memory().live.only_alive(&alive, now);
            self.alive = alive;
            inner.bell.notify_one();
        }
        let rows = neighbours.here().await?;
        for agent in inner.links.set_elsewhere(rows, &inner.now()) {
            let agent = inner.memory().state.directory.agent(agent).cloned();
            if let Some(agent) = agent {
                inner.tell(News::Agent(inner.agent_view(&agent)));
            }
        }
        Ok(())
    }
}
