//! What the journal says about one ask, step by step.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The history of an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Story {
    /// The steps, in order.
    pub steps: Vec<StepRow>,
}

/// A step, and its entry in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StepRow {
    /// What happened.
    pub what: StepWhat,
    /// When it happened.
    pub at: WireTime,
    /// The position in the journal.
    pub seq: u64,
    /// The hash (hexadecimal) that chains this entry to all earlier ones.
    pub hash: String,
    /// `shown`: the person whose device it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// The asks that are on a device's screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OnScreen {
    /// Their ids, at most 200.
    pub asks: Vec<String>,
}

impl OnScreen {
    /// How many can be told at once.
    pub const ASKS_MAX: usize = sayso_core::limits::SHOWN_ASKS_MAX;
}

/// The steps of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepWhat {
    /// It was asked.
    Asked,
    /// It was on a device's screen. Listed once per device, for at most sixteen devices.
    Shown,
    /// It was closed.
    Closed,
    /// There was a late answer.
    AnsweredLate,
    /// The outcome was sent to the agent.
    Sent,
    /// The agent confirmed the outcome.
    Confirmed,
}
