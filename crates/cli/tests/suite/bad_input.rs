//! Bad input on every route that reads something: each gets its problem, nothing is stored, and
//! the next call works.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::raw::Call;
use super::socket::Socket;
use super::stage::{Stage, answering, question, text_of};

const MIB: usize = 1024 * 1024;
/// An id that nobody has.
const NOBODY: &str = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";

/// A route that reads a body: its role, its address, a good body, and one with a wrong type in it.
struct Route {
    name: &'static str,
    role: Option<&'static str>,
    target: String,
    good: Value,
    wrong: Value,
    /// What a good body gets.
    status: u16,
}

impl Route {
    fn call(&self, stage: &Stage, query: &str) -> Call {
        let call = Call::post(format!("{}{query}", self.target));
        match self.role {
            Some(role) => call.token(&stage.token(role)),
            None => call,
        }
    }
}

/// Every such route with things of its own, so that the good calls do not disturb each other.
fn routes(stage: &Stage) -> Vec<Route> {
    let open = || stage.ask(&question("Which?", &["A"]));
    let closed = || stage.answer(&open(), "A");
    let at = |ask: &Value, what: &str| format!("/v1/asks/{}/{what}", ask["id"].as_str().unwrap());
    let (answered, dismissed) = (open(), open());
    let code = stage
        .by("admin", Call::post("/v1/logins").json(&json!({})))
        .with(201);
    let route = |name, role, target: String, good: Value, wrong: Value, status| Route {
        name,
        role,
        target,
        good,
        wrong,
        status,
    };
    vec![
        route(
            "asks",
            Some("agent"),
            "/v1/asks".into(),
            question("Which?", &["A"]),
            json!({"matter": "questions", "questions": [{"text": 5}]}),
            201,
        ),
        route(
            "withdraw",
            Some("agent"),
            at(&open(), "withdraw"),
            json!({"note": "no longer"}),
            json!({"note": 5}),
            200,
        ),
        route(
            "confirm",
            Some("agent"),
            at(&closed(), "confirm"),
            json!({}),
            json!([]),
            200,
        ),
        route(
            "answer",
            Some("person"),
            at(&answered, "answer"),
            json!({"digest": answered["digest"], "replies": [{"question": 0, "labels": ["A"]}]}),
            json!({"digest": answered["digest"], "replies": [{"question": "0", "labels": "A"}]}),
            200,
        ),
        route(
            "dismiss",
            Some("person"),
            at(&dismissed, "dismiss"),
            json!({"digest": dismissed["digest"]}),
            json!({"digest": 5}),
            200,
        ),
        route(
            "shown",
            Some("person"),
            "/v1/shown".into(),
            json!({"asks": [NOBODY]}),
            json!({"asks": [5]}),
            204,
        ),
        route(
            "tickets",
            Some("person"),
            "/v1/tickets".into(),
            json!({"for": "feed"}),
            json!({"for": "everything"}),
            201,
        ),
        route(
            "push",
            Some("person"),
            "/v1/push".into(),
            super::roles::subscription(),
            json!({"endpoint": "https://push.invalid/a", "keys": "none"}),
            201,
        ),
        route(
            "tokens",
            Some("admin"),
            "/v1/tokens".into(),
            json!({"role": "agent", "name": "ci"}),
            json!({"role": "owner", "name": "ci"}),
            201,
        ),
        route(
            "logins",
            Some("admin"),
            "/v1/logins".into(),
            json!({"person": "bob"}),
            json!({"person": ["bob"]}),
            201,
        ),
        route(
            "redeem",
            None,
            "/v1/logins/redeem".into(),
            json!({"code": code["code"], "device": "phone"}),
            json!({"code": 5, "device": "phone"}),
            201,
        ),
        route(
            "backup",
            Some("admin"),
            "/v1/backup".into(),
            json!({"file": text_of(&stage.path("copy.db"))}),
            json!({"file": "copy.db"}),
            201,
        ),
        route(
            "forget",
            Some("admin"),
            at(&closed(), "forget"),
            json!({}),
            json!("all"),
            204,
        ),
    ]
}

