//! Messages and turns over two nodes: what is said on one reaches an agent on the other.

use std::sync::Arc;

use sayso_core::control::ControlKind;
use sayso_core::entry::{EntryKind, Message, MessageState, Turn, TurnEnd};
use sayso_core::id::{AgentId, AgentName, ConversationName, Seq};
use sayso_hub::{
    Brought, FeedFilter, HubSettings, Link, MessageTo, Messaged, News, NotControlled, Piece,
    Subscription, Turns,
};
use sayso_testkit::House;
use sayso_testkit::pg::cluster;

/// A link of the agent that takes turns everywhere.
async fn taker(house: &House) -> Link {
    let mut link = house.agent().link(None).await.unwrap();
    link.take_turns(Turns::Any);
    link
}

/// The next thing on a link, which must be a turn.
async fn turn(link: &mut Link) -> Arc<Message> {
    match link.next().await.unwrap() {
        Brought::Turn { message, .. } => message,
        other @ (Brought::Outcome(_) | Brought::Control(_)) => panic!("{other:?}"),
    }
}

/// Says something to the first agent in its conversation `main`.
async fn say(house: &House, text: &str) -> Messaged {
    let to = MessageTo::New {
        agent: Some(AgentId(1)),
        name: Some(ConversationName::new("main").unwrap()),
    };
    let said = house.ann().message(to, text.to_owned()).await;
    said.unwrap()
}

/// Waits until a device is told that a message stands like this.
async fn told(feed: &mut Subscription, message: &Message, wanted: MessageState) {
    loop {
        let item = feed.next().await.unwrap();
        if let News::Entry(entry) = &item.news
            && let EntryKind::Message {
                message: one,
                state,
            } = &entry.kind
            && one.id == message.id
            && *state == wanted
        {
            return;
        }
    }
}

#[tokio::test]
async fn a_message_whose_link_went_is_handed_over_by_the_other_node() {
    let (here, there) = House::two_nodes().await;
    let link = taker(&here).await;
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    let said = say(&here, "go on").await;
    assert_eq!(said.state, MessageState::Sent);
    told(&mut feed, &said.message, MessageState::Sent).await;
    let second = say(&here, "and then").await;
    assert_eq!(second.state, MessageState::Queued, "its turn runs");
    // It never read what it was given.
    drop(link);
    told(&mut feed, &said.message, MessageState::Queued).await;
    let mut link = taker(&there).await;
    assert_eq!(
        turn(&mut link).await.id,
        said.message.id,
        "the first is first"
    );
    told(&mut feed, &said.message, MessageState::Sent).await;
}

/// What devices on the other node are told in a conversation, until this is so.
async fn until(feed: &mut Subscription, mut is_so: impl FnMut(&News) -> bool) {
    while !is_so(&feed.next().await.unwrap().news) {}
}

fn main_room() -> ConversationName {
    ConversationName::new("main").unwrap()
}

#[tokio::test]
async fn a_turn_that_runs_at_one_node_runs_for_the_devices_of_the_other() {
    let (here, there) = House::two_nodes().await;
    let agent = here.agent();
    let mut link = taker(&here).await;
    let said = say(&there, "go on").await;
    let id = said.conversation.id;
    assert_eq!(turn(&mut link).await.id, said.message.id);
    let (mut feed, _) = there.ann().follow(FeedFilter::Conversation(id), None);
    let ended = agent.turn_ended(None, &main_room(), TurnEnd::Done).await;
    ended.unwrap();
    let is = |wanted: Turn| move |news: &News| matches!(news, News::Turn { turn, .. } if *turn == wanted);
    until(&mut feed, is(Turn::Idle)).await;
    // Nothing of this is written down: it is only said.
    let piece = agent.say(None, &main_room(), "Well", Piece::More).await;
    piece.unwrap();
    until(&mut feed, is(Turn::Running)).await;
    assert_eq!(there.ann().turn(id), Turn::Running);
    // While it runs, a link at the other node is handed nothing.
    let second = say(&there, "and then").await;
    assert_eq!(second.state, MessageState::Queued);
    let mut other = taker(&there).await;
    let ended = agent.turn_ended(None, &main_room(), TurnEnd::Done).await;
    ended.unwrap();
    let message = tokio::select! {
        message = turn(&mut link) => message,
        message = turn(&mut other) => message,
    };
    assert_eq!(message.id, second.message.id);
}

#[tokio::test]
async fn words_are_heard_at_the_other_node_while_they_are_said() {
    let (here, there) = House::two_nodes().await;
    let agent = here.agent();
    let whole = "so\u{1F600} ".repeat(1000);
    let began = agent.say(None, &main_room(), "Begun.", Piece::Last).await;
    began.unwrap();
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, Some(Seq::ZERO));
    until(&mut feed, |news| matches!(news, News::Entry(_))).await;
    let room = there.ann().conversation("main").await.unwrap();
    let mut heard = String::new();
    for piece in [&whole[..7], &whole[7..]] {
        let said = agent.say(None, &main_room(), piece, Piece::More).await;
        said.unwrap();
    }
    let listen = |heard: &mut String, news: &News| {
        if let News::Saying { from, text, .. } = news {
            assert_eq!(*from, heard.len(), "in order and without a gap");
            heard.push_str(text);
        }
        heard.len()
    };
    until(&mut feed, |news| listen(&mut heard, news) == whole.len()).await;
    assert_eq!(heard, whole);
    assert_eq!(there.ann().saying(room.id), whole);
    let last = agent.say(None, &main_room(), "Done.", Piece::Last).await;
    last.unwrap();
    let all = format!("{whole}Done.");
    until(&mut feed, |news| {
        let News::Entry(entry) = news else {
            return false;
        };
        matches!(&entry.kind, EntryKind::Said(said) if said.text == all)
    })
    .await;
    assert_eq!(there.ann().saying(room.id), "", "it is written down");
}

