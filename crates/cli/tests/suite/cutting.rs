//! An agent that is cut before, during and after each step: it always learns the outcome, hears it
//! the same each time, and never asks twice.

use std::io::Write;
use std::time::Duration;

use sayso_client::wire::{Matter, NewAsk, NewQuestion};
use sayso_client::{AgentConnection, Client, FeedMessage, FeedReader, SocketMessage, Waiting};
use serde_json::{Value, json};

use super::raw::Call;
use super::socket::Socket;
use super::stage::{PATIENCE, Stage, begin, question, waited};

/// What happens to the server while the agent is away.
#[derive(Debug, Clone, Copy)]
enum Meanwhile {
    Nothing,
    Killed,
}

impl Meanwhile {
    fn happen(self, stage: &mut Stage) {
        match self {
            Self::Nothing => {}
            Self::Killed => {
                stage.kill();
                stage.serve();
            }
        }
    }
}

fn connect(stage: &Stage) -> Socket {
    Socket::open(
        Call::get("/v1/agent").token(&stage.token("agent")),
        stage.port(),
    )
    .unwrap()
}

fn frame() -> Value {
    json!({"do": "ask", "ref": "1", "key": "the-key", "ask": question("Which?", &["A"])})
}

/// The whole way to the outcome, with the socket cut after `cut` steps, then done again from
/// there; gives every outcome that was heard, as its bytes.
fn way(stage: &mut Stage, cut: u32, meanwhile: Meanwhile) -> Vec<String> {
    let mut heard = Vec::new();
    let mut socket = connect(stage);
    let again = |stage: &mut Stage, socket: &mut Socket, step: u32| {
        if step == cut {
            meanwhile.happen(stage);
            *socket = connect(stage);
            true
        } else {
            false
        }
    };
    // Connected, and nothing said.
    again(stage, &mut socket, 0);
    socket.send(&frame());
    // Sent, and cut before it is known whether it arrived: the same key is sent again.
    if again(stage, &mut socket, 1) {
        socket.send(&frame());
    }
    let asked = socket.event("asked");
    // Acknowledged.
    again(stage, &mut socket, 2);
    let open = stage.open_asks(1);
    assert_eq!(open[0]["id"], asked["id"]);
    if cut == 3 {
        // Answered while nobody was there.
        drop(std::mem::replace(&mut socket, connect_elsewhere(stage)));
        stage.answer(&open[0], "A");
        meanwhile.happen(stage);
        socket = connect(stage);
    } else {
        stage.answer(&open[0], "A");
    }
    heard.push(socket.next_text());
    // Heard, and not confirmed.
    if again(stage, &mut socket, 4) {
        heard.push(socket.next_text());
    }
    socket.send(&json!({"do": "confirm", "id": asked["id"]}));
    // Confirmed, perhaps: whoever cannot know asks once more by the same key.
    if again(stage, &mut socket, 5) {
        socket.send(&frame());
        loop {
            let text = socket.next_text();
            let event: Value = serde_json::from_str(&text).unwrap();
            if event["event"] == "asked" {
                assert_eq!(event["id"], asked["id"]);
            } else {
                heard.push(text);
                break;
            }
        }
        socket.send(&json!({"do": "confirm", "id": asked["id"]}));
    }
    // The next ask goes the same way. What was offered again before the confirm was read may still
    // come, and is heard like the rest.
    let mut next = frame();
    next["key"] = json!("another");
    next["ask"] = question("And now?", &["A"]);
    socket.send(&next);
    let second = stage.open_asks(1);
    stage.answer(&second[0], "A");
    loop {
        let text = socket.next_text();
        let event: Value = serde_json::from_str(&text).unwrap();
        if event["event"] != "outcome" {
            continue;
        }
        if event["id"] == second[0]["id"] {
            break;
        }
        heard.push(text);
    }
    // Once confirmed, it is not offered any more.
    socket.send(&json!({"do": "confirm", "id": second[0]["id"]}));
    for id in [&asked["id"], &second[0]["id"]] {
        let begun = begin();
        while stage.look(id)["delivery"] != "confirmed" {
            assert!(waited(begun) < PATIENCE, "{id} is not confirmed");
        }
    }
    let third = stage.ask(&question("And then?", &["A"]));
    let mut again = connect(stage);
    stage.answer(&third, "A");
    for socket in [&mut socket, &mut again] {
        let next = socket.event("outcome");
        assert_eq!(next["id"], third["id"], "cut after step {cut}");
    }
    heard
}

/// A socket of nobody who matters here.
fn connect_elsewhere(stage: &Stage) -> Socket {
    let token = stage.new_token("agent", "elsewhere");
    Socket::open(Call::get("/v1/agent").token(&token), stage.port()).unwrap()
}

#[test]
fn a_cut_at_any_step_changes_nothing() {
    for cut in 0..=6 {
        let mut stage = Stage::served();
        let mut heard = way(&mut stage, cut, Meanwhile::Nothing);
        heard.dedup();
        assert_eq!(heard.len(), 1, "cut after step {cut}: {heard:#?}");
        let (_, open, closed, _) = stage.traces();
        assert_eq!(open["asks"], json!([]));
        assert_eq!(
            closed.as_array().unwrap().len(),
            3,
            "nothing was asked twice"
        );
    }
}

