//! An action inside an `Asked` row.

use sayso_core::action::{Act, Action, Flag, Links, Rated, Risk, Span};
use sayso_core::digest::Digest;
use serde::{Deserialize, Serialize};

use super::stored::{Stored, plain, recorded};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Action")]
struct ActionRecord {
    tool: String,
    input: String,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    tool_schema: Option<Digest>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    links: Option<Box<Links>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(with = "Stored")]
    act: Act,
    /// As the first version knew it, so that it still reads what it has a word for.
    #[serde(getter = "RiskRecord::of")]
    risk: RiskRecord,
    /// Tells low from medium, which the first version called normal alike.
    #[serde(getter = "is_low", default, skip_serializing_if = "std::ops::Not::not")]
    low: bool,
    #[serde(getter = "reasons", default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    /// Start, end and reason of each.
    #[serde(
        getter = "spans",
        with = "Stored",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    spans: Vec<Span>,
    #[serde(with = "Stored", default, skip_serializing_if = "Vec::is_empty")]
    flags: Vec<Flag>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Links")]
struct LinksRecord {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    escapes: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Act", rename_all = "snake_case")]
enum ActRecord {
    Shell {
        command: String,
    },
    Edit {
        path: String,
        old: String,
        new: String,
    },
    Write {
        path: String,
        content: String,
    },
    Other,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RiskRecord {
    Normal,
    High,
}

recorded! { ActionRecord as Action, LinksRecord as Links, ActRecord as Act }

plain! {
    Span as (u32, u32, u32):
        |span| (span.start, span.end, span.reason),
        |(start, end, reason)| Self { start, end, reason };
}

impl RiskRecord {
    const fn of(action: &Action) -> Self {
        match action.risk.level {
            Risk::Low | Risk::Medium => Self::Normal,
            Risk::High => Self::High,
        }
    }
}

fn is_low(action: &Action) -> bool {
    action.risk.level == Risk::Low
}

const fn reasons(action: &Action) -> &Vec<String> {
    &action.risk.reasons
}

const fn spans(action: &Action) -> &Vec<Span> {
    &action.risk.spans
}

impl From<ActionRecord> for Action {
    fn from(record: ActionRecord) -> Self {
        Self {
            tool: record.tool,
            input: record.input,
            tool_schema: record.tool_schema,
            links: record.links,
            cwd: record.cwd,
            reason: record.reason,
            act: record.act,
            risk: Rated {
                level: match record.risk {
                    RiskRecord::High => Risk::High,
                    RiskRecord::Normal if record.low => Risk::Low,
                    RiskRecord::Normal => Risk::Medium,
                },
                reasons: record.reasons,
                spans: record.spans,
            },
            flags: record.flags,
        }
    }
}
