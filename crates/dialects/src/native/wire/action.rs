//! An action to be approved.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// An action that needs approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Action {
    /// The tool's name.
    pub tool: String,
    /// The input, as the exact text.
    pub input: String,
    /// The hash of the tool's schema, if the agent reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_schema: Option<String>,
    /// What a program next to the agent found about symbolic links in its paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
    /// The folder where it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The agent's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the action does.
    pub act: Act,
    /// The risk.
    pub risk: Risk,
    /// The reasons for the risk, most serious first.
    #[serde(default)]
    #[schema(required)]
    pub reasons: Vec<String>,
    /// The parts of `act.command` that the reasons are about.
    #[serde(default)]
    #[schema(required)]
    pub spans: Vec<Span>,
    /// Flags that devices must respect.
    pub flags: Vec<Flag>,
}

/// A new action.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct NewAction {
    /// The tool's name.
    pub tool: String,
    /// The input, as the exact text.
    pub input: String,
    /// `sha256:` and the hash of the tool's schema, as canonical JSON (RFC 8785). Rules are bound
    /// to it, so a changed schema ends them. Without it, a rule for a tool of an MCP server can
    /// only allow one exact input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_schema: Option<String>,
    /// What is known about symbolic links in its paths. Set it only if they were followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
    /// The folder where it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The agent's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the action does; `other` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Act>,
    /// The agent's own rating; it can only raise the risk.
    #[serde(
        default,
        deserialize_with = "hint",
        skip_serializing_if = "Option::is_none"
    )]
    pub risk: Option<Risk>,
    /// Flags that devices must respect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
}

/// What a program next to the agent found when it followed symbolic links in the paths of an
/// action.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Links {
    /// Whether links were followed in the working folder and in every path of the action.
    pub resolved: bool,
    /// Paths that look like they are in the workspace, but lead out of it through a link. No rule
    /// allows an action with such a path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub escapes: Vec<String>,
}

/// What an action does. Its keys depend on `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Act {
    /// The kind of act.
    pub kind: ActKind,
    /// `shell`: the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// `edit`, `write`: the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `edit`: the old text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// `edit`: the new text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// `write`: the new content of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

impl Act {
    /// An act of this kind with nothing said about it yet.
    pub const fn of(kind: ActKind) -> Self {
        Self {
            kind,
            command: None,
            path: None,
            old: None,
            new: None,
            content: None,
        }
    }
}

/// The kinds of acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActKind {
    /// Runs a shell command.
    Shell,
    /// Replaces a part of a file.
    Edit,
    /// Writes a whole file.
    Write,
    /// Something else.
    Other,
}

/// The risk of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// It only reads inside the workspace.
    Low,
    /// Everything between low and high.
    #[serde(alias = "normal")]
    Medium,
    /// Needs a second, deliberate confirmation.
    High,
}

/// Reads a hint. Older clients send `normal` where they have nothing to say.
fn hint<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Risk>, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Hint {
        Normal,
        Low,
        Medium,
        High,
    }
    Ok(Option::deserialize(input)?.and_then(|hint| match hint {
        Hint::Normal => None,
        Hint::Low => Some(Risk::Low),
        Hint::Medium => Some(Risk::Medium),
        Hint::High => Some(Risk::High),
    }))
}

/// A part of `act.command`, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Span {
    /// The index of the reason.
    pub reason: u32,
    /// The start.
    pub start: u32,
    /// The end (exclusive).
    pub end: u32,
}

/// Flags that devices must respect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Enter means deny.
    DefaultNo,
    /// No rule can be made from it.
    NoAlways,
    /// No rule can answer it.
    NeedsPerson,
}
