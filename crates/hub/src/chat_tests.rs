//! What goes on in conversations, without a hub around it.

use super::*;

const HERE: ConversationId = ConversationId(1);

fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

fn chat() -> Chat {
    Chat::new(Duration::from_millis(10))
}

fn entry(number: u8) -> QueuedEntry {
    QueuedEntry {
        message: MessageId::from_bytes([number; 16]),
        conversation: HERE,
        seq: Seq(u64::from(number)),
    }
}

#[test]
fn messages_wait_in_order_and_are_handed_over_once() {
    let mut chat = chat();
    assert!(!chat.make_ready(HERE));
    for number in [1, 2] {
        chat.queue(entry(number));
    }
    assert!(chat.make_ready(HERE) && !chat.make_ready(HERE));
    assert_eq!(chat.take_ready(), [HERE]);
    assert_eq!((chat.next(HERE), chat.queued()), (Some(entry(1)), 2));
    assert_eq!(chat.state(HERE, entry(1).message), MessageState::Queued);
    for _ in 0..2 {
        chat.handed(HERE, entry(1).message);
        assert_eq!((chat.next(HERE), chat.queued()), (Some(entry(2)), 1));
    }
    assert_eq!(chat.state_at(HERE, Seq(1)), MessageState::Sent);
    assert_eq!(chat.state_at(HERE, Seq(2)), MessageState::Queued);
    chat.handed(HERE, entry(2).message);
    assert!(chat.rooms.is_empty());
}

#[test]
fn a_turn_is_lost_only_when_nothing_is_heard_and_nobody_waits() {
    let mut chat = chat();
    assert!(chat.heard(HERE, at(0)) && !chat.heard(HERE, at(5)));
    assert_eq!(chat.lost(at(10), |_| false), None);
    // Somebody is asked: the time does not run.
    assert_eq!(chat.lost(at(15), |_| true), None);
    chat.heard_if_running(HERE, at(20));
    assert_eq!(chat.lost(at(25), |_| false), None);
    assert_eq!(chat.next_timer(), Some(at(30)));
    assert_eq!(chat.lost(at(30), |_| false), Some(HERE));
    assert_eq!(chat.lost(at(30), |_| false), None);
    chat.not_lost(HERE, at(30));
    assert_eq!(chat.lost(at(30), |_| false), Some(HERE));
    chat.ended(HERE);
    chat.heard_if_running(HERE, at(31));
    assert!(!chat.is_running(HERE));
}

#[test]
fn the_timer_of_a_turn_that_ended_leaves_nothing_behind() {
    let mut chat = chat();
    chat.heard(HERE, at(0));
    chat.ended(HERE);
    assert_eq!(chat.lost(at(50), |_| false), None);
    assert!(chat.rooms.is_empty() && chat.timers.is_empty());
}

#[test]
fn pieces_become_one_text_and_a_flood_several() {
    let mut chat = chat();
    let gathered = |from, full| Gathered {
        from,
        full,
        crowded: false,
    };
    assert_eq!(chat.gather(TokenId(1), HERE, "Hel"), gathered(0, None));
    assert_eq!(chat.gather(TokenId(1), HERE, "lo"), gathered(3, None));
    assert_eq!(chat.saying(HERE), "Hello");
    assert_eq!(chat.take_saying(HERE), "Hello");
    chat.gather(TokenId(1), HERE, "!");
    chat.put_back(HERE, "Hello");
    assert_eq!(chat.saying(HERE), "Hello!");
    let long = "x".repeat(limits::TEXT_BYTES_MAX);
    assert_eq!(
        chat.gather(TokenId(1), HERE, &long),
        gathered(0, Some("Hello!".to_owned()))
    );
    assert_eq!(chat.saying_bytes, limits::TEXT_BYTES_MAX);
    assert_eq!(chat.take_saying(HERE), long);
    assert_eq!((chat.saying_bytes, chat.rooms.len()), (0, 0));
}

#[test]
fn entries_are_remembered_until_the_projections_have_them() {
    let mut chat = chat();
    for seq in 1..=3 {
        chat.note_entry(HERE, (Seq(seq), at(seq)), EntryWhat::Said);
    }
    chat.prune(Seq(2));
    let left: Vec<Seq> = chat.recent().map(|recent| recent.row.seq).collect();
    assert_eq!(left, [Seq(3)]);
}

#[test]
fn half_said_words_of_one_token_have_their_bound_over_all_conversations() {
    let mut chat = chat();
    let text = "x".repeat(limits::TEXT_BYTES_MAX);
    let fit = limits::SAYING_PER_TOKEN_BYTES_MAX / text.len();
    let crowded: Vec<bool> = (1..=fit + 1)
        .map(|at| ConversationId(u32::try_from(at).unwrap()))
        .map(|conversation| chat.gather(TokenId(1), conversation, &text).crowded)
        .collect();
    assert_eq!(crowded.iter().filter(|crowded| **crowded).count(), 1);
    assert_eq!(crowded.last(), Some(&true));
    let elsewhere = ConversationId(9_999);
    assert!(!chat.gather(TokenId(2), elsewhere, "another token").crowded);
}
