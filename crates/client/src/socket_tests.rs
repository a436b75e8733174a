//! Sockets that are cut between frames: the feed and the agent's socket go on where they were.

use sayso_dialects::native::wire::{
    AgentEvent, AskChange, AskedEvent, Conversations, FeedEvent, Mark, Matter, NewAsk,
    OutcomeEvent, OutcomeKind, Ready, TurnEvent,
};

use crate::agent_socket::{AgentConnection, SocketMessage};
use crate::feed::{FeedMessage, FeedReader};
use crate::stand_in::{StandInStep, StandInTurn, ask, heard, json, start};

fn say(event: &impl serde::Serialize) -> StandInTurn {
    StandInTurn::Say(json(event))
}

fn asked(seq: u64) -> FeedEvent {
    let ask = ask(None);
    FeedEvent::Asked(Box::new(AskChange {
        seq,
        at: ask.asked_at,
        ask,
    }))
}

fn ready(seq: u64, epoch: &str) -> FeedEvent {
    FeedEvent::Ready(Ready {
        seq,
        epoch: epoch.to_owned(),
        person: "ann".to_owned(),
        device: "phone".to_owned(),
    })
}

#[tokio::test]
async fn a_feed_that_goes_on_in_another_life_of_the_state_is_reset() {
    let first = vec![say(&ready(7, "one")), say(&asked(8))];
    let second = vec![say(&ready(5, "two")), say(&asked(6))];
    let (client, _) = start(vec![
        StandInStep::Socket(first),
        StandInStep::Socket(second),
    ])
    .await;
    let mut feed = FeedReader::open(&client, None).await.unwrap();
    let mut seen = Vec::new();
    while seen.len() < 4 {
        if let FeedMessage::Event(event) = feed.next().await.unwrap() {
            seen.push(*event);
        }
    }
    let reset = FeedEvent::Reset(Mark { seq: 5 });
    assert_eq!(seen, [ready(7, "one"), asked(8), reset, asked(6)]);
    assert_eq!(feed.after(), Some(6));
}

#[tokio::test]
async fn a_feed_goes_on_behind_the_last_event() {
    let first = vec![
        say(&ready(7, "one")),
        say(&asked(8)),
        StandInTurn::Say("{\"event\":\"newer\"}".into()),
    ];
    let second = vec![say(&asked(9))];
    let (client, told) = start(vec![
        StandInStep::Socket(first),
        StandInStep::Lose,
        StandInStep::Socket(second),
    ])
    .await;
    let mut feed = FeedReader::open(&client, None).await.unwrap();
    let mut seen = Vec::new();
    let mut cuts = 0;
    while seen.len() < 3 {
        match feed.next().await.unwrap() {
            FeedMessage::Event(event) => seen.push(*event),
            FeedMessage::Cut { .. } => cuts += 1,
        }
    }
    assert_eq!(seen, [ready(7, "one"), asked(8), asked(9)]);
    assert_eq!(cuts, 2);
    assert_eq!(feed.after(), Some(9));
    assert_eq!(
        heard(&told),
        [
            "GET /v1/feed",
            "GET /v1/feed?after=8",
            "GET /v1/feed?after=8"
        ]
    );
}

#[tokio::test]
async fn an_agent_asks_once_whatever_happens_to_its_socket() {
    let id = ask(None).id;
    let taken = AgentEvent::Asked(AskedEvent {
        reference: Some("0".into()),
        id: id.clone(),
        digest: "d".into(),
    });
    let outcome = ask(Some(OutcomeKind::Expired)).outcome.unwrap();
    let ended = AgentEvent::Outcome(Box::new(OutcomeEvent {
        id: id.clone(),
        wire_id: None,
        outcome,
        late: None,
    }));
    let first = vec![StandInTurn::Hear];
    let second = vec![
        StandInTurn::Hear,
        say(&taken),
        say(&ended),
        StandInTurn::Hear,
    ];
    // The confirm was lost, so the outcome is offered again; the program hears of it only once.
    let third = vec![say(&ended), StandInTurn::Hear];
    let (client, told) = start(vec![
        StandInStep::Socket(first),
        StandInStep::Socket(second),
        StandInStep::Socket(third),
    ])
    .await;
    let mut socket = AgentConnection::connect(&client).await.unwrap();
    let reply = socket
        .ask(&NewAsk::of(Matter::Questions), Some("k"))
        .await
        .unwrap();
    assert_eq!(reply.id, id);
    let mut outcomes = 0;
    let mut cuts = 0;
    while cuts < 3 {
        match socket.next().await.unwrap() {
            SocketMessage::Outcome(event) => {
                outcomes += 1;
                socket.confirm(&event.id).await.unwrap();
            }
            SocketMessage::Cut { .. } => cuts += 1,
            SocketMessage::Back => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(outcomes, 1);
    let asking = "{\"do\":\"ask\",\"ref\":\"0\",\"key\":\"k\",\"ask\":{\"matter\":\"questions\"}}";
    let confirming = format!("{{\"do\":\"confirm\",\"id\":\"{id}\"}}");
    let socket = "GET /v1/agent";
    assert_eq!(
        heard(&told),
        [
            socket,
            asking,
            socket,
            asking,
            &confirming,
            socket,
            &confirming
        ]
    );
}

#[tokio::test]
async fn turns_are_offered_again_after_a_cut_and_what_was_said_is_not() {
    let turn = TurnEvent {
        conversation: "c".into(),
        text: "go on".into(),
        message: "m".into(),
    };
    let first = vec![StandInTurn::Hear, StandInTurn::Hear, StandInTurn::Hear];
    let second = vec![StandInTurn::Hear, say(&AgentEvent::Turn(turn.clone()))];
    let (client, told) = start(vec![
        StandInStep::Socket(first),
        StandInStep::Socket(second),
    ])
    .await;
    let mut socket = AgentConnection::connect_as(&client, Some("a b"))
        .await
        .unwrap();
    socket.take_turns(Conversations::Any).await.unwrap();
    socket.note("c", "Bash", "ls", Some("done")).await.unwrap();
    socket.say("c", "hi", true).await.unwrap();
    loop {
        match socket.next().await.unwrap() {
            SocketMessage::Turn(heard) => {
                assert_eq!(*heard, turn);
                break;
            }
            SocketMessage::Cut { .. } | SocketMessage::Back => {}
            other => panic!("{other:?}"),
        }
    }
    let route = "GET /v1/agent?agent=a%20b";
    let turns = r#"{"do":"take_turns","conversations":"any"}"#;
    assert_eq!(
        heard(&told),
        [
            route,
            turns,
            r#"{"do":"note","conversation":"c","tool":"Bash","text":"ls","status":"done"}"#,
            r#"{"do":"say","conversation":"c","text":"hi","done":true}"#,
            route,
            turns,
        ]
    );
}
