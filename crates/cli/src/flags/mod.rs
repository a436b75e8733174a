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

/// Agents ask, people answer, and nothing is lost in between.
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
    /// Print a fresh link to log in to the page
    Open(OpenFlags),
    /// Print a code with which a program pairs itself
    Pair(PairFlags),
    /// Ask a person and wait for the answer
    Ask(AskFlags),
    /// Ask leave for an action; run a command only when it is given
    Approve(ApproveFlags),
    /// Show what waits for an answer
    Inbox(InboxFlags),
    /// Answer, allow, deny or dismiss an ask
    Answer(AnswerFlags),
    /// Say something to an agent
    Say(SayFlags),
    /// Show what has ended, the latest first
    History(HistoryFlags),
    /// Show one ask with everything in it
    Show(ShowFlags),
    /// Say what may be answered without you, and take it back
    Rules(RulesFlags),
    /// Make, list and revoke tokens
    Token(TokenFlags),
    /// List the nodes of a journal in PostgreSQL
    Nodes(NodesFlags),
    /// Make the key that nodes share
    Key(KeyFlags),
    /// Check every entry of the journal
    Verify,
    /// Write a copy of the journal, also while the server runs
    Backup(BackupFlags),
    /// Restore a backup; open asks in it are withdrawn
    Restore(RestoreFlags),
    /// Move the state from its folder to PostgreSQL, or back
    Migrate(MigrateFlags),
    /// Go on after PostgreSQL lost recent events
    Recover(RecoverFlags),
    /// Rebuild lists and search from the journal
    Rebuild,
    /// Erase what was said in an ask, a conversation, by an agent or before a date
    Forget(ForgetFlags),
    /// Give space that erasing freed back to the disk
    Compact,
    /// Show every setting, where it came from, and how the server is
    Doctor,
    /// Set up Claude Code: what it asks is asked on your devices too
    Install(InstallFlags),
    /// Ask what a hook of Claude Code is asked; `install claude` sets it up
    Hook(HookFlags),
    /// Stand in for the claude executable: people answer what it asks
    Claude(ClaudeFlags),
    /// Serve the tools ask, approve, wait, check and notify as an MCP server on stdio
    Mcp(McpFlags),
    /// Ask people what another agent server waits for
    Bridge(BridgeFlags),
    /// Print completions for a shell
    Completions(CompletionsFlags),
    /// Try it: a throwaway server and three agents that ask
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
    /// Give up secrets that the key file can't open; their agents are told to ask again
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
        N<TAB>value. Ctrl-C withdraws the ask. A restart of the server is ridden out."
)]
pub(crate) struct AskFlags {
    /// The question
    pub(crate) question: Option<String>,
    /// Something to choose; what stands behind the first `=` describes it
    #[arg(long, value_name = "LABEL[=DESCRIPTION]", conflicts_with = "file")]
    pub(crate) choice: Vec<String>,
    /// Let several choices be picked
    #[arg(long, requires = "choice", conflicts_with = "file")]
    pub(crate) many: bool,
    /// A short label beside the question
    #[arg(long, value_name = "T", conflicts_with = "file")]
    pub(crate) tag: Option<String>,
    /// A whole ask as JSON, as in POST /v1/asks; `-` reads stdin
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
    /// Give up after this time, such as 90s, 5m or 2h; without it the wait has no end
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) timeout: Option<Duration>,
    /// The conversation it belongs to
    #[arg(long, value_name = "C")]
    pub(crate) conversation: Option<String>,
    /// A name for this ask: running the same again finds it instead of asking twice
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
        Exits 0 when allowed and 10 when denied. With a command, it runs only when allowed, as the person\n\
        may have edited it, and its exit code is passed through; --outcome tells the two apart. Without a\n\
        command, an input that the person edited is printed."
)]
pub(crate) struct ApproveFlags {
    /// The tool that wants to act
    pub(crate) tool: String,
    /// The tool's input as JSON
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// The hash of the tool's schema: a rule made of the answer ends when it changes
    #[arg(long, value_name = "sha256:HEX")]
    pub(crate) schema: Option<String>,
    /// The command to run when allowed
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
    /// Go on and show what comes
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("how").args(["fields", "allow", "deny", "dismiss"])),
    after_help = "Examples:\n  \
        sayso answer 01938d1e --pick Redis\n  \
        sayso answer 01938d1e --question 1 --pick Redis --question 2 --other \"ask Ann\" --note \"from Monday\"\n  \
        sayso answer 01938d1e --fields '{\"port\": 8080}'\n  \
        sayso answer 01938d1e --allow\n  \
        sayso answer 01938d1e --allow --scope always --applies-to workspace\n  \
        sayso answer 01938d1e --deny --note \"not on a Friday\"\n  \
        sayso answer 01938d1e --deny --stop\n\n\
        ID may be shortened as long as it fits one ask. Exits 14 when somebody else was first."
)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that a person types"
)]
pub(crate) struct AnswerFlags {
    /// Which ask
    pub(crate) id: String,
    /// Which question, counted from 1; what follows belongs to it, and it may be repeated
    #[arg(long, value_name = "N")]
    pub(crate) question: Vec<usize>,
    /// A label to choose
    #[arg(long, value_name = "LABEL", conflicts_with_all = ["fields", "allow", "deny", "dismiss"])]
    pub(crate) pick: Vec<String>,
    /// Words of your own
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["fields", "allow", "deny", "dismiss"])]
    pub(crate) other: Vec<String>,
    /// A note to the agent beside the answer
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Vec<String>,
    /// The fields of a form
    #[arg(long, value_name = "JSON", conflicts_with_all = ["question", "note"])]
    pub(crate) fields: Option<String>,
    /// Allow the action
    #[arg(long, conflicts_with = "question")]
    pub(crate) allow: bool,
    /// How far the yes reaches
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
    /// Put the ask aside without an answer
    #[arg(long, conflicts_with = "question")]
    pub(crate) dismiss: bool,
    /// End the agent's turn with it, where the agent can be told
    #[arg(long, conflicts_with_all = ["pick", "other", "fields", "allow"])]
    pub(crate) stop: bool,
    /// Print the ask as it then stands as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeFlag {
    /// This ask only
    Once,
    /// This conversation
    Conversation,
    /// Every equal ask
    Always,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso say coder \"Deploy the shop\"\n  \
    sayso say coder \"and the docs\" --conversation cv_3\n\n\
    Prints `sent` when the agent has it, or `queued` while it is away, works or waits for an answer;\n\
    a queued message is handed over by itself. Without --conversation a new one begins.")]
