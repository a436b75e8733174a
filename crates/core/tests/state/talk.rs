//! Messages wait in order and are handed over one at a time; turns run and end.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::entry::{Message, MessageState, NoteStatus, Turn, TurnEnd};
use sayso_core::id::{
    AgentId, ConversationId, ConversationName, Epoch, PersonName, Seq, TokenName,
};
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_core::state::op::{Addressee, NewMessage, Remove, ToolNote, TurnOver};
use sayso_core::state::{Op, OpReply, QueuedEntry, Refusal};

use super::scene::{Scene, answer, half_said, question, random, replies, root, within};

fn message(to: Addressee) -> Op {
    Op::Message(Box::new(NewMessage {
        to,
        person: PersonName::new("ann").unwrap(),
        device: TokenName::new("phone").unwrap(),
        text: "go on".to_owned(),
        random: random(1),
    }))
}

/// Says something into a conversation; where it stands.
fn say(scene: &mut Scene, conversation: &Arc<Conversation>) -> QueuedEntry {
    scene.wall += 1;
    let to = Addressee::Conversation(Arc::clone(conversation));
    let (events, _) = scene.act(message(to));
    let [Event::Messaged(message)] = &events[..] else {
        panic!("{events:?}");
    };
    QueuedEntry {
        message: message.id,
        conversation: conversation.id,
        seq: scene.state.head,
    }
}

fn over(conversation: &Arc<Conversation>, end: TurnEnd) -> TurnOver {
    TurnOver {
        conversation: Arc::clone(conversation),
        end,
        said: None,
        heard: false,
    }
}

fn end(scene: &mut Scene, over: TurnOver) -> Vec<Event> {
    scene.act(Op::EndTurn(Box::new(over))).0
}

#[test]
fn a_message_may_begin_a_conversation() {
    let mut scene = Scene::new();
    scene.conversation("main");
    let name = ConversationName::new("new").unwrap();
    let to = |agent| Addressee::New {
        agent,
        name: name.clone(),
    };
    let (events, reply) = scene.act(message(to(AgentId(1))));
    let [Event::ConversationBegan(began), Event::Messaged(said)] = &events[..] else {
        panic!("{events:?}");
    };
    let expected = Message {
        id: said.id,
        conversation: ConversationId(2),
        person: PersonName::new("ann").unwrap(),
        device: TokenName::new("phone").unwrap(),
        text: "go on".to_owned(),
    };
    assert_eq!((began.id, &**said), (ConversationId(2), &expected));
    let OpReply::Messaged {
        conversation,
        message: told,
    } = reply
    else {
        panic!("{reply:?}");
    };
    assert_eq!((&*conversation, &told), (began, said));
    assert_eq!(scene.changes[1].conversation, Some(began.id));
    assert_eq!(scene.refused(message(to(AgentId(2)))), Refusal::NotFound);
}

#[test]
fn a_message_without_a_link_waits_again_before_those_said_after_it() {
    let mut scene = Scene::new();
    let conversation = scene.conversation("main");
    let id = conversation.id;
    let (first, second) = (
        say(&mut scene, &conversation),
        say(&mut scene, &conversation),
    );
    scene.act(Op::Hand(id));
    let returned = Event::Returned {
        message: first.message,
        conversation: id,
        opened: first.seq,
    };
    assert_eq!(scene.act(Op::Return(first)).0, [returned]);
    assert_eq!(scene.state.turn(id), Turn::Idle, "nobody has it");
    assert_eq!(scene.state.talk.next(id), Some(first));
    assert_eq!(scene.state.talk.queued(), 2);
    assert_eq!(
        scene.state.talk.state_at(id, second.seq),
        MessageState::Queued
    );
    assert!(scene.act(Op::Return(first)).0.is_empty(), "it waits");
    // All were handed over, because the turn of each ended at another link.
    let third = say(&mut scene, &conversation);
    let hand = |scene: &mut Scene| {
        let next = scene.state.talk.next(id);
        scene.act(Op::Hand(id));
        end(scene, over(&conversation, TurnEnd::Done));
        next
    };
    for message in [first, second, third] {
        assert_eq!(hand(&mut scene), Some(message));
    }
    for message in [second, third, first] {
        scene.act(Op::Return(message));
    }
    for message in [first, second, third] {
        assert_eq!(hand(&mut scene), Some(message));
    }
}

