//! What people denied, kept by what it was like: no suggestion is made of anything like it, however
//! long ago that was.

use rusqlite::{Connection, OptionalExtension as _};
use sayso_core::answer::{Answer, Decision};
use sayso_core::ask::Matter;
use sayso_core::id::Seq;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::policy::denied_likes;
use sayso_store::StoreError;

use super::Views;
use super::rows::run;
use crate::journal::number;

/// Between what an ask is like; none of it has a control character in it.
const BETWEEN: char = '\u{1f}';

/// What an approval is like, as it is kept until it ends.
pub(super) fn likes(matter: &Matter) -> Option<String> {
    let likes: Vec<String> = denied_likes(matter).into_iter().collect();
    (!likes.is_empty()).then(|| likes.join("\u{1f}"))
}

/// Keeps what a person said no to. It must come before the ask's own row forgets what it was like.
pub(super) fn closed(
    connection: &Connection,
    opened: Seq,
    closing: &Closing,
) -> rusqlite::Result<()> {
    if !said_no(closing) {
        return Ok(());
    }
    let likes: Option<String> = connection
        .prepare_cached(
            "SELECT likes FROM asks WHERE opened = ?1 AND closed IS NULL AND erased = 0",
        )?
        .query_row([number(opened.0)], |row| row.get(0))
        .optional()?
        .flatten();
    let mut keep = connection
        .prepare_cached("INSERT OR IGNORE INTO denied (likeness, opened) VALUES (?1, ?2)")?;
    for like in likes.iter().flat_map(|likes| likes.split(BETWEEN)) {
        keep.execute((like, number(opened.0)))?;
    }
    Ok(())
}

/// Whether a person said no to an act as it was asked.
fn said_no(closing: &Closing) -> bool {
    match (&closing.by, &closing.outcome) {
        (Closer::Person { .. }, Outcome::Answered(Answer::Verdict(verdict))) => {
            match &verdict.decision {
                Decision::Deny { .. } => true,
                // What had to be changed first was not right as it was.
                Decision::Allow { edited_input } => edited_input.is_some(),
            }
        }
        (
            Closer::Person { .. },
            Outcome::Answered(Answer::Replies(_) | Answer::Fields(_))
            | Outcome::Dismissed { .. }
            | Outcome::Expired
            | Outcome::Withdrawn { .. },
        )
        | (Closer::Rule { .. } | Closer::Agent | Closer::Clock, _) => false,
    }
}

pub(super) fn erased(connection: &Connection, opened: Seq) -> rusqlite::Result<()> {
    run(
        connection,
        "DELETE FROM denied WHERE opened = ?1",
        [number(opened.0)],
    )
}

impl Views {
    /// Which of these were denied.
    pub(crate) fn denied(&self, likes: &[String]) -> Result<Vec<String>, StoreError> {
        let (found, _) = self.read_as_of("rows", |view| {
            let mut statement =
                view.prepare_cached("SELECT 1 FROM denied WHERE likeness = ?1 LIMIT 1")?;
            let mut found = Vec::new();
            for like in likes {
                if statement.exists([like])? {
                    found.push(like.clone());
                }
            }
            Ok(found)
        })?;
        Ok(found)
    }
}
