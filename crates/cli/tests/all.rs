//! The whole binary, from outside: real servers, real commands, exit codes and sentences.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its world stops at once and says where"
)]

mod suite {
    mod approving;
    mod asking;
    mod finding;
    mod keeping;
    mod stage;
    mod trying;
}
