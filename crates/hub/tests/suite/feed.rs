//! The feed: rising, without gap or repeat, and never held up by a slow device.

use sayso_core::id::{AgentName, Seq};
use sayso_core::limits;
use sayso_hub::{FeedEnded, FeedFilter, News, Subscription};
use sayso_testkit::{House, questions};

use super::answering::answer;
use crate::GROUND;

async fn take(feed: &mut Subscription, count: usize) -> Vec<(Seq, String)> {
    let mut taken = Vec::new();
    while taken.len() < count {
        let item = feed.next().await.unwrap();
        let word = match &item.news {
            News::Asked(view) => format!("asked {}", view.ask.id),
            News::Closed(view) => format!("closed {}", view.ask.id),
            News::Delivery(_)
            | News::Agent(_)
            | News::Rule(_)
            | News::Erased(_)
            | News::Entry(_)
            | News::Saying { .. }
            | News::Turn { .. } => continue,
        };
        taken.push((item.seq.unwrap(), word));
    }
    taken
}

#[tokio::test]
async fn resuming_from_any_cursor_gives_the_rest_exactly() {
    let house = House::new(GROUND).await;
    let (mut live, reset) = house.ann().follow(FeedFilter::Everything, None);
    assert!(!reset);
    let start = live.head();
    for number in 0..5 {
        let ask = house
            .asked(questions(&format!("Number {number}?"), None))
            .await;
        if number % 2 == 0 {
            answer(&house, &ask).await;
        }
    }
    let all = take(&mut live, 8).await;
    assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0), "{all:?}");
    let house = house.reopen().await;
    let cursors: Vec<Seq> = std::iter::once(start)
        .chain(all.iter().map(|(seq, _)| *seq))
        .collect();
    for (at, cursor) in cursors.into_iter().enumerate() {
        let (mut resumed, reset) = house.ann().follow(FeedFilter::Everything, Some(cursor));
        assert!(!reset);
        assert_eq!(take(&mut resumed, 8 - at).await, all[at..]);
    }
}

#[tokio::test]
async fn a_cursor_from_nowhere_is_reset() {
    let house = House::new(GROUND).await;
    let (_, reset) = house
        .ann()
        .follow(FeedFilter::Everything, Some(Seq(1_000_000)));
    assert!(reset);
}

#[tokio::test]
async fn a_device_that_does_not_read_is_cut_and_catches_up() {
    let house = House::new(GROUND).await;
    let (mut slow, _) = house.ann().follow(FeedFilter::Everything, None);
    let start = slow.head();
    let mut expected = Vec::new();
    for number in 0..limits::FEED_BEHIND_MAX + 10 {
        let ask = house
            .asked(questions(&format!("Number {number}?"), None))
            .await;
        expected.push(format!("asked {}", ask.id));
    }
    house.settled().await;
    assert_eq!(house.people().hub.health().devices_cut, 1);
    let first = take(&mut slow, limits::FEED_BEHIND_MAX).await;
    let cursor = match slow.next().await {
        Err(FeedEnded::Behind(cursor)) => cursor,
        other => panic!("{other:?}"),
    };
    assert!(cursor > start);
    let (mut resumed, _) = house.ann().follow(FeedFilter::Everything, Some(cursor));
    let rest = take(&mut resumed, 10).await;
    let words: Vec<_> = first
        .into_iter()
        .chain(rest)
        .map(|(_, word)| word)
        .collect();
    assert_eq!(words, expected);
}

#[tokio::test]
async fn a_filter_lets_only_its_own_through() {
    let house = House::new(GROUND).await;
    let name = |name: &str| Some(AgentName::new(name).unwrap());
    house
        .agent()
        .ask(questions("First?", None), name("a"))
        .await
        .unwrap();
    let (mut feed, _) = house.ann().follow(
        FeedFilter::Agent(house.ann().agent("a").await.unwrap()),
        None,
    );
    house
        .agent()
        .ask(questions("Other?", None), name("b"))
        .await
        .unwrap();
    let second = house
        .agent()
        .ask(questions("Second?", None), name("a"))
        .await
        .unwrap()
        .view
        .ask;
    assert_eq!(
        take(&mut feed, 1).await[0].1,
        format!("asked {}", second.id)
    );
}
