//! The bodies of journal rows: compact JSON, written once and read for ever.
//!
//! These types are the format on disk. A field may be added with a default; none is ever renamed,
//! removed or given another meaning. They are no wire types: an API may change, a journal may not.

mod action;
mod ask;
mod chat;
mod closing;
mod form;
mod identity;
mod rule;
mod shown;
mod stored;

use std::sync::Arc;

use sayso_core::id::{AskId, Epoch, Place, Seq};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::Delivery;
use sayso_core::text::Secret;
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use sayso_core::journal::Kind;

use stored::{Disk, Stored};

/// A body that this version cannot make sense of.
#[derive(Debug, thiserror::Error)]
pub enum BadRecord {
    /// Not the JSON we write.
    #[error("a journal body cannot be read: {0}")]
    Json(serde_json::Error),
    /// JSON, but not a value we could have written.
    #[error("a journal body holds an impossible value: {0}")]
    Impossible(String),
    /// A kind of event that this version does not know.
    #[error("a journal row has the unknown kind {0}")]
    UnknownKind(u16),
}

impl From<serde_json::Error> for BadRecord {
    fn from(error: serde_json::Error) -> Self {
        if error.is_data() {
            return Self::impossible(error);
        }
        Self::Json(error)
    }
}

impl BadRecord {
    fn impossible(what: impl std::fmt::Display) -> Self {
        Self::Impossible(what.to_string())
    }
}

/// Writes the body of an event into `out` and returns the secrets that were left out of it.
///
/// A secret leaves a numbered gap in the body; the store seals the secret itself elsewhere.
pub fn write(event: &Event, out: &mut Vec<u8>) -> Result<Vec<Secret>, BadRecord> {
    let mut secrets = Vec::new();
    match event {
        Event::EpochBegan(epoch) => {
            let epoch = epoch.0.to_string();
            serde_json::to_writer(out, &EpochRecord { epoch })?;
        }
        Event::TokenMade(token) => serde_json::to_writer(out, &Disk(token))?,
        Event::TokenRevoked(token) => {
            serde_json::to_writer(out, &TokenRevokedRecord { token: token.0 })?;
        }
        Event::AgentMet(agent) => serde_json::to_writer(out, &Disk(agent))?,
        Event::ConversationBegan(conversation) => {
            serde_json::to_writer(out, &Disk(conversation))?;
        }
        Event::Asked(ask) => serde_json::to_writer(out, &ask::AskRecord::from(&**ask))?,
        Event::Closed {
            opened, closing, ..
        } => {
            serde_json::to_writer(
                out,
                &closing::ClosedRecord::new(*opened, closing, &mut secrets),
            )?;
        }
        Event::AnsweredLate { opened, late, .. } => {
            serde_json::to_writer(out, &closing::LateRecord::new(*opened, late, &mut secrets))?;
        }
        Event::Delivered(marks) => {
            serde_json::to_writer(out, &marks.iter().map(MarkRecord::from).collect::<Vec<_>>())?;
        }
        Event::Shown(marks) => {
            let records: Vec<_> = marks.iter().map(shown::ShownRecord::from).collect();
            serde_json::to_writer(out, &records)?;
        }
        Event::Erased { place, .. } => serde_json::to_writer(
            out,
            &ErasedRecord {
                opened: place.opened.0,
                closed: place.closed.map(|s| s.0),
                late: place.late.map(|s| s.0),
            },
        )?,
        Event::Cleared {
            conversation,
            places,
        } => serde_json::to_writer(out, &chat::ClearedRecord::new(*conversation, places))?,
        Event::Messaged(message) => {
            serde_json::to_writer(out, &chat::MessageRecord::from(&**message))?;
        }
        Event::Handed {
            message,
            conversation,
            opened,
        }
        | Event::Returned {
            message,
            conversation,
            opened,
        } => serde_json::to_writer(
            out,
            &chat::HandedRecord::new(*message, *conversation, *opened),
        )?,
        Event::Removed {
            message,
            conversation,
            opened,
            by,
        } => serde_json::to_writer(
            out,
            &chat::RemovedRecord::new((*message, *conversation, *opened), by),
        )?,
        Event::Said(said) => serde_json::to_writer(out, &chat::SaidRecord::from(&**said))?,
        Event::Noted(note) => serde_json::to_writer(out, &chat::NoteRecord::from(&**note))?,
        Event::TurnEnded { conversation, end } => {
            serde_json::to_writer(out, &chat::TurnEndedRecord::new(*conversation, *end))?;
        }
        Event::RuleMade(rule) => serde_json::to_writer(out, &rule::RuleRecord::from(&**rule))?,
        Event::RuleRevoked { rule, by } => {
            serde_json::to_writer(out, &rule::RuleRevokedRecord::new(*rule, by))?;
        }
    }
    Ok(secrets)
}

