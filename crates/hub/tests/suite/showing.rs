//! Which devices had an ask on screen: once each, written down beside everything else.

use std::time::Duration;

use sayso_core::id::{AskId, DialectName, PersonName, TokenName};
use sayso_core::role::Role;
use sayso_hub::{Pass, PersonPass};
use sayso_store::StepKind;
use sayso_testkit::{House, questions};

use super::answering::answer;
use crate::GROUND;

/// What the story of an ask says, once the projections have it.
async fn story(house: &House, ask: AskId) -> Vec<String> {
    let head = house.people().hub.health().head;
    while house.people().hub.health().viewed < head {
        tokio::task::yield_now().await;
    }
    let steps = house.ann().steps(ask).await.unwrap();
    steps
        .into_iter()
        .map(|step| match step.what {
            StepKind::Shown { person, device } => {
                let after = step.at.as_millis() - 1_800_000_000_000;
                format!("shown {} {} {after}", person.as_str(), device.as_str())
            }
            StepKind::Asked => "asked".to_owned(),
            StepKind::Closed => "closed".to_owned(),
            StepKind::AnsweredLate => "late".to_owned(),
            StepKind::Sent => "sent".to_owned(),
            StepKind::Confirmed => "confirmed".to_owned(),
        })
        .collect()
}

/// Another device of a person.
async fn device(house: &House, person: &str, name: &str) -> PersonPass {
    let role = Role::Person(PersonName::new(person).unwrap());
    let admin = house.admin();
    let name = TokenName::new(name).unwrap();
    admin.make_token(name, role, "another").await.unwrap();
    let native = DialectName::new("native").unwrap();
    match house.people().hub.enter("another", &native).unwrap() {
        Pass::Person(pass) => pass,
        other @ (Pass::Agent(_) | Pass::Admin(_)) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_device_is_written_down_once_and_nobody_waits() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", None)).await.id;
    let phone = device(&house, "bob", "phone").await;
    let before = house.people().hub.health().head;
    house.ann().has_on_screen(&[ask, ask]).await.unwrap();
    house.ann().has_on_screen(&[ask]).await.unwrap();
    house.pass(Duration::from_millis(300)).await;
    phone.has_on_screen(&[ask]).await.unwrap();
    // Nothing is written for it alone, at first.
    assert_eq!(house.people().hub.health().head, before);
    house.pass(Duration::from_secs(2)).await;
    while house.people().hub.health().head == before {
        tokio::task::yield_now().await;
    }
    assert_eq!(house.people().hub.health().head.0, before.0 + 1);
    let told = ["asked", "shown ann laptop 0", "shown bob phone 300"];
    assert_eq!(story(&house, ask).await, told);

    // After a crash the journal knows, and a device that says it again says nothing new.
    let house = house.reopen().await;
    assert_eq!(story(&house, ask).await, told);
    let before = house.people().hub.health().head;
    house.ann().has_on_screen(&[ask]).await.unwrap();
    house.stop().await;
    assert_eq!(house.people().hub.health().head, before);
}

#[tokio::test]
async fn it_rides_with_what_is_written_anyway_and_ends_with_the_server_at_the_latest() {
    let house = House::new(GROUND).await;
    let first = house.asked(questions("First?", None)).await;
    let second = house.asked(questions("Second?", None)).await;
    house.ann().has_on_screen(&[first.id]).await.unwrap();
    house.pass(Duration::from_millis(200)).await;
    answer(&house, &first).await;
    assert_eq!(
        story(&house, first.id).await,
        ["asked", "shown ann laptop 0", "closed"]
    );
    // A report that comes a moment after the end still counts: it was on screen before.
    let phone = device(&house, "bob", "phone").await;
    phone.has_on_screen(&[first.id, second.id]).await.unwrap();
    house.stop().await;
    assert_eq!(story(&house, first.id).await.len(), 4);
    assert_eq!(
        story(&house, second.id).await,
        ["asked", "shown bob phone 200"]
    );
}

#[tokio::test]
async fn what_nobody_knows_is_passed_over_and_a_full_disk_only_delays() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", None)).await;
    let nobody = AskId::from_bytes([7; 16]);
    house.fill_disk(true);
    house.ann().has_on_screen(&[nobody, ask.id]).await.unwrap();
    house.pass(Duration::from_secs(2)).await;
    while house.people().hub.health().writable {
        tokio::task::yield_now().await;
    }
    house.fill_disk(false);
    // Whatever goes wrong with it, answers are taken as before.
    answer(&house, &ask).await;
    house.stop().await;
    assert_eq!(
        story(&house, ask.id).await,
        ["asked", "shown ann laptop 0", "closed"]
    );
}
