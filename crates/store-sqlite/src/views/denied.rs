//! What people denied, kept by what it was like: no suggestion is made of anything like it, however
//! long ago that was.

use rusqlite::Connection;
use sayso_core::answer::{Answer, Decision};
use sayso_core::ask::Ask;
use sayso_core::id::Seq;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::policy::denied_likes;
use sayso_store::StoreError;

use super::Views;
use super::rows::run;
use crate::journal::number;

/// Keeps what a person said no to.
pub(super) fn keep(connection: &Connection, opened: Seq, ask: &Ask) -> rusqlite::Result<()> {
    let mut keep = connection
        .prepare_cached("INSERT OR IGNORE INTO denied (likeness, opened) VALUES (?1, ?2)")?;
    for like in denied_likes(&ask.matter) {
        keep.execute((like, number(opened.0)))?;
    }
    Ok(())
}

/// Whether a person said no to an act as it was asked.
pub(super) fn is_no(closing: &Closing) -> bool {
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
        self.read(|view| {
            let mut statement =
                view.prepare_cached("SELECT 1 FROM denied WHERE likeness = ?1 LIMIT 1")?;
            let mut found = Vec::new();
            for like in likes {
                if statement.exists([like])? {
                    found.push(like.clone());
                }
            }
            Ok(found)
        })
    }
}
