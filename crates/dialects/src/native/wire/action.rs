//! An action to be approved.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// An action as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Action {
    /// The tool's name.
    pub tool: String,
    /// Its input, as the exact text.
    pub input: String,
    /// The hash of the tool's schema, where the asker tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_schema: Option<String>,
    /// What became of links in its paths, where a program beside the agent looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
    /// Where it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the agent says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was recognised in it.
    pub act: Act,
    /// How dangerous it is.
    pub risk: Risk,
    /// Why, most serious first.
    #[serde(default)]
    #[schema(required)]
    pub reasons: Vec<String>,
    /// Which parts of `act.command` the reasons are about.
    #[serde(default)]
    #[schema(required)]
    pub spans: Vec<Span>,
    /// What devices must honour.
    pub flags: Vec<Flag>,
}

/// An action as an agent hands it in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct NewAction {
    /// The tool's name.
    pub tool: String,
    /// Its input, as the exact text.
    pub input: String,
    /// `sha256:` and the hash of the tool's schema, as canonical JSON (RFC 8785): rules are bound to
    /// it, so that a changed schema voids them. Without it only exactly one input of a tool of an MCP
    /// server can be allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_schema: Option<String>,
    /// What became of links in its paths. Say it only where they were followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
    /// Where it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Why the agent wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it does; `other` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Act>,
    /// A hint that can only raise the risk.
    #[serde(
        default,
        deserialize_with = "hint",
        skip_serializing_if = "Option::is_none"
    )]
    pub risk: Option<Risk>,
    /// What devices must honour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
}

/// What a program beside the agent found when it followed the links in the paths of an action.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Links {
    /// Whether the working folder and every path that the action names were followed.
    pub resolved: bool,
    /// Paths that lie in the workspace by their text and lead out of it through a link: no rule
    /// allows an action with one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub escapes: Vec<String>,
}

/// What an action does. Which keys are there depends on `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Act {
    /// Which kind.
    pub kind: ActKind,
    /// `shell`: the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// `edit`, `write`: which file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `edit`: what is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// `edit`: what would be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// `write`: what would be in the file.
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

/// How dangerous an action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// It only reads inside the workspace.
    Low,
    /// Everything between.
    #[serde(alias = "normal")]
    Medium,
    /// Needs a second, deliberate gesture.
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
    /// The index of the reason that is about it.
    pub reason: u32,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

/// What devices must honour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// No is what Enter presses.
    DefaultNo,
    /// No rule may be offered.
    NoAlways,
    /// No rule may answer it.
    NeedsPerson,
}
