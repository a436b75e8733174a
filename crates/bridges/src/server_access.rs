//! How a bridge reaches its server, which may come back at another address.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sayso_client::{AgentConnection, Client, ClientError, ServerLocator, Waiting};
use sayso_core::ask::Draft;
use sayso_core::id::AgentName;
use sayso_dialects::native::map::draft_to_wire;
use tokio::time::{Instant, timeout};

use crate::error::BridgeError;

/// What everything that Claude Code asks goes by.
pub(crate) const AGENT: &str = "claude-code";

/// How long one word to the server may take once nobody waits for us.
pub(crate) const LAST_WORD_MAX: Duration = Duration::from_secs(2);

/// How long to wait before a server that is away is looked for again.
const AGAIN: Duration = Duration::from_millis(200);

type Look = dyn Fn() -> Result<Client, String> + Send + Sync;

/// How a bridge reaches its server. Cheap to clone.
#[derive(Clone)]
pub struct ServerAccess(Arc<Look>);

impl fmt::Debug for ServerAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerAccess(..)")
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
        Ok(Waiting::begin_at(&client, self.locator(), &new, Some(key)).await?)
    }

    /// Goes on waiting for an ask that was made before. A server that is away for a moment is waited
    /// for, until then.
    pub(crate) async fn resume(&self, id: &str, until: Instant) -> Result<Waiting, BridgeError> {
        loop {
            let client = self.client()?;
            match Waiting::resume_at(&client, self.locator(), id).await {
                Err(error) if error.is_passing() && Instant::now() < until => {
                    tokio::time::sleep(AGAIN).await;
                }
                resumed => return Ok(resumed?),
            }
        }
    }

    /// Says that an outcome was handed over. What cannot be told stays owed, and costs nothing but a line
    /// in a list.
    pub(crate) async fn confirm(&self, id: &str) {
        if let Ok(client) = self.client() {
            drop(timeout(LAST_WORD_MAX, client.confirm(id)).await);
        }
    }

    /// A socket on which this agent speaks.
    pub(crate) async fn connect(&self, agent: &str) -> Result<AgentConnection, BridgeError> {
        Ok(AgentConnection::connect_as(&self.client()?, Some(agent)).await?)
    }

    /// Says something for people to read in a conversation of this agent.
    pub(crate) async fn notice(
        &self,
        conversation: &str,
        agent: &str,
        text: &str,
    ) -> Result<(), BridgeError> {
        let socket = self.connect(agent).await?;
        socket.note(conversation, agent, text, None).await?;
        // A notice that does not arrive in this time is no news any more.
        drop(timeout(LAST_WORD_MAX, socket.finish()).await);
        Ok(())
    }

    fn locator(&self) -> ServerLocator {
        let look = Arc::clone(&self.0);
        ServerLocator::of(move || look().ok())
    }
}

/// Takes an ask back. A server that is away keeps it; whoever is away longer than it is swept.
pub(crate) async fn take_back(waiting: &mut Waiting, why: Option<&str>) {
    drop(timeout(LAST_WORD_MAX, waiting.withdraw(why)).await);
}
