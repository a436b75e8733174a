//! What is refused where it comes in: requests that two programs could read in two ways, names that
//! a terminal acts on, names that look like others, and links from elsewhere that must work.

use std::io::Write as _;

use serde_json::{Value, json};

use super::raw::{Call, Reply, connect};
use super::stage::{Stage, question};

/// The status of the reply to these very bytes.
fn status(stage: &Stage, text: &str) -> u16 {
    let mut stream = connect(stage.port());
    let text = text.replace("HOST", &format!("127.0.0.1:{}", stage.port()));
    stream.write_all(text.as_bytes()).unwrap();
    Reply::read(&mut stream).status
}

#[test]
fn a_request_that_can_be_read_in_two_ways_is_refused() {
    let stage = Stage::served();
    let before = stage.traces();
    for good in [
        "GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n",
        "\r\nGET /health HTTP/1.1\r\nHost: HOST\r\nX-Empty:\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n",
    ] {
        assert_eq!(status(&stage, good), 200, "{good:?}");
    }
    for bad in [
        "GET /health HTTP/1.1\nHost: HOST\n\n",
        "GET /health HTTP/1.1\r\nHost: HOST\n\r\n",
        "GET /health HTTP/1.1\r\nHost: HOST\r\n\n",
        "GET /health HTTP/1.1\r\nHost: HOST\r\n folded\r\n\r\n",
        "POST /v1/asks HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "POST /v1/asks HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2, 2\r\n\r\n{}",
        "POST /v1/asks HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/asks HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ] {
        assert_eq!(status(&stage, bad), 400, "{bad:?}");
    }
    // The second request on a connection is looked at like the first, and one that is refused as a
    // socket is the last.
    let mut stream = connect(stage.port());
    let host = format!("127.0.0.1:{}", stage.port());
    let first = format!("GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(first.as_bytes()).unwrap();
    assert_eq!(Reply::read(&mut stream).status, 200);
    let second = format!("GET /health HTTP/1.1\r\nHost: {host}\n\n");
    stream.write_all(second.as_bytes()).unwrap();
    assert_eq!(Reply::read(&mut stream).status, 400);
    let refused = stage.call(&Call::get("/v1/feed").upgrade());
    assert_eq!(
        (refused.status, refused.header("connection")),
        (401, Some("close"))
    );
    assert_eq!(stage.traces(), before);
}

#[test]
fn names_and_ids_have_no_control_characters() {
    let stage = Stage::served();
    let before = stage.traces();
    let with = |key: &str, value: &str| {
        let mut ask = question("Which?", &["A"]);
        ask[key] = json!(value);
        stage.by("agent", Call::post("/v1/asks").json(&ask))
    };
    for bad in [
        "a\0b",
        "a\nb",
        "a\rb",
        "a\tb",
        "\u{1b}[2J",
        "\u{7f}",
        "a\u{85}b",
        "\u{9b}31m",
    ] {
        for key in ["wire_id", "agent", "conversation"] {
            let refusal = with(key, bad).refusal();
            assert_eq!(refusal, format!("422 invalid /{key}"), "{bad:?}");
        }
        for (path, body) in [
            ("/v1/tokens", json!({"role": "agent", "name": bad})),
            (
                "/v1/tokens",
                json!({"role": "person", "name": "x", "person": bad}),
            ),
            ("/v1/logins", json!({"person": bad})),
            ("/v1/pairings", json!({"dialect": "whimmy", "name": bad})),
        ] {
            let refused = stage.by("admin", Call::post(path).json(&body));
            assert!(refused.refusal().starts_with("422 invalid /"), "{body}");
        }
    }
    let code = stage.by("admin", Call::post("/v1/logins").json(&json!({})));
    let redeem = json!({"code": code.with(201)["code"], "device": "pho\nne"});
    let refused = stage.call(&Call::post("/v1/logins/redeem").json(&redeem));
    assert_eq!(refused.refusal(), "422 invalid /device");
    assert_eq!(stage.traces(), before);
}

#[test]
fn a_name_that_looks_like_an_id_shields_nothing() {
    let stage = Stage::served();
    for name in ["tk_1", "tk_4", "tk_0004"] {
        let wanted = json!({"role": "agent", "name": name});
        let refused = stage.by("admin", Call::post("/v1/tokens").json(&wanted));
        assert_eq!(refused.refusal(), "422 invalid /name");
        let code = stage.by("admin", Call::post("/v1/logins").json(&json!({})));
        let redeem = json!({"code": code.with(201)["code"], "device": name});
        let refused = stage.call(&Call::post("/v1/logins/redeem").json(&redeem));
        assert_eq!(refused.refusal(), "422 invalid /device");
        let wanted = json!({"dialect": "whimmy", "name": name});
        let refused = stage.by("admin", Call::post("/v1/pairings").json(&wanted));
        assert_eq!(refused.refusal(), "422 invalid /name");
    }
    let token = stage.new_token("agent", "ci");
    let tokens = stage.by("admin", Call::get("/v1/tokens")).with(200);
    let mut rows = tokens["tokens"].as_array().unwrap().iter();
    let row = rows.find(|row| row["name"] == "ci").unwrap();
    let id = row["id"].as_str().unwrap().to_owned();
    let ended = stage.run(&["token", "revoke", &id]);
    assert_eq!(ended.said, format!("revoked {id} ci\n"));
    let ask = Call::post("/v1/asks").json(&question("Which?", &["A"]));
    assert_eq!(stage.call(&ask.token(&token)).refusal(), "401 unauthorized");
}

#[test]
fn an_agent_with_the_name_of_another_is_shown_with_its_token() {
    let mut stage = Stage::served();
    let named = |stage: &Stage, token: &str, name: &str| {
        let mut ask = question("Which?", &["A"]);
        ask["agent"] = json!(name);
        let asked = stage.call(&Call::post("/v1/asks").token(token).json(&ask));
        asked.with(201)["agent"].clone()
    };
    let (first, second) = (stage.token("agent"), stage.new_token("agent", "laptop"));
    let coder = named(&stage, &first, "coder");
    assert_eq!(coder["name"], "coder");
    let other = named(&stage, &second, "Coder");
    assert_eq!(other["name"], "Coder (token laptop)");
    // Nor can the addition be made up.
    let made_up = named(&stage, &first, "Coder (token laptop)");
    assert_eq!(made_up["name"], "Coder (token laptop) (token shell)");
    stage.kill();
    stage.serve();
    assert_eq!(named(&stage, &first, "coder"), coder);
    assert_eq!(named(&stage, &second, "Coder"), other);
    let inbox = stage.run(&["inbox"]).data;
    assert!(inbox.contains("Coder (token laptop)"), "{inbox}");
    let agents = stage.by("person", Call::get("/v1/agents")).with(200);
    assert!(agents.to_string().contains("Coder (token laptop)"));
}

#[test]
fn json_on_a_terminal_is_the_same_value_without_what_terminals_act_on() {
    let stage = Stage::served();
    let hostile = "a\u{202e}b\u{2066}c\u{9b}31m\u{85}d\u{2028}\u{feff}";
    let asked = stage.ask(&question(hostile, &["A\u{200f}"]));
    for words in [
        &["inbox", "--json"][..],
        &["show", asked["id"].as_str().unwrap(), "--json"],
    ] {
        let data = stage.run(words).data;
        let line = data.trim_end();
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["questions"][0]["text"], hostile);
        let raw = |char: char| char.is_control() || ('\u{200e}'..='\u{206f}').contains(&char);
        assert!(!line.contains(raw), "{line:?}");
        assert!(
            line.contains("\\u202e") && line.contains("\\u009b"),
            "{line}"
        );
    }
}

