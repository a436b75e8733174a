//! Holds what callers saw against the journal, which claims to be the order in which everything happened.
//!
//! No order is searched for: the journal is the witness. Each call is given the least prefix of it that
//! explains what it was told; a call that ended before another began may not know more than that one does.
//! Sorting is all it costs.

use std::collections::BTreeMap;

/// Faults that are told of one check.
const FAULTS_MAX: usize = 20;

/// What stands in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// An ask, under a key.
    Asked {
        /// Its id.
        ask: String,
        /// The key it was asked under.
        key: String,
    },
    /// The end of an ask.
    Closed {
        ask: String,
        /// What tells this end from every other.
        mark: String,
    },
}

/// A call, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSeen {
    /// When it began, on a clock that all callers share.
    pub began: u64,
    /// When its reply came; nothing when none came.
    pub ended: Option<u64>,
    /// What was done, and what the reply was.
    pub did: Did,
}

/// What a call did and was told. A call without a reply was told nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Did {
    /// Asked under a key, and was told an id.
    Ask {
        key: String,
        /// The id in the reply.
        told: Option<String>,
    },
    /// Tried to end an ask, and was told which end it has.
    Close {
        ask: String,
        /// What tells this try from every other.
        mark: String,
        /// The mark of the end in the reply.
        told: Option<String>,
    },
    /// Looked at an ask.
    Read {
        ask: String,
        /// What the reply said.
        told: Option<AskSeen>,
    },
}

/// How an ask looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskSeen {
    /// There is no such ask.
    Missing,
    /// It is open.
    Open,
    /// It ended so.
    Closed(String),
}

/// The journal, as a claim about what happened.
#[derive(Debug, Default)]
pub struct Witness {
    /// The ask of each key, and its place.
    keys: BTreeMap<String, (String, u64)>,
    /// The place of each ask.
    asked: BTreeMap<String, u64>,
    /// The end of each ask, and its place.
    closed: BTreeMap<String, (String, u64)>,
    /// Which places somebody must have written.
    unclaimed: BTreeMap<u64, String>,
    faults: Vec<String>,
}

/// What a call means in the journal's order.
#[derive(Debug, Clone, Copy)]
struct Meaning {
    /// The place it wrote.
    wrote: Option<u64>,
    /// The prefix that it must have known.
    least: u64,
    /// The first place that it cannot have known.
    before: u64,
}

impl Witness {
    /// Takes the journal in, in its order.
    pub fn new(journal: impl IntoIterator<Item = (u64, Claim)>) -> Self {
        let mut witness = Self::default();
        let mut last = 0;
        for (place, written) in journal {
            if place <= last {
                witness.fault(format!("place {place} stands after place {last}"));
            }
            last = last.max(place);
            witness.unclaimed.insert(place, format!("{written:?}"));
            let twice = match written {
                Claim::Asked { ask, key } => {
                    let before = witness.keys.insert(key, (ask.clone(), place));
                    let also = witness.asked.insert(ask, place);
                    before.map(|(_, place)| place).or(also)
                }
                Claim::Closed { ask, mark } => {
                    let before = witness.closed.insert(ask, (mark, place));
                    before.map(|(_, place)| place)
                }
            };
            if let Some(first) = twice {
                witness.fault(format!("place {place} happened already, at place {first}"));
            }
        }
        witness
    }

