//! Agents that go away: their asks are withdrawn after a while, and their outcomes wait for them.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::ask::{Ask, Draft};
use sayso_core::id::{AskKey, DialectName, WireId};
use sayso_core::outcome::{Closer, Outcome};
use sayso_hub::{Brought, HubSettings};
use sayso_testkit::{House, questions};

use super::answering::answer;
use crate::GROUND;

const HOUR: Duration = Duration::from_secs(3600);

fn keyed(text: &str, key: &str) -> Draft {
    Draft {
        key: Some(AskKey::new(key).unwrap()),
        ..questions(text, None)
    }
}

async fn is_open(house: &House, ask: &Ask) -> bool {
    house.ann().look(ask.id).await.unwrap().closing.is_none()
}

/// Waits until an ask has ended, and says how.
async fn ended(house: &House, ask: &Ask) -> (Outcome, Closer) {
    loop {
        if let Some(closing) = house.ann().look(ask.id).await.unwrap().closing {
            return (closing.outcome.clone(), closing.by.clone());
        }
        tokio::task::yield_now().await;
    }
}

fn gone_for(span: &str) -> (Outcome, Closer) {
    let note = format!("The agent disconnected and did not come back within {span}.");
    let note = Some(note);
    (Outcome::Withdrawn { note }, Closer::Clock)
}

/// Lets whoever looks after agents look once more.
async fn looked(house: &House) {
    let probe = house.asked(questions("Probe?", None)).await;
    house.agent().withdraw(probe.id, None).await.unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_agent_that_stays_away_has_its_asks_withdrawn_unless_it_can_find_them_again() {
    let house = House::new(GROUND).await;
    let link = house.agent().link(None).await.unwrap();
    let ask = house.asked(questions("Which cache?", None)).await;
    let durable = house.asked(keyed("Which queue?", "k-1")).await;
    house.pass(48 * HOUR).await;
    looked(&house).await;
    // Connected agents wait for as long as they like.
    assert!(is_open(&house, &ask).await);
    drop(link);
    house.pass(23 * HOUR).await;
    looked(&house).await;
    assert!(is_open(&house, &ask).await);
    // The probe was a call: time runs from there.
    house.pass(24 * HOUR).await;
    assert_eq!(ended(&house, &ask).await, gone_for("24 hours"));
    house.pass(1000 * HOUR).await;
    looked(&house).await;
    assert!(is_open(&house, &durable).await);
    let again = house.agent().ask(keyed("Which queue?", "k-1"), None).await;
    let again = again.unwrap();
    assert_eq!((again.view.ask.id, again.fresh), (durable.id, false));
}

#[tokio::test]
async fn both_spans_are_settings_and_some_dialects_never_ask_again() {
    let settings = HubSettings {
        withdraw_after: None,
        withdraw_durable_after: Some(HOUR),
        ..HubSettings::default()
    };
    let house = House::with(GROUND, settings.clone()).await;
    let ask = house.asked(questions("Which cache?", None)).await;
    let named = Draft {
        wire_id: Some(WireId::new("q-1").unwrap()),
        ..questions("Which queue?", None)
    };
    let named = house.asked(named).await;
    house.pass(2 * HOUR).await;
    assert_eq!(ended(&house, &named).await, gone_for("1 hour"));
    assert!(is_open(&house, &ask).await);

    let house = House::with(
        GROUND,
        HubSettings {
            forgetful: vec![DialectName::new("native").unwrap()],
            withdraw_after: Some(2 * HOUR),
            withdraw_durable_after: None,
            ..settings
        },
    )
    .await;
    let ask = house.asked(keyed("Which cache?", "k-1")).await;
    house.pass(3 * HOUR).await;
    assert_eq!(ended(&house, &ask).await, gone_for("2 hours"));
}

#[tokio::test]
async fn a_restart_begins_the_time_again_and_a_wall_clock_that_jumps_does_not_matter() {
    let house = House::new(GROUND).await;
    let ask = house.asked(questions("Which cache?", None)).await;
    house.pass(23 * HOUR).await;
    let house = house.reopen().await;
    let wall = sayso_hub::Clock::wall(&*house.clock);
    house.jump(wall.after(1000 * HOUR));
    house.pass(23 * HOUR).await;
    looked_by_nobody(&house).await;
    assert!(is_open(&house, &ask).await);
    house.pass(HOUR).await;
    assert_eq!(ended(&house, &ask).await, gone_for("24 hours"));
}

/// The same as [`looked`], without a call of the agent.
async fn looked_by_nobody(house: &House) {
    house.ann().agents_and_last_asks().await.unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_outcome_is_offered_for_as_long_as_is_set() {
    let next = |brought: Option<Brought>| match brought {
        Some(Brought::Outcome(view)) => view.ask.id,
        other => panic!("{other:?}"),
    };
    for (offer_for, offered) in [(Some(168 * HOUR), false), (None, true)] {
        let house = House::with(
            GROUND,
            HubSettings {
                offer_for,
                ..HubSettings::default()
            },
        )
        .await;
        let old: Arc<Ask> = house.asked(questions("Which cache?", None)).await;
        answer(&house, &old).await;
        house.pass(167 * HOUR).await;
        let mut link = house.agent().link(None).await.unwrap();
        assert_eq!(next(link.next().await), old.id);
        drop(link);
        house.pass(HOUR).await;
        let young = house.asked(questions("Which queue?", None)).await;
        answer(&house, &young).await;
        let first = if offered { old.id } else { young.id };
        let mut link = house.agent().link(None).await.unwrap();
        assert_eq!(next(link.next().await), first);
        drop(link);
        let house = house.reopen().await;
        let mut link = house.agent().link(None).await.unwrap();
        assert_eq!(next(link.next().await), first);
    }
}
