//! The exit code and the words of every command when something is not as it should be.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, Read};
use std::process::{Command, Stdio};

use serde_json::json;

use super::raw::Call;
use super::stage::{Ended, PATIENCE, Stage, begin, question, text_of, waited};

/// How a command ended, without what differs from run to run.
fn shown(stage: &Stage, ended: &Ended) -> String {
    let mut text = format!("{}\n{}", ended.code.unwrap(), ended.data);
    for line in ended.said.lines() {
        writeln!(text, "{}", format!("! {line}").trim_end()).unwrap();
    }
    masked(&text, stage)
}

fn masked(text: &str, stage: &Stage) -> String {
    let home = text_of(&stage.path(""));
    let text = text.replace(home.trim_end_matches('/'), "[home]");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(char) = rest.chars().next() {
        if let Some(id) = rest.get(..36).filter(|id| is_id(id)) {
            out += "[id]";
            rest = &rest[id.len()..];
        } else if let Some(after) = rest.strip_prefix("127.0.0.1:") {
            out += "127.0.0.1:[port]";
            rest = after.trim_start_matches(|char: char| char.is_ascii_digit());
        } else if let Some((mask, after)) = span(rest) {
            out += mask;
            rest = after;
        } else {
            out.push(char);
            rest = &rest[char.len_utf8()..];
        }
    }
    out
}

/// How long ago something was, or how long it still takes.
fn span(text: &str) -> Option<(&'static str, &str)> {
    if let Some(after) = text.strip_prefix("just now") {
        return Some(("[ago]", after));
    }
    let after = text.trim_start_matches(|char: char| char.is_ascii_digit());
    if after.len() == text.len() {
        return None;
    }
    let (ago, left) = (after.strip_prefix(" s ago"), after.strip_prefix(" s left"));
    ago.map(|after| ("[ago]", after))
        .or(left.map(|after| ("[left]", after)))
}

fn is_id(text: &str) -> bool {
    text.char_indices().all(|(at, char)| match at {
        8 | 13 | 18 | 23 => char == '-',
        _ => char.is_ascii_hexdigit(),
    })
}

/// Runs each of these and gives how they ended.
fn each(stage: &Stage, commands: &[&[&str]]) -> String {
    let mut text = String::new();
    for words in commands {
        let ended = stage.run(words);
        let shown = shown(stage, &ended);
        let words = masked(words.join(" ").trim_end(), stage);
        writeln!(text, "$ sayso {words}\n{}", shown.trim_end()).unwrap();
    }
    text
}

