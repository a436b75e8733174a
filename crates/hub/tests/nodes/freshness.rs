//! A node that lost the database tells nothing to anybody until it has it again.

use std::time::Duration;

use sayso_core::id::{AgentId, ConversationName, DialectName, Seq, TokenName};
use sayso_core::role::Role;
use sayso_core::view::AskView;
use sayso_hub::{
    Brought, FeedFilter, HubError, HubSettings, ListFilter, MessageTo, News, Pass, Turns,
};
use sayso_testkit::pg::cluster;
use sayso_testkit::{Ground, House, PgProxy, questions};

use crate::suite::answering::answer;

/// A node behind a proxy, and one that is not.
async fn beside_a_proxy() -> (PgProxy, House, House) {
    let schema = cluster().schema();
    let proxy = PgProxy::to(cluster());
    let settings = HubSettings::default;
    let second = Duration::from_secs(1);
    let here = House::node_fresh_for(&schema, "here", proxy.url(), settings(), second).await;
    let there = House::node(&schema, "there", cluster().url(), settings()).await;
    (proxy, here, there)
}

fn is_silent<T>(answered: &Result<T, HubError>) -> bool {
    matches!(answered, Err(HubError::TryLater(why)) if why.starts_with("This node lost"))
}

#[tokio::test]
async fn a_node_without_the_database_answers_nobody_until_it_is_back() {
    let (proxy, here, there) = beside_a_proxy().await;
    let ask = here.asked(questions("Which cache?", None)).await;
    let mut link = here.agent().link(None).await.unwrap();
    let (mut feed, _) = here.ann().follow(FeedFilter::Everything, None);
    here.hub.fresh().await;
    assert!(there.hub.is_fresh());
    let gone = {
        let hub = here.hub.clone();
        tokio::spawn(async move { hub.stale_for(Duration::from_secs(10)).await })
    };
    proxy.close();
    let neighbours = here.hub.neighbours().unwrap();
    neighbours.no_longer(true).await.unwrap();
    assert!(!here.hub.is_fresh());
    let ann = here.ann();
    assert!(is_silent(&ann.look(ask.id).await));
    assert!(is_silent(
        &ann.open_asks(&ListFilter::default(), None).await
    ));
    assert!(is_silent(
        &ann.closed_asks(&ListFilter::default(), None).await
    ));
    let native = DialectName::new("native").unwrap();
    assert!(is_silent(
        &here.hub.enter_anywhere("person-secret", &native).await
    ));
    // What is told beside the journal is not told either.
    drop(here.agent().link(None).await.unwrap());
    // What the other node decides meanwhile is only told once this one is fresh again.
    let told = answer(&there, &ask).await;
    assert!(!gone.is_finished());
    here.clock.pass(Duration::from_secs(10));
    gone.await.unwrap();
    let early = tokio::time::timeout(Duration::from_millis(100), feed.next()).await;
    assert!(early.is_err(), "{early:?}");
    proxy.open();
    here.hub.fresh().await;
    match link.next().await.unwrap() {
        Brought::Outcome(view) => assert_eq!(view.closing, told.closing),
        other @ (Brought::Turn { .. } | Brought::Control(_)) => panic!("{other:?}"),
    }
    loop {
        if let News::Closed(view) = &feed.next().await.unwrap().news {
            assert_eq!(view.closing, told.closing);
            break;
        }
    }
    assert_eq!(ann.look(ask.id).await.unwrap().closing, told.closing);
}

#[tokio::test]
async fn a_hub_that_is_alone_is_always_fresh() {
    let house = House::new(Ground::OneHub).await;
    assert!(house.hub.is_fresh());
    house.hub.fresh().await;
    let never = house.hub.stale_for(Duration::ZERO);
    let never = tokio::time::timeout(Duration::from_millis(20), never).await;
    assert!(never.is_err());
}

#[tokio::test]
async fn a_device_that_is_ahead_of_a_node_goes_on_there_without_a_gap() {
    let (here, there) = House::two_nodes().await;
    for _ in 0..20 {
        let ask = here.asked(questions("Which cache?", None)).await;
        let at = here.ann().head();
        there.ann().come_to(at).await;
        let (mut feed, reset) = there
            .ann()
            .follow(FeedFilter::Everything, Some(Seq(at.0 - 1)));
        assert!(!reset, "it was told this much elsewhere");
        let item = feed.next().await.unwrap();
        assert_eq!(item.seq, Some(at));
        assert!(matches!(&item.news, News::Asked(view) if view.ask.id == ask.id));
    }
    let beyond = Seq(here.ann().head().0 + 1);
    there.ann().come_to(beyond).await;
    let (_, reset) = there.ann().follow(FeedFilter::Everything, Some(beyond));
    assert!(reset, "nobody was told that");
}

#[tokio::test]
async fn many_who_ask_share_the_questions_to_the_database() {
    let (here, there) = House::two_nodes().await;
    let ask = here.asked(questions("Which cache?", None)).await;
    let told = answer(&here, &ask).await;
    // Each of them came after the answer: none may be told that it is open.
    let looks = (0..100).map(|_| {
        let (ann, id) = (there.ann(), ask.id);
        tokio::spawn(async move { ann.look(id).await.unwrap().closing })
    });
    for look in looks.collect::<Vec<_>>() {
        assert_eq!(look.await.unwrap(), told.closing);
    }
}

