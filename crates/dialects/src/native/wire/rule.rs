//! Rules: what may be answered without a person.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ActKind, By, WireTime};

/// All rules that were not revoked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rules {
    /// The rules, oldest first.
    pub rules: Vec<RuleRow>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleRow {
    /// The id.
    pub id: String,
    /// The version.
    pub version: u32,
    /// What the rule does, as a sentence.
    pub says: String,
    /// What the rule does, in parts.
    #[serde(flatten)]
    pub what: RuleWhat,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<WireTime>,
    /// Whether it is valid now.
    pub live: bool,
    /// Why it has no effect although it has not ended, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// Who made it: a person on a device, or an admin's token.
    pub by: RuleMaker,
    /// When it was made.
    pub made_at: WireTime,
    /// The number of asks it has answered.
    pub hits: u64,
    /// When it last answered an ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<WireTime>,
}

/// What a rule does. It has exactly one of `command`, `preset`, `words`, `tool` and `level`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleWhat {
    /// `allow`, `deny` or `level`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<RuleEffect>,
    /// This command line, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// With `command` or `preset`: only in this folder (absolute path). A preset that only reads
    /// also applies below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// With `command`: only if the agent does not report its folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_cwd: bool,
    /// Every command of this preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Every command that starts with these words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// This tool; with `command` or `preset`, only when this tool runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// With `tool`: conditions on its input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<RuleOnly>>,
    /// The level for everything: `deny`, `ask`, `allow-list` or `full`.
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
    /// Only for agents that speak this dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Only asks for which a program next to the agent followed symbolic links (`action.links`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub links: bool,
    /// A note by the person or admin who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether it is a shadow rule, which decides nothing and only records what it would do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
}

/// The effects of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// Allows it.
    Allow,
    /// Denies it, even if another rule allows it.
    Deny,
    /// Sets the level.
    Level,
}

/// A condition on a tool's input: `input`, or `schema`, or `file`, or `at` with one of the rest.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleOnly {
    /// The hash of the exact input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The hash of the tool's schema; the rule ends when it changes or is no longer reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The file that is edited or written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The file, or the path at `at`, is below this folder and not hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    /// The place in the input, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The value is this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The value is this path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The value is a URL on exactly this host, such as `docs.rs` for `https` on its default port,
    /// or with scheme and port, such as `http://127.0.0.1:8080`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The value is a whole number, at least this; with `max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// The value is a whole number, at most this; with `min`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// The value is `true` or `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boolean: Option<bool>,
}

/// Who made a rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleMaker {
    /// The person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The admin's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin: Option<String>,
}

/// A new rule.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct NewRule {
    /// `allow`, `deny` or `level`.
    pub effect: Option<RuleEffect>,
    /// This command line, word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// With `command` or `preset`: only in this folder (absolute path). A preset that only reads
    /// also applies below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// With `command`: only if the agent does not report its folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_cwd: bool,
    /// Every command of this preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Every command that starts with these words; only admins can allow it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<String>>,
    /// This tool; with `command` or `preset`, only when this tool runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// With `tool`: conditions on its input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<RuleOnly>>,
    /// The level for everything; only admins can set it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// With `level`: when to ask; `on-miss` by default.
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
    /// Only for agents that speak this dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Only asks for which a program next to the agent followed symbolic links (`action.links`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub links: bool,
    /// How long it lasts; by default 30 days, or without end for `deny` and `level`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_s: Option<u64>,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether it is a shadow rule, which decides nothing and only records what it would do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// Commands or tool inputs that it must cover; otherwise it is not made.
    #[serde(rename = "match", default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Commands or tool inputs that it must not cover.
    #[serde(rename = "not_match", default, skip_serializing_if = "Vec::is_empty")]
    pub not_matches: Vec<String>,
}

/// A file of rules: all of them are made, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleFile {
    /// The rules.
    pub rules: Vec<NewRule>,
    /// Whether to revoke every other rule.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replace: bool,
}

/// The rule that a verdict makes when its scope is not `once`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleChoice {
    /// The name of the offer: `exact` (default), a preset, `this-file`, `folder` or `host`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Whom the rule applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<RuleAppliesTo>,
    /// How long it lasts; 30 days by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_s: Option<u64>,
}

/// Whom a rule applies to.
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

/// What can be allowed for more than once; may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Offers {
    /// The offers, narrowest first.
    pub offers: Vec<OfferRow>,
}

/// Something that can be allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferRow {
    /// Its name: `exact`, a preset, `this-file`, `folder` or `host`.
    pub preset: String,
    /// What it allows, as a sentence.
    pub says: String,
    /// Whom it can apply to, and what it would have done to the last asks.
    pub choices: Vec<OfferChoice>,
}

/// Whom an offer can apply to, and what it would have done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OfferChoice {
    /// Whom the rule applies to.
    pub applies_to: RuleAppliesTo,
    /// The number of recent asks that were checked.
    pub asks: u64,
    /// How many of them the rule would have allowed.
    pub allowed: u64,
    /// The ids of those that a person denied.
    pub denied: Vec<String>,
    /// The number of other open asks it would answer immediately.
    pub open: u64,
}

/// Rules suggested from what people decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Suggestions {
    /// The suggestions, most useful first.
    pub suggestions: Vec<SuggestionRow>,
}

/// A suggested rule. Its parts are what `POST /v1/rules` accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SuggestionRow {
    /// What it allows, as a sentence.
    pub says: String,
    /// What the rule does, in parts.
    #[serde(flatten)]
    pub what: RuleWhat,
    /// The ids of asks that a person allowed and that it would have answered, newest first.
    pub asks: Vec<String>,
}

/// What a rule did, or would have done, for the approvals closed since it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RulePast {
    /// The number of approvals checked.
    pub asks: u64,
    /// How many of them the rule covers.
    pub covered: u64,
    /// The ids of those for which a person decided the opposite.
    pub against: Vec<String>,
}

/// An action to test the rules with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct RuleTest {
    /// A shell command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The tool's name; `Bash` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool's input as an agent would send it, instead of a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The hash of the tool's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_schema: Option<String>,
    /// The folder where it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The agent, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The conversation, by id or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Whether a program next to the agent follows symbolic links; by default, if `cwd` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<bool>,
}

/// What the rules decide, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RulingRow {
    /// `allow`, `deny` or `ask`.
    pub ruling: RulingWord,
    /// The rule that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason as one line.
    pub reason: String,
    /// The reasons: one for each command, rule or level that mattered.
    pub because: Vec<BecauseRow>,
    /// The commands of the line; empty if it is not a plain command.
    pub parts: Vec<String>,
    /// Who closed the ask, if it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<By>,
    /// What the test assumed; absent for an ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tested: Option<RuleTested>,
}

/// The rulings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RulingWord {
    /// A rule allows it.
    Allow,
    /// A rule denies it.
    Deny,
    /// A person must decide.
    Ask,
}

sayso_core::words! { RulingWord: Allow = "allow", Deny = "deny", Ask = "ask" }

/// A reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BecauseRow {
    /// The index of the command, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<u64>,
    /// The rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The explanation.
    pub why: String,
}

/// The presets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Presets {
    /// The rows.
    pub presets: Vec<PresetRow>,
}

/// A preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PresetRow {
    /// Its name.
    pub name: String,
    /// The commands it covers.
    pub command: String,
    /// What it does.
    pub says: String,
}

/// What a test of the rules assumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleTested {
    /// The tool.
    pub tool: String,
    /// What the action does.
    pub act: ActKind,
    /// The agent; without one, rules for one agent don't apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Whether links count as followed.
    #[serde(default)]
    pub links: bool,
}
