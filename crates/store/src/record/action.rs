//! An action inside an `Asked` row.

use sayso_core::action::{Act, Action, Flag, Links, Rated, Risk, Span};
use serde::{Deserialize, Serialize};

use super::BadRecord;
use super::ask::{Text, borrowed, maybe, owned};

#[derive(Serialize, Deserialize)]
pub(super) struct ActionRecord<'a> {
    #[serde(borrow)]
    tool: Text<'a>,
    #[serde(borrow)]
    input: Text<'a>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_schema: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    links: Option<LinksRecord>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    cwd: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    reason: Option<Text<'a>>,
    #[serde(borrow)]
    act: ActRecord<'a>,
    /// As the first version knew it, so that it still reads what it has a word for.
    risk: RiskRecord,
    /// Tells low from medium, which the first version called normal alike.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    low: bool,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<Text<'a>>,
    /// Start, end and reason of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spans: Vec<(u32, u32, u32)>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    flags: Vec<Text<'a>>,
}

#[derive(Serialize, Deserialize)]
struct LinksRecord {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    escapes: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ActRecord<'a> {
    Shell {
        #[serde(borrow)]
        command: Text<'a>,
    },
    Edit {
        #[serde(borrow)]
        path: Text<'a>,
        #[serde(borrow)]
        old: Text<'a>,
        #[serde(borrow)]
        new: Text<'a>,
    },
    Write {
        #[serde(borrow)]
        path: Text<'a>,
        #[serde(borrow)]
        content: Text<'a>,
    },
    Other,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RiskRecord {
    Normal,
    High,
}

impl<'a> From<&'a Action> for ActionRecord<'a> {
    fn from(action: &'a Action) -> Self {
        Self {
            tool: borrowed(&action.tool),
            input: borrowed(&action.input),
            tool_schema: action.tool_schema.map(|schema| schema.to_string()),
            links: action.links.as_ref().map(|links| LinksRecord {
                escapes: links.escapes.clone(),
            }),
            cwd: maybe(action.cwd.as_deref()),
            reason: maybe(action.reason.as_deref()),
            act: match &action.act {
                Act::Shell { command } => ActRecord::Shell {
                    command: borrowed(command),
                },
                Act::Edit { path, old, new } => ActRecord::Edit {
                    path: borrowed(path),
                    old: borrowed(old),
                    new: borrowed(new),
                },
                Act::Write { path, content } => ActRecord::Write {
                    path: borrowed(path),
                    content: borrowed(content),
                },
                Act::Other => ActRecord::Other,
            },
            risk: match action.risk.level {
                Risk::Low | Risk::Medium => RiskRecord::Normal,
                Risk::High => RiskRecord::High,
            },
            low: action.risk.level == Risk::Low,
            reasons: action
                .risk
                .reasons
                .iter()
                .map(|text| borrowed(text))
                .collect(),
            spans: action
                .risk
                .spans
                .iter()
                .map(|span| (span.start, span.end, span.reason))
                .collect(),
            flags: action
                .flags
                .iter()
                .map(|flag| borrowed(flag.word()))
                .collect(),
        }
    }
}

impl TryFrom<ActionRecord<'_>> for Action {
    type Error = BadRecord;

    fn try_from(record: ActionRecord<'_>) -> Result<Self, BadRecord> {
        let flag = |word: Text<'_>| {
            Flag::ALL
                .into_iter()
                .find(|flag| flag.word() == word)
                .ok_or_else(|| BadRecord::impossible(format!("the flag {word}")))
        };
        Ok(Self {
            tool: record.tool.into_owned(),
            input: record.input.into_owned(),
            tool_schema: record
                .tool_schema
                .map(|schema| schema.parse())
                .transpose()
                .map_err(BadRecord::impossible)?,
            links: record.links.map(|links| {
                Box::new(Links {
                    escapes: links.escapes,
                })
            }),
            cwd: owned(record.cwd),
            reason: owned(record.reason),
            act: match record.act {
                ActRecord::Shell { command } => Act::Shell {
                    command: command.into_owned(),
                },
                ActRecord::Edit { path, old, new } => Act::Edit {
                    path: path.into_owned(),
                    old: old.into_owned(),
                    new: new.into_owned(),
                },
                ActRecord::Write { path, content } => Act::Write {
                    path: path.into_owned(),
                    content: content.into_owned(),
                },
                ActRecord::Other => Act::Other,
            },
            risk: Rated {
                level: match record.risk {
                    RiskRecord::High => Risk::High,
                    RiskRecord::Normal if record.low => Risk::Low,
                    RiskRecord::Normal => Risk::Medium,
                },
                reasons: record.reasons.into_iter().map(Text::into_owned).collect(),
                spans: record
                    .spans
                    .into_iter()
                    .map(|(start, end, reason)| Span { start, end, reason })
                    .collect(),
            },
            flags: record
                .flags
                .into_iter()
                .map(flag)
                .collect::<Result<_, _>>()?,
        })
    }
}
