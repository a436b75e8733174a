//! The bodies of rows about rules.

use std::borrow::Cow;
use std::sync::Arc;

use sayso_core::digest::Digest;
use sayso_core::id::{
    AgentId, ConversationId, DialectName, PersonName, RuleId, TokenName, Workspace,
};
use sayso_core::policy::shell::{Joint, Line, Part};
use sayso_core::policy::{
    AskMode, Folder, Level, Maker, Must, PathMust, Predicate, Reach, Rule, Says, Subject,
};
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::BadRecord;
use super::stored::{Stored, recorded};

#[derive(Serialize, Deserialize)]
pub(super) struct RuleRecord {
    rule: u32,
    version: u32,
    says: SaysRecord,
    #[serde(default)]
    reach: ReachRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    #[serde(with = "Stored")]
    by: Maker,
    made_at: u64,
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
        level: String,
        mode: String,
    },
    /// What a rule that only stands by says. A kind of its own, so that no server that knows nothing
    /// of it takes it for one in force.
    Shadow(Box<Self>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SubjectRecord {
    Command {
        line: Vec<PartRecord>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    /// A command where the asker tells no folder. A kind of its own, so that no server that knows
    /// nothing of it takes it for one that holds anywhere.
    Untold {
        line: Vec<PartRecord>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
    Form {
        name: String,
        revision: u32,
    },
    /// A form that holds in a folder, or for a tool; a kind of its own for the same reason.
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
        only: Vec<PredicateRecord>,
    },
}

#[derive(Serialize, Deserialize)]
struct PartRecord {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    joint: String,
    argv: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PredicateRecord {
    Input(String),
    Schema(String),
    File(PathRecord),
    Value { at: String, must: MustRecord },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PathRecord {
    Is(String),
    Below(String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MustRecord {
    Text(String),
    Path(PathRecord),
    Host(String),
    Between(i64, i64),
    Boolean(bool),
}

#[derive(Default, Serialize, Deserialize)]
struct ReachRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialect: Option<String>,
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

recorded! { MakerRecord as Maker }

impl From<AdminRecord> for TokenName {
    fn from(record: AdminRecord) -> Self {
        record.token
    }
}

impl From<&Rule> for RuleRecord {
    fn from(rule: &Rule) -> Self {
        Self {
            rule: rule.id.0,
            version: rule.version,
            says: if rule.shadow {
                SaysRecord::Shadow(Box::new((&rule.says).into()))
            } else {
                (&rule.says).into()
            },
            reach: ReachRecord {
                agent: rule.reach.agent.map(|id| id.0),
                conversation: rule.reach.conversation.map(|id| id.0),
                workspace: rule.reach.workspace.as_ref().map(ToString::to_string),
                dialect: rule.reach.dialect.as_ref().map(ToString::to_string),
                links: rule.reach.links,
            },
            expires: rule.expires.map(Time::as_millis),
            by: rule.by.clone(),
            made_at: rule.made_at.as_millis(),
            note: rule.note.clone(),
        }
    }
}

impl From<&Says> for SaysRecord {
    fn from(says: &Says) -> Self {
        match says {
            Says::Allow(subject) => Self::Allow(subject.into()),
            Says::Deny(subject) => Self::Deny(subject.into()),
            Says::Level { level, mode } => Self::Level {
                level: level.word().to_owned(),
                mode: mode.word().to_owned(),
            },
        }
    }
}

impl TryFrom<SaysRecord> for Says {
    type Error = BadRecord;

    fn try_from(record: SaysRecord) -> Result<Self, BadRecord> {
        Ok(match record {
            SaysRecord::Allow(subject) => Self::Allow(subject.try_into()?),
            SaysRecord::Deny(subject) => Self::Deny(subject.try_into()?),
            SaysRecord::Level { level, mode } => Self::Level {
                level: Level::from_word(&level)
                    .ok_or_else(|| BadRecord::impossible(format!("the level {level}")))?,
                mode: AskMode::from_word(&mode)
                    .ok_or_else(|| BadRecord::impossible(format!("the mode {mode}")))?,
            },
            SaysRecord::Shadow(_) => {
                return Err(BadRecord::impossible("a shadow of a shadow"));
            }
        })
    }
}

impl TryFrom<RuleRecord> for Arc<Rule> {
    type Error = BadRecord;

    fn try_from(record: RuleRecord) -> Result<Self, BadRecord> {
        Ok(Self::new(Rule {
            id: RuleId(record.rule),
            version: record.version,
            shadow: matches!(record.says, SaysRecord::Shadow(_)),
            says: match record.says {
                SaysRecord::Shadow(says) => (*says).try_into()?,
                says @ (SaysRecord::Allow(_) | SaysRecord::Deny(_) | SaysRecord::Level { .. }) => {
                    says.try_into()?
                }
            },
            reach: Reach {
                agent: record.reach.agent.map(AgentId),
                conversation: record.reach.conversation.map(ConversationId),
                workspace: record
                    .reach
                    .workspace
                    .map(Workspace::stored)
                    .transpose()
                    .map_err(BadRecord::impossible)?,
                dialect: record
                    .reach
                    .dialect
                    .map(DialectName::stored)
                    .transpose()
                    .map_err(BadRecord::impossible)?,
                links: record.reach.links,
            },
            expires: record.expires.map(Time::from_millis),
            by: record.by,
            made_at: Time::from_millis(record.made_at),
            note: record.note,
        }))
    }
}

fn parts_of(line: &Line) -> Vec<PartRecord> {
    let part = |part: &Part| PartRecord {
        joint: part.joint.sign().to_owned(),
        argv: part.argv.clone(),
    };
    line.parts.iter().map(part).collect()
}

fn line_of(parts: Vec<PartRecord>) -> Result<Line, BadRecord> {
    let part = |part: PartRecord| {
        let joint = Joint::from_sign(&part.joint)
            .ok_or_else(|| BadRecord::impossible(format!("the joint {}", part.joint)))?;
        Ok(Part {
            joint,
            argv: part.argv,
        })
    };
    let parts = parts
        .into_iter()
        .map(part)
        .collect::<Result<_, BadRecord>>()?;
    Ok(Line { parts })
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
                line: parts_of(line),
                tool: tool.clone(),
            },
            Subject::Command { line, folder, tool } => Self::Command {
                line: parts_of(line),
                cwd: cwd_of(folder),
                tool: tool.clone(),
            },
            Subject::Form {
                name,
                revision,
                folder: Folder::Anywhere,
                tool: None,
            } => Self::Form {
                name: name.clone(),
                revision: *revision,
            },
            Subject::Form {
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
                only: only.iter().map(Into::into).collect(),
            },
        }
    }
}

impl TryFrom<SubjectRecord> for Subject {
    type Error = BadRecord;

    fn try_from(record: SubjectRecord) -> Result<Self, BadRecord> {
        Ok(match record {
            SubjectRecord::Command { line, cwd, tool } => Self::Command {
                line: line_of(line)?,
                folder: folder_of(cwd, false),
                tool,
            },
            SubjectRecord::Untold { line, tool } => Self::Command {
                line: line_of(line)?,
                folder: Folder::Untold,
                tool,
            },
            SubjectRecord::Form { name, revision } => Self::Form {
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
            } => Self::Form {
                name,
                revision,
                folder: folder_of(cwd, untold),
                tool,
            },
            SubjectRecord::Words(words) => Self::Words(words),
            SubjectRecord::Tool { tool, only } => Self::Tool {
                tool,
                only: only
                    .into_iter()
                    .map(TryInto::try_into)
                    .collect::<Result<_, _>>()?,
            },
        })
    }
}

impl From<&Predicate> for PredicateRecord {
    fn from(predicate: &Predicate) -> Self {
        match predicate {
            Predicate::Input(digest) => Self::Input(digest.to_string()),
            Predicate::Schema(digest) => Self::Schema(digest.to_string()),
            Predicate::File(must) => Self::File(must.into()),
            Predicate::Value { at, must } => Self::Value {
                at: at.clone(),
                must: match must {
                    Must::Text(text) => MustRecord::Text(text.clone()),
                    Must::Path(must) => MustRecord::Path(must.into()),
                    Must::Host(host) => MustRecord::Host(host.clone()),
                    Must::Between(min, max) => MustRecord::Between(*min, *max),
                    Must::Boolean(flag) => MustRecord::Boolean(*flag),
                },
            },
        }
    }
}

impl TryFrom<PredicateRecord> for Predicate {
    type Error = BadRecord;

    fn try_from(record: PredicateRecord) -> Result<Self, BadRecord> {
        Ok(match record {
            PredicateRecord::Input(digest) => {
                Self::Input(digest.parse::<Digest>().map_err(BadRecord::impossible)?)
            }
            PredicateRecord::Schema(digest) => {
                Self::Schema(digest.parse::<Digest>().map_err(BadRecord::impossible)?)
            }
            PredicateRecord::File(must) => Self::File(must.into()),
            PredicateRecord::Value { at, must } => Self::Value {
                at,
                must: match must {
                    MustRecord::Text(text) => Must::Text(text),
                    MustRecord::Path(must) => Must::Path(must.into()),
                    MustRecord::Host(host) => Must::Host(host),
                    MustRecord::Between(min, max) => Must::Between(min, max),
                    MustRecord::Boolean(flag) => Must::Boolean(flag),
                },
            },
        })
    }
}

impl From<&PathMust> for PathRecord {
    fn from(must: &PathMust) -> Self {
        match must {
            PathMust::Is(path) => Self::Is(path.clone()),
            PathMust::Below(path) => Self::Below(path.clone()),
        }
    }
}

impl From<PathRecord> for PathMust {
    fn from(record: PathRecord) -> Self {
        match record {
            PathRecord::Is(path) => Self::Is(path),
            PathRecord::Below(path) => Self::Below(path),
        }
    }
}
