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

/// One span of time.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SpanRow {
    /// What it is about: its key in the settings, where it can be set.
    pub(crate) key: String,
    /// How long; for ever when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<u64>,
    /// What it means.
    pub(crate) about: String,
}

/// Asks for notices to be pushed to this device, as its browser subscribed.
#[derive(Deserialize, ToSchema)]
pub(crate) struct NewPush {
    /// Where its notices go.
    pub(crate) endpoint: String,
    /// What only it can read them with.
    pub(crate) keys: PushKeys,
    /// Whether words of the ask may be in a notice; otherwise it says only that somebody asks.
    #[serde(default)]
    pub(crate) text: bool,
}

/// The keys of a subscription, in base64 for addresses.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PushKeys {
    /// Its public key.
    pub(crate) p256dh: String,
    /// Its secret.
    pub(crate) auth: String,
}

/// Whether notices are pushed to this device.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PushState {
    /// The key by which its browser knows this server.
    pub(crate) key: String,
    /// How it is told; absent when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) subscription: Option<PushRow>,
}

/// How a device is told.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PushRow {
    /// Where its notices go.
    pub(crate) endpoint: String,
    /// Whether words of the ask are in them.
    pub(crate) text: bool,
    /// Since when.
    pub(crate) since: WireTime,
    /// How many notices its push service took.
    pub(crate) sent: u64,
    /// What became of the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last: Option<PushLast>,
}

/// What became of a notice.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PushLast {
    /// When.
    pub(crate) at: WireTime,
    /// How it went.
    pub(crate) how: PushHow,
    /// What the push service answered, where that says more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
}

/// How sending a notice went.
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

/// Whether the server can be used, for everyone to see.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Alive {
    /// `ok`, `try_later` while nothing can be written or lists are rebuilt, or `damaged` while an entry of
    /// the journal cannot be read.
    pub(crate) status: &'static str,
    /// Why, when it is not `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
    /// The version of the server.
    pub(crate) version: &'static str,
}

/// How the server is, with its numbers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FullHealth {
    /// What everyone who may look sees everywhere.
    #[serde(flatten)]
    pub(crate) health: Health,
    /// Outcomes on their way to their agents.
    pub(crate) owed: u64,
    /// Connections of agents.
    pub(crate) links: u64,
    /// Devices that follow the feed.
    pub(crate) devices: u64,
    /// The last published place in the journal.
    pub(crate) head: u64,
    /// How far the lists of closed asks have got.
    pub(crate) viewed: u64,
    /// What the walk over the whole journal found, once it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) verified: Option<VerifyReport>,
}
