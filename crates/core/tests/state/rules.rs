//! Rules: made together or not at all, put in force, revoked, and counted.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::answer::{Answer, Decision, Scope, Verdict};
use sayso_core::id::{PersonName, RuleId, TokenName};
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::policy::{Maker, Rule, Says, Subject};
use sayso_core::state::op::{ActivateRule, Candidate, MakeRules, NewRule};
use sayso_core::state::{Op, OpReply, Refusal, RuleEntry, RuleUses, SnapshotPart, State};

use super::scene::{Scene, answer, approval, denial, make_rules, question, replies, root};

fn make(scene: &mut Scene, make: MakeRules) -> (Vec<Event>, Vec<Arc<Rule>>) {
    match scene.act(Op::MakeRules(Box::new(make))) {
        (events, OpReply::Rules(rules)) => (events, rules),
        (_, other) => panic!("{other:?}"),
    }
}

fn person() -> Maker {
    Maker::Person {
        person: PersonName::new("ann").unwrap(),
        device: TokenName::new("phone").unwrap(),
    }
}

fn activate(rule: u32, candidates: Vec<Candidate>) -> Op {
    Op::ActivateRule(Box::new(ActivateRule {
        rule: RuleId(rule),
        by: root(),
        candidates,
    }))
}

fn shadow(word: &str) -> NewRule {
    NewRule {
        shadow: true,
        lasts: Some(Duration::from_secs(60)),
        note: Some("try it".to_owned()),
        ..denial(word)
    }
}

#[test]
fn rules_are_numbered_and_replace_others_in_the_same_turn() {
    let mut scene = Scene::new();
    let (events, rules) = make(&mut scene, make_rules(vec![denial("push"), shadow("drop")]));
    let expected = Rule {
        id: RuleId(2),
        version: 1,
        says: shadow("drop").says,
        applies_to: shadow("drop").applies_to,
        expires: Some(scene.now().after(Duration::from_secs(60))),
        by: root(),
        made_at: scene.now(),
        note: Some("try it".to_owned()),
        shadow: true,
    };
    assert_eq!((rules[0].id, &*rules[1]), (RuleId(1), &expected));
    let made: Vec<_> = rules.iter().cloned().map(Event::RuleMade).collect();
    assert_eq!(events, made);
    let (events, rules) = make(
        &mut scene,
        MakeRules {
            instead_of: vec![RuleId(1), RuleId(77)],
            ..make_rules(vec![denial("read")])
        },
    );
    assert_eq!(rules[0].id, RuleId(3));
    let revoked = Event::RuleRevoked {
        rule: RuleId(1),
        by: root(),
    };
    assert_eq!(events, [Event::RuleMade(Arc::clone(&rules[0])), revoked]);
    let ids: Vec<_> = scene
        .state
        .rules
        .policy()
        .rules()
        .map(|rule| rule.id)
        .collect();
    assert_eq!(ids, [RuleId(2), RuleId(3)]);
}

#[test]
fn a_new_rule_answers_what_waits_and_nothing_else() {
    let mut scene = Scene::new();
    let waits = scene.ask(approval("push it"));
    let other = scene.ask(approval("read it"));
    let closed = scene.ask(approval("push too"));
    scene.close(answer(&closed, super::scene::allowed()));
    let asks = scene.ask(question());
    scene.wall += 5_000;
    let candidates = [&waits, &other, &closed, &asks].map(|ask| scene.candidate(ask));
    let (events, rules) = make(
        &mut scene,
        MakeRules {
            candidates: candidates.to_vec(),
            ..make_rules(vec![denial("push")])
        },
    );
    let note = Some(format!("Denied by the rule {}.", rules[0].id));
    let closing = Closing {
        outcome: Outcome::Answered(Answer::Verdict(Verdict {
            decision: Decision::Deny { stop: false },
            scope: Scope::Once,
            note,
        })),
        by: Closer::Rule {
            rule: rules[0].id,
            version: 1,
            also: Vec::new(),
        },
        at: scene.now(),
    };
    let Event::Closed {
        opened,
        closing: got,
        ask,
    } = &events[1]
    else {
        panic!("{events:?}");
    };
    assert_eq!((events.len(), *ask, &**got), (2, waits.id, &closing));
    assert_eq!(opened.0, 3);
    // What came meanwhile is swept for itself.
    let (swept, _) = scene.act(Op::Sweep(vec![scene.candidate(&other)]));
    assert!(swept.is_empty(), "{swept:?}");
}

