//! Web push: what a device is told while its page is closed, over a push service that reads it.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use sayso_testkit::push_service::{PushDevice, PushService, Pushed};
use serde_json::{Value, json};

use super::raw::{Call, Reply};
use super::stage::{PATIENCE, Stage, begin, question, waited};

/// Long enough for a notice that should not come to have come: others take a few milliseconds.
const QUIET: Duration = Duration::from_millis(700);

/// A server that may push to this service.
fn served(service: &PushService) -> Stage {
    let mut stage = Stage::empty();
    start(&mut stage, service);
    stage
}

fn start(stage: &mut Stage, service: &PushService) {
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_PUSH_PRIVATE_ORIGINS", service.origin());
    stage.serve_by(command);
}

fn wanted(device: &PushDevice, text: bool) -> Value {
    let keys = json!({"p256dh": device.p256dh, "auth": device.auth});
    json!({"endpoint": device.endpoint, "keys": keys, "text": text})
}

fn subscribe(stage: &Stage, token: &str, device: &PushDevice, text: bool) -> Reply {
    let call = Call::post("/v1/push").json(&wanted(device, text));
    stage.call(&call.token(token))
}

/// A device of the local person.
fn device(stage: &Stage, name: &str) -> String {
    stage.new_token("person", name)
}

fn next(service: &PushService) -> Pushed {
    service.next(PATIENCE).expect("a notice")
}

fn state(stage: &Stage, token: &str) -> Value {
    stage.call(&Call::get("/v1/push").token(token)).with(200)
}

