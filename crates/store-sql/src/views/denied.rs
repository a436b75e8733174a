//! What people denied, kept by what it was like: no suggestion is made of anything like it, however
//! long ago that was.

use sayso_core::answer::{Answer, Decision};
use sayso_core::ask::Ask;
use sayso_core::id::Seq;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::policy::denied_likes;

use crate::sql::{Sql, SqlResult, number};
use crate::values;

/// Keeps what a person said no to.
pub(crate) fn keep(connection: &dyn Sql, opened: Seq, ask: &Ask) -> SqlResult<()> {
    for like in denied_likes(&ask.matter) {
        connection.run(
            "INSERT INTO denied (likeness, opened) VALUES (?1, ?2) ON CONFLICT (likeness, opened) DO NOTHING",
            values![&*like, number(opened.0)],
        )?;
    }
    Ok(())
}

/// Whether a person said no to an act as it was asked.
pub(crate) fn is_no(closing: &Closing) -> bool {
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

pub(crate) fn erased(connection: &dyn Sql, opened: Seq) -> SqlResult<()> {
    connection.run(
        "DELETE FROM denied WHERE opened = ?1",
        values![number(opened.0)],
    )
}

/// Which of these were denied.
pub fn denied(view: &dyn Sql, likes: &[String]) -> SqlResult<Vec<String>> {
    let sql = "SELECT 1 FROM denied WHERE likeness = ?1 LIMIT 1";
    let mut found = Vec::new();
    for like in likes {
        let there = view.first(sql, values![like.as_str()], |_| Ok(()))?;
        found.extend(there.map(|()| like.clone()));
    }
    Ok(found)
}
