//! From what a person sends to an answer.

use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Verdict};
use sayso_core::check::Violation;
use sayso_core::digest::Digest;

use super::{Found, wire};
use crate::path::push_key;

/// The digest and the answer in what a person sent.
///
/// Fields are typed by their JSON; a form knows which of the texts are secrets, so
/// `sayso_core::check::settle_fields` comes next, and then `check_answer`.
pub fn answer_from_wire(sent: wire::AnswerRequest) -> Result<(Digest, Answer), Vec<Violation>> {
    let mut found = Found::default();
    let digest = digest_from_wire(&sent.digest)
        .map_err(|violation| found.0.push(violation))
        .ok();
    let answer = match (sent.replies, sent.verdict, sent.fields) {
        (Some(replies), None, None) => told(&mut found, wire::Answer::Replies(replies)),
        (None, Some(verdict), None) => told(&mut found, wire::Answer::Verdict(verdict)),
        (None, None, Some(fields)) => told(&mut found, wire::Answer::Fields(fields)),
        (None, None, None) => {
            found.push(
                "",
                "must have an answer: `replies`, a `verdict` or `fields`",
            );
            None
        }
        (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
            found.push("", "has more than one of `replies`, `verdict` and `fields`");
            None
        }
    };
    match (digest, answer) {
        (Some(digest), Some(answer)) if found.0.is_empty() => Ok((digest, answer)),
        (_, _) => Err(found.0),
    }
}

/// The digest a device repeats.
pub fn digest_from_wire(text: &str) -> Result<Digest, Violation> {
    text.parse().map_err(|bad: sayso_core::id::BadId| {
        Violation::invalid("/digest", format!("is not {}", bad.expected))
    })
}

/// What was said, from either side.
pub(super) fn told(found: &mut Found, answer: wire::Answer) -> Option<Answer> {
    Some(match answer {
        wire::Answer::Replies(replies) => {
            Answer::Replies(replies.into_iter().map(reply_from_wire).collect())
        }
        wire::Answer::Verdict(verdict) => Answer::Verdict(verdict_from_wire(found, verdict)?),
        wire::Answer::Fields(fields) => Answer::Fields(fields_from_wire(found, fields)),
    })
}

fn reply_from_wire(reply: wire::Reply) -> Reply {
    Reply {
        question: reply.question,
        labels: reply.labels,
        other: reply.other,
        note: reply.note,
    }
}

fn verdict_from_wire(found: &mut Found, verdict: wire::Verdict) -> Option<Verdict> {
    let decision = match (verdict.allow, verdict.input, verdict.stop) {
        (true, edited_input, false) => Decision::Allow { edited_input },
        (false, None, stop) => Decision::Deny { stop },
        (true, _, true) => {
            found.push("/verdict/stop", "is only allowed when denying");
            return None;
        }
        (false, Some(_), _) => {
            found.push("/verdict/input", "is only allowed when allowing");
            return None;
        }
    };
    Some(Verdict {
        decision,
        scope: verdict.scope.into(),
        note: verdict.note,
    })
}

fn fields_from_wire(found: &mut Found, fields: wire::Fields) -> Vec<(String, FieldValue)> {
    let mut values = Vec::with_capacity(fields.0.len());
    for (name, value) in fields.0 {
        let wrong = match value {
            wire::FieldValue::Text(text) => {
                values.push((name, FieldValue::Text(text)));
                continue;
            }
            wire::FieldValue::Boolean(value) => {
                values.push((name, FieldValue::Boolean(value)));
                continue;
            }
            wire::FieldValue::Many(items) => {
                values.push((name, FieldValue::Many(items)));
                continue;
            }
            wire::FieldValue::Number(number) => {
                if let Some(number) = number.number() {
                    values.push((name, FieldValue::Number(number)));
                    continue;
                }
                "is a number of more than 64 characters"
            }
            wire::FieldValue::Hidden => "must be a string, because it is a secret",
            wire::FieldValue::Other => {
                "must be a string, a number, true, false or a list of strings; leave it out if \
                 there is no value"
            }
        };
        let mut path = "/fields".to_owned();
        push_key(&mut path, &name);
        found.push(path, wrong);
    }
    values
}
