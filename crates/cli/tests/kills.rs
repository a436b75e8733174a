//! The server killed at every fail point and at random, with the same story told around it.
//!
//! Whoever takes part keeps a ledger of what it sent and what it was told; at the end everything
//! the server says is held against that. The binary is the test build of the command.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot set up its world stops at once and says where"
)]

mod kills {
    mod audit;
    mod cast;
    mod chance;
    mod drafts;
    mod dying;
    mod ground;
    mod ledger;
    mod nodes;
    mod ruling;
    mod smoke;
    mod sometimes;
    mod story;
    mod talking;
    mod venue;
}
