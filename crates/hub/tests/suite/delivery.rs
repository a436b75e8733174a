//! The agent always learns: links, redelivery, confirmation, secrets.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::answer::{Answer, FieldValue};
use sayso_core::ask::Draft;
use sayso_core::entry::TurnEnd;
use sayso_core::id::{AgentName, ConversationName};
use sayso_core::limits;
use sayso_core::outcome::{Delivery, Outcome};
use sayso_core::text::Secret;
use sayso_core::view::AskView;
use sayso_hub::{Brought, HubError, Link, MessageTo, Piece, Turns};
use sayso_testkit::{Ground, House, form_with_secret, questions};

use super::answering::answer;
use crate::GROUND;

/// The next thing on a link, which must be an outcome.
async fn outcome(link: &mut Link) -> Arc<AskView> {
    match link.next().await.unwrap() {
        Brought::Outcome(view) => view,
        other @ (Brought::Turn { .. } | Brought::Control(_)) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_outcome_comes_to_a_live_link_and_again_until_confirmed() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let mut link = agent.link(None).await.unwrap();
    let ask = agent
        .ask(questions("Which cache?", None), None)
        .await
        .unwrap()
        .view
        .ask;
    answer(&house, &ask).await;
    let told = outcome(&mut link).await;
    assert_eq!(told.ask.id, ask.id);
    link.sent(ask.id);
    let seen = async || house.ann().look(ask.id).await.unwrap();
    let agents = house.agent().look(ask.id, Duration::ZERO).await.unwrap();
    assert_eq!(agents.delivery, Delivery::Sent);
    // It is written down a moment later, and then seen everywhere.
    house.pass(Duration::from_millis(250)).await;
    house
        .until(async || seen().await.delivery == Delivery::Sent)
        .await;
    drop(link);
    if GROUND == Ground::TwoHubs {
        // At another node whoever has just asked counts as here for a while.
        house.linked(0).await;
        house.pass(Duration::from_secs(11)).await;
    }
    assert!(!seen().await.connected);
    let mut link = agent.link(None).await.unwrap();
    let again = outcome(&mut link).await;
    assert_eq!((&again.ask, &again.closing), (&told.ask, &told.closing));
    agent.confirm(ask.id).await.unwrap();
    house.settled().await;
    assert_eq!(
        house.ann().look(ask.id).await.unwrap().delivery,
        Delivery::Confirmed
    );
    house.stop().await;
    let house = house.reopen().await;
    assert_eq!(
        house.ann().look(ask.id).await.unwrap().delivery,
        Delivery::Confirmed
    );
    assert_eq!(house.hub.health().owed, 0);
}

#[tokio::test]
async fn an_outcome_survives_a_crash_before_the_agent_heard_it() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", None)).await;
    let closed = answer(&house, &ask).await;
    let house = house.reopen().await;
    let mut link = house.agent().link(None).await.unwrap();
    let told = outcome(&mut link).await;
    assert_eq!((&*told.ask, &told.closing), (&*ask, &closed.closing));
}

#[tokio::test]
async fn links_of_other_agents_hear_nothing() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let name = |name: &str| Some(AgentName::new(name).unwrap());
    let mut other = agent.link(name("other")).await.unwrap();
    let mut mine = agent.link(name("mine")).await.unwrap();
    let ask = agent
        .ask(questions("Which cache?", None), name("mine"))
        .await
        .unwrap()
        .view
        .ask;
    answer(&house, &ask).await;
    assert_eq!(outcome(&mut mine).await.ask.id, ask.id);
    assert!(
        tokio::time::timeout(Duration::from_millis(20), other.next())
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_secret_reaches_the_asker_and_is_gone_once_confirmed() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let ask = agent.ask(form_with_secret(), None).await.unwrap().view.ask;
    let answer = Answer::Fields(vec![(
        "password".to_owned(),
        FieldValue::Text("hunter2-canary".to_owned()),
    )]);
    house
        .ann()
        .answer(ask.id, Some(ask.digest), answer)
        .await
        .unwrap();
    let house = house.reopen().await;
    let agent = house.agent();
    let secret = |outcome: &Outcome| match outcome {
        Outcome::Answered(Answer::Fields(fields)) => fields[0].1.clone(),
        other => panic!("{other:?}"),
    };
    let view = agent.look(ask.id, Duration::ZERO).await.unwrap();
    assert_eq!(
        secret(&view.closing.unwrap().outcome),
        FieldValue::Secret(Some(Secret::new("hunter2-canary".to_owned())))
    );
    agent.confirm(ask.id).await.unwrap();
    house.stop().await;
    let house = house.reopen().await;
    let view = house.agent().look(ask.id, Duration::ZERO).await.unwrap();
    assert_eq!(
        secret(&view.closing.unwrap().outcome),
        FieldValue::Secret(None)
    );
}

