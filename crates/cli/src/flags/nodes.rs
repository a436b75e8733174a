//! The flags of `sayso nodes` and `sayso key`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso nodes\n  \
    sayso nodes --json --store postgres://sayso@db.example/sayso\n\n\
    A node is `fresh` while its writes reach the database, `silent` when they have not for a second (it\n\
    then answers nothing), and `gone` after three seconds.")]
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
    /// Make a key file; an existing file is never overwritten
    New {
        /// Path of the new key file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
}
