//! A rule: what a person said once, so that it need not be asked again.

use std::fmt;

use super::folder::Folder;
use super::predicate::Predicate;
use super::recognise::is_like_shell;
use super::shell::Line;
use super::shell::programs;
use super::vetted;
use crate::check::Violation;
use crate::escape::escape_line;
use crate::id::{AgentId, ConversationId, DialectName, PersonName, RuleId, TokenName, Workspace};
use crate::limits;
use crate::time::Time;

/// A rule as it was made. A changed rule is a new version under the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Our id.
    pub id: RuleId,
    /// Which version of it, from 1.
    pub version: u32,
    /// What it says.
    pub says: Says,
    /// Whom and where it applies to.
    pub applies_to: AppliesTo,
    /// From when on it no longer holds.
    pub expires: Option<Time>,
    /// Who made it.
    pub by: Maker,
    /// When.
    pub made_at: Time,
    /// Why, in the maker's words.
    pub note: Option<String>,
    /// Whether it only stands by: it answers nothing, and what it would have done can be told.
    pub shadow: bool,
}

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Says {
    /// Yes to this.
    Allow(Subject),
    /// No to this, whatever else says yes.
    Deny(Subject),
    /// How careful to be with everything it applies to.
    Level {
        /// How careful.
        level: Level,
        /// When to ask.
        mode: AskMode,
    },
}

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// This command line, word for word. To deny also covers it with more words behind it, and
    /// wherever it hides in another one.
    Command {
        /// The command line.
        line: Line,
        /// Where it must run. To deny holds everywhere.
        folder: Folder,
        /// Of which tool; when absent, of those that everybody calls `Bash`, `exec` or `shell`. To
        /// deny, of any tool.
        tool: Option<String>,
    },
    /// Every command of a preset.
    Preset {
        /// The name of the preset.
        name: String,
        /// The revision it had when the rule was made.
        revision: u32,
        /// The folder where it was given; whether it holds below as well is for the preset to say.
        folder: Folder,
        /// Of which tool, as for a command.
        tool: Option<String>,
    },
    /// Every plain command that begins with these words.
    Words(Vec<String>),
    /// A tool, when all of this holds.
    Tool {
        /// The tool's name.
        tool: String,
        /// What must hold.
        only: Vec<Predicate>,
    },
}

/// Whom and where a rule applies to; everything that is said must hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AppliesTo {
    /// This agent.
    pub agent: Option<AgentId>,
    /// This conversation.
    pub conversation: Option<ConversationId>,
    /// This workspace.
    pub workspace: Option<Workspace>,
    /// Agents that speak this language.
    pub dialect: Option<DialectName>,
    /// Only asks with which a program beside the agent says that it followed links. A rule given on
    /// that promise does not speak for asks without it.
    pub links: bool,
}

/// How careful to be, from the most careful.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Every act is denied.
    Deny,
    /// Every act is asked.
    Ask,
    /// What a rule allows is allowed.
    AllowList,
    /// Everything is allowed that no rule denies.
    Full,
}

crate::words! { Level: Deny = "deny", Ask = "ask", AllowList = "allow-list", Full = "full" }

/// When to ask, where the level is `allow-list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AskMode {
    /// Even when a rule allows.
    Always,
    /// When no rule allows.
    #[default]
    OnMiss,
    /// Never: what no rule allows is denied.
    Off,
}

crate::words! { AskMode: Always = "always", OnMiss = "on-miss", Off = "off" }

/// Who made a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Maker {
    /// A person, on one of their devices.
    Person {
        /// Who.
        person: PersonName,
        /// On which device.
        device: TokenName,
    },
    /// An admin, with this token.
    Admin(TokenName),
}