#[tokio::test]
async fn a_secret_that_comes_after_the_end_was_confirmed_is_never_kept() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let minute = Duration::from_secs(60);
    let draft = Draft {
        timeout: Some(minute),
        ..form_with_secret()
    };
    for confirms in [false, true] {
        let ask = agent.ask(draft.clone(), None).await.unwrap().view.ask;
        house.pass(minute).await;
        if confirms {
            agent.look(ask.id, minute).await.unwrap();
            agent.confirm(ask.id).await.unwrap();
        }
        let said = FieldValue::Text("hunter2-canary".to_owned());
        let answer = Answer::Fields(vec![("password".to_owned(), said)]);
        let late = house.ann().answer(ask.id, Some(ask.digest), answer).await;
        assert!(matches!(late, Err(HubError::Expired { kept: true, .. })));
        let view = agent.look(ask.id, Duration::ZERO).await.unwrap();
        let told = (!confirms).then(|| Secret::new("hunter2-canary".to_owned()));
        assert_eq!(
            view.late.unwrap().answer,
            Answer::Fields(vec![("password".to_owned(), FieldValue::Secret(told))])
        );
    }
}

#[tokio::test]
async fn a_link_without_a_name_hears_for_every_agent_of_its_token() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let name = Some(AgentName::new("worker").unwrap());
    let ask = agent
        .ask(questions("Which cache?", None), name)
        .await
        .unwrap()
        .view
        .ask;
    answer(&house, &ask).await;
    let mut link = agent.link(None).await.unwrap();
    assert_eq!(outcome(&mut link).await.ask.id, ask.id);
}

#[tokio::test]
async fn a_link_that_does_not_read_is_cut_and_the_next_one_gets_everything() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let mut slow = agent.link(None).await.unwrap();
    let count = limits::LINK_BEHIND_MAX + 3;
    let mut asks = Vec::new();
    for number in 0..count {
        let text = format!("Number {number}?");
        let ask = agent
            .ask(questions(&text, None), None)
            .await
            .unwrap()
            .view
            .ask;
        answer(&house, &ask).await;
        asks.push(ask.id);
    }
    let mut told = 0;
    while slow.next().await.is_some() {
        told += 1;
    }
    assert_eq!(told, limits::LINK_BEHIND_MAX);
    drop(slow);
    let mut next = agent.link(None).await.unwrap();
    for ask in asks {
        assert_eq!(outcome(&mut next).await.ask.id, ask);
    }
}