/// Reads a body back. `secrets` gives the secret for each gap, or nothing where it was erased.
pub fn read(
    kind: Kind,
    ask: Option<AskId>,
    body: &[u8],
    secrets: &mut dyn FnMut(usize) -> Option<Secret>,
) -> Result<Event, BadRecord> {
    let id = || ask.ok_or_else(|| BadRecord::impossible("a row about an ask names no ask"));
    Ok(match kind {
        Kind::EpochBegan => {
            let record: EpochRecord = serde_json::from_slice(body)?;
            Event::EpochBegan(Epoch(record.epoch.parse().map_err(BadRecord::impossible)?))
        }
        Kind::TokenMade => Event::TokenMade(value(body)?),
        Kind::TokenRevoked => Event::TokenRevoked(sayso_core::id::TokenId(
            serde_json::from_slice::<TokenRevokedRecord>(body)?.token,
        )),
        Kind::AgentMet => Event::AgentMet(value(body)?),
        Kind::ConversationBegan => Event::ConversationBegan(value(body)?),
        Kind::Asked => Event::Asked(Arc::new(
            serde_json::from_slice::<ask::AskRecord<'_>>(body)?.into_ask(id()?)?,
        )),
        Kind::Closed => {
            let (opened, closing) =
                serde_json::from_slice::<closing::ClosedRecord<'_>>(body)?.into_closing(secrets)?;
            Event::Closed {
                ask: id()?,
                opened,
                closing: Arc::new(closing),
            }
        }
        Kind::AnsweredLate => {
            let (opened, late) =
                serde_json::from_slice::<closing::LateRecord<'_>>(body)?.into_late(secrets)?;
            Event::AnsweredLate {
                ask: id()?,
                opened,
                late: Arc::new(late),
            }
        }
        Kind::Delivered => {
            let records: Vec<MarkRecord> = serde_json::from_slice(body)?;
            Event::Delivered(
                records
                    .into_iter()
                    .map(TryInto::try_into)
                    .collect::<Result<_, _>>()?,
            )
        }
        Kind::Shown => {
            let records: Vec<shown::ShownRecord> = serde_json::from_slice(body)?;
            let marks = records.into_iter().map(TryInto::try_into);
            Event::Shown(marks.collect::<Result<_, _>>()?)
        }
        Kind::Erased => {
            let record: ErasedRecord = serde_json::from_slice(body)?;
            Event::Erased {
                ask: id()?,
                place: Place {
                    opened: Seq(record.opened),
                    closed: record.closed.map(Seq),
                    late: record.late.map(Seq),
                },
            }
        }
        Kind::Cleared => serde_json::from_slice::<chat::ClearedRecord>(body)?.into(),
        Kind::Messaged => Event::Messaged(Arc::new(
            serde_json::from_slice::<chat::MessageRecord<'_>>(body)?.try_into()?,
        )),
        Kind::Handed => serde_json::from_slice::<chat::HandedRecord>(body)?.try_into()?,
        Kind::Returned => serde_json::from_slice::<chat::ReturnedRecord>(body)?.try_into()?,
        Kind::Removed => serde_json::from_slice::<chat::RemovedRecord>(body)?.try_into()?,
        Kind::Said => Event::Said(Arc::new(
            serde_json::from_slice::<chat::SaidRecord<'_>>(body)?.try_into()?,
        )),
        Kind::Noted => Event::Noted(Arc::new(
            serde_json::from_slice::<chat::NoteRecord<'_>>(body)?.try_into()?,
        )),
        Kind::TurnEnded => serde_json::from_slice::<chat::TurnEndedRecord>(body)?.into(),
        Kind::RuleMade => {
            Event::RuleMade(serde_json::from_slice::<rule::RuleRecord>(body)?.try_into()?)
        }
        Kind::RuleRevoked => {
            let (rule, by) =
                serde_json::from_slice::<rule::RuleRevokedRecord>(body)?.into_parts()?;
            Event::RuleRevoked { rule, by }
        }
    })
}

/// The value of core that a body holds.
fn value<T: Stored>(body: &[u8]) -> Result<T, BadRecord> {
    let Disk(value) = serde_json::from_slice(body)?;
    Ok(value)
}

#[derive(Serialize, Deserialize)]
struct EpochRecord {
    epoch: String,
}

#[derive(Serialize, Deserialize)]
struct TokenRevokedRecord {
    token: u32,
}

#[derive(Serialize, Deserialize)]
struct ErasedRecord {
    opened: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    late: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct MarkRecord {
    ask: String,
    opened: u64,
    delivery: DeliveryRecord,
    at: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum DeliveryRecord {
    Owed,
    Sent,
    Confirmed,
}

impl From<&DeliveryMark> for MarkRecord {
    fn from(mark: &DeliveryMark) -> Self {
        Self {
            ask: mark.ask.to_string(),
            opened: mark.opened.0,
            delivery: match mark.delivery {
                Delivery::Owed => DeliveryRecord::Owed,
                Delivery::Sent => DeliveryRecord::Sent,
                Delivery::Confirmed => DeliveryRecord::Confirmed,
            },
            at: mark.at.as_millis(),
        }
    }
}

impl TryFrom<MarkRecord> for DeliveryMark {
    type Error = BadRecord;

    fn try_from(record: MarkRecord) -> Result<Self, BadRecord> {
        Ok(Self {
            ask: record.ask.parse().map_err(BadRecord::impossible)?,
            opened: Seq(record.opened),
            delivery: match record.delivery {
                DeliveryRecord::Owed => Delivery::Owed,
                DeliveryRecord::Sent => Delivery::Sent,
                DeliveryRecord::Confirmed => Delivery::Confirmed,
            },
            at: Time::from_millis(record.at),
        })
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;

#[cfg(test)]
mod wording_tests;
