//! What the tools do: asks that outlive the call that made them.

use std::future::Future;
use std::time::Duration;

use sayso_core::ask::{Draft, Matter};
use sayso_core::id::ConversationName;
use sayso_dialects::claude_control::PromptAsk;
use sayso_dialects::mcp::{write_ask, write_told};
use sayso_dialects::{Ended, ReadError};
use tokio::time::timeout;

use crate::desk::{AskStanding, AwaitedAsk, Desk, DeskError, Left};
use crate::task::{TaskKind, TaskName};

const CANCELLED: &str = "The agent withdrew the question.";
const ERASED: &str = "The outcome was erased.";

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError<E> {
    /// Its arguments are not what they should be.
    #[error("the program's message can't be read: {0}")]
    Unreadable(#[from] ReadError),
    /// The desk could not do it.
    #[error("{0}")]
    Desk(E),
}

impl<E: DeskError> ToolError<E> {
    pub(crate) fn is_unknown(&self) -> bool {
        match self {
            Self::Unreadable(_) => false,
            Self::Desk(error) => error.is_unknown(),
        }
    }
}

/// One call of a tool.
pub(crate) struct ToolInvocation<'a, D> {
    pub(crate) desk: &'a D,
    pub(crate) agent: &'a str,
    pub(crate) hold: Duration,
}

