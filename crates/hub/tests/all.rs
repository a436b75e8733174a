//! The hub over a real store, driven through its passes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod suite {
    mod answering;
    mod asking;
    mod controlling;
    mod delivery;
    mod failing;
    mod feed;
    mod folding;
    mod keeping;
    mod leaving;
    mod nodes;
    mod prefilling;
    mod racing;
    mod removing;
    mod ruling;
    mod showing;
    mod talking;
    mod time;
}
