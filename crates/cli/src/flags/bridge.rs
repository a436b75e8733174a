//! The flags of `bridge`.

use std::time::Duration;

use clap::{Args, Subcommand};

use crate::span;

#[derive(Debug, Args)]
pub(crate) struct BridgeFlags {
    #[command(subcommand)]
    pub(crate) command: BridgeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BridgeCommand {
    /// Ask people what an AG-UI server, such as Agno's AgentOS, waits for
    Agui(AguiFlags),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso bridge agui http://127.0.0.1:7777          # an AgentOS: every paused run is asked\n  \
    sayso bridge agui http://127.0.0.1:7777/agui     # and `sayso say` reaches the agent there\n  \
    sayso bridge agui http://127.0.0.1:7777 --only billing --timeout 8h\n  \
    sayso bridge agui https://agents.example/writer --agent writer\n\n\
    It runs until it is stopped. An AgentOS with a database is watched: whoever started a run, what\n\
    it pauses for is asked, and it goes on with the answer. Any other AG-UI server is run from here:\n\
    what is said to the agent starts a run, and its interrupts and open tool calls are asked.\n\
    Restarts of either server, and of the bridge, are ridden out. SAYSO_AGUI_TOKEN is sent as a\n\
    bearer token to the agent's server.\n\n\
    Exits 0 when it is stopped, 20 when nothing answers at the start, and 31 when another bridge is\n\
    there already.")]
pub(crate) struct AguiFlags {
    /// An AG-UI endpoint, or an AgentOS
    pub(crate) url: String,
    /// What the agent is called on your devices [default: its own name]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Watch only the agent of the AgentOS with this id; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// Where the AgentOS of an endpoint is [default: the host of URL]
    #[arg(long, value_name = "URL")]
    pub(crate) agent_os: Option<String>,
    /// Leave paused runs to another bridge, and only pass on what is said
    #[arg(long, conflicts_with = "only")]
    pub(crate) no_watch: bool,
    /// How often the AgentOS is looked at
    #[arg(long, value_name = "TIME", value_parser = span::parse, default_value = "2s")]
    pub(crate) every: Duration,
    /// Close an ask that nobody answers after this time; the agent is told [default: never]
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) timeout: Option<Duration>,
}
