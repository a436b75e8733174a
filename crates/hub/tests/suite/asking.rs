//! Asking: keys, names, limits, and who may see what.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::ask::{Ask, Draft, Matter};
use sayso_core::digest::Digest;
use sayso_core::form::Form;
use sayso_core::id::{AgentName, AskId, AskKey, ConversationName, DialectName, TokenName, WireId};
use sayso_core::journal::Event;
use sayso_core::role::Role;
use sayso_hub::{HubError, HubSettings, ListFilter, Pass};
use sayso_store::{JournalEntry, append};
use sayso_testkit::{House, approval, questions};

use super::answering::redis;
use crate::GROUND;

fn with_key(key: &str, draft: Draft) -> Draft {
    Draft {
        key: Some(AskKey::new(key).unwrap()),
        ..draft
    }
}

#[tokio::test]
async fn the_same_key_finds_the_same_ask_open_closed_and_after_a_restart() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let first = agent
        .ask(with_key("k1", questions("Which cache?", None)), None)
        .await
        .unwrap();
    let again = agent
        .ask(with_key("k1", questions("Which cache?", None)), None)
        .await
        .unwrap();
    assert_eq!(
        (first.fresh, again.fresh, &again.view.ask),
        (true, false, &first.view.ask)
    );
    assert!(matches!(
        agent
            .ask(with_key("k1", questions("Other?", None)), None)
            .await,
        Err(HubError::KeyConflict(_))
    ));
    house
        .ann()
        .answer(first.view.ask.id, Some(first.view.ask.digest), redis())
        .await
        .unwrap();
    let house = house.reopen().await;
    let after = house
        .agent()
        .ask(with_key("k1", questions("Which cache?", None)), None)
        .await
        .unwrap();
    assert!(!after.fresh);
    assert_eq!(after.view.ask, first.view.ask);
    assert!(after.view.closing.is_some());
    assert!(matches!(
        house
            .agent()
            .ask(with_key("k1", questions("Other?", None)), None)
            .await,
        Err(HubError::KeyConflict(_))
    ));
}

#[tokio::test]
async fn the_key_of_an_ask_of_an_older_version_finds_it() {
    let page = |message: &str| {
        let mut draft = with_key("old", questions("", None));
        draft.matter = Matter::Form(Form::Page {
            message: message.to_owned(),
            url: "https://example.org".to_owned(),
        });
        draft
    };
    let house = House::new(GROUND).await;
    let new = house.agent().ask(questions("New?", None), None).await;
    let new = new.unwrap().view;
    // As the first version wrote it.
    let text = format!(
        r#"{{"agent":"{}","form":{{"message":"m","url":"https://example.org"}},"matter":"form","v":1}}"#,
        new.agent.name.as_str()
    );
    let mut id = *new.ask.id.bytes();
    id[14..].fill(u8::MAX);
    let Draft { key, matter, .. } = page("m");
    let old = Arc::new(Ask {
        id: AskId::from_bytes(id),
        digest: Digest::of(text.as_bytes()),
        key,
        matter,
        ..Ask::clone(&new.ask)
    });
    let entry = JournalEntry {
        event: Event::Asked(Arc::clone(&old)),
        at: old.asked_at,
    };
    append(&*house.store, vec![entry]).await.unwrap();
    let house = house.reopen().await;
    let again = house.agent().ask(page("m"), None).await.unwrap();
    assert_eq!((again.fresh, &again.view.ask), (false, &old));
    let other = house.agent().ask(page("another"), None).await;
    assert!(matches!(other, Err(HubError::KeyConflict(_))), "{other:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_sent_twenty_times_at_once_makes_one_ask() {
    let house = House::new(GROUND).await;
    let tries: Vec<_> = (0..20)
        .map(|_| {
            let agent = house.agent();
            tokio::spawn(async move {
                agent
                    .ask(with_key("k", questions("Which cache?", None)), None)
                    .await
                    .unwrap()
            })
        })
        .collect();
    let mut fresh = 0;
    let mut ids = std::collections::HashSet::new();
    for one in tries {
        let asked = one.await.unwrap();
        fresh += u32::from(asked.fresh);
        ids.insert(asked.view.ask.id);
    }
    assert_eq!((fresh, ids.len()), (1, 1));
}

#[tokio::test]
async fn a_wire_id_belongs_to_its_conversation() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let draft = |conversation: &str| Draft {
        wire_id: Some(WireId::new("q-1").unwrap()),
        conversation: Some(ConversationName::new(conversation).unwrap()),
        ..questions("Which cache?", None)
    };
    let one = agent.ask(draft("one"), None).await.unwrap();
    let two = agent.ask(draft("two"), None).await.unwrap();
    assert!(one.fresh && two.fresh);
    assert_ne!(one.view.ask.digest, two.view.ask.digest);
    assert_eq!(one.view.ask.shape, two.view.ask.shape);
    assert_eq!(
        agent.ask(draft("one"), None).await.unwrap().view.ask.id,
        one.view.ask.id
    );
}