#[test]
fn messages_are_handed_over_in_order_and_one_at_a_time() {
    let mut scene = Scene::new();
    let conversation = scene.conversation("main");
    let id = conversation.id;
    let (first, second) = (
        say(&mut scene, &conversation),
        say(&mut scene, &conversation),
    );
    assert_eq!(scene.state.talk.queued_in(id), 2);
    assert_eq!(scene.state.talk.queued(), 2);
    assert_eq!(scene.state.talk.next(id), Some(first));
    assert_eq!(scene.state.talk.find(second.message), Some(second));
    assert_eq!(scene.state.talk.waiting().collect::<Vec<_>>(), [id]);
    assert_eq!(scene.state.talk.running().count(), 0);
    assert_eq!(scene.state.turn(id), Turn::Idle);
    let (events, _) = scene.act(Op::Hand(id));
    let handed = Event::Handed {
        message: first.message,
        conversation: id,
        opened: first.seq,
    };
    assert_eq!(events, [handed]);
    assert_eq!(scene.state.turn(id), Turn::Running);
    assert_eq!(scene.state.talk.running().collect::<Vec<_>>(), [id]);
    assert_eq!(
        scene.state.talk.state(id, first.message),
        MessageState::Sent
    );
    assert_eq!(
        scene.state.talk.state(id, second.message),
        MessageState::Queued
    );
    assert_eq!(scene.state.talk.state_at(id, first.seq), MessageState::Sent);
    assert_eq!(
        scene.state.talk.state_at(id, second.seq),
        MessageState::Queued
    );
    assert!(scene.act(Op::Hand(id)).0.is_empty(), "its turn runs");
    let done = end(&mut scene, over(&conversation, TurnEnd::Done));
    let ended = Event::TurnEnded {
        conversation: id,
        end: TurnEnd::Done,
    };
    assert_eq!(done, [ended]);
    let ask = scene.ask(within(question(), "main"));
    assert_eq!(scene.state.turn(id), Turn::Waiting);
    assert!(
        scene.act(Op::Hand(id)).0.is_empty(),
        "it waits for an answer"
    );
    scene.close(answer(&ask, replies()));
    assert_eq!(scene.act(Op::Hand(id)).0.len(), 1);
    assert_eq!(
        (scene.state.talk.queued(), scene.state.talk.next(id)),
        (0, None)
    );
    assert_eq!(scene.state.talk.waiting().count(), 0);
    assert!(scene.act(Op::Hand(id)).0.is_empty(), "nothing waits");
}

#[test]
fn a_message_is_removed_unless_it_is_gone() {
    let mut scene = Scene::new();
    let conversation = scene.conversation("main");
    let (first, second) = (
        say(&mut scene, &conversation),
        say(&mut scene, &conversation),
    );
    let remove = |entry| Op::Remove(Box::new(Remove { entry, by: root() }));
    let (events, _) = scene.act(remove(second));
    let removed = Event::Removed {
        message: second.message,
        conversation: conversation.id,
        opened: second.seq,
        by: root(),
    };
    assert_eq!(events, [removed]);
    assert_eq!(scene.state.talk.next(conversation.id), Some(first));
    assert_eq!(scene.state.talk.queued(), 1);
    assert_eq!(scene.refused(remove(second)), Refusal::NotWaiting);
    scene.act(Op::Hand(conversation.id));
    assert_eq!(scene.refused(remove(first)), Refusal::NotWaiting);
}

#[test]
fn queues_have_limits() {
    let mut scene = Scene::new();
    scene.bounds.conversations_per_token = 10_000;
    let conversation = scene.conversation("main");
    for _ in 0..limits::QUEUED_PER_CONVERSATION_MAX {
        say(&mut scene, &conversation);
    }
    let more = message(Addressee::Conversation(Arc::clone(&conversation)));
    let waiting = limits::QUEUED_PER_CONVERSATION_MAX;
    assert_eq!(scene.refused(more), Refusal::QueueFull { waiting });
    let rooms = limits::QUEUED_MAX / limits::QUEUED_PER_CONVERSATION_MAX;
    let mut last = conversation;
    for room in 1..rooms {
        last = scene.conversation(&format!("room {room}"));
        for _ in 0..limits::QUEUED_PER_CONVERSATION_MAX {
            say(&mut scene, &last);
        }
    }
    assert_eq!(scene.state.talk.queued(), limits::QUEUED_MAX);
    let empty = scene.conversation("empty");
    let to = Addressee::Conversation(Arc::clone(&empty));
    assert_eq!(scene.refused(message(to)), Refusal::QueuesFull);
    scene.act(Op::Hand(last.id));
    say(&mut scene, &empty);
}