impl<D: Desk> ToolInvocation<'_, D> {
    /// Asks, and holds the call for a while.
    pub(crate) async fn ask(
        &self,
        draft: Draft,
        dropped: impl Future<Output = ()> + Send,
    ) -> Result<String, ToolError<D::Error>> {
        let matter = draft.matter.clone();
        let asked = self.desk.ask(self.placed(draft), self.agent).await;
        let waiting = asked.map_err(ToolError::Desk)?;
        self.hold(waiting, matter, dropped, Id::Untold).await
    }

    /// Holds a call for an ask that was made before.
    pub(crate) async fn wait(
        &self,
        id: &str,
        dropped: impl Future<Output = ()> + Send,
    ) -> Result<String, ToolError<D::Error>> {
        let resumed = self.desk.resume(id, self.hold).await;
        let waiting = resumed.map_err(ToolError::Desk)?;
        let matter = waiting.matter().map_err(ToolError::Desk)?;
        self.hold(waiting, matter, dropped, Id::Told).await
    }

    /// Looks at an ask.
    pub(crate) async fn check(&self, id: &str) -> Result<String, ToolError<D::Error>> {
        let (matter, ended) = self.desk.look(id).await.map_err(ToolError::Desk)?;
        Ok(self.told(id, &matter, ended.as_ref()).await)
    }

    /// Requests approval, and waits as long as it takes. `tell` runs meanwhile and never ends by itself.
    pub(crate) async fn approve(
        &self,
        mut ask: PromptAsk,
        dropped: impl Future<Output = ()> + Send,
        tell: impl Future<Output = ()> + Send,
    ) -> Result<String, ToolError<D::Error>> {
        ask.draft = self.placed(ask.draft);
        let asked = self.desk.ask(ask.draft.clone(), self.agent).await;
        let mut waiting = asked.map_err(ToolError::Desk)?;
        let ended = tokio::select! {
            biased;
            ended = waiting.ended() => Some(ended.map_err(ToolError::Desk)?),
            () = dropped => None,
            _ = self.desk.left() => None,
            () = tell => None,
        };
        let Some(ended) = ended else {
            waiting.withdraw(CANCELLED).await;
            return Ok(PromptAsk::refuse(CANCELLED));
        };
        let said = ended.map_or_else(|| PromptAsk::refuse(ERASED), |ended| ask.write(&ended));
        self.desk.confirm(&waiting.id()).await;
        Ok(said)
    }

    /// Asks, and waits for nobody. An ask whose call was given up meanwhile is taken back.
    pub(crate) async fn begin(
        &self,
        kind: TaskKind,
        draft: Draft,
        is_dropped: impl Fn() -> bool + Send,
    ) -> Result<(TaskName, AskStanding), ToolError<D::Error>> {
        let asked = self.desk.ask(self.placed(draft), self.agent).await;
        let waiting = asked.map_err(ToolError::Desk)?;
        let stands = stands(kind, &waiting).map_err(ToolError::Desk)?;
        if is_dropped() {
            waiting.withdraw(CANCELLED).await;
        } else {
            self.handed_over(&stands).await;
        }
        Ok(stands)
    }

    /// How the ask of a task stands.
    pub(crate) async fn find(
        &self,
        name: TaskName,
    ) -> Result<(TaskName, AskStanding), ToolError<D::Error>> {
        let waiting = self.taken_up(&name).await?;
        let stands = stands(name.kind, &waiting).map_err(ToolError::Desk)?;
        self.handed_over(&stands).await;
        Ok(stands)
    }

    /// The ask of a task.
    pub(crate) async fn taken_up(
        &self,
        name: &TaskName,
    ) -> Result<D::AwaitedAsk, ToolError<D::Error>> {
        let resumed = self.desk.resume(&name.ask, self.hold).await;
        resumed.map_err(ToolError::Desk)
    }

    /// Takes the ask of a task back; one that has ended stays as it is.
    pub(crate) async fn cancel(&self, name: &TaskName) -> Result<(), ToolError<D::Error>> {
        let waiting = self.taken_up(name).await?;
        let standing = waiting.standing().map_err(ToolError::Desk)?;
        if standing.ended.is_none() {
            waiting.withdraw(CANCELLED).await;
        }
        Ok(())
    }

    async fn handed_over(&self, (name, standing): &(TaskName, AskStanding)) {
        if standing.ended.is_some() {
            self.desk.confirm(&name.ask).await;
        }
    }

    /// Tells the person something.
    pub(crate) async fn notify(&self, text: &str) -> Result<String, ToolError<D::Error>> {
        let told = self.desk.note(text, self.agent).await;
        told.map_err(ToolError::Desk)?;
        Ok(write_told())
    }

    /// How the ask ended, or that it is still open at the end of the hold.
    async fn hold(
        &self,
        mut waiting: D::AwaitedAsk,
        matter: Matter,
        dropped: impl Future<Output = ()> + Send,
        id: Id,
    ) -> Result<String, ToolError<D::Error>> {
        let left = tokio::select! {
            biased;
            ended = timeout(self.hold, waiting.ended()) => {
                let ended = ended.ok().transpose().map_err(ToolError::Desk)?.flatten();
                return Ok(self.told(&waiting.id(), &matter, ended.as_ref()).await);
            }
            () = dropped => self.desk.dropped(),
            left = self.desk.left() => left,
        };
        let name = waiting.id();
        match (left, id) {
            (Left::Cancelled, _) | (Left::Gone, Id::Untold) => waiting.withdraw(CANCELLED).await,
            // It can come back to it.
            (Left::Gone, Id::Told) | (Left::Stopping, _) => {}
        }
        Ok(write_ask(&name, &matter, None))
    }

    async fn told(&self, id: &str, matter: &Matter, ended: Option<&Ended>) -> String {
        if ended.is_some() {
            self.desk.confirm(id).await;
        }
        write_ask(id, matter, ended)
    }

    /// The protocol has no conversations: everything of an agent is in one that is named after it.
    fn placed(&self, mut draft: Draft) -> Draft {
        draft.conversation = ConversationName::new(self.agent).ok();
        draft
    }
}

fn stands<W: AwaitedAsk>(kind: TaskKind, waiting: &W) -> Result<(TaskName, AskStanding), W::Error> {
    let ask = waiting.id();
    Ok((TaskName { kind, ask }, waiting.standing()?))
}

/// Whether the program could come back to an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Id {
    /// It has not been told the id.
    Untold,
    /// It has the id.
    Told,
}