#[test]
fn a_sweep_takes_the_rules_in_force() {
    let mut scene = Scene::new();
    let ask = scene.ask(approval("push it"));
    make(&mut scene, make_rules(vec![denial("push")]));
    let candidate = scene.candidate(&ask);
    let (swept, _) = scene.act(Op::Sweep(vec![candidate.clone()]));
    assert_eq!(swept.len(), 1);
    assert!(scene.act(Op::Sweep(vec![candidate])).0.is_empty());
}

#[test]
fn a_rule_that_only_records_is_put_in_force_as_its_next_version() {
    let mut scene = Scene::new();
    make(&mut scene, make_rules(vec![shadow("push"), denial("drop")]));
    let ask = scene.ask(approval("push it"));
    let candidates = vec![scene.candidate(&ask)];
    assert!(
        scene.act(Op::Sweep(candidates.clone())).0.is_empty(),
        "it only records"
    );
    scene.wall += 10;
    let (events, reply) = scene.act(activate(1, candidates.clone()));
    let [Event::RuleMade(rule), Event::Closed { ask: closed, .. }] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(
        (rule.version, rule.shadow, rule.made_at),
        (2, false, scene.now())
    );
    assert_eq!(rule.note.as_deref(), Some("try it"));
    assert_eq!(*closed, ask.id);
    assert!(matches!(&reply, OpReply::Rules(rules) if rules[..] == [Arc::clone(rule)]));
    let in_force = Refusal::InForce(RuleId(1));
    assert_eq!(scene.refused(activate(1, candidates.clone())), in_force);
    assert_eq!(
        scene.refused(activate(9, Vec::new())),
        Refusal::NoRule(RuleId(9))
    );
    make(&mut scene, make_rules(vec![shadow("read")]));
    scene.wall += 61_000;
    let over = Refusal::RuleOver(RuleId(3));
    assert_eq!(scene.refused(activate(3, Vec::new())), over);
}

#[test]
fn whoever_puts_a_rule_in_force_is_its_maker() {
    let mut scene = Scene::new();
    make(&mut scene, make_rules(vec![shadow("push")]));
    let by = person();
    let activate = Op::ActivateRule(Box::new(ActivateRule {
        rule: RuleId(1),
        by: by.clone(),
        candidates: Vec::new(),
    }));
    scene.act(activate);
    let rule = scene.state.rules.policy().get(RuleId(1)).unwrap();
    assert_eq!(rule.by, by);
}

#[test]
fn only_an_admin_takes_back_what_an_admin_forbade() {
    let mut scene = Scene::new();
    let allows = NewRule {
        says: Says::Allow(Subject::Words(vec!["read".to_owned()])),
        ..denial("read")
    };
    make(&mut scene, make_rules(vec![denial("push"), allows]));
    let mut own = make_rules(vec![denial("drop")]);
    own.by = person();
    make(&mut scene, own);
    let revoke = |rule, by| Op::RevokeRule {
        rule: RuleId(rule),
        by,
    };
    let instead = |rule| {
        Op::MakeRules(Box::new(MakeRules {
            instead_of: vec![RuleId(rule)],
            by: person(),
            ..make_rules(vec![denial("more")])
        }))
    };
    let held = Refusal::HeldByAdmin(RuleId(1));
    assert_eq!(scene.refused(revoke(1, person())), held);
    assert_eq!(scene.refused(instead(1)), held);
    for rule in [2, 3] {
        assert!(scene.decide(revoke(rule, person())).is_ok(), "rule {rule}");
        assert!(scene.decide(instead(rule)).is_ok(), "rule {rule}");
    }
    for rule in [1, 2, 3] {
        assert!(scene.decide(revoke(rule, root())).is_ok(), "rule {rule}");
    }
}

