//! Two hubs on one database: whatever is decided on one holds on the other.

mod freshness;
mod limits;
mod presence;
mod racing;
mod talking;
mod time;

use std::time::Duration;

use sayso_core::answer::{Answer, FieldValue};
use sayso_core::id::{AgentId, AskKey, ConversationName, DialectName, Seq, TokenName};
use sayso_core::outcome::{Delivery, Outcome};
use sayso_core::policy::{AppliesTo, Says, Subject};
use sayso_core::role::Role;
use sayso_core::text::Secret;
use sayso_hub::{Brought, FeedFilter, HubError, ListFilter, MessageTo, NewRule, News, Turns};
use sayso_testkit::{House, form_with_secret, questions};

use crate::suite::answering::{answer, redis};

#[tokio::test]
async fn an_answer_on_one_node_reaches_the_agent_on_the_other() {
    let (here, there) = House::two_nodes().await;
    let agent = here.agent();
    let mut link = agent.link(None).await.unwrap();
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, Some(Seq::ZERO));
    let ask = here.asked(questions("Which cache?", None)).await;
    // The device on the other node is told of it by itself.
    loop {
        if let News::Asked(view) = &feed.next().await.unwrap().news {
            assert_eq!(view.ask, ask);
            break;
        }
    }
    let polled = {
        let (agent, id) = (agent.clone(), ask.id);
        tokio::spawn(async move { agent.look(id, Duration::from_secs(3600)).await })
    };
    let told = answer(&there, &ask).await;
    match link.next().await.unwrap() {
        Brought::Outcome(view) => assert_eq!(view.closing, told.closing),
        other @ (Brought::Turn { .. } | Brought::Control(_)) => panic!("{other:?}"),
    }
    assert_eq!(polled.await.unwrap().unwrap().closing, told.closing);
    agent.confirm(ask.id).await.unwrap();
    let view = there.ann().look(ask.id).await.unwrap();
    assert_eq!(view.closing, told.closing);
    // What is confirmed here is known there once it has caught up.
    let again = there.ann().answer(ask.id, Some(ask.digest), redis()).await;
    assert!(
        matches!(again, Err(HubError::AlreadyClosed(_))),
        "{again:?}"
    );
    assert_eq!(
        there.ann().look(ask.id).await.unwrap().delivery,
        Delivery::Confirmed
    );
}

#[tokio::test]
async fn the_first_answer_wins_wherever_it_comes_in() {
    let (here, there) = House::two_nodes().await;
    for _ in 0..20 {
        let ask = here.asked(questions("Which cache?", None)).await;
        let (one, other) = (here.ann(), there.ann());
        let (one, other) = tokio::join!(
            one.answer(ask.id, Some(ask.digest), redis()),
            other.answer(ask.id, Some(ask.digest), redis()),
        );
        assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1);
        let lost = one.err().or(other.err()).unwrap();
        assert!(matches!(lost, HubError::AlreadyClosed(_)), "{lost:?}");
    }
}

#[tokio::test]
async fn the_same_key_is_the_same_ask_on_every_node() {
    let (here, there) = House::two_nodes().await;
    for number in 0..10 {
        let mut draft = questions("Which cache?", None);
        draft.key = Some(AskKey::new(format!("k{number}")).unwrap());
        let (one, other) = (here.agent(), there.agent());
        let (one, other) = tokio::join!(one.ask(draft.clone(), None), other.ask(draft, None));
        assert_eq!(one.unwrap().view.ask.id, other.unwrap().view.ask.id);
    }
}

#[tokio::test]
async fn a_token_is_good_and_revoked_on_every_node() {
    let (here, there) = House::two_nodes().await;
    let name = TokenName::new("phone").unwrap();
    let native = DialectName::new("native").unwrap();
    let secret = "phone-secret";
    let admin = here.admin();
    let made = admin.make_token(name.clone(), Role::Agent, secret).await;
    made.unwrap();
    let pass = there.hub.enter_anywhere(secret, &native).await.unwrap();
    assert!(pass.is_some(), "it was made before this was asked");
    here.admin().revoke_token(name.clone()).await.unwrap();
    // Whoever decides with it decides behind the revocation.
    let made = there
        .admin()
        .make_token(name, Role::Agent, "other-secret")
        .await;
    assert!(made.is_ok(), "its name is free");
    let pass = there.hub.enter(secret, &native);
    assert!(pass.is_none(), "it was revoked");
}

