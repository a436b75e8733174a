//! What a person wants of an agent's program: done by whoever offered it, or by nobody.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::ask::Draft;
use sayso_core::control::ControlKind;
use sayso_core::id::ConversationName;
use sayso_hub::{Brought, Link, NotControlled, Turns, Wanted};
use sayso_testkit::{Ground, House, questions};

use crate::GROUND;

async fn wanted(link: &mut Link) -> Arc<Wanted> {
    match link.next().await.unwrap() {
        Brought::Control(wanted) => wanted,
        other @ (Brought::Outcome(_) | Brought::Turn { .. }) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_program_that_offered_it_is_told_and_its_word_counts() {
    let house = House::new(GROUND).await;
    let (agent, ann) = (house.agent(), house.ann());
    let name = ConversationName::new("errand").unwrap();
    let draft = Draft {
        conversation: Some(name.clone()),
        ..questions("Which?", None)
    };
    agent.ask(draft, None).await.unwrap();
    let errand = ann.conversation("errand").await.unwrap();
    let stop = || ann.control(&errand, ControlKind::Interrupt);

    let mut link = agent.link(None).await.unwrap();
    assert_eq!(stop().await, Err(NotControlled::Nobody), "nobody offered");
    let other = ConversationName::new("other").unwrap();
    link.take_controls(Turns::These(HashSet::from([other])));
    assert_eq!(stop().await, Err(NotControlled::Nobody), "not here");

    link.take_controls(Turns::These(HashSet::from([name])));
    let offered = async || loop {
        // What a program offers is known at other nodes a moment later.
        match stop().await {
            Err(NotControlled::Nobody) => tokio::task::yield_now().await,
            done => break done,
        }
    };
    let (done, ()) = tokio::join!(offered(), async {
        let wanted = wanted(&mut link).await;
        assert_eq!(
            (&wanted.what, wanted.by.as_str()),
            (&ControlKind::Interrupt, ann.person().as_str())
        );
        wanted.answer(Ok(()));
        // Only the first word counts.
        wanted.answer(Err("no".to_owned()));
    });
    assert_eq!(done, Ok(()));
    let mode = ControlKind::SetMode("plan".to_owned());
    let (done, ()) = tokio::join!(ann.control(&errand, mode.clone()), async {
        let wanted = wanted(&mut link).await;
        assert_eq!(wanted.what, mode);
        wanted.answer(Err("not now".to_owned()));
    });
    assert_eq!(done, Err(NotControlled::Refused("not now".to_owned())));

    // One that says nothing for too long, and one that goes.
    let (done, _held) = tokio::join!(stop(), async {
        let wanted = wanted(&mut link).await;
        house.pass(Duration::from_secs(6)).await;
        wanted
    });
    assert_eq!(done, Err(NotControlled::Silent));
    let (done, ()) = tokio::join!(stop(), async {
        wanted(&mut link).await;
        drop(link);
        if GROUND == Ground::TwoHubs {
            // Nobody says so to another node: there, silence is waited for.
            house.pass(Duration::from_secs(6)).await;
        }
    });
    assert_eq!(done, Err(NotControlled::Silent));
    house.linked(0).await;
    assert_eq!(stop().await, Err(NotControlled::Nobody));
}
