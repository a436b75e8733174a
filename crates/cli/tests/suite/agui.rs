//! AG-UI from outside: runs of a front end, over the real server.

use std::sync::Arc;
use std::time::Duration;

use sayso_server::{ServerSettings, bind};
use sayso_testkit::{Ground, House, questions};
use serde_json::{Value, json};

use super::raw::Call;
use super::socket::{Events, Socket};
use super::stage::{Stage, question};

/// What a run is started with, beside its names.
fn run(more: &Value) -> Value {
    let mut body = json!({"threadId": "shop", "runId": "r1", "messages": [], "tools": [],
        "context": [], "state": {}, "forwardedProps": {}});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

fn start(stage: &Stage, body: &Value) -> Events {
    let call = Call::post("/agui/ag_1").json(body);
    let call = call.token(&stage.token("person"));
    Events::open(&call, stage.port()).unwrap()
}

/// A run to its end.
fn events(stage: &Stage, more: &Value) -> Vec<Value> {
    let mut stream = start(stage, &run(more));
    std::iter::from_fn(|| stream.data()).collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().map(|event| event["type"].as_str());
    kinds.map(Option::unwrap).collect()
}

/// The interrupts with which a run ended.
fn interrupts(events: &[Value]) -> Vec<Value> {
    let outcome = &events.last().unwrap()["outcome"];
    assert_eq!(outcome["type"], "interrupt", "{events:?}");
    outcome["interrupts"].as_array().unwrap().clone()
}

fn resolved(interrupt: &Value, payload: &Value) -> Value {
    json!({"interruptId": interrupt["id"], "status": "resolved", "payload": payload})
}

fn ask(stage: &Stage, text: &str) -> Value {
    let mut new = question(text, &["Redis", "SQLite"]);
    new["conversation"] = json!("shop");
    stage.ask(&new)
}

/// A server whose runs end soon when nothing else ends them.
fn brisk() -> Stage {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_DIALECTS_AGUI_WAIT_S", "1");
    stage.serve_by(command);
    stage
}

fn taker(stage: &Stage) -> Socket {
    let call = Call::get("/v1/agent?agent=coder").token(&stage.token("agent"));
    let mut socket = Socket::open(call, stage.port()).unwrap();
    socket.send(&json!({"do": "take_turns", "conversations": "any"}));
    socket.send(&json!({"do": "confirm", "ref": "there?", "id": "7"}));
    assert_eq!(socket.event("problem")["ref"], "there?");
    socket
}

#[test]
fn a_resume_answers_everything_once_however_often_it_comes() {
    let mut stage = brisk();
    let (one, two) = (ask(&stage, "Which?"), ask(&stage, "And which?"));
    let shown = interrupts(&events(&stage, &json!({})));
    assert_eq!(shown.len(), 2);
    assert_eq!(shown[0]["metadata"]["digest"], one["digest"]);
    // The server dies, and the front end still has what it was shown.
    let port = stage.port();
    stage.kill();
    let mut command = stage.command(&["serve", "--listen", &format!("127.0.0.1:{port}")]);
    command.env("SAYSO_DIALECTS_AGUI_WAIT_S", "1");
    stage.serve_by(command);
    let half = events(
        &stage,
        &json!({"resume": [resolved(&shown[0], &json!("Redis"))]}),
    );
    assert_eq!(half[1]["code"], "partial_resume", "{half:?}");
    assert_eq!(stage.look(&one["id"])["state"], "open");
    let resume = json!([
        resolved(&shown[0], &json!({"answers": {"Which?": "Redis"}})),
        resolved(&shown[1], &json!({"answers": {"And which?": "my own"}}))
    ]);
    for _ in 0..2 {
        let all = events(&stage, &json!({ "resume": resume }));
        assert_eq!(all.last().unwrap()["type"], "RUN_FINISHED", "{all:?}");
        assert!(all.iter().all(|event| event["type"] != "CUSTOM"), "{all:?}");
    }
    let closed = stage.look(&one["id"]);
    assert_eq!(
        closed["outcome"],
        json!({"kind": "answered", "at": closed["outcome"]["at"],
            "by": {"person": "ann", "device": "terminal"},
            "answer": {"replies": [{"question": 0, "labels": ["Redis"]}]}})
    );
    let other = stage.look(&two["id"]);
    assert_eq!(other["outcome"]["answer"]["replies"][0]["other"], "my own");
    // Another answer to what is closed changes nothing, and says so.
    let late = json!([
        resolved(&shown[0], &json!("SQLite")),
        resolved(&shown[1], &json!("my own"))
    ]);
    let told = events(&stage, &json!({ "resume": late }));
    assert_eq!(
        told[1],
        json!({"type": "CUSTOM", "name": "sayso.closed", "value":
            {"ask": one["id"], "outcome": "answered", "person": "ann"}})
    );
    assert_eq!(stage.look(&one["id"]), closed);
    let report = stage.by("admin", Call::get("/v1/verify")).with(200);
    assert_eq!(report["faults"], json!([]));
}

#[test]
fn a_turn_is_begun_asks_is_answered_and_ends() {
    let stage = Stage::served();
    let mut socket = taker(&stage);
    let user = json!({"id": "m1", "role": "user", "content": "go"});
    let mut stream = start(&stage, &run(&json!({"messages": [user]})));
    assert_eq!(stream.data().unwrap()["type"], "RUN_STARTED");
    let kept = stream.data().unwrap()["delta"][0].take();
    assert_eq!(kept["value"]["taken"], "m1");
    let turn = socket.event("turn");
    assert_eq!(turn["text"], "go");
    assert_eq!(turn["conversation"], "shop");
    socket.send(&json!({"do": "say", "conversation": "shop", "text": "Let me "}));
    socket.send(&json!({"do": "say", "conversation": "shop", "text": "see."}));
    let mut new = question("Which?", &["Redis"]);
    new["conversation"] = json!("shop");
    new["agent"] = json!("coder");
    socket.send(&json!({"do": "ask", "ref": "1", "ask": new}));
    let rest: Vec<Value> = std::iter::from_fn(|| stream.data()).collect();
    let said: String = rest
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert_eq!(said, "Let me see.");
    let shown = interrupts(&rest);
    let kept = rest
        .iter()
        .rfind(|event| event["type"] == "STATE_DELTA")
        .map_or(kept["value"].clone(), |event| {
            event["delta"][0]["value"].clone()
        });
    // The same words are in the history still, and are not said again.
    let mut stream = start(
        &stage,
        &run(&json!({"messages": [user], "state": {"sayso": kept},
            "resume": [resolved(&shown[0], &json!("Redis"))]})),
    );
    assert_eq!(stream.data().unwrap()["type"], "RUN_STARTED");
    let outcome = socket.event("outcome");
    assert_eq!(
        outcome["outcome"]["answer"]["replies"][0]["labels"],
        json!(["Redis"])
    );
    socket.send(&json!({"do": "say", "conversation": "shop", "text": "Done.", "done": true}));
    let rest: Vec<Value> = std::iter::from_fn(|| stream.data()).collect();
    let said: String = rest
        .iter()
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert_eq!(said, "Done.");
    assert_eq!(rest.last().unwrap()["type"], "RUN_FINISHED");
    let there = stage.by("person", Call::get("/v1/conversations/shop/entries"));
    let there = there.with(200);
    let messages = there["entries"].as_array().unwrap().iter();
    let messages = messages.filter(|entry| entry["kind"] == "message");
    assert_eq!(messages.count(), 1, "{there}");
}

#[test]
fn a_front_end_that_draws_tools_is_called_and_answers_with_a_result() {
    let stage = brisk();
    let one = ask(&stage, "Which?");
    let tools = json!([{"name": "ask_user_question", "description": "Asks",
        "parameters": {"type": "object", "properties": {"questions_json": {"type": "string"}}}}]);
    let shown = events(&stage, &json!({"tools": tools, "protocolVersion": "1.0"}));
    assert_eq!(
        types(&shown),
        [
            "RUN_STARTED",
            "STATE_DELTA",
            "TOOL_CALL_START",
            "TOOL_CALL_ARGS",
            "TOOL_CALL_END",
            "RUN_FINISHED"
        ]
    );
    let id = &shown[2]["toolCallId"];
    assert_eq!(
        shown[5]["outcome"],
        json!({"type": "success", "pendingToolCallIds": [id]})
    );
    let arguments: Value = serde_json::from_str(shown[3]["delta"].as_str().unwrap()).unwrap();
    let questions: Value =
        serde_json::from_str(arguments["questions_json"].as_str().unwrap()).unwrap();
    assert_eq!(questions[0]["question"], "Which?");
    let result = |id: &Value, content: &Value| {
        json!({"tools": tools, "messages": [
            {"id": "a1", "role": "assistant", "toolCalls": []},
            {"id": "t1", "role": "tool", "toolCallId": id, "content": content.to_string()}]})
    };
    let wrong = events(&stage, &result(&json!("call_1"), &json!("Redis")));
    assert_eq!(wrong[1]["code"], "unknown_tool_call");
    let answers = json!({"answers": {"question_0": ["SQLite"]}, "status": "completed"});
    for _ in 0..2 {
        let answered = events(&stage, &result(id, &answers));
        assert_eq!(answered.last().unwrap()["type"], "RUN_FINISHED");
    }
    let closed = stage.look(&one["id"]);
    assert_eq!(
        closed["outcome"]["answer"]["replies"][0]["labels"],
        json!(["SQLite"])
    );
}

#[test]
fn what_is_wrong_is_said_and_leaves_everything_as_it_was() {
    let stage = brisk();
    let one = ask(&stage, "Which?");
    let shown = interrupts(&events(&stage, &json!({})));
    let before = stage.traces();
    let call = |target: &str, body: &str| {
        let call = Call::post(target).header("Content-Type", "application/json");
        stage.by("person", call.bytes(body)).refusal()
    };
    let good = run(&json!({})).to_string();
    for (target, body, refusal) in [
        ("/agui/ag_1", "no JSON", "400 bad_json"),
        ("/agui/ag_1", "[]", "422 invalid"),
        ("/agui/ag_1", r#"{"runId":"r"}"#, "422 invalid /threadId"),
        ("/agui/ag_1", r#"{"threadId":"t"}"#, "422 invalid /runId"),
        ("/agui/nobody", good.as_str(), "404 not_found"),
    ] {
        assert_eq!(call(target, body), refusal, "{target} {body}");
    }
    let entry = |payload: Value| json!({"resume": [resolved(&shown[0], &payload)]});
    for (more, code) in [
        (
            entry(json!({"answers": {"Which color?": "red"}})),
            "bad_answer",
        ),
        (entry(json!({"answers": {}})), "bad_answer"),
        (
            entry(json!({"answers": {"Which?": ["Redis", "SQLite"]}})),
            "refused",
        ),
        (
            json!({"resume": [{"interruptId": "x", "status": "cancelled"}]}),
            "unknown_interrupt",
        ),
        (
            json!({"resume": [{"interruptId": format!("{}/2", one["id"].as_str().unwrap()),
                "status": "cancelled"}]}),
            "partial_resume",
        ),
        (
            json!({"resume": [{"interruptId": shown[0]["id"], "status": "resolved",
                "payload": "Redis", "metadata": {"digest": format!("sha256:{}", "0".repeat(64))}}]}),
            "refused",
        ),
    ] {
        let told = events(&stage, &more);
        assert_eq!(types(&told), ["RUN_STARTED", "RUN_ERROR"], "{told:?}");
        assert_eq!(told[1]["code"], code, "{told:?}");
    }
    assert_eq!(stage.traces(), before);
    // Whoever may not answer cannot here either.
    let call = Call::post("/agui/ag_1").json(&run(&json!({})));
    for role in ["agent", "admin"] {
        assert_eq!(stage.by(role, call.clone()).refusal(), "403 forbidden");
    }
}

#[test]
fn high_risk_is_allowed_only_by_whoever_repeats_what_was_shown() {
    let stage = brisk();
    let ask = stage.ask(
        &json!({"matter": "approval", "conversation": "shop", "action": {
        "tool": "Bash", "input": r#"{"command":"rm -rf /"}"#,
        "act": {"kind": "shell", "command": "rm -rf /"}}}),
    );
    assert_eq!(ask["action"]["risk"], "high");
    let shown = interrupts(&events(&stage, &json!({})));
    let mut entry = resolved(&shown[0], &json!({"approved": true}));
    let told = events(&stage, &json!({"resume": [entry]}));
    assert_eq!(told[1]["code"], "bad_answer");
    entry["metadata"] = json!({"digest": shown[0]["metadata"]["digest"]});
    events(&stage, &json!({"resume": [entry]}));
    let closed = stage.look(&ask["id"]);
    assert_eq!(
        closed["outcome"]["answer"],
        json!({"verdict": {"allow": true, "scope": "once"}})
    );
}

#[test]
fn one_of_two_front_ends_is_first_and_the_other_is_told() {
    let stage = Arc::new(brisk());
    let ask = ask(&stage, "Which?");
    let shown = interrupts(&events(&stage, &json!({})));
    let racing = ["Redis", "SQLite"].map(|label| {
        let (stage, shown) = (Arc::clone(&stage), shown[0].clone());
        std::thread::spawn(move || {
            let told = events(
                &stage,
                &json!({"resume": [resolved(&shown, &json!(label))]}),
            );
            let lost = told.iter().any(|event| event["name"] == "sayso.closed");
            (label, lost)
        })
    });
    let ended = racing.map(|one| one.join().unwrap());
    let winners: Vec<&str> = ended
        .iter()
        .filter(|(_, lost)| !lost)
        .map(|(label, _)| *label)
        .collect();
    let closed = stage.look(&ask["id"]);
    assert_eq!(
        closed["outcome"]["answer"]["replies"][0]["labels"],
        json!(winners)
    );
}

#[test]
fn a_page_of_a_listed_origin_asks_beforehand_and_is_let_in() {
    let mut stage = Stage::empty();
    let settings = "[allowed_origins]\n'/agui' = ['http://localhost:5173']\n";
    let file = stage.write("sayso.toml", settings);
    let words = ["serve", "--listen", "127.0.0.1:0", "--config", &file];
    let command = stage.command(&words);
    stage.serve_by(command);
    ask(&stage, "Which?");
    let port = stage.port();
    let beforehand = |origin: &str| {
        Call::new("OPTIONS", "/agui/ag_1")
            .header("Origin", origin)
            .header("Access-Control-Request-Method", "POST")
            .header(
                "Access-Control-Request-Headers",
                "authorization,content-type",
            )
            .send(port)
    };
    let listed = beforehand("http://localhost:5173");
    assert_eq!(listed.status, 204);
    for (name, value) in [
        ("access-control-allow-origin", "http://localhost:5173"),
        ("access-control-allow-methods", "GET, POST, DELETE"),
    ] {
        assert_eq!(listed.header(name), Some(value));
    }
    let headers = listed.header("access-control-allow-headers").unwrap();
    assert!(headers.contains("authorization") && headers.contains("content-type"));
    assert_eq!(beforehand("http://localhost:5174").status, 403);
    let call = Call::post("/agui/ag_1")
        .json(&run(&json!({})))
        .token(&stage.token("person"))
        .header("Origin", "http://localhost:5173");
    let (reply, _) = call.begin(port);
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.header("access-control-allow-origin"),
        Some("http://localhost:5173")
    );
}

/// On a clock that is moved by hand: a run that nothing ends lasts 55 seconds, not less.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_ends_after_its_time() {
    let house = House::new(Ground::OneHub).await;
    house.asked(questions("Which?", None)).await;
    let settings = ServerSettings::on(([127, 0, 0, 1], 0).into());
    let bound = bind(settings, house.hub.clone()).await.unwrap();
    let port = bound.local_addr().port();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve(async { drop(stopped.await) }));
    let clock = Arc::clone(&house.clock);
    let played = tokio::task::spawn_blocking(move || {
        let body = run(&json!({"threadId": "elsewhere"}));
        let call = Call::post("/agui/ag_1").json(&body).token("person-secret");
        let mut stream = Events::open(&call, port).unwrap();
        assert_eq!(stream.data().unwrap()["type"], "RUN_STARTED");
        assert_eq!(stream.data().unwrap()["type"], "STATE_DELTA");
        clock.pass(Duration::from_millis(54_999));
        // A second run begins now, and is there when the first one ends.
        let mut later = Events::open(&call, port).unwrap();
        assert_eq!(later.data().unwrap()["type"], "RUN_STARTED");
        assert_eq!(later.data().unwrap()["type"], "STATE_DELTA");
        clock.pass(Duration::from_millis(1));
        assert_eq!(stream.data().unwrap()["type"], "RUN_FINISHED");
        assert_eq!(stream.data(), None);
        clock.pass(Duration::from_secs(54));
        clock.pass(Duration::from_secs(1));
        assert_eq!(later.data().unwrap()["type"], "RUN_FINISHED");
    });
    played.await.unwrap();
    drop(stop);
    serving.await.unwrap().unwrap();
}

#[test]
fn an_input_is_edited_only_where_the_asker_can_be_told_another_one() {
    let stage = brisk();
    let call = Call::get("/api/v1/agent/ws?name=shop").token(&stage.token("agent"));
    let mut agent = Socket::open(call, stage.port()).unwrap();
    agent.send(&json!({"type": "approval_request", "id": "a1", "payload": {"tool": "shell", "input": {"command": "ls"}}}));
    let ask = stage.open_ask();
    let shown = interrupts(&events(&stage, &json!({})));
    let payload = json!({"approved": true, "editedArgs": {"command": "ls -l"}});
    let mut entry = resolved(&shown[0], &payload);
    entry["metadata"] = json!({"digest": shown[0]["metadata"]["digest"]});
    let told = events(&stage, &json!({"resume": [entry]}));
    let last = told.last().unwrap();
    assert_eq!(last["type"], "RUN_ERROR", "{told:?}");
    let why = last["message"].as_str().unwrap();
    assert!(why.contains("can't be edited"), "{why}");
    assert_eq!(stage.look(&json!(ask))["state"], "open");
}
