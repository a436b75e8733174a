//! How a bridge reaches its server, which may come back at another address.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sayso_client::{Client, ClientError, Waiting, Whereabouts};
use sayso_core::ask::Draft;
use sayso_core::id::AgentName;
use sayso_dialects::native::map::draft_to_wire;
use tokio::time::Instant;

use crate::error::BridgeError;

/// What everything that Claude Code asks goes by.
pub(crate) const AGENT: &str = "claude-code";

/// How long to wait before a server that is away is looked for again.
const AGAIN: Duration = Duration::from_millis(200);

type Look = dyn Fn() -> Result<Client, String> + Send + Sync;

/// How a bridge reaches its server. Cheap to clone.
#[derive(Clone)]
pub struct ServerAccess(Arc<Look>);

impl fmt::Debug for ServerAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reach(..)")
    }
}

impl ServerAccess {
    /// `look` gives a way in as the server stands now, or says why there is none.
    pub fn of(look: impl Fn() -> Result<Client, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(look))
    }

    /// A way in now.
    pub(crate) fn client(&self) -> Result<Client, BridgeError> {
        (self.0)().map_err(BridgeError::NoServer)
    }

    /// Asks as this agent, under this key. The same key finds the same ask again.
    pub(crate) async fn ask(
        &self,
        draft: &Draft,
        agent: &str,
        key: &str,
    ) -> Result<Waiting, BridgeError> {
        let agent = AgentName::new(agent).ok();
        let new = draft_to_wire(draft, agent.as_ref())
            .map_err(|error| ClientError::NotSent(error.to_string()))?;
        let client = self.client()?;
        Ok(Waiting::begin_at(&client, self.whereabouts(), &new, Some(key)).await?)
    }

    /// Goes on waiting for an ask that was made before. A server that is away for a moment is waited
    /// for, until then.
    pub(crate) async fn resume(&self, id: &str, until: Instant) -> Result<Waiting, BridgeError> {
        loop {
            let client = self.client()?;
            match Waiting::resume_at(&client, self.whereabouts(), id).await {
                Err(error) if error.is_passing() && Instant::now() < until => {
                    tokio::time::sleep(AGAIN).await;
                }
                resumed => return Ok(resumed?),
            }
        }
    }

    fn whereabouts(&self) -> Whereabouts {
        let look = Arc::clone(&self.0);
        Whereabouts::of(move || look().ok())
    }
}
