//! Subscriptions as they are kept: each a line of JSON, and the file that holds them all.

use sayso_core::id::{Seq, TokenId};
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::book::{Last, PushSubscription};
use super::endpoint::Endpoint;
use super::home::DeviceRecord;
use super::seal::DeviceKeys;
use super::send::Sent;
use crate::newsroom::Device;

/// The form of the file that this version writes.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct File {
    version: u32,
    subscriptions: Vec<Value>,
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

/// The file with these devices.
pub(super) fn write_file(devices: &[DeviceRecord]) -> String {
    let rows = devices.iter();
    let file = File {
        version: VERSION,
        subscriptions: rows
            .filter_map(|record| serde_json::from_str(&record.text).ok())
            .collect(),
    };
    serde_json::to_string(&file).unwrap_or_default()
}

/// The devices in a file.
pub(super) fn read_file(text: &str) -> Result<Vec<DeviceRecord>, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if file.version != VERSION {
        return Err(format!("it has the unknown format {}", file.version));
    }
    let record = |value: Value| {
        let row: Row = serde_json::from_value(value).map_err(|error| error.to_string())?;
        Ok(DeviceRecord {
            key: key(row.device()),
            text: serde_json::to_string(&row).unwrap_or_default(),
        })
    };
    file.subscriptions.into_iter().map(record).collect()
}

/// What a device is kept under: its token, and when that was made.
pub(super) fn key(device: Device) -> String {
    format!("{}-{}", device.token.0, device.made_at.as_millis())
}

/// Writes a subscription.
pub(super) fn write(one: &PushSubscription) -> String {
    serde_json::to_string(&row(one)).unwrap_or_default()
}

impl Row {
    fn device(&self) -> Device {
        Device {
            token: TokenId(self.token),
            made_at: Time::from_millis(self.token_made_at),
        }
    }
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

/// Reads it back; nothing when it cannot be read or its address is no longer allowed.
pub(super) fn read(text: &str, listed: &[String]) -> Option<PushSubscription> {
    let row: Row = serde_json::from_str(text).ok()?;
    Some(PushSubscription {
        device: row.device(),
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
