//! A late answer is the start of the answer to an equal question.

use std::time::Duration;

use sayso_core::answer::{Answer, FieldValue};
use sayso_core::ask::{Ask, Draft};
use sayso_core::limits;
use sayso_core::outcome::Closer;
use sayso_hub::{FeedFilter, HubError, ListFilter, News};
use sayso_testkit::{House, approval, form_with_secret, questions};

use super::answering::{allow, answer, redis};
use crate::GROUND;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Asks, lets the deadline pass, and answers too late.
async fn answered_late(house: &House, draft: Draft, said: Answer) -> std::sync::Arc<Ask> {
    let ask = house.asked(draft).await;
    house.pass(MINUTE).await;
    let late = house.ann().answer(ask.id, Some(ask.digest), said).await;
    assert!(matches!(late, Err(HubError::Expired { .. })));
    ask
}

#[tokio::test]
async fn an_equal_question_starts_from_the_late_answer_and_no_other_ask_does() {
    let house = House::new(GROUND).await;
    let question = || questions("Which cache?", Some(MINUTE));
    let first = answered_late(&house, question(), redis()).await;
    assert_eq!(house.ann().look(first.id).await.unwrap().prefill, None);
    let (mut feed, _) = house.ann().follow(FeedFilter::Everything, None);

    let again = house.asked(questions("Which cache?", None)).await;
    let view = house.ann().look(again.id).await.unwrap();
    let prefill = view.prefill.unwrap();
    assert_eq!((prefill.ask, &prefill.late.answer), (first.id, &redis()));
    assert!(matches!(&prefill.late.by, Closer::Person { person, .. } if person.as_str() == "ann"));
    let filter = ListFilter {
        limit: 10,
        ..ListFilter::default()
    };
    let listed = house.ann().open_asks(&filter, None).await.unwrap();
    assert_eq!(listed.asks[0].prefill, Some(prefill.clone()));
    let told = loop {
        if let News::Asked(view) = &feed.next().await.unwrap().news {
            break view.prefill.clone();
        }
    };
    assert_eq!(told, Some(prefill));

    let other = house.asked(questions("Which queue?", None)).await;
    assert_eq!(house.ann().look(other.id).await.unwrap().prefill, None);
    answer(&house, &again).await;
    assert_eq!(house.ann().look(again.id).await.unwrap().prefill, None);
}

#[tokio::test]
async fn approvals_and_forms_are_never_prefilled() {
    let house = House::new(GROUND).await;
    answered_late(&house, approval("ls", Some(MINUTE)), allow()).await;
    let form = Draft {
        timeout: Some(MINUTE),
        ..form_with_secret()
    };
    let said = FieldValue::Text("hunter2-canary".to_owned());
    let fields = Answer::Fields(vec![("password".to_owned(), said)]);
    answered_late(&house, form, fields).await;
    for draft in [approval("ls", None), form_with_secret()] {
        let ask = house.asked(draft).await;
        assert_eq!(house.ann().look(ask.id).await.unwrap().prefill, None);
    }
}

#[tokio::test]
async fn it_is_offered_after_a_restart_for_a_month_and_not_once_it_is_erased() {
    let house = House::new(GROUND).await;
    let question = || questions("Which cache?", Some(MINUTE));
    let first = answered_late(&house, question(), redis()).await;
    let house = house.reopen().await;
    let again = house.asked(question()).await;
    let view = house.ann().look(again.id).await.unwrap();
    assert_eq!(view.prefill.unwrap().ask, first.id);
    answer(&house, &again).await;

    house
        .pass(DAY * u32::try_from(limits::PREFILL_DAYS).unwrap())
        .await;
    let later = house.asked(question()).await;
    assert_eq!(house.ann().look(later.id).await.unwrap().prefill, None);
    answer(&house, &later).await;

    let second = answered_late(&house, question(), redis()).await;
    house.admin().forget(second.id).await.unwrap();
    let last = house.asked(question()).await;
    assert_eq!(house.ann().look(last.id).await.unwrap().prefill, None);
    let house = house.reopen().await;
    assert_eq!(house.ann().look(last.id).await.unwrap().prefill, None);
}
