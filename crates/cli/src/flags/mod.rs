//! The flags of every command, and what `--help` says. Words only: nothing is done here.

mod bridge;
mod claude;
mod forget;
mod install;
mod moving;
mod nodes;
mod rules;

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum, ValueHint};

use crate::exit::Exit;
use crate::settings::flag_help;
use crate::span;

pub(crate) use bridge::{AguiFlags, BridgeCommand, BridgeFlags};
pub(crate) use claude::{ClaudeCommand, ClaudeFlags, RunFlags};
pub(crate) use forget::ForgetFlags;
pub(crate) use install::{HookFlags, InstallFlags, McpFlags};
pub(crate) use moving::{MigrateFlags, RecoverFlags, RestoreFlags};
pub(crate) use nodes::{KeyCommand, KeyFlags, NodesFlags};
pub(crate) use rules::{
    AddRuleFlags, AppliesToFlag, EffectFlag, ExplainFlags, ExportFlags, ImportFlags,
    RevokeRuleFlags, RuleChoiceFlags, RuleListFlags, RulesCommand, RulesFlags, TestRuleFlags,
};

const START: &str = "Start with `sayso demo`, or `sayso serve` in one terminal and `sayso ask \"Ready?\"` in another.";

/// What cannot stand beside the details of a yes. `requires` alone is waived when what it wants is
/// ruled out by another flag.
const NO_YES: [&str; 5] = ["pick", "other", "fields", "deny", "dismiss"];

