//! Two servers on one PostgreSQL: what one gives out or keeps, the other knows; and one that is cut off
//! from the database says nothing.

use std::time::Duration;

use sayso_dialects::Way;
use sayso_testkit::PgProxy;
use sayso_testkit::pg::PgCluster;
use sayso_testkit::push_service::PushService;
use serde_json::{Value, json};

use super::dialect_doors::{doors, uploading};
use super::hooking::{bash, http_hook_as, reply};
use super::raw::{Call, Reply};
use super::socket::{Frame, Socket};
use super::stage::{PATIENCE, Stage, begin, question, text_of, wait_until, waited};

const REDEEM: &str = "/api/v1/providers/pair/redeem";
/// How long a socket may stay open that can be told nothing.
const CUT_OFF_MAX: Duration = Duration::from_secs(15);

/// A server called `name` on this database, with the key of another where there is one.
fn node(url: &str, name: &str, key_of: Option<&Stage>) -> Stage {
    let mut stage = Stage::empty();
    serve(&mut stage, url, name, key_of, "http://127.0.0.1:9");
    stage
}

/// The same, and it may push to a service at this origin.
fn serve(stage: &mut Stage, url: &str, name: &str, key_of: Option<&Stage>, push: &str) {
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0", "--node", name]);
    command.args(["--store", url]);
    if let Some(other) = key_of {
        command.args(["--key-file", &text_of(&other.state().join("key"))]);
    }
    command.env("SAYSO_PUSH_PRIVATE_ORIGINS", push);
    command.stderr(std::process::Stdio::null());
    stage.serve_by(command);
}

fn two_nodes(cluster: &PgCluster) -> (Stage, Stage) {
    let a = node(&cluster.url(), "a", None);
    let b = node(&cluster.url(), "b", Some(&a));
    (a, b)
}

fn pairing_code(stage: &Stage) -> String {
    let made = stage.by(
        "admin",
        Call::post("/v1/pairings").json(&json!({"dialect": "whimmy"})),
    );
    made.with(201)["code"].as_str().unwrap().to_owned()
}

fn redeem(stage: &Stage, code: &str) -> u16 {
    stage
        .call(&Call::post(REDEEM).json(&json!({"code": code})))
        .status
}

fn login_code(stage: &Stage) -> String {
    let made = stage.by("admin", Call::post("/v1/logins")).with(201);
    made["code"].as_str().unwrap().to_owned()
}

fn log_in(stage: &Stage, code: &str) -> u16 {
    let call = Call::post("/v1/logins/redeem").json(&json!({"code": code}));
    stage.call(&call).status
}

