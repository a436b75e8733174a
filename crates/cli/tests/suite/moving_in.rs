//! Moving in: a device that may keep house as well, the first ask, and who is here.

use serde_json::{Value, json};

use super::raw::Call;
use super::stage::{PATIENCE, Stage, begin, question, waited};

fn tokens(stage: &Stage) -> Vec<Value> {
    let tokens = stage.by("admin", Call::get("/v1/tokens")).with(200);
    tokens["tokens"].as_array().unwrap().clone()
}

fn redeem(stage: &Stage, code: &str) -> super::raw::Reply {
    let body = json!({"code": code, "device": "laptop, Firefox"});
    stage.call(&Call::post("/v1/logins/redeem").json(&body))
}

/// The code in the link that a command printed.
fn code(link: &str) -> String {
    let (_, code) = link.trim().split_once("/#code=").unwrap();
    code.to_owned()
}

#[test]
fn an_admin_link_gives_a_device_two_tokens_once_and_both_go_together() {
    let stage = Stage::served();
    let ended = stage.run(&["open", "--admin"]);
    assert_eq!(ended.code, Some(0));
    let code = code(&ended.data);
    let entered = redeem(&stage, &code).with(201);
    let (person, admin) = (
        entered["token"].as_str().unwrap().to_owned(),
        entered["admin"].as_str().unwrap().to_owned(),
    );
    assert!(person.starts_with("say_person_") && admin.starts_with("say_admin_"));
    assert_eq!(redeem(&stage, &code).refusal(), "401 unauthorized", "once");
    // Each is good for its own role and no other.
    let status = |token: &str, target: &str| stage.call(&Call::get(target).token(token)).status;
    assert_eq!(status(&person, "/v1/asks"), 200);
    assert_eq!(status(&person, "/v1/tokens"), 403);
    assert_eq!(status(&admin, "/v1/tokens"), 200);
    assert_eq!(status(&admin, "/v1/asks"), 403);
    let listed = tokens(&stage);
    let named = |name: &str| listed.iter().find(|token| token["name"] == name).unwrap();
    assert_eq!(named("laptop, Firefox")["role"], "person");
    let beside = named("laptop, Firefox (admin)");
    assert_eq!(beside["role"], "admin");
    assert_eq!(beside["with"], named("laptop, Firefox")["id"]);
    // The device goes as a whole.
    let gone = Call::new("DELETE", "/v1/tokens/laptop,%20Firefox");
    assert_eq!(stage.by("admin", gone).status, 204);
    assert_eq!(status(&person, "/v1/asks"), 401);
    assert_eq!(status(&admin, "/v1/tokens"), 401);
    assert_eq!(tokens(&stage).len(), 3);
}

#[test]
fn the_admin_part_alone_can_be_taken_back_and_a_restart_forgets_nothing() {
    let mut stage = Stage::served();
    let entered = redeem(&stage, &code(&stage.run(&["open", "--admin"]).data)).with(201);
    let (person, admin) = (entered["token"].clone(), entered["admin"].clone());
    stage.kill();
    stage.serve();
    let status = |token: &Value, target: &str| {
        let call = Call::get(target).token(token.as_str().unwrap());
        stage.call(&call).status
    };
    assert_eq!(status(&admin, "/v1/tokens"), 200);
    let gone = Call::new("DELETE", "/v1/tokens/laptop,%20Firefox%20(admin)");
    assert_eq!(stage.by("admin", gone).status, 204);
    assert_eq!(status(&admin, "/v1/tokens"), 401);
    assert_eq!(status(&person, "/v1/asks"), 200);
    // An admin's token that was made beside goes with its device after a restart too.
    let entered = redeem(&stage, &code(&stage.run(&["open", "--admin"]).data)).with(201);
    assert_eq!(entered["device"], "laptop, Firefox 2");
    stage.kill();
    stage.serve();
    let gone = Call::new("DELETE", "/v1/tokens/laptop,%20Firefox%202");
    assert_eq!(stage.by("admin", gone).status, 204);
    let call = Call::get("/v1/tokens").token(entered["admin"].as_str().unwrap());
    assert_eq!(stage.call(&call).status, 401);
}

#[test]
fn a_plain_link_gives_no_admin() {
    let stage = Stage::served();
    let entered = redeem(&stage, &code(&stage.run(&["open"]).data)).with(201);
    assert_eq!(entered.get("admin"), None);
    assert_eq!(tokens(&stage).len(), 4);
}