/// Lets AI agents ask people questions and request approval.
///
/// Without a command, the server is started.
#[derive(Debug, Parser)]
#[command(
    name = "sayso",
    version,
    max_term_width = 100,
    after_help = START,
    after_long_help = format!("{START}\n\n{}", Exit::table())
)]
pub(crate) struct Cli {
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        value_hint = ValueHint::DirPath,
        help = flag_help("--state")
    )]
    pub(crate) state: Option<String>,

    #[arg(
        long,
        global = true,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        help = flag_help("--config")
    )]
    pub(crate) config: Option<String>,

    #[arg(
        long,
        global = true,
        value_name = "URL",
        hide_short_help = true,
        help = flag_help("--store")
    )]
    pub(crate) store: Option<String>,

    #[arg(
        long,
        global = true,
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        hide_short_help = true,
        help = flag_help("--key-file")
    )]
    pub(crate) key_file: Option<String>,

    #[command(flatten)]
    pub(crate) serve: ServeFlags,

    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Start the server
    Serve(ServeFlags),
    /// Print a link to log in to the page
    Open(OpenFlags),
    /// Print a code to pair a program
    Pair(PairFlags),
    /// Ask a person and wait for the answer
    Ask(AskFlags),
    /// Request approval for an action, and run a command if it is allowed
    Approve(ApproveFlags),
    /// List open asks
    Inbox(InboxFlags),
    /// Answer, allow, deny or dismiss an ask
    Answer(AnswerFlags),
    /// Send a message to an agent
    Say(SayFlags),
    /// List closed asks, newest first
    History(HistoryFlags),
    /// Show one ask in full
    Show(ShowFlags),
    /// Manage rules: what is allowed or denied without asking you
    Rules(RulesFlags),
    /// Create, list and revoke tokens
    Token(TokenFlags),
    /// List the nodes that share a journal in PostgreSQL
    Nodes(NodesFlags),
    /// Create the key file that nodes share
    Key(KeyFlags),
    /// Check every entry of the journal for damage
    Verify,
    /// Back up the journal, also while the server is running
    Backup(BackupFlags),
    /// Restore a backup; open asks in it are withdrawn
    Restore(RestoreFlags),
    /// Move the state from its folder to PostgreSQL, or back
    Migrate(MigrateFlags),
    /// Continue after PostgreSQL lost recent events
    Recover(RecoverFlags),
    /// Rebuild lists and search from the journal
    Rebuild,
    /// Erase the text of an ask, of a conversation, of an agent, or before a date
    Forget(ForgetFlags),
    /// Return freed space to the disk
    Compact,
    /// Show all settings, where they come from, and the server's health
    Doctor,
    /// Set up Claude Code to ask on your devices too
    Install(InstallFlags),
    /// Handle a Claude Code hook (set up by `sayso install claude`)
    Hook(HookFlags),
    /// Run Claude Code and answer its questions on your devices
    Claude(ClaudeFlags),
    /// Run an MCP server on stdio with the tools ask, approve, wait, check and notify
    Mcp(McpFlags),
    /// Connect another agent server (AG-UI, AgentOS)
    Bridge(BridgeFlags),
    /// Print shell completions
    Completions(CompletionsFlags),
    /// Try it: a temporary server and three sample agents
    Demo,
    /// Print the man page
    #[command(hide = true)]
    Man,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ServeFlags {
    #[arg(long, value_name = "ADDRESS", help = flag_help("--listen"))]
    pub(crate) listen: Option<String>,
    #[arg(long, value_name = "NAME", help = flag_help("--node"))]
    pub(crate) node: Option<String>,
    /// Discard secrets that the key file can't open; their agents are told to ask again
    #[arg(long)]
    pub(crate) forget_secrets: bool,
}

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("what").args(["question", "file"]).required(true)),
    after_help = "Examples:\n  \
        sayso ask \"Deploy now?\" --choice Yes --choice No\n  \
        sayso ask \"Which cache?\" --choice \"Redis=in memory\" --choice SQLite --timeout 5m\n  \
        sayso ask --file ask.json --json\n\n\
        Prints the chosen labels, then free text, one per line; for several questions each line is\n\
        N<TAB>value. Ctrl-C withdraws the ask. The command keeps waiting across restarts of the server."
)]
pub(crate) struct AskFlags {
    /// The question
    pub(crate) question: Option<String>,
    /// A choice; add a description after `=`
    #[arg(long, value_name = "LABEL[=DESCRIPTION]", conflicts_with = "file")]
    pub(crate) choice: Vec<String>,
    /// Allow more than one choice
    #[arg(long, requires = "choice", conflicts_with = "file")]
    pub(crate) many: bool,
    /// A short label for the question
    #[arg(long, value_name = "T", conflicts_with = "file")]
    pub(crate) tag: Option<String>,
    /// Read the ask from a JSON file, as for POST /v1/asks; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: AskingFlags,
    /// Print the whole outcome as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `ask` and `approve` share.
#[derive(Debug, Args)]
pub(crate) struct AskingFlags {
    /// Give up after this time, such as 90s, 5m or 2h [default: never]
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) timeout: Option<Duration>,
    /// The conversation it belongs to
    #[arg(long, value_name = "C")]
    pub(crate) conversation: Option<String>,
    /// A name for this ask: running the command again with the same key doesn't ask twice
    #[arg(long, value_name = "K")]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("act").args(["input", "command"])),
    after_help = "Examples:\n  \
        sayso approve Bash -- git push --force\n  \
        sayso approve Deploy --input '{\"env\":\"prod\"}' --timeout 10m\n  \
        sayso approve Bash --outcome outcome.json -- make release\n\n\
        Exits 0 when allowed and 10 when denied. A command runs only if it is allowed, with any changes the\n\
        person made, and its exit code is passed through; use --outcome to tell the two apart. Without a\n\
        command, the input is printed if the person changed it."
)]
pub(crate) struct ApproveFlags {
    /// The tool that needs approval
    pub(crate) tool: String,
    /// The tool's input as JSON
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// The hash of the tool's schema; a rule made from the answer ends when it changes
    #[arg(long, value_name = "sha256:HEX")]
    pub(crate) schema: Option<String>,
    /// The command to run if it is allowed
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) asking: AskingFlags,
    /// Write the outcome as JSON to this file, before anything runs
    #[arg(long, value_name = "FILE")]
    pub(crate) outcome: Option<PathBuf>,
    /// Print the whole outcome as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InboxFlags {
    /// One ask per line as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep running and show new asks as they arrive
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("how").args(["fields", "allow", "deny", "dismiss"])),
    after_help = "Examples:\n  \
        sayso answer 01938d1e --pick Redis\n  \
        sayso answer 01938d1e --question 1 --pick Redis --question 2 --other \"ask Ann\" --note \"on Monday\"\n  \
        sayso answer 01938d1e --fields '{\"port\": 8080}'\n  \
        sayso answer 01938d1e --allow\n  \
        sayso answer 01938d1e --allow --scope always --applies-to workspace\n  \
        sayso answer 01938d1e --deny --note \"not on a Friday\"\n  \
        sayso answer 01938d1e --deny --stop\n\n\
        You can shorten ID as long as it matches one ask. Exits 14 if the ask was already closed."
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that a person types"
)]
pub(crate) struct AnswerFlags {
    /// The id of the ask
    pub(crate) id: String,
    /// The number of the question, from 1; the flags after it belong to it; can be repeated
    #[arg(long, value_name = "N")]
    pub(crate) question: Vec<usize>,
    /// The label of a choice
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["fields", "allow", "deny", "dismiss"])]
    pub(crate) pick: Vec<String>,
    /// Your own answer as free text
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["fields", "allow", "deny", "dismiss"])]
    pub(crate) other: Vec<String>,
    /// A note to the agent with the answer
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Vec<String>,
    /// The fields of a form as JSON
    #[arg(long, value_name = "JSON", conflicts_with_all = ["question", "note"])]
    pub(crate) fields: Option<String>,
    /// Allow the action
    #[arg(long, conflicts_with = "question")]
    pub(crate) allow: bool,
    /// How long the approval lasts
    #[arg(long, value_enum, requires = "allow", conflicts_with_all = NO_YES)]
    pub(crate) scope: Option<ScopeFlag>,
    #[command(flatten)]
    pub(crate) rule: RuleChoiceFlags,
    /// Allow it with this input instead
    #[arg(long, value_name = "JSON", requires = "allow", conflicts_with_all = NO_YES)]
    pub(crate) edit: Option<String>,
    /// Deny the action
    #[arg(long, conflicts_with = "question")]
    pub(crate) deny: bool,
    /// Dismiss the ask without an answer
    #[arg(long, conflicts_with = "question")]
    pub(crate) dismiss: bool,
    /// Also end the agent's turn, if the agent supports it
    #[arg(long, conflicts_with_all = ["pick", "other", "fields", "allow"])]
    pub(crate) stop: bool,
    /// Print the resulting ask as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeFlag {
    /// This ask only
    Once,
    /// This conversation
    Conversation,
    /// Every identical ask
    Always,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso say coder \"Deploy the shop\"\n  \
    sayso say coder \"and the docs\" --conversation cv_3\n\n\
    Prints `sent` if the agent has the message, or `queued` if it is disconnected, working or waiting\n\
    for an answer. Queued messages are delivered automatically.")]