#[test]
fn a_cut_at_any_step_with_a_killed_server_changes_nothing() {
    for cut in 0..=5 {
        let mut stage = Stage::served();
        let mut heard = way(&mut stage, cut, Meanwhile::Killed);
        heard.dedup();
        assert_eq!(heard.len(), 1, "cut after step {cut}: {heard:#?}");
        assert!(stage.run(&["verify"]).data.starts_with("sound: "));
    }
}

#[test]
fn half_a_frame_and_half_a_call_ask_nothing() {
    let stage = Stage::served();
    let before = stage.traces();
    let text = frame().to_string();
    let call = Call::get("/v1/agent")
        .token(&stage.token("agent"))
        .upgrade();
    let (reply, mut stream) = call.begin(stage.port());
    assert_eq!(reply.status, 101);
    let mut bytes = vec![0x81, 0xfe];
    bytes.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(&text.as_bytes()[..text.len() / 2]);
    stream.write_all(&bytes).unwrap();
    drop(stream);
    // A body that stops half way, of a call that is otherwise good.
    let body = question("Which?", &["A"]).to_string();
    let mut stream = super::raw::connect(stage.port());
    let head = format!(
        "POST /v1/asks HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n",
        stage.port(),
        stage.token("agent"),
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
        .write_all(&body.as_bytes()[..body.len() / 2])
        .unwrap();
    drop(stream);
    let (head, open, closed, tokens) = stage.traces();
    // Only that the agent came was noted.
    assert!(head.as_u64().unwrap() - before.0.as_u64().unwrap() <= 1);
    assert_eq!(open["asks"], before.1["asks"]);
    assert_eq!((closed, tokens), (before.2, before.3));
}

fn new_ask(text: &str) -> NewAsk {
    NewAsk {
        questions: Some(vec![NewQuestion::of(text)]),
        ..NewAsk::of(Matter::Questions)
    }
}

async fn outcome(socket: &mut AgentConnection) -> (String, Value) {
    loop {
        let heard = tokio::time::timeout(PATIENCE, socket.next()).await.unwrap();
        match heard.unwrap() {
            SocketMessage::Outcome(event) => {
                return (
                    event.id.clone(),
                    serde_json::to_value(event.outcome).unwrap(),
                );
            }
            SocketMessage::Cut { .. } | SocketMessage::Back => {}
            other @ (SocketMessage::Turn(_)
            | SocketMessage::Control(_)
            | SocketMessage::Problem(_)
            | SocketMessage::Ended(_)) => {
                panic!("{other:?}")
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_rides_out_a_killed_server() {
    let mut stage = Stage::served();
    let port = stage.port();
    let client = Client::new(&stage.url(), stage.token("agent")).unwrap();
    let person = Client::new(&stage.url(), stage.token("person")).unwrap();
    let mut feed = FeedReader::open(&person, None).await.unwrap();
    let mut socket = AgentConnection::connect(&client).await.unwrap();
    let first = socket.ask(&new_ask("By socket?"), None).await.unwrap();
    let mut waiting = Waiting::begin(&client, &new_ask("By call?"), None)
        .await
        .unwrap();
    let second = waiting.ask().id.clone();
    let answer = |stage: &Stage, id: &str| {
        let ended = stage.run(&["answer", id, "--other", "yes"]);
        assert_eq!(ended.code, Some(0), "{}", ended.said);
    };
    let waits = tokio::spawn(async move {
        let closed = waiting.outcome(|_| {}).await.unwrap();
        waiting.confirm().await.unwrap();
        closed
    });
    stage.kill();
    // Asked while there is no server: it waits for one, and then asks once.
    let third = {
        let asking = new_ask("While away?");
        let asked = socket.ask(&asking, None);
        tokio::pin!(asked);
        let early = tokio::time::timeout(Duration::from_millis(300), &mut asked).await;
        assert!(early.is_err(), "nobody was there to take it in");
        stage.serve_at(port);
        tokio::time::timeout(PATIENCE, asked)
            .await
            .unwrap()
            .unwrap()
    };
    assert_eq!(stage.open_asks(3).len(), 3);
    for id in [&first.id, &second, &third.id] {
        answer(&stage, id);
    }
    let mut heard = [outcome(&mut socket).await, outcome(&mut socket).await];
    // Those of one token hear of every ask of it; the third is the one that was asked by call.
    heard.sort_by_key(|(id, _)| *id != first.id);
    assert_eq!(heard[0].0, first.id);
    let closed = tokio::time::timeout(PATIENCE, waits)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(closed.id, second);
    socket.confirm(&first.id).await.unwrap();
    // The feed told of each ask and each end exactly once, in spite of the kill.
    let mut events = Vec::new();
    while events.len() < 6 {
        let told = tokio::time::timeout(PATIENCE, feed.next()).await.unwrap();
        if let FeedMessage::Event(event) = told.unwrap() {
            let event = serde_json::to_value(event).unwrap();
            if let "asked" | "closed" = event["event"].as_str().unwrap() {
                events.push((event["event"].clone(), event["ask"]["id"].clone()));
            }
        }
    }
    let mut wanted = Vec::new();
    for word in ["asked", "closed"] {
        for id in [&first.id, &second, &third.id] {
            wanted.push((json!(word), json!(id)));
        }
    }
    assert_eq!(events, wanted);
}
