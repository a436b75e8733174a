//! What the tools do: asks that outlive the call that made them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sayso_client::{AgentSocket, ClientError, Waiting};
use sayso_core::ask::{Draft, Matter};
use sayso_core::id::{AgentName, Workspace};
use sayso_dialects::Ended;
use sayso_dialects::claude_control::PromptAsk;
use sayso_dialects::mcp::{write_ask, write_told};
use sayso_dialects::native::map::{ended_from_wire, matter_from_wire};
use sayso_dialects::native::wire::{Ask, ProblemCode};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};

use crate::error::BridgeError;
use crate::reach::Reach;
use crate::workspace::root_of;

/// How long one word to the server may take once nobody waits for us.
const LAST_WORD_MAX: Duration = Duration::from_secs(2);
const CANCELLED: &str = "The agent no longer asks.";

/// What the tools do. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Desk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    reach: Reach,
    hold: Duration,
    closed: AtomicBool,
    closing: Notify,
    /// Calls that hold something; whoever closes waits for them.
    busy: tokio::sync::RwLock<()>,
}

impl Desk {
    pub(super) fn new(reach: Reach, hold: Duration) -> Self {
        Self(Arc::new(Inner {
            reach,
            hold,
            closed: AtomicBool::new(false),
            closing: Notify::new(),
            busy: tokio::sync::RwLock::new(()),
        }))
    }

    /// Takes back what is under way and waits until that was said.
    pub(super) async fn close(&self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.0.closing.notify_waiters();
        drop(timeout(LAST_WORD_MAX * 2, self.0.busy.write()).await);
    }

    /// Resolves once the program is gone.
    async fn gone(&self) {
        let closing = self.0.closing.notified();
        tokio::pin!(closing);
        closing.as_mut().enable();
        if !self.0.closed.load(Ordering::SeqCst) {
            closing.await;
        }
    }

    /// Asks, and holds the call for a while.
    pub(super) async fn ask(
        &self,
        mut draft: Draft,
        agent: &str,
        cancelled: impl Future<Output = ()>,
    ) -> Result<String, BridgeError> {
        let _busy = self.0.busy.read().await;
        place(&mut draft);
        let waiting = self.0.reach.ask(&draft, agent, &key()?).await?;
        let id = waiting.ask().id.clone();
        let closed = self.hold(waiting, cancelled, Id::Untold).await?;
        self.told(&id, &draft.matter, closed).await
    }

    /// Holds a call for an ask that was made before.
    pub(super) async fn wait(
        &self,
        id: &str,
        cancelled: impl Future<Output = ()>,
    ) -> Result<String, BridgeError> {
        let _busy = self.0.busy.read().await;
        let until = Instant::now() + self.0.hold;
        let waiting = self.0.reach.resume(id, until).await?;
        let matter = matter_from_wire(waiting.ask()).map_err(BridgeError::BadOutcome)?;
        let closed = self.hold(waiting, cancelled, Id::Told).await?;
        self.told(id, &matter, closed).await
    }

    /// Looks at an ask.
    pub(super) async fn check(&self, id: &str) -> Result<String, BridgeError> {
        let ask = self.0.reach.client()?.get(id, None).await?;
        let matter = matter_from_wire(&ask).map_err(BridgeError::BadOutcome)?;
        let closed = ask.outcome.is_some().then_some(ask);
        self.told(id, &matter, closed).await
    }

    /// Asks leave, and waits as long as it takes. `tell` runs meanwhile and never ends by itself.
    pub(super) async fn approve(
        &self,
        mut ask: PromptAsk,
        agent: &str,
        cancelled: impl Future<Output = ()>,
        tell: impl Future<Output = ()>,
    ) -> Result<String, BridgeError> {
        let _busy = self.0.busy.read().await;
        place(&mut ask.draft);
        let mut waiting = self.0.reach.ask(&ask.draft, agent, &key()?).await?;
        let id = waiting.ask().id.clone();
        tokio::pin!(cancelled, tell);
        let closed = tokio::select! {
            biased;
            closed = waiting.outcome(|_| {}) => closed?,
            () = &mut cancelled => return withdrawn(waiting).await,
            () = self.gone() => return withdrawn(waiting).await,
            () = &mut tell => return withdrawn(waiting).await,
        };
        let ended = ended_from_wire(&ask.draft.matter, closed).map_err(BridgeError::BadOutcome)?;
        let text = ended.map_or_else(
            || PromptAsk::refuse("How it ended was erased."),
            |ended| ask.write(&ended),
        );
        self.confirm(&id).await;
        Ok(text)
    }