#[test]
fn a_link_from_another_site_opens_the_page_and_calls_nothing() {
    let stage = Stage::served();
    let follow = |call: Call, site: &str| {
        let call = call.header("Sec-Fetch-Site", site);
        let call = call.header("Sec-Fetch-Mode", "navigate");
        stage.call(&call.header("Sec-Fetch-Dest", "document"))
    };
    for site in ["cross-site", "same-site", "none", "same-origin"] {
        for path in ["/", "/docs"] {
            let page = follow(Call::get(path), site);
            assert_eq!(page.status, 200, "{path} from {site}");
            assert_eq!(page.header("access-control-allow-origin"), None);
            let policy = page.header("content-security-policy").unwrap();
            assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        }
    }
    let person = stage.token("person");
    for call in [
        Call::get("/v1/asks").token(&person),
        Call::get("/health"),
        Call::post("/"),
        Call::get("/").header("Origin", "https://evil.com"),
    ] {
        let refused = follow(call.clone(), "cross-site");
        assert_eq!(refused.refusal(), "403 forbidden", "{}", call.name());
    }
    let framed = Call::get("/").header("Sec-Fetch-Site", "cross-site");
    let framed = framed.header("Sec-Fetch-Mode", "navigate");
    let framed = stage.call(&framed.header("Sec-Fetch-Dest", "iframe"));
    assert_eq!(framed.refusal(), "403 forbidden");
}
