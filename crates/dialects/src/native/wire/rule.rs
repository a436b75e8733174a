//! Rules: what may be answered without a person.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ActKind, By, WireTime};

/// Every rule that was not taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rules {
    /// In the order in which they were made.
    pub rules: Vec<RuleRow>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleRow {
    /// Our id.
    pub id: String,
    /// Which version of it.
    pub version: u32,
    /// What it says, as a sentence.
    pub says: String,
    /// What it says, in parts.
    #[serde(flatten)]
    pub what: RuleWhat,
    /// From when on it no longer holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<WireTime>,
    /// Whether it holds now.
    pub live: bool,
    /// Why it answers nothing although it has not ended, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// Who made it: a person on a device, or an admin's token.
    pub by: RuleMaker,
    /// When.
    pub made_at: WireTime,
    /// How many asks it has answered.
    pub hits: u64,
    /// When it last did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<WireTime>,
}

/// What a rule says. Exactly one of `command`, `preset`, `words`, `tool` and `level` is there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleWhat {
    /// `allow`, `deny` or `level`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<RuleEffect>,
    /// This command line, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// With `command` or `preset`: only in this folder, by its whole path. A preset that only reads holds
    /// below it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// With `command`: only where the agent does not tell its folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_cwd: bool,
    /// Every command of this preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Every command that begins with these words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// This tool; with `command` or `preset`, only as this tool runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// With `tool`: what its input must hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<RuleOnly>>,
    /// How careful to be with everything: `deny`, `ask`, `allow-list` or `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// With `level`: when to ask: `always`, `on-miss` or `off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Only for this agent, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only in this conversation, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Only in this workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Only for agents that speak this language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Only asks with which a program beside the agent says that it followed links (`action.links`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub links: bool,
    /// Why, in the maker's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether it only stands by: it answers nothing, and what it would have done can be told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// Says yes.
    Allow,
    /// Says no, whatever else says yes.
    Deny,
    /// Says how careful to be.
    Level,
}

/// One thing that a tool's input must hold: `input`, or `schema`, or `file`, or `at` with one of the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleOnly {
    /// The hash of the whole input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The hash of the tool's schema: the rule ends when it changes, or is no longer told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The file that is edited or written is this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The file, or the path at `at`, lies below this folder and is not hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    /// Where in the input: a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// It is this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// It is this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// It is a web address at exactly this host, such as `docs.rs` for `https` at its usual port, or
    /// with scheme and port, such as `http://127.0.0.1:8080`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// It is a whole number from here; with `max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// It is a whole number up to here; with `min`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// It is yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boolean: Option<bool>,
}

/// Who made a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleMaker {
    /// Which person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// On which device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Which admin's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin: Option<String>,
}

/// A rule to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct NewRule {
    /// `allow`, `deny` or `level`.
    pub effect: Option<RuleEffect>,
    /// This command line, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// With `command` or `preset`: only in this folder, by its whole path. A preset that only reads holds
    /// below it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// With `command`: only where the agent does not tell its folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_cwd: bool,
    /// Every command of this preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Every command that begins with these words; to allow is for admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// This tool; with `command` or `preset`, only as this tool runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// With `tool`: what its input must hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<RuleOnly>>,
    /// How careful to be with everything; for admins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// With `level`: when to ask; `on-miss` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Only for this agent, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only in this conversation, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Only in this workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Only for agents that speak this language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Only asks with which a program beside the agent says that it followed links (`action.links`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub links: bool,
    /// How long it holds; 30 days when absent, for ever for `deny` and `level`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_s: Option<u64>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether it only stands by: it answers nothing, and what it would have done can be told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// Commands, or inputs of the tool, that it must cover, or it is not made.
    #[serde(rename = "match", default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Commands, or inputs of the tool, that it must not cover.
    #[serde(rename = "not_match", default, skip_serializing_if = "Vec::is_empty")]
    pub not_matches: Vec<String>,
}

