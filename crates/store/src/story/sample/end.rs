//! Answers of every kind, and how asks end.

use std::sync::Arc;

use sayso_core::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use sayso_core::id::{AskId, Place, RuleId, Seq, TokenName};
use sayso_core::journal::Event;
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
    let yes = Decision::Allow { edited_input: None };
    verdict(yes, Scope::Once, None)
}

/// A plain no.
pub fn deny() -> Answer {
    verdict(Decision::Deny { stop: false }, Scope::Once, None)
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
    let edited = Decision::Allow {
        edited_input: Some(ODD.to_owned()),
    };
    let no = |stop| Decision::Deny { stop };
    let by_rule = Closer::Rule {
        rule: RuleId(4),
        version: u32::MAX,
        also: vec![RuleId(1), RuleId(u32::MAX)],
    };
    let answers = [
        (replies(), by_person(Seen::Digest)),
        (Answer::Replies(Vec::new()), by_person(Seen::Unbound)),
        (allow(), by_rule),
        (
            verdict(edited, Scope::Always, Some(ODD)),
            by_person(Seen::Digest),
        ),
        (
            verdict(no(false), Scope::Conversation, None),
            by_person(Seen::Digest),
        ),
        (fields(&[None]), by_person(Seen::Digest)),
    ];
    let answers = answers.map(|(answer, by)| (Outcome::Answered(answer), by));
    let aside = |note: Option<&str>, stop| {
        let note = note.map(str::to_owned);
        (Outcome::Dismissed { note, stop }, by_person(Seen::Digest))
    };
    let long = Some("n".repeat(limits::NOTE_BYTES_MAX));
    let others = [
        aside(None, false),
        aside(Some(ODD), false),
        (Outcome::Expired, Closer::Clock),
        (Outcome::Withdrawn { note: None }, Closer::Agent),
        (Outcome::Withdrawn { note: long }, Closer::Clock),
        aside(None, true),
        (
            Outcome::Answered(verdict(no(true), Scope::Once, Some(ODD))),
            by_person(Seen::Digest),
        ),
    ];
    let ends = answers.into_iter().chain(others);
    ends.map(|(outcome, by)| {
        let is_last = outcome == Outcome::Expired;
        let at = if is_last {
            Time::MAX
        } else {
            Time::from_millis(77_777)
        };
        Closing { outcome, by, at }
    })
    .collect()
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

/// An ask that was put aside without a word.
pub fn dismissed() -> Outcome {
    Outcome::Dismissed {
        note: None,
        stop: false,
    }
}

/// That an ask ended, opened at this place.
pub fn closed(ask: AskId, opened: Seq, closing: Arc<Closing>) -> Event {
    Event::Closed {
        ask,
        opened,
        closing,
    }
}

/// That it was answered when it was too late.
pub fn answered_late(ask: AskId, opened: Seq, late: Arc<Late>) -> Event {
    Event::AnsweredLate { ask, opened, late }
}

/// Where the events of an ask stand.
pub fn place(opened: u64, closed: Option<u64>, late: Option<u64>) -> Place {
    Place {
        opened: Seq(opened),
        closed: closed.map(Seq),
        late: late.map(Seq),
    }
}

/// A late answer.
pub fn late(answer: Answer, at: u64) -> Arc<Late> {
    Arc::new(Late {
        answer,
        by: by_person(Seen::Unbound),
        at: Time::from_millis(at),
    })
}
