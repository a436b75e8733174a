//! Every agent face against every person face over the whole binary, and each document line by line.
//!
//! Agents and people are programs written from the documents (testkit's `faces`); nothing here
//! knows how the server reads or writes a language.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot set up its world stops at once and says where"
)]

mod matrix {
    mod documents;
    mod grid;
    mod page;
    mod play;
    mod server;
    mod story;
}
