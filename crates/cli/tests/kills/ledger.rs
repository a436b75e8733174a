//! What those who take part sent and were told, kept outside the server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use sayso_client::wire::{
    Answer, AnswerRequest, Ask, By, FieldValue, Late, NewAsk, Outcome, OutcomeKind,
};

/// How somebody tried to end an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) kind: OutcomeKind,
    pub(crate) answer: Option<Answer>,
    pub(crate) note: Option<String>,
    pub(crate) by: Author,
}

/// Who ended an ask, as far as a ledger can know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Author {
    Person(String),
    Agent,
    Clock,
    Rule,
}

impl Given {
    pub(crate) fn answer(person: &str, answer: &AnswerRequest) -> Self {
        Self {
            kind: OutcomeKind::Answered,
            answer: Some(hide(answer_of(answer))),
            note: None,
            by: Author::Person(person.to_owned()),
        }
    }

    pub(crate) fn withdrawal(note: &str) -> Self {
        Self {
            kind: OutcomeKind::Withdrawn,
            answer: None,
            note: Some(note.to_owned()),
            by: Author::Agent,
        }
    }

    /// What an outcome says, without when and on which device.
    pub(crate) fn of(outcome: &Outcome) -> Self {
        let By {
            person,
            agent,
            clock,
            rule,
            ..
        } = &outcome.by;
        let by = match (person, agent, clock, rule) {
            (Some(person), None, false, None) => Author::Person(person.clone()),
            (None, Some(_), false, None) => Author::Agent,
            (None, None, true, None) => Author::Clock,
            (None, None, false, Some(_)) => Author::Rule,
            other => panic!("an outcome has one author: {other:?}"),
        };
        Self {
            kind: outcome.kind,
            answer: outcome.answer.clone().map(hide),
            note: outcome.note.clone(),
            by,
        }
    }
}

pub(crate) fn answer_of(answer: &AnswerRequest) -> Answer {
    match (&answer.replies, &answer.verdict, &answer.fields) {
        (Some(replies), None, None) => Answer::Replies(replies.clone()),
        (None, Some(verdict), None) => Answer::Verdict(verdict.clone()),
        (None, None, Some(fields)) => Answer::Fields(fields.clone()),
        other => panic!("one answer: {other:?}"),
    }
}

/// An answer as everyone but the asker sees it; the one field of our form is secret.
pub(crate) fn hide(answer: Answer) -> Answer {
    match answer {
        Answer::Fields(mut fields) => {
            for (_, value) in &mut fields.0 {
                *value = FieldValue::Hidden;
            }
            Answer::Fields(fields)
        }
        other => other,
    }
}

/// An outcome as text, byte for byte, as everyone but the asker sees it.
pub(crate) fn bytes(outcome: &Outcome) -> String {
    let mut outcome = outcome.clone();
    outcome.answer = outcome.answer.map(hide);
    serde_json::to_string(&outcome).unwrap()
}

/// Everything about one ask.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) ask: NewAsk,
    /// Its id and digest, once the server said that it has it.
    pub(crate) asked: Option<(String, String)>,
    /// Every try to end it, whether or not anything came back.
    pub(crate) given: Vec<Given>,
    /// Outcomes as they were told: accepted, received, handed back, or seen on the feed.
    pub(crate) told: BTreeSet<String>,
    /// Whether somebody was told that the outcome is theirs.
    pub(crate) accepted: usize,
    /// Whether the agent was told the outcome.
    pub(crate) learned: bool,
    /// The late answer that the server said it kept.
    pub(crate) late: Option<Late>,
    pub(crate) forgotten: bool,
    /// Left unconfirmed on purpose.
    pub(crate) owed: bool,
}

/// What those who take part sent and were told.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<BTreeMap<&'static str, Page>>);

impl Ledger {
    pub(crate) fn pages(&self) -> BTreeMap<&'static str, Page> {
        self.0.lock().unwrap().clone()
    }

    fn with<T>(&self, key: &str, change: impl FnOnce(&mut Page) -> T) -> T {
        change(self.0.lock().unwrap().get_mut(key).unwrap())
    }

    /// Somebody is about to ask.
    pub(crate) fn ask(&self, key: &'static str, ask: &NewAsk) {
        let page = Page {
            ask: ask.clone(),
            asked: None,
            given: Vec::new(),
            told: BTreeSet::new(),
            accepted: 0,
            learned: false,
            late: None,
            forgotten: false,
            owed: false,
        };
        let before = self.0.lock().unwrap().insert(key, page);
        assert!(before.is_none(), "{key} is asked once");
    }

    /// The server said that it has the ask. The same key is the same ask, always.
    pub(crate) fn asked(&self, key: &str, id: &str, digest: &str) {
        let now = (id.to_owned(), digest.to_owned());
        self.with(key, |page| {
            if let Some(before) = &page.asked {
                assert_eq!(before, &now, "{key}: one key, two asks");
            }
            page.asked = Some(now);
        });
    }

    pub(crate) fn give(&self, key: &str, given: Given) {
        self.with(key, |page| page.given.push(given));
    }

    /// Somebody was told that their answer counts.
    pub(crate) fn accepted(&self, key: &str, outcome: &Outcome) {
        self.with(key, |page| page.accepted += 1);
        self.told(key, outcome);
    }

    /// Somebody was told the outcome.
    pub(crate) fn told(&self, key: &str, outcome: &Outcome) {
        self.with(key, |page| page.told.insert(bytes(outcome)));
    }

    /// The agent was told the outcome.
    pub(crate) fn learned(&self, key: &str, outcome: &Outcome) {
        self.with(key, |page| page.learned = true);
        self.told(key, outcome);
    }

    pub(crate) fn kept_late(&self, key: &str, late: &Late) {
        self.with(key, |page| {
            if let Some(before) = &page.late {
                assert_eq!(before, late, "{key}: two late answers");
            }
            page.late = Some(late.clone());
        });
    }

    pub(crate) fn forgotten(&self, key: &str) {
        self.with(key, |page| page.forgotten = true);
    }

    pub(crate) fn leave_owed(&self, key: &str) {
        self.with(key, |page| page.owed = true);
    }

    pub(crate) fn has_learned(&self, key: &str) -> bool {
        self.with(key, |page| page.learned)
    }

    /// What was asked and not learned yet; those of which nobody was told an id are marked.
    pub(crate) fn unfinished(&self) -> Vec<(&'static str, bool)> {
        let pages = self.pages().into_iter();
        let unfinished = pages.filter(|(_, page)| !page.learned);
        unfinished
            .map(|(key, page)| (key, page.asked.is_none()))
            .collect()
    }

    /// The key of an ask by its id, as far as anybody was told.
    pub(crate) fn key_of(&self, id: &str) -> Option<&'static str> {
        let pages = self.0.lock().unwrap();
        let found = pages
            .iter()
            .find(|(_, page)| page.asked.as_ref().is_some_and(|asked| asked.0 == id));
        found.map(|(key, _)| *key)
    }

    /// Id and digest of an ask, once they are known.
    pub(crate) async fn known(&self, key: &str) -> (String, String) {
        loop {
            let asked = {
                let pages = self.0.lock().unwrap();
                pages.get(key).and_then(|page| page.asked.clone())
            };
            if let Some(asked) = asked {
                return asked;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

/// The outcome of a closed ask.
pub(crate) fn outcome_of(ask: &Ask) -> &Outcome {
    ask.outcome.as_ref().unwrap()
}
