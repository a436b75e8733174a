//! Counts of asks and how they ended.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// Counts of asks, grouped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Stats {
    /// How they are grouped.
    pub by: StatsBy,
    /// The start of the period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<WireTime>,
    /// The end of the period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<WireTime>,
    /// A row for each group.
    pub rows: Vec<StatsRow>,
    /// The position in the journal that these counts reflect.
    pub as_of: u64,
}

/// How asks are grouped.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatsBy {
    /// Not grouped: one row.
    All,
    /// By day.
    #[default]
    Day,
    /// By hour of the day.
    Hour,
    /// By agent.
    Agent,
    /// By kind of ask.
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
    /// The group.
    pub key: String,
    /// How many were asked.
    pub asked: u64,
    /// How many were answered.
    pub answered: u64,
    /// How many were dismissed.
    pub dismissed: u64,
    /// How many expired.
    pub expired: u64,
    /// How many were withdrawn.
    pub withdrawn: u64,
    /// How many answers came from a rule.
    pub by_rule: u64,
    /// How many approvals people allowed.
    pub allowed: u64,
    /// How many approvals people denied.
    pub denied: u64,
    /// The total time agents waited for people, without what rules answered.
    pub waited_ms: u64,
    /// The median time people took to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<u64>,
    /// The 90th percentile of the time people took to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90_ms: Option<u64>,
}
