//! What holds for all nodes together: how much a token may ask, one life of the state, jobs that one does.

use std::time::Duration;

use sayso_core::id::{DialectName, Epoch, PersonName, Seq, TokenName};
use sayso_core::journal::Event;
use sayso_core::role::Role;
use sayso_hub::{Flood, Hub, HubError, HubSettings};
use sayso_store::{JournalEntry, Since, Store as _};
use sayso_testkit::{Ground, House, questions};

use crate::suite::answering::answer;

#[tokio::test]
async fn what_a_token_asked_at_one_node_counts_at_the_other() {
    let settings = HubSettings {
        asks_per_minute: Some(4),
        ..HubSettings::default()
    };
    let (here, there) = House::two_nodes_with(settings).await;
    for _ in 0..3 {
        here.asked(questions("Which cache?", None)).await;
    }
    let last = there.asked(questions("Which cache?", None)).await;
    there.ann().look(last.id).await.unwrap();
    let flood = there
        .agent()
        .ask(questions("Which cache?", None), None)
        .await;
    assert!(
        matches!(
            flood,
            Err(HubError::SlowDown {
                what: Flood::Asks,
                ..
            })
        ),
        "{flood:?}"
    );
}

#[tokio::test]
async fn a_device_in_use_at_one_node_is_not_logged_out_by_another() {
    let hour = Duration::from_secs(3600);
    let settings = HubSettings {
        token_idle: Some(hour),
        ..HubSettings::default()
    };
    let house = House::with(Ground::TwoHubs, settings).await;
    let (here, there) = (&house, house.people());
    let admin = house.admin();
    let person = || Role::Person(PersonName::new("ann").unwrap());
    for name in ["phone", "lost"] {
        let token = TokenName::new(name).unwrap();
        admin.make_token(token, person(), name).await.unwrap();
    }
    let native = DialectName::new("native").unwrap();
    let enters = async |hub: &Hub, secret: &str| {
        let pass = hub.enter_anywhere(secret, &native).await.unwrap();
        pass.is_some()
    };
    for step in 0..6 {
        assert!(enters(&there.hub, "phone").await, "in step {step}");
        there.store.write_used().await.unwrap();
        house.pass(hour / 2).await;
    }
    // Whoever has the seat takes a while to look; the phone is in, and the one that nobody used is out.
    while enters(&here.hub, "lost").await || here.admin().tokens().len() > 7 {
        house.pass(Duration::from_secs(1)).await;
    }
    assert!(enters(&here.hub, "phone").await);
    assert!(enters(&there.hub, "phone").await);
}

#[tokio::test]
async fn another_life_that_began_elsewhere_ends_a_hub() {
    let (here, there) = House::two_nodes().await;
    assert_eq!(here.hub.epoch(), there.hub.epoch());
    let ended = {
        let hub = there.hub.clone();
        tokio::spawn(async move { hub.ended().await })
    };
    let begin = |since: Since| {
        vec![JournalEntry {
            event: Event::EpochBegan(Epoch(uuid::Uuid::from_u128(7))),
            at: since.now.unwrap_or_default(),
        }]
    };
    let head = here.ann().head();
    here.store.turn(head, Box::new(begin)).await.unwrap();
    assert!(ended.await.unwrap().ends_with("Restart this node."));
}

#[tokio::test]
async fn old_text_is_erased_by_one_node() {
    let settings = HubSettings {
        retention: Some(Duration::from_secs(3600)),
        ..HubSettings::default()
    };
    let (here, there) = House::two_nodes_with(settings).await;
    let ask = here.asked(questions("Which cache?", None)).await;
    answer(&here, &ask).await;
    here.agent().confirm(ask.id).await.unwrap();
    // Whoever has the seat erases it; the other finds it erased.
    while !matches!(there.ann().look(ask.id).await, Err(HubError::NotFound)) {
        for house in [&here, &there] {
            house.clock.pass(Duration::from_secs(3600));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let events = here.store.events(Seq::ZERO, 1000).await.unwrap();
    let erased = events.iter().filter_map(|stored| stored.event.as_ref());
    let erased = erased.filter(|event| matches!(event, Event::Erased { .. }));
    assert_eq!(erased.count(), 1);
}
