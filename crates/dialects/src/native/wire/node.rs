//! The servers that share one journal.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::WireTime;

/// The nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NodeList {
    /// Each of them, by its name: those that run, and those that did until lately.
    pub nodes: Vec<ListedNode>,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ListedNode {
    /// Its name.
    pub node: String,
    /// Where it listens; absent until it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its version.
    pub version: String,
    /// How it is.
    pub state: NodeStanding,
    /// The last place in the journal that it has applied.
    pub applied: u64,
    /// When it was last heard of.
    pub seen_at: WireTime,
}

/// How a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStanding {
    /// It reached the database within the last second, and serves.
    Fresh,
    /// It has not, and serves nothing.
    Silent,
    /// Nothing was heard of it for 3 s.
    Gone,
}

sayso_core::words! { NodeStanding: Fresh = "fresh", Silent = "silent", Gone = "gone" }

/// Whether a server takes calls, for load balancers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// Whether it does.
    pub ready: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
