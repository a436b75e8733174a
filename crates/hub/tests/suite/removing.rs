//! A message is removed while it waits, or its agent has it: never both.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::entry::{EntryKind, MessageState};
use sayso_core::id::{AgentName, DialectName, MessageId, PersonName, Seq, TokenName};
use sayso_core::role::Role;
use sayso_hub::{
    Brought, EntryFrom, FeedFilter, HubError, Link, MessageTo, Messaged, News, Pass, PersonPass,
    Turns,
};
use sayso_testkit::House;

use crate::GROUND;

/// Says something in a new conversation with the agent, which must be known.
async fn say(house: &House, text: &str) -> Messaged {
    let ann = house.ann();
    let agent = ann.agents().first().map(|view| view.agent.id);
    let to = MessageTo::New { agent, name: None };
    ann.message(to, text.to_owned()).await.unwrap()
}

/// A house whose agent was met and is away.
async fn house() -> House {
    let house = House::new(GROUND).await;
    drop(house.agent().link(None).await.unwrap());
    house.settled().await;
    house
}

async fn taker(house: &House) -> Link {
    let mut link = house.agent().link(None::<AgentName>).await.unwrap();
    link.take_turns(Turns::Any);
    link
}

async fn texts(house: &House, conversation: &Arc<Conversation>) -> Vec<String> {
    house.settled().await;
    let ann = house.ann();
    let from = EntryFrom::After(Seq::ZERO);
    let list = ann.entries(conversation, from, 50).await.unwrap();
    let words = list.entries.into_iter().map(|entry| match entry.kind {
        EntryKind::Message { message, state } => format!("{} {}", state.word(), message.text),
        other => format!("{other:?}"),
    });
    words.collect()
}

fn bob(house: &House) -> PersonPass {
    let native = DialectName::new("native").unwrap();
    match house.people().hub.enter("bobs", &native).unwrap() {
        Pass::Person(pass) => pass,
        other @ (Pass::Agent(_) | Pass::Admin(_)) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_removed_message_is_gone_everywhere_and_is_never_given() {
    let house = house().await;
    let first = say(&house, "not this").await;
    assert_eq!(first.state, MessageState::Queued);
    let to = MessageTo::Conversation(Arc::clone(&first.conversation));
    let second = house.ann().message(to, "but this".to_owned()).await;
    let second = second.unwrap().message.id;
    let (mut feed, _) = house.ann().follow(FeedFilter::Everything, None);
    let before = house.ann().head();
    house.ann().remove_message(first.message.id).await.unwrap();
    let News::Entry(entry) = &feed.next().await.unwrap().news else {
        panic!("something else is told")
    };
    let removed = EntryKind::Message {
        message: Arc::clone(&first.message),
        state: MessageState::Removed,
    };
    assert_eq!(entry.kind, removed);
    // Whoever was away is told the same.
    let (mut late, _) = house.ann().follow(FeedFilter::Everything, Some(before));
    let News::Entry(replayed) = &late.next().await.unwrap().news else {
        panic!("something else is told")
    };
    assert_eq!(replayed, entry);
    let left = ["queued but this"];
    assert_eq!(texts(&house, &first.conversation).await, left);
    let again = house.ann().remove_message(first.message.id).await;
    assert!(matches!(again, Err(HubError::Unknown(_))), "{again:?}");

    let house = house.reopen().await;
    assert_eq!(texts(&house, &first.conversation).await, left);
    let mut link = taker(&house).await;
    let Some(Brought::Turn { message, .. }) = link.next().await else {
        panic!("no turn comes")
    };
    assert_eq!(message.id, second);
    let taken = house.ann().remove_message(second).await;
    assert!(matches!(taken, Err(HubError::Unknown(_))), "{taken:?}");
    assert_eq!(texts(&house, &first.conversation).await, ["sent but this"]);
    assert_eq!(house.admin().verify().await.unwrap().faults, [""; 0]);
}

#[tokio::test]
async fn only_who_said_it_or_an_admin_removes_it() {
    let house = house().await;
    let role = Role::Person(PersonName::new("bob").unwrap());
    let name = TokenName::new("tablet").unwrap();
    house.admin().make_token(name, role, "bobs").await.unwrap();
    let sent = say(&house, "mine").await;
    let refused = bob(&house).remove_message(sent.message.id).await;
    assert!(
        matches!(refused, Err(HubError::Forbidden(_))),
        "{refused:?}"
    );
    assert_eq!(texts(&house, &sent.conversation).await, ["queued mine"]);
    house.admin().remove_message(sent.message.id).await.unwrap();
    assert_eq!(texts(&house, &sent.conversation).await, [""; 0]);
    let nobody = MessageId::from_bytes([9; 16]);
    let unknown = house.ann().remove_message(nobody).await;
    assert!(matches!(unknown, Err(HubError::Unknown(_))), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn removing_races_with_the_agent_and_one_of_them_wins() {
    let house = house().await;
    let (mut removed, mut given) = (0, 0);
    for round in 0..40 {
        let sent = say(&house, &format!("round {round}")).await;
        let (ann, id) = (house.ann(), sent.message.id);
        let removing = tokio::spawn(async move { ann.remove_message(id).await });
        let mut link = taker(&house).await;
        let won = removing.await.unwrap().is_ok();
        // Whatever was decided by now is in the conversation, and on the link.
        let there = texts(&house, &sent.conversation).await;
        if won {
            removed += 1;
            assert_eq!(there, [""; 0], "round {round}");
        } else {
            given += 1;
            let Some(Brought::Turn { message, .. }) = link.next().await else {
                panic!("no turn comes in round {round}")
            };
            assert_eq!(message.id, id);
            assert_eq!(there, [format!("sent round {round}")]);
        }
        assert!(
            tokio::time::timeout(std::time::Duration::from_millis(5), link.next())
                .await
                .is_err()
        );
    }
    assert_eq!(removed + given, 40);
    assert_eq!(house.admin().verify().await.unwrap().faults, [""; 0]);
}
