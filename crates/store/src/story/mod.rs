//! The story every store must pass, told through the trait only.
//!
//! Each chapter begins with an empty state and opens it again between its steps, because what a
//! store knows without its disk is not worth testing. A chapter that fails panics: this is test
//! code, behind a feature, and no part of the product.
#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a story that goes wrong stops where it does"
)]

mod chat;
mod identity;
mod life;
mod list;
mod rules;
pub mod sample;
mod secret;
mod stage;
mod stats;
mod steps;
mod turns;

pub use chat::{
    a_conversation_is_read_from_both_ends, conversations_are_listed_by_their_latest_entry,
    what_waits_and_runs_comes_back,
};
pub use identity::{a_new_epoch_voids_what_was_open, begins_empty, identities_come_back};
pub use life::{an_ask_lives, events_come_in_order_and_in_pages, every_record_reads_back};
pub use list::{asks_are_found, lists_page_without_gap_or_repeat, search_finds_words};
pub use rules::{rules_come_back, what_was_denied_is_never_forgotten};
pub use secret::{an_erased_ask_leaves_its_place, secrets_last_until_confirmed};
pub use stats::statistics_add_up;
pub use steps::{an_ask_has_its_steps, an_ask_was_shown};
pub use turns::{
    a_dropped_turn_leaves_nothing, a_turn_after_another_place_is_refused, turns_follow_each_other,
};

use crate::Store;

/// Tells every chapter. `fresh` makes an empty state and gives what opens it, again and again.
pub async fn all<S, O, F>(mut fresh: F)
where
    S: Store,
    O: FnMut() -> S,
    F: FnMut() -> O,
{
    Box::pin(begins_empty(fresh())).await;
    Box::pin(identities_come_back(fresh())).await;
    Box::pin(a_new_epoch_voids_what_was_open(fresh())).await;
    Box::pin(an_ask_lives(fresh())).await;
    Box::pin(every_record_reads_back(fresh())).await;
    Box::pin(events_come_in_order_and_in_pages(fresh())).await;
    Box::pin(asks_are_found(fresh())).await;
    Box::pin(lists_page_without_gap_or_repeat(fresh())).await;
    Box::pin(search_finds_words(fresh())).await;
    Box::pin(statistics_add_up(fresh())).await;
    Box::pin(an_ask_has_its_steps(fresh())).await;
    Box::pin(an_ask_was_shown(fresh())).await;
    Box::pin(secrets_last_until_confirmed(fresh())).await;
    Box::pin(an_erased_ask_leaves_its_place(fresh())).await;
    Box::pin(a_conversation_is_read_from_both_ends(fresh())).await;
    Box::pin(what_waits_and_runs_comes_back(fresh())).await;
    Box::pin(conversations_are_listed_by_their_latest_entry(fresh())).await;
    Box::pin(rules_come_back(fresh())).await;
    Box::pin(what_was_denied_is_never_forgotten(fresh())).await;
    Box::pin(turns_follow_each_other(fresh())).await;
    Box::pin(a_dropped_turn_leaves_nothing(fresh())).await;
    Box::pin(a_turn_after_another_place_is_refused(fresh())).await;
}