#[tokio::test]
async fn a_link_without_a_name_hears_for_agents_that_come_later_and_says_so() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let mut link = agent.link(None).await.unwrap();
    let name = |text: &str| Some(AgentName::new(text).unwrap());
    for newcomer in ["first", "second"] {
        let asked = agent.ask(questions("Which cache?", None), name(newcomer));
        let ask = asked.await.unwrap().view.ask;
        // Long after it called: only the link makes it connected.
        house.pass(Duration::from_secs(3600)).await;
        let looked = async || house.ann().look(ask.id).await.unwrap();
        house.until(async || looked().await.connected).await;
        answer(&house, &ask).await;
        assert_eq!(outcome(&mut link).await.ask.id, ask.id);
        agent.confirm(ask.id).await.unwrap();
    }
    // A link of one agent stays that agent's.
    let mut mine = agent.link(name("mine")).await.unwrap();
    let asked = agent.ask(questions("Which cache?", None), name("third"));
    let third = asked.await.unwrap().view.ask;
    let asked = agent.ask(questions("Which cache?", None), name("mine"));
    let own = asked.await.unwrap().view.ask;
    answer(&house, &third).await;
    answer(&house, &own).await;
    assert_eq!(outcome(&mut mine).await.ask.id, own.id);
    assert_eq!(outcome(&mut link).await.ask.id, third.id);

    drop((link, mine));
    house.linked(0).await;
    house.pass(Duration::from_secs(3600)).await;
    let agents = house.ann().agents();
    assert_eq!(agents.len(), 5);
    assert!(agents.iter().all(|view| !view.connected));
    // Whoever comes now is joined to no link that is gone.
    let asked = agent.ask(questions("Which cache?", None), name("fourth"));
    let fourth = asked.await.unwrap().view.ask;
    house.pass(Duration::from_secs(3600)).await;
    assert!(!house.ann().look(fourth.id).await.unwrap().connected);
}

#[tokio::test]
async fn turns_of_an_agent_that_comes_later_come_to_the_link_of_its_token() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let mut link = agent.link(None).await.unwrap();
    link.take_turns(Turns::Any);
    let name = AgentName::new("newcomer").unwrap();
    let conversation = ConversationName::new("c").unwrap();
    agent
        .say(Some(name.clone()), &conversation, "Hello", Piece::Last)
        .await
        .unwrap();
    agent
        .turn_ended(Some(name), &conversation, TurnEnd::Done)
        .await
        .unwrap();
    let to = house.ann().conversation("c").await.unwrap();
    house
        .ann()
        .message(MessageTo::Conversation(to), "Go on".to_owned())
        .await
        .unwrap();
    match link.next().await.unwrap() {
        Brought::Turn { message, .. } => assert_eq!(message.text, "Go on"),
        other @ (Brought::Outcome(_) | Brought::Control(_)) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_was_confirmed_stays_confirmed_whatever_happens_next() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let ask = house.asked(questions("Which cache?", None)).await;
    answer(&house, &ask).await;
    let form = agent.ask(form_with_secret(), None).await.unwrap().view.ask;
    let said = FieldValue::Text("hunter2-canary".to_owned());
    let fields = Answer::Fields(vec![("password".to_owned(), said)]);
    let ann = house.ann();
    ann.answer(form.id, Some(form.digest), fields)
        .await
        .unwrap();

    house.fill_disk(true);
    for ask in [&ask, &form] {
        let refused = agent.confirm(ask.id).await;
        assert!(matches!(refused, Err(HubError::TryLater(_))), "{refused:?}");
        let view = agent.look(ask.id, Duration::ZERO).await.unwrap();
        assert!(view.delivery < Delivery::Confirmed);
    }
    house.fill_disk(false);
    for ask in [&ask, &form] {
        let view = agent.confirm(ask.id).await.unwrap();
        assert_eq!(view.delivery, Delivery::Confirmed);
        // A second time is as good as the first.
        agent.confirm(ask.id).await.unwrap();
    }
    let house = house.reopen().await;
    let agent = house.agent();
    let mut link = agent.link(None).await.unwrap();
    let last = house.asked(questions("And now?", None)).await;
    answer(&house, &last).await;
    assert_eq!(outcome(&mut link).await.ask.id, last.id);
    let view = agent.look(form.id, Duration::ZERO).await.unwrap();
    let gone = Answer::Fields(vec![("password".to_owned(), FieldValue::Secret(None))]);
    assert_eq!(
        (view.delivery, &view.closing.unwrap().outcome),
        (Delivery::Confirmed, &Outcome::Answered(gone))
    );
}
