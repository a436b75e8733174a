//! Questions to the projections: history, search, statistics.

use sayso_core::ask::MatterKind;
use sayso_core::id::{AgentId, AskId, ConversationId, Place, Seq};
use sayso_core::outcome::{Delivery, OutcomeKind};
use sayso_core::time::Time;

/// Which closed asks, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskQuery {
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Only about this kind of matter.
    pub matter: Option<MatterKind>,
    /// Only those whose text has all these words.
    pub search: Option<String>,
    /// Only those that were closed before this moment.
    pub closed_before: Option<Time>,
    /// Only those after this row of the page before.
    pub after: Option<Seq>,
    /// How many at most.
    pub limit: usize,
}

/// One page of closed asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskPage {
    /// Where they are.
    pub rows: Vec<AskRow>,
    /// Where the next page starts, if there is one.
    pub next: Option<Seq>,
    /// How far in the journal the projection had got.
    pub as_of: Seq,
}

/// One closed ask, as far as a list needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRow {
    /// Which ask.
    pub ask: AskId,
    /// Where it stands in the journal.
    pub place: Place,
    /// How far the news has got.
    pub delivery: Delivery,
}

/// Which statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatsQuery {
    /// From this moment on.
    pub from: Time,
    /// Up to and without this moment.
    pub to: Time,
    /// How to split them.
    pub by: StatsSplit,
}

/// How statistics are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatsSplit {
    /// By day, in UTC.
    Day,
    /// By agent.
    Agent,
    /// By kind of matter.
    Matter,
}

/// Statistics, and how far they reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// One row for each part.
    pub rows: Vec<StatsRow>,
    /// How far in the journal the projection had got.
    pub as_of: Seq,
}

/// One part of the statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatsRow {
    /// The day, agent or matter.
    pub part: String,
    /// How many ended in which way.
    pub ended: [(OutcomeKind, u64); 4],
    /// Milliseconds from ask to end: the median.
    pub median_ms: u64,
    /// Milliseconds from ask to end: nine of ten were faster.
    pub p90_ms: u64,
}
