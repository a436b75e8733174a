//! What a store must do: the [`Store`] trait, the records on disk, and the story every store passes.
//!
//! A store appends events durably, in one order, and reads them back; it decides nothing. Nothing
//! in this crate knows a database, and nothing outside a store knows how its bytes lie.
#![warn(missing_docs)]

mod error;
pub mod faults;
mod header;
mod level;
mod neighbours;
mod query;
pub mod record;
mod store;
#[cfg(feature = "story")]
pub mod story;
mod trouble;

pub use error::StoreError;
pub use header::{FORMAT, Header, WRITER};
pub use level::{FormatLevel, LEVEL, LEVELS, needed};
pub use neighbours::{
    CallDecided, CodeKept, CodeKind, HereRow, MakeRoom, Neighbours, NewCode, NodeId, NodeRow,
    NodeState, NodeWord, OfferedIn, Offers, SharedCodes, SharedFile, SharedFileRow, SharedFiles,
    SharedShelf, ShelfRow,
};
pub use query::{
    AskPage, AskQuery, AskRow, ConversationPage, ConversationQuery, ConversationRow, EntryFrom,
    EntryPage, EntryQuery, EntryRow, EntryWhat, SaidQuery, SaidRow, Stats, StatsQuery, StatsRow,
    StatsSplit, Step, StepKind,
};
pub use sayso_core::journal::Kind;
pub use store::{
    Compact, Compacted, Decide, Durability, Head, JournalEntry, Later, Since, Store, StoredAsk,
    StoredEvent, Verified, append,
};
pub use trouble::Trouble;
