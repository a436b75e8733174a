//! Projections: lists, search, statistics and what a start needs, made from the journal.
//!
//! They can be deleted at any time. Two stages follow the journal, each with its own cursor: rows, which
//! are cheap, and text, which is not.

mod asks;
mod batch;
mod chat;
mod denied;
mod list;
mod lookup;
mod lost;
mod pending;
mod progress;
mod projector_pace;
mod recover;
mod rows;
mod rules;
mod shown;
mod stats;
mod step;
mod text;
mod word;
mod words;

use sayso_core::id::Seq;
use sayso_store::StoreError;

use crate::journal::Found;
use crate::sql::SqlError;

pub use chat::{conversations, empty_conversations, entries, said};
pub use denied::denied;
pub use list::closed;
pub use lookup::{find, find_key, news, remains};
pub use progress::{Progress, ViewStage, progress};
pub use projector_pace::ProjectorPace;
pub use recover::{Known, recover};
pub use shown::{ShownRow, shown, shown_on};
pub use stats::stats;
pub use step::ViewStep;
pub use text::OpenWords;

/// The form of the tables; projections of another are made again.
pub const VERSION: u32 = 10;

/// The tables, in the words of SQLite. The last statement, marked by [`TEXT_TABLE`], is its text index.
pub const TABLES: &str = include_str!("sql/tables.sql");

/// What the statement begins with that makes the text index.
pub const TEXT_TABLE: &str = "CREATE VIRTUAL TABLE";

/// The indexes that can be made once the tables are filled.
pub const INDEXES: &str = include_str!("sql/indexes.sql");

/// Takes down what is wrong with a row; says where the journal ended when it was first noticed.
pub type NoteDamage<'a> = &'a dyn Fn(&Found) -> Seq;

/// What went wrong while projecting.
#[derive(Debug)]
pub enum ViewError {
    /// In the journal, or somewhere that no rebuild mends.
    Journal(StoreError),
    /// In the projections.
    Views(SqlError),
}

impl From<SqlError> for ViewError {
    fn from(error: SqlError) -> Self {
        Self::Views(error)
    }
}

impl From<StoreError> for ViewError {
    fn from(error: StoreError) -> Self {
        Self::Journal(error)
    }
}

impl ViewError {
    /// What a caller is told: nothing is lost, because projections are made again in the background.
    pub fn into_store(self) -> StoreError {
        match self {
            Self::Journal(error) => error,
            Self::Views(error) => StoreError::TryLater {
                detail: format!("the lists: {error}"),
            },
        }
    }
}