#[test]
fn what_was_said_is_complete_before_what_follows() {
    let mut scene = Scene::new();
    let conversation = scene.conversation("main");
    let note = |said| {
        Op::Note(Box::new(ToolNote {
            conversation: Arc::clone(&conversation),
            tool: "Bash".to_owned(),
            text: "runs".to_owned(),
            status: Some(NoteStatus::Running),
            random: random(2),
            said,
        }))
    };
    let (events, _) = scene.act(note(Some(half_said("First"))));
    let [Event::Said(said), Event::Noted(noted)] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(
        (said.text.as_str(), said.conversation),
        ("First", conversation.id)
    );
    assert_eq!((noted.tool.as_str(), noted.text.as_str()), ("Bash", "runs"));
    assert_eq!(noted.status, Some(NoteStatus::Running));
    assert_eq!(noted.conversation, conversation.id);
    assert_ne!(noted.id, said.id);
    let here = Some(conversation.id);
    assert_eq!(
        (scene.changes[0].conversation, scene.changes[1].conversation),
        (here, here)
    );
    assert!(scene.state.talk.is_running(conversation.id));
    let (events, _) = scene.act(note(Some(half_said(""))));
    assert!(matches!(&events[..], [Event::Noted(_)]), "nothing was said");
    let half = half_said("Then");
    let (events, _) = scene.act(Op::Say {
        conversation: Arc::clone(&conversation),
        said: half,
    });
    assert!(matches!(&events[..], [Event::Said(said)] if said.text == "Then"));
}

#[test]
fn a_turn_ends_where_one_runs() {
    let mut scene = Scene::new();
    let conversation = scene.conversation("main");
    let of = |end| over(&conversation, end);
    assert!(end(&mut scene, of(TurnEnd::Done)).is_empty(), "none runs");
    let heard = TurnOver {
        heard: true,
        ..of(TurnEnd::Failed)
    };
    assert_eq!(end(&mut scene, heard).len(), 1, "it was heard");
    let said = TurnOver {
        said: Some(half_said("Bye")),
        ..of(TurnEnd::Done)
    };
    let events = end(&mut scene, said);
    assert!(
        matches!(&events[..], [Event::Said(_), Event::TurnEnded { .. }]),
        "{events:?}"
    );
    assert_eq!(scene.changes[1].conversation, Some(conversation.id));
    assert_eq!(scene.state.turn(conversation.id), Turn::Idle);
    // Silence is no end while an answer is awaited; any other end is one.
    scene.ask(within(question(), "main"));
    let lost = TurnOver {
        heard: true,
        ..of(TurnEnd::Lost)
    };
    assert!(end(&mut scene, lost.clone()).is_empty());
    let stopped = TurnOver {
        heard: true,
        ..of(TurnEnd::Stopped)
    };
    assert_eq!(end(&mut scene, stopped).len(), 1);
    let mut quiet = Scene::new();
    let conversation = quiet.conversation("main");
    let lost = TurnOver {
        conversation,
        ..lost
    };
    assert_eq!(end(&mut quiet, lost).len(), 1, "nobody waits there");
}

#[test]
fn what_waits_and_what_runs_is_not_cleared() {
    let mut scene = Scene::new();
    let conversation = scene.conversation("main");
    let id = conversation.id;
    let first = say(&mut scene, &conversation);
    scene.act(Op::Hand(id));
    let second = say(&mut scene, &conversation);
    let places = vec![first.seq, second.seq];
    let clear = |places: &Vec<Seq>| Op::Clear {
        conversation: id,
        places: places.clone(),
    };
    assert!(scene.act(clear(&places)).0.is_empty(), "a turn runs");
    end(&mut scene, over(&conversation, TurnEnd::Done));
    let cleared = Event::Cleared {
        conversation: id,
        places: vec![first.seq],
    };
    assert_eq!(scene.act(clear(&places)).0, [cleared]);
    assert!(scene.act(clear(&vec![second.seq])).0.is_empty(), "it waits");
}

#[test]
fn another_life_knows_nothing_of_queues_and_turns() {
    let mut scene = Scene::new();
    let conversation = scene.conversation("main");
    say(&mut scene, &conversation);
    let waits = say(&mut scene, &conversation);
    scene.act(Op::Hand(conversation.id));
    scene.act(Op::Begin {
        epoch: Epoch(uuid::Uuid::from_u128(1)),
        again: true,
    });
    assert_eq!(scene.state.talk.queued(), 0);
    assert_eq!(scene.state.talk.find(waits.message), None);
    assert_eq!(scene.state.turn(conversation.id), Turn::Idle);
}
