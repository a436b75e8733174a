//! The flags of `sayso migrate`, `sayso recover` and `sayso restore`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso migrate --to postgres://sayso@db.example/sayso\n  \
    sayso migrate --store postgres://sayso@db.example/sayso --to sqlite:/var/lib/sayso\n\n\
    Stop the server first; nodes on PostgreSQL stop automatically. Ids, cursors, tokens and rules stay\n\
    the same. If it is interrupted, run the same command again: until it is done, a server starts only\n\
    on the old place, or on neither.")]
pub(crate) struct MigrateFlags {
    #[arg(
        long,
        value_name = "PLACE",
        help = "The target: postgres://USER@HOST/DB, or sqlite:FOLDER"
    )]
    pub(crate) to: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso recover --store postgres://sayso@db.example/sayso\n  \
    sayso recover --store postgres://sayso@db.example/sayso --accept-loss\n\n\
    Nodes don't start on a database that lost events, for example after an asynchronous standby took\n\
    over. Without --accept-loss, this shows what is known about the loss and changes nothing.")]
pub(crate) struct RecoverFlags {
    /// Continue without the lost events and withdraw all open asks
    #[arg(long)]
    pub(crate) accept_loss: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreFlags {
    /// The backup file
    pub(crate) file: PathBuf,
    /// Revoke every token in the backup; devices and agents need new ones
    #[arg(long)]
    pub(crate) revoke_tokens: bool,
    /// Revoke every rule in the backup that allows something
    #[arg(long)]
    pub(crate) revoke_rules: bool,
}
