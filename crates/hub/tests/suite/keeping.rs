//! What is kept and what is erased.

use std::time::Duration;

use sayso_core::ask::Draft;
use sayso_core::entry::TurnEnd;
use sayso_core::id::{ConversationName, Seq};
use sayso_hub::{
    Brought, EntryFrom, FeedFilter, Forget, HubError, HubSettings, ListFilter, MessageTo, NewNote,
    News, Piece, Turns,
};
use sayso_testkit::{House, questions};

use super::answering::answer;
use crate::GROUND;

#[tokio::test]
async fn a_forgotten_ask_is_gone_and_the_journal_still_verifies() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("A secret matter?", None)).await;
    assert!(matches!(
        house.admin().forget(ask.id).await,
        Err(HubError::Refused(_))
    ));
    answer(&house, &ask).await;
    house.admin().forget(ask.id).await.unwrap();
    assert!(matches!(
        house.ann().look(ask.id).await,
        Err(HubError::NotFound)
    ));
    let verified = house.admin().verify().await.unwrap();
    assert_eq!((verified.erased, verified.faults), (2, Vec::new()));
    let house = house.reopen().await;
    assert!(matches!(
        house.ann().look(ask.id).await,
        Err(HubError::NotFound)
    ));
}

#[tokio::test]
async fn old_text_is_erased_when_a_retention_is_set() {
    let day = Duration::from_secs(24 * 3600);
    let house = House::with(
        GROUND,
        HubSettings {
            retention: Some(7 * day),
            ..HubSettings::default()
        },
    )
    .await;
    let old = house.asked(questions("Old?", None)).await;
    answer(&house, &old).await;
    house.pass(6 * day).await;
    let young = house.asked(questions("Young?", None)).await;
    answer(&house, &young).await;
    // History comes from a projection: wait until it has both.
    let all = ListFilter {
        limit: 10,
        ..ListFilter::default()
    };
    while house
        .ann()
        .closed_asks(&all, None)
        .await
        .unwrap()
        .asks
        .len()
        < 2
    {
        tokio::task::yield_now().await;
    }
    house.pass(day + Duration::from_secs(3600)).await;
    while !matches!(house.ann().look(old.id).await, Err(HubError::NotFound)) {
        // It may have looked just before: the next time is an hour later.
        house.pass(Duration::from_secs(1)).await;
        house.ann().closed_asks(&all, None).await.unwrap();
    }
    assert!(house.ann().look(young.id).await.is_ok());
}

#[tokio::test]
async fn when_a_token_was_last_used_survives_a_crash() {
    // Days pass, and nothing else may be written down meanwhile.
    let house = House::with(
        GROUND,
        HubSettings {
            withdraw_after: None,
            ..HubSettings::default()
        },
    )
    .await;
    let hour = Duration::from_secs(3600);
    house.pass(hour).await;
    let agent = house.agent();
    let at = sayso_hub::Clock::wall(&*house.clock);
    // It is written with what is written anyway.
    agent.ask(questions("Why?", None), None).await.unwrap();
    house.pass(hour).await;
    let used = |house: &House, name: &str| {
        let tokens = house.admin().tokens();
        let token = tokens.iter().find(|view| view.token.name.as_str() == name);
        token.unwrap().last_used
    };
    let house = house.reopen().await;
    assert_eq!(used(&house, "local-agent"), Some(at));
    assert_eq!(used(&house, "laptop"), None);

    // Whoever only looks is written down after a while, and at a stop.
    house.pass(hour).await;
    let seen = sayso_hub::Clock::wall(&*house.clock);
    house.ann();
    house.stop().await;
    let house = house.reopen().await;
    // As far as another node knows what time it is.
    let off = used(&house, "laptop").unwrap().as_millis() - seen.as_millis();
    assert!(off < 1_000, "{off}");
    let before = house.admin().verify().await.unwrap().events;
    for _ in 0..100 {
        house.pass(hour).await;
        house.ann();
    }
    let verified = house.admin().verify().await.unwrap();
    assert_eq!((verified.events, verified.faults), (before, Vec::new()));
}

fn conversation(name: &str) -> ConversationName {
    ConversationName::new(name).unwrap()
}

/// A turn in which everything that can be said is said, each with this word in it.
pub(crate) async fn turn_with(house: &House, name: &str, word: &str) {
    let agent = house.agent();
    let conversation = conversation(name);
    let text = format!("I said {word}");
    agent
        .say(None, &conversation, &text, Piece::Last)
        .await
        .unwrap();
    let note = NewNote {
        tool: "Bash".to_owned(),
        text: format!("noted {word}"),
        status: None,
    };
    agent.note(None, &conversation, note).await.unwrap();
    let draft = Draft {
        conversation: Some(conversation.clone()),
        ..questions(&format!("Asked {word}?"), None)
    };
    let ask = house.asked(draft).await;
    answer(house, &ask).await;
    agent
        .turn_ended(None, &conversation, TurnEnd::Done)
        .await
        .unwrap();
    let mut link = agent.link(None).await.unwrap();
    link.take_turns(Turns::Any);
    let to = house.ann().conversation(name).await.unwrap();
    house
        .ann()
        .message(MessageTo::Conversation(to), format!("told {word}"))
        .await
        .unwrap();
    loop {
        if let Brought::Turn { .. } = link.next().await.unwrap() {
            break;
        }
    }
    agent
        .turn_ended(None, &conversation, TurnEnd::Done)
        .await
        .unwrap();
}

