//! What the journal says about one ask, step by step.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The story of one ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Story {
    /// What happened.
    pub steps: Vec<StepRow>,
}

/// One step, and the entry of the journal that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepRow {
    /// What happened.
    pub what: StepWhat,
    /// When.
    pub at: WireTime,
    /// Where in the journal.
    pub seq: u64,
    /// The hash, in hexadecimal, that chains the entry there to all before it.
    pub hash: String,
    /// Whose device it was on, where it was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Which device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// The asks that a device has on screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OnScreen {
    /// Their ids, at most 200.
    pub asks: Vec<String>,
}

impl OnScreen {
    /// How many can be told at once.
    pub const ASKS_MAX: usize = sayso_core::limits::SHOWN_ASKS_MAX;
}

/// What can happen to an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepWhat {
    /// It was asked.
    Asked,
    /// A device had it on screen. Each device is told once, sixteen at most.
    Shown,
    /// It ended.
    Closed,
    /// An answer came after its end.
    AnsweredLate,
    /// Its outcome was written to a link of the agent.
    Sent,
    /// The agent said that it has the outcome.
    Confirmed,
}
