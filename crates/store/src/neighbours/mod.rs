//! What the nodes of one journal share beside it: who is alive, words that may be lost, who has a
//! connection where, codes that are good once, small records and files.
//!
//! Nothing that was acknowledged rests on any of this: what must not be lost is in the journal. A store
//! with one writer has no neighbours, and whoever asks keeps such things in its own memory and folder.

mod codes;
mod files;
mod record;
mod shelf;
mod word;

use std::fmt;

use sayso_core::id::{AgentId, Seq, TokenId};
use sayso_core::time::Time;

pub use codes::{CodeKept, CodeKind, NewCode, SharedCodes};
pub use files::{MakeRoom, SharedFile, SharedFileRow, SharedFiles};
pub use shelf::{SharedShelf, ShelfRow};
pub use word::{CallDecided, NodeWord, OfferedIn, Offers};

use crate::store::Later;

/// One start of a process as a node. It is never given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// It wrote to the database within the last second.
    Fresh,
    /// It did not, and serves nothing.
    Silent,
    /// Nothing was heard of it for so long that it counts as dead.
    Gone,
}

/// A node as the others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRow {
    /// Which start of it.
    pub id: NodeId,
    /// What it is called.
    pub name: String,
    /// Where it listens, once it does.
    pub url: Option<String>,
    /// Which version it runs.
    pub version: String,
    /// How it is.
    pub state: NodeState,
    /// The last event it has taken in, as far as it told.
    pub applied: Seq,
    /// When it was last heard of, by the clock of the database.
    pub seen_at: Time,
}

/// An agent that has connections at a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HereRow {
    /// Who.
    pub agent: AgentId,
    /// How many connections it has there.
    pub links: u32,
    /// Since when.
    pub since: Time,
    /// What those connections offer to take.
    pub offers: Offers,
}

/// The other nodes of a journal, and what this one shares with them.
pub trait Neighbours: Send + Sync + fmt::Debug {
    /// Which start this is.
    fn node(&self) -> NodeId;

    /// What this node is called.
    fn node_name(&self) -> &str;

    /// Whether the database acknowledged a write of this node within the last second. While it did not,
    /// another node may have revoked what this one still believes, so nothing may be told to anybody.
    fn is_fresh(&self) -> bool;

    /// Resolves once [`Neighbours::is_fresh`] is no longer this.
    fn no_longer(&self, fresh: bool) -> Later<'_, ()>;

    /// Whether this node is fresh and has taken in, as far as [`Neighbours::tell`] said, all that anybody
    /// wrote until less than a second ago. While it has not, nobody who asks may be answered: it may have
    /// revoked or ended in there what this node still believes. It may still tell of events in their order.
    fn is_current(&self) -> bool;

    /// Resolves once [`Neighbours::is_current`] is this.
    fn becomes_current(&self, current: bool) -> Later<'_, ()>;

    /// Resolves once this node must stop, and says why: the state lives elsewhere, has another life, or has
    /// something in it that only a newer version reads.
    fn ended(&self) -> Later<'_, String>;

    /// The highest level that every live node reads. Nothing above it may be written.
    fn level(&self) -> u32;

    /// Says up to which place this node has taken everything in, and where it listens; told with the next
    /// sign of life.
    fn tell(&self, applied: Seq, url: Option<&str>);

    /// The nodes there are: every one that is alive, and those that were until lately.
    fn nodes(&self) -> Later<'_, Vec<NodeRow>>;

    /// The nodes that were alive a moment ago, this one among them, in order.
    fn alive(&self) -> Vec<NodeId>;

    /// Says something to all other nodes. It may be lost, and comes at most once.
    fn say(&self, word: NodeWord);

    /// Resolves once others said something: who, and what, in the order in which it came.
    fn heard(&self) -> Later<'_, Vec<(NodeId, NodeWord)>>;

    /// Says who has connections here now, and who has none any more.
    fn put_here(&self, here: Vec<HereRow>, gone: Vec<AgentId>) -> Later<'_, ()>;

    /// Who has connections at the other nodes that are alive.
    fn here(&self) -> Later<'_, Vec<(NodeId, HereRow)>>;

    /// Whether this node is the one that does a job only one should do. Who has it keeps it until it is
    /// gone; two may have it for a moment when the database is failing.
    fn seat(&self, job: &str) -> bool;

    /// When a token was last used at any node, as far as that was written down.
    fn last_used(&self, token: TokenId) -> Later<'_, Option<Time>>;

    /// Codes that are good once.
    fn codes(&self) -> &dyn SharedCodes;

    /// Small records.
    fn shelf(&self) -> &dyn SharedShelf;

    /// Files that agents show to people.
    fn files(&self) -> &dyn SharedFiles;
}
