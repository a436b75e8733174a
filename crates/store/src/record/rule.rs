//! The bodies of rows about rules.

use std::borrow::Cow;

use sayso_core::digest::Digest;
use sayso_core::id::{
    AgentId, ConversationId, DialectName, PersonName, RuleId, TokenName, Workspace,
};
use sayso_core::policy::shell::{Joint, Line, Part};
use sayso_core::policy::{
    AppliesTo, AskMode, Folder, Level, Maker, Must, PathMust, Predicate, Rule, Says, Subject,
};
use sayso_core::time::Time;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::stored::{Stored, recorded};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Rule")]
struct RuleRecord {
    #[serde(rename = "rule", with = "Stored")]
    id: RuleId,
    version: u32,
    #[serde(getter = "SaysRecord::of")]
    says: SaysRecord,
    #[serde(rename = "reach", with = "Stored", default)]
    applies_to: AppliesTo,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    expires: Option<Time>,
    #[serde(with = "Stored")]
    by: Maker,
    #[serde(with = "Stored")]
    made_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct RuleRevokedRecord<'a> {
    #[serde(with = "Stored")]
    pub(super) rule: RuleId,
    #[serde(with = "Stored")]
    pub(super) by: Cow<'a, Maker>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SaysRecord {
    Allow(SubjectRecord),
    Deny(SubjectRecord),
    Level {
        #[serde(with = "Stored")]
        level: Level,
        #[serde(with = "Stored")]
        mode: AskMode,
    },
    /// What a rule that only stands by says. A kind of its own, so that no server that knows nothing
    /// of it takes it for one in force.
    #[serde(deserialize_with = "no_shadow")]
    Shadow(Box<Self>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SubjectRecord {
    Command {
        #[serde(with = "Stored")]
        line: Line,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    /// A command where the asker tells no folder. A kind of its own, so that no server that knows
    /// nothing of it takes it for one that holds anywhere.
    Untold {
        #[serde(with = "Stored")]
        line: Line,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    /// A preset that holds in every folder.
    Form {
        name: String,
        revision: u32,
    },
    /// A preset that holds in a folder, or for a tool; a kind of its own for the same reason.
    Preset {
        name: String,
        revision: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        untold: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    Words(Vec<String>),
    Tool {
        tool: String,
        #[serde(with = "Stored")]
        only: Vec<Predicate>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Line", transparent)]
struct LineRecord {
    #[serde(with = "Stored")]
    parts: Vec<Part>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Part")]
struct PartRecord {
    #[serde(with = "Stored", default = "first", skip_serializing_if = "is_first")]
    joint: Joint,
    argv: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Predicate", rename_all = "snake_case")]
enum PredicateRecord {
    #[serde(with = "Stored")]
    Input(Digest),
    #[serde(with = "Stored")]
    Schema(Digest),
    #[serde(with = "Stored")]
    File(PathMust),
    Value {
        at: String,
        #[serde(with = "Stored")]
        must: Must,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "PathMust", rename_all = "snake_case")]
enum PathRecord {
    Is(String),
    Below(String),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Must", rename_all = "snake_case")]
enum MustRecord {
    Text(String),
    #[serde(with = "Stored")]
    Path(PathMust),
    Host(String),
    Between(i64, i64),
    Boolean(bool),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "AppliesTo")]
struct AppliesToRecord {
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    agent: Option<AgentId>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    conversation: Option<ConversationId>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    workspace: Option<Workspace>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    dialect: Option<DialectName>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    links: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Maker", rename_all = "snake_case")]
enum MakerRecord {
    Person {
        #[serde(with = "Stored")]
        person: PersonName,
        #[serde(with = "Stored")]
        device: TokenName,
    },
    #[serde(with = "AdminRecord")]
    Admin(TokenName),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TokenName")]
struct AdminRecord {
    #[serde(getter = "TokenName::clone", with = "Stored")]
    token: TokenName,
}

recorded! {
    RuleRecord as Rule,
    LineRecord as Line,
    PartRecord as Part,
    PredicateRecord as Predicate,
    PathRecord as PathMust,
    MustRecord as Must,
    AppliesToRecord as AppliesTo,
    MakerRecord as Maker,
}

const fn first() -> Joint {
    Joint::First
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_first(joint: &Joint) -> bool {
    *joint == Joint::First
}

fn no_shadow<'de, D: Deserializer<'de>>(from: D) -> Result<Box<SaysRecord>, D::Error> {
    let says: Box<SaysRecord> = Deserialize::deserialize(from)?;
    if matches!(*says, SaysRecord::Shadow(_)) {
        return Err(D::Error::custom("a shadow of a shadow"));
    }
    Ok(says)
}

impl SaysRecord {
    fn of(rule: &Rule) -> Self {
        let says = match &rule.says {
            Says::Allow(subject) => Self::Allow(subject.into()),
            Says::Deny(subject) => Self::Deny(subject.into()),
            Says::Level { level, mode } => Self::Level {
                level: *level,
                mode: *mode,
            },
        };
        if rule.shadow {
            return Self::Shadow(Box::new(says));
        }
        says
    }
}

impl From<SaysRecord> for Says {
    fn from(record: SaysRecord) -> Self {
        match record {
            SaysRecord::Allow(subject) => Self::Allow(subject.into()),
            SaysRecord::Deny(subject) => Self::Deny(subject.into()),
            SaysRecord::Level { level, mode } => Self::Level { level, mode },
            SaysRecord::Shadow(says) => (*says).into(),
        }
    }
}

impl From<RuleRecord> for Rule {
    fn from(record: RuleRecord) -> Self {
        Self {
            id: record.id,
            version: record.version,
            shadow: matches!(record.says, SaysRecord::Shadow(_)),
            says: record.says.into(),
            applies_to: record.applies_to,
            expires: record.expires,
            by: record.by,
            made_at: record.made_at,
            note: record.note,
        }
    }
}

impl From<AdminRecord> for TokenName {
    fn from(record: AdminRecord) -> Self {
        record.token
    }
}

fn cwd_of(folder: &Folder) -> Option<String> {
    match folder {
        Folder::Anywhere | Folder::Untold => None,
        Folder::In(folder) => Some(folder.clone()),
    }
}

fn folder_of(cwd: Option<String>, untold: bool) -> Folder {
    match (cwd, untold) {
        (Some(cwd), _) => Folder::In(cwd),
        (None, true) => Folder::Untold,
        (None, false) => Folder::Anywhere,
    }
}

impl From<&Subject> for SubjectRecord {
    fn from(subject: &Subject) -> Self {
        match subject {
            Subject::Command {
                line,
                folder: Folder::Untold,
                tool,
            } => Self::Untold {
                line: line.clone(),
                tool: tool.clone(),
            },
            Subject::Command { line, folder, tool } => Self::Command {
                line: line.clone(),
                cwd: cwd_of(folder),
                tool: tool.clone(),
            },
            Subject::Preset {
                name,
                revision,
                folder: Folder::Anywhere,
                tool: None,
            } => Self::Form {
                name: name.clone(),
                revision: *revision,
            },
            Subject::Preset {
                name,
                revision,
                folder,
                tool,
            } => Self::Preset {
                name: name.clone(),
                revision: *revision,
                cwd: cwd_of(folder),
                untold: *folder == Folder::Untold,
                tool: tool.clone(),
            },
            Subject::Words(words) => Self::Words(words.clone()),
            Subject::Tool { tool, only } => Self::Tool {
                tool: tool.clone(),
                only: only.clone(),
            },
        }
    }
}

impl From<SubjectRecord> for Subject {
    fn from(record: SubjectRecord) -> Self {
        match record {
            SubjectRecord::Command { line, cwd, tool } => Self::Command {
                line,
                folder: folder_of(cwd, false),
                tool,
            },
            SubjectRecord::Untold { line, tool } => Self::Command {
                line,
                folder: Folder::Untold,
                tool,
            },
            SubjectRecord::Form { name, revision } => Self::Preset {
                name,
                revision,
                folder: Folder::Anywhere,
                tool: None,
            },
            SubjectRecord::Preset {
                name,
                revision,
                cwd,
                untold,
                tool,
            } => Self::Preset {
                name,
                revision,
                folder: folder_of(cwd, untold),
                tool,
            },
            SubjectRecord::Words(words) => Self::Words(words),
            SubjectRecord::Tool { tool, only } => Self::Tool { tool, only },
        }
    }
}
