//! How far each stage of the projections has got.

use sayso_core::id::Seq;

use crate::sql::{Sql, SqlError, SqlResult, number, seq};
use crate::values;

/// A stage that follows the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewStage {
    /// Rows, which are cheap.
    Rows,
    /// Text, which is not.
    Text,
}

/// How far each stage has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Rows are made up to here.
    pub rows: Seq,
    /// The chain hash of the journal's row there.
    pub hash: [u8; 32],
    /// Text can be searched up to here.
    pub text: Seq,
    /// Whether erased words have yet to be taken out of the index.
    pub purge: bool,
}

/// How far a stage has got in this view.
pub(crate) fn as_of(view: &dyn Sql, stage: ViewStage) -> SqlResult<Seq> {
    let sql = match stage {
        ViewStage::Rows => "SELECT seq FROM progress WHERE stage = 'rows'",
        ViewStage::Text => "SELECT seq FROM progress WHERE stage = 'text'",
    };
    let found = view.first(sql, values![], |row| seq(row, 0))?;
    found.ok_or_else(|| SqlError::damaged("a stage is missing"))
}

/// How far every stage has got in this view.
pub fn progress(view: &dyn Sql) -> SqlResult<Progress> {
    let hash = "SELECT hash FROM progress WHERE stage = 'rows'";
    let purge = "SELECT seq FROM progress WHERE stage = 'purge'";
    let hash = view.first(hash, values![], |row| row.get::<Option<[u8; 32]>>(0))?;
    Ok(Progress {
        rows: as_of(view, ViewStage::Rows)?,
        hash: hash.flatten().unwrap_or_default(),
        text: as_of(view, ViewStage::Text)?,
        purge: view
            .first(purge, values![], |row| row.get(0))?
            .unwrap_or_default(),
    })
}

/// Says how far the rows have got.
pub(crate) fn put_rows(view: &dyn Sql, progress: &Progress) -> SqlResult<()> {
    view.run(
        "UPDATE progress SET seq = ?1, hash = ?2 WHERE stage = 'rows'",
        values![number(progress.rows.0), progress.hash.as_slice()],
    )
}

/// Says how far the text has got.
pub(crate) fn put_text(view: &dyn Sql, progress: &Progress) -> SqlResult<()> {
    view.run(
        "UPDATE progress SET seq = ?1 WHERE stage = 'text'",
        values![number(progress.text.0)],
    )?;
    view.run(
        "UPDATE progress SET seq = ?1 WHERE stage = 'purge'",
        values![progress.purge],
    )
}
