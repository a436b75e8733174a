//! The hub over a real store, driven through its passes, on whatever ground it stands.

pub(crate) mod answering;
mod asking;
mod controlling;
mod delivery;
mod failing;
mod feed;
mod folding;
pub(crate) mod keeping;
mod leaving;
mod prefilling;
mod removing;
mod ruling;
mod showing;
mod talking;
mod time;
