//! The bodies of `Closed` and `AnsweredLate` rows: outcomes, answers and who gave them.

use std::borrow::Cow;

use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::id::{PersonName, RuleId, Seq, TokenName};
use sayso_core::outcome::{Closer, Closing, Late, Outcome, Seen};
use sayso_core::text::{Number, Secret};
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::BadRecord;
use super::ask::{Text, borrowed, maybe, owned};

#[derive(Serialize, Deserialize)]
pub(super) struct ClosedRecord<'a> {
    opened: u64,
    #[serde(borrow)]
    outcome: OutcomeRecord<'a>,
    #[serde(borrow)]
    by: CloserRecord<'a>,
    at: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct LateRecord<'a> {
    opened: u64,
    #[serde(borrow)]
    answer: AnswerRecord<'a>,
    #[serde(borrow)]
    by: CloserRecord<'a>,
    at: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeRecord<'a> {
    #[serde(borrow)]
    Answered(AnswerRecord<'a>),
    Dismissed {
        #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
        note: Option<Text<'a>>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stop: bool,
    },
    Expired,
    Withdrawn {
        #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
        note: Option<Text<'a>>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerRecord<'a> {
    #[serde(borrow)]
    Replies(Vec<ReplyRecord<'a>>),
    #[serde(borrow)]
    Verdict(VerdictRecord<'a>),
    #[serde(borrow)]
    Fields(Vec<(Text<'a>, ValueRecord<'a>)>),
}

#[derive(Serialize, Deserialize)]
struct ReplyRecord<'a> {
    question: usize,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    other: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    note: Option<Text<'a>>,
}

#[derive(Serialize, Deserialize)]
struct VerdictRecord<'a> {
    allow: bool,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    edited_input: Option<Text<'a>>,
    scope: ScopeRecord,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    note: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    stop: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ScopeRecord {
    Once,
    Conversation,
    Always,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ValueRecord<'a> {
    #[serde(borrow)]
    Text(Text<'a>),
    #[serde(borrow)]
    Number(Text<'a>),
    Boolean(bool),
    #[serde(borrow)]
    Many(Vec<Text<'a>>),
    /// The number of a secret that is sealed elsewhere, or none when there is none.
    Secret(Option<usize>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CloserRecord<'a> {
    Person {
        #[serde(borrow)]
        person: Text<'a>,
        #[serde(borrow)]
        device: Text<'a>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unbound: bool,
    },
    Rule {
        rule: u32,
        version: u32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<u32>,
    },
    Agent,
    Clock,
}

/// Reads a number that we wrote.
pub(super) fn number(text: &str) -> Result<Number, BadRecord> {
    Number::new(text).ok_or_else(|| BadRecord::impossible(format!("the number {text}")))
}

impl<'a> ClosedRecord<'a> {
    pub(super) fn new(opened: Seq, closing: &'a Closing, secrets: &mut Vec<Secret>) -> Self {
        Self {
            opened: opened.0,
            outcome: match &closing.outcome {
                Outcome::Answered(answer) => {
                    OutcomeRecord::Answered(AnswerRecord::new(answer, secrets))
                }
                Outcome::Dismissed { note, stop } => OutcomeRecord::Dismissed {
                    note: maybe(note.as_deref()),
                    stop: *stop,
                },
                Outcome::Expired => OutcomeRecord::Expired,
                Outcome::Withdrawn { note } => OutcomeRecord::Withdrawn {
                    note: maybe(note.as_deref()),
                },
            },
            by: (&closing.by).into(),
            at: closing.at.as_millis(),
        }
    }

    pub(super) fn into_closing(
        self,
        secrets: &mut dyn FnMut(usize) -> Option<Secret>,
    ) -> Result<(Seq, Closing), BadRecord> {
        let closing = Closing {
            outcome: match self.outcome {
                OutcomeRecord::Answered(answer) => Outcome::Answered(answer.into_answer(secrets)?),
                OutcomeRecord::Dismissed { note, stop } => Outcome::Dismissed {
                    note: owned(note),
                    stop,
                },
                OutcomeRecord::Expired => Outcome::Expired,
                OutcomeRecord::Withdrawn { note } => Outcome::Withdrawn { note: owned(note) },
            },
            by: self.by.try_into()?,
            at: Time::from_millis(self.at),
        };
        Ok((Seq(self.opened), closing))
    }
}

impl<'a> LateRecord<'a> {
    pub(super) fn new(opened: Seq, late: &'a Late, secrets: &mut Vec<Secret>) -> Self {
        Self {
            opened: opened.0,
            answer: AnswerRecord::new(&late.answer, secrets),
            by: (&late.by).into(),
            at: late.at.as_millis(),
        }
    }

    pub(super) fn into_late(
        self,
        secrets: &mut dyn FnMut(usize) -> Option<Secret>,
    ) -> Result<(Seq, Late), BadRecord> {
        let late = Late {
            answer: self.answer.into_answer(secrets)?,
            by: self.by.try_into()?,
            at: Time::from_millis(self.at),
        };
        Ok((Seq(self.opened), late))
    }
}

impl<'a> AnswerRecord<'a> {
    fn new(answer: &'a Answer, secrets: &mut Vec<Secret>) -> Self {
        match answer {
            Answer::Replies(replies) => Self::Replies(replies.iter().map(Into::into).collect()),
            Answer::Verdict(verdict) => Self::Verdict(verdict.into()),
            Answer::Fields(fields) => Self::Fields(
                fields
                    .iter()
                    .map(|(name, value)| (borrowed(name), ValueRecord::new(value, secrets)))
                    .collect(),
            ),
        }
    }

    fn into_answer(
        self,
        secrets: &mut dyn FnMut(usize) -> Option<Secret>,
    ) -> Result<Answer, BadRecord> {
        Ok(match self {
            Self::Replies(replies) => {
                Answer::Replies(replies.into_iter().map(Into::into).collect())
            }
            Self::Verdict(verdict) => Answer::Verdict(verdict.into()),
            Self::Fields(fields) => Answer::Fields(
                fields
                    .into_iter()
                    .map(|(name, value)| Ok((name.into_owned(), value.into_value(secrets)?)))
                    .collect::<Result<_, BadRecord>>()?,
            ),
        })
    }
}

impl<'a> ValueRecord<'a> {
    fn new(value: &'a FieldValue, secrets: &mut Vec<Secret>) -> Self {
        match value {
            FieldValue::Text(text) => Self::Text(borrowed(text)),
            FieldValue::Number(number) => Self::Number(borrowed(number.as_str())),
            FieldValue::Boolean(value) => Self::Boolean(*value),
            FieldValue::Many(values) => {
                Self::Many(values.iter().map(|value| borrowed(value)).collect())
            }
            FieldValue::Secret(None) => Self::Secret(None),
            FieldValue::Secret(Some(secret)) => {
                secrets.push(secret.clone());
                Self::Secret(Some(secrets.len() - 1))
            }
        }
    }

    fn into_value(
        self,
        secrets: &mut dyn FnMut(usize) -> Option<Secret>,
    ) -> Result<FieldValue, BadRecord> {
        Ok(match self {
            Self::Text(text) => FieldValue::Text(text.into_owned()),
            Self::Number(text) => FieldValue::Number(number(&text)?),
            Self::Boolean(value) => FieldValue::Boolean(value),
            Self::Many(values) => {
                FieldValue::Many(values.into_iter().map(Cow::into_owned).collect())
            }
            Self::Secret(gap) => FieldValue::Secret(gap.and_then(secrets)),
        })
    }
}

impl<'a> From<&'a Reply> for ReplyRecord<'a> {
    fn from(reply: &'a Reply) -> Self {
        Self {
            question: reply.question,
            labels: reply.labels.iter().map(|label| borrowed(label)).collect(),
            other: maybe(reply.other.as_deref()),
            note: maybe(reply.note.as_deref()),
        }
    }
}

impl From<ReplyRecord<'_>> for Reply {
    fn from(record: ReplyRecord<'_>) -> Self {
        Self {
            question: record.question,
            labels: record.labels.into_iter().map(Cow::into_owned).collect(),
            other: owned(record.other),
            note: owned(record.note),
        }
    }
}

impl<'a> From<&'a Verdict> for VerdictRecord<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        let (allow, edited_input, stop) = match &verdict.decision {
            Decision::Allow { edited_input } => (true, maybe(edited_input.as_deref()), false),
            Decision::Deny { stop } => (false, None, *stop),
        };
        let scope = match verdict.scope {
            Scope::Once => ScopeRecord::Once,
            Scope::Conversation => ScopeRecord::Conversation,
            Scope::Always => ScopeRecord::Always,
        };
        Self {
            allow,
            edited_input,
            scope,
            note: maybe(verdict.note.as_deref()),
            stop,
        }
    }
}

impl From<VerdictRecord<'_>> for Verdict {
    fn from(record: VerdictRecord<'_>) -> Self {
        Self {
            decision: if record.allow {
                Decision::Allow {
                    edited_input: owned(record.edited_input),
                }
            } else {
                Decision::Deny { stop: record.stop }
            },
            scope: match record.scope {
                ScopeRecord::Once => Scope::Once,
                ScopeRecord::Conversation => Scope::Conversation,
                ScopeRecord::Always => Scope::Always,
            },
            note: owned(record.note),
        }
    }
}

impl<'a> From<&'a Closer> for CloserRecord<'a> {
    fn from(closer: &'a Closer) -> Self {
        match closer {
            Closer::Person {
                person,
                device,
                seen,
            } => Self::Person {
                person: borrowed(person.as_str()),
                device: borrowed(device.as_str()),
                unbound: match seen {
                    Seen::Digest => false,
                    Seen::Unbound => true,
                },
            },
            Closer::Rule {
                rule,
                version,
                also,
            } => Self::Rule {
                rule: rule.0,
                version: *version,
                also: also.iter().map(|rule| rule.0).collect(),
            },
            Closer::Agent => Self::Agent,
            Closer::Clock => Self::Clock,
        }
    }
}

impl TryFrom<CloserRecord<'_>> for Closer {
    type Error = BadRecord;

    fn try_from(record: CloserRecord<'_>) -> Result<Self, BadRecord> {
        Ok(match record {
            CloserRecord::Person {
                person,
                device,
                unbound,
            } => Self::Person {
                person: PersonName::stored(&*person).map_err(BadRecord::impossible)?,
                device: TokenName::stored(&*device).map_err(BadRecord::impossible)?,
                seen: if unbound { Seen::Unbound } else { Seen::Digest },
            },
            CloserRecord::Rule {
                rule,
                version,
                also,
            } => Self::Rule {
                rule: RuleId(rule),
                version,
                also: also.into_iter().map(RuleId).collect(),
            },
            CloserRecord::Agent => Self::Agent,
            CloserRecord::Clock => Self::Clock,
        })
    }
}