/// A whole file of rules: all of them are made, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleFile {
    /// The rules.
    pub rules: Vec<NewRule>,
    /// Whether every other rule is taken back with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replace: bool,
}

/// What rule a verdict makes that allows more than once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleChoice {
    /// Which of the offers; `exact` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// For whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<RuleAppliesTo>,
    /// How long it holds; 30 days when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_s: Option<u64>,
}

/// For whom a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleAppliesTo {
    /// This agent, in this workspace if there is one.
    Agent,
    /// Every agent in this workspace.
    Workspace,
    /// This conversation.
    Conversation,
}

/// What may be allowed for longer than once; empty when nothing may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Offers {
    /// The narrowest first.
    pub offers: Vec<OfferRow>,
}

/// One thing that may be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferRow {
    /// What it is called.
    pub preset: String,
    /// What it means, as a sentence.
    pub says: String,
    /// For whom it may be, and what it would have done to the last asks.
    pub choices: Vec<OfferChoice>,
}

/// For whom an offer may be, and what it would have done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferChoice {
    /// For whom.
    pub applies_to: RuleAppliesTo,
    /// How many of the last asks were looked at.
    pub asks: u64,
    /// How many of them it would have allowed.
    pub allowed: u64,
    /// Which of those a person had denied.
    pub denied: Vec<String>,
    /// How many other asks wait that it would answer at once.
    pub open: u64,
}

/// What could be a rule, going by what people decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Suggestions {
    /// What would have spared people the most, first.
    pub suggestions: Vec<SuggestionRow>,
}

/// One thing that could be a rule. Its parts are what `POST /v1/rules` takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SuggestionRow {
    /// What it would allow, as a sentence.
    pub says: String,
    /// What it would say, in parts.
    #[serde(flatten)]
    pub what: RuleWhat,
    /// The asks to which a person said yes and that it would have answered, newest first.
    pub asks: Vec<String>,
}

/// What a rule did, or would have done, to the approvals that ended since it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RulePast {
    /// How many approvals were looked at.
    pub asks: u64,
    /// How many of them it answers.
    pub covered: u64,
    /// Those of them to which a person said the opposite.
    pub against: Vec<String>,
}

/// An act to hold the rules against.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleTest {
    /// A shell command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The tool's name; `Bash` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool's input, as an agent would send it, instead of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The hash of the tool's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_schema: Option<String>,
    /// Where it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// As this agent, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// In this conversation, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// In this workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Whether a program beside the agent follows links; when absent, it does if `cwd` is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<bool>,
}

/// What the rules say, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RulingRow {
    /// `allow`, `deny` or `ask`.
    pub ruling: RulingWord,
    /// By which rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why, as one line.
    pub reason: String,
    /// Why, one entry for each command, rule or level that mattered.
    pub because: Vec<BecauseRow>,
    /// The commands it was taken apart into; empty when it is no plain command.
    pub parts: Vec<String>,
    /// Who ended the ask, when it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<By>,
    /// As whom and where a test was made; absent for an ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested: Option<RuleTested>,
}

/// The three rulings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RulingWord {
    /// A rule says yes.
    Allow,
    /// A rule says no.
    Deny,
    /// A person must decide.
    Ask,
}

sayso_core::words! { RulingWord: Allow = "allow", Deny = "deny", Ask = "ask" }

/// One thing that mattered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BecauseRow {
    /// Which of the commands, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<u64>,
    /// Which rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What.
    pub why: String,
}

/// The vetted presets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Presets {
    /// One row each.
    pub presets: Vec<PresetRow>,
}

/// One vetted preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PresetRow {
    /// What it is called.
    pub name: String,
    /// Which commands it covers.
    pub command: String,
    /// What it means.
    pub says: String,
}

/// As whom and where rules were tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleTested {
    /// The tool.
    pub tool: String,
    /// What was recognised in its input.
    pub act: ActKind,
    /// As this agent; as no particular one when absent: then rules for one agent say nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// In this conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// In this workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// In this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// As an ask with which a program beside the agent says that it followed links.
    #[serde(default)]
    pub links: bool,
}
