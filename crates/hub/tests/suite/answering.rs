//! Who wins, and what the others hear.

use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Draft};
use sayso_core::check::ViolationKind;
use sayso_core::digest::Digest;
use sayso_core::outcome::{Closer, Outcome, OutcomeKind, Seen};
use sayso_core::view::AskView;
use sayso_hub::HubError;
use sayso_testkit::{House, approval, questions};

use crate::GROUND;

pub(crate) fn redis() -> Answer {
    pick("Redis")
}

pub(crate) fn pick(label: &str) -> Answer {
    Answer::Replies(vec![Reply {
        question: 0,
        labels: vec![label.to_owned()],
        ..Reply::default()
    }])
}

/// Ann says Redis, and is first.
pub(crate) async fn answer(house: &House, ask: &Ask) -> AskView {
    let ann = house.ann();
    let answered = ann.answer(ask.id, Some(ask.digest), redis()).await;
    answered.unwrap()
}

pub(crate) fn allow() -> Answer {
    Answer::Verdict(Verdict {
        decision: Decision::Allow { edited_input: None },
        scope: Scope::Once,
        note: None,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_people_race_and_one_wins() {
    let house = House::new(GROUND).await;
    let asked = house
        .agent()
        .ask(questions("Which cache?", None), None)
        .await
        .unwrap()
        .view;
    let racers: Vec<_> = (0..50)
        .map(|number| {
            let (ann, id, digest) = (house.ann(), asked.ask.id, asked.ask.digest);
            tokio::spawn(async move {
                ann.answer(
                    id,
                    Some(digest),
                    pick(if number % 2 == 0 { "Redis" } else { "SQLite" }),
                )
                .await
            })
        })
        .collect();
    let (mut winners, mut losers) = (Vec::new(), Vec::new());
    for racer in racers {
        match racer.await.unwrap() {
            Ok(view) => winners.push(view),
            Err(HubError::AlreadyClosed(view)) => losers.push(*view),
            Err(other) => panic!("{other}"),
        }
    }
    let [winner] = &winners[..] else {
        panic!("{} winners", winners.len())
    };
    assert_eq!(losers.len(), 49);
    for loser in &losers {
        assert_eq!(loser.closing, winner.closing);
    }
    assert_eq!(
        house
            .agent()
            .look(asked.ask.id, std::time::Duration::ZERO)
            .await
            .unwrap()
            .closing,
        winner.closing
    );
}

#[tokio::test]
async fn an_answer_says_who_gave_it_and_on_which_device() {
    let house = House::new(GROUND).await;
    let asked = house
        .agent()
        .ask(questions("Which cache?", None), None)
        .await
        .unwrap()
        .view;
    let closed = house
        .ann()
        .answer(asked.ask.id, Some(asked.ask.digest), redis())
        .await
        .unwrap();
    let closing = closed.closing.unwrap();
    assert_eq!(closing.outcome, Outcome::Answered(redis()));
    let Closer::Person {
        person,
        device,
        seen,
    } = &closing.by
    else {
        panic!("{:?}", closing.by)
    };
    assert_eq!(
        (person.as_str(), device.as_str(), *seen),
        ("ann", "laptop", Seen::Digest)
    );
}

#[tokio::test]
async fn an_answer_to_something_else_is_refused() {
    let house = House::new(GROUND).await;
    let ann = house.ann();
    let asked = house
        .agent()
        .ask(questions("Which cache?", None), None)
        .await
        .unwrap()
        .view;
    let id = asked.ask.id;
    assert!(matches!(
        ann.answer(id, Some(Digest([7; 32])), redis()).await,
        Err(HubError::DigestMismatch(_))
    ));
    assert!(matches!(
        ann.answer(id, Some(asked.ask.digest), allow()).await,
        Err(HubError::Invalid(_))
    ));
    assert!(matches!(
        ann.answer(id, Some(asked.ask.digest), pick("Postgres"))
            .await,
        Err(HubError::Invalid(_))
    ));
    // Nothing of that closed it.
    assert_eq!(ann.look(id).await.unwrap().closing, None);
    assert!(
        ann.answer(id, Some(asked.ask.digest), redis())
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_yes_reaches_no_further_than_offered() {
    let house = House::new(GROUND).await;
    let asked = house
        .agent()
        .ask(approval("git push", None), None)
        .await
        .unwrap()
        .view;
    assert_eq!(asked.scopes, [Scope::Once]);
    let always = Answer::Verdict(Verdict {
        decision: Decision::Allow { edited_input: None },
        scope: Scope::Always,
        note: None,
    });
    match house
        .ann()
        .answer(asked.ask.id, Some(asked.ask.digest), always)
        .await
    {
        Err(HubError::Invalid(violations)) => {
            assert_eq!(violations.kind(), ViolationKind::ScopeUnavailable);
        }
        other => panic!("{other:?}"),
    }
    assert!(
        house
            .ann()
            .answer(asked.ask.id, Some(asked.ask.digest), allow())
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_no_ends_the_turn_only_of_an_asker_that_offered_it() {
    let house = House::new(GROUND).await;
    let (agent, ann) = (house.agent(), house.ann());
    let asked = async |stops| {
        let draft = Draft {
            stops,
            ..questions("Which?", None)
        };
        agent.ask(draft, None).await.unwrap().view.ask
    };
    let plain = asked(false).await;
    match ann.dismiss(plain.id, Some(plain.digest), None, true).await {
        Err(HubError::Invalid(why)) => assert!(why.to_string().starts_with("/stop: "), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(ann.look(plain.id).await.unwrap().closing.is_none());
    let stops = asked(true).await;
    ann.dismiss(stops.id, Some(stops.digest), None, true)
        .await
        .unwrap();
    let house = house.reopen().await;
    let told = house.ann().look(stops.id).await.unwrap();
    assert!(told.ask.stops);
    assert_eq!(
        told.closing.unwrap().outcome,
        Outcome::Dismissed {
            note: None,
            stop: true
        }
    );
}

#[tokio::test]
async fn a_note_that_says_nothing_is_none() {
    let house = House::new(GROUND).await;
    let (agent, ann) = (house.agent(), house.ann());
    let asked = async |text: &str| {
        let asked = agent.ask(questions(text, None), None).await;
        asked.unwrap().view.ask
    };
    let blank = || Some(" \n".to_owned());
    let first = asked("First?").await;
    let mut answer = redis();
    let Answer::Replies(replies) = &mut answer else {
        panic!("{answer:?}");
    };
    replies[0].note = blank();
    let closed = ann.answer(first.id, Some(first.digest), answer).await;
    assert_eq!(
        closed.unwrap().closing.unwrap().outcome,
        Outcome::Answered(redis())
    );
    let second = asked("Second?").await;
    let closed = ann.dismiss(second.id, Some(second.digest), blank(), false);
    assert_eq!(
        closed.await.unwrap().closing.unwrap().outcome,
        Outcome::Dismissed {
            note: None,
            stop: false
        }
    );
    let third = asked("Third?").await;
    let closed = agent.withdraw(third.id, Some(String::new())).await;
    assert_eq!(
        closed.unwrap().closing.unwrap().outcome,
        Outcome::Withdrawn { note: None }
    );
}

#[tokio::test]
async fn a_dismissal_and_a_withdrawal_are_outcomes_too() {
    let house = House::new(GROUND).await;
    let (agent, ann) = (house.agent(), house.ann());
    let first = agent
        .ask(questions("First?", None), None)
        .await
        .unwrap()
        .view
        .ask;
    let second = agent
        .ask(questions("Second?", None), None)
        .await
        .unwrap()
        .view
        .ask;
    let dismissed = ann
        .dismiss(
            first.id,
            Some(first.digest),
            Some("not now".to_owned()),
            false,
        )
        .await
        .unwrap();
    assert_eq!(
        dismissed.closing.unwrap().outcome,
        Outcome::Dismissed {
            note: Some("not now".to_owned()),
            stop: false,
        }
    );
    let withdrawn = agent.withdraw(second.id, None).await.unwrap();
    assert_eq!(withdrawn.closing.unwrap().by, Closer::Agent);
    match ann.answer(second.id, Some(second.digest), redis()).await {
        Err(HubError::AlreadyClosed(view)) => {
            assert_eq!(view.closing.unwrap().outcome.kind(), OutcomeKind::Withdrawn);
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        agent.withdraw(first.id, None).await,
        Err(HubError::AlreadyClosed(_))
    ));
}
