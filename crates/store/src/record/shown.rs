//! The bodies of rows about what was on whose screen.

use sayso_core::id::{Seq, TokenId};
use sayso_core::journal::ShownMark;
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::BadRecord;

#[derive(Serialize, Deserialize)]
pub(super) struct ShownRecord {
    ask: String,
    opened: u64,
    device: u32,
    at: u64,
}

impl From<&ShownMark> for ShownRecord {
    fn from(mark: &ShownMark) -> Self {
        Self {
            ask: mark.ask.to_string(),
            opened: mark.opened.0,
            device: mark.device.0,
            at: mark.at.as_millis(),
        }
    }
}

impl TryFrom<ShownRecord> for ShownMark {
    type Error = BadRecord;

    fn try_from(record: ShownRecord) -> Result<Self, BadRecord> {
        Ok(Self {
            ask: record.ask.parse().map_err(BadRecord::impossible)?,
            opened: Seq(record.opened),
            device: TokenId(record.device),
            at: Time::from_millis(record.at),
        })
    }
}
