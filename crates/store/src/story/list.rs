//! Finding asks again: by id, by key, in lists, by their words, and counted.

use std::sync::Arc;

use sayso_core::ask::{Ask, Matter, MatterKind};
use sayso_core::id::{AgentId, AskId, AskKey, ConversationId, Place, Seq, WireId};
use sayso_core::journal::Event;
use sayso_core::outcome::{Delivery, Outcome};
use sayso_core::time::Time;

use super::sample;
use super::stage::{begin, caught_up, commit, recover};
use crate::{AskPage, AskQuery, AskRow, Store};
use sayso_core::state::ask_keys;

/// Asks are found by id and by each of their keys, newest first.
pub async fn asks_are_found<S: Store>(mut open: impl FnMut() -> S) {
    let agent = sample::agent(1);
    let keyed = |n: u64, key: Option<&str>, wire: Option<&str>| {
        let mut ask = sample::ask(n, sample::question("?"));
        ask.key = key.map(|key| AskKey::new(key).unwrap());
        ask.wire_id = wire.map(|wire| WireId::new(wire).unwrap());
        ask
    };
    let asks = [
        keyed(1, Some("same"), None),
        keyed(2, None, Some("same")),
        keyed(3, Some("same"), Some("other")),
        keyed(4, None, None),
    ];
    {
        let store = begin(&mut open).await;
        let mut events = vec![Event::AgentMet(agent.clone())];
        events.extend(asks.iter().cloned().map(|ask| Event::Asked(Arc::new(ask))));
        commit(&store, 1, events).await;
        caught_up(&store, Seq(5)).await;
    }
    let store = begin(&mut open).await;
    for (ask, opened) in asks.iter().zip(2..) {
        let place = sample::place(opened, None, None);
        assert_eq!(
            store.find(ask.id).await.unwrap(),
            Some((place, Delivery::Owed))
        );
    }
    assert_eq!(store.find(sample::ask_id(9)).await.unwrap(), None);
    let key = |ask: usize, which: usize| {
        asks.get(ask)
            .and_then(|ask| ask_keys(&agent, ask).get(which).copied().flatten())
            .unwrap()
    };
    assert_eq!(
        store.find_key(key(0, 0)).await.unwrap(),
        [sample::ask_id(3), sample::ask_id(1)]
    );
    assert_eq!(
        store.find_key(key(1, 1)).await.unwrap(),
        [sample::ask_id(2)]
    );
    assert_eq!(
        store.find_key(key(2, 1)).await.unwrap(),
        [sample::ask_id(3)]
    );
    assert_eq!(
        store.find_key(key(2, 1) ^ 1).await.unwrap(),
        Vec::<AskId>::new()
    );
}

/// Which asks a search is to find.
type Fits = fn(&Closed) -> bool;

/// A closed ask of the list chapters.
struct Closed {
    ask: Ask,
    place: Place,
    at: u64,
}

const ASKS: u64 = 60;

/// Asks of three agents and four conversations about everything, closed in another order.
async fn closed_asks(store: &impl Store) -> Vec<Closed> {
    let mut asks = Vec::new();
    for n in 1..=ASKS {
        let matter = match n % 3 {
            0 => sample::question(&format!("number {n}")),
            1 => sample::approval("Bash", "{}"),
            _ => sample::form(),
        };
        let mut ask = sample::ask(n, matter);
        ask.agent = AgentId(u32::try_from(1 + n % 3).unwrap());
        ask.conversation = (n % 5 > 0).then(|| ConversationId(u32::try_from(n % 5).unwrap()));
        asks.push(ask);
    }
    let mut events: Vec<Event> = (1..=3).map(|n| Event::AgentMet(sample::agent(n))).collect();
    events.extend(asks.iter().cloned().map(|ask| Event::Asked(Arc::new(ask))));
    // One that stays open and must be in no list.
    events.push(Event::Asked(Arc::new(sample::ask(
        ASKS + 1,
        sample::question("number open"),
    ))));
    let opened = commit(store, 10_000, events).await;
    let mut closed: Vec<Closed> = Vec::new();
    // 7 and 60 have no common part, so every ask has its turn.
    for turn in 0..ASKS {
        let at = usize::try_from(turn * 7 % ASKS).unwrap();
        let closed_at = 50_000 + turn * 100;
        let (ask, opened) = asks.get(at).zip(opened.get(at + 3)).unwrap();
        let outcome = if turn % 2 == 0 {
            Outcome::Expired
        } else {
            sample::dismissed()
        };
        let event = sample::closed(ask.id, *opened, sample::closing(outcome, closed_at));
        let seq = commit(store, closed_at, vec![event])
            .await
            .into_iter()
            .next();
        closed.push(Closed {
            ask: ask.clone(),
            place: Place {
                opened: *opened,
                closed: seq,
                late: None,
            },
            at: closed_at,
        });
    }
    closed
}

async fn all_pages(store: &impl Store, query: &AskQuery) -> Vec<AskRow> {
    let mut rows = Vec::new();
    let mut query = query.clone();
    loop {
        let AskPage {
            rows: page,
            next,
            as_of,
        } = store.closed(&query).await.unwrap();
        assert!(page.len() <= query.limit && as_of > Seq::ZERO);
        rows.extend(page);
        match next {
            Some(next) => query.after = Some(next),
            None => return rows,
        }
    }
}

