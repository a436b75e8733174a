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
    In stream-json mode, every line passes unchanged, and questions are also asked on your devices; the\n\
    first answer wins. In other modes, this just runs Claude Code. When started with the name\n\
    `claude`, all arguments are for Claude Code. Its path is --bin, else SAYSO_CLAUDE_BIN, else the first other\n\
    `claude` in PATH.")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ClaudeFlags {
    #[command(subcommand)]
    pub(crate) command: Option<ClaudeCommand>,
    /// The path of Claude Code
    #[arg(long, value_name = "PATH")]
    pub(crate) bin: Option<PathBuf>,
    /// Arguments for Claude Code
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) words: Vec<OsString>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClaudeCommand {
    /// Run Claude Code without a terminal; its questions can wait for days
    Run(RunFlags),
    /// Run a program that ends when the program that started it ends
    #[command(hide = true)]
    Tied(TiedFlags),
}

#[derive(Debug, Args)]
pub(crate) struct TiedFlags {
    /// The process that starts it
    pub(crate) parent: u32,
    /// The program and its arguments
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
    Every command, edit, web page and MCP tool needs approval first, unless a rule decides. If nobody\n\
    answers within --hold, Claude Code stops, and resumes where it stopped when the answer arrives.\n\
    Ctrl-C ends the run; after any other end, --resume-all resumes it.")]
pub(crate) struct RunFlags {
    /// What Claude Code should do
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Option<String>,
    /// Resume every unfinished run
    #[arg(long)]
    pub(crate) resume_all: bool,
    /// How long to wait for an answer before Claude Code is stopped and resumed later [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = span::parse, conflicts_with = "resume_all")]
    pub(crate) hold: Option<Duration>,
    /// The path of Claude Code
    #[arg(long, value_name = "PATH")]
    pub(crate) bin: Option<PathBuf>,
    /// More arguments for Claude Code
    #[arg(last = true, value_name = "ARGS", conflicts_with = "resume_all")]
    pub(crate) words: Vec<String>,
}