#[tokio::test]
async fn whoever_comes_late_hears_what_was_said_before() {
    let schema = cluster().schema();
    let settings = HubSettings::default;
    let here = House::node(&schema, "here", cluster().url(), settings()).await;
    let agent = here.agent();
    let said = agent.say(None, &main_room(), "One, ", Piece::More).await;
    said.unwrap();
    let there = House::node(&schema, "there", cluster().url(), settings()).await;
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    let said = agent.say(None, &main_room(), "two", Piece::More).await;
    said.unwrap();
    // It lacks the beginning, asks for it once, and has all of it.
    let mut heard = String::new();
    until(&mut feed, |news| {
        if let News::Saying { text, .. } = news {
            heard.push_str(text);
        }
        heard == "One, two"
    })
    .await;
}

#[tokio::test]
async fn a_program_at_another_node_is_told_what_a_person_wants() {
    let (here, there) = House::two_nodes().await;
    let mut link = taker(&here).await;
    let said = say(&there, "go on").await;
    turn(&mut link).await;
    let room = said.conversation;
    let ann = there.ann();
    let nobody = ann.control(&room, ControlKind::Interrupt).await;
    assert_eq!(nobody, Err(NotControlled::Nobody));
    link.take_controls(Turns::Any);
    let program = tokio::spawn(async move {
        for done in [Ok(()), Err("not now".to_owned())] {
            match link.next().await.unwrap() {
                Brought::Control(wanted) => {
                    assert_eq!(wanted.by.as_str(), "ann");
                    wanted.answer(done);
                }
                other @ (Brought::Outcome(_) | Brought::Turn { .. }) => panic!("{other:?}"),
            }
        }
        link
    });
    loop {
        // What it offers is known there a moment later.
        match ann.control(&room, ControlKind::Interrupt).await {
            Err(NotControlled::Nobody) => tokio::task::yield_now().await,
            done => break assert_eq!(done, Ok(())),
        }
    }
    let mode = ControlKind::SetMode("plan".to_owned());
    let refused = ann.control(&room, mode).await;
    assert_eq!(refused, Err(NotControlled::Refused("not now".to_owned())));
    drop(program.await.unwrap());
}

#[tokio::test]
async fn what_an_agent_was_saying_when_it_moved_is_kept_and_stands_before_the_rest() {
    let (here, there) = House::two_nodes().await;
    let mut link = taker(&here).await;
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    say(&here, "go on").await;
    turn(&mut link).await;
    let (room, ours, theirs) = (main_room(), here.agent(), there.agent());
    let half = ours.say(None, &room, "one and ", Piece::More);
    half.await.unwrap();
    drop(link);
    let mut said = Vec::new();
    let mut hear = |news: &News| {
        if let News::Entry(entry) = news
            && let EntryKind::Said(one) = &entry.kind
        {
            said.push(one.text.clone());
        }
        said.len()
    };
    until(&mut feed, |news| hear(news) == 1).await;
    let _link = taker(&there).await;
    let rest = theirs.say(None, &room, "two", Piece::Last);
    rest.await.unwrap();
    until(&mut feed, |news| hear(news) == 2).await;
    assert_eq!(said, ["one and ", "two"]);
    // Nothing is left at the first node that would keep its turn alive.
    let over = theirs.turn_ended(None, &room, TurnEnd::Done);
    over.await.unwrap();
    say(&there, "and then").await;
    until(&mut feed, |news| {
        matches!(
            news,
            News::Turn {
                turn: Turn::Running,
                ..
            }
        )
    })
    .await;
}

#[tokio::test]
async fn what_began_at_one_node_is_found_at_another_that_has_not_heard_of_it() {
    let (here, there) = House::two_nodes().await;
    there.store.be_deaf(true);
    let agent = here.agent();
    agent
        .say(None, &main_room(), "Hi.", Piece::Last)
        .await
        .unwrap();
    let ann = there.ann();
    let found = ann.conversation("main").await.unwrap();
    let said = say(&here, "go on").await;
    assert_eq!(said.conversation, found);
    ann.remove_message(said.message.id).await.unwrap();
    let named = AgentName::new("late").unwrap();
    let room = main_room();
    let began = agent.say(Some(named), &room, "Hi.", Piece::Last).await;
    began.unwrap();
    let late = ann.agent("late").await.unwrap();
    assert_eq!(ann.conversation_of(late, "main").await.unwrap().agent, late);
}