fn ticket(stage: &Stage, token: &str) -> String {
    let call = Call::post("/v1/tickets")
        .json(&json!({"for": "feed"}))
        .token(token);
    stage.call(&call).with(201)["ticket"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn follow(stage: &Stage, ticket: &str) -> Result<Socket, u16> {
    let call = Call::get(format!("/v1/feed?ticket={ticket}"));
    Socket::open(call, stage.port()).map_err(|refused| refused.status)
}

#[test]
fn a_code_made_at_one_node_is_good_once_at_any() {
    let cluster = PgCluster::start(&[]);
    let (a, b) = two_nodes(&cluster);
    let code = pairing_code(&a);
    assert_eq!(redeem(&b, &code), 200);
    assert_eq!(redeem(&a, &code), 403);
    let code = login_code(&b);
    assert_eq!(log_in(&a, &code), 201);
    assert_eq!(log_in(&b, &code), 401);
    let person = a.token("person");
    let one = ticket(&a, &person);
    let mut socket = follow(&b, &one).unwrap();
    assert!(matches!(socket.next(), Frame::Text(_)));
    assert_eq!(follow(&a, &one).unwrap_err(), 401);

    // What a token vouched for is not good any more once it was revoked, wherever that was.
    let name = json!({"role": "person", "name": "phone", "person": "ann"});
    let made = a
        .by("admin", Call::post("/v1/tokens").json(&name))
        .with(201);
    let phone = made["token"].as_str().unwrap();
    let one = ticket(&b, phone);
    let gone = a.by("admin", Call::new("DELETE", "/v1/tokens/phone"));
    assert_eq!(gone.status, 204, "{}", gone.text());
    assert_eq!(follow(&b, &one).unwrap_err(), 401);

    // The database knows neither the codes nor whom they let in.
    let kept = cluster.psql("sayso", "SELECT count(*) FROM sayso.pass");
    pairing_code(&a);
    let more = cluster.psql("sayso", "SELECT count(*) FROM sayso.pass");
    assert_eq!(
        more.parse::<u32>().unwrap(),
        kept.parse::<u32>().unwrap() + 1
    );
}

#[test]
fn wrong_pairing_codes_at_all_nodes_count_together() {
    let cluster = PgCluster::start(&[]);
    let (a, b) = two_nodes(&cluster);
    let code = pairing_code(&a);
    // Each address may send ten wrong ones a minute, at each node.
    for (stage, wrong) in [(&a, 7), (&b, 8)] {
        for _ in 0..wrong {
            assert_eq!(redeem(stage, "nonsense"), 403);
        }
    }
    let counted = cluster.psql("sayso", "SELECT wrong FROM sayso.pass WHERE kind = 3");
    assert_eq!(counted, "15");
    cluster.psql("sayso", "UPDATE sayso.pass SET wrong = 119 WHERE kind = 3");
    assert_eq!(redeem(&b, "nonsense"), 403);
    assert_eq!(redeem(&a, &code), 403, "one wrong code too many voids it");
}

fn nodes(stage: &Stage) -> Vec<Value> {
    let listed = stage.by("admin", Call::get("/v1/nodes")).with(200);
    listed["nodes"].as_array().unwrap().clone()
}

fn states(stage: &Stage) -> Vec<String> {
    let line = |node: &Value| format!("{} {}", node["node"], node["state"]).replace('"', "");
    nodes(stage).iter().map(line).collect()
}

fn ready(stage: &Stage) -> (u16, Value) {
    let reply = stage.call(&Call::get("/readyz"));
    (reply.status, reply.json())
}

#[test]
fn nodes_are_listed_and_one_that_dies_is_gone() {
    let cluster = PgCluster::start(&[]);
    let (a, mut b) = two_nodes(&cluster);
    wait_until("both nodes say where they listen", || {
        nodes(&a).iter().all(|node| node["url"].is_string())
    });
    let [one, other] = &nodes(&b)[..] else {
        panic!("two nodes are listed");
    };
    assert_eq!((&one["node"], &one["url"]), (&json!("a"), &json!(a.url())));
    assert_eq!(
        (&other["node"], &other["state"]),
        (&json!("b"), &json!("fresh"))
    );
    assert_eq!(one["version"], env!("CARGO_PKG_VERSION"));
    assert!(one["applied"].is_u64() && one["seen_at"].is_string());
    for role in ["agent", "person"] {
        let refused = a.by(role, Call::get("/v1/nodes"));
        assert_eq!(refused.refusal(), "403 forbidden", "{role}");
    }
    assert_eq!(ready(&a), (200, json!({"ready": true})));
    let metrics = a.by("admin", Call::get("/metrics")).text();
    for line in [
        "sayso_node_info{node=\"a\"} 1",
        "sayso_node_fresh 1",
        "sayso_node_lag ",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    b.kill();
    wait_until("the dead node counts as gone", || {
        states(&a) == ["a fresh", "b gone"]
    });
}

#[test]
fn a_server_alone_lists_itself_and_is_ready() {
    let stage = Stage::served();
    let [own] = &nodes(&stage)[..] else {
        panic!("one node is listed");
    };
    assert_eq!(
        (&own["state"], &own["url"]),
        (&json!("fresh"), &json!(stage.url()))
    );
    assert!(!own["node"].as_str().unwrap().is_empty());
    assert_eq!(ready(&stage), (200, json!({"ready": true})));
}

/// A frame once there is one that is none of the usual ones.
fn closed(socket: &mut Socket) -> Frame {
    let begun = begin();
    loop {
        match socket.next() {
            Frame::Text(_) => assert!(waited(begun) < PATIENCE, "it stays open"),
            ended @ (Frame::Closed(..) | Frame::Ended) => return ended,
        }
    }
}

#[test]
fn the_newest_connection_has_the_seat_at_whatever_node() {
    let cluster = PgCluster::start(&[]);
    let (a, b) = two_nodes(&cluster);
    let token = a.new_token("agent", "plugin");
    let open = |stage: &Stage| {
        let call = Call::get(format!("/api/v1/providers/ws?token={token}"));
        Socket::open(call, stage.port()).unwrap()
    };
    let mut older = open(&a);
    let mut newer = open(&b);
    assert_eq!(
        closed(&mut older),
        Frame::Closed(1000, "replaced".to_owned())
    );
    let _newest = open(&a);
    assert_eq!(
        closed(&mut newer),
        Frame::Closed(1000, "replaced".to_owned())
    );
}

#[test]
fn a_file_sent_to_one_node_is_saved_from_another() {
    let cluster = PgCluster::start(&[]);
    let (a, b) = two_nodes(&cluster);
    let upload = doors()
        .into_iter()
        .find(|one| matches!(one.door.way, Way::Upload(_)));
    let bytes: Vec<u8> = (0..=255).cycle().take(700_000).collect();
    let call = Call::post(upload.unwrap().target());
    let made = a
        .by("agent", uploading(call, "a.bin", "image/png", &bytes))
        .with(200);
    let target = format!("/v1/files/{}", made["id"].as_str().unwrap());
    let fetched = |stage: &Stage| -> Reply { stage.by("person", Call::get(&target)) };
    for stage in [&b, &a] {
        let reply = fetched(stage);
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("image/png"))
        );
        assert!(reply.body == bytes, "{} bytes came back", reply.body.len());
    }
    let left = std::fs::read_dir(a.state().join("files")).unwrap().count();
    assert_eq!(left, 0, "the node keeps nothing of it");
    let none = b.by("person", Call::get(format!("/v1/files/{}", "0".repeat(32))));
    assert_eq!(none.refusal(), "404 not_found");
}

#[test]
fn one_node_pushes_and_another_goes_on_when_it_dies() {
    let cluster = PgCluster::start(&[]);
    let service = PushService::start();
    let mut a = Stage::empty();
    serve(&mut a, &cluster.url(), "a", None, service.origin());
    let mut b = Stage::empty();
    serve(&mut b, &cluster.url(), "b", Some(&a), service.origin());
    let phone = b.new_token("person", "phone");
    let push = |stage: &Stage| stage.call(&Call::get("/v1/push").token(&phone)).with(200);
    assert_eq!(
        push(&a)["key"],
        push(&b)["key"],
        "browsers know them by one key"
    );
    let device = service.subscribe();
    let keys = json!({"p256dh": device.p256dh, "auth": device.auth});
    let wanted = json!({"endpoint": device.endpoint, "keys": keys, "text": false});
    let made = b.call(&Call::post("/v1/push").json(&wanted).token(&phone));
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(
        push(&a)["subscription"]["endpoint"],
        device.endpoint.as_str()
    );

    let told = |ask: &Value| {
        let begun = begin();
        // Twice rather than never: an older one may come again.
        loop {
            let pushed = service.next(PATIENCE).unwrap();
            if pushed.words["ask"] == ask["id"] {
                return;
            }
            assert!(waited(begun) < PATIENCE, "{}", pushed.words);
        }
    };
    told(&b.ask(&question("First?", &["Yes"])));
    wait_until("what became of it is known at both nodes", || {
        [&a, &b]
            .iter()
            .all(|stage| push(stage)["subscription"]["sent"].as_u64() >= Some(1))
    });
    // Whichever pushes, the one that stays does so in the end.
    a.kill();
    told(&b.ask(&question("Second?", &["Yes"])));

    // What is kept of the device is sealed, and it can be forgotten at a node that never told it.
    let kept = "SELECT count(*), sum(position('push' in encode(bytes, 'escape'))) FROM sayso.shelf";
    assert_eq!(
        cluster.psql("sayso", &format!("{kept} WHERE shelf = 'push'")),
        "1|0"
    );
    let mut c = Stage::empty();
    serve(&mut c, &cluster.url(), "c", Some(&a), service.origin());
    let gone = c.call(&Call::new("DELETE", "/v1/push").token(&phone));
    assert_eq!(gone.status, 204, "{}", gone.text());
    assert_eq!(push(&b).get("subscription"), None);
}

#[test]
fn a_node_that_is_cut_off_says_nothing_until_it_is_back() {
    let cluster = PgCluster::start(&[]);
    let proxy = PgProxy::to(&cluster);
    let a = node(&proxy.url(), "a", None);
    let b = node(&cluster.url(), "b", Some(&a));
    let person = b.token("person");
    let mut idle = follow(&a, &ticket(&b, &person)).unwrap();
    assert!(matches!(idle.next(), Frame::Text(_)), "it is greeted");
    let ask = a.ask(&question("Which?", &["A"]));
    proxy.close();
    let reason = json!({"ready": false, "reason": "This node can't reach its database."});
    wait_until("the node falls silent", || {
        ready(&a) == (503, reason.clone())
    });
    let look = || {
        let target = format!("/v1/asks/{}", ask["id"].as_str().unwrap());
        Call::get(target).token(&person)
    };
    for call in [
        look(),
        Call::get("/v1/health").token(&person),
        Call::post("/v1/tickets")
            .json(&json!({"for": "feed"}))
            .token(&person),
        Call::get("/v1/asks").token("say_person_unknown"),
    ] {
        let refused = a.call(&call);
        assert_eq!(refused.refusal(), "503 try_later", "{}", call.name());
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert_eq!(
            refused.json()["detail"],
            "This node can't reach its database."
        );
    }
    assert_eq!(
        a.call(&Call::get("/")).status,
        200,
        "the page itself is there"
    );
    assert_eq!(a.call(&Call::get("/health")).header("retry-after"), None);
    // Others answer meanwhile, and the socket here is told nothing of it before it ends.
    b.call(&look()).with(200);
    b.answer(&ask, "A");
    let begun = begin();
    let mut heard = Vec::new();
    let ended = loop {
        match idle.next() {
            Frame::Text(text) => heard.push(text),
            ended @ (Frame::Closed(..) | Frame::Ended) => break ended,
        }
    };
    assert_eq!(
        ended,
        Frame::Closed(1013, "this node can't reach its database".to_owned())
    );
    assert!(waited(begun) < CUT_OFF_MAX, "it stays open for too long");
    assert!(
        !heard.iter().any(|text| text.contains("\"closed\"")),
        "{heard:?}"
    );
    proxy.open();
    wait_until("the node is back", || ready(&a).0 == 200);
    assert_eq!(a.call(&look()).with(200)["state"], "closed");
}

#[test]
fn a_hook_waits_at_one_node_while_another_starts_and_answers() {
    let cluster = PgCluster::start(&[]);
    let a = node(&cluster.url(), "a", None);
    let wants = json!({
        "session_id": "536c11b6-9d78-472f-a9bb-b4070c76c1e4", "cwd": "/tmp",
        "permission_mode": "default", "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": "touch made"},
    });
    let call = Call::post("/hooks/claude").json(&wants);
    let mut waiting = call.token(&a.token("agent")).start(a.port());
    let ask = a.open_ask();
    // A start ends the asks of callers that went with the last life, and these are alive elsewhere.
    let b = node(&cluster.url(), "b", Some(&a));
    assert_eq!(b.open_ask(), ask);
    let answered = b.run(&["answer", &ask, "--allow"]);
    assert_eq!(answered.code, Some(0), "{}", answered.said);
    let said = Reply::read(&mut waiting).with(200);
    assert_eq!(
        said["hookSpecificOutput"]["decision"]["behavior"], "allow",
        "{said}"
    );
}

#[test]
fn what_the_terminal_decides_ends_the_ask_that_waits_at_another_node() {
    let cluster = PgCluster::start(&[]);
    let (a, b) = two_nodes(&cluster);
    // One program asks and tells of it through a load balancer.
    let token = a.token("agent");
    let asking = http_hook_as(&a, &token, &bash("PermissionRequest"));
    let id = a.open_ask();
    reply(http_hook_as(&b, &token, &bash("PostToolUse")));
    let (status, body) = reply(asking);
    assert_eq!((status.as_str(), body.as_str()), ("200", "{}"));
    let outcome = b.look(&json!(id))["outcome"].clone();
    assert_eq!(outcome["kind"], "withdrawn");
    assert_eq!(outcome["note"], "Decided in the terminal.");
}
