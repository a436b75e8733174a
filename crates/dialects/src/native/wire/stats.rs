//! Counts of asks and how they ended.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// Counts of asks, grouped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Stats {
    /// By what they are grouped.
    pub by: StatsBy,
    /// From when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<WireTime>,
    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<WireTime>,
    /// One row for each group.
    pub rows: Vec<StatsRow>,
    /// The place in the journal that these counts know.
    pub as_of: u64,
}

/// By what asks are grouped.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatsBy {
    /// Not at all: one row.
    All,
    /// By day.
    #[default]
    Day,
    /// By hour of the day.
    Hour,
    /// By agent.
    Agent,
    /// By what they are about.
    Matter,
    /// By tool; approvals only.
    Tool,
}

sayso_core::words! {
    StatsBy: All = "all", Day = "day", Hour = "hour", Agent = "agent", Matter = "matter", Tool = "tool"
}

/// The counts of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatsRow {
    /// Which group.
    pub key: String,
    /// How many were asked.
    pub asked: u64,
    /// How many were answered.
    pub answered: u64,
    /// How many were put aside.
    pub dismissed: u64,
    /// How many lapsed.
    pub expired: u64,
    /// How many were taken back.
    pub withdrawn: u64,
    /// How many of the answers a rule gave.
    pub by_rule: u64,
    /// How many verdicts of people were a yes.
    pub allowed: u64,
    /// How many verdicts of people were a no.
    pub denied: u64,
    /// How long agents waited for people, all together: whatever a rule did not answer.
    pub waited_ms: u64,
    /// How long half of the answers of people took at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<u64>,
    /// How long nine of ten answers of people took at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90_ms: Option<u64>,
}
