//! The flags of `sayso rules`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use crate::span;

#[derive(Debug, Args)]
pub(crate) struct RulesFlags {
    /// Act as the admin of this machine, who can make any rule
    #[arg(long, global = true)]
    pub(crate) admin: bool,
    #[command(subcommand)]
    pub(crate) command: RulesCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// List rules, how often each was used, and when it ends
    List(RuleListFlags),
    /// List presets: vetted sets of commands that a rule can allow
    Presets,
    /// Suggest rules: what you allowed repeatedly while nothing like it was denied
    Suggest(RuleListFlags),
    /// Make a rule
    Add(AddRuleFlags),
    /// Show what the rules decide for a command, and why; nothing is run or asked
    Test(TestRuleFlags),
    /// Show what the rules decide for an ask, and why
    Explain(ExplainFlags),
    /// Show what a rule did, or what a shadow rule would have done, since it was made
    Past(RevokeRuleFlags),
    /// Activate a shadow rule
    Activate(RevokeRuleFlags),
    /// Revoke a rule immediately
    Revoke(RevokeRuleFlags),
    /// Print the rules as TOML, or write them to a new file
    Export(ExportFlags),
    /// Make all rules of a file, or none
    Import(ImportFlags),
}

#[derive(Debug, Args)]
pub(crate) struct RuleListFlags {
    /// One rule per line as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("about").args(["what", "preset", "tool", "level"]).required(true).multiple(true)),
    after_help = "Examples:\n  \
        sayso rules add allow \"git status\" --cwd .\n  \
        sayso rules add allow --preset git-log --cwd . --agent coder --expires 7d\n  \
        sayso rules add deny \"rm -rf\"\n  \
        sayso rules --admin add allow \"npm run\" --words\n  \
        sayso rules add allow --tool mcp__db__query --input '{\"table\":\"users\"}' --agent coder\n  \
        sayso rules --admin add level --level ask --agent intern\n\n\
        An allow rule covers exactly these words, in the folder of --cwd. A deny rule also covers them with\n\
        more words after them, inside other commands, and in every folder. An allow rule lasts 30 days by\n\
        default. Wider rules need --admin."
)]
pub(crate) struct AddRuleFlags {
    /// What the rule does
    #[arg(value_enum)]
    pub(crate) effect: EffectFlag,
    /// The command as you would type it; with --preset, an example that the preset must cover
    #[arg(value_name = "COMMAND")]
    pub(crate) what: Option<String>,
    /// Every command of this preset; `sayso rules presets` lists them
    #[arg(long, value_name = "NAME", conflicts_with = "level")]
    pub(crate) preset: Option<String>,
    /// Every command that starts with these words
    #[arg(long, requires = "what", conflicts_with_all = ["preset", "tool", "level"])]
    pub(crate) words: bool,
    /// Only when this tool runs it; without a command, every use of the tool
    #[arg(long, value_name = "T")]
    pub(crate) tool: Option<String>,
    /// Only with this exact input of the tool
    #[arg(long, value_name = "JSON", requires = "tool", conflicts_with = "what")]
    pub(crate) input: Option<String>,
    /// Only while the tool's schema has this hash, which its asks show
    #[arg(
        long,
        value_name = "sha256:HEX",
        requires = "tool",
        conflicts_with = "what"
    )]
    pub(crate) schema: Option<String>,
    /// The level for everything: deny, ask, allow-list or full
    #[arg(long, value_name = "LEVEL", conflicts_with_all = ["what", "tool"])]
    pub(crate) level: Option<String>,
    /// With --level, when to ask: always, on-miss or off
    #[arg(long, value_name = "MODE", requires = "level")]
    pub(crate) mode: Option<String>,
    /// Only for this agent, by id or name
    #[arg(long, value_name = "A")]
    pub(crate) agent: Option<String>,
    /// Only in this folder; a preset that only reads also applies below it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["words", "level", "input"])]
    pub(crate) cwd: Option<String>,
    /// Only in this workspace: a folder, or the name that agents use. Without --cwd, a command is
    /// allowed in exactly this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<String>,
    /// How long it lasts, such as 12h or 30d
    #[arg(long, value_name = "TIME", value_parser = span::parse)]
    pub(crate) expires: Option<Duration>,
    /// A note on why
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// Make a shadow rule: it decides nothing; `sayso rules past` shows what it would have done
    #[arg(long)]
    pub(crate) shadow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffectFlag {
    /// Allow it
    Allow,
    /// Deny it, even if another rule allows it
    Deny,
    /// Set the level
    Level,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    sayso rules test \"git status; rm -rf x\" --agent coder\n  \
    sayso rules test --tool Write --input '{\"file_path\":\"a\",\"content\":\"b\"}'\n\n\
    Without --agent, rules for one agent do not apply. The first printed word is allow, deny or ask;\n\
    the exit code is 0 in all three cases.")]
pub(crate) struct TestRuleFlags {
    /// The command
    #[arg(required_unless_present = "input")]
    pub(crate) command: Option<String>,
    /// The input of the tool, as an agent would send it
    #[arg(
        long,
        value_name = "JSON",
        requires = "tool",
        conflicts_with = "command"
    )]
    pub(crate) input: Option<String>,
    /// The tool [default: Bash]
    #[arg(long, value_name = "T")]
    pub(crate) tool: Option<String>,
    /// The hash of the tool's schema
    #[arg(long, value_name = "sha256:HEX", requires = "tool")]
    pub(crate) schema: Option<String>,
    /// As this agent, by id or name
    #[arg(long, value_name = "A")]
    pub(crate) agent: Option<String>,
    /// In this workspace [default: the one around the working directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<String>,
    /// In this folder [default: the working directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// The whole ruling as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainFlags {
    /// The id of the ask
    #[arg(value_name = "ASK")]
    pub(crate) id: String,
    /// The whole ruling as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RevokeRuleFlags {
    #[arg(value_name = "RULE", help = "Its id, such as ru_4")]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ExportFlags {
    /// The path of the new file; an existing file is never overwritten
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportFlags {
    /// The file
    pub(crate) file: PathBuf,
    /// Revoke every rule that is not in it
    #[arg(long)]
    pub(crate) replace: bool,
}

/// The rule that a verdict makes, if it allows more than once.
#[derive(Debug, Args)]
pub(crate) struct RuleChoiceFlags {
    /// With --scope always: the preset to allow instead of this exact action
    #[arg(long, value_name = "NAME", requires = "scope")]
    pub(crate) preset: Option<String>,
    /// With --scope always: whom the rule applies to [default: this agent in this workspace]
    #[arg(long, value_enum, requires = "scope")]
    pub(crate) applies_to: Option<AppliesToFlag>,
    /// With --scope: how long the rule lasts [default: 30d]
    #[arg(long, value_name = "TIME", value_parser = span::parse, requires = "scope")]
    pub(crate) expires: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AppliesToFlag {
    /// This agent, in this workspace
    Agent,
    /// Every agent in this workspace
    Workspace,
}
