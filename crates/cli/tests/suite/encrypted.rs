//! A server with a certificate of its own: calls and sockets, and the end of one.

use std::io::BufRead as _;
use std::process::Stdio;

use serde_json::Value;

use super::stage::Stage;

const MAKE: &str = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout \"$HOME/key.pem\" -out \"$HOME/cert.pem\"";

/// A server that shows a certificate made for it.
fn served() -> Stage {
    let mut stage = Stage::empty();
    let made = stage.shell(MAKE).status().unwrap();
    assert!(made.success(), "openssl could not make a certificate");
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| stage.path(name).display().to_string());
    let settings = format!("[tls]\ncert = {cert:?}\nkey = {key:?}\n");
    let settings = stage.write("tls.toml", &settings);
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0", "--config", &settings]);
    command.stderr(Stdio::null());
    stage.serve_by(command);
    stage
}

#[test]
fn asks_answers_and_the_feed_go_over_an_encrypted_connection() {
    let mut stage = served();
    let mut watching = stage.start(&["inbox", "--watch", "--json"]);
    let mut lines = watching.data().lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    // Far more than one record of the encryption holds.
    let long = "long ".repeat(10_000);
    let asking = stage.start(&["ask", &long, "--choice", "A", "--choice", "B"]);
    let asked = next();
    assert_eq!(asked["questions"][0]["text"], long);
    let id = asked["id"].as_str().unwrap();
    assert_eq!(stage.run(&["answer", id, "--pick", "B"]).code, Some(0));
    assert_eq!(asking.end().data, "B\n");
    let closed = next();
    assert_eq!(closed["id"], asked["id"]);
    assert!(closed["outcome"].is_object(), "{closed}");
    // The goodbye arrives encrypted too: the watcher says why it was cut, and would come back.
    stage.terminate();
    assert_eq!(stage.ended().0, Some(0));
    watching.interrupt();
    let ended = watching.end();
    assert_eq!(ended.code, Some(0));
    assert!(
        ended.said.contains("the server is stopping"),
        "{}",
        ended.said
    );
}
