//! What `sayso forget` takes.

use clap::{ArgGroup, Args};
use sayso_dialects::native::wire::WireTime;

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).multiple(true).args(["id", "conversation", "agent", "before"]),
    after_help = "Open asks, queued messages and conversations with a running turn are not erased.\n\
    Erased text can't be restored; the journal keeps only the fact that it existed."
)]
pub(crate) struct ForgetFlags {
    /// The id of the ask
    #[arg(conflicts_with_all = ["conversation", "agent", "before"])]
    pub(crate) id: Option<String>,
    /// Erase a conversation: its closed asks, messages, tool notes and what the agent said
    #[arg(long, value_name = "NAME")]
    pub(crate) conversation: Option<String>,
    /// Erase everything of an agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Erase only what is older than this: 2026-11-01 or 2026-11-01T08:00:00Z
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) before: Option<WireTime>,
    /// Erase without confirmation; required with --conversation, --agent and --before
    #[arg(long)]
    pub(crate) yes: bool,
}

/// A date, from its first moment in UTC, or a date and time.
fn date(text: &str) -> Result<WireTime, String> {
    let moment = match text.strip_suffix('Z') {
        None => format!("{text}T00:00:00.000Z"),
        Some(moment) if !moment.contains('.') => format!("{moment}.000Z"),
        Some(_) => text.to_owned(),
    };
    sayso_dialects::time::parse(&moment)
        .map(WireTime)
        .ok_or_else(|| "is not a date such as 2026-11-01 or 2026-11-01T08:00:00Z".to_owned())
}
