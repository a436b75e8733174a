//! A disk that is full: nothing is taken in, nothing is lost, nothing needs a restart.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::ask::Ask;
use sayso_core::id::AskId;
use sayso_core::outcome::OutcomeKind;
use sayso_hub::{Brought, FeedEnded, FeedFilter, HubError, News, Subscription};
use sayso_testkit::{House, questions};

use super::answering::{answer, redis};
use crate::GROUND;

#[tokio::test]
async fn a_full_disk_refuses_and_recovers_by_itself() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", None)).await;
    house.fill_disk(true);
    assert!(matches!(
        house.agent().ask(questions("Another?", None), None).await,
        Err(HubError::TryLater(_))
    ));
    assert!(matches!(
        house.ann().answer(ask.id, Some(ask.digest), redis()).await,
        Err(HubError::TryLater(_))
    ));
    assert!(!house.people().hub.health().writable);
    assert_eq!(house.ann().look(ask.id).await.unwrap().closing, None);
    house.fill_disk(false);
    answer(&house, &ask).await;
    assert!(house.people().hub.health().writable);
}

#[tokio::test]
async fn a_deadline_that_passes_on_a_full_disk_is_kept_for_later() {
    let house = House::new(GROUND).await;
    let ask = house
        .agent()
        .ask(
            questions("Which cache?", Some(Duration::from_secs(60))),
            None,
        )
        .await
        .unwrap()
        .view
        .ask;
    house.fill_disk(true);
    house.pass(Duration::from_secs(60)).await;
    assert!(matches!(
        house.ann().answer(ask.id, Some(ask.digest), redis()).await,
        Err(HubError::TryLater(_))
    ));
    house.fill_disk(false);
    match house.ann().answer(ask.id, Some(ask.digest), redis()).await {
        Err(HubError::Expired { view, kept }) => {
            assert_eq!(
                (view.closing.unwrap().outcome.kind(), kept),
                (OutcomeKind::Expired, true)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_stopping_hub_refuses_new_asks_and_keeps_the_open_ones() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", None)).await;
    house.stop().await;
    assert!(matches!(
        house.agent().ask(questions("Another?", None), None).await,
        Err(HubError::TryLater(_))
    ));
    let house = house.reopen().await;
    assert_eq!(house.ann().look(ask.id).await.unwrap().ask, ask);
}

/// What a panic left half done cannot be known without reading the journal, so nothing more is
/// decided; but nobody is left waiting, and the next start finds everything.
#[tokio::test]
async fn a_committer_that_broke_down_refuses_instead_of_hanging() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", None)).await;
    house.people().store.break_down();
    let ann = house.ann();
    for _ in 0..2 {
        let answered = tokio::time::timeout(
            Duration::from_secs(10),
            ann.answer(ask.id, Some(ask.digest), redis()),
        );
        assert!(matches!(
            answered.await.expect("it does not hang"),
            Err(HubError::TryLater(_))
        ));
    }
    assert!(!house.people().hub.health().writable);
    assert_eq!(house.ann().look(ask.id).await.unwrap().closing, None);
    let house = house.reopen().await;
    answer(&house, &ask).await;
}

/// A house whose memory holds no text, with an ask that ends in a minute.
async fn ending_soon() -> (House, Arc<Ask>) {
    let house = House::new(GROUND).await;
    let draft = questions("Which cache?", Some(Duration::from_secs(60)));
    let ask = house.asked(draft).await;
    (house.reopen().await, ask)
}

/// Has time pass, in small steps, until something happened.
async fn meanwhile<T>(house: &House, what: impl Future<Output = T>) -> T {
    let passing = async {
        loop {
            house.pass_at_once(Duration::from_millis(250));
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        happened = what => happened,
        () = passing => unreachable!("time does not end"),
    }
}

async fn closed(feed: &mut Subscription) -> Result<AskId, FeedEnded> {
    loop {
        if let News::Closed(view) = &feed.next().await?.news {
            return Ok(view.ask.id);
        }
    }
}

#[tokio::test]
async fn what_cannot_be_read_for_a_moment_is_told_all_the_same() {
    let (house, ask) = ending_soon().await;
    let mut link = house.agent().link(None).await.unwrap();
    let (mut feed, _) = house.ann().follow(FeedFilter::Everything, None);
    house.people().store.refuse_reads(3);
    house.pass(Duration::from_secs(60)).await;
    assert_eq!(meanwhile(&house, closed(&mut feed)).await.unwrap(), ask.id);
    assert_eq!(house.people().store.reads_refused(), 0);
    match meanwhile(&house, link.next()).await.unwrap() {
        Brought::Outcome(view) => assert_eq!(view.ask.id, ask.id),
        other @ (Brought::Turn { .. } | Brought::Control(_)) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_outcome_that_is_owed_and_cannot_be_read_for_a_moment_comes_all_the_same() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", None)).await;
    answer(&house, &ask).await;
    let house = house.reopen().await;
    let mut link = house.agent().link(None).await.unwrap();
    house.store.refuse_reads(3);
    match meanwhile(&house, link.next()).await.unwrap() {
        Brought::Outcome(view) => assert_eq!(view.ask.id, ask.id),
        other @ (Brought::Turn { .. } | Brought::Control(_)) => panic!("{other:?}"),
    }
    assert_eq!(house.store.reads_refused(), 0);
}

#[tokio::test]
async fn a_feed_that_cannot_be_told_of_something_is_cut_and_goes_on_from_the_journal() {
    let (house, ask) = ending_soon().await;
    let (mut feed, _) = house.ann().follow(FeedFilter::Everything, None);
    let start = feed.head();
    house.people().store.refuse_reads(usize::MAX);
    house.pass(Duration::from_secs(60)).await;
    let ended = meanwhile(&house, closed(&mut feed)).await.unwrap_err();
    assert!(
        matches!(ended, FeedEnded::Behind(cursor) if cursor == start),
        "{ended:?}"
    );
    // Whoever comes back meanwhile is told that it does not work, and not that nothing happened.
    let (mut early, _) = house.ann().follow(FeedFilter::Everything, Some(start));
    let failed = closed(&mut early).await.unwrap_err();
    assert!(matches!(failed, FeedEnded::Failed(_)), "{failed:?}");
    house.people().store.refuse_reads(0);
    let (mut later, _) = house.ann().follow(FeedFilter::Everything, Some(start));
    assert_eq!(closed(&mut later).await.unwrap(), ask.id);
}
