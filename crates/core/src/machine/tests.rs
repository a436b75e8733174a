//! The machine under random sequences of happenings: one outcome ever, whatever comes.

use proptest::prelude::*;

use super::*;

const DEADLINE: Time = Time::from_millis(1_000);

fn endings() -> impl Strategy<Value = Ending> {
    prop_oneof![
        Just(Ending::Answered),
        Just(Ending::Dismissed),
        Just(Ending::Withdrawn)
    ]
}

fn matters() -> impl Strategy<Value = MatterKind> {
    prop_oneof![
        Just(MatterKind::Questions),
        Just(MatterKind::Approval),
        Just(MatterKind::Form)
    ]
}

/// A happening whose close stands for itself by its number.
fn happenings() -> impl Strategy<Value = Happening<u32>> {
    prop_oneof![
        (endings(), any::<u32>()).prop_map(|(how, closing)| Happening::Close { how, closing }),
        any::<u32>().prop_map(|closing| Happening::Lapse { closing }),
        matters().prop_map(|matter| Happening::AnswerLate { matter }),
        Just(Happening::Sent),
        Just(Happening::Confirmed),
    ]
}

fn states() -> impl Strategy<Value = State<u32>> {
    prop_oneof![
        Just(State::Open { deadline: None }),
        Just(State::Open {
            deadline: Some(DEADLINE)
        })
    ]
}

fn delivery_of(state: &State<u32>) -> Delivery {
    match *state {
        State::Open { .. } => Delivery::Owed,
        State::Closed { delivery, .. } => delivery,
    }
}

proptest! {
    #[test]
    fn there_is_one_outcome_ever(mut state in states(), events in prop::collection::vec((happenings(), 0_u64..2_000), 0..60)) {
        let mut first = None;
        for (event, at) in events {
            let now = Time::from_millis(at);
            let before = state;
            match apply(&state, event, now) {
                Ok(step) => state = step.state,
                Err(Refusal::AlreadyClosed { winner, how }) => prop_assert_eq!(Some((winner, how)), first),
                Err(_) => {}
            }
            prop_assert!(delivery_of(&before) <= delivery_of(&state), "delivery only moves forward");
            match (state, first) {
                (State::Open { .. }, None) => {}
                (State::Open { .. }, Some(_)) => prop_assert!(false, "a closed ask opened again"),
                (State::Closed { winner, how, .. }, None) => first = Some((winner, how)),
                (State::Closed { winner, how, .. }, Some(won)) => prop_assert_eq!((winner, how), won),
            }
        }
    }

    #[test]
    fn nothing_is_answered_unless_somebody_answers(mut state in states(), events in prop::collection::vec((happenings(), 0_u64..2_000), 0..60)) {
        let mut answered = false;
        for (event, at) in events {
            answered |= matches!(event, Happening::Close { how: Ending::Answered, .. });
            if let Ok(step) = apply(&state, event, Time::from_millis(at)) {
                state = step.state;
            }
            if let State::Closed { how: OutcomeKind::Answered, .. } = state {
                prop_assert!(answered);
            }
        }
    }

    #[test]
    fn only_time_expires_and_never_early(state in states(), event in happenings(), at in 0_u64..2_000) {
        if let (State::Open { deadline }, Ok(Step { state: State::Closed { how, .. }, .. })) = (state, apply(&state, event, Time::from_millis(at))) {
            let past = deadline.is_some_and(|deadline| Time::from_millis(at) >= deadline);
            prop_assert_eq!(how == OutcomeKind::Expired, past);
        }
    }

    #[test]
    fn what_is_owed_can_be_told_from_the_state_alone(mut state in states(), events in prop::collection::vec((happenings(), 0_u64..2_000), 0..40)) {
        // Everything an accepted step asked for is either repeated by the state's own list, or is
        // only news for devices, which read the lists again when they come back.
        for (event, at) in events {
            let Ok(step) = apply(&state, event, Time::from_millis(at)) else { continue };
            state = step.state;
            let owed = owed_effects(&state);
            for effect in step.effects {
                match effect {
                    Effect::Deliver | Effect::StartTimer(_) | Effect::EraseSecrets | Effect::Show => prop_assert!(owed.contains(&effect)),
                    Effect::Hide | Effect::StopTimer | Effect::ShowDelivery => {}
                }
            }
        }
    }
}

#[test]
fn a_late_yes_to_an_action_is_not_kept() {
    let expired = State::Closed {
        winner: 1,
        how: OutcomeKind::Expired,
        delivery: Delivery::Owed,
        late: false,
    };
    let late =
        |matter| apply(&expired, Happening::AnswerLate { matter }, DEADLINE).map(|step| step.state);
    assert_eq!(late(MatterKind::Approval), Err(Refusal::NotKept));
    assert_eq!(
        late(MatterKind::Form),
        Ok(State::Closed {
            winner: 1,
            how: OutcomeKind::Expired,
            delivery: Delivery::Owed,
            late: true
        })
    );
}

#[test]
fn an_answer_at_the_deadline_is_too_late() {
    let open = State::Open {
        deadline: Some(DEADLINE),
    };
    let answer = Happening::Close {
        how: Ending::Answered,
        closing: 1,
    };
    assert_eq!(apply(&open, answer, DEADLINE), Err(Refusal::Lapsed));
    assert!(apply(&open, answer, Time::from_millis(999)).is_ok());
}

#[test]
fn confirming_erases_secrets_once() {
    let open: Step<u32> = open(None);
    let closed = apply(
        &open.state,
        Happening::Close {
            how: Ending::Answered,
            closing: 7,
        },
        Time::default(),
    )
    .unwrap();
    assert_eq!(closed.effects, [Effect::Hide, Effect::Deliver]);
    let confirmed = apply(&closed.state, Happening::Confirmed, Time::default()).unwrap();
    assert_eq!(
        confirmed.effects,
        [Effect::ShowDelivery, Effect::EraseSecrets]
    );
    assert_eq!(
        apply(&confirmed.state, Happening::Confirmed, Time::default()),
        Err(Refusal::NothingNew)
    );
    assert_eq!(
        apply(&confirmed.state, Happening::Sent, Time::default()),
        Err(Refusal::NothingNew)
    );
}
