//! A conversation across deaths: what was acknowledged is there, and no turn is taken twice.

use std::collections::BTreeSet;
use std::time::Duration;

use sayso_client::wire::{Conversations, Entries, EntryKind, MessageState, ProblemCode, Turn};
use sayso_client::{AgentConnection, EntryRange, MessageTarget, SocketMessage};

use super::cast::{Cast, again, refusal};

const AGENT: &str = "talker";
const MESSAGES: [&str; 3] = ["one", "two", "three"];
/// How often the conversation is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// What was said, and what the agent was given.
#[derive(Debug)]
pub(crate) struct Talk {
    conversation: String,
    /// The messages that were acknowledged: id and text.
    acknowledged: Vec<(String, &'static str)>,
    /// The messages with which turns began.
    turns: BTreeSet<String>,
    /// The message that was removed before anybody took turns, and where it stood.
    removed: (String, String),
}

/// Tells it; returns once nothing waits and no turn runs.
pub(crate) async fn tell(cast: &Cast) -> Talk {
    let mut socket = again(async || AgentConnection::connect_as(&cast.agent, Some(AGENT)).await)
        .await
        .unwrap();
    let removed = remove(cast).await;
    socket.take_turns(Conversations::Any).await.unwrap();
    let mut turns = BTreeSet::new();
    let talk = async {
        let mut acknowledged = Vec::new();
        let mut to = MessageTarget::New {
            agent: Some(AGENT.to_owned()),
        };
        for text in MESSAGES {
            // A try whose reply was lost may have left a message behind: then it is a duplicate.
            let sent = again(async || cast.ann.say(&to, text).await).await.unwrap();
            acknowledged.push((sent.message, text));
            to = MessageTarget::Conversation {
                conversation: sent.conversation.id,
                agent: None,
            };
        }
        let MessageTarget::Conversation { conversation, .. } = to else {
            unreachable!("there are messages")
        };
        loop {
            let there = read(cast, &conversation).await;
            let waits = there
                .entries
                .iter()
                .any(|entry| entry.state == Some(MessageState::Queued));
            if !waits && there.turn == Turn::Idle {
                return (conversation, acknowledged);
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    let (conversation, acknowledged) = tokio::select! {
        told = talk => told,
        () = working(&mut socket, &mut turns) => unreachable!("an agent works for ever"),
    };
    Talk {
        conversation,
        acknowledged,
        turns,
        removed,
    }
}

/// Says something and removes it while nobody takes turns.
async fn remove(cast: &Cast) -> (String, String) {
    let to = MessageTarget::New {
        agent: Some(AGENT.to_owned()),
    };
    let sent = again(async || cast.ann.say(&to, "not this").await)
        .await
        .unwrap();
    match again(async || cast.ann.remove_message(&sent.message).await).await {
        Ok(()) => {}
        // An earlier try did it, and its reply was lost.
        Err(error) => assert_eq!(refusal(error).code, ProblemCode::NotFound),
    }
    (sent.message, sent.conversation.id)
}

/// The agent: it notes something, says something, and is done.
async fn working(socket: &mut AgentConnection, turns: &mut BTreeSet<String>) {
    let mut last = None;
    loop {
        match socket.next().await {
            Some(SocketMessage::Turn(turn)) => {
                assert!(turns.insert(turn.message), "a turn was given twice");
                let here = &turn.conversation;
                let note = socket.note(here, "Bash", &turn.text, Some("done")).await;
                note.unwrap();
                socket.say(here, "you said ", false).await.unwrap();
                socket.say(here, &turn.text, true).await.unwrap();
                last = Some((turn.conversation, turn.text));
            }
            // Something of it could not be written: said once more, the turn ends all the same.
            Some(SocketMessage::Problem(problem)) if problem.code == ProblemCode::TryLater => {
                let (here, text) = last.as_ref().unwrap();
                socket.say(here, text, true).await.unwrap();
            }
            Some(SocketMessage::Cut { .. } | SocketMessage::Back) => {}
            other => panic!("the talker's socket tells {other:?}"),
        }
    }
}

async fn read(cast: &Cast, conversation: &str) -> Entries {
    let read = again(async || {
        cast.ann
            .entries(conversation, EntryRange::After(0), Some(200))
            .await
    });
    read.await.unwrap()
}

impl Talk {
    /// Holds what is there against what was said, over so many deaths.
    pub(crate) async fn audit(&self, cast: &Cast, deaths: usize) {
        let there = read(cast, &self.conversation).await;
        assert!(there.entries.is_sorted_by(|one, other| one.seq < other.seq));
        let messages: Vec<_> = there
            .entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Message)
            .collect();
        let (removed, stood) = &self.removed;
        assert!(!self.turns.contains(removed), "a removed message was given");
        let left = read(cast, stood).await.entries;
        assert!(left.iter().all(|entry| entry.id.as_ref() != Some(removed)));
        for (id, text) in &self.acknowledged {
            let found: Vec<_> = messages
                .iter()
                .filter(|entry| entry.id.as_ref() == Some(id))
                .map(|entry| (entry.text.as_deref(), entry.state))
                .collect();
            let [(found, state)] = found[..] else {
                panic!("{id} is there {} times", found.len());
            };
            assert_eq!(found, Some(*text));
            // One whose turn was lost with its link may wait again once that link is found to be gone.
            let waits = state == Some(MessageState::Queued) && !self.turns.contains(id);
            assert!(
                waits || state == Some(MessageState::Sent),
                "{id}: {state:?}"
            );
        }
        let said: BTreeSet<String> = messages
            .iter()
            .filter_map(|entry| entry.id.clone())
            .collect();
        // A first message whose reply was lost is in a conversation of its own: one a death at most.
        let elsewhere = self.turns.difference(&said).count();
        assert!(elsewhere <= deaths, "{:?} and {said:?}", self.turns);
        // No piece of what the agent said stands there without the rest.
        for entry in &there.entries {
            if entry.kind == EntryKind::Said {
                let text = entry.text.as_deref().unwrap();
                let whole = MESSAGES
                    .iter()
                    .any(|said| text == format!("you said {said}"));
                assert!(
                    whole || text == "you said " || MESSAGES.contains(&text),
                    "{text}"
                );
            }
        }
    }
}
