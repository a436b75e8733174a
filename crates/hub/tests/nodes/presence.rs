//! Who is connected is known at every node, whichever node it is connected to.

use std::time::Duration;

use sayso_core::id::AgentId;
use sayso_hub::{AgentView, FeedFilter, MessageTo, News, Subscription, Turns};
use sayso_testkit::{House, questions};

/// Waits until a device is told that the first agent is connected, or not.
async fn told(feed: &mut Subscription, connected: bool) -> AgentView {
    loop {
        let item = feed.next().await.unwrap();
        if let News::Agent(view) = &item.news
            && view.agent.id == AgentId(1)
            && view.connected == connected
        {
            return view.clone();
        }
    }
}

/// Past the time for which whoever called counts as here.
const LATER: Duration = Duration::from_secs(11);

#[tokio::test]
async fn an_agent_is_gone_once_its_last_link_at_any_node_is() {
    let (here, there) = House::two_nodes().await;
    let ask = here.asked(questions("Which cache?", None)).await;
    for house in [&here, &there] {
        house.ann().look(ask.id).await.unwrap();
        house.clock.pass(LATER);
    }
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    let first = here.agent().link(None).await.unwrap();
    let view = told(&mut feed, true).await;
    assert_eq!((view.presence.links, view.presence.left_at), (1, None));
    assert!(view.presence.since.is_some());
    assert!(there.ann().look(ask.id).await.unwrap().connected);
    assert!(there.ann().agents()[0].connected);
    let second = there.agent().link(None).await.unwrap();
    told(&mut feed, true).await;
    assert_eq!(there.ann().agents()[0].presence.links, 2);
    let (mut feed, _) = here.ann().follow(FeedFilter::Everything, None);
    drop(first);
    let view = told(&mut feed, true).await;
    assert_eq!(view.presence.links, 1, "the other one is still there");
    drop(second);
    let view = told(&mut feed, false).await;
    assert_eq!(view.presence.links, 0);
    assert!(view.presence.left_at.is_some());
    assert!(!here.ann().look(ask.id).await.unwrap().connected);
}

#[tokio::test]
async fn an_agent_that_waits_at_one_node_is_here_for_the_other() {
    let (here, there) = House::two_nodes().await;
    let ask = here.asked(questions("Which cache?", None)).await;
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    there.ann().look(ask.id).await.unwrap();
    there.clock.pass(LATER);
    let polling = {
        let agent = here.agent();
        tokio::spawn(async move { agent.look(ask.id, Duration::from_secs(3600)).await })
    };
    let view = loop {
        // A poll is written down with the next look, not at once.
        tokio::task::yield_now().await;
        here.clock.pass(Duration::from_secs(2));
        let next = tokio::time::timeout(Duration::from_millis(100), told(&mut feed, true)).await;
        if let Ok(view) = next {
            break view;
        }
    };
    assert_eq!(view.presence.links, 0, "it has no link");
    polling.abort();
}

#[tokio::test]
async fn a_message_for_nobody_by_name_finds_the_agent_at_another_node() {
    let (here, there) = House::two_nodes().await;
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    let mut link = here.agent().link(None).await.unwrap();
    link.take_turns(Turns::Any);
    told(&mut feed, true).await;
    let to = || MessageTo::New {
        agent: None,
        name: None,
    };
    let said = loop {
        // Who is here may be known a moment before what it takes.
        match there.ann().message(to(), "go on".to_owned()).await {
            Ok(said) => break said,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    assert_eq!(said.conversation.agent, AgentId(1));
    assert!(there.ann().takes_messages(&said.conversation));
    link.next().await.unwrap();
}
