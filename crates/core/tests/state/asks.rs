//! Asks: taken in once, closed once, and only time expires.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::answer::{Answer, FieldValue};
use sayso_core::ask::{Ask, Matter};
use sayso_core::form::Form;
use sayso_core::id::{AgentId, AskId, ConversationId, Epoch, Place, Seq, WireId};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Closing, Delivery, Late, Outcome, OutcomeKind};
use sayso_core::state::op::VerdictRule;
use sayso_core::state::{
    Changes, ClosedEntry, Flood, Now, Op, OpReply, Refusal, Standing, State, asked_at,
};
use sayso_core::text::Secret;

use super::delivery::confirm;
use super::scene::{
    Scene, allowed, ann, answer, approval, denial, expire, expiring, half_said, keyed, question,
    replies, root, within,
};

fn reply_of(scene: &mut Scene, ask: sayso_core::state::op::NewAsk) -> (Vec<Event>, OpReply) {
    scene.act(Op::Ask(Box::new(ask)))
}

#[test]
fn an_ask_stands_behind_all_that_led_to_it() {
    let mut scene = Scene::new();
    let mut new = expiring(within(question(), "main"));
    new.said = Some(half_said("Let me see."));
    new.draft.stops = true;
    let draft = new.draft.clone();
    let (events, reply) = reply_of(&mut scene, new);
    let [
        Event::AgentMet(agent),
        Event::ConversationBegan(conversation),
        Event::Said(said),
        Event::Asked(ask),
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!(agent.id, AgentId(1));
    assert_eq!(
        (conversation.id, conversation.agent),
        (ConversationId(1), agent.id)
    );
    assert_eq!(
        (said.conversation, said.text.as_str()),
        (conversation.id, "Let me see.")
    );
    let expected = Ask {
        id: ask.id,
        agent: agent.id,
        conversation: Some(conversation.id),
        workspace: None,
        wire_id: None,
        key: None,
        title: draft.title,
        matter: draft.matter,
        digest: ask.digest,
        shape: ask.shape,
        asked_at: scene.now(),
        deadline: Some(scene.now().after(Duration::from_secs(5))),
        stops: true,
    };
    assert_eq!(**ask, expected);
    assert_eq!(asked_at(ask.id), scene.now());
    assert!(
        matches!(reply, OpReply::Asked(id) if id == ask.id),
        "{reply:?}"
    );
    // One event before it made the token.
    let Some(Standing::Open(entry)) = scene.state.asks.find(ask.id) else {
        panic!("it is not open");
    };
    assert_eq!(entry.opened, Seq(5));
    assert_eq!(entry.deadline, ask.deadline);
    assert_eq!(scene.state.asks.open_of(agent.id), 1);
    assert_eq!(scene.state.asks.open_in(conversation.id), 1);
    assert_eq!(scene.state.asks.agents().collect::<Vec<_>>(), [agent.id]);
    assert_eq!(scene.state.head, Seq(5));
    let changed: Vec<_> = scene.changes.iter().map(|c| c.conversation).collect();
    let here = Some(conversation.id);
    assert_eq!(changed, [None, None, here, here]);
    let met = scene.changes[0].met.as_ref();
    assert_eq!(met.map(|agent| agent.id), Some(agent.id));
}

#[test]
fn an_ask_without_words_or_conversation_is_one_event() {
    let mut scene = Scene::new();
    scene.ask(question());
    let mut new = question();
    // Nowhere to say it.
    new.said = Some(half_said("hm"));
    let (events, _) = reply_of(&mut scene, new);
    assert!(matches!(&events[..], [Event::Asked(_)]), "{events:?}");
}

#[test]
fn the_same_key_is_the_same_ask_for_as_long_as_its_text_is_kept() {
    let mut scene = Scene::new();
    let first = scene.ask(keyed(question(), "k"));
    let same = |scene: &mut Scene| match reply_of(scene, keyed(question(), "k")) {
        (events, OpReply::AskedBefore { ask, tried }) => {
            assert!(events.is_empty(), "{events:?}");
            assert_eq!(tried.key.as_ref().unwrap().as_str(), "k");
            Some(ask)
        }
        (_, OpReply::Asked(_)) => None,
        (_, other) => panic!("{other:?}"),
    };
    assert_eq!(same(&mut scene), Some(first.id));
    scene.close(answer(&first, replies()));
    assert_eq!(same(&mut scene), Some(first.id));
    let Some(Standing::Closed(looked)) = scene.state.asks.find(first.id) else {
        panic!("it is not closed");
    };
    let ask = first.id;
    scene.act(Op::Erase { ask, looked });
    assert_eq!(same(&mut scene), None);
}

#[test]
fn a_key_of_a_batch_is_found_in_the_batch() {
    let mut scene = Scene::new();
    let first = scene.ask(keyed(question(), "k"));
    let batch = &mut scene.state.batch();
    let closed = Closing {
        outcome: replies(),
        by: ann(),
        at: first.asked_at,
    };
    batch.apply(Seq(10), &Event::closed(first.id, Seq(3), Arc::new(closed)));
    assert!(matches!(
        batch.asks.find(first.id),
        Some(Standing::Closed(_))
    ));
    assert!(matches!(
        scene.state.asks.find(first.id),
        Some(Standing::Open(_))
    ));
}

#[test]
fn a_key_that_a_batch_frees_is_free_in_the_batch() {
    let mut scene = Scene::new();
    let ask = scene.ask(keyed(question(), "k"));
    let (opened, closed) = (Seq(3), Seq(4));
    let closing = Closing {
        outcome: replies(),
        by: ann(),
        at: scene.now(),
    };
    let place = Place {
        opened,
        closed: Some(closed),
        late: None,
    };
    let erased = vec![
        Event::closed(ask.id, opened, Arc::new(closing)),
        Event::Erased { ask: ask.id, place },
    ];
    let another_life = vec![Event::EpochBegan(Epoch(uuid::Uuid::from_u128(7)))];
    for events in [erased, another_life] {
        let mut batch = scene.state.batch();
        for event in &events {
            batch.apply(batch.head.next(), event);
        }
        let now = Now {
            wall: scene.now(),
            latest: scene.now(),
            bounds: &scene.bounds,
            emptied: &scene.emptied,
        };
        let again = Op::Ask(Box::new(keyed(question(), "k")));
        let plan = batch.decide(again, None, &now).unwrap();
        assert!(matches!(plan.reply, OpReply::Asked(_)), "{plan:?}");
    }
}

#[test]
fn the_same_wire_id_is_the_same_ask_in_the_same_conversation() {
    let mut scene = Scene::new();
    let wired = |room: &str| {
        let mut new = within(question(), room);
        new.draft.wire_id = Some(WireId::new("7").unwrap());
        new
    };
    let first = scene.ask(wired("main"));
    let (_, again) = reply_of(&mut scene, wired("main"));
    assert!(matches!(again, OpReply::AskedBefore { ask, .. } if ask == first.id));
    let (_, other) = reply_of(&mut scene, wired("other"));
    assert!(matches!(other, OpReply::Asked(_)), "{other:?}");
}

#[test]
fn an_agent_has_a_limit_of_open_asks() {
    let mut scene = Scene::new();
    scene.bounds.open_asks_per_agent = 2;
    let first = scene.ask(question());
    scene.ask(question());
    let full = Refusal::Full(Flood::OpenAsks);
    assert_eq!(scene.refused(Op::Ask(Box::new(question()))), full);
    scene.close(answer(&first, replies()));
    scene.ask(question());
}

#[test]
fn the_second_close_is_told_which_was_first() {
    let mut scene = Scene::new();
    let ask = scene.ask(within(question(), "main"));
    let opened = scene.state.head;
    let (events, reply) = scene.close(answer(&ask, replies()));
    let closing = Closing {
        outcome: replies(),
        by: ann(),
        at: scene.now(),
    };
    assert_eq!(events, [Event::closed(ask.id, opened, Arc::new(closing))]);
    assert!(matches!(reply, OpReply::Closed(id) if id == ask.id));
    let closed = scene.changes[0].closed.unwrap();
    assert_eq!((closed.ask, closed.opened), (ask.id, opened));
    assert_eq!(scene.changes[0].conversation, ask.conversation);
    let already = Refusal::AlreadyClosed {
        ask: ask.id,
        winner: scene.state.head,
    };
    let again = Op::Close(Box::new(answer(&ask, allowed())));
    assert_eq!(scene.refused(again), already);
    assert_eq!(scene.refused(expire(ask.id)), already);
    let agent = ask.agent;
    assert_eq!(scene.state.asks.open_of(agent), 0);
    assert_eq!(scene.state.asks.open_in(ask.conversation.unwrap()), 0);
    assert_eq!(scene.state.asks.agents().count(), 0);
    // What is applied again changes nothing.
    let at = scene.state.head.next();
    let changes = scene.state.apply(at, &events[0]);
    assert_eq!((changes.closed, changes.conversation), (None, None));
    let Some(Standing::Closed(entry)) = scene.state.asks.find(ask.id) else {
        panic!("it is not closed");
    };
    let expected = ClosedEntry {
        opened,
        closed: opened.next(),
        late: None,
        how: OutcomeKind::Answered,
        delivery: Delivery::Owed,
    };
    assert_eq!(entry, expected);
}

#[test]
fn only_time_expires_an_ask_and_only_one_that_is_there() {
    let mut scene = Scene::new();
    let ask = scene.ask(question());
    let by_hand = Op::Close(Box::new(answer(&ask, Outcome::Expired)));
    assert_eq!(scene.refused(by_hand), Refusal::OnlyTimeExpires);
    let (events, reply) = scene.act(expire(ask.id));
    let closing = Closing {
        outcome: Outcome::Expired,
        by: Closer::Clock,
        at: scene.now(),
    };
    assert_eq!(events, [Event::closed(ask.id, Seq(3), Arc::new(closing))]);
    assert!(matches!(reply, OpReply::Closed(id) if id == ask.id));
    let nobody = AskId::from_bytes([5; 16]);
    assert_eq!(scene.refused(expire(nobody)), Refusal::NotFound);
    let unknown = Arc::new(Ask {
        id: nobody,
        ..Ask::clone(&ask)
    });
    let close = Op::Close(Box::new(answer(&unknown, replies())));
    assert_eq!(scene.refused(close), Refusal::NotFound);
}

fn late(scene: &mut Scene, ask: &Arc<Ask>, outcome: Outcome) -> (Vec<Event>, bool) {
    match scene.close(answer(ask, outcome)) {
        (events, OpReply::Late { ask: id, kept }) => {
            assert_eq!(id, ask.id);
            assert_eq!(kept, !events.is_empty());
            (events, kept)
        }
        (_, other) => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_after_the_deadline_is_kept_once() {
    let mut scene = Scene::new();
    let ask = scene.ask(question());
    scene.act(expire(ask.id));
    let note = None;
    let dismissed = Outcome::Dismissed { note, stop: false };
    assert!(!late(&mut scene, &ask, dismissed).1);
    let note = None;
    assert!(!late(&mut scene, &ask, Outcome::Withdrawn { note }).1);
    assert!(!late(&mut scene, &ask, Outcome::Expired).1);
    let (events, _) = late(&mut scene, &ask, replies());
    let Outcome::Answered(answer) = replies() else {
        panic!("no answer");
    };
    let kept = Event::AnsweredLate {
        ask: ask.id,
        opened: Seq(3),
        late: Arc::new(Late {
            answer,
            by: ann(),
            at: scene.now(),
        }),
    };
    assert_eq!(events, [kept]);
    let place = scene.state.asks.find(ask.id).unwrap().place();
    let expected = Place {
        opened: Seq(3),
        closed: Some(Seq(4)),
        late: Some(Seq(5)),
    };
    assert_eq!(place, expected);
    assert_eq!(scene.state.delivery.get(ask.id).unwrap().late, Some(Seq(5)));
    assert!(!late(&mut scene, &ask, replies()).1);
    // Permission that comes too late is none.
    let command = scene.ask(approval("ls"));
    scene.act(expire(command.id));
    assert!(!late(&mut scene, &command, allowed()).1);
}

#[test]
fn a_late_secret_is_kept_only_for_an_agent_that_will_get_it() {
    let secret = || {
        let value = FieldValue::Secret(Some(Secret::new("s3cret".to_owned())));
        let fields = BTreeMap::from([("password".to_owned(), value)]);
        Answer::Fields(fields.into_iter().collect())
    };
    for confirmed in [false, true] {
        let mut scene = Scene::new();
        let mut new = question();
        new.draft.matter = Matter::Form(Form::Fields {
            message: "?".to_owned(),
            fields: Vec::new(),
        });
        let ask = scene.ask(new);
        scene.act(expire(ask.id));
        if confirmed {
            scene.act(confirm(ask.id));
        }
        let (events, _) = late(&mut scene, &ask, Outcome::Answered(secret()));
        let [Event::AnsweredLate { late, .. }] = &events[..] else {
            panic!("{events:?}");
        };
        let expected = if confirmed {
            secret().without_secrets()
        } else {
            secret()
        };
        assert_eq!(late.answer, expected);
    }
}

#[test]
fn an_ask_that_waits_is_not_erased_and_an_erased_one_not_answered() {
    let mut scene = Scene::new();
    let ask = scene.ask(question());
    let looked = ClosedEntry {
        opened: Seq(3),
        closed: Seq(9),
        late: None,
        how: OutcomeKind::Answered,
        delivery: Delivery::Owed,
    };
    let erase = |looked| Op::Erase {
        ask: ask.id,
        looked,
    };
    assert_eq!(scene.refused(erase(looked)), Refusal::StillOpen);
    scene.act(expire(ask.id));
    let (events, _) = scene.act(erase(looked));
    let place = Place {
        opened: Seq(3),
        closed: Some(Seq(4)),
        late: None,
    };
    let id = ask.id;
    assert_eq!(events, [Event::Erased { ask: id, place }]);
    let again = Op::Close(Box::new(answer(&ask, replies())));
    assert_eq!(scene.refused(again), Refusal::NotFound);
    assert!(scene.state.delivery.is_empty());
    let Some(Standing::Closed(entry)) = scene.state.asks.find(ask.id) else {
        panic!("it is not remembered");
    };
    assert_eq!(entry.delivery, Delivery::Confirmed);
}

#[test]
fn one_that_was_looked_up_is_judged_as_it_was_found() {
    let mut scene = Scene::new();
    let ask = scene.ask(question());
    let elsewhere = Arc::new(Ask {
        id: AskId::from_bytes([1; 16]),
        ..Ask::clone(&ask)
    });
    let mut close = answer(&elsewhere, replies());
    close.looked = Some(ClosedEntry {
        opened: Seq(1),
        closed: Seq(2),
        late: None,
        how: OutcomeKind::Dismissed,
        delivery: Delivery::Confirmed,
    });
    let already = Refusal::AlreadyClosed {
        ask: elsewhere.id,
        winner: Seq(2),
    };
    assert_eq!(scene.refused(Op::Close(Box::new(close))), already);
}

#[test]
fn a_verdict_and_its_rule_are_one_plan() {
    let mut scene = Scene::new();
    let asks = ["push it", "push more", "read it"].map(|command| scene.ask(approval(command)));
    let mut close = answer(&asks[0], allowed());
    close.rule = Some(VerdictRule {
        new: denial("push"),
        by: root(),
        candidates: asks.iter().map(|ask| scene.candidate(ask)).collect(),
    });
    let (events, _) = scene.close(close);
    let [
        Event::RuleMade(rule),
        Event::Closed { ask: own, .. },
        Event::Closed {
            ask: swept,
            closing,
            ..
        },
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!((*own, *swept), (asks[0].id, asks[1].id));
    assert!(matches!(&closing.by, Closer::Rule { rule: by, .. } if *by == rule.id));
    // It had waited for a moment, though all of this is one.
    assert_eq!(closing.at, scene.now().after(Duration::from_millis(1)));
    assert_eq!(scene.state.rules.uses(rule.id).hits, 1);
}

#[test]
fn a_rule_answers_at_once_where_the_ask_stands() {
    let mut scene = Scene::new();
    scene.act(Op::MakeRules(Box::new(super::scene::make_rules(vec![
        denial("push"),
    ]))));
    let before = scene.state.head;
    let (events, reply) = reply_of(&mut scene, within(approval("push it"), "main"));
    let [
        ..,
        Event::Asked(ask),
        Event::Closed {
            ask: closed,
            opened,
            closing,
        },
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    assert!(matches!(reply, OpReply::Asked(id) if id == ask.id));
    assert_eq!((*closed, closing.at), (ask.id, scene.now()));
    // Behind the agent and the conversation.
    assert_eq!(*opened, Seq(before.0 + 3));
}

#[test]
fn what_is_forgotten_must_be_looked_up_again() {
    let mut scene = Scene::new();
    let ask = scene.ask(keyed(question(), "first"));
    scene.close(answer(&ask, replies()));
    let first_closed = scene.state.head;
    for _ in 0..4096 {
        let ask = scene.ask(question());
        scene.close(answer(&ask, replies()));
    }
    scene.state.forget(Seq(first_closed.0 - 1));
    assert!(scene.state.asks.find(ask.id).is_some(), "look-ups lack it");
    scene.state.forget(first_closed);
    assert!(scene.state.asks.find(ask.id).is_none());
    let mut again = keyed(question(), "first");
    again.looked = Seq(first_closed.0 - 1);
    let again = Op::Ask(Box::new(again));
    assert_eq!(scene.refused(again), Refusal::LookAgain);
    let mut wired = question();
    wired.draft.wire_id = Some(WireId::new("1").unwrap());
    wired.looked = Seq::ZERO;
    assert_eq!(scene.refused(Op::Ask(Box::new(wired))), Refusal::LookAgain);
    let mut plain = question();
    plain.looked = Seq::ZERO;
    scene.ask(plain);
    let mut looked = keyed(question(), "first");
    looked.looked = first_closed;
    scene.ask(looked);
}

#[test]
fn the_margin_of_what_is_remembered_is_kept() {
    let mut scene = Scene::new();
    let asks: Vec<_> = (0..4100)
        .map(|_| {
            let ask = scene.ask(question());
            scene.close(answer(&ask, replies()));
            ask
        })
        .collect();
    scene.state.forget(Seq::MAX);
    let remembered = |ask: &Arc<Ask>| scene.state.asks.find(ask.id).is_some();
    let known: Vec<_> = asks.iter().take(6).map(remembered).collect();
    assert_eq!(known, [false, false, false, false, true, true]);
}

#[test]
fn a_late_answer_is_remembered_as_long_as_its_close() {
    let mut scene = Scene::new();
    let ask = scene.ask(question());
    scene.act(expire(ask.id));
    for _ in 0..4096 {
        let ask = scene.ask(question());
        scene.close(answer(&ask, replies()));
    }
    late(&mut scene, &ask, replies());
    let kept_at = scene.state.head;
    // The close alone may be forgotten; the answer came after it.
    scene.state.forget(Seq(4));
    let found = scene.state.asks.find(ask.id).unwrap();
    assert_eq!(found.place().late, Some(kept_at));
}

#[test]
fn a_late_answer_to_a_forgotten_ask_is_found_beside_it() {
    let mut scene = Scene::new();
    let ask = scene.ask(question());
    scene.act(expire(ask.id));
    for _ in 0..4096 {
        let ask = scene.ask(question());
        scene.close(answer(&ask, replies()));
    }
    scene.act(confirm(ask.id));
    scene.state.forget(Seq(4));
    assert!(scene.state.asks.find(ask.id).is_none());
    let looked = Some(ClosedEntry {
        opened: Seq(3),
        closed: Seq(4),
        late: None,
        how: OutcomeKind::Expired,
        delivery: Delivery::Confirmed,
    });
    let mut close = answer(&ask, replies());
    close.looked = looked;
    let (events, _) = scene.close(close.clone());
    assert_eq!(events.len(), 1, "it is kept");
    let kept_at = scene.state.head;
    assert_eq!(scene.state.asks.late_of(ask.id), Some(kept_at));
    let (events, _) = scene.close(close);
    assert!(events.is_empty(), "and once");
    for _ in 0..4100 {
        let ask = scene.ask(question());
        scene.close(answer(&ask, replies()));
    }
    scene.state.forget(Seq(kept_at.0 - 1));
    assert_eq!(scene.state.asks.late_of(ask.id), Some(kept_at));
    scene.state.forget(Seq::MAX);
    assert_eq!(scene.state.asks.late_of(ask.id), None);
}

#[test]
fn an_ask_whose_close_was_erased_before_it_was_read_is_open_no_more() {
    let mut scene = Scene::new();
    let ask = scene.ask(within(keyed(question(), "k"), "main"));
    let Some(Standing::Open(open)) = scene.state.asks.find(ask.id) else {
        panic!("it is not open");
    };
    let closed = scene.state.head.next();
    scene.state.apply_erased(closed, Some(ask.id));
    let place = Place {
        opened: open.opened,
        closed: Some(closed),
        late: None,
    };
    scene.take(&[Event::Erased { ask: ask.id, place }]);
    let expected = Changes {
        closed: Some(open),
        ..Changes::default()
    };
    assert_eq!(scene.changes, [expected]);
    let entry = ClosedEntry {
        opened: open.opened,
        closed,
        late: None,
        how: OutcomeKind::Withdrawn,
        delivery: Delivery::Confirmed,
    };
    assert_eq!(scene.state.asks.find(ask.id), Some(Standing::Closed(entry)));
    assert!(scene.state.delivery.is_empty(), "nobody is owed it");
    assert_eq!(scene.state.asks.open_in(ask.conversation.unwrap()), 0);
    // Its key is free.
    let (_, reply) = reply_of(&mut scene, keyed(question(), "k"));
    assert!(matches!(reply, OpReply::Asked(_)), "{reply:?}");
}

#[test]
fn a_state_begins_its_first_life_by_itself_and_another_only_when_told() {
    let mut scene = Scene::new();
    let begin = |again| Op::Begin {
        epoch: Epoch(uuid::Uuid::from_u128(7)),
        again,
    };
    let [first, second, third] = [false, false, true].map(|again| scene.act(begin(again)).0);
    let life = [Event::EpochBegan(Epoch(uuid::Uuid::from_u128(7)))];
    assert_eq!(
        (&first[..], &second[..], &third[..]),
        (&life[..], &[][..], &life[..])
    );
}

#[test]
fn another_life_leaves_open_asks_behind() {
    let mut scene = Scene::new();
    let ask = scene.ask(within(keyed(question(), "k"), "main"));
    let epoch = Epoch(uuid::Uuid::from_u128(7));
    let begin = |again| Op::Begin { epoch, again };
    let (events, _) = scene.act(begin(true));
    assert_eq!(events, [Event::EpochBegan(epoch)]);
    assert_eq!(scene.state.epoch, Some(epoch));
    assert!(scene.act(begin(false)).0.is_empty(), "this is no new state");
    assert!(scene.state.asks.find(ask.id).is_none());
    assert!(scene.state.asks.open().is_empty());
    assert_eq!(scene.state.asks.open_of(ask.agent), 0);
    assert_eq!(scene.state.asks.open_in(ask.conversation.unwrap()), 0);
    // One that closes in the new life is news of that life.
    let closing = Closing {
        outcome: replies(),
        by: ann(),
        at: scene.now(),
    };
    let closed = Event::closed(ask.id, Seq(4), Arc::new(closing));
    let changes = scene.state.apply(Seq(20), &closed);
    assert_eq!(changes.closed.map(|open| open.ask), Some(ask.id));
    assert_eq!(scene.state.delivery.len(), 1);
    let again = scene.state.apply(Seq(21), &closed);
    assert_eq!(again.closed, None);
    // Its key is still its own.
    let (_, reply) = reply_of(&mut scene, keyed(question(), "k"));
    assert!(matches!(reply, OpReply::AskedBefore { ask: id, .. } if id == ask.id));
}

#[test]
fn another_life_in_a_batch_is_one_in_the_batch() {
    let mut scene = Scene::new();
    let open = scene.ask(keyed(question(), "k"));
    let closed = scene.ask(question());
    let new = Arc::new(Ask {
        id: AskId::from_bytes([0x77; 16]),
        ..Ask::clone(&open)
    });
    let close = |ask: &Ask| {
        let closing = Closing {
            outcome: replies(),
            by: ann(),
            at: scene.now(),
        };
        Event::closed(ask.id, Seq(3), Arc::new(closing))
    };
    let epoch = Epoch(uuid::Uuid::from_u128(7));
    let mut batch = scene.state.batch();
    batch.apply(Seq(8), &Event::Asked(Arc::clone(&new)));
    batch.apply(Seq(9), &close(&closed));
    batch.apply(Seq(10), &Event::EpochBegan(epoch));
    for ask in [&open, &new] {
        assert!(batch.asks.find(ask.id).is_none());
    }
    assert_eq!(batch.asks.open_of(open.agent), 0);
    assert_eq!((batch.head, batch.epoch), (Seq(10), Some(epoch)));
    assert!(scene.state.asks.find(open.id).is_some());
    // Those that were open may still close in the new life, once.
    let mut ends = |ask: &Ask| {
        let changes = batch.apply(batch.head.next(), &close(ask));
        changes.closed.map(|entry| entry.ask)
    };
    assert_eq!(ends(&closed), None);
    assert_eq!([ends(&open), ends(&new)], [Some(open.id), Some(new.id)]);
    batch.apply(Seq(20), &Event::EpochBegan(epoch));
    let again = batch.apply(Seq(21), &close(&open));
    assert_eq!(again.closed, None);
}

#[test]
fn an_erased_ask_still_counts_for_the_next_id() {
    let mut later = Scene::new();
    later.wall += 1_000_000;
    let ask = later.ask(question()).id;
    let mut state = State::default();
    state.apply_erased(Seq(1), Some(ask));
    assert_eq!(state.head, Seq(1));
    let mut scene = Scene::new();
    let place = scene.state.head.next();
    scene.state.apply_erased(place, Some(ask));
    assert!(scene.ask(question()).id > ask);
}