    fn fault(&mut self, what: String) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(what);
        }
    }

    /// Holds all calls against the journal. The error says what cannot have happened.
    pub fn check(mut self, calls: &[CallSeen]) -> Result<(), Vec<String>> {
        let mut meanings: Vec<Meaning> = calls.iter().map(|call| self.meaning(call)).collect();
        // Of those who asked under one key, whoever began first can have written it at the earliest.
        let mut first: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
        for (number, call) in calls.iter().enumerate() {
            if let Did::Ask { key, .. } = &call.did {
                let one = first.entry(key).or_insert((call.began, number));
                *one = (*one).min((call.began, number));
            }
        }
        for (key, (_, number)) in first {
            if let Some(meaning) = meanings.get_mut(number) {
                meaning.wrote = self.keys.get(key).map(|(_, place)| *place);
            }
        }
        let nobody: Vec<_> = std::mem::take(&mut self.unclaimed).into_iter().collect();
        for (place, what) in nobody {
            self.fault(format!("nobody wrote place {place}: {what}"));
        }
        // Beginnings stand before ends of the same moment: those calls overlap.
        let mut moments: Vec<(u64, bool, usize)> = Vec::with_capacity(calls.len() * 2);
        for (number, call) in calls.iter().enumerate() {
            moments.push((call.began, false, number));
            moments.extend(call.ended.map(|ended| (ended, true, number)));
        }
        moments.sort_unstable();
        let (mut known, mut least) = (0, vec![0; calls.len()]);
        for (_, is_end, number) in moments {
            let (Some(meaning), Some(least)) = (meanings.get(number), least.get_mut(number)) else {
                continue;
            };
            if is_end {
                known = known.max(*least);
                continue;
            }
            *least = meaning.least.max(known);
            let is_wrong = meaning.wrote.is_some_and(|place| place <= known);
            if is_wrong || *least >= meaning.before {
                let call = calls.get(number);
                self.fault(format!(
                    "all up to place {known} was known before this began: {call:?} {meaning:?}"
                ));
            }
        }
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(self.faults)
        }
    }

    fn meaning(&mut self, call: &CallSeen) -> Meaning {
        let mut meaning = Meaning {
            wrote: None,
            least: 0,
            before: u64::MAX,
        };
        match &call.did {
            Did::Ask { key, told } => {
                let there = self.keys.get(key).cloned();
                self.agree(call, told.as_ref(), there.as_ref().map(|(ask, _)| ask));
                if let Some((_, place)) = there {
                    self.unclaimed.remove(&place);
                    meaning.least = place;
                }
            }
            Did::Close { ask, mark, told } => {
                let there = self.closed.get(ask).cloned();
                self.agree(call, told.as_ref(), there.as_ref().map(|(mark, _)| mark));
                if let Some((winner, place)) = there {
                    if winner == *mark {
                        if self.unclaimed.remove(&place).is_none() {
                            self.fault(format!("place {place} was written twice: {call:?}"));
                        }
                        meaning.wrote = Some(place);
                    }
                    meaning.least = place;
                }
            }
            Did::Read { ask, told } => self.seen(call, ask, told.as_ref(), &mut meaning),
        }
        if call.ended.is_none() {
            // It was told nothing, so that it proves nothing.
            meaning.least = 0;
            meaning.before = u64::MAX;
        }
        meaning
    }

    /// What a reply named must be what stands there.
    fn agree(&mut self, call: &CallSeen, told: Option<&String>, there: Option<&String>) {
        if told.is_some() && told != there {
            self.fault(format!("there stands {there:?}, and was told: {call:?}"));
        }
    }

    fn seen(&mut self, call: &CallSeen, ask: &str, told: Option<&AskSeen>, meaning: &mut Meaning) {
        let asked = self.asked.get(ask).copied().unwrap_or(u64::MAX);
        let closed = self.closed.get(ask).cloned();
        match told {
            Some(AskSeen::Missing) => meaning.before = asked,
            Some(AskSeen::Open) => {
                meaning.least = asked;
                meaning.before = closed.map_or(u64::MAX, |(_, place)| place);
            }
            Some(AskSeen::Closed(mark)) => {
                self.agree(call, Some(mark), closed.as_ref().map(|(mark, _)| mark));
                meaning.least = closed.map_or(u64::MAX - 1, |(_, place)| place);
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Vec<(u64, Claim)> {
        let asked = |ask: &str, key: &str| Claim::Asked {
            ask: ask.to_owned(),
            key: key.to_owned(),
        };
        let closed = |ask: &str, mark: &str| Claim::Closed {
            ask: ask.to_owned(),
            mark: mark.to_owned(),
        };
        vec![
            (1, asked("a", "k")),
            (2, asked("b", "l")),
            (4, closed("a", "yes")),
        ]
    }

    fn call(began: u64, ended: u64, did: Did) -> CallSeen {
        CallSeen {
            began,
            ended: Some(ended),
            did,
        }
    }

    fn ask(key: &str, told: &str) -> Did {
        Did::Ask {
            key: key.to_owned(),
            told: Some(told.to_owned()),
        }
    }

    fn close(mark: &str, told: &str) -> Did {
        Did::Close {
            ask: "a".to_owned(),
            mark: mark.to_owned(),
            told: Some(told.to_owned()),
        }
    }

    fn read(told: AskSeen) -> Did {
        Did::Read {
            ask: "a".to_owned(),
            told: Some(told),
        }
    }

    /// What all of that is: two asks, one of them twice, a race, and somebody who looks.
    fn calls() -> Vec<CallSeen> {
        vec![
            call(0, 10, ask("k", "a")),
            call(5, 12, ask("k", "a")),
            call(11, 20, ask("l", "b")),
            call(21, 40, close("yes", "yes")),
            call(22, 45, close("no", "yes")),
            call(23, 30, read(AskSeen::Open)),
            call(31, 50, read(AskSeen::Closed("yes".to_owned()))),
        ]
    }

    fn faults(calls: &[CallSeen]) -> usize {
        let checked = Witness::new(journal()).check(calls);
        checked.map_or_else(|faults| faults.len(), |()| 0)
    }

    fn with(change: impl FnOnce(&mut Vec<CallSeen>)) -> usize {
        let mut calls = calls();
        change(&mut calls);
        faults(&calls)
    }

    #[test]
    fn what_can_have_happened_is_fine() {
        assert_eq!(Witness::new(journal()).check(&calls()), Ok(()));
        // Whose reply was lost may have written it or not.
        assert_eq!(with(|calls| calls[3].ended = None), 0);
        assert_eq!(with(|calls| calls[4].ended = None), 0);
    }

    #[test]
    fn a_reply_that_the_journal_does_not_bear_out_is_found() {
        assert_eq!(with(|calls| calls[1] = call(5, 12, ask("k", "b"))), 1);
        assert_eq!(with(|calls| calls[4] = call(22, 45, close("no", "no"))), 1);
        assert_eq!(with(|calls| calls.push(call(60, 61, ask("m", "c")))), 1);
        assert_eq!(with(|calls| drop(calls.remove(2))), 1, "nobody asked b");
        let again = call(22, 45, close("yes", "yes"));
        assert_eq!(with(|calls| calls.push(again)), 1, "it was written once");
    }

    #[test]
    fn what_is_known_is_not_forgotten() {
        let open = call(51, 52, read(AskSeen::Open));
        assert_eq!(with(|calls| calls.push(open)), 1);
        let missing = call(13, 14, read(AskSeen::Missing));
        assert_eq!(with(|calls| calls.push(missing)), 1);
        let missing = call(1, 14, read(AskSeen::Missing));
        assert_eq!(with(|calls| calls.push(missing)), 0);
    }

    #[test]
    fn the_order_of_time_is_the_order_of_the_journal() {
        let late = call(60, 70, ask("l", "b"));
        assert_eq!(with(|calls| calls[2] = late), 1, "b stands before a's end");
        assert_eq!(
            with(|calls| {
                calls.truncate(3);
                calls.push(call(46, 47, close("yes", "yes")));
                calls.push(call(30, 45, read(AskSeen::Closed("yes".to_owned()))));
            }),
            1,
            "it was seen before it was begun"
        );
    }

    #[test]
    fn a_place_is_given_once_and_an_ask_ends_once() {
        let mut twice = journal();
        twice.push((
            4,
            Claim::Closed {
                ask: "b".to_owned(),
                mark: "yes".to_owned(),
            },
        ));
        twice.push((
            5,
            Claim::Closed {
                ask: "a".to_owned(),
                mark: "no".to_owned(),
            },
        ));
        let faults = Witness::new(twice).check(&calls()).unwrap_err();
        assert!(
            faults[0].contains("place 4 stands after place 4"),
            "{faults:?}"
        );
        assert!(
            faults[1].contains("place 5 happened already, at place 4"),
            "{faults:?}"
        );
    }
}