#[test]
fn a_rule_is_revoked_once() {
    let mut scene = Scene::new();
    let (_, rules) = make(&mut scene, make_rules(vec![denial("push")]));
    let revoke = || Op::RevokeRule {
        rule: RuleId(1),
        by: root(),
    };
    let (events, reply) = scene.act(revoke());
    let revoked = Event::RuleRevoked {
        rule: RuleId(1),
        by: root(),
    };
    assert_eq!(events, [revoked]);
    assert!(matches!(&reply, OpReply::Rules(told) if told[..] == rules[..]));
    assert_eq!(scene.refused(revoke()), Refusal::NoRule(RuleId(1)));
    assert!(scene.state.rules.policy().is_empty());
    let ask = scene.ask(approval("push it"));
    assert!(scene.state.asks.open().find(ask.id).is_some());
}

#[test]
fn rules_have_a_limit_of_those_that_hold() {
    let mut scene = Scene::new();
    let many: Vec<_> = (1..limits::RULES_MAX)
        .map(|n| denial(&format!("w{n}")))
        .collect();
    make(&mut scene, make_rules(many));
    make(&mut scene, make_rules(vec![shadow("last")]));
    let live = limits::RULES_MAX;
    let more = Op::MakeRules(Box::new(make_rules(vec![denial("more")])));
    assert_eq!(scene.refused(more.clone()), Refusal::TooManyRules { live });
    // One that is over makes room.
    scene.wall += 60_001;
    assert!(scene.decide(more).is_ok());
}

#[test]
fn what_rules_do_is_counted() {
    let mut scene = Scene::new();
    let (_, rules) = make(&mut scene, make_rules(vec![denial("push"), denial("push")]));
    let first = rules[0].id;
    assert_eq!(scene.state.rules.uses(first), RuleUses::default());
    scene.ask(approval("push it"));
    scene.wall -= 1_000;
    scene.ask(approval("push more"));
    let times: Vec<_> = rules
        .iter()
        .map(|rule| scene.state.rules.uses(rule.id))
        .collect();
    let hits: u64 = times.iter().map(|uses| uses.hits).sum();
    assert!(hits >= 2, "{times:?}");
    assert_eq!(times[0].hits, 2);
    // The latest, though the clock was put back.
    assert_eq!(times[0].last.unwrap().as_millis(), scene.wall + 1_000);
    scene.act(Op::RevokeRule {
        rule: first,
        by: root(),
    });
    assert_eq!(scene.state.rules.uses(first), RuleUses::default());
}

#[test]
fn a_rule_that_is_gone_is_not_counted() {
    let mut scene = Scene::new();
    let ask = scene.ask(approval("push it"));
    let by = Closer::Rule {
        rule: RuleId(5),
        version: 1,
        also: vec![RuleId(6)],
    };
    let closing = Closing {
        outcome: replies(),
        by,
        at: scene.now(),
    };
    scene.take(&[Event::closed(ask.id, scene.state.head, Arc::new(closing))]);
    assert_eq!(scene.state.rules.uses(RuleId(5)), RuleUses::default());
}

#[test]
fn a_rule_is_loaded_with_what_it_has_done() {
    let mut scene = Scene::new();
    let (_, rules) = make(&mut scene, make_rules(vec![denial("push"), denial("read")]));
    let mut state = State::default();
    let last = scene.now();
    for (rule, hits) in rules.iter().zip([3, 0]) {
        state.load(SnapshotPart::Rule(RuleEntry {
            rule: Arc::clone(rule),
            hits,
            last_used: (hits > 0).then_some(last),
        }));
    }
    let used = RuleUses {
        hits: 3,
        last: Some(last),
    };
    assert_eq!(state.rules.uses(rules[0].id), used);
    assert_eq!(state.rules.uses(rules[1].id), RuleUses::default());
    assert_eq!(state.rules.policy().len(), 2);
}

#[test]
fn a_new_rule_is_what_a_rule_says_in_force() {
    let mut scene = Scene::new();
    let (_, rules) = make(&mut scene, make_rules(vec![shadow("push")]));
    assert_eq!(NewRule::in_force(&rules[0]), denial("push"));
}

#[test]
fn what_revokes_is_decided_first() {
    let name = TokenName::new("a").unwrap();
    let revoke = Op::RevokeRule {
        rule: RuleId(1),
        by: root(),
    };
    assert!(revoke.revokes() && Op::RevokeToken(name).revokes());
    assert!(!Op::Sweep(Vec::new()).revokes());
}
