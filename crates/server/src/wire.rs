//! What only the server says: how long things wait, how devices are told, and its own health.

use sayso_dialects::native::wire::{Health, VerifyReport, WireTime};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Nothing to say.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Nothing {}

/// How long things wait and are kept.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Spans {
    /// One row each.
    pub(crate) spans: Vec<SpanRow>,
}

/// A duration.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SpanRow {
    /// What it is: its key in the settings, if it can be set.
    pub(crate) key: String,
    /// How long; without limit if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<u64>,
    /// What it means, as a sentence.
    pub(crate) about: String,
}

/// A request for push notifications, with the subscription of the browser.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewPush {
    /// The URL of the push service.
    pub(crate) endpoint: String,
    /// The keys that encrypt notifications for this device.
    pub(crate) keys: PushKeys,
    /// Whether notifications include the question; otherwise they only say that there is a new ask.
    #[serde(default)]
    pub(crate) text: bool,
}

/// The keys of a subscription, in URL-safe base64.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PushKeys {
    /// Its public key.
    pub(crate) p256dh: String,
    /// Its secret.
    pub(crate) auth: String,
}

/// Whether this device gets push notifications.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PushState {
    /// The key that identifies this server to the browser.
    pub(crate) key: String,
    /// The push notifications of this device; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subscription: Option<PushRow>,
}

/// The push notifications of a device.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PushRow {
    /// The URL of the push service.
    pub(crate) endpoint: String,
    /// Whether notifications include the question.
    pub(crate) text: bool,
    /// Since when this has been so.
    pub(crate) since: WireTime,
    /// The number of notifications that the push service accepted.
    pub(crate) sent: u64,
    /// The result of the last notification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<PushLast>,
}

/// The result of a notification.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PushLast {
    /// When.
    pub(crate) at: WireTime,
    /// The result.
    pub(crate) how: PushHow,
    /// The response of the push service, if it has details.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
}

/// The result of sending a notification.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PushHow {
    /// The push service has it.
    Taken,
    /// The push service no longer knows the device.
    Gone,
    /// Not yet: it is tried again.
    Again,
    /// The push service does not take it.
    Refused,
}

/// Whether the server works; public.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Alive {
    /// `ok`, `try_later` while writes fail or lists are being rebuilt, or `damaged` while an entry
    /// of the journal can't be read.
    pub(crate) status: &'static str,
    /// The reason, if the state is not `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
    /// The version of the server.
    pub(crate) version: &'static str,
}

/// The state of the server, with numbers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FullHealth {
    /// Numbers for everyone who has access.
    #[serde(flatten)]
    pub(crate) health: Health,
    /// Outcomes on their way to their agents.
    pub(crate) owed: u64,
    /// Connections of agents.
    pub(crate) links: u64,
    /// Devices connected to the feed.
    pub(crate) devices: u64,
    /// The last published position in the journal.
    pub(crate) head: u64,
    /// The progress of the lists of closed asks.
    pub(crate) viewed: u64,
    /// The result of checking the whole journal, when it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verified: Option<VerifyReport>,
}
