//! Why an action has its risk, in plain words.
//!
//! A reason never repeats what an agent wrote, but for short plain names: it is shown as ours.

use std::ops::Range;

use crate::action::{Rated, Risk, Span};

/// Letters of a name that a reason may carry.
const NAME_CHARS_MAX: usize = 64;

/// Reasons that are told: nobody reads more.
const REASONS_MAX: usize = 8;

/// Findings that are kept apart by where they are.
const FINDINGS_MAX: usize = 128;

/// Why, the most serious first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Reason {
    Differs,
    Sayso,
    Agents,
    NetworkCode,
    Login,
    BecomesRoot,
    CodeAsRoot,
    Automatic,
    Trust,
    Disk,
    DeletesAsRoot,
    Deletes,
    HostAccess,
    Resources,
    Data,
    RemoteHistory,
    GitWork,
    Empties,
    Power,
    Infrastructure,
    Publishes,
    Money,
    Sends,
    RemoteCommand,
    Credential,
    System,
    PrivateAddress,
    WritesOutside,
    Hijacks,
    OutsideCode,
    Unreadable,
    /// It is too long to be read.
    TooLong,
    HintHigh,
    Packages,
    ProjectCode,
    Container,
    WrittenCode,
    SendsCommits,
    ChangesGit,
    Root,
    Service,
    Fetches,
    Stops,
    WritesInside,
    WritesTemporary,
    ReadsOutside,
    Environment,
    Unknown,
    UnknownTool,
    HintMedium,
    Reads,
    Shows,
}

impl Reason {
    /// The level it stands for.
    pub(super) fn level(self) -> Risk {
        if self <= Self::HintHigh {
            Risk::High
        } else if self <= Self::HintMedium {
            Risk::Medium
        } else {
            Risk::Low
        }
    }

    /// The reason in words; `name` is what it is about, where that is worth saying.
    fn text(self, name: Option<&str>) -> String {
        let words = match self {
            Self::Differs => name.unwrap_or("its input differs from what is shown"),
            Self::Sayso => "answers or configures sayso itself",
            Self::Agents => "turns off an agent's permission checks",
            Self::NetworkCode => "runs code from the network",
            Self::Login => "changes who may log in",
            Self::BecomesRoot => "lets a program run as root",
            Self::CodeAsRoot => "runs code as root",
            Self::Automatic => "changes what runs automatically",
            Self::Trust => "changes what this machine trusts",
            Self::Disk => "overwrites a disk",
            Self::DeletesAsRoot => "deletes files as root",
            Self::Deletes => "deletes files",
            Self::HostAccess => "gives a container control of this machine",
            Self::Resources => "deletes resources of a service",
            Self::Data => "deletes or changes data in a database",
            Self::RemoteHistory => "rewrites or deletes history on the remote",
            Self::GitWork => "discards work in git",
            Self::Empties => "destroys the contents of a file",
            Self::Power => "stops or restarts the machine",
            Self::Infrastructure => "changes live infrastructure",
            Self::Publishes => "publishes where others can see it",
            Self::Money => "spends money",
            Self::Sends => {
                return format!("sends data to {}", name.unwrap_or("another machine"));
            }
            Self::RemoteCommand => "runs commands on another machine",
            Self::Credential => "reads a credential",
            Self::System => "changes system settings",
            Self::PrivateAddress => "fetches from a private address",
            Self::WritesOutside => "changes a file outside the workspace",
            Self::Hijacks => "makes a program run other code",
            Self::OutsideCode => "runs code from outside the workspace",
            Self::Unreadable => {
                return match name {
                    Some(name) => format!("can be read in more than one way: contains {name}"),
                    None => "can be read in more than one way".to_owned(),
                };
            }
            Self::TooLong => "is too long to check",
            Self::HintHigh => "the agent calls it high risk",
            Self::Packages => "installs or runs packages from a registry",
            Self::ProjectCode => "runs code from the project",
            Self::Container => "runs a program in a container",
            Self::WrittenCode => "runs code written in the command",
            Self::SendsCommits => {
                return format!("sends commits to {}", name.unwrap_or("origin"));
            }
            Self::ChangesGit => "changes the git repository",
            Self::Root => "runs as root",
            Self::Service => "uses a service outside the workspace",
            Self::Fetches => {
                return format!("fetches from {}", name.unwrap_or("the network"));
            }
            Self::Stops => "stops running programs",
            Self::WritesInside => "changes files in the workspace",
            Self::WritesTemporary => "changes temporary files",
            Self::ReadsOutside => "reads files outside the workspace",
            Self::Environment => "shows all environment variables",
            Self::Unknown => "runs an unknown program",
            Self::UnknownTool => "uses a tool that sayso doesn't know",
            Self::HintMedium => "the agent calls it medium risk",
            Self::Reads => "only reads files in the workspace",
            Self::Shows => "only shows information",
        };
        words.to_owned()
    }
}