/// The good body with a second one of its first keys, or the empty one with an unknown key twice.
fn doubled(good: &Value) -> String {
    let text = good.to_string();
    match good.as_object().unwrap().iter().next() {
        Some((key, value)) => format!("{{\"{key}\":{value},{}", &text[1..]),
        None => "{\"x\":1,\"x\":1}".to_owned(),
    }
}

#[test]
fn every_bad_body_gets_its_problem_and_leaves_nothing() {
    let stage = Stage::served();
    let routes = routes(&stage);
    let before = stage.traces();
    let mut table = String::new();
    for route in &routes {
        let mut unknown = route.good.clone();
        unknown["nonsense"] = json!(1);
        let bodies: [(&str, Vec<u8>); 11] = [
            ("not JSON", b"{nope".to_vec()),
            ("two values", format!("{0}{0}", route.good).into_bytes()),
            ("wrong type", route.wrong.to_string().into_bytes()),
            ("a list", b"[1]".to_vec()),
            ("unknown key", unknown.to_string().into_bytes()),
            ("doubled key", doubled(&route.good).into_bytes()),
            ("deep", vec![b'['; 100_000]),
            ("deep inside", deep_inside(&route.good)),
            ("bad UTF-8", b"{\"a\":\"\xff\xfe\"}".to_vec()),
            ("too large", vec![b' '; MIB + 1]),
            ("far too large", vec![b' '; 9 * MIB]),
        ];
        for (what, body) in bodies {
            let reply = stage.call(&route.call(&stage, "").bytes(body));
            writeln!(table, "{:9} {what:14} {}", route.name, reply.refusal()).unwrap();
        }
        let query = stage.call(&route.call(&stage, "?nonsense=1").json(&route.good));
        writeln!(table, "{:9} {:14} {}", route.name, "query", query.refusal()).unwrap();
        // Without a body some routes have all they need; those are called last of all.
        let needs_one = !matches!(route.name, "withdraw" | "confirm" | "logins" | "forget");
        if needs_one {
            let reply = stage.call(&route.call(&stage, "").bytes(""));
            writeln!(table, "{:9} {:14} {}", route.name, "empty", reply.refusal()).unwrap();
        }
        assert_eq!(stage.traces(), before, "{} left something", route.name);
    }
    insta::assert_snapshot!(table, @r"
    asks      not JSON       400 bad_json
    asks      two values     400 bad_json
    asks      wrong type     422 invalid /questions/0/text
    asks      a list         422 invalid
    asks      unknown key    422 invalid /nonsense
    asks      doubled key    422 invalid /matter
    asks      deep           400 bad_json
    asks      deep inside    400 bad_json
    asks      bad UTF-8      400 bad_json
    asks      too large      413 too_large
    asks      far too large  413 too_large
    asks      query          422 invalid ?nonsense
    asks      empty          400 bad_json
    withdraw  not JSON       400 bad_json
    withdraw  two values     400 bad_json
    withdraw  wrong type     422 invalid /note
    withdraw  a list         422 invalid
    withdraw  unknown key    422 invalid /nonsense
    withdraw  doubled key    422 invalid /note
    withdraw  deep           400 bad_json
    withdraw  deep inside    400 bad_json
    withdraw  bad UTF-8      400 bad_json
    withdraw  too large      413 too_large
    withdraw  far too large  413 too_large
    withdraw  query          422 invalid ?nonsense
    confirm   not JSON       400 bad_json
    confirm   two values     400 bad_json
    confirm   wrong type     422 invalid
    confirm   a list         422 invalid
    confirm   unknown key    422 invalid /nonsense
    confirm   doubled key    422 invalid /x
    confirm   deep           400 bad_json
    confirm   deep inside    400 bad_json
    confirm   bad UTF-8      400 bad_json
    confirm   too large      413 too_large
    confirm   far too large  413 too_large
    confirm   query          422 invalid ?nonsense
    answer    not JSON       400 bad_json
    answer    two values     400 bad_json
    answer    wrong type     422 invalid /replies/0/labels
    answer    a list         422 invalid
    answer    unknown key    422 invalid /nonsense
    answer    doubled key    422 invalid /digest
    answer    deep           400 bad_json
    answer    deep inside    400 bad_json
    answer    bad UTF-8      400 bad_json
    answer    too large      413 too_large
    answer    far too large  413 too_large
    answer    query          422 invalid ?nonsense
    answer    empty          400 bad_json
    dismiss   not JSON       400 bad_json
    dismiss   two values     400 bad_json
    dismiss   wrong type     422 invalid /digest
    dismiss   a list         422 invalid
    dismiss   unknown key    422 invalid /nonsense
    dismiss   doubled key    422 invalid /digest
    dismiss   deep           400 bad_json
    dismiss   deep inside    400 bad_json
    dismiss   bad UTF-8      400 bad_json
    dismiss   too large      413 too_large
    dismiss   far too large  413 too_large
    dismiss   query          422 invalid ?nonsense
    dismiss   empty          400 bad_json
    shown     not JSON       400 bad_json
    shown     two values     400 bad_json
    shown     wrong type     422 invalid /asks/0
    shown     a list         422 invalid
    shown     unknown key    422 invalid /nonsense
    shown     doubled key    422 invalid /asks
    shown     deep           400 bad_json
    shown     deep inside    400 bad_json
    shown     bad UTF-8      400 bad_json
    shown     too large      413 too_large
    shown     far too large  413 too_large
    shown     query          422 invalid ?nonsense
    shown     empty          400 bad_json
    tickets   not JSON       400 bad_json
    tickets   two values     400 bad_json
    tickets   wrong type     422 invalid /for
    tickets   a list         422 invalid
    tickets   unknown key    422 invalid /nonsense
    tickets   doubled key    422 invalid /for
    tickets   deep           400 bad_json
    tickets   deep inside    400 bad_json
    tickets   bad UTF-8      400 bad_json
    tickets   too large      413 too_large
    tickets   far too large  413 too_large
    tickets   query          422 invalid ?nonsense
    tickets   empty          400 bad_json
    push      not JSON       400 bad_json
    push      two values     400 bad_json
    push      wrong type     422 invalid /keys
    push      a list         422 invalid
    push      unknown key    422 invalid /nonsense
    push      doubled key    422 invalid /endpoint
    push      deep           400 bad_json
    push      deep inside    400 bad_json
    push      bad UTF-8      400 bad_json
    push      too large      413 too_large
    push      far too large  413 too_large
    push      query          422 invalid ?nonsense
    push      empty          400 bad_json
    tokens    not JSON       400 bad_json
    tokens    two values     400 bad_json
    tokens    wrong type     422 invalid /role
    tokens    a list         422 invalid
    tokens    unknown key    422 invalid /nonsense
    tokens    doubled key    422 invalid /name
    tokens    deep           400 bad_json
    tokens    deep inside    400 bad_json
    tokens    bad UTF-8      400 bad_json
    tokens    too large      413 too_large
    tokens    far too large  413 too_large
    tokens    query          422 invalid ?nonsense
    tokens    empty          400 bad_json
    logins    not JSON       400 bad_json
    logins    two values     400 bad_json
    logins    wrong type     422 invalid /person
    logins    a list         422 invalid
    logins    unknown key    422 invalid /nonsense
    logins    doubled key    422 invalid /person
    logins    deep           400 bad_json
    logins    deep inside    400 bad_json
    logins    bad UTF-8      400 bad_json
    logins    too large      413 too_large
    logins    far too large  413 too_large
    logins    query          422 invalid ?nonsense
    redeem    not JSON       400 bad_json
    redeem    two values     400 bad_json
    redeem    wrong type     422 invalid /code
    redeem    a list         422 invalid
    redeem    unknown key    422 invalid /nonsense
    redeem    doubled key    422 invalid /code
    redeem    deep           413 too_large
    redeem    deep inside    413 too_large
    redeem    bad UTF-8      400 bad_json
    redeem    too large      413 too_large
    redeem    far too large  413 too_large
    redeem    query          422 invalid ?nonsense
    redeem    empty          400 bad_json
    backup    not JSON       400 bad_json
    backup    two values     400 bad_json
    backup    wrong type     422 invalid /file
    backup    a list         422 invalid
    backup    unknown key    422 invalid /nonsense
    backup    doubled key    422 invalid /file
    backup    deep           400 bad_json
    backup    deep inside    400 bad_json
    backup    bad UTF-8      400 bad_json
    backup    too large      413 too_large
    backup    far too large  413 too_large
    backup    query          422 invalid ?nonsense
    backup    empty          400 bad_json
    forget    not JSON       400 bad_json
    forget    two values     400 bad_json
    forget    wrong type     422 invalid
    forget    a list         422 invalid
    forget    unknown key    422 invalid /nonsense
    forget    doubled key    422 invalid /x
    forget    deep           400 bad_json
    forget    deep inside    400 bad_json
    forget    bad UTF-8      400 bad_json
    forget    too large      413 too_large
    forget    far too large  413 too_large
    forget    query          422 invalid ?nonsense
    ");
    // Each route still does its work, whatever the type of the body is said to be.
    for route in &routes {
        let call = route.call(&stage, "").header("Content-Type", "text/plain");
        let reply = stage.call(&call.bytes(route.good.to_string()));
        assert_eq!(reply.status, route.status, "{}: {reply:?}", route.name);
    }
}

/// The good body with a bomb in a place of its own.
fn deep_inside(good: &Value) -> Vec<u8> {
    let text = good.to_string();
    let (open, close) = ("[".repeat(50_000), "]".repeat(50_000));
    let comma = if text.len() > 2 { "," } else { "" };
    format!("{{\"x\":{open}{close}{comma}{}", &text[1..]).into_bytes()
}

#[test]
fn ids_that_are_not_there_not_yours_or_none_at_all_are_not_found() {
    let stage = Stage::served();
    stage.new_token("agent", "other");
    let other = stage.new_token("agent", "another");
    let ask = stage.ask(&question("Mine?", &["A"]));
    let closed = stage.answer(&stage.ask(&question("Mine too?", &["A"])), "A");
    let digest = ask["digest"].clone();
    let before = stage.traces();
    let ids = [
        NOBODY,
        "nonsense",
        "01938D1E-7C1A-7E55-9A4E-3A0F6C1D2B3",
        "%2e%2e",
        "%ff",
        "'%20OR%201=1",
    ];
    for id in ids {
        let at = |what: &str| format!("/v1/asks/{id}{what}");
        let calls = [
            ("agent", Call::get(at(""))),
            ("person", Call::get(at(""))),
            ("person", Call::get(at("?wait=20"))),
            ("agent", Call::post(at("/withdraw"))),
            ("agent", Call::post(at("/confirm"))),
            (
                "person",
                Call::post(at("/answer")).json(
                    &json!({"digest": digest, "replies": [{"question": 0, "labels": ["A"]}]}),
                ),
            ),
            (
                "person",
                Call::post(at("/dismiss")).json(&json!({"digest": digest})),
            ),
            ("admin", Call::post(at("/forget"))),
        ];
        for (role, call) in calls {
            let name = call.name();
            assert_eq!(stage.by(role, call).refusal(), "404 not_found", "{name}");
        }
    }
    // Another agent learns not even that the ask is there.
    for ask in [&ask, &closed] {
        let at = |what: &str| format!("/v1/asks/{}{what}", ask["id"].as_str().unwrap());
        let mut told = Vec::new();
        for call in [
            Call::get(at("")),
            Call::get(at("?wait=20")),
            Call::post(at("/withdraw")),
            Call::post(at("/confirm")),
        ] {
            let reply = stage.call(&call.token(&other));
            assert_eq!(reply.refusal(), "404 not_found");
            told.push(reply.json());
        }
        let nobody = Call::get(format!("/v1/asks/{NOBODY}")).token(&other);
        told.push(stage.call(&nobody).json());
        told.dedup();
        assert_eq!(told.len(), 1, "{told:#?}");
    }
    assert_eq!(
        stage
            .by("admin", Call::new("DELETE", "/v1/tokens/nobody"))
            .refusal(),
        "404 not_found"
    );
    assert_eq!(stage.traces(), before);
    stage.answer(&ask, "A");
}

#[test]
fn an_answer_must_be_to_what_was_shown() {
    let stage = Stage::served();
    let ask = stage.ask(&question("Which?", &["A", "B"]));
    let other = stage.ask(&question("Which else?", &["A", "B"]));
    let approval = json!({"matter": "approval", "action": {"tool": "Bash", "input": "{}"}});
    let approval = stage.ask(&approval);
    let form = json!({"matter": "form", "form": {"message": "Port?", "fields": [
        {"name": "port", "kind": "integer", "min": 1, "max": 9, "required": true}]}});
    let form = stage.ask(&form);
    let before = stage.traces();
    let answer = |ask: &Value, body: Value| {
        let at = format!("/v1/asks/{}/answer", ask["id"].as_str().unwrap());
        stage.by("person", Call::post(at).json(&body))
    };
    let replies = json!([{"question": 0, "labels": ["A"]}]);
    let digest = &ask["digest"];

    let foreign = answer(&ask, json!({"digest": other["digest"], "replies": replies}));
    assert_eq!(foreign.refusal(), "409 digest_mismatch");
    assert_eq!(foreign.json()["ask"], stage.look(&ask["id"]));
    let at = format!("/v1/asks/{}/dismiss", ask["id"].as_str().unwrap());
    let dismissed = stage.by(
        "person",
        Call::post(at).json(&json!({"digest": other["digest"]})),
    );
    assert_eq!(dismissed.refusal(), "409 digest_mismatch");

    let yes = json!({"allow": true, "scope": "once"});
    let table: Vec<(&Value, Value, &str)> = vec![
        (&ask, json!({"replies": replies}), "422 invalid /digest"),
        (
            &ask,
            json!({"digest": null, "replies": replies}),
            "422 invalid /digest",
        ),
        (
            &ask,
            json!({"digest": "sha256:51", "replies": replies}),
            "422 invalid /digest",
        ),
        (
            &ask,
            json!({"digest": "md5:51", "replies": replies}),
            "422 invalid /digest",
        ),
        (&ask, json!({"digest": digest}), "422 invalid"),
        (
            &ask,
            json!({"digest": digest, "replies": []}),
            "422 invalid /replies",
        ),
        (
            &ask,
            json!({"digest": digest, "verdict": yes}),
            "422 invalid",
        ),
        (
            &ask,
            json!({"digest": digest, "fields": {"a": 1}}),
            "422 invalid",
        ),
        (
            &ask,
            json!({"digest": digest, "replies": replies, "verdict": yes}),
            "422 invalid",
        ),
        (
            &ask,
            json!({"digest": digest, "replies": [{"question": 1, "labels": ["A"]}]}),
            "422 invalid /replies/0/question",
        ),
        (
            &ask,
            json!({"digest": digest, "replies": [{"question": -1, "labels": ["A"]}]}),
            "422 invalid /replies/0/question",
        ),
        (
            &ask,
            json!({"digest": digest, "replies": [{"question": 0, "labels": ["C"]}]}),
            "422 invalid /replies/0/labels/0",
        ),
        (
            &ask,
            json!({"digest": digest, "replies": [{"question": 0, "labels": ["A", "B"]}]}),
            "422 invalid /replies/0/labels",
        ),
        (
            &ask,
            json!({"digest": digest, "replies": [{"question": 0, "labels": ["A"]}, {"question": 0, "labels": ["B"]}]}),
            "422 invalid /replies/1/question",
        ),
        (
            &approval,
            json!({"digest": approval["digest"], "verdict": {"allow": true, "scope": "always"}}),
            "422 scope_unavailable /verdict/scope",
        ),
        (
            &approval,
            json!({"digest": approval["digest"], "verdict": {"allow": true, "scope": "for_ever"}}),
            "422 invalid /verdict/scope",
        ),
        (
            &approval,
            json!({"digest": approval["digest"], "verdict": {}}),
            "422 invalid /verdict/allow",
        ),
        (
            &approval,
            json!({"digest": approval["digest"], "verdict": {"allow": "true"}}),
            "422 invalid /verdict/allow",
        ),
        (
            &approval,
            json!({"digest": approval["digest"], "replies": replies}),
            "422 invalid",
        ),
        (
            &form,
            json!({"digest": form["digest"], "fields": {}}),
            "422 invalid /fields/port",
        ),
        (
            &form,
            json!({"digest": form["digest"], "fields": {"port": 10}}),
            "422 invalid /fields/port",
        ),
        (
            &form,
            json!({"digest": form["digest"], "fields": {"port": 1, "host": "a"}}),
            "422 invalid /fields/host",
        ),
    ];
    let got: Vec<(String, String)> = table
        .iter()
        .map(|(ask, body, _)| (body.to_string(), answer(ask, body.clone()).refusal()))
        .collect();
    let wanted: Vec<(String, String)> = table
        .iter()
        .map(|(_, body, refusal)| (body.to_string(), (*refusal).to_owned()))
        .collect();
    assert_eq!(got, wanted);
    assert_eq!(stage.traces(), before);
    stage.answer(&ask, "A");
}

#[test]
fn an_ask_is_checked_whole_and_every_fault_is_told() {
    let stage = Stage::served();
    let before = stage.traces();
    let bad = json!({"matter": "questions", "timeout_s": 0, "conversation": "", "questions": [
        {"text": ""},
        {"text": "Which?", "pick": "one", "choices": []},
        {"text": "Which?", "choices": [{"label": "A"}, {"label": "A"}], "default": ["B"]}]});
    insta::assert_snapshot!(
        stage.by("agent", Call::post("/v1/asks").json(&bad)).refusal(), @"422 invalid /conversation");
    let bad = json!({"matter": "questions", "timeout_s": 0, "questions": [
        {"text": ""},
        {"text": "Which?", "pick": "one", "choices": []},
        {"text": "Which?", "choices": [{"label": "A"}, {"label": "A"}], "default": ["B"]}]});
    insta::assert_snapshot!(
        stage.by("agent", Call::post("/v1/asks").json(&bad)).refusal(), @"422 invalid /questions/0/text /questions/2/choices/1/label /questions/2/default/0 /timeout_s");
    for (bad, refusal) in [
        (json!({"matter": "approval"}), "422 invalid /action"),
        (json!({"matter": "questions"}), "422 invalid /questions"),
        (
            json!({"matter": "questions", "questions": []}),
            "422 invalid /questions",
        ),
        (
            json!({"matter": "form", "questions": []}),
            "422 invalid /questions /form",
        ),
        (json!({"matter": "rumour"}), "422 invalid /matter"),
        (json!({"questions": []}), "422 invalid /matter"),
        (
            json!({"matter": "approval", "action": {"tool": "", "input": "{}"}}),
            "422 invalid /action/tool",
        ),
        (
            json!({"matter": "approval", "action": {"tool": "Bash", "input": {}}}),
            "422 invalid /action/input",
        ),
        (
            json!({"matter": "approval", "action": {"tool": "Bash", "input": "{}", "flags": ["yes"]}}),
            "422 invalid /action/flags/0",
        ),
        (
            json!({"matter": "approval", "action": {"tool": "Bash", "input": "{}", "risk": "dire"}}),
            "422 invalid /action/risk",
        ),
        (
            json!({"matter": "form", "form": {"message": "a", "fields": [], "url": "https://a.example"}}),
            "422 invalid /form/url",
        ),
        (
            json!({"matter": "form", "form": {"message": "a", "url": "javascript:alert(1)"}}),
            "422 invalid /form/url",
        ),
        (
            json!({"matter": "form", "form": {"message": "a", "fields": [{"name": "a", "kind": "file"}]}}),
            "422 invalid /form/fields/0/kind",
        ),
    ] {
        let reply = stage.by("agent", Call::post("/v1/asks").json(&bad));
        assert_eq!(reply.refusal(), refusal, "{bad}: {}", reply.text());
    }
    let good = Call::post("/v1/asks").json(&question("Which?", &["A"]));
    let long = "k".repeat(257);
    for keys in [&["a", "b"][..], &[""], &[long.as_str()]] {
        let call = keys.iter().fold(good.clone(), |call, key| {
            call.header("Idempotency-Key", *key)
        });
        assert_eq!(
            stage.by("agent", call).refusal(),
            "422 invalid Idempotency-Key",
            "{keys:?}"
        );
    }
    assert_eq!(stage.traces(), before);
    assert_eq!(stage.by("agent", good).status, 201);
}

#[test]
fn a_key_belongs_to_one_ask() {
    let stage = Stage::served();
    let other = stage.new_token("agent", "other");
    let ask = |text: &str| {
        Call::post("/v1/asks")
            .header("Idempotency-Key", "k")
            .json(&question(text, &["A"]))
    };
    let first = stage.by("agent", ask("Once?")).with(201);
    assert_eq!(stage.by("agent", ask("Once?")).with(200), first);
    assert_eq!(
        stage.by("agent", ask("Twice?")).refusal(),
        "409 key_conflict"
    );
    // Keys of another token are other keys.
    let foreign = stage.call(&ask("Twice?").token(&other)).with(201);
    assert_ne!(foreign["id"], first["id"]);
    let closed = stage.answer(&first, "A");
    let again = stage.by("agent", ask("Once?")).with(200);
    assert_eq!(again["outcome"], closed["outcome"]);
    assert_eq!(
        stage.by("agent", ask("Twice?")).refusal(),
        "409 key_conflict"
    );
}

#[test]
fn queries_are_read_as_strictly_as_bodies() {
    let stage = Stage::served();
    let before = stage.traces();
    let id = NOBODY;
    let table = [
        ("person", "/v1/asks?nonsense=1", "422 invalid ?nonsense"),
        (
            "person",
            "/v1/asks?state=open&state=open",
            "422 invalid ?state",
        ),
        (
            "person",
            "/v1/asks?state=shut&limit=0&matter=x&after=x&shape=x",
            "422 invalid ?state ?matter ?shape ?limit ?after",
        ),
        ("person", "/v1/asks?limit=201", "422 invalid ?limit"),
        ("person", "/v1/asks?after=c-1", "422 invalid ?after"),
        (
            "person",
            "/v1/asks?state=closed&after=o-01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c",
            "422 invalid ?after",
        ),
        ("person", "/v1/asks?agent=nobody", "422 invalid ?agent"),
        (
            "person",
            "/v1/asks?conversation=nowhere",
            "422 invalid ?conversation",
        ),
        ("person", "/v1/asks?search=%ff", "422 invalid ?search"),
        ("person", "/v1/asks?%E2%80%AE=1", "422 invalid ?\\u{202e}"),
        (
            "person",
            &format!("/v1/asks/{id}?wait=soon"),
            "422 invalid ?wait",
        ),
        (
            "person",
            &format!("/v1/asks/{id}?wait=-1"),
            "422 invalid ?wait",
        ),
        (
            "person",
            "/v1/stats?by=week&from=today",
            "422 invalid ?from ?by",
        ),
        ("person", "/v1/agents?x", "422 invalid ?x"),
        (
            "person",
            "/v1/health?token=say_person_x",
            "422 invalid ?token",
        ),
        ("person", "/v1/feed.sse?after=x", "422 invalid ?after"),
        (
            "person",
            "/v1/feed.sse?agent=a&conversation=b",
            "422 invalid ?conversation",
        ),
        ("admin", "/v1/tokens?role=agent", "422 invalid ?role"),
        ("admin", "/v1/people?x=1", "422 invalid ?x"),
        ("admin", "/v1/verify?x=1", "422 invalid ?x"),
        ("admin", "/metrics?x=1", "422 invalid ?x"),
        ("admin", "/health?x=1", "422 invalid ?x"),
        ("admin", "/openapi.json?x=1", "422 invalid ?x"),
        ("admin", "/docs?x=1", "422 invalid ?x"),
    ];
    for (role, target, refusal) in table {
        let reply = stage.by(role, Call::get(target));
        assert_eq!(reply.refusal(), refusal, "{target}: {}", reply.text());
    }
    for (role, target, refusal) in [
        ("person", "/v1/feed?after=-1", "422 invalid ?after"),
        ("person", "/v1/feed?token=x", "422 invalid ?token"),
        ("agent", "/v1/agent?token=x", "422 invalid ?token"),
        ("agent", "/v1/agent?agent=", "422 invalid ?agent"),
    ] {
        let call = Call::get(target).token(&stage.token(role));
        let reply = Socket::open(call, stage.port()).unwrap_err();
        assert_eq!(reply.refusal(), refusal, "{target}");
    }
    let event = Call::get("/v1/feed.sse").header("Last-Event-ID", "x");
    assert_eq!(
        stage.by("person", event).refusal(),
        "422 invalid Last-Event-ID"
    );
    // A door that is a socket says so to whoever comes without one.
    for (role, target) in [("person", "/v1/feed"), ("agent", "/v1/agent")] {
        let reply = stage.by(role, Call::get(target));
        assert_eq!(reply.refusal(), "422 invalid", "{target}");
    }
    assert_eq!(stage.traces(), before);
    let ask = stage.ask(&question("Which?", &["A"]));
    assert_eq!(
        stage
            .call(&answering(&ask, "A").token(&stage.token("person")))
            .status,
        200
    );
}

#[test]
fn what_is_no_http_is_cut_or_refused_and_others_do_not_notice() {
    use std::io::{Read, Write};
    let stage = Stage::served();
    let before = stage.traces();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(100_000));
    let many = format!(
        "GET /health HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n",
        stage.port(),
        "X-Much: 1\r\n".repeat(1000)
    );
    for text in [
        "\r\n\r\n\0\0\0\0",
        "HELO sayso\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST /v1/asks HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "POST /v1/asks HTTP/1.1\r\nContent-Length: -5\r\n\r\nhello",
        "POST /v1/asks HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        &long,
        &many,
    ] {
        let mut stream = super::raw::connect(stage.port());
        drop(stream.write_all(text.as_bytes()));
        drop(stream.shutdown(std::net::Shutdown::Write));
        let mut reply = Vec::new();
        // A reset is an answer too.
        drop(stream.read_to_end(&mut reply));
        let reply = String::from_utf8_lossy(&reply).into_owned();
        let status = reply.split(' ').nth(1).unwrap_or("cut").to_owned();
        assert!(
            ["cut", "400", "403", "414", "431"].contains(&status.as_str()),
            "{:?} got {reply:?}",
            &text[..text.len().min(60)]
        );
    }
    assert_eq!(stage.traces(), before);
}
