//! The bodies of `Closed` and `AnsweredLate` rows: outcomes, answers and who gave them.
//!
//! An answer is turned into a record by hand: a secret in it leaves a numbered gap.

use std::borrow::Cow;

use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::id::{PersonName, RuleId, Seq, TokenName};
use sayso_core::outcome::{Closer, Closing, Late, Outcome, Seen};
use sayso_core::text::{Number, Secret};
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::stored::{Stored, plain, recorded};

#[derive(Serialize, Deserialize)]
pub(super) struct ClosedRecord<'a> {
    #[serde(with = "Stored")]
    opened: Seq,
    outcome: OutcomeRecord<'a>,
    #[serde(with = "Stored")]
    by: Cow<'a, Closer>,
    #[serde(with = "Stored")]
    at: Time,
}

#[derive(Serialize, Deserialize)]
pub(super) struct LateRecord<'a> {
    #[serde(with = "Stored")]
    opened: Seq,
    answer: AnswerRecord<'a>,
    #[serde(with = "Stored")]
    by: Cow<'a, Closer>,
    #[serde(with = "Stored")]
    at: Time,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeRecord<'a> {
    Answered(AnswerRecord<'a>),
    Dismissed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<Cow<'a, str>>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stop: bool,
    },
    Expired,
    Withdrawn {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<Cow<'a, str>>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerRecord<'a> {
    #[serde(with = "Stored")]
    Replies(Cow<'a, [Reply]>),
    #[serde(with = "Stored")]
    Verdict(Cow<'a, Verdict>),
    Fields(Vec<(Cow<'a, str>, ValueRecord<'a>)>),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Reply")]
struct ReplyRecord {
    question: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Verdict")]
struct VerdictRecord {
    #[serde(getter = "is_allowed")]
    allow: bool,
    #[serde(
        getter = "edited_input",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    edited_input: Option<String>,
    #[serde(with = "Stored")]
    scope: Scope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(getter = "stops", default, skip_serializing_if = "std::ops::Not::not")]
    stop: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ValueRecord<'a> {
    Text(Cow<'a, str>),
    #[serde(with = "Stored")]
    Number(Cow<'a, Number>),
    Boolean(bool),
    Many(Cow<'a, [String]>),
    /// The number of a secret that is sealed elsewhere, or none when there is none.
    Secret(Option<usize>),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Closer", rename_all = "snake_case")]
enum CloserRecord {
    Person {
        #[serde(with = "Stored")]
        person: PersonName,
        #[serde(with = "Stored")]
        device: TokenName,
        #[serde(
            rename = "unbound",
            with = "Stored",
            default = "bound",
            skip_serializing_if = "is_bound"
        )]
        seen: Seen,
    },
    Rule {
        #[serde(with = "Stored")]
        rule: RuleId,
        version: u32,
        #[serde(with = "Stored", default, skip_serializing_if = "Vec::is_empty")]
        also: Vec<RuleId>,
    },
    Agent,
    Clock,
}

recorded! { ReplyRecord as Reply, VerdictRecord as Verdict, CloserRecord as Closer }

plain! {
    Seen as bool:
        |seen| !is_bound(seen),
        |unbound| if unbound { Self::Unbound } else { Self::Digest };
}

const fn bound() -> Seen {
    Seen::Digest
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_bound(seen: &Seen) -> bool {
    *seen == Seen::Digest
}

const fn is_allowed(verdict: &Verdict) -> bool {
    matches!(verdict.decision, Decision::Allow { .. })
}

#[expect(clippy::ref_option, reason = "serde goes on with what it borrows")]
const fn edited_input(verdict: &Verdict) -> &Option<String> {
    match &verdict.decision {
        Decision::Allow { edited_input } => edited_input,
        Decision::Deny { .. } => &None,
    }
}

const fn stops(verdict: &Verdict) -> bool {
    matches!(verdict.decision, Decision::Deny { stop: true })
}

impl From<VerdictRecord> for Verdict {
    fn from(record: VerdictRecord) -> Self {
        Self {
            decision: if record.allow {
                Decision::Allow {
                    edited_input: record.edited_input,
                }
            } else {
                Decision::Deny { stop: record.stop }
            },
            scope: record.scope,
            note: record.note,
        }
    }
}

impl<'a> ClosedRecord<'a> {
    pub(super) fn new(opened: Seq, closing: &'a Closing, secrets: &mut Vec<Secret>) -> Self {
        Self {
            opened,
            outcome: match &closing.outcome {
                Outcome::Answered(answer) => {
                    OutcomeRecord::Answered(AnswerRecord::new(answer, secrets))
                }
                Outcome::Dismissed { note, stop } => OutcomeRecord::Dismissed {
                    note: note.as_deref().map(Cow::Borrowed),
                    stop: *stop,
                },
                Outcome::Expired => OutcomeRecord::Expired,
                Outcome::Withdrawn { note } => OutcomeRecord::Withdrawn {
                    note: note.as_deref().map(Cow::Borrowed),
                },
            },
            by: Cow::Borrowed(&closing.by),
            at: closing.at,
        }
    }

    pub(super) fn into_closing(
        self,
        secrets: &mut dyn FnMut(usize) -> Option<Secret>,
    ) -> (Seq, Closing) {
        let closing = Closing {
            outcome: match self.outcome {
                OutcomeRecord::Answered(answer) => Outcome::Answered(answer.into_answer(secrets)),
                OutcomeRecord::Dismissed { note, stop } => Outcome::Dismissed {
                    note: note.map(Cow::into_owned),
                    stop,
                },
                OutcomeRecord::Expired => Outcome::Expired,
                OutcomeRecord::Withdrawn { note } => Outcome::Withdrawn {
                    note: note.map(Cow::into_owned),
                },
            },
            by: self.by.into_owned(),
            at: self.at,
        };
        (self.opened, closing)
    }
}

impl<'a> LateRecord<'a> {
    pub(super) fn new(opened: Seq, late: &'a Late, secrets: &mut Vec<Secret>) -> Self {
        Self {
            opened,
            answer: AnswerRecord::new(&late.answer, secrets),
            by: Cow::Borrowed(&late.by),
            at: late.at,
        }
    }

    pub(super) fn into_late(self, secrets: &mut dyn FnMut(usize) -> Option<Secret>) -> (Seq, Late) {
        let late = Late {
            answer: self.answer.into_answer(secrets),
            by: self.by.into_owned(),
            at: self.at,
        };
        (self.opened, late)
    }
}

impl<'a> AnswerRecord<'a> {
    fn new(answer: &'a Answer, secrets: &mut Vec<Secret>) -> Self {
        match answer {
            Answer::Replies(replies) => Self::Replies(Cow::Borrowed(replies)),
            Answer::Verdict(verdict) => Self::Verdict(Cow::Borrowed(verdict)),
            Answer::Fields(fields) => Self::Fields(
                fields
                    .iter()
                    .map(|(name, value)| {
                        (
                            Cow::Borrowed(name.as_str()),
                            ValueRecord::new(value, secrets),
                        )
                    })
                    .collect(),
            ),
        }
    }

    fn into_answer(self, secrets: &mut dyn FnMut(usize) -> Option<Secret>) -> Answer {
        match self {
            Self::Replies(replies) => Answer::Replies(replies.into_owned()),
            Self::Verdict(verdict) => Answer::Verdict(verdict.into_owned()),
            Self::Fields(fields) => Answer::Fields(
                fields
                    .into_iter()
                    .map(|(name, value)| (name.into_owned(), value.into_value(secrets)))
                    .collect(),
            ),
        }
    }
}

impl<'a> ValueRecord<'a> {
    fn new(value: &'a FieldValue, secrets: &mut Vec<Secret>) -> Self {
        match value {
            FieldValue::Text(text) => Self::Text(Cow::Borrowed(text)),
            FieldValue::Number(number) => Self::Number(Cow::Borrowed(number)),
            FieldValue::Boolean(value) => Self::Boolean(*value),
            FieldValue::Many(values) => Self::Many(Cow::Borrowed(values)),
            FieldValue::Secret(None) => Self::Secret(None),
            FieldValue::Secret(Some(secret)) => {
                secrets.push(secret.clone());
                Self::Secret(Some(secrets.len() - 1))
            }
        }
    }

    fn into_value(self, secrets: &mut dyn FnMut(usize) -> Option<Secret>) -> FieldValue {
        match self {
            Self::Text(text) => FieldValue::Text(text.into_owned()),
            Self::Number(number) => FieldValue::Number(number.into_owned()),
            Self::Boolean(value) => FieldValue::Boolean(value),
            Self::Many(values) => FieldValue::Many(values.into_owned()),
            Self::Secret(gap) => FieldValue::Secret(gap.and_then(secrets)),
        }
    }
}
