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
mod mark;
mod rule;
pub(crate) mod stored;

use std::borrow::Cow;
use std::sync::Arc;

use sayso_core::ask::Ask;
use sayso_core::id::{AskId, Epoch, TokenId};
use sayso_core::journal::{Event, Kind};
use sayso_core::text::Secret;
use serde::{Deserialize, Serialize};

use chat::{ClearedRecord, HandedRecord, RemovedRecord, TurnEndedRecord};
use rule::RuleRevokedRecord;
use stored::{Disk, Stored};

/// A body that this version cannot make sense of.
#[derive(Debug, thiserror::Error)]
pub enum BadRecord {
    /// Not the JSON we write, or a value in it that we could not have written.
    #[error("a journal body cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// The row is about an ask, and does not say which.
    #[error("a journal row about an ask names no ask")]
    NoAsk,
}

/// Writes the body of an event into `out` and returns the secrets that were left out of it.
///
/// A secret leaves a numbered gap in the body; the store seals the secret itself elsewhere.
pub fn write(event: &Event, out: &mut Vec<u8>) -> Result<Vec<Secret>, BadRecord> {
    let mut secrets = Vec::new();
    match event {
        Event::EpochBegan(epoch) => {
            serde_json::to_writer(out, &EpochRecord { epoch: *epoch })?;
        }
        Event::TokenMade(token) => serde_json::to_writer(out, &Disk(token))?,
        Event::TokenRevoked(token) => {
            serde_json::to_writer(out, &TokenRevokedRecord { token: *token })?;
        }
        Event::AgentMet(agent) => serde_json::to_writer(out, &Disk(agent))?,
        Event::ConversationBegan(conversation) => {
            serde_json::to_writer(out, &Disk(conversation))?;
        }
        Event::Asked(ask) => serde_json::to_writer(out, &Disk(&**ask))?,
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
        Event::Delivered(marks) => serde_json::to_writer(out, &Disk(marks))?,
        Event::Shown(marks) => serde_json::to_writer(out, &Disk(marks))?,
        Event::Erased { place, .. } => serde_json::to_writer(out, &Disk(place))?,
        Event::Cleared {
            conversation,
            places,
        } => {
            let record = ClearedRecord {
                conversation: *conversation,
                places: Cow::Borrowed(places),
            };
            serde_json::to_writer(out, &record)?;
        }
        Event::Messaged(message) => serde_json::to_writer(out, &Disk(&**message))?,
        Event::Handed {
            message,
            conversation,
            opened,
        }
        | Event::Returned {
            message,
            conversation,
            opened,
        } => {
            let record = HandedRecord {
                message: *message,
                conversation: *conversation,
                opened: *opened,
            };
            serde_json::to_writer(out, &record)?;
        }
        Event::Removed {
            message,
            conversation,
            opened,
            by,
        } => {
            let record = RemovedRecord {
                message: *message,
                conversation: *conversation,
                opened: *opened,
                by: Cow::Borrowed(by),
            };
            serde_json::to_writer(out, &record)?;
        }
        Event::Said(said) => serde_json::to_writer(out, &Disk(&**said))?,
        Event::Noted(note) => serde_json::to_writer(out, &Disk(&**note))?,
        Event::TurnEnded { conversation, end } => {
            let record = TurnEndedRecord {
                conversation: *conversation,
                end: *end,
            };
            serde_json::to_writer(out, &record)?;
        }
        Event::RuleMade(rule) => serde_json::to_writer(out, &Disk(&**rule))?,
        Event::RuleRevoked { rule, by } => {
            let record = RuleRevokedRecord {
                rule: *rule,
                by: Cow::Borrowed(by),
            };
            serde_json::to_writer(out, &record)?;
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
    let id = || ask.ok_or(BadRecord::NoAsk);
    Ok(match kind {
        Kind::EpochBegan => {
            let record: EpochRecord = serde_json::from_slice(body)?;
            Event::EpochBegan(record.epoch)
        }
        Kind::TokenMade => Event::TokenMade(value(body)?),
        Kind::TokenRevoked => {
            let record: TokenRevokedRecord = serde_json::from_slice(body)?;
            Event::TokenRevoked(record.token)
        }
        Kind::AgentMet => Event::AgentMet(value(body)?),
        Kind::ConversationBegan => Event::ConversationBegan(value(body)?),
        Kind::Asked => {
            let mut ask: Ask = value(body)?;
            ask.id = id()?;
            Event::Asked(Arc::new(ask))
        }
        Kind::Closed => {
            let (opened, closing) =
                serde_json::from_slice::<closing::ClosedRecord<'_>>(body)?.into_closing(secrets);
            Event::Closed {
                ask: id()?,
                opened,
                closing: Arc::new(closing),
            }
        }
        Kind::AnsweredLate => {
            let (opened, late) =
                serde_json::from_slice::<closing::LateRecord<'_>>(body)?.into_late(secrets);
            Event::AnsweredLate {
                ask: id()?,
                opened,
                late: Arc::new(late),
            }
        }
        Kind::Delivered => Event::Delivered(value(body)?),
        Kind::Shown => Event::Shown(value(body)?),
        Kind::Erased => Event::Erased {
            ask: id()?,
            place: value(body)?,
        },
        Kind::Cleared => {
            let record: ClearedRecord<'_> = serde_json::from_slice(body)?;
            Event::Cleared {
                conversation: record.conversation,
                places: record.places.into_owned(),
            }
        }
        Kind::Messaged => Event::Messaged(Arc::new(value(body)?)),
        Kind::Handed => {
            let record: HandedRecord = serde_json::from_slice(body)?;
            Event::Handed {
                message: record.message,
                conversation: record.conversation,
                opened: record.opened,
            }
        }
        Kind::Returned => {
            let record: HandedRecord = serde_json::from_slice(body)?;
            Event::Returned {
                message: record.message,
                conversation: record.conversation,
                opened: record.opened,
            }
        }
        Kind::Removed => {
            let record: RemovedRecord<'_> = serde_json::from_slice(body)?;
            Event::Removed {
                message: record.message,
                conversation: record.conversation,
                opened: record.opened,
                by: record.by.into_owned(),
            }
        }
        Kind::Said => Event::Said(Arc::new(value(body)?)),
        Kind::Noted => Event::Noted(Arc::new(value(body)?)),
        Kind::TurnEnded => {
            let record: TurnEndedRecord = serde_json::from_slice(body)?;
            Event::TurnEnded {
                conversation: record.conversation,
                end: record.end,
            }
        }
        Kind::RuleMade => Event::RuleMade(Arc::new(value(body)?)),
        Kind::RuleRevoked => {
            let record: RuleRevokedRecord<'_> = serde_json::from_slice(body)?;
            Event::RuleRevoked {
                rule: record.rule,
                by: record.by.into_owned(),
            }
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
    #[serde(with = "Stored")]
    epoch: Epoch,
}

#[derive(Serialize, Deserialize)]
struct TokenRevokedRecord {
    #[serde(with = "Stored")]
    token: TokenId,
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;

#[cfg(test)]
mod wording_tests;
