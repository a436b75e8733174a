//! Time over two nodes: what one took in the other ends only when the first does not.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::entry::{EntryKind, MessageState, Turn, TurnEnd};
use sayso_core::id::ConversationName;
use sayso_core::outcome::Outcome;
use sayso_hub::{FeedFilter, HubSettings, MessageTo, NewNote, News, Piece, Subscription};
use sayso_testkit::pg::cluster;
use sayso_testkit::{HandClock, House, questions};

const MINUTE: Duration = Duration::from_secs(60);
/// More than the last of the backups waits.
const BACKUP: Duration = Duration::from_millis(900);

async fn next_end(feed: &mut Subscription) -> TurnEnd {
    loop {
        let item = feed.next().await.unwrap();
        if let News::Entry(entry) = &item.news
            && let EntryKind::TurnEnded(end) = entry.kind
        {
            return end;
        }
    }
}

#[tokio::test]
async fn an_ask_expires_at_the_node_that_took_it_in_and_else_at_another() {
    let (here, there) = House::two_nodes().await;
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    for owner_lives in [true, false] {
        let ask = here.asked(questions("Which cache?", Some(MINUTE))).await;
        // The other node's timer begins when it learns of it.
        loop {
            if let News::Asked(view) = &feed.next().await.unwrap().news {
                assert_eq!(view.ask.id, ask.id);
                break;
            }
        }
        if owner_lives {
            here.clock.pass(MINUTE);
        } else {
            there.clock.pass(MINUTE);
            let early = tokio::time::timeout(Duration::from_millis(50), feed.next()).await;
            assert!(early.is_err(), "the one that took it in comes first");
            there.clock.pass(BACKUP);
        }
        loop {
            if let News::Closed(view) = &feed.next().await.unwrap().news {
                assert_eq!(view.ask.id, ask.id);
                let closing = view.closing.as_ref().unwrap();
                assert!(matches!(closing.outcome, Outcome::Expired));
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_node_whose_clock_is_fast_expires_nothing_early_when_it_starts() {
    let schema = cluster().schema();
    let url = || cluster().url();
    let here = House::node(&schema, "a", url(), HubSettings::default()).await;
    let ask = here.asked(questions("Which cache?", Some(MINUTE))).await;
    let fast = Arc::new(HandClock::at(ask.asked_at.after(5 * MINUTE)));
    let settings = HubSettings::default();
    let there = House::node_by(&schema, "b", url(), settings, MINUTE, fast).await;
    there.clock.pass(MINUTE / 2);
    // Every turn expires what is due first.
    there.asked(questions("Which store?", None)).await;
    let view = there.ann().look(ask.id).await.unwrap();
    assert_eq!(view.closing, None);
    there.clock.pass(MINUTE / 2 + BACKUP);
    let view = there.agent().look(ask.id, MINUTE).await.unwrap();
    assert_eq!(view.closing.unwrap().outcome, Outcome::Expired);
}

#[tokio::test]
async fn a_turn_that_only_tells_of_tools_at_one_node_is_not_lost_at_another() {
    let settings = HubSettings {
        turn_timeout: MINUTE,
        ..HubSettings::default()
    };
    let (here, there) = House::two_nodes_with(settings).await;
    let agent = here.agent();
    let room = ConversationName::new("main").unwrap();
    let ann = there.ann();
    let (mut feed, _) = ann.follow(FeedFilter::Everything, None);
    let said = agent.say(None, &room, "Working.", Piece::Last).await;
    said.unwrap();
    let note = || NewNote {
        tool: "Bash".to_owned(),
        text: "make".to_owned(),
        status: None,
    };
    let entry = async |feed: &mut Subscription, wanted: fn(&EntryKind) -> bool| loop {
        if let News::Entry(entry) = &feed.next().await.unwrap().news
            && wanted(&entry.kind)
        {
            return Arc::clone(&entry.conversation);
        }
    };
    let main = entry(&mut feed, |kind| matches!(kind, EntryKind::Said(_))).await;
    for _ in 0..4 {
        there.clock.pass(MINUTE);
        agent.note(None, &room, note()).await.unwrap();
        entry(&mut feed, |kind| matches!(kind, EntryKind::Note(_))).await;
    }
    // Every turn ends what is lost first.
    let to = MessageTo::Conversation(Arc::clone(&main));
    let said = ann.message(to, "and then".to_owned()).await.unwrap();
    assert_eq!(said.state, MessageState::Queued);
    assert_eq!(ann.turn(main.id), Turn::Running);
}

#[tokio::test]
async fn a_turn_that_is_silent_is_ended_by_its_node_and_else_by_another() {
    let settings = HubSettings {
        turn_timeout: MINUTE,
        ..HubSettings::default()
    };
    let (here, there) = House::two_nodes_with(settings).await;
    let agent = here.agent();
    let room = ConversationName::new("main").unwrap();
    let (mut feed, _) = there.ann().follow(FeedFilter::Everything, None);
    for owner_lives in [true, false] {
        let said = agent.say(None, &room, "Working.", Piece::Last).await;
        said.unwrap();
        loop {
            if let News::Entry(entry) = &feed.next().await.unwrap().news
                && matches!(entry.kind, EntryKind::Said(_))
            {
                break;
            }
        }
        if owner_lives {
            here.clock.pass(MINUTE);
        } else {
            there.clock.pass(MINUTE);
            let early = tokio::time::timeout(Duration::from_millis(50), next_end(&mut feed));
            assert!(early.await.is_err(), "its own node comes first");
        }
        loop {
            let end = tokio::time::timeout(Duration::from_millis(50), next_end(&mut feed));
            if let Ok(end) = end.await {
                assert_eq!(end, TurnEnd::Lost);
                break;
            }
            // The word that it runs may have come after the clock was moved.
            there.clock.pass(Duration::from_secs(1));
        }
    }
}
