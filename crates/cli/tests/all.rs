//! The whole binary, from outside: real servers, real commands, exit codes and sentences.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its world stops at once and says where"
)]
#![expect(
    clippy::too_many_lines,
    reason = "tables and stories are read in one go"
)]

mod suite {
    mod agent_socket;
    mod agui;
    mod among_nodes;
    mod approving;
    mod asking;
    mod bad_input;
    mod breaking;
    mod canary;
    mod cutting;
    mod dialect_doors;
    mod encrypted;
    mod feed;
    mod files;
    mod filling;
    mod finding;
    mod flooding;
    mod guards;
    mod hooking;
    mod installing;
    mod keeping;
    mod mcp;
    mod mcp_door;
    mod mcp_tasks;
    mod moving_in;
    mod nebo;
    mod on_postgres;
    mod pairing;
    mod postgres_doors;
    mod postgres_start;
    mod pushing;
    mod racing;
    mod raw;
    mod rim;
    mod roles;
    mod ruling;
    mod running;
    mod scale_out;
    mod sentences;
    mod showing;
    mod socket;
    mod stage;
    mod standing_in;
    mod stopping;
    mod talking;
    mod tight_disk;
    mod trying;
    mod whimmy;
}