pub(crate) struct SayFlags {
    #[arg(help = "The name of the agent, or its id such as ag_7")]
    pub(crate) agent: String,
    /// The message
    pub(crate) text: String,
    /// The conversation of that agent, by id or name [default: a new one]
    #[arg(long, value_name = "C")]
    pub(crate) conversation: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryFlags {
    /// One ask per line as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Only asks that contain these words
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// The maximum number of asks
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ShowFlags {
    /// The id of the ask
    pub(crate) id: String,
    /// The ask as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TokenFlags {
    #[command(subcommand)]
    pub(crate) command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token and print it once
    New(NewTokenFlags),
    /// List valid tokens
    List(TokenListFlags),
    /// Revoke a token and close its connections
    Revoke(RevokeFlags),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso token new --role agent --name ci\n  \
    sayso token new --role person --person ann --name phone")]
pub(crate) struct NewTokenFlags {
    /// The role of the token
    #[arg(long, value_enum)]
    pub(crate) role: RoleFlag,
    /// The name of the token; for a person, the name of the device
    #[arg(long)]
    pub(crate) name: String,
    /// The person who owns it; only with --role person
    #[arg(long, value_name = "P")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleFlag {
    /// Can ask
    Agent,
    /// Can answer
    Person,
    /// Can administer the server
    Admin,
}

#[derive(Debug, Args)]
pub(crate) struct TokenListFlags {
    /// One token per line as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RevokeFlags {
    #[arg(help = "Its name, or its id such as tk_2")]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso pair whimmy\n  \
    sayso pair whimmy --name laptop\n\n\
    Prints only the code on stdout. It works once, within ten minutes. The program gets its own agent\n\
    token, which you can revoke with `sayso token revoke`.")]
pub(crate) struct PairFlags {
    #[arg(help = "The program's dialect, such as whimmy")]
    pub(crate) dialect: String,
    /// The name of its token [default: the dialect and a number]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OpenFlags {
    /// Also let the device create and revoke tokens and pair programs
    #[arg(long)]
    pub(crate) admin: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BackupFlags {
    /// The path of the new file; an existing file is never overwritten
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsFlags {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
