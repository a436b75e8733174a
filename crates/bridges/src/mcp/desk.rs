//! Where the tools ask when they are served on standard input and output: through a client, which may
//! find the server at another address.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sayso_client::{ClientError, Waiting};
use sayso_core::ask::{Draft, Matter};
use sayso_core::id::{AgentName, Workspace};
use sayso_dialects::Ended;
use sayso_dialects::native::map::{ended_from_wire, matter_from_wire};
use sayso_dialects::native::wire::ProblemCode;
use sayso_mcp::{AskStanding, AwaitedAsk, Desk, DeskError, Left};
use tokio::sync::{Notify, OwnedRwLockReadGuard, RwLock};
use tokio::time::{Instant, timeout};

use crate::error::BridgeError;
use crate::server_access::{LAST_WORD_MAX, ServerAccess, take_back};
use crate::symlinks;
use crate::workspace::root_of;

/// Where the tools ask. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Counter(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: ServerAccess,
    closed: AtomicBool,
    closing: Notify,
    /// Held by every ask that is waited for; whoever closes waits for them.
    busy: Arc<RwLock<()>>,
}

/// An ask that is waited for.
#[derive(Debug)]
pub(super) struct HeldAsk {
    waiting: Waiting,
    _busy: OwnedRwLockReadGuard<()>,
}

impl Counter {
    pub(super) fn new(server: ServerAccess) -> Self {
        Self(Arc::new(Inner {
            server,
            closed: AtomicBool::new(false),
            closing: Notify::new(),
            busy: Arc::default(),
        }))
    }

    /// Takes back what is under way and waits until that was said.
    pub(super) async fn close(&self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.0.closing.notify_waiters();
        drop(timeout(LAST_WORD_MAX * 2, self.0.busy.write()).await);
    }

    async fn busy(&self) -> OwnedRwLockReadGuard<()> {
        Arc::clone(&self.0.busy).read_owned().await
    }
}

impl Desk for Counter {
    type Error = BridgeError;
    type AwaitedAsk = HeldAsk;

    fn agent(&self, said: Option<String>) -> String {
        said.filter(|name| AgentName::new(name.as_str()).is_ok())
            .unwrap_or_else(|| "mcp".to_owned())
    }

    async fn ask(&self, mut draft: Draft, agent: &str) -> Result<HeldAsk, BridgeError> {
        let busy = self.busy().await;
        place(&mut draft);
        let waiting = self.0.server.ask(&draft, agent, &key()?).await?;
        Ok(HeldAsk {
            waiting,
            _busy: busy,
        })
    }

    async fn resume(&self, id: &str, patience: Duration) -> Result<HeldAsk, BridgeError> {
        let busy = self.busy().await;
        let until = Instant::now() + patience;
        let waiting = self.0.server.resume(id, until).await?;
        Ok(HeldAsk {
            waiting,
            _busy: busy,
        })
    }

    async fn look(&self, id: &str) -> Result<(Matter, Option<Ended>), BridgeError> {
        let ask = self.0.server.client()?.get(id, None).await?;
        let matter = matter_from_wire(&ask)?;
        let ended = match ask.outcome {
            Some(_) => ended_from_wire(&matter, ask)?,
            None => None,
        };
        Ok((matter, ended))
    }

    async fn confirm(&self, id: &str) {
        self.0.server.confirm(id).await;
    }

    async fn note(&self, text: &str, agent: &str) -> Result<(), BridgeError> {
        self.0.server.notice(agent, agent, text).await
    }

    async fn left(&self) -> Left {
        let closing = self.0.closing.notified();
        tokio::pin!(closing);
        closing.as_mut().enable();
        if !self.0.closed.load(Ordering::SeqCst) {
            closing.await;
        }
        Left::Gone
    }

    fn dropped(&self) -> Left {
        Left::Cancelled
    }
}

impl AwaitedAsk for HeldAsk {
    type Error = BridgeError;

    fn id(&self) -> String {
        self.waiting.ask().id.clone()
    }

    fn matter(&self) -> Result<Matter, BridgeError> {
        Ok(matter_from_wire(self.waiting.ask())?)
    }

    fn standing(&self) -> Result<AskStanding, BridgeError> {
        let ask = self.waiting.ask();
        let matter = self.matter()?;
        let ended = match &ask.outcome {
            Some(outcome) => {
                let ended = ended_from_wire(&matter, ask.clone())?;
                ended.map(|ended| (outcome.at.0, ended))
            }
            None => None,
        };
        Ok(AskStanding {
            matter,
            asked_at: ask.asked_at.0,
            ended,
        })
    }

    async fn ended(&mut self) -> Result<Option<Ended>, BridgeError> {
        let closed = self.waiting.outcome(|_| {}).await?;
        let matter = matter_from_wire(&closed)?;
        Ok(ended_from_wire(&matter, closed)?)
    }

    async fn withdraw(mut self, note: &'static str) {
        take_back(&mut self.waiting, Some(note)).await;
    }
}

impl DeskError for BridgeError {
    fn is_unknown(&self) -> bool {
        matches!(
            self,
            Self::Client(ClientError::Refused { problem, .. }) if problem.code == ProblemCode::NotFound
        )
    }
}

/// Where the program runs, and with it we.
fn place(draft: &mut Draft) {
    let here = std::env::current_dir().ok();
    let cwd = here.and_then(|here| here.to_str().map(str::to_owned));
    if let Matter::Approval(action) = &mut draft.matter {
        action.cwd.clone_from(&cwd);
    }
    draft.workspace = cwd.and_then(|cwd| Workspace::new(cwd).ok()).map(root_of);
    symlinks::follow(draft);
}

fn key() -> Result<String, BridgeError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(BridgeError::NoRandom)?;
    Ok(format!("mcp-{:032x}", u128::from_be_bytes(bytes)))
}