/// A reason that was found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RiskFinding {
    reason: Reason,
    name: Option<String>,
    span: Option<Range<usize>>,
}

/// Everything that was found in one action.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<RiskFinding>);

impl Findings {
    /// Adds a reason that is about the action as a whole.
    pub(crate) fn add(&mut self, reason: Reason) {
        self.put(reason, None, None);
    }

    /// Adds a reason about a part of the command.
    pub(super) fn put(&mut self, reason: Reason, name: Option<&str>, span: Option<Range<usize>>) {
        let name = name.filter(|name| is_plain_name(name)).map(str::to_owned);
        let finding = RiskFinding { reason, name, span };
        let is_known = if self.0.len() < FINDINGS_MAX {
            self.0.contains(&finding)
        } else {
            self.has(reason)
        };
        if !is_known {
            self.0.push(finding);
        }
    }

    /// Whether a reason was found.
    pub(super) fn has(&self, reason: Reason) -> bool {
        self.0.iter().any(|finding| finding.reason == reason)
    }

    /// Every reason that was found.
    pub(super) fn reasons(&self) -> impl Iterator<Item = Reason> + '_ {
        self.0.iter().map(|finding| finding.reason)
    }

    /// The level of what was found so far.
    pub(super) fn level(&self) -> Option<Risk> {
        self.reasons().map(Reason::level).max()
    }

    /// The level with its reasons. What is low is not told beside what is not.
    pub(super) fn rated(mut self) -> Rated {
        self.0.sort_by_key(|finding| finding.reason);
        let level = self.level().unwrap_or(Risk::Medium);
        let mut reasons: Vec<String> = Vec::new();
        let mut spans = Vec::new();
        for finding in self.0 {
            if finding.reason.level() == Risk::Low && level != Risk::Low {
                continue;
            }
            let text = finding.reason.text(finding.name.as_deref());
            let known = reasons.iter().position(|reason| *reason == text);
            let index = match known {
                Some(index) => index,
                None if reasons.len() < REASONS_MAX => {
                    reasons.push(text);
                    reasons.len() - 1
                }
                None => continue,
            };
            // What is harmless needs no mark.
            if let Some(span) = finding.span.filter(|_| level != Risk::Low)
                && let (Ok(start), Ok(end), Ok(reason)) = (
                    u32::try_from(span.start),
                    u32::try_from(span.end),
                    u32::try_from(index),
                )
            {
                spans.push(Span { start, end, reason });
            }
        }
        spans.sort_unstable();
        spans.dedup();
        Rated {
            level,
            reasons,
            spans,
        }
    }
}

/// Whether a name may stand in a sentence of ours: short, and of letters that cannot mislead.
fn is_plain_name(name: &str) -> bool {
    let plain = |char: char| char.is_ascii_alphanumeric() || "._/@:+-$()`{}~<>| ".contains(char);
    !name.is_empty() && name.len() <= NAME_CHARS_MAX && name.chars().all(plain)
}
