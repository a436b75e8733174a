//! A disk that is full: nothing is taken in, nothing is lost, nothing needs a restart.

use std::time::Duration;

use sayso_core::outcome::OutcomeKind;
use sayso_hub::HubError;
use sayso_testkit::{House, questions};

use super::answering::{answer, redis};

#[tokio::test]
async fn a_full_disk_refuses_and_recovers_by_itself() {
    let house = House::new().await;
    let ask = house.asked(questions("Which cache?", None)).await;
    house.store.fill_disk(true);
    assert!(matches!(
        house.agent().ask(questions("Another?", None), None).await,
        Err(HubError::TryLater(_))
    ));
    assert!(matches!(
        house.ann().answer(ask.id, Some(ask.digest), redis()).await,
        Err(HubError::TryLater(_))
    ));
    assert!(!house.hub.health().writable);
    assert_eq!(house.ann().look(ask.id).await.unwrap().closing, None);
    house.store.fill_disk(false);
    answer(&house, &ask).await;
    assert!(house.hub.health().writable);
}

#[tokio::test]
async fn a_deadline_that_passes_on_a_full_disk_is_kept_for_later() {
    let house = House::new().await;
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
    house.store.fill_disk(true);
    house.clock.pass(Duration::from_secs(60));
    assert!(matches!(
        house.ann().answer(ask.id, Some(ask.digest), redis()).await,
        Err(HubError::TryLater(_))
    ));
    house.store.fill_disk(false);
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
    let house = House::new().await;
    let ask = house.asked(questions("Which cache?", None)).await;
    house.hub.stop().await;
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
    let house = House::new().await;
    let ask = house.asked(questions("Which cache?", None)).await;
    house.store.break_down();
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
    assert!(!house.hub.health().writable);
    assert_eq!(house.ann().look(ask.id).await.unwrap().closing, None);
    let house = house.reopen().await;
    answer(&house, &ask).await;
}
