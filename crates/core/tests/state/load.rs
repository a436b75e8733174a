//! Snapshots, and how two states are told apart.

use std::sync::Arc;

use sayso_core::id::{Seq, TokenId};
use sayso_core::outcome::Delivery;
use sayso_core::state::op::NewToken;
use sayso_core::state::{Flood, Op, Refusal, SnapshotPart, State};

use super::scene::{
    Scene, answer, approval, denial, keyed, make_rules, meet, new_token, question, replies, within,
};

/// A state with something in every part.
fn full() -> Scene {
    let mut scene = Scene::new();
    scene.conversation("main");
    let ask = scene.ask(within(question(), "main"));
    scene.close(answer(&ask, replies()));
    scene.act(Op::MakeRules(Box::new(make_rules(vec![denial("push")]))));
    scene
}

/// In which part a state differs from the full one after a change, whatever its place.
fn differs(change: impl FnOnce(&mut Scene)) -> Option<&'static str> {
    let (mut changed, plain) = (full(), full());
    change(&mut changed);
    changed.state.head = plain.state.head;
    let there = changed.state.differs_from(&plain.state);
    assert_eq!(there, plain.state.differs_from(&changed.state));
    there
}

#[test]
fn states_are_told_apart_by_every_part() {
    assert_eq!(full().state.differs_from(&full().state), None);
    assert_eq!(differs(|_| {}), None);
    let mut ahead = full();
    ahead.state.head = ahead.state.head.next();
    assert_eq!(ahead.state.differs_from(&full().state), Some("head"));
    let epoch = sayso_core::id::Epoch(uuid::Uuid::from_u128(1));
    assert_eq!(
        differs(|scene| scene.state.epoch = Some(epoch)),
        Some("epoch")
    );
    assert_eq!(differs(|scene| drop(scene.ask(question()))), Some("asks"));
    let later = {
        let mut scene = full();
        scene.wall += 1_000;
        scene.ask(question()).id
    };
    let saw = |scene: &mut Scene| scene.state.apply_erased(Seq(99), Some(later));
    assert_eq!(differs(saw), Some("asks"), "the last id alone");
    let runs = |scene: &mut Scene| {
        let conversation = Arc::clone(&scene.state.directory.conversations()[0]);
        let said = super::scene::half_said("Hm");
        scene.act(Op::Say { conversation, said });
    };
    assert_eq!(differs(runs), Some("talk"));
    let rules = make_rules(vec![denial("read")]);
    let rules = Op::MakeRules(Box::new(rules));
    assert_eq!(differs(|scene| drop(scene.act(rules))), Some("rules"));
    let last = |scene: &mut Scene| {
        let last = SnapshotPart::LastRule(sayso_core::id::RuleId(9));
        scene.state.load(last);
    };
    assert_eq!(differs(last), Some("rules"), "the last id alone");
    assert_eq!(
        differs(|scene| drop(scene.act(new_token("x", None)))),
        Some("directory")
    );
    let met = Op::Meet(Box::new(meet(TokenId(1), "other")));
    assert_eq!(differs(|scene| drop(scene.act(met))), Some("directory"));
    let began = |scene: &mut Scene| drop(scene.conversation("other"));
    assert_eq!(differs(began), Some("directory"));
    let confirmed = |scene: &mut Scene| {
        let agent = scene.state.directory.agents()[0].id;
        let ask = scene.state.delivery.of(agent).next().unwrap().ask;
        scene.act(super::delivery::confirm(ask));
    };
    assert_eq!(differs(confirmed), Some("delivery"));
    let sent = |scene: &mut Scene| {
        let agent = scene.state.directory.agents()[0].id;
        let owed = *scene.state.delivery.of(agent).next().unwrap();
        let mark = super::delivery::mark(scene, owed.ask, owed.opened, Delivery::Sent);
        scene.act(super::delivery::sent(&mark));
    };
    assert_eq!(differs(sent), Some("delivery"));
}

#[test]
fn one_token_or_one_ask_that_is_another_is_enough() {
    let with_hash = |hash| {
        let mut scene = full();
        scene.act(Op::MakeToken(Box::new(NewToken {
            name: sayso_core::id::TokenName::new("same").unwrap(),
            role: sayso_core::role::Role::Agent,
            hash: [hash; 32],
            with: None,
        })));
        scene.state
    };
    assert_eq!(with_hash(1).differs_from(&with_hash(2)), Some("directory"));
    let open = |new| {
        let mut scene = full();
        scene.ask(new);
        scene.state
    };
    assert_eq!(
        open(question()).differs_from(&open(approval("ls"))),
        Some("asks")
    );
}

#[test]
fn a_loaded_state_has_forgotten_what_closed_before_it() {
    let mut scene = Scene::new();
    let mut state = State::default();
    let token = scene.state.directory.token(TokenId(1)).unwrap();
    state.load(SnapshotPart::Token((**token).clone()));
    state.loaded(Seq(10), None, None);
    scene.state = state;
    let mut new = keyed(question(), "k");
    new.looked = Seq(9);
    let again = Op::Ask(Box::new(new.clone()));
    assert_eq!(scene.refused(again), Refusal::LookAgain);
    new.looked = Seq(10);
    scene.ask(new);
}

#[test]
fn what_is_too_much_is_said_with_what_to_do() {
    let all = [
        Flood::Asks,
        Flood::OpenAsks,
        Flood::Bytes,
        Flood::Conversations,
        Flood::Agents,
    ];
    for flood in all {
        assert!(flood.sentence().starts_with("This "), "{flood:?}");
        assert!(flood.hint().ends_with('.'), "{flood:?}");
    }
}