#[tokio::test]
async fn equal_asks_can_be_listed_as_a_group() {
    let house = House::new(GROUND).await;
    let agent = house.agent();
    let name = |name: &str| Some(AgentName::new(name).unwrap());
    let a = agent
        .ask(questions("Same?", None), name("a"))
        .await
        .unwrap()
        .view;
    let b = agent
        .ask(questions("Same?", None), name("b"))
        .await
        .unwrap()
        .view;
    agent
        .ask(questions("Different?", None), name("b"))
        .await
        .unwrap();
    house.settled().await;
    let filter = ListFilter {
        shape: Some(a.ask.shape),
        limit: 50,
        ..ListFilter::default()
    };
    let group: Vec<AskId> = house
        .ann()
        .open_asks(&filter, None)
        .await
        .unwrap()
        .asks
        .iter()
        .map(|view| view.ask.id)
        .collect();
    assert_eq!(group, [a.ask.id, b.ask.id]);
}

#[tokio::test]
async fn open_asks_are_listed_page_by_page() {
    let house = House::new(GROUND).await;
    let mut asked = Vec::new();
    for number in 0..23 {
        asked.push(
            house
                .agent()
                .ask(questions(&format!("Number {number}?"), None), None)
                .await
                .unwrap()
                .view
                .ask
                .id,
        );
    }
    house.settled().await;
    let filter = ListFilter {
        limit: 5,
        ..ListFilter::default()
    };
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = house.ann().open_asks(&filter, after).await.unwrap();
        seen.extend(page.asks.iter().map(|view| view.ask.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, asked);
    let found = house
        .ann()
        .open_asks(
            &ListFilter {
                search: Some("number 21".to_owned()),
                ..filter
            },
            None,
        )
        .await
        .unwrap();
    assert_eq!(
        found
            .asks
            .iter()
            .map(|view| view.ask.id)
            .collect::<Vec<_>>(),
        [asked[21]]
    );
}

#[tokio::test]
async fn a_flooding_agent_is_slowed_and_nobody_else() {
    let house = House::with(
        GROUND,
        HubSettings {
            asks_per_minute: Some(3),
            ..HubSettings::default()
        },
    )
    .await;
    for number in 0..3 {
        house
            .agent()
            .ask(questions(&format!("Number {number}?"), None), None)
            .await
            .unwrap();
    }
    match house.agent().ask(questions("One more?", None), None).await {
        Err(HubError::SlowDown { retry_after, .. }) => {
            assert_eq!(retry_after, Duration::from_secs(20));
        }
        other => panic!("{other:?}"),
    }
    house
        .admin()
        .make_token(TokenName::new("calm").unwrap(), Role::Agent, "calm-secret")
        .await
        .unwrap();
    let native = DialectName::new("native").unwrap();
    let Some(Pass::Agent(calm)) = house
        .hub
        .enter_anywhere("calm-secret", &native)
        .await
        .unwrap()
    else {
        panic!("no agent")
    };
    calm.ask(questions("Calm?", None), None).await.unwrap();
    house.pass(Duration::from_secs(20)).await;
    house
        .agent()
        .ask(questions("One more?", None), None)
        .await
        .unwrap();
}

#[tokio::test]
async fn an_agent_has_only_so_many_open_asks() {
    let house = House::with(
        GROUND,
        HubSettings {
            open_asks_per_agent: 2,
            ..HubSettings::default()
        },
    )
    .await;
    let agent = house.agent();
    let first = agent
        .ask(questions("A?", None), None)
        .await
        .unwrap()
        .view
        .ask
        .id;
    agent.ask(questions("B?", None), None).await.unwrap();
    assert!(matches!(
        agent.ask(questions("C?", None), None).await,
        Err(HubError::SlowDown { .. })
    ));
    agent.withdraw(first, None).await.unwrap();
    agent.ask(questions("C?", None), None).await.unwrap();
}

#[tokio::test]
async fn an_agent_sees_only_its_own_asks_and_a_revoked_token_is_out() {
    let house = House::new(GROUND).await;
    let asked = house
        .agent()
        .ask(approval("ls", None), None)
        .await
        .unwrap()
        .view
        .ask
        .id;
    let name = TokenName::new("other").unwrap();
    house
        .admin()
        .make_token(name.clone(), Role::Agent, "other-secret")
        .await
        .unwrap();
    assert!(matches!(
        house
            .admin()
            .make_token(name.clone(), Role::Agent, "third")
            .await,
        Err(HubError::Refused(_))
    ));
    let native = DialectName::new("native").unwrap();
    let Some(Pass::Agent(other)) = house
        .hub
        .enter_anywhere("other-secret", &native)
        .await
        .unwrap()
    else {
        panic!("no agent")
    };
    assert!(matches!(
        other.look(asked, Duration::ZERO).await,
        Err(HubError::NotFound)
    ));
    assert!(matches!(
        other.withdraw(asked, None).await,
        Err(HubError::NotFound)
    ));
    assert!(matches!(
        other.confirm(asked).await,
        Err(HubError::NotFound)
    ));
    let waiting = {
        let other = other.clone();
        tokio::spawn(async move { other.revoked().await })
    };
    house.admin().revoke_token(name).await.unwrap();
    waiting.await.unwrap();
    // A pass in hand is no leave either.
    assert!(matches!(
        other.ask(approval("ls", None), None).await,
        Err(HubError::Revoked)
    ));
    assert!(house.hub.enter("other-secret", &native).is_none());
    let house = house.reopen().await;
    assert!(house.hub.enter("other-secret", &native).is_none());
}