/// Two nodes, of which the second has not heard how an ask ended at the first, and how it did.
async fn behind() -> (House, House, AskView) {
    let schema = cluster().schema();
    let settings = HubSettings::default;
    let second = Duration::from_secs(1);
    let url = || cluster().url();
    let here = House::node(&schema, "here", url(), settings()).await;
    let there = House::node_fresh_for(&schema, "there", url(), settings(), second).await;
    let ask = here.asked(questions("Which cache?", None)).await;
    there.hub.fresh().await;
    there.store.be_deaf(true);
    let told = answer(&here, &ask).await;
    // The database acknowledges everything it writes, and yet it knows nothing of that.
    there.hub.stale_for(Duration::ZERO).await;
    (here, there, told)
}

#[tokio::test]
async fn a_node_that_is_behind_answers_nobody_until_it_has_taken_everything_in() {
    let (_here, there, told) = behind().await;
    let ask = &told.ask;
    assert!(there.hub.neighbours().unwrap().is_fresh());
    let native = DialectName::new("native").unwrap();
    let entered = there.hub.enter_anywhere("person-secret", &native).await;
    assert!(is_silent(&entered));
    assert!(is_silent(&there.ann().look(ask.id).await));
    there.store.be_deaf(false);
    there.hub.fresh().await;
    let view = there.ann().look(ask.id).await.unwrap();
    assert_eq!(view.closing, told.closing);
}

#[tokio::test]
async fn whoever_waits_at_a_node_that_is_behind_hears_how_it_ended() {
    let (_here, there, told) = behind().await;
    let ask = &told.ask;
    let agent = there.agent();
    let mut looked = Box::pin(agent.look(ask.id, Duration::from_secs(5)));
    let early = tokio::time::timeout(Duration::from_millis(50), &mut looked).await;
    assert!(early.is_err(), "{early:?}");
    there.store.be_deaf(false);
    there.hub.fresh().await;
    there.clock.pass(Duration::from_millis(50));
    let view = tokio::time::timeout(Duration::from_secs(20), looked).await;
    assert_eq!(view.unwrap().unwrap().closing, told.closing);
}

/// A message is handed over at one node, and the other one cannot tell of it, because it cannot read it.
/// Whatever follows in the journal waits there until it can.
async fn hand_over_unreadable(here: &House, there: &House) {
    let mut link = here.agent().link(None).await.unwrap();
    link.take_turns(Turns::Any);
    let to = MessageTo::New {
        agent: Some(AgentId(1)),
        name: Some(ConversationName::new("main").unwrap()),
    };
    there.store.refuse_reads(usize::MAX);
    here.ann().message(to, "go on".to_owned()).await.unwrap();
    assert!(link.next().await.is_some());
}

/// A token that both nodes know, as it is used at the second.
async fn phone(here: &House, there: &House) -> (TokenName, Pass) {
    let name = TokenName::new("phone").unwrap();
    let admin = here.admin();
    let made = admin.make_token(name.clone(), Role::Agent, "phone-secret");
    made.await.unwrap();
    let native = DialectName::new("native").unwrap();
    let entered = there.hub.enter_anywhere("phone-secret", &native).await;
    (name, entered.unwrap().unwrap())
}

async fn assert_revoked(there: &House, pass: &Pass) {
    let revoked = tokio::time::timeout(Duration::from_secs(20), pass.revoked());
    assert!(revoked.await.is_ok(), "it waits for something else");
    let native = DialectName::new("native").unwrap();
    assert!(there.hub.enter("phone-secret", &native).is_none());
}

#[tokio::test]
async fn a_revocation_holds_before_what_is_read_with_it_can_be_told() {
    let (here, there) = House::two_nodes().await;
    let (name, pass) = phone(&here, &there).await;
    there.store.be_deaf(true);
    hand_over_unreadable(&here, &there).await;
    here.admin().revoke_token(name).await.unwrap();
    there.store.be_deaf(false);
    assert_revoked(&there, &pass).await;
}

#[tokio::test]
async fn a_revocation_holds_while_what_was_read_before_it_cannot_be_told() {
    let (here, there) = House::two_nodes().await;
    let (name, pass) = phone(&here, &there).await;
    hand_over_unreadable(&here, &there).await;
    let is_trying = async {
        while there.store.reads_refused() == usize::MAX {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let is_trying = tokio::time::timeout(Duration::from_secs(20), is_trying).await;
    assert!(is_trying.is_ok(), "it does not tell of the message");
    here.admin().revoke_token(name).await.unwrap();
    assert_revoked(&there, &pass).await;
}

#[tokio::test]
async fn a_node_that_knows_that_the_database_went_back_believes_nothing() {
    let schema = cluster().schema();
    let settings = HubSettings::default();
    let here = House::node(&schema, "here", cluster().url(), settings).await;
    let ask = here.asked(questions("Which cache?", None)).await;
    here.hub.fresh().await;
    let lost = format!(
        "DELETE FROM {schema}.header WHERE seq = {}",
        here.ann().head()
    );
    cluster().psql("sayso", &lost);
    let refused = here.agent().ask(questions("Which?", None), None).await;
    assert!(refused.is_err(), "{refused:?}");
    here.hub.stale_for(Duration::ZERO).await;
    assert!(is_silent(&here.ann().look(ask.id).await));
}