    /// Tells the person something.
    pub(super) async fn notify(&self, text: &str, agent: &str) -> Result<String, BridgeError> {
        let client = self.0.reach.client()?;
        let socket = AgentSocket::connect_as(&client, Some(agent)).await?;
        socket.note(agent, agent, text, None).await?;
        drop(timeout(LAST_WORD_MAX, socket.finish()).await);
        Ok(write_told())
    }

    /// The ask once it is closed, or nothing when it is still open at the end of the hold.
    async fn hold(
        &self,
        mut waiting: Waiting,
        cancelled: impl Future<Output = ()>,
        id: Id,
    ) -> Result<Option<Ask>, BridgeError> {
        tokio::pin!(cancelled);
        let until = Instant::now() + self.0.hold;
        let gone = tokio::select! {
            biased;
            closed = timeout_at(until, waiting.outcome(|_| {})) => {
                return closed.ok().transpose().map_err(BridgeError::from);
            }
            () = &mut cancelled => false,
            () = self.gone() => true,
        };
        // A program that is gone may come back and wait for an ask whose id it knows.
        if !(gone && id == Id::Told) {
            drop(withdrawn(waiting).await);
        }
        Ok(None)
    }

    async fn told(
        &self,
        id: &str,
        matter: &Matter,
        closed: Option<Ask>,
    ) -> Result<String, BridgeError> {
        let ended: Option<Ended> = match closed {
            Some(ask) => ended_from_wire(matter, ask).map_err(BridgeError::BadOutcome)?,
            None => None,
        };
        let text = write_ask(id, matter, ended.as_ref());
        if ended.is_some() {
            self.confirm(id).await;
        }
        Ok(text)
    }

    async fn confirm(&self, id: &str) {
        if let Ok(client) = self.0.reach.client() {
            // What cannot be confirmed stays owed, and costs nothing but a line in a list.
            drop(timeout(LAST_WORD_MAX, client.confirm(id)).await);
        }
    }
}

/// Whether the program could come back to an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Id {
    /// It has not been told the id.
    Untold,
    /// It has the id.
    Told,
}

async fn withdrawn(mut waiting: Waiting) -> Result<String, BridgeError> {
    drop(timeout(LAST_WORD_MAX, waiting.withdraw(Some(CANCELLED))).await);
    Ok(PromptAsk::refuse(CANCELLED))
}

fn place(draft: &mut Draft) {
    let here = std::env::current_dir().ok();
    let cwd = here.and_then(|here| here.to_str().map(str::to_owned));
    if let Matter::Approval(action) = &mut draft.matter {
        action.cwd.clone_from(&cwd);
    }
    draft.workspace = cwd.and_then(|cwd| Workspace::new(cwd).ok()).map(root_of);
}

fn key() -> Result<String, BridgeError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| BridgeError::NoServer(format!("no random source: {error}")))?;
    Ok(format!("mcp-{:032x}", u128::from_be_bytes(bytes)))
}

/// What a program goes by that says its name.
pub(super) fn agent_name(name: Option<String>) -> String {
    name.filter(|name| AgentName::new(name.as_str()).is_ok())
        .unwrap_or_else(|| "mcp".to_owned())
}

/// Whether a refusal is about an id that nobody knows.
pub(super) fn is_unknown(error: &BridgeError) -> bool {
    matches!(
        error,
        BridgeError::Client(ClientError::Refused { problem, .. }) if problem.code == ProblemCode::NotFound
    )
}
