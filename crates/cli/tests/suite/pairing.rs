//! Pairing: a code of six digits becomes an agent's token, once, soon, and for whoever has it.

use serde_json::{Value, json};

use super::raw::{Call, Reply};
use super::stage::Stage;

const REDEEM: &str = "/api/v1/providers/pair/redeem";
const NOT_KNOWN: &str = "The pairing code is invalid, expired or already used. Make a new one \
                         with `sayso pair whimmy`.";

fn make(stage: &Stage, wanted: &Value) -> Reply {
    stage.by("admin", Call::post("/v1/pairings").json(wanted))
}

fn code(stage: &Stage, name: Option<&str>) -> String {
    let mut wanted = json!({"dialect": "whimmy"});
    if let Some(name) = name {
        wanted["name"] = json!(name);
    }
    let made = make(stage, &wanted).with(201);
    made["code"].as_str().unwrap().to_owned()
}

fn redeem(stage: &Stage, code: &str) -> Reply {
    stage.call(&Call::post(REDEEM).json(&json!({"code": code})))
}

/// The token that a code was traded for.
fn token(reply: &Reply) -> String {
    let paired = reply.with(200);
    let token = paired["connectionToken"].as_str().unwrap().to_owned();
    assert_eq!(paired, json!({"connectionToken": token}));
    token
}

/// The names of the tokens that were made since the server began.
fn names(stage: &Stage) -> Vec<String> {
    let tokens = stage.by("admin", Call::get("/v1/tokens")).with(200);
    let tokens = tokens["tokens"].as_array().unwrap().iter();
    tokens
        .skip(3)
        .map(|token| token["name"].as_str().unwrap().to_owned())
        .collect()
}

/// A code that is none of these.
fn wrong(codes: &[&str]) -> String {
    let all = (0..).map(|number| format!("{number:06}"));
    all.into_iter()
        .find(|code| !codes.contains(&code.as_str()))
        .unwrap()
}

