//! The flags of what is set up inside other programs: hooks, MCP, `sayso install`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::span;

#[derive(Debug, Args)]
#[command(
    after_help = "Claude Code runs this command and writes to its stdin. It prints the decision of a person, or\n\
    nothing, in which case Claude Code asks in the terminal as usual. It always exits 0."
)]
pub(crate) struct HookFlags {
    /// The `timeout` of the hook in Claude Code; the ask closes then
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) timeout: Option<Duration>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    claude mcp add sayso -- sayso mcp\n  \
    claude -p \"Tidy up\" --mcp-config mcp.json --permission-prompt-tool mcp__sayso__approve")]
pub(crate) struct McpFlags {
    /// How long `ask` and `wait` wait before they report that the ask is still open [default: 50s]
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) hold: Option<Duration>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso install claude\n  \
    sayso install claude --project\n  \
    sayso install claude --uninstall\n\n\
    Edits ~/.claude/settings.json: shows the changes, saves the old file next to it, and changes\n\
    nothing if it is up to date.")]
pub(crate) struct InstallFlags {
    /// The program to set up
    #[arg(value_enum)]
    pub(crate) program: ProgramFlag,
    /// Only for the project in this folder (.claude/settings.json)
    #[arg(long)]
    pub(crate) project: bool,
    /// Remove the sayso hooks
    #[arg(long)]
    pub(crate) uninstall: bool,
    /// Print the new settings without changing anything
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramFlag {
    /// Claude Code
    Claude,
}
