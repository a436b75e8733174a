//! Conversations: messages wait and are handed over once, turns begin and end, nothing is lost.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::agent::Conversation;
use sayso_core::ask::Draft;
use sayso_core::entry::{EntryKind, Message, MessageState, NoteStatus, Turn, TurnEnd};
use sayso_core::id::{AgentName, ConversationName, Seq};
use sayso_hub::{
    Brought, EntryFrom, FeedFilter, HubError, HubSettings, Link, MessageTo, NewNote, News,
    PersonPass, Piece, Subscription, Turns,
};
use sayso_testkit::{Ground, House, questions};

use super::answering::answer;
use crate::GROUND;

fn name(text: &str) -> ConversationName {
    ConversationName::new(text).unwrap()
}

fn agent(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

fn asking(text: &str, conversation: &str) -> Draft {
    Draft {
        conversation: Some(name(conversation)),
        ..questions(text, None)
    }
}

/// A link of the agent that takes turns everywhere.
async fn taker(house: &House) -> Link {
    let mut link = house.agent().link(None).await.unwrap();
    link.take_turns(Turns::Any);
    house.linked(1).await;
    link
}

/// The next thing on a link, which must be a turn.
async fn turn(link: &mut Link) -> (Arc<Conversation>, Arc<Message>) {
    match link.next().await.unwrap() {
        Brought::Turn {
            conversation,
            message,
            ..
        } => (conversation, message),
        other @ (Brought::Outcome(_) | Brought::Control(_)) => panic!("{other:?}"),
    }
}

/// Nothing more is on its way to a link: what is decided by now has been brought.
async fn quiet(link: &mut Link) {
    let more = tokio::time::timeout(Duration::from_millis(20), link.next()).await;
    assert!(more.is_err(), "{more:?}");
}

async fn say(pass: &PersonPass, to: &Arc<Conversation>, text: &str) -> MessageState {
    let to = MessageTo::Conversation(Arc::clone(to));
    pass.message(to, text.to_owned()).await.unwrap().state
}

/// Whether an agent has a message that was just said. Where it is at another node, that is not known yet.
fn is_handed(state: MessageState) -> bool {
    state == MessageState::Sent || GROUND == Ground::TwoHubs
}

/// What stands in a conversation, a word or two for each.
async fn story(house: &House, conversation: &Arc<Conversation>) -> Vec<String> {
    house.settled().await;
    let ann = house.ann();
    let list = ann
        .entries(conversation, EntryFrom::After(Seq::ZERO), 200)
        .await
        .unwrap();
    assert_eq!(list.next, None);
    list.entries
        .iter()
        .map(|entry| words(&entry.kind))
        .collect()
}

fn words(kind: &EntryKind) -> String {
    match kind {
        EntryKind::Message { message, state } => format!("{}: {}", state.word(), message.text),
        EntryKind::Said(said) => format!("said: {}", said.text),
        EntryKind::Note(note) => format!("{}: {}", note.tool, note.text),
        EntryKind::Ask(view) => match &view.closing {
            Some(closing) => format!("asked, {}", closing.outcome.kind().word()),
            None => "asked".to_owned(),
        },
        EntryKind::TurnEnded(end) => format!("turn {}", end.word()),
    }
}

#[tokio::test]
async fn a_message_begins_a_turn_and_the_whole_is_kept_in_order() {
    let house = House::new(GROUND).await;
    let (pass, ann) = (house.agent(), house.ann());
    let mut link = taker(&house).await;
    let sent = ann
        .message(
            MessageTo::New {
                agent: None,
                name: None,
            },
            "Deploy it".to_owned(),
        )
        .await
        .unwrap();
    assert!(is_handed(sent.state));
    let here = sent.conversation.name.clone();
    assert!(
        here.as_str().len() == 32
            && here
                .as_str()
                .bytes()
                .all(|b| b"0123456789abcdef".contains(&b)),
        "{here}"
    );
    assert_eq!(
        turn(&mut link).await,
        (sent.conversation.clone(), sent.message)
    );
    house.settled().await;
    assert_eq!(ann.turn(sent.conversation.id), Turn::Running);
    let commits = house.hub.health().commits;
    for piece in ["On ", "it"] {
        pass.say(None, &here, piece, Piece::More).await.unwrap();
    }
    assert_eq!(house.hub.health().commits, commits, "a piece is no commit");
    let saying = || ann.saying(sent.conversation.id);
    house.until(async || saying().len() == 5).await;
    assert_eq!(saying(), "On it");
    let note = NewNote {
        tool: "Bash".to_owned(),
        text: "make deploy".to_owned(),
        status: Some(NoteStatus::Running),
    };
    pass.note(None, &here, note).await.unwrap();
    pass.say(None, &here, "I need to know:", Piece::More)
        .await
        .unwrap();
    let ask = house.asked(asking("Now?", here.as_str())).await;
    house.settled().await;
    assert_eq!(ann.turn(sent.conversation.id), Turn::Waiting);
    answer(&house, &ask).await;
    assert_eq!(ann.turn(sent.conversation.id), Turn::Running);
    pass.say(None, &here, "Done", Piece::Last).await.unwrap();
    pass.say(None, &here, "Bye", Piece::More).await.unwrap();
    pass.turn_ended(None, &here, TurnEnd::Done).await.unwrap();
    // A turn that is over cannot end again.
    pass.turn_ended(None, &here, TurnEnd::Failed).await.unwrap();
    house.settled().await;
    assert_eq!(ann.turn(sent.conversation.id), Turn::Idle);
    let expected = [
        "sent: Deploy it",
        "said: On it",
        "Bash: make deploy",
        "said: I need to know:",
        "asked, answered",
        "said: Done",
        "said: Bye",
        "turn done",
    ];
    assert_eq!(story(&house, &sent.conversation).await, expected);
    let house = house.reopen().await;
    assert_eq!(story(&house, &sent.conversation).await, expected);
    assert_eq!(house.ann().turn(sent.conversation.id), Turn::Idle);
    assert_eq!(house.admin().verify().await.unwrap().faults, [""; 0]);
}

#[tokio::test]
async fn a_note_after_the_end_of_a_turn_begins_none() {
    let house = House::new(GROUND).await;
    let (pass, ann) = (house.agent(), house.ann());
    let mut link = taker(&house).await;
    let here = name("errand");
    pass.say(None, &here, "Done", Piece::Last).await.unwrap();
    pass.turn_ended(None, &here, TurnEnd::Done).await.unwrap();
    let note = NewNote {
        tool: "Bash".to_owned(),
        text: "make deploy".to_owned(),
        status: Some(NoteStatus::Done),
    };
    pass.note(None, &here, note).await.unwrap();
    let errand = ann.conversation("errand").await.unwrap();
    house.settled().await;
    assert_eq!(ann.turn(errand.id), Turn::Idle);
    let house = house.reopen().await;
    assert_eq!(house.ann().turn(errand.id), Turn::Idle);
    drop(link);
    link = taker(&house).await;
    assert!(is_handed(say(&house.ann(), &errand, "Go on").await));
    assert_eq!(turn(&mut link).await.1.text, "Go on");
}

#[tokio::test]
async fn a_message_while_the_agent_waits_comes_after_the_answer_and_one_at_a_time() {
    let house = House::new(GROUND).await;
    let (pass, ann) = (house.agent(), house.ann());
    let mut link = taker(&house).await;
    let first = house.asked(asking("First?", "errand")).await;
    let second = house.asked(asking("Second?", "errand")).await;
    let errand = ann.conversation("errand").await.unwrap();
    for text in ["one", "two"] {
        assert_eq!(say(&ann, &errand, text).await, MessageState::Queued);
    }
    answer(&house, &first).await;
    link.next().await.unwrap();
    quiet(&mut link).await;
    assert_eq!(
        story(&house, &errand).await,
        ["asked, answered", "asked", "queued: one", "queued: two"]
    );
    answer(&house, &second).await;
    assert!(matches!(link.next().await, Some(Brought::Outcome(_))));
    assert_eq!(turn(&mut link).await.1.text, "one");
    quiet(&mut link).await;
    pass.turn_ended(None, &errand.name, TurnEnd::Failed)
        .await
        .unwrap();
    assert_eq!(turn(&mut link).await.1.text, "two");
    assert_eq!(
        story(&house, &errand).await,
        [
            "asked, answered",
            "asked, answered",
            "sent: one",
            "sent: two",
            "turn failed"
        ]
    );
}

#[tokio::test]
async fn what_waits_survives_a_crash_and_is_handed_over_once() {
    let house = House::new(GROUND).await;
    let ask = house.asked(asking("Ready?", "errand")).await;
    let errand = house.ann().conversation("errand").await.unwrap();
    for text in ["one", "two"] {
        assert_eq!(say(&house.ann(), &errand, text).await, MessageState::Queued);
    }
    let house = house.reopen().await;
    answer(&house, &ask).await;
    assert_eq!(
        story(&house, &errand).await,
        ["asked, answered", "queued: one", "queued: two"]
    );
    let mut link = taker(&house).await;
    assert!(matches!(link.next().await, Some(Brought::Outcome(_))));
    assert_eq!(turn(&mut link).await.1.text, "one");
    // It was handed over: whatever happened to it, it does not come again.
    let house = house.reopen().await;
    assert_eq!(house.ann().turn(errand.id), Turn::Running);
    let mut link = taker(&house).await;
    assert!(matches!(link.next().await, Some(Brought::Outcome(_))));
    quiet(&mut link).await;
    let running = house.agent().running(&link);
    assert_eq!(running, [Arc::clone(&errand)]);
    house
        .agent()
        .turn_ended(None, &errand.name, TurnEnd::Done)
        .await
        .unwrap();
    assert_eq!(turn(&mut link).await.1.text, "two");
    assert_eq!(house.admin().verify().await.unwrap().faults, [""; 0]);
}

#[tokio::test]
async fn a_turn_that_is_not_heard_of_is_lost_but_never_while_somebody_is_asked() {
    let house = House::new(GROUND).await;
    let (pass, ann) = (house.agent(), house.ann());
    let mut link = taker(&house).await;
    let (mut feed, _) = ann.follow(FeedFilter::Everything, None);
    pass.say(None, &name("errand"), "Working", Piece::More)
        .await
        .unwrap();
    let errand = ann.conversation("errand").await.unwrap();
    assert_eq!(say(&ann, &errand, "next").await, MessageState::Queued);
    house.pass(Duration::from_secs(599)).await;
    pass.say(None, &errand.name, ".", Piece::More)
        .await
        .unwrap();
    let ask = house.asked(asking("Still there?", "errand")).await;
    house.pass(Duration::from_secs(3600)).await;
    answer(&house, &ask).await;
    assert!(matches!(link.next().await, Some(Brought::Outcome(_))));
    house.pass(Duration::from_secs(599)).await;
    assert_eq!(ann.turn(errand.id), Turn::Running);
    pass.say(None, &errand.name, "half a w", Piece::More)
        .await
        .unwrap();
    // What is said is told beside the journal, and here ten minutes pass at once.
    house
        .until(async || ann.saying(errand.id) == "half a w")
        .await;
    house.pass(Duration::from_secs(600)).await;
    let lost = ended(&mut feed).await;
    assert_eq!(lost, TurnEnd::Lost);
    // What waits is next.
    assert_eq!(turn(&mut link).await.1.text, "next");
    assert_eq!(
        story(&house, &errand).await,
        [
            "sent: next",
            "said: Working.",
            "asked, answered",
            "said: half a w",
            "turn lost"
        ]
    );
    // Nothing can be heard while the server is down: after a restart the whole time runs again.
    let house = house.reopen().await;
    let (mut feed, _) = house.ann().follow(FeedFilter::Everything, None);
    house.pass(Duration::from_secs(599)).await;
    assert_eq!(house.ann().turn(errand.id), Turn::Running);
    let more = match GROUND {
        Ground::OneHub => Duration::ZERO,
        // It may run at another node, as far as each of them knows.
        Ground::TwoHubs => Duration::from_secs(30),
    };
    house.pass(Duration::from_secs(1) + more).await;
    assert_eq!(ended(&mut feed).await, TurnEnd::Lost);
    assert_eq!(house.ann().turn(errand.id), Turn::Idle);
}

async fn ended(feed: &mut Subscription) -> TurnEnd {
    loop {
        if let News::Entry(entry) = &feed.next().await.unwrap().news
            && let EntryKind::TurnEnded(end) = entry.kind
        {
            return end;
        }
    }
}

#[tokio::test]
async fn who_gets_a_message_in_a_new_conversation() {
    let fresh = || MessageTo::New {
        agent: None,
        name: None,
    };
    let refused = async |house: &House| match house.ann().message(fresh(), "hi".to_owned()).await {
        Err(HubError::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    let house = House::new(GROUND).await;
    let pass = house.agent();
    assert_eq!(
        refused(&house).await,
        "no agent that takes messages is connected; start one, name an agent, or set chat.agent"
    );
    // One that is here but takes no turns, or only some, is none.
    let mut coder = pass.link(Some(agent("coder"))).await.unwrap();
    coder.take_turns(Turns::These(HashSet::from([name("errand")])));
    assert!(refused(&house).await.starts_with("no agent"));
    coder.take_turns(Turns::Any);
    let mut sent = None;
    house
        .until(async || {
            // What it takes is known at another node a moment later.
            sent = house.ann().message(fresh(), "hi".to_owned()).await.ok();
            sent.is_some()
        })
        .await;
    let sent = sent.unwrap();
    assert_eq!(turn(&mut coder).await, (sent.conversation, sent.message));
    let mut writer = pass.link(Some(agent("writer"))).await.unwrap();
    writer.take_turns(Turns::Any);
    house.linked(2).await;
    assert_eq!(
        refused(&house).await,
        "2 agents that take messages are connected; name one, or set chat.agent: ag_1 (coder), \
         ag_2 (writer)"
    );
    let named = MessageTo::New {
        agent: Some(house.ann().agent("writer").await.unwrap()),
        name: None,
    };
    house.ann().message(named, "hi".to_owned()).await.unwrap();
    assert_eq!(turn(&mut writer).await.1.text, "hi");

    let house = House::with(
        GROUND,
        HubSettings {
            chat_agent: Some("writer".to_owned()),
            ..HubSettings::default()
        },
    )
    .await;
    assert_eq!(
        refused(&house).await,
        "the setting chat.agent does not match one agent: there is no agent writer"
    );
    drop(house.agent().link(Some(agent("writer"))).await.unwrap());
    house.linked(0).await;
    let waiting = house.ann().message(fresh(), "hi".to_owned()).await.unwrap();
    assert_eq!(waiting.state, MessageState::Queued);
    let mut writer = house.agent().link(Some(agent("writer"))).await.unwrap();
    writer.take_turns(Turns::Any);
    assert_eq!(turn(&mut writer).await.1, waiting.message);
}

#[tokio::test]
async fn a_conversation_is_read_from_either_end_and_resumed_from_any_place() {
    let house = House::new(GROUND).await;
    let (pass, ann) = (house.agent(), house.ann());
    let (mut live, _) = ann.follow(FeedFilter::Everything, None);
    let start = live.head();
    let mut link = taker(&house).await;
    for number in 0..5 {
        let text = format!("number {number}");
        pass.say(None, &name("errand"), &text, Piece::Last)
            .await
            .unwrap();
        house.asked(asking(&text, "errand")).await;
        pass.turn_ended(None, &name("errand"), TurnEnd::Done)
            .await
            .unwrap();
    }
    let errand = ann.conversation("errand").await.unwrap();
    from_the_end(&house, &errand).await;
    // The feed tells the same again from any place.
    let mut told = Vec::new();
    while told.len() < 10 {
        let item = live.next().await.unwrap();
        if let News::Entry(entry) = &item.news {
            told.push((item.seq.unwrap(), words(&entry.kind)));
        }
    }
    let (mut again, reset) = ann.follow(FeedFilter::Conversation(errand.id), Some(start));
    assert!(!reset);
    let mut replayed = Vec::new();
    while replayed.len() < 10 {
        let item = again.next().await.unwrap();
        if let News::Entry(entry) = &item.news {
            replayed.push((item.seq.unwrap(), words(&entry.kind)));
        }
    }
    assert_eq!(replayed, told);
    quiet(&mut link).await;
    let house = house.reopen().await;
    from_the_end(&house, &errand).await;
}

async fn from_the_end(house: &House, errand: &Arc<Conversation>) {
    let all = story(house, errand).await;
    assert_eq!(all.len(), 15);
    for limit in [1, 4, 15] {
        let mut from = EntryFrom::Before(Seq::MAX);
        let mut read = Vec::new();
        loop {
            let part = house.ann().entries(errand, from, limit).await.unwrap();
            read.splice(0..0, part.entries.iter().map(|entry| words(&entry.kind)));
            match part.next {
                Some(next) => from = next,
                None => break,
            }
        }
        assert_eq!(read, all);
    }
}

#[tokio::test]
async fn a_turn_on_its_way_to_a_link_that_goes_comes_to_the_next_one() {
    let house = House::new(GROUND).await;
    let link = taker(&house).await;
    let sent = house
        .ann()
        .message(
            MessageTo::New {
                agent: None,
                name: None,
            },
            "hi".to_owned(),
        )
        .await
        .unwrap();
    assert!(is_handed(sent.state));
    drop(link);
    let mut next = taker(&house).await;
    assert_eq!(turn(&mut next).await.1, sent.message);
    drop(next);
    let mut last = taker(&house).await;
    quiet(&mut last).await;
}

#[tokio::test]
async fn a_name_that_several_agents_use_is_refused_with_the_ids() {
    let house = House::new(GROUND).await;
    let pass = house.agent();
    for who in ["coder", "writer"] {
        pass.say(Some(agent(who)), &name("errand"), "hi", Piece::Last)
            .await
            .unwrap();
    }
    match house.ann().conversation("errand").await {
        Err(HubError::Refused(why)) => assert_eq!(
            why,
            "more than one conversation has the name errand; use an id: cv_1, cv_2"
        ),
        other => panic!("{other:?}"),
    }
    let writer = house.ann().agent("writer").await.unwrap();
    let found = house.ann().conversation_of(writer, "errand").await.unwrap();
    assert_eq!(found.id, house.ann().conversation("cv_2").await.unwrap().id);
    assert!(matches!(
        house.ann().conversation("nowhere").await,
        Err(HubError::Unknown(_))
    ));
    house.settled().await;
    let listed = house.ann().conversations(None, None, 10).await.unwrap();
    let ids: Vec<String> = listed
        .conversations
        .iter()
        .map(|view| format!("{} {}", view.conversation.id, view.agent.name))
        .collect();
    assert_eq!(ids, ["cv_2 writer", "cv_1 coder"]);
    assert_eq!(listed.conversations[0].turn, Turn::Running);
}

#[tokio::test]
async fn a_full_disk_loses_neither_words_nor_messages() {
    let house = House::new(GROUND).await;
    let (pass, ann) = (house.agent(), house.ann());
    let mut link = taker(&house).await;
    let ask = house.asked(asking("Ready?", "errand")).await;
    let errand = ann.conversation("errand").await.unwrap();
    say(&ann, &errand, "one").await;
    pass.say(None, &errand.name, "Hel", Piece::More)
        .await
        .unwrap();
    house.fill_disk(true);
    let full = pass.say(None, &errand.name, "lo", Piece::Last).await;
    assert!(matches!(full, Err(HubError::TryLater(_))), "{full:?}");
    // Whoever waits for it may be gone before it is refused.
    {
        let mut gone = std::pin::pin!(pass.say(None, &errand.name, "lo", Piece::Last));
        tokio::select! {
            biased;
            said = &mut gone => panic!("{said:?}"),
            () = std::future::ready(()) => {}
        }
    }
    let to = MessageTo::Conversation(Arc::clone(&errand));
    let full = ann.message(to, "two".to_owned()).await;
    assert!(matches!(full, Err(HubError::TryLater(_))), "{full:?}");
    let end = || pass.say_and_end(None, &errand.name, "lo", TurnEnd::Done);
    let full = end().await;
    assert!(matches!(full, Err(HubError::TryLater(_))), "{full:?}");
    house.fill_disk(false);
    // What was refused was not said: it is said again, and stands there once.
    end().await.unwrap();
    answer(&house, &ask).await;
    assert!(matches!(link.next().await, Some(Brought::Outcome(_))));
    assert_eq!(turn(&mut link).await.1.text, "one");
    assert_eq!(
        story(&house, &errand).await,
        ["asked, answered", "sent: one", "said: Hello", "turn done"]
    );
}
