//! What is kept and what is erased.

use std::time::Duration;

use sayso_hub::{HubError, HubSettings, ListFilter};
use sayso_testkit::{House, questions};

use super::answering::answer;

#[tokio::test]
async fn a_forgotten_ask_is_gone_and_the_journal_still_verifies() {
    let house = House::new().await;
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
    let house = House::with(HubSettings {
        retention: Some(7 * day),
        ..HubSettings::default()
    })
    .await;
    let old = house.asked(questions("Old?", None)).await;
    answer(&house, &old).await;
    house.clock.pass(6 * day);
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
    house.clock.pass(day + Duration::from_secs(3600));
    while !matches!(house.ann().look(old.id).await, Err(HubError::NotFound)) {
        tokio::task::yield_now().await;
    }
    assert!(house.ann().look(young.id).await.is_ok());
}

#[tokio::test]
async fn when_a_token_was_last_used_survives_a_crash() {
    let house = House::new().await;
    let hour = Duration::from_secs(3600);
    house.clock.pass(hour);
    let agent = house.agent();
    let at = sayso_hub::Clock::wall(&*house.clock);
    // It is written with what is written anyway.
    agent.ask(questions("Why?", None), None).await.unwrap();
    house.clock.pass(hour);
    let used = |house: &House, name: &str| {
        let tokens = house.admin().tokens();
        let token = tokens.iter().find(|view| view.token.name.as_str() == name);
        token.unwrap().last_used
    };
    let house = house.reopen().await;
    assert_eq!(used(&house, "local-agent"), Some(at));
    assert_eq!(used(&house, "laptop"), None);

    // Whoever only looks is written down after a while, and at a stop.
    house.clock.pass(hour);
    let seen = sayso_hub::Clock::wall(&*house.clock);
    house.ann();
    house.hub.stop().await;
    let house = house.reopen().await;
    assert_eq!(used(&house, "laptop"), Some(seen));
    let before = house.admin().verify().await.unwrap().events;
    for _ in 0..100 {
        house.clock.pass(hour);
        house.ann();
    }
    let verified = house.admin().verify().await.unwrap();
    assert_eq!((verified.events, verified.faults), (before, Vec::new()));
}
