//! Asks and outcomes as text for a terminal. Everything an agent or a person wrote is escaped here.

mod card;
mod field;
mod outcome;
mod progress;
mod rows;
mod story;

pub(crate) use card::{Detail, card};
pub(crate) use outcome::{by, closed, values};
pub(crate) use progress::WalkProgress;
pub(crate) use rows::{Table, cut, headline, short_ids};
pub(crate) use story::story;
