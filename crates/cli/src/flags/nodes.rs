//! The flags of `sayso nodes` and `sayso key`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso nodes\n  \
    sayso nodes --json --store postgres://sayso@db.example/sayso\n\n\
    A node is `fresh` while its writes reach the database, `silent` if they haven't for a second (it\n\
    then serves no requests), and `gone` after three seconds.")]
pub(crate) struct NodesFlags {
    /// One node per line as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct KeyFlags {
    #[command(subcommand)]
    pub(crate) command: KeyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Create a key file; an existing file is never overwritten
    New {
        /// Path of the new key file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}