/// The state of a device's push once `holds`.
fn until(stage: &Stage, token: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let begun = begin();
    loop {
        let state = state(stage, token);
        if holds(&state) {
            return state;
        }
        assert!(waited(begun) < PATIENCE, "{state}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until the file of the subscriptions `holds`.
fn written(stage: &Stage, holds: impl Fn(&Value) -> bool) {
    let begun = begin();
    loop {
        let kept = std::fs::read_to_string(stage.state().join("push/subscriptions.json")).unwrap();
        let kept: Value = serde_json::from_str(&kept).unwrap();
        if holds(&kept) {
            return;
        }
        assert!(waited(begun) < PATIENCE, "{kept}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_device_is_told_and_nothing_of_the_ask_is_in_it() {
    let service = PushService::start();
    let stage = served(&service);
    let phone = device(&stage, "phone");
    let key = state(&stage, &phone)["key"].clone();
    assert_eq!(state(&stage, &phone), json!({"key": key}));
    let made = subscribe(&stage, &phone, &service.subscribe(), false).with(201);
    assert_eq!(made["subscription"]["text"], false);
    let ask = stage.ask(&question("Launch the secret rocket?", &["Yes"]));
    let pushed = next(&service);
    assert_eq!(pushed.words, json!({"v": 1, "count": 1, "ask": ask["id"]}));
    assert_eq!(pushed.key, key.as_str().unwrap());
    assert_eq!(pushed.claims["sub"], "mailto:sayso@sayso.invalid");
    assert_eq!(pushed.headers["urgency"], "high");
    assert_eq!(pushed.headers["ttl"], "86400");
    let told = until(&stage, &phone, |state| state["subscription"]["sent"] == 1);
    assert_eq!(told["subscription"]["last"]["how"], "taken");
    let tokens = stage.by("admin", Call::get("/v1/tokens")).with(200);
    let with_push = |token: &&Value| token["push"] == true;
    let pushed_to: Vec<&Value> = tokens["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .filter(with_push)
        .collect();
    assert_eq!(pushed_to.len(), 1);
    assert_eq!(pushed_to[0]["name"], "phone");
}

#[test]
fn with_the_persons_word_a_line_is_in_it_escaped() {
    let service = PushService::start();
    let stage = served(&service);
    let phone = device(&stage, "phone");
    subscribe(&stage, &phone, &service.subscribe(), true).with(201);
    let mut new = question("Launch\u{202e} the\nrocket?", &["Yes"]);
    new["agent"] = json!("cape");
    new["timeout_s"] = json!(90);
    let ask = stage.ask(&new);
    let pushed = next(&service);
    assert_eq!(
        pushed.words,
        json!({
            "v": 1, "count": 1, "ask": ask["id"], "agent": "cape",
            "line": "Launch\\u{202e} the\\u{a}rocket?",
        })
    );
    let ttl: u64 = pushed.headers["ttl"].parse().unwrap();
    assert!((60..=90).contains(&ttl), "{ttl}");
}

#[test]
fn a_busy_service_is_tried_again_and_what_gathers_goes_together() {
    let service = PushService::start();
    let stage = served(&service);
    let phone = device(&stage, "phone");
    subscribe(&stage, &phone, &service.subscribe(), false).with(201);
    service.answers(&[503, 429, 201]);
    stage.ask(&question("One?", &["Yes"]));
    assert_eq!(next(&service).status, 503);
    let waiting = until(&stage, &phone, |state| {
        state["subscription"]["last"]["how"] == "again"
    });
    assert_eq!(waiting["subscription"]["last"]["status"], 503);
    assert_eq!(waiting["subscription"]["sent"], 0);
    stage.ask(&question("Two?", &["Yes"]));
    let third = stage.ask(&question("Three?", &["Yes"]));
    stage.answer(&third, "Yes");
    // What was answered meanwhile is not told any more.
    assert_eq!(next(&service).words, json!({"v": 1, "count": 2}));
    let pushed = next(&service);
    assert_eq!(
        (pushed.status, pushed.words),
        (201, json!({"v": 1, "count": 2}))
    );
    until(&stage, &phone, |state| state["subscription"]["sent"] == 1);
}

#[test]
fn a_device_that_is_gone_is_forgotten() {
    let service = PushService::start();
    let stage = served(&service);
    let phone = device(&stage, "phone");
    subscribe(&stage, &phone, &service.subscribe(), false).with(201);
    service.answers(&[410]);
    stage.ask(&question("One?", &["Yes"]));
    assert_eq!(next(&service).status, 410);
    until(&stage, &phone, |state| state.get("subscription").is_none());
    stage.ask(&question("Two?", &["Yes"]));
    assert_eq!(service.next(QUIET), None);
}

#[test]
fn a_service_that_refuses_is_shown_and_the_next_ask_is_tried() {
    let service = PushService::start();
    let stage = served(&service);
    let phone = device(&stage, "phone");
    subscribe(&stage, &phone, &service.subscribe(), false).with(201);
    service.answers(&[403]);
    stage.ask(&question("One?", &["Yes"]));
    assert_eq!(next(&service).status, 403);
    let refused = until(&stage, &phone, |state| {
        state["subscription"]["last"]["how"] == "refused"
    });
    assert_eq!(refused["subscription"]["last"]["status"], 403);
    let two = stage.ask(&question("Two?", &["Yes"]));
    assert_eq!(next(&service).words["ask"], two["id"]);
}

#[test]
fn a_revoked_device_hears_nothing_and_is_forgotten() {
    let service = PushService::start();
    let stage = served(&service);
    let phone = device(&stage, "phone");
    let laptop = device(&stage, "laptop");
    subscribe(&stage, &phone, &service.subscribe(), false).with(201);
    subscribe(&stage, &laptop, &service.subscribe(), false).with(201);
    let revoke = Call::new("DELETE", "/v1/tokens/phone");
    assert_eq!(stage.by("admin", revoke).status, 204);
    stage.ask(&question("One?", &["Yes"]));
    assert_eq!(next(&service).device, 1);
    assert_eq!(service.next(QUIET), None);
    written(&stage, |kept| {
        kept["subscriptions"].as_array().unwrap().len() == 1
    });
    // A token taken back while its notice waits for a busy service.
    service.answers(&[503]);
    stage.ask(&question("Two?", &["Yes"]));
    assert_eq!(next(&service).status, 503);
    let revoke = Call::new("DELETE", "/v1/tokens/laptop");
    assert_eq!(stage.by("admin", revoke).status, 204);
    assert_eq!(service.next(QUIET + Duration::from_secs(1)), None);
}

#[test]
fn what_a_device_wants_survives_a_kill_and_what_it_missed_is_told() {
    let service = PushService::start();
    let mut stage = served(&service);
    let phone = device(&stage, "phone");
    subscribe(&stage, &phone, &service.subscribe(), false).with(201);
    let key = state(&stage, &phone)["key"].clone();
    let file = stage.state().join("push/vapid.key");
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The notice is on its way and its service busy when the server dies.
    service.answers(&[503; 1]);
    let ask = stage.ask(&question("One?", &["Yes"]));
    assert_eq!(next(&service).status, 503);
    stage.kill();
    start(&mut stage, &service);
    assert_eq!(state(&stage, &phone)["key"], key, "devices know us by it");
    let pushed = next(&service);
    assert_eq!((pushed.status, &pushed.words["ask"]), (201, &ask["id"]));
    until(&stage, &phone, |state| state["subscription"]["sent"] == 1);
    // What was told is not told again.
    written(&stage, |kept| kept["subscriptions"][0]["sent"] == 1);
    stage.kill();
    start(&mut stage, &service);
    assert_eq!(service.next(QUIET), None);
    let two = stage.ask(&question("Two?", &["Yes"]));
    assert_eq!(next(&service).words["ask"], two["id"]);
}

#[test]
fn only_public_services_are_called_and_keys_must_be_keys() {
    let service = PushService::start();
    let mut stage = Stage::empty();
    // Without a word in the settings the service on this machine is none.
    stage.serve();
    let phone = device(&stage, "phone");
    let good = service.subscribe();
    for endpoint in [
        good.endpoint.as_str(),
        "http://push.example/a",
        "https://127.0.0.1/a",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]:7717/v1/tokens",
        "https://user:secret@push.example/a",
        "file:///etc/passwd",
    ] {
        let bad = PushDevice {
            endpoint: endpoint.to_owned(),
            ..good.clone()
        };
        let reply = subscribe(&stage, &phone, &bad, false);
        assert_eq!(reply.refusal(), "422 invalid /endpoint", "{endpoint}");
    }
    let bad = PushDevice {
        endpoint: "https://push.example/a".to_owned(),
        p256dh: "AAAA".to_owned(),
        ..good
    };
    let reply = subscribe(&stage, &phone, &bad, false);
    assert_eq!(reply.refusal(), "422 invalid /keys");
    assert_eq!(state(&stage, &phone).get("subscription"), None);
}

#[test]
fn a_trial_says_what_became_of_it_and_off_is_off() {
    let service = PushService::start();
    let stage = served(&service);
    let phone = device(&stage, "phone");
    let trial = || stage.call(&Call::post("/v1/push/trial").token(&phone));
    assert_eq!(trial().refusal(), "404 not_found");
    subscribe(&stage, &phone, &service.subscribe(), false).with(201);
    assert_eq!(trial().with(200)["subscription"]["last"]["how"], "taken");
    assert_eq!(next(&service).words, json!({"v": 1, "trial": true}));
    let off = Call::new("DELETE", "/v1/push").token(&phone);
    assert_eq!(stage.call(&off).status, 204);
    stage.ask(&question("One?", &["Yes"]));
    assert_eq!(service.next(QUIET), None);
}
