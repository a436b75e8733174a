//! The servers that share one journal.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodeList {
    /// The nodes that run or ran recently, by name.
    pub nodes: Vec<ListedNode>,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedNode {
    /// Its name.
    pub node: String,
    /// The URL it listens on; absent until it listens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its version.
    pub version: String,
    /// The state of the node.
    pub state: NodeStanding,
    /// The last position in the journal that it has applied.
    pub applied: u64,
    /// When it was last seen.
    pub seen_at: WireTime,
}

/// The states of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStanding {
    /// It reached the database within the last second and serves requests.
    Fresh,
    /// It did not, and serves no requests.
    Silent,
    /// It has not been seen for 3 s.
    Gone,
}

sayso_core::words! { NodeStanding: Fresh = "fresh", Silent = "silent", Gone = "gone" }

/// Whether a server accepts requests, for load balancers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// Whether it accepts requests.
    pub ready: bool,
    /// The reason, if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
