//! The flags of what is set up inside other programs: hooks, MCP, `sayso install`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::span;

#[derive(Debug, Args)]
#[command(
    after_help = "Claude Code runs this and writes to its stdin. It prints a decision when a person made one, and\n\
    nothing in every other case, which leaves the prompt in the terminal as it was. It exits 0 always."
)]
pub(crate) struct HookFlags {
    /// When Claude Code stops waiting for the hook: its `timeout`; the ask then closes by itself
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) timeout: Option<Duration>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    claude mcp add sayso -- sayso mcp\n  \
    claude -p \"Tidy up\" --mcp-config mcp.json --permission-prompt-tool mcp__sayso__approve")]
pub(crate) struct McpFlags {
    /// How long `ask` and `wait` hold a call before they say that the ask is still open [default: 50s]
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) hold: Option<Duration>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso install claude\n  \
    sayso install claude --project\n  \
    sayso install claude --uninstall\n\n\
    Edits ~/.claude/settings.json: shows the difference, keeps the old file beside it, and changes nothing\n\
    when everything is in place.")]
pub(crate) struct InstallFlags {
    /// Which program
    #[arg(value_enum)]
    pub(crate) program: ProgramFlag,
    /// Only for the project in this folder: .claude/settings.json
    #[arg(long)]
    pub(crate) project: bool,
    /// Take our hooks out
    #[arg(long)]
    pub(crate) uninstall: bool,
    /// Print the settings as they would be, and change nothing
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgramFlag {
    /// Claude Code
    Claude,
}