impl Rule {
    /// Whether it holds at this moment.
    pub fn is_live(&self, now: Time) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

impl Says {
    /// Everything that is wrong with it.
    pub fn check(&self) -> Result<(), Violation> {
        let subject = match self {
            Self::Allow(subject) | Self::Deny(subject) => subject,
            Self::Level { .. } => return Ok(()),
        };
        match subject {
            Subject::Command { .. } => Ok(()),
            Subject::Preset { name, revision, .. } => match vetted::revision(name) {
                Some(_) if vetted::is_retired(name) && matches!(self, Self::Allow(_)) => {
                    Err(Violation::invalid(
                        "/preset",
                        "can no longer be allowed: its program can run any code",
                    ))
                }
                Some(now) if now == *revision => Ok(()),
                Some(_) => Err(Violation::invalid(
                    "/preset",
                    "has changed since the rule was made",
                )),
                None => Err(Violation::invalid(
                    "/preset",
                    "is not a preset; GET /v1/rules/presets lists them",
                )),
            },
            Subject::Words(words) => {
                if words.is_empty() || words.len() > limits::RULE_WORDS_MAX {
                    return Err(Violation::invalid(
                        "/words",
                        format!("must have from 1 to {} words", limits::RULE_WORDS_MAX),
                    ));
                }
                match Line::of_argv(words.clone()) {
                    Some(_) => Ok(()),
                    None => Err(Violation::invalid(
                        "/words",
                        "must be plain words of one command",
                    )),
                }
            }
            Subject::Tool { only, tool } => {
                if tool.is_empty() || tool.len() > limits::NAME_BYTES_MAX {
                    return Err(Violation::invalid(
                        "/tool",
                        "must be from 1 to 256 bytes long",
                    ));
                }
                if only.len() > limits::PREDICATES_MAX {
                    return Err(Violation::invalid(
                        "/only",
                        format!("has more than {} entries", limits::PREDICATES_MAX),
                    ));
                }
                match self {
                    Self::Allow(_) if is_like_shell(tool) => Err(Violation::invalid(
                        "/tool",
                        "runs commands; make a rule for the command instead",
                    )),
                    Self::Deny(_) if is_bound(only) => Err(Violation::invalid(
                        "/only",
                        "can't contain a `schema` in a deny rule, which applies whatever the \
                         schema is",
                    )),
                    Self::Allow(_)
                        if is_foreign(tool)
                            && !is_bound(only)
                            && !only.iter().any(Predicate::is_input) =>
                    {
                        Err(Violation::invalid(
                            "/only",
                            "must contain the `schema`, or one exact `input`, because tools of \
                             MCP servers can change",
                        ))
                    }
                    Self::Allow(_) | Self::Deny(_) | Self::Level { .. } => Ok(()),
                }
            }
        }
    }
}

impl Subject {
    /// The same as something to deny: a no does not end because a schema changed, and holds for every
    /// tool and folder.
    #[must_use]
    pub fn to_deny(self) -> Self {
        match self {
            Self::Command { line, .. } => Self::Command {
                line,
                folder: Folder::Anywhere,
                tool: None,
            },
            Self::Preset { name, revision, .. } => Self::Preset {
                name,
                revision,
                folder: Folder::Anywhere,
                tool: None,
            },
            Self::Tool { tool, mut only } => {
                only.retain(|predicate| !predicate.is_schema());
                Self::Tool { tool, only }
            }
            Self::Words(_) => self,
        }
    }
}

/// Whether a tool is one of an MCP server. It is what its server says it is, which may change
/// unseen: a rule for it is bound to the schema that the asker tells.
pub(super) fn is_foreign(tool: &str) -> bool {
    tool.to_ascii_lowercase().starts_with("mcp__")
}

/// Whether a rule about a tool ends with the tool's schema.
pub(super) fn is_bound(only: &[Predicate]) -> bool {
    only.iter().any(Predicate::is_schema)
}

/// Whether no device may ever offer to allow this command for longer than once.
pub fn never_offered(argv: &[String]) -> bool {
    programs::needs_care(argv)
}

impl fmt::Display for Says {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Allow(subject) => write!(f, "allow {subject}"),
            Self::Deny(Subject::Command { line, .. }) => {
                write!(f, "deny {}", escape_line(&line.to_string()))
            }
            Self::Deny(Subject::Preset { name, .. }) => {
                write!(f, "deny the preset {}", escape_line(name))
            }
            Self::Deny(subject) => write!(f, "deny {subject}"),
            Self::Level { level, mode } => {
                write!(f, "level {}, ask {}", level.word(), mode.word())
            }
        }
    }
}

fn of_tool(f: &mut fmt::Formatter<'_>, tool: Option<&str>) -> fmt::Result {
    match tool {
        Some(tool) => write!(f, ", with the tool {}", escape_line(tool)),
        None => Ok(()),
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { line, folder, tool } => {
                write!(f, "exactly {}, {folder}", escape_line(&line.to_string()))?;
                of_tool(f, tool.as_deref())
            }
            Self::Preset {
                name, folder, tool, ..
            } => {
                write!(f, "the preset {}, {folder}", escape_line(name))?;
                if matches!(folder, Folder::In(_)) && vetted::holds_below(name) {
                    f.write_str(" or below")?;
                }
                of_tool(f, tool.as_deref())
            }
            Self::Words(words) => {
                write!(
                    f,
                    "every command that starts with {}",
                    escape_line(&words.join(" "))
                )
            }
            Self::Tool { tool, only } => {
                f.write_str(&escape_line(tool))?;
                for (at, predicate) in only.iter().enumerate() {
                    let joint = if at == 0 { ", only " } else { " and " };
                    write!(f, "{joint}{predicate}")?;
                }
                if is_foreign(tool) && !is_bound(only) {
                    f.write_str("; the tool may change: its schema is not known")?;
                }
                Ok(())
            }
        }
    }
}