fn closed_before(query: &mut AskQuery, at: u64) {
    query.closed_before = Some(Time::from_millis(at));
}

fn expected<'a>(closed: impl DoubleEndedIterator<Item = &'a Closed>) -> Vec<AskRow> {
    closed
        .rev()
        .map(|one| AskRow {
            ask: one.ask.id,
            place: one.place,
            delivery: Delivery::Owed,
        })
        .collect()
}

/// Lists hold exactly what was closed and fits, newest first, whatever the size of their pages.
pub async fn lists_page_without_gap_or_repeat<S: Store>(mut open: impl FnMut() -> S) {
    let closed = {
        let store = begin(&mut open).await;
        closed_asks(&store).await
    };
    let store = open();
    let head = recover(&store).await.1.seq;
    caught_up(&store, head).await;
    let of = |narrow: fn(&mut AskQuery)| {
        let mut query = AskQuery::default();
        narrow(&mut query);
        query
    };
    let cases: [(AskQuery, Fits); 9] = [
        (of(|_| {}), |_| true),
        (of(|query| query.agent = Some(AgentId(2))), |one| {
            one.ask.agent == AgentId(2)
        }),
        (of(|query| query.agent = Some(AgentId(9))), |_| false),
        (
            of(|query| query.conversation = Some(ConversationId(3))),
            |one| one.ask.conversation == Some(ConversationId(3)),
        ),
        (
            of(|query| query.matter = Some(MatterKind::Approval)),
            |one| matches!(one.ask.matter, Matter::Approval(_)),
        ),
        (of(|query| closed_before(query, 52_000)), |one| {
            one.at < 52_000
        }),
        (of(|query| closed_before(query, 50_000)), |_| false),
        (of(|query| query.search = Some("  ".to_owned())), |_| true),
        (
            AskQuery {
                agent: Some(AgentId(1)),
                conversation: Some(ConversationId(2)),
                matter: Some(MatterKind::Questions),
                ..of(|query| closed_before(query, 54_000))
            },
            |one| {
                one.ask.agent == AgentId(1)
                    && one.ask.conversation == Some(ConversationId(2))
                    && matches!(one.ask.matter, Matter::Questions(_))
                    && one.at < 54_000
            },
        ),
    ];
    for (query, fits) in cases {
        let fitting = expected(closed.iter().filter(|one| fits(one)));
        for limit in [1, 7, 59, 60, 100] {
            let query = AskQuery {
                limit,
                ..query.clone()
            };
            assert_eq!(all_pages(&store, &query).await, fitting, "{query:?}");
        }
    }
}

/// A search finds asks by words that were shown or said, together with the other conditions.
pub async fn search_finds_words<S: Store>(mut open: impl FnMut() -> S) {
    let mut closed = {
        let store = begin(&mut open).await;
        let closed = closed_asks(&store).await;
        let said = sample::ask(ASKS + 2, sample::question("Welche Lösung?"));
        let outcome = Outcome::Answered(sample::replies());
        let opened = commit(&store, 60_000, vec![Event::Asked(Arc::new(said.clone()))])
            .await
            .into_iter()
            .next()
            .unwrap();
        let event = sample::closed(said.id, opened, sample::closing(outcome, 60_000));
        let seq = commit(&store, 60_000, vec![event]).await.into_iter().next();
        let mut closed = closed;
        closed.push(Closed {
            ask: said,
            place: Place {
                opened,
                closed: seq,
                late: None,
            },
            at: 60_000,
        });
        closed
    };
    let store = open();
    let head = recover(&store).await.1.seq;
    caught_up(&store, head).await;
    // Found asks come newest asked first.
    closed.sort_by_key(|one| one.place.opened);
    let questions: Fits = |one| {
        matches!(&one.ask.matter, Matter::Questions(_)) && one.ask.id != sample::ask_id(ASKS + 2)
    };
    let said: Fits = |one| one.ask.id == sample::ask_id(ASKS + 2);
    let third: Fits = |one| one.ask.id == sample::ask_id(3);
    let none: Fits = |_| false;
    let cases: [(&str, Fits); 14] = [
        ("number", questions),
        ("NUMBER", questions),
        ("number 3", third),
        ("3 number", third),
        ("welche", said),
        ("lösung", said),
        ("LÖSUNG Note", said),
        ("lösung absent", none),
        ("lös", none),
        ("number OR note", none),
        ("numb*", none),
        ("words:number", none),
        ("\" ( )", none),
        ("???", none),
    ];
    for (text, fits) in cases {
        let fitting = expected(closed.iter().filter(|one| fits(one)));
        for limit in [1, 7, 100] {
            let query = AskQuery {
                search: Some(text.to_owned()),
                limit,
                ..AskQuery::default()
            };
            assert_eq!(all_pages(&store, &query).await, fitting, "{text}");
        }
    }
    let query = AskQuery {
        search: Some("bash".to_owned()),
        agent: Some(AgentId(2)),
        conversation: Some(ConversationId(1)),
        limit: 2,
        ..AskQuery::default()
    };
    let fits = |one: &&Closed| {
        matches!(one.ask.matter, Matter::Approval(_))
            && one.ask.agent == AgentId(2)
            && one.ask.conversation == Some(ConversationId(1))
    };
    let fitting = expected(closed.iter().filter(fits));
    assert!(!fitting.is_empty());
    assert_eq!(all_pages(&store, &query).await, fitting);
}
