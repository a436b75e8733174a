//! The flags of `sayso claude`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand};

use crate::span;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso claude -- -p --input-format stream-json --output-format stream-json --verbose\n  \
    ln -s $(command -v sayso) claude    # an executable for `cli_path` of an SDK app\n\n\
    In stream-json mode every line passes as it is, and what is asked is asked on your devices too; the\n\
    first answer wins. In other modes it becomes the CLI. Started under the name `claude`, all words are\n\
    for the CLI. The CLI is --bin, else SAYSO_CLAUDE_BIN, else the first other `claude` in PATH.")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ClaudeFlags {
    #[command(subcommand)]
    pub(crate) command: Option<ClaudeCommand>,
    /// The CLI itself
    #[arg(long, value_name = "PATH")]
    pub(crate) bin: Option<PathBuf>,
    /// Words for the CLI
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) words: Vec<OsString>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClaudeCommand {
    /// Run Claude Code without a terminal; its questions may wait for days
    Run(RunFlags),
    /// Become a program that ends with the one who started it
    #[command(hide = true)]
    Tied(TiedFlags),
}

#[derive(Debug, Args)]
pub(crate) struct TiedFlags {
    /// Who starts it
    pub(crate) parent: u32,
    /// The program and its words
    #[arg(last = true, required = true)]
    pub(crate) words: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("which").args(["prompt", "resume_all"]).required(true)),
    after_help = "Examples:\n  \
    sayso claude run \"Tidy up the docs\"\n  \
    sayso claude run \"Tidy up\" --hold 10m -- --model opus\n  \
    sayso claude run --resume-all       # after a reboot; docs/claude-code.md has a service for it\n\n\
    Every command, edit, page and MCP tool is asked about first, unless a rule answers. When nobody\n\
    answers within --hold, Claude Code ends, and is started again where it stopped once somebody has.\n\
    Ctrl-C gives the run up; after anything else that ends it, --resume-all goes on with it.")]
pub(crate) struct RunFlags {
    /// What Claude Code is to do
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,
    /// Go on with every run that is not over
    #[arg(long)]
    pub(crate) resume_all: bool,
    /// How long to wait for an answer before Claude Code is let go [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = span::parse, conflicts_with = "resume_all")]
    pub(crate) hold: Option<Duration>,
    /// The CLI itself
    #[arg(long, value_name = "PATH")]
    pub(crate) bin: Option<PathBuf>,
    /// Further words for the CLI
    #[arg(last = true, value_name = "ARGS", conflicts_with = "resume_all")]
    pub(crate) words: Vec<String>,
}
