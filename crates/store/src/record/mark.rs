//! The bodies of rows about asks that say where they stand: how far the news of an outcome got, what
//! was on whose screen, and what was erased.

use sayso_core::id::{AskId, Place, Seq, TokenId};
use sayso_core::journal::{DeliveryMark, ShownMark};
use sayso_core::outcome::Delivery;
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::stored::{Stored, recorded};

#[derive(Serialize, Deserialize)]
#[serde(remote = "DeliveryMark")]
struct MarkRecord {
    #[serde(with = "Stored")]
    ask: AskId,
    #[serde(with = "Stored")]
    opened: Seq,
    #[serde(with = "Stored")]
    delivery: Delivery,
    #[serde(with = "Stored")]
    at: Time,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ShownMark")]
struct ShownRecord {
    #[serde(with = "Stored")]
    ask: AskId,
    #[serde(with = "Stored")]
    opened: Seq,
    #[serde(with = "Stored")]
    device: TokenId,
    #[serde(with = "Stored")]
    at: Time,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Place")]
struct ErasedRecord {
    #[serde(with = "Stored")]
    opened: Seq,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    closed: Option<Seq>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    late: Option<Seq>,
}

recorded! { MarkRecord as DeliveryMark, ShownRecord as ShownMark, ErasedRecord as Place }
