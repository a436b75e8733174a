//! What couriers ask before they tell: who may still be told, and what there is to tell now.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use sayso_core::id::{AskId, TokenId};
use sayso_core::time::Time;

/// A result that may take a while.
pub type NewsFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A device: its token, and when that was made, because a restored state gives ids again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Device {
    pub token: TokenId,
    /// When the token was made.
    pub made_at: Time,
}

/// Whether a device may be told anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceStanding {
    /// It may.
    Good,
    /// Its token was revoked.
    Revoked,
    /// That cannot be said now, so it is told nothing now.
    Unknown,
}

/// What there is to tell of asks that still wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeContent {
    /// The newest of them.
    pub ask: AskId,
    /// How many of those that were to be told still wait.
    pub count: usize,
    /// Who asks the newest one, escaped.
    pub agent: String,
    /// What it asks, as one escaped line.
    pub line: String,
    /// When it lapses.
    pub until: Option<Time>,
}

/// Who knows what there is to tell, at the moment it is told.
pub trait Newsroom: fmt::Debug + Send + Sync {
    /// Whether this device may still be told anything.
    fn standing(&self, device: Device) -> NewsFuture<'_, DeviceStanding>;

    /// What there is to tell of these asks, oldest first; nothing when none of them waits any more.
    fn told<'a>(&'a self, asks: &'a [AskId]) -> NewsFuture<'a, Option<NoticeContent>>;

    /// What time it is.
    fn now(&self) -> Time;

    /// Waits.
    fn sleep(&self, time: Duration) -> NewsFuture<'_, ()>;
}
