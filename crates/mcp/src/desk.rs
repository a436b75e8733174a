//! Where the tools ask: what differs between those who serve them.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use sayso_core::ask::{Draft, Matter};
use sayso_core::time::Time;
use sayso_dialects::Ended;

/// Where the tools ask. Cheap to clone.
pub trait Desk: fmt::Debug + Clone + Send + Sync + 'static {
    /// Why something could not be done.
    type Error: DeskError;
    /// An ask that is waited for.
    type AwaitedAsk: AwaitedAsk<Error = Self::Error>;

    /// What the program goes by that says this name of itself.
    fn agent(&self, said: Option<String>) -> String;

    /// Asks as this agent.
    fn ask(
        &self,
        draft: Draft,
        agent: &str,
    ) -> impl Future<Output = Result<Self::AwaitedAsk, Self::Error>> + Send;

    /// Goes on waiting for an ask that was made before. Whoever cannot be reached for a moment is
    /// waited for, so long.
    fn resume(
        &self,
        id: &str,
        patience: Duration,
    ) -> impl Future<Output = Result<Self::AwaitedAsk, Self::Error>> + Send;

    /// An ask as it stands: what it is about, and how it ended if it has.
    fn look(
        &self,
        id: &str,
    ) -> impl Future<Output = Result<(Matter, Option<Ended>), Self::Error>> + Send;

    /// Says that the agent has the outcome.
    fn confirm(&self, id: &str) -> impl Future<Output = ()> + Send;

    /// Tells people something, as this agent.
    fn note(&self, text: &str, agent: &str)
    -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Resolves once nobody waits for a call any more, with the reason.
    fn left(&self) -> impl Future<Output = Left> + Send;

    /// What it means that the protocol gives a call up.
    fn dropped(&self) -> Left;
}

/// An ask that is waited for.
pub trait AwaitedAsk: Send {
    /// Why something could not be done.
    type Error: DeskError;

    /// Our id of the ask.
    fn id(&self) -> String;

    /// What it is about.
    fn matter(&self) -> Result<Matter, Self::Error>;

    /// How it stands, as it was last seen.
    fn standing(&self) -> Result<AskStanding, Self::Error>;

    /// How it ended, once it has; nothing when that was erased. Safe to drop and call again.
    fn ended(&mut self) -> impl Future<Output = Result<Option<Ended>, Self::Error>> + Send;

    /// Takes the ask back, and gives up if that cannot be said.
    fn withdraw(self, note: &'static str) -> impl Future<Output = ()> + Send;
}

/// An ask as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct AskStanding {
    /// What it is about.
    pub matter: Matter,
    /// When it was asked.
    pub asked_at: Time,
    /// When and how it ended, if it has.
    pub ended: Option<(Time, Ended)>,
}

/// Why a desk could not do something; what it displays is told to the agent.
pub trait DeskError: fmt::Display + Send {
    /// Whether it is about an id that nobody knows.
    fn is_unknown(&self) -> bool;
}

/// Why nobody waits for a call any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The program no longer wants it.
    Cancelled,
    /// The program is gone, and may come back to an ask whose id it knows.
    Gone,
    /// We go, and come back.
    Stopping,
}
