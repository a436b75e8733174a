//! What only the server says: log-in codes, backups, checks and its own health.

use sayso_dialects::native::wire::{Health, WireTime};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Nothing to say.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Nothing {}

/// Asks for a one-time code.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct NewLogin {
    /// Who is to log in; the local person when absent.
    #[serde(default)]
    pub(crate) person: Option<String>,
}

/// A one-time code: good once, for two minutes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LoginCode {
    /// The code.
    pub(crate) code: String,
    /// The page with the code in its fragment, which browsers do not send.
    pub(crate) url: String,
    /// When it is no longer good.
    pub(crate) expires_at: WireTime,
}

/// Asks for a copy of the journal.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct BackupRequest {
    /// Where to write it on the server's machine: an absolute path that does not exist yet.
    pub(crate) file: String,
}

/// A copy was written.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BackupMade {
    /// Where it is.
    pub(crate) file: String,
}

/// What a walk over the whole journal found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VerifyReport {
    /// How many events there are.
    pub(crate) events: u64,
    /// How many of them have had their text erased.
    pub(crate) erased: u64,
    /// What is wrong; empty when all is well.
    pub(crate) faults: Vec<String>,
}

/// Whether the server can be used, for everyone to see.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Alive {
    /// `ok`, or `try_later` while nothing can be written.
    pub(crate) status: &'static str,
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