#[test]
fn links_and_codes_come_with_their_picture() {
    let stage = Stage::served();
    let link = stage
        .by("admin", Call::post("/v1/logins").json(&json!({})))
        .with(201);
    let pairing = json!({"dialect": "whimmy"});
    let pairing = stage
        .by("admin", Call::post("/v1/pairings").json(&pairing))
        .with(201);
    for made in [&link, &pairing] {
        let rows: Vec<&str> = made["qr"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert!(rows.iter().all(|row| row.len() == rows.len()), "{rows:?}");
        assert!(rows[0].starts_with("#######."));
    }
    let copied = pairing["copied"].as_str().unwrap();
    assert!(
        copied.contains(pairing["code"].as_str().unwrap()),
        "{copied}"
    );
}

#[test]
fn the_sample_asks_goes_on_and_thanks_also_over_a_kill() {
    let mut stage = Stage::served();
    let asked = stage.by("person", Call::post("/v1/samples")).with(201);
    assert_eq!(asked["agent"]["name"], "sample");
    stage.kill();
    stage.serve();
    stage.answer(&asked, "Short");
    let approval = stage.open_asks(1).remove(0);
    assert_eq!(approval["matter"], "approval");
    assert_eq!(approval["agent"]["connected"], true);
    let target = format!("/v1/asks/{}/answer", approval["id"].as_str().unwrap());
    let verdict = json!({"digest": approval["digest"], "verdict": {"allow": false}});
    stage
        .by("person", Call::post(target).json(&verdict))
        .with(200);
    let conversation = approval["conversation"]["id"].as_str().unwrap();
    let begun = begin();
    loop {
        let entries = format!("/v1/conversations/{conversation}/entries");
        let entries = stage.by("person", Call::get(entries)).with(200);
        if entries.to_string().contains("You denied it") {
            break;
        }
        assert!(waited(begun) < PATIENCE, "{entries}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let begun = begin();
    while stage.look(&approval["id"])["delivery"] != "confirmed" {
        assert!(waited(begun) < PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn it_is_told_who_is_here_since_when_and_when_they_last_asked() {
    let mut stage = Stage::served();
    let mut new = question("Which?", &["A"]);
    new["agent"] = json!("coder");
    let asked = stage.ask(&new);
    stage.answer(&asked, "A");
    let agent = |stage: &Stage| {
        let agents = stage.by("person", Call::get("/v1/agents")).with(200);
        agents["agents"][0].clone()
    };
    let before = agent(&stage);
    assert_eq!(before["name"], "coder");
    assert_eq!(before["links"], 0);
    assert_eq!(before["last_ask_at"], asked["asked_at"]);
    let call = Call::get("/v1/agent?agent=coder").upgrade();
    let call = call.token(&stage.token("agent"));
    let (reply, socket) = call.begin(stage.port());
    assert_eq!(reply.status, 101);
    let begun = begin();
    while agent(&stage)["links"] != 1 {
        assert!(waited(begun) < PATIENCE);
    }
    assert!(agent(&stage)["since"].is_string());
    drop(socket);
    while agent(&stage)["links"] != 0 {
        assert!(waited(begun) < PATIENCE);
    }
    assert!(agent(&stage)["left_at"].is_string());
    stage.caught_up();
    stage.kill();
    stage.serve();
    let after = agent(&stage);
    // To the millisecond of its id, which is that of its moment.
    assert_eq!(after["last_ask_at"], asked["asked_at"]);
}

#[test]
fn how_long_things_wait_is_told() {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_CHAT_TURN_TIMEOUT", "90");
    command.env("SAYSO_DIALECTS_WHIMMY_ASK_TIMEOUT_S", "77");
    stage.serve_by(command);
    let spans = stage.by("person", Call::get("/v1/settings")).with(200);
    let of = |key: &str| {
        let rows = spans["spans"].as_array().unwrap();
        rows.iter().find(|row| row["key"] == key).unwrap()["seconds"].clone()
    };
    assert_eq!(of("chat.turn_timeout"), 90);
    assert_eq!(of("dialects.whimmy.ask_timeout_s"), 77);
    assert_eq!(of("asks"), Value::Null);
}
