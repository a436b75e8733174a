//! The subscriptions as they stand in their file.

use sayso_core::id::{Seq, TokenId};
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::book::{Last, PushSubscription};
use super::endpoint::Endpoint;
use super::seal::DeviceKeys;
use super::send::Sent;
use crate::newsroom::Device;

/// The form of the file that this version writes.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct File {
    version: u32,
    subscriptions: Vec<Row>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Row {
    token: u32,
    token_made_at: u64,
    endpoint: String,
    p256dh: String,
    auth: String,
    text: bool,
    since: u64,
    told: u64,
    sent: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<LastRow>,
}

#[derive(Debug, Serialize, Deserialize)]
struct LastRow {
    at: u64,
    how: How,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum How {
    Sent,
    Gone,
    Again,
    Refused,
}

/// Writes subscriptions.
pub(super) fn write(subscriptions: &[PushSubscription]) -> String {
    let file = File {
        version: VERSION,
        subscriptions: subscriptions.iter().map(row).collect(),
    };
    serde_json::to_string(&file).unwrap_or_default()
}

fn row(one: &PushSubscription) -> Row {
    let (p256dh, auth) = one.keys.texts();
    Row {
        token: one.device.token.0,
        token_made_at: one.device.made_at.as_millis(),
        endpoint: one.endpoint.uri.to_string(),
        p256dh,
        auth,
        text: one.text,
        since: one.since.as_millis(),
        told: one.told.0,
        sent: one.sent,
        last: one.last.map(|last| LastRow {
            at: last.at.as_millis(),
            how: match last.how {
                Sent::Taken => How::Sent,
                Sent::Gone => How::Gone,
                Sent::Again { .. } => How::Again,
                Sent::Refused { .. } => How::Refused,
            },
            status: last.how.status(),
        }),
    }
}

/// Reads them back; one whose address is no longer allowed is left out.
pub(super) fn read(text: &str, listed: &[String]) -> Result<Vec<PushSubscription>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.version != VERSION {
        return Err(format!(
            "it is of the form {}, which is not known",
            file.version
        ));
    }
    let rows = file.subscriptions.into_iter();
    Ok(rows.filter_map(|row| subscription(row, listed)).collect())
}

fn subscription(row: Row, listed: &[String]) -> Option<PushSubscription> {
    Some(PushSubscription {
        device: Device {
            token: TokenId(row.token),
            made_at: Time::from_millis(row.token_made_at),
        },
        endpoint: Endpoint::parse(&row.endpoint, listed).ok()?,
        keys: DeviceKeys::parse(&row.p256dh, &row.auth).ok()?,
        text: row.text,
        since: Time::from_millis(row.since),
        told: Seq(row.told),
        sent: row.sent,
        last: row.last.map(|last| Last {
            at: Time::from_millis(last.at),
            how: match last.how {
                How::Sent => Sent::Taken,
                How::Gone => Sent::Gone,
                How::Again => Sent::Again {
                    status: last.status,
                    after: None,
                },
                How::Refused => Sent::Refused {
                    status: last.status,
                },
            },
        }),
    })
}
