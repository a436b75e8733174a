//! Answers of every kind, and how asks end.

use std::sync::Arc;

use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::id::{RuleId, TokenName};
use sayso_core::limits;
use sayso_core::outcome::{Closer, Closing, Late, Outcome, Seen};
use sayso_core::text::{Number, Secret};
use sayso_core::time::Time;

use super::{ODD, person};

/// A reply with everything.
pub fn replies() -> Answer {
    Answer::Replies(vec![
        Reply {
            question: 0,
            labels: vec!["a, b".to_owned(), ODD.to_owned()],
            other: Some(ODD.to_owned()),
            note: Some("note".to_owned()),
        },
        Reply {
            question: 2,
            ..Reply::default()
        },
    ])
}

/// A plain yes.
pub fn allow() -> Answer {
    Answer::Verdict(Verdict {
        decision: Decision::Allow { edited_input: None },
        scope: Scope::Once,
        note: None,
    })
}

/// Fields with a value of each kind; the secrets are as given.
pub fn fields(secrets: &[Option<&str>]) -> Answer {
    let mut fields = vec![
        ("text".to_owned(), FieldValue::Text(ODD.to_owned())),
        (
            "number".to_owned(),
            FieldValue::Number(Number::new("-0.10e+2").unwrap()),
        ),
        ("yes".to_owned(), FieldValue::Boolean(true)),
        ("no".to_owned(), FieldValue::Boolean(false)),
        (
            "many".to_owned(),
            FieldValue::Many(vec![String::new(), ODD.to_owned()]),
        ),
        ("none".to_owned(), FieldValue::Many(Vec::new())),
    ];
    fields.extend(secrets.iter().map(|secret| {
        (
            "secret".to_owned(),
            FieldValue::Secret(secret.map(|text| Secret::new(text.to_owned()))),
        )
    }));
    Answer::Fields(fields)
}

/// A person who closes.
pub fn by_person(seen: Seen) -> Closer {
    Closer::Person {
        person: person("Zoë"),
        device: TokenName::new("phone").unwrap(),
        seen,
    }
}

/// Ends of every kind, by everyone who can end an ask. None has a secret.
pub fn closings() -> Vec<Closing> {
    let at = Time::from_millis(77_777);
    let edited = Decision::Allow {
        edited_input: Some(ODD.to_owned()),
    };
    let mut closings = vec![
        Closing {
            outcome: Outcome::Answered(replies()),
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Answered(Answer::Replies(Vec::new())),
            by: by_person(Seen::Unbound),
            at,
        },
        Closing {
            outcome: Outcome::Answered(allow()),
            by: Closer::Rule {
                rule: RuleId(4),
                version: u32::MAX,
                also: vec![RuleId(1), RuleId(u32::MAX)],
            },
            at,
        },
        Closing {
            outcome: Outcome::Answered(verdict(edited, Scope::Always, Some(ODD))),
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Answered(verdict(
                Decision::Deny { stop: false },
                Scope::Conversation,
                None,
            )),
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Answered(fields(&[None])),
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Dismissed {
                note: None,
                stop: false,
            },
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Dismissed {
                note: Some(ODD.to_owned()),
                stop: false,
            },
            by: by_person(Seen::Digest),
            at,
        },
        Closing {
            outcome: Outcome::Expired,
            by: Closer::Clock,
            at: Time::MAX,
        },
        Closing {
            outcome: Outcome::Withdrawn { note: None },
            by: Closer::Agent,
            at,
        },
        Closing {
            outcome: Outcome::Withdrawn {
                note: Some("n".repeat(limits::NOTE_BYTES_MAX)),
            },
            by: Closer::Clock,
            at,
        },
    ];
    closings.extend(stopping());
    closings
}

/// Ends that are to end the agent's turn too.
fn stopping() -> [Closing; 2] {
    let closing = |outcome| Closing {
        outcome,
        by: by_person(Seen::Digest),
        at: Time::from_millis(77_777),
    };
    let aside = Outcome::Dismissed {
        note: None,
        stop: true,
    };
    let no = verdict(Decision::Deny { stop: true }, Scope::Once, Some(ODD));
    [closing(aside), closing(Outcome::Answered(no))]
}

fn verdict(decision: Decision, scope: Scope, note: Option<&str>) -> Answer {
    Answer::Verdict(Verdict {
        decision,
        scope,
        note: note.map(str::to_owned),
    })
}

/// An end at a moment.
pub fn closing(outcome: Outcome, at: u64) -> Arc<Closing> {
    Arc::new(Closing {
        outcome,
        by: by_person(Seen::Digest),
        at: Time::from_millis(at),
    })
}

/// A plain no.
pub fn deny() -> Answer {
    Answer::Verdict(Verdict {
        decision: Decision::Deny { stop: false },
        scope: Scope::Once,
        note: None,
    })
}

/// A late answer.
pub fn late(answer: Answer, at: u64) -> Arc<Late> {
    Arc::new(Late {
        answer,
        by: by_person(Seen::Unbound),
        at: Time::from_millis(at),
    })
}