#[test]
fn a_code_becomes_one_token_of_an_agent() {
    let stage = Stage::served();
    let mut made = make(&stage, &json!({"dialect": "whimmy", "name": "laptop"})).with(201);
    let code = made["code"].take();
    assert!(made["expires_at"].take().is_string());
    let digits = code.as_str().unwrap();
    assert!(made["copied"].take().as_str().unwrap().contains(digits));
    assert!(made["lines"].take().to_string().contains(digits));
    assert!(made["qr"].take().is_array());
    assert_eq!(
        made,
        json!({"code": null, "copied": null, "dialect": "whimmy", "expires_at": null, "lines": null, "qr": null})
    );
    let code = code.as_str().unwrap();
    assert_eq!(code.len(), 6);
    assert!(code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
    let token = token(&redeem(&stage, code));
    let again = redeem(&stage, code);
    assert_eq!((again.status, again.text()), (403, NOT_KNOWN.to_owned()));
    let asked = super::stage::question("Which?", &["A"]);
    let asks = |call: Call| stage.call(&call.token(&token)).status;
    assert_eq!(asks(Call::post("/v1/asks").json(&asked)), 201);
    assert_eq!(asks(Call::get("/v1/asks")), 403, "it cannot answer");
    assert_eq!(asks(Call::get("/v1/tokens")), 403, "nor keep house");
    assert_eq!(names(&stage), ["laptop"]);
}

#[test]
fn names_are_found_for_tokens_that_have_none_or_one_that_is_taken() {
    let stage = Stage::served();
    for name in [None, Some("laptop"), None, Some("laptop"), Some("shell")] {
        token(&redeem(&stage, &code(&stage, name)));
    }
    assert_eq!(
        names(&stage),
        ["whimmy-1", "laptop", "whimmy-2", "laptop-2", "shell-2"]
    );
}

#[test]
fn what_cannot_be_paired_is_refused_with_what_can() {
    let stage = Stage::served();
    for (wanted, refusal) in [
        (json!({"dialect": "native"}), "422 invalid /dialect"),
        (json!({"dialect": "Whimmy"}), "422 invalid /dialect"),
        (
            json!({"dialect": "whimmy", "name": ""}),
            "422 invalid /name",
        ),
        (
            json!({"dialect": "whimmy", "name": "x".repeat(257)}),
            "422 invalid /name",
        ),
        (json!({}), "422 invalid /dialect"),
        (
            json!({"dialect": "whimmy", "code": "123456"}),
            "422 invalid /code",
        ),
    ] {
        assert_eq!(make(&stage, &wanted).refusal(), refusal, "{wanted}");
    }
    let said = stage.run(&["pair", "nonsense"]);
    assert_eq!((said.code, said.data.as_str()), (Some(21), ""));
    let line = "  /dialect: is not a dialect that supports pairing; use one of: whimmy\n";
    assert!(said.said.contains(line), "{}", said.said);
}

#[test]
fn there_are_sixteen_codes_at_most() {
    let stage = Stage::served();
    let codes: Vec<String> = (0..16).map(|_| code(&stage, None)).collect();
    let full = make(&stage, &json!({"dialect": "whimmy"}));
    assert_eq!(full.refusal(), "429 slow_down");
    assert_eq!(full.header("retry-after"), Some("600"));
    token(&redeem(&stage, &codes[0]));
    code(&stage, None);
}

#[test]
fn many_wrong_codes_from_many_places_void_only_what_they_guessed_at() {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_PROXY", "127.0.0.1");
    stage.serve_by(command);
    let (one, other) = (code(&stage, None), code(&stage, None));
    let guess = wrong(&[&one, &other]);
    let redeem_from = |address: u32, code: &str| {
        let call = Call::post(REDEEM).json(&json!({"code": code}));
        stage.call(&call.header("X-Forwarded-For", format!("10.0.0.{address}")))
    };
    // One place alone gets no further than this, however often it tries.
    for at in 0..100 {
        let refused = if at < 10 { 403 } else { 429 };
        assert_eq!(redeem_from(0, &guess).status, refused);
    }
    for at in 10..119 {
        assert_eq!(redeem_from(at / 10, &guess).status, 403);
    }
    token(&redeem_from(20, &one));
    let new = code(&stage, None);
    assert_eq!(redeem_from(11, &guess).status, 403);
    assert_eq!(redeem_from(21, &other).text(), NOT_KNOWN);
    token(&redeem_from(22, &new));
}

#[test]
fn a_guesser_is_told_to_wait_and_what_is_no_code_is_no_guess() {
    let stage = Stage::served();
    for _ in 0..20 {
        let reply = stage.call(&Call::post(REDEEM).json(&json!({"code": 1})));
        let said = "The request has no pairing code.".to_owned();
        assert_eq!((reply.status, reply.text()), (400, said));
    }
    let statuses: Vec<u16> = (0..12).map(|_| redeem(&stage, "guess").status).collect();
    assert_eq!(statuses, [[403; 10].as_slice(), &[429; 2]].concat());
    let reply = redeem(&stage, "guess");
    assert_eq!(
        reply.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    assert!(reply.header("retry-after").is_some());
    assert!(reply.text().starts_with("Too many wrong tokens or codes"));
    // The same count as for every other credential.
    let other = stage.call(&Call::get("/v1/asks").token("say_person_guess"));
    assert_eq!(other.refusal(), "429 slow_down");
}

#[test]
fn a_code_of_an_admin_who_lost_their_token_is_void() {
    let stage = Stage::served();
    let admin = stage.new_token("admin", "second");
    let made = Call::post("/v1/pairings").json(&json!({"dialect": "whimmy"}));
    let made = stage.call(&made.token(&admin)).with(201);
    let gone = stage.by("admin", Call::new("DELETE", "/v1/tokens/second"));
    assert_eq!(gone.status, 204);
    let reply = redeem(&stage, made["code"].as_str().unwrap());
    assert_eq!((reply.status, reply.text()), (403, NOT_KNOWN.to_owned()));
}

#[test]
fn the_command_prints_the_code_and_says_what_to_do_with_it() {
    let stage = Stage::served();
    let ended = stage.run(&["pair", "whimmy"]);
    let code = ended.data.trim_end();
    let host = format!("127.0.0.1:{}", stage.port());
    assert_eq!(
        (ended.code, ended.said),
        (
            Some(0),
            format!(
                "valid once, for 10 min\nAdd this to OpenClaw's openclaw.json and restart its \
                 gateway:\n  \
                 {{\"channels\":{{\"whimmy\":{{\"host\":\"{host}\",\"tls\":false,\"pairingCode\":\"{code}\"}}}}}}\nOr \
                 use a token from `sayso token new --role agent --name NAME` instead of the \
                 code:\n  \
                 {{\"channels\":{{\"whimmy\":{{\"connectionUri\":\"ws://{host}/x?token=TOKEN\"}}}}}}\n"
            )
        )
    );
    token(&redeem(&stage, code));
    // Where people come from elsewhere, that address is told, and a picture to carry it there.
    let mut command = stage.command(&["pair", "whimmy"]);
    command.env("SAYSO_PUBLIC_URL", "https://ask.example");
    let ended = super::stage::Ended::of(command.output().unwrap());
    let code = ended.data.trim_end();
    let entry = format!("{{\"host\":\"ask.example\",\"pairingCode\":\"{code}\"}}");
    assert!(ended.said.contains(&entry), "{}", ended.said);
    assert!(ended.said.contains("wss://ask.example/x?token=TOKEN"));
    assert!(ended.said.contains('\u{2588}'), "{}", ended.said);
}
