//! Rules come back as they were made, with what they have done, and one commit may hold an ask and
//! the answer that a rule gives to it.

use std::sync::Arc;

use sayso_core::id::{RuleId, Seq, TokenName};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::policy::{Maker, Rule, denied_likes};
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, caught_up, commit, recover, sound, whole};
use crate::Store;
use sayso_core::state::{RuleEntry, SnapshotPart};

/// Every kind of rule comes back, newer versions in the place of older ones, revoked ones not.
pub async fn rules_come_back<S: Store>(mut open: impl FnMut() -> S) {
    let rules = sample::every_rule();
    let newer = Arc::new(Rule {
        version: 2,
        note: None,
        ..(*rules[2]).clone()
    });
    let ask = Arc::new(sample::ask(1, sample::question("?")));
    let closing = Arc::new(Closing {
        outcome: sample::dismissed(),
        by: Closer::Rule {
            rule: RuleId(3),
            version: 2,
            also: vec![RuleId(1)],
        },
        at: Time::from_millis(600),
    });
    {
        let store = begin(&mut open).await;
        let mut events = vec![
            Event::EpochBegan(sample::epoch(1)),
            Event::AgentMet(sample::agent(1)),
        ];
        events.extend(rules.iter().cloned().map(Event::RuleMade));
        events.push(Event::RuleMade(Arc::clone(&newer)));
        events.push(Event::RuleRevoked {
            rule: RuleId(5),
            by: Maker::Admin(TokenName::new("root").unwrap()),
        });
        assert_eq!(commit(&store, 500, events).await.len(), 11);
        let both = vec![
            Event::Asked(Arc::clone(&ask)),
            sample::closed(ask.id, Seq(12), Arc::clone(&closing)),
        ];
        assert_eq!(commit(&store, 600, both).await, [Seq(12), Seq(13)]);
    }
    let entry = |rule: &Arc<Rule>, hits, last_used: Option<u64>| {
        SnapshotPart::Rule(RuleEntry {
            rule: Arc::clone(rule),
            hits,
            last_used: last_used.map(Time::from_millis),
        })
    };
    let expected = vec![
        entry(&rules[0], 1, Some(600)),
        entry(&rules[1], 0, None),
        entry(&newer, 1, Some(600)),
        entry(&rules[3], 0, None),
        entry(&rules[5], 0, None),
        entry(&rules[6], 0, None),
        SnapshotPart::LastRule(RuleId(7)),
    ];
    for _ in 0..2 {
        let store = open();
        let (told, _) = recover(&store).await;
        let told: Vec<_> = told
            .into_iter()
            .filter(|item| matches!(item, SnapshotPart::Rule(_) | SnapshotPart::LastRule(_)))
            .collect();
        assert_eq!(told, expected);
        let place = sample::place(12, Some(13), None);
        let whole = whole(&ask, Some(Arc::clone(&closing)), None);
        assert_eq!(store.read(place).await.unwrap(), whole);
        sound(&store, 13, 0).await;
    }
}

/// What a person denied is found by what it was like, after a new start too, until it is erased.
pub async fn what_was_denied_is_never_forgotten<S: Store>(mut open: impl FnMut() -> S) {
    let ask = |n: u64, tool: &str| Arc::new(sample::ask(n, sample::approval(tool, "{}")));
    let by_rule = Arc::new(Closing {
        outcome: Outcome::Answered(sample::deny()),
        by: Closer::Rule {
            rule: RuleId(1),
            version: 1,
            also: Vec::new(),
        },
        at: Time::from_millis(5),
    });
    let answered = |answer| sample::closing(Outcome::Answered(answer), 5);
    let closings = [
        ("denied", answered(sample::deny())),
        ("allowed", answered(sample::allow())),
        ("by-rule", by_rule),
        ("dismissed", sample::closing(sample::dismissed(), 5)),
        ("erased", answered(sample::deny())),
    ];
    let mut events = vec![Event::AgentMet(sample::agent(1))];
    for ((tool, closing), n) in closings.iter().zip(1..) {
        let ask = ask(n, tool);
        events.push(Event::Asked(Arc::clone(&ask)));
        events.push(sample::closed(ask.id, Seq(2 * n), Arc::clone(closing)));
    }
    let likes: Vec<String> = closings
        .iter()
        .flat_map(|(tool, _)| denied_likes(&sample::approval(tool, "{}")))
        .collect();
    assert_eq!(likes.len(), closings.len());
    let found = async |store: &S| store.denied(&likes).await.unwrap();
    {
        let store = begin(&mut open).await;
        let last = *commit(&store, 5, events).await.last().unwrap();
        caught_up(&store, last).await;
        assert_eq!(found(&store).await, ["tool denied", "tool erased"]);
        let (place, _) = store.find(sample::ask_id(5)).await.unwrap().unwrap();
        let event = Event::Erased {
            ask: sample::ask_id(5),
            place,
        };
        let last = *commit(&store, 6, vec![event]).await.last().unwrap();
        caught_up(&store, last).await;
        assert_eq!(found(&store).await, ["tool denied"]);
    }
    let store = begin(&mut open).await;
    assert_eq!(found(&store).await, ["tool denied"]);
}