/// How many entries of a conversation have words in them.
async fn words_in(house: &House, name: &str) -> usize {
    house.settled().await;
    let ann = house.ann();
    let found = ann.conversation(name).await.unwrap();
    let list = ann.entries(&found, EntryFrom::After(Seq::ZERO), 100).await;
    list.unwrap().entries.len()
}

/// Waits until the lists know everything.
async fn caught_up(house: &House) {
    while house.people().hub.health().viewed < house.people().hub.health().head {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn everything_said_in_a_conversation_can_be_erased() {
    let house = House::new(GROUND).await;
    turn_with(&house, "secret", "xylophone").await;
    turn_with(&house, "other", "harmonica").await;
    assert_eq!(words_in(&house, "secret").await, 6);
    let (mut feed, _) = house.ann().follow(FeedFilter::Everything, None);
    let admin = house.admin();
    let id = admin.conversation("secret").await.unwrap();
    let what = Forget {
        conversation: Some(id),
        ..Forget::default()
    };
    let done = admin.forget_all(&what).await.unwrap();
    assert_eq!((done.asks, done.entries), (1, 5));
    assert_eq!((done.open, done.queued, done.running), (0, 0, 0));
    // Open pages read their lists again.
    while !matches!(feed.next().await.unwrap().news, News::Erased(_)) {}
    assert_eq!(words_in(&house, "secret").await, 0);
    caught_up(&house).await;
    assert_eq!(words_in(&house, "secret").await, 0);
    assert_eq!(words_in(&house, "other").await, 6);
    let verified = admin.verify().await.unwrap();
    // An ask with its outcome, two turns' words, a note and a message.
    assert_eq!((verified.erased, verified.faults), (5, Vec::new()));
    let house = house.reopen().await;
    assert_eq!(words_in(&house, "secret").await, 0);
    assert_eq!(words_in(&house, "other").await, 6);
}

#[tokio::test]
async fn what_somebody_still_needs_is_left_alone_and_said() {
    let house = House::new(GROUND).await;
    turn_with(&house, "done", "one").await;
    let agent = house.agent();
    // A turn that runs, and a message that waits for its end.
    agent
        .say(None, &conversation("busy"), "working", Piece::Last)
        .await
        .unwrap();
    let to = house.ann().conversation("busy").await.unwrap();
    house
        .ann()
        .message(MessageTo::Conversation(to), "hurry".to_owned())
        .await
        .unwrap();
    let open = house.asked(questions("Which cache?", None)).await;
    let admin = house.admin();
    let what = Forget {
        agent: Some(admin.agent("local-agent").await.unwrap()),
        ..Forget::default()
    };
    let done = admin.forget_all(&what).await.unwrap();
    assert_eq!((done.asks, done.entries), (1, 5));
    assert_eq!((done.open, done.queued, done.running), (1, 1, 1));
    assert!(house.ann().look(open.id).await.is_ok());
    assert_eq!(words_in(&house, "busy").await, 2);
    assert_eq!(words_in(&house, "done").await, 0);
}

#[tokio::test]
async fn retention_reaches_conversations() {
    let day = Duration::from_secs(24 * 3600);
    let house = House::with(
        GROUND,
        HubSettings {
            retention: Some(7 * day),
            ..HubSettings::default()
        },
    )
    .await;
    turn_with(&house, "old", "one").await;
    house.pass(6 * day).await;
    turn_with(&house, "young", "two").await;
    house.pass(day + Duration::from_secs(3600)).await;
    while words_in(&house, "old").await > 0 {
        // It may have looked just before: the next time is an hour later.
        house.pass(Duration::from_secs(60)).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(words_in(&house, "young").await, 6);
}

#[tokio::test]
async fn a_conversation_of_which_nothing_is_left_makes_room_for_another() {
    let house = House::with(
        GROUND,
        HubSettings {
            conversations_per_token: 2,
            ..HubSettings::default()
        },
    )
    .await;
    let in_conversation = |name: &str| Draft {
        conversation: ConversationName::new(name).ok(),
        ..questions("Which?", None)
    };
    let ask =
        async |house: &House, name: &str| house.agent().ask(in_conversation(name), None).await;
    // What one node erased makes room at the others a moment later.
    let room_for = async |house: &House, name: &str| {
        let mut asked = Err(HubError::NotFound);
        house
            .until(async || {
                asked = ask(house, name).await;
                asked.is_ok()
            })
            .await;
        asked.unwrap().view
    };
    let first = ask(&house, "a").await.unwrap().view;
    answer(&house, &first.ask).await;
    let second = ask(&house, "b").await.unwrap().view;
    answer(&house, &second.ask).await;
    assert!(ask(&house, "c").await.is_err(), "there are two");
    // One ask, and a whole conversation.
    house.admin().forget(first.ask.id).await.unwrap();
    let third = room_for(&house, "c").await;
    answer(&house, &third.ask).await;
    assert!(
        ask(&house, "a").await.is_err(),
        "it would be the third again"
    );
    let house = house.reopen().await;
    assert!(ask(&house, "a").await.is_err(), "also after a start");
    let all = Forget {
        conversation: second.conversation.as_ref().map(|one| one.id),
        ..Forget::default()
    };
    assert_eq!(house.admin().forget_all(&all).await.unwrap().asks, 1);
    let house = house.reopen().await;
    room_for(&house, "a").await;
    assert!(ask(&house, "b").await.is_err(), "and only one");
    assert!(ask(&house, "c").await.is_ok(), "one that is there");
}
