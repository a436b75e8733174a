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
    /// Connect an AG-UI server, such as Agno's AgentOS
    Agui(AguiFlags),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso bridge agui http://127.0.0.1:7777          # an AgentOS: asks people about paused runs\n  \
    sayso bridge agui http://127.0.0.1:7777/agui     # an endpoint: `sayso say` can message its agent\n  \
    sayso bridge agui http://127.0.0.1:7777 --only billing --timeout 8h\n  \
    sayso bridge agui https://agents.example/writer --agent writer\n\n\
    The bridge runs until you stop it. It watches an AgentOS that has a database: when a run pauses,\n\
    no matter who started it, people are asked, and the run continues with the answer. For any other\n\
    AG-UI server, a message to the agent starts a run, and people are asked about its interrupts and\n\
    open tool calls. The bridge keeps waiting across restarts of both servers and of itself.\n\
    SAYSO_AGUI_TOKEN is sent to the agent's server as a bearer token.\n\n\
    Exits 0 when stopped, 20 when the agent's server can't be reached at the start, 21 when it rejects\n\
    the token, and 31 when another bridge is already running.")]
pub(crate) struct AguiFlags {
    /// An AG-UI endpoint, or an AgentOS
    pub(crate) url: String,
    /// The name of the agent on your devices [default: its own name]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Watch only the agent with this id in the AgentOS; can be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// URL of the AgentOS of an endpoint [default: the host of URL]
    #[arg(long, value_name = "URL")]
    pub(crate) agent_os: Option<String>,
    /// Only pass on messages, and leave paused runs to another bridge
    #[arg(long, conflicts_with = "only")]
    pub(crate) no_watch: bool,
    /// How often to check the AgentOS
    #[arg(long, value_name = "TIME", value_parser = span::parse, default_value = "2s")]
    pub(crate) every: Duration,
    /// Close an unanswered ask after this time and tell the agent [default: never]
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) timeout: Option<Duration>,
}