#[tokio::test]
async fn a_secret_filled_in_on_one_node_reaches_the_agent_on_the_other() {
    let (here, there) = House::two_nodes().await;
    let mut link = here.agent().link(None).await.unwrap();
    let ask = here.asked(form_with_secret()).await;
    let text = FieldValue::Text("hunter2-canary".to_owned());
    let filled_in = Answer::Fields(vec![("password".to_owned(), text)]);
    let ann = there.ann();
    let answered = ann.answer(ask.id, Some(ask.digest), filled_in).await;
    answered.unwrap();
    let Brought::Outcome(view) = link.next().await.unwrap() else {
        panic!("no outcome");
    };
    let Outcome::Answered(Answer::Fields(fields)) = &view.closing.as_ref().unwrap().outcome else {
        panic!("{view:?}");
    };
    let secret = Secret::new("hunter2-canary".to_owned());
    assert_eq!(fields[0].1, FieldValue::Secret(Some(secret)));
}

#[tokio::test]
async fn an_agent_connects_again_for_an_outcome_that_could_not_be_read() {
    // The clock here is months off that of the database, by which the outcome is a moment old.
    let (here, there) = House::two_nodes().await;
    let mut link = there.agent().link(None).await.unwrap();
    let ask = here.asked(form_with_secret()).await;
    // Its text is no longer needed from the store.
    there.ann().look(ask.id).await.unwrap();
    there.store.refuse_reads(usize::MAX);
    let text = FieldValue::Text("hunter2-canary".to_owned());
    let filled_in = Answer::Fields(vec![("password".to_owned(), text)]);
    let ann = here.ann();
    let answered = ann.answer(ask.id, Some(ask.digest), filled_in).await;
    answered.unwrap();
    let ended = tokio::spawn(async move { while link.next().await.is_some() {} });
    let cut = async {
        while !ended.is_finished() {
            there.clock.pass(Duration::from_millis(250));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let cut = tokio::time::timeout(Duration::from_secs(20), cut).await;
    assert!(cut.is_ok(), "its link waits for ever");
    there.store.refuse_reads(0);
    let mut link = there.agent().link(None).await.unwrap();
    match link.next().await.unwrap() {
        Brought::Outcome(view) => assert_eq!(view.ask.id, ask.id),
        other @ (Brought::Turn { .. } | Brought::Control(_)) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_an_admin_forbade_is_not_taken_back_through_a_node_that_is_behind() {
    let (here, there) = House::two_nodes().await;
    there.store.be_deaf(true);
    let forbidden = NewRule {
        says: Says::Deny(Subject::Words(vec!["rm".to_owned()])),
        applies_to: AppliesTo::default(),
        lasts: None,
        note: None,
        shadow: false,
    };
    let admin = here.admin();
    let made = admin
        .rules()
        .make(vec![forbidden], Vec::new())
        .await
        .unwrap();
    let ann = there.ann();
    let taken_back = ann.rules().revoke(made[0].rule.id).await;
    assert!(
        matches!(taken_back, Err(HubError::Forbidden(_))),
        "{taken_back:?}"
    );
}

#[tokio::test]
async fn a_message_is_handed_over_once_by_the_node_with_the_link() {
    let (here, there) = House::two_nodes().await;
    let mut link = here.agent().link(None).await.unwrap();
    link.take_turns(Turns::Any);
    let to = MessageTo::New {
        agent: Some(AgentId(1)),
        name: Some(ConversationName::new("main").unwrap()),
    };
    let said = there.ann().message(to, "go on".to_owned()).await.unwrap();
    let Brought::Turn { message, .. } = link.next().await.unwrap() else {
        panic!("no turn");
    };
    assert_eq!(message.id, said.message.id);
    // The other node knows that it is with its agent, and gives it to nobody.
    let mut other = there.agent().link(None).await.unwrap();
    other.take_turns(Turns::Any);
    there
        .ann()
        .look(here.asked(questions("Which?", None)).await.id)
        .await
        .unwrap();
    let more = tokio::time::timeout(Duration::from_millis(50), other.next()).await;
    assert!(more.is_err(), "{more:?}");
}

#[tokio::test]
async fn what_was_answered_and_erased_before_a_node_read_it_is_gone_there_too() {
    let (here, there) = House::two_nodes().await;
    let ask = here.asked(questions("Which cache?", None)).await;
    // It is open on both.
    assert!(there.ann().look(ask.id).await.unwrap().closing.is_none());
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    there.store.be_deaf(true);
    answer(&here, &ask).await;
    here.admin().forget(ask.id).await.unwrap();
    there.store.be_deaf(false);
    while !matches!(feed.next().await.unwrap().news, News::Erased(_)) {}
    let looked = there.ann().look(ask.id).await;
    assert!(matches!(looked, Err(HubError::NotFound)), "{looked:?}");
    let again = there.admin().forget(ask.id).await;
    assert!(matches!(again, Err(HubError::NotFound)), "{again:?}");
    let open = there.ann().open_asks(&ListFilter::default(), None).await;
    assert_eq!(open.unwrap().asks, []);
}