#[test]
fn without_a_server() {
    let stage = Stage::empty();
    let file = stage.write("ask.json", "{}");
    insta::assert_snapshot!(each(&stage, &[
        &["open"],
        &["pair", "whimmy"],
        &["ask", "Ready?"],
        &["approve", "Bash", "--", "true"],
        &["inbox"],
        &["inbox", "--watch"],
        &["answer", "01", "--allow"],
        &["say", "coder", "hi"],
        &["history"],
        &["show", "01"],
        &["token", "new", "--role", "agent", "--name", "ci"],
        &["token", "list"],
        &["token", "revoke", "ci"],
        &["forget", "01"],
        &["backup", "copy.db"],
        &["verify"],
        &["rebuild"],
        &["restore", &file],
    ]), @r"
    $ sayso open
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso pair whimmy
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso ask Ready?
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso approve Bash -- true
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso inbox
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso inbox --watch
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso answer 01 --allow
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso say coder hi
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso history
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso show 01
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso token new --role agent --name ci
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso token list
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso token revoke ci
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso forget 01
    20
    ! error: no server is running for the state in [home]/state
    !
    ! hint: start the server with `sayso serve`
    $ sayso backup copy.db
    21
    ! error: there is no journal in [home]/state
    !
    ! hint: set the state folder with --state or SAYSO_STATE
    $ sayso verify
    21
    ! error: there is no journal in [home]/state
    !
    ! hint: set the state folder with --state or SAYSO_STATE
    $ sayso rebuild
    21
    ! error: there is no journal in [home]/state
    !
    ! hint: set the state folder with --state or SAYSO_STATE
    $ sayso restore [home]/ask.json
    30
    ! error: [home]/ask.json is damaged: file is not a database; restore a backup with `sayso restore FILE`, or run `sayso verify` to see what is readable
    ");
    // None of them left a state behind that was not there.
    assert!(!stage.state().join("journal.db").exists());
}

#[test]
fn with_a_server_that_was_killed() {
    let mut stage = Stage::served();
    stage.kill();
    insta::assert_snapshot!(each(&stage, &[&["ask", "Ready?"], &["inbox"], &["open"], &["token", "list"]]), @r"
    $ sayso ask Ready?
    20
    ! error: cannot reach the server at http://127.0.0.1:[port]: connection refused
    !
    ! hint: start the server with `sayso serve`
    $ sayso inbox
    20
    ! error: cannot reach the server at http://127.0.0.1:[port]: connection refused
    !
    ! hint: start the server with `sayso serve`
    $ sayso open
    20
    ! error: cannot reach the server at http://127.0.0.1:[port]: connection refused
    !
    ! hint: start the server with `sayso serve`
    $ sayso token list
    20
    ! error: cannot reach the server at http://127.0.0.1:[port]: connection refused
    !
    ! hint: start the server with `sayso serve`
    ");
    // What needs no server goes on without one.
    let copy = text_of(&stage.path("copy.db"));
    insta::assert_snapshot!(each(&stage, &[&["backup", &copy], &["rebuild"], &["restore", &copy]]), @r"
    $ sayso backup [home]/copy.db
    0
    ! written to [home]/copy.db
    $ sayso rebuild
    0
    ! rebuilt from 4 entries
    $ sayso restore [home]/copy.db
    0
    ! restored 4 entries; 0 open asks are withdrawn
    ! the previous journal is kept as [home]/state/journal.db.before-restore
    ! start the server with `sayso serve`
    ");
}

#[test]
fn with_wrong_usage() {
    let stage = Stage::served();
    let file = stage.write(
        "bad.json",
        "{\"matter\":\"questions\",\"questions\":[{\"text\":5}]}",
    );
    let missing = text_of(&stage.path("missing.json"));
    let elsewhere = text_of(&stage.path("elsewhere"));
    let ask = stage.ask(&question("Which?", &["A"]));
    let id = ask["id"].as_str().unwrap();
    insta::assert_snapshot!(each(&stage, &[
        &["ask", "--file", &file],
        &["ask", "--file", &missing],
        &["ask", "Ready?", "--timeout", "soon"],
        &["approve", "Bash", "--input", "no json"],
        &["answer", id],
        &["answer", id, "--fields", "[]"],
        &["answer", id, "--question", "2", "--pick", "A"],
        &["answer", id, "--allow"],
        &["answer", "no id", "--pick", "A"],
        &["show", "no id"],
        &["token", "new", "--role", "agent", "--name", "x", "--person", "ann"],
        &["--listen", "127.0.0.1:0", "inbox"],
        &["--config", &missing, "inbox"],
        &["--state", &elsewhere, "serve", "--listen", "0.0.0.0:0"],
    ]), @r"
    $ sayso ask --file [home]/bad.json
    2
    ! error: [home]/bad.json is not an ask: /questions/0/text: invalid type: integer `5`, expected a string
    $ sayso ask --file [home]/missing.json
    2
    ! error: cannot read [home]/missing.json: No such file or directory (os error 2)
    $ sayso ask Ready? --timeout soon
    2
    ! error: invalid value 'soon' for '--timeout <TIME>': `soon` is not a duration such as 90s, 5m, 2h or 1h30m
    !
    ! For more information, try '--help'.
    $ sayso approve Bash --input no json
    2
    ! error: --input is not JSON: expected ident at line 1 column 2
    $ sayso answer [id]
    2
    ! error: no answer was given
    !
    ! hint: use --pick, --other, --fields, --allow, --deny or --dismiss; see `sayso answer --help`
    $ sayso answer [id] --fields []
    2
    ! error: --fields is not a JSON object: invalid type: sequence, expected an object at line 1 column 0
    $ sayso answer [id] --question 2 --pick A
    2
    ! error: there is no question 2: this ask has 1, numbered from 1
    !
    ! hint: `sayso show [id]` numbers them
    $ sayso answer [id] --allow
    21
    ! error: The request is invalid:
    !   wrong kind of answer: this ask has questions: send `replies`
    !
    ! hint: `sayso show [id]` lists the possible answers
    $ sayso answer no id --pick A
    2
    ! error: `no id` is not an id or the start of one
    !
    ! hint: `sayso inbox` lists the ids
    $ sayso show no id
    2
    ! error: `no id` is not an id or the start of one
    !
    ! hint: `sayso inbox` lists the ids
    $ sayso token new --role agent --name x --person ann
    2
    ! error: --person needs --role person
    $ sayso --listen 127.0.0.1:[port] inbox
    2
    ! error: --listen is only allowed with `serve`
    $ sayso --config [home]/missing.json inbox
    2
    ! error: cannot read the settings in [home]/missing.json: No such file or directory (os error 2)
    $ sayso --state [home]/elsewhere serve --listen 0.0.0.0:0
    2
    ! error: 0.0.0.0:0 can be reached from other machines, but connections to it are not encrypted
    !
    ! hint: listen on 127.0.0.1, set a certificate (tls.cert and tls.key), or declare the proxy that encrypts (proxy)
    ");
}

#[test]
fn with_a_server_that_refuses() {
    let stage = Stage::served();
    let ask = stage.ask(&question("Which?", &["A"]));
    let id = ask["id"].as_str().unwrap();
    let nobody = "01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c";
    let copy = text_of(&stage.path("copy.db"));
    stage.run(&["backup", &copy]);
    let asked = stage.start(&["ask", "Once?", "--key", "k"]);
    stage.open_asks(2);
    insta::assert_snapshot!(each(&stage, &[
        &["ask", ""],
        &["ask", "Something else?", "--key", "k"],
        &["answer", id, "--pick", "C"],
        &["show", nobody],
        &["show", "ffff"],
        &["answer", nobody, "--pick", "A"],
        &["forget", id],
        &["forget", nobody],
        &["token", "new", "--role", "agent", "--name", "shell"],
        &["token", "new", "--role", "agent", "--name", ""],
        &["token", "revoke", "nobody"],
        &["backup", &copy],
        &["restore", &copy],
        &["rebuild"],
        &["serve", "--listen", "127.0.0.1:0"],
    ]), @r"
    $ sayso ask
    21
    ! error: The request is invalid:
    !   /questions/0/text: is empty
    !
    ! hint: Fix the listed problems and send the request again.
    $ sayso ask Something else? --key k
    21
    ! error: The key was used [ago] for the ask [id], which has different content.
    !
    ! hint: Use a new key for a new ask.
    $ sayso answer [id] --pick C
    21
    ! error: The request is invalid:
    !   /replies/0/labels/0: `C` is not one of the choices: `A`
    !
    ! hint: `sayso show [id]` lists the possible answers
    $ sayso show [id]
    21
    ! error: There is no ask with this id, or you are not allowed to see it.
    !
    ! hint: Check the URL and the id.
    $ sayso show ffff
    21
    ! error: no ask id starts with ffff
    !
    ! hint: `sayso inbox` and `sayso history` list the ids; older asks need the full id
    $ sayso answer [id] --pick A
    21
    ! error: There is no ask with this id, or you are not allowed to see it.
    !
    ! hint: Check the URL and the id.
    $ sayso forget [id]
    21
    ! error: The request is invalid:
    !   this ask is still open: withdraw or answer it first
    !
    ! hint: Fix the listed problems and send the request again.
    $ sayso forget [id]
    21
    ! error: There is no ask with this id, or you are not allowed to see it.
    !
    ! hint: Check the URL and the id.
    $ sayso token new --role agent --name shell
    21
    ! error: The request is invalid:
    !   a token named shell already exists; revoke it or use another name
    !
    ! hint: Fix the listed problems and send the request again.
    $ sayso token new --role agent --name
    21
    ! error: The request is invalid:
    !   /name: is not a token name of 1 to 256 bytes
    !
    ! hint: Fix the listed problems and send the request again.
    $ sayso token revoke nobody
    21
    ! error: there is no valid token nobody
    !
    ! hint: `sayso token list` lists them
    $ sayso backup [home]/copy.db
    2
    ! error: [home]/copy.db already exists; a backup never overwrites a file
    $ sayso restore [home]/copy.db
    31
    ! error: the state in [home]/state is in use by another sayso server; stop it, or start this one with another --state
    $ sayso rebuild
    31
    ! error: the state in [home]/state is in use by another sayso server; stop it, or start this one with another --state
    $ sayso serve --listen 127.0.0.1:[port]
    31
    ! error: the state in [home]/state is in use by another sayso server; stop it, or start this one with another --state
    ");
    drop(asked);
    let with = |token: &str, words: &[&str]| {
        let ended = stage
            .command(words)
            .env("SAYSO_TOKEN", token)
            .output()
            .unwrap();
        shown(&stage, &Ended::of(ended))
    };
    insta::assert_snapshot!(with("say_agent_nonsense", &["ask", "Ready?"]), @r"
    21
    ! error: The token is invalid or was revoked.
    !
    ! hint: Send a valid token in the Authorization header.
    ");
    insta::assert_snapshot!(with(&stage.token("person"), &["ask", "Ready?"]), @r"
    21
    ! error: This needs a token with the role agent; yours has the role person.
    !
    ! hint: Use a token with the required role.
    ");
    insta::assert_snapshot!(with(&stage.token("agent"), &["inbox"]), @r"
    21
    ! error: This needs a token with the role person; yours has the role agent.
    !
    ! hint: Use a token with the required role.
    ");
    insta::assert_snapshot!(with(&stage.token("agent"), &["answer", id, "--pick", "A"]), @r"
    21
    ! error: This needs a token with the role person; yours has the role agent.
    !
    ! hint: Use a token with the required role.
    ");
    insta::assert_snapshot!(with(&stage.token("person"), &["open"]), @r"
    21
    ! error: This needs a token with the role admin; yours has the role person.
    !
    ! hint: Use a token with the required role.
    ");
}

#[test]
fn with_an_agent_that_asks_too_much() {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command
        .env("SAYSO_ASKS_PER_MINUTE", "1")
        .stderr(Stdio::null());
    stage.serve_by(command);
    stage.ask(&question("First?", &["A"]));
    let ended = stage.run(&["ask", "Second?"]);
    assert_eq!(ended.code, Some(22));
    assert!(
        ended
            .said
            .starts_with("error: This token sends asks faster than its limit allows. Retry in ")
            && ended.said.contains("\n\nhint: "),
        "{}",
        ended.said
    );
    // Another token is not slowed down by it.
    let other = stage.new_token("agent", "other");
    let ask = Call::post("/v1/asks")
        .token(&other)
        .json(&question("Mine?", &["A"]));
    assert_eq!(stage.call(&ask).status, 201);
}

#[test]
fn how_a_wait_can_end() {
    let stage = Stage::served();
    let wait = |words: &[&str], end: &dyn Fn(&str)| {
        let waiting = stage.start(words);
        end(&stage.open_ask());
        shown(&stage, &waiting.end())
    };
    let answer = |words: &'static [&'static str]| {
        let stage = &stage;
        move |id: &str| {
            let ended = stage.run(&[&["answer", id][..], words].concat());
            assert_eq!(ended.code, Some(0), "{}", ended.said);
        }
    };
    let ask = &["ask", "Which?", "--choice", "A", "--choice", "B"];
    insta::assert_snapshot!(wait(ask, &answer(&["--pick", "B"])), @r"
    0
    B
    ! waiting for an answer to [id]; Ctrl-C withdraws it
    ");
    insta::assert_snapshot!(wait(ask, &answer(&["--dismiss", "--note", "later"])), @r"
    11
    ! waiting for an answer to [id]; Ctrl-C withdraws it
    ! dismissed by ann on terminal (later)
    ");
    let approve = &["approve", "Bash", "--input", "{\"command\":\"true\"}"];
    insta::assert_snapshot!(wait(approve, &answer(&["--allow"])), @r"
    0
    ! waiting for an answer to [id]; Ctrl-C withdraws it
    ! allowed, by ann on terminal
    ");
    insta::assert_snapshot!(wait(approve, &answer(&["--deny", "--note", "not now"])), @r"
    10
    ! waiting for an answer to [id]; Ctrl-C withdraws it
    ! denied (not now), by ann on terminal
    ");
    insta::assert_snapshot!(wait(approve, &answer(&["--allow", "--edit", "{\"command\":\"false\"}"])), @r#"
    0
    {"command":"false"}
    ! waiting for an answer to [id]; Ctrl-C withdraws it
    ! allowed with an edited input, by ann on terminal
    "#);
    // The same agent takes it back by another way.
    insta::assert_snapshot!(wait(ask, &|id| {
        let call = Call::post(format!("/v1/asks/{id}/withdraw")).json(&json!({"note": "no longer"}));
        assert_eq!(stage.by("agent", call).status, 200);
    }), @r"
    13
    ! waiting for an answer to [id]; Ctrl-C withdraws it
    ! withdrawn by its agent (no longer)
    ");
    let expired = stage.run(&["approve", "Bash", "--input", "{}", "--timeout", "1s"]);
    insta::assert_snapshot!(shown(&stage, &expired), @r"
    12
    ! waiting for an answer to [id], [left]; Ctrl-C withdraws it
    ! expired
    ");
    let waiting = stage.start(ask);
    let id = stage.open_ask();
    waiting.interrupt();
    insta::assert_snapshot!(shown(&stage, &waiting.end()), @r"
    130
    ! waiting for an answer to [id]; Ctrl-C withdraws it
    ! withdrawn
    ");
    let withdrawn = stage.run(&["answer", &id, "--pick", "A"]);
    insta::assert_snapshot!(shown(&stage, &withdrawn), @r"
    14
    withdrawn by its agent (The asking command was interrupted.)
    ! error: this ask was already closed; the outcome that counts is printed
    ");
}

#[test]
fn a_damaged_journal_is_named() {
    let mut stage = Stage::served();
    stage.answer(&stage.ask(&question("Before?", &["A"])), "A");
    stage.kill();
    let journal = stage.state().join("journal.db");
    for name in ["journal.db-wal", "journal.db-shm"] {
        drop(fs::remove_file(stage.state().join(name)));
    }
    fs::write(&journal, "this is not a journal").unwrap();
    insta::assert_snapshot!(each(&stage, &[&["serve", "--listen", "127.0.0.1:0"], &["verify"], &["rebuild"]]), @r"
    $ sayso serve --listen 127.0.0.1:[port]
    30
    ! error: journal.db is damaged: the file is not a database; restore a backup with `sayso restore FILE`, or run `sayso verify` to see what is readable
    $ sayso verify
    30
    ! error: journal.db is damaged: file is not a database; restore a backup with `sayso restore FILE`, or run `sayso verify` to see what is readable
    $ sayso rebuild
    30
    ! error: journal.db is damaged: the file is not a database; restore a backup with `sayso restore FILE`, or run `sayso verify` to see what is readable
    ");
    assert_eq!(
        fs::read_to_string(&journal).unwrap(),
        "this is not a journal"
    );
}

#[test]
fn watching_shows_what_comes_and_goes_across_a_restart() {
    let mut stage = Stage::served();
    let port = stage.port();
    let first = stage.ask(&question("There before?", &["A"]));
    let mut watching = stage.start(&["inbox", "--watch", "--json"]);
    let mut lines = watching.data().lines();
    let mut next =
        || -> serde_json::Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["id"], first["id"]);
    let second = stage.ask(&question("New?", &["A"]));
    assert_eq!(next()["id"], second["id"]);
    stage.kill();
    stage.serve_at(port);
    let closed = stage.answer(&first, "A");
    let seen = next();
    assert_eq!(seen["id"], first["id"]);
    assert_eq!(seen["outcome"], closed["outcome"]);
    watching.interrupt();
    assert_eq!(watching.end().code, Some(0));
}

#[test]
#[cfg(target_os = "linux")]
#[expect(
    clippy::disallowed_methods,
    reason = "script(1) makes a terminal for the command"
)]
fn on_a_terminal_the_wait_shows_and_goes_away() {
    let stage = Stage::served();
    let plain = stage.command(&[]);
    let line = format!(
        "{} ask 'Which?' --choice A --timeout 10m",
        env!("CARGO_BIN_EXE_sayso")
    );
    let mut command = Command::new("script");
    command
        .args(["-qec", &line, "/dev/null"])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .current_dir(stage.path(""));
    for (name, value) in plain.get_envs() {
        command.env(name, value.unwrap());
    }
    let mut child = command.spawn().unwrap();
    let id = stage.open_ask();
    assert_eq!(stage.run(&["answer", &id, "--pick", "A"]).code, Some(0));
    let begun = begin();
    while child.try_wait().unwrap().is_none() {
        assert!(waited(begun) < PATIENCE, "the command hangs");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let mut seen = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut seen)
        .unwrap();
    assert!(child.wait().unwrap().success());
    let line = format!("\r\u{1b}[Kwaiting for an answer to {id}, ");
    assert!(seen.starts_with(&line), "{seen:?}");
    assert!(seen.contains(" left; Ctrl-C withdraws it"), "{seen:?}");
    assert!(seen.ends_with("\r\u{1b}[KA\r\n"), "{seen:?}");
}

#[test]
fn what_agents_write_cannot_move_the_terminal() {
    let stage = Stage::served();
    let bad = "a\u{1b}[2J\u{1b}]52;c;eA==\u{7}\u{9b}31m\u{202e}\u{200b}\r\n\u{0}b";
    let mut new = question(bad, &[bad]);
    new["title"] = json!(bad);
    new["questions"][0]["tag"] = json!(bad);
    new["agent"] = json!("a\u{202e}gent");
    new["conversation"] = json!("c\u{202e}\u{200b}");
    let ask = stage.ask(&new);
    let id = ask["id"].as_str().unwrap();
    let plain = |ended: &Ended| {
        for char in ended.data.chars().chain(ended.said.chars()) {
            let harmless =
                char == '\n' || !(char.is_control() || ('\u{200b}'..='\u{202e}').contains(&char));
            assert!(harmless, "{char:?} in {ended:?}");
        }
    };
    for words in [
        &["inbox"][..],
        &["show", id],
        &["answer", id, "--pick", "c"],
        &["answer", id, "--pick", bad],
        &["history"],
        &["show", id],
    ] {
        // An argument cannot have a zero byte in it.
        let words: Vec<String> = words.iter().map(|word| word.replace('\0', "")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        plain(&stage.run(&words));
    }
    let closed = stage.answer(&ask, bad);
    assert_eq!(
        closed["outcome"]["answer"]["replies"][0]["labels"],
        json!([bad])
    );
    stage.caught_up();
    for words in [
        &["history"][..],
        &["show", id],
        &["answer", id, "--pick", "c"],
    ] {
        plain(&stage.run(words));
    }
}
