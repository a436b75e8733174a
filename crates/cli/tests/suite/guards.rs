//! Host and Origin, on every kind of route and before a socket opens.

use serde_json::json;

use super::dialect_doors::{doors, with_conversation};
use super::raw::{Call, Reply};
use super::stage::{Stage, question};

/// A call of every kind, each of which is good but for what the test adds.
fn kinds(stage: &Stage) -> Vec<Call> {
    let (agent, person, admin) = (
        stage.token("agent"),
        stage.token("person"),
        stage.token("admin"),
    );
    let own = [
        Call::get("/"),
        Call::get("/docs"),
        Call::get("/docs/docs.js"),
        Call::get("/health"),
        Call::get("/openapi.json"),
        Call::get("/nothing"),
        Call::get("/v1/asks").token(&person),
        Call::post("/v1/asks")
            .token(&agent)
            .json(&question("Which?", &["A"])),
        Call::post("/v1/tokens")
            .token(&admin)
            .json(&json!({"role": "admin", "name": "evil"})),
        Call::post("/v1/logins/redeem").json(&json!({"code": "x"})),
        Call::get("/metrics").token(&admin),
        Call::get("/v1/feed.sse").token(&person),
        Call::get("/v1/feed").token(&person).upgrade(),
        Call::get("/v1/agent").token(&agent).upgrade(),
        Call::new("OPTIONS", "/v1/asks").header("Access-Control-Request-Method", "POST"),
        Call::post("/v1/pairings").token(&admin),
        Call::post("/v1/push").token(&person),
        Call::post("/v1/samples").token(&person),
        Call::get(format!("/v1/files/{}", "0".repeat(32))).token(&person),
    ];
    let of_dialects = doors().into_iter().map(|door| match door.role() {
        Some("agent") => door.call("").token(&agent),
        Some(_) => door.call("").token(&person),
        None => door.call(""),
    });
    own.into_iter().chain(of_dialects).collect()
}

fn assert_turned_away(reply: &Reply, what: &str) {
    assert_eq!(reply.refusal(), "403 forbidden", "{what}");
    // Nothing in the reply helps a foreign page, and nothing in it runs.
    assert_eq!(reply.header("access-control-allow-origin"), None, "{what}");
    assert_eq!(reply.header("set-cookie"), None, "{what}");
    assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(
        reply.header("content-security-policy"),
        Some("default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
    );
    assert!(reply.header("x-request-id").is_some(), "{what}");
}

#[test]
fn a_host_that_is_not_ours_is_turned_away_everywhere() {
    let stage = Stage::served();
    with_conversation(&stage);
    let port = stage.port();
    let before = stage.traces();
    let ours = format!("127.0.0.1:{port}");
    let mine = ours.as_str();
    let with_port = |host: &str| format!("{host}:{port}");
    let next = format!("127.0.0.1:{}", port.wrapping_add(1).max(1));
    let foreign = [
        "evil.com".to_owned(),
        with_port("evil.com"),
        with_port("0.0.0.0"),
        with_port("[::]"),
        with_port("localhost.evil.com"),
        with_port("127.0.0.1.evil.com"),
        with_port("127.evil.com"),
        with_port("evil-localhost"),
        with_port("localhost."),
        with_port("127.1"),
        with_port("2130706433"),
        with_port("0x7f000001"),
        with_port("127.0.0.2"),
        with_port("[::ffff:127.0.0.1]"),
        with_port("ann@127.0.0.1"),
        format!("{ours}/"),
        format!("{ours}.evil.com"),
        format!("evil.com#{ours}"),
        format!("{ours},evil.com"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        "127.0.0.1:".to_owned(),
        "127.0.0.1:80".to_owned(),
        next,
        String::new(),
    ];
    for call in kinds(&stage) {
        for host in &foreign {
            let reply = stage.call(&call.clone().hosts(&[host]));
            assert_turned_away(&reply, &format!("{} at {host}", call.name()));
        }
        for hosts in [
            &[][..],
            &[mine, mine],
            &[mine, "evil.com"],
            &["evil.com", mine],
        ] {
            let reply = stage.call(&call.clone().hosts(hosts));
            assert_turned_away(&reply, &format!("{} at {hosts:?}", call.name()));
        }
    }
    // A whole address in the first line counts as much as the header.
    for (target, host, good) in [
        (format!("http://{ours}/health"), ours.as_str(), true),
        ("http://evil.com/health".to_owned(), ours.as_str(), false),
        ("http://evil.com/health".to_owned(), "evil.com", false),
        (format!("http://{ours}/health"), "evil.com", false),
    ] {
        let reply = stage.call(&Call::get(&target).hosts(&[host]));
        assert_eq!(reply.status == 200, good, "{target} at {host}");
    }
    for host in ["localhost", "LocalHost", "127.0.0.1", "[::1]"] {
        let reply = stage.call(&Call::get("/health").hosts(&[&with_port(host)]));
        assert_eq!(reply.status, 200, "{host}");
    }
    assert_eq!(stage.traces(), before);
}

#[test]
fn a_page_of_another_origin_is_turned_away_everywhere() {
    let stage = Stage::served();
    with_conversation(&stage);
    let port = stage.port();
    let before = stage.traces();
    let ours = format!("http://127.0.0.1:{port}");
    let foreign = [
        "https://evil.com".to_owned(),
        "null".to_owned(),
        String::new(),
        "http://localhost:9999".to_owned(),
        format!("http://localhost:{port}"),
        format!("https://127.0.0.1:{port}"),
        format!("{ours}/"),
        format!("{ours}.evil.com"),
        "http://127.0.0.1".to_owned(),
        format!("http://127.0.0.1.evil.com:{port}"),
        "file://".to_owned(),
        "chrome-extension://abcdef".to_owned(),
    ];
    for call in kinds(&stage) {
        for origin in &foreign {
            let reply = stage.call(&call.clone().header("Origin", origin));
            assert_turned_away(&reply, &format!("{} from {origin}", call.name()));
        }
        let two = call.clone().header("Origin", &ours).header("Origin", &ours);
        assert_turned_away(&stage.call(&two), "two origins");
        for site in ["cross-site", "same-site", "nonsense"] {
            let reply = stage.call(&call.clone().header("Sec-Fetch-Site", site));
            assert_turned_away(&reply, &format!("{} as {site}", call.name()));
            let call = call.clone().header("Origin", &ours);
            let reply = stage.call(&call.header("Sec-Fetch-Site", site));
            assert_turned_away(&reply, &format!("own origin as {site}"));
        }
    }
    assert_eq!(stage.traces(), before);
    // Our own page, and programs that are no page, come in as if nothing had been looked at.
    for call in kinds(&stage) {
        let plain = call.clone().begin(port).0.status;
        assert_ne!(plain, 403, "{}", call.name());
        let own = call.clone().header("Origin", &ours);
        for call in [
            own.clone(),
            own.header("Sec-Fetch-Site", "same-origin"),
            call.header("Sec-Fetch-Site", "none"),
        ] {
            let reply = call.begin(port).0;
            // A second token of the same name is refused for its name.
            let expected = if plain == 201 && call.name() == "POST /v1/tokens" {
                422
            } else {
                plain
            };
            assert_eq!(reply.status, expected, "{}", call.name());
            assert_eq!(reply.header("access-control-allow-origin"), None);
        }
    }
}
