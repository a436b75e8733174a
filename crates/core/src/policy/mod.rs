//! What may be answered without a person.
//!
//! A [`Ruling`] is made for every ask before it is committed, from [`Facts`] that are worked out
//! once and the rules of a [`Policy`]. Nothing here guesses: what cannot be read in one way only is
//! asked.

mod agreement;
mod authority;
mod denial;
mod example;
mod facts;
mod folder;
mod input;
mod jq;
mod look;
mod offer;
mod predicate;
mod preset;
mod recognise;
mod risk;
mod rule;
mod ruling;
mod sensitive;
mod set;
mod shelf;
pub mod shell;
mod suggest;
mod texts;
mod trial;
pub mod vetted;

pub use authority::Authority;
pub use example::{Broken, check_examples};
pub use facts::Facts;
pub use folder::Folder;
pub use offer::{EXACT, Offer, Width, offers, scopes};
pub use predicate::{Must, PathMust, Predicate};
pub use preset::{Miss, Preset};
pub use recognise::act_of;
pub use risk::rate;
pub use rule::{AppliesTo, AskMode, Level, Maker, Rule, Says, Subject, never_offered};
pub use ruling::{Because, Ruled, Ruling};
pub use set::Policy;
pub use suggest::{Decided, Suggestion, denied_likes, suggestions, wanted_likes};
pub use trial::Tried;

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