pub(crate) struct SayFlags {
    #[arg(help = "To whom: the name of an agent, or its id such as ag_7")]
    pub(crate) agent: String,
    /// What
    pub(crate) text: String,
    /// In which conversation of that agent, by id or name
    #[arg(long, value_name = "C")]
    pub(crate) conversation: Option<String>,
    /// Print what became of it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryFlags {
    /// One ask per line as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Only asks with these words in them
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ShowFlags {
    /// Which ask
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
    /// Make a token; it alone is printed on stdout, once
    New(NewTokenFlags),
    /// List the live tokens
    List(TokenListFlags),
    /// Revoke a token; what is connected with it is cut at once
    Revoke(RevokeFlags),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    sayso token new --role agent --name ci\n  \
    sayso token new --role person --person ann --name phone")]
pub(crate) struct NewTokenFlags {
    /// What it is good for
    #[arg(long, value_enum)]
    pub(crate) role: RoleFlag,
    /// What it is called; for a person, the device
    #[arg(long)]
    pub(crate) name: String,
    /// Whose it is; only for people
    #[arg(long, value_name = "P")]
    pub(crate) person: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleFlag {
    /// May ask
    Agent,
    /// May answer
    Person,
    /// May look after the server
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
    Prints the code alone on stdout. It is good once and for ten minutes; the program gets an agent's\n\
    token of its own, which `sayso token revoke` takes back.")]
pub(crate) struct PairFlags {
    #[arg(help = "The language the program speaks, such as whimmy")]
    pub(crate) dialect: String,
    /// What its token is called [default: the dialect and a number]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OpenFlags {
    /// The device may also make and revoke tokens and pair programs
    #[arg(long)]
    pub(crate) admin: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BackupFlags {
    /// Where to; an existing file is never overwritten
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsFlags {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}
