//! Full disks, polite ends and rude ones: nothing that was acknowledged is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::raw::Call;
use super::socket::{Frame, Socket};
use super::stage::{PATIENCE, Stage, begin, question, waited};

#[cfg(target_os = "linux")]
mod full_disk {
    use rustix::process::{Resource, Rlimit, prlimit};

    use super::*;

    /// Lets the server write no byte to any file, or any number again. A write beyond the limit is
    /// an error, and a signal that kills whoever does not expect it.
    fn limit_files(stage: &Stage, bytes: Option<u64>) {
        let limit = Rlimit {
            current: bytes,
            maximum: None,
        };
        prlimit(Some(stage.pid()), Resource::Fsize, limit).unwrap();
    }

    #[test]
    fn a_full_disk_refuses_what_is_new_and_recovers_by_itself() {
        let mut stage = Stage::served();
        let open = stage.ask(&question("Before?", &["A"]));
        let form = json!({"matter": "form", "form": {"message": "m", "fields": [{"name": "s", "kind": "secret"}]}});
        let form = stage.ask(&form);
        let closed = stage.answer(&stage.ask(&question("Long before?", &["A"])), "A");
        let before = stage.traces();
        let mut feed = Socket::open(
            Call::get("/v1/feed").token(&stage.token("person")),
            stage.port(),
        )
        .unwrap();
        feed.event("ready");
        let mut agent = Socket::open(
            Call::get("/v1/agent").token(&stage.token("agent")),
            stage.port(),
        )
        .unwrap();
        assert_eq!(agent.next_json()["id"], closed["id"]);

        limit_files(&stage, Some(0));
        let new = Call::post("/v1/asks").json(&question("Now?", &["A"]));
        let at =
            |ask: &Value, what: &str| format!("/v1/asks/{}{what}", ask["id"].as_str().unwrap());
        let fields = json!({"digest": form["digest"], "fields": {"s": "x"}});
        for round in 0..3 {
            for (role, call) in [
                ("agent", new.clone()),
                ("agent", new.clone().header("Idempotency-Key", "k")),
                ("person", super::super::stage::answering(&open, "A")),
                ("person", Call::post(at(&form, "/answer")).json(&fields)),
                (
                    "person",
                    Call::post(at(&open, "/dismiss")).json(&json!({"digest": open["digest"]})),
                ),
                ("agent", Call::post(at(&open, "/withdraw"))),
                (
                    "admin",
                    Call::post("/v1/tokens").json(&json!({"role": "agent", "name": "ci"})),
                ),
                ("admin", Call::post(at(&closed, "/forget"))),
            ] {
                let name = call.name();
                let reply = stage.by(role, call);
                assert_eq!(reply.refusal(), "503 try_later", "{name} in round {round}");
                assert!(reply.header("retry-after").is_some(), "{name}");
            }
            // Everything can still be read.
            assert_eq!(stage.look(&open["id"])["state"], "open");
            assert_eq!(
                stage.by("person", Call::get("/v1/asks")).with(200)["asks"],
                before.1["asks"]
            );
            assert_eq!(stage.look(&closed["id"])["outcome"], closed["outcome"]);
            assert_eq!(stage.call(&Call::get("/health")).status, 503);
            let health = stage.by("person", Call::get("/v1/health")).with(200);
            assert_eq!(health["state"], "try_later");
        }
        agent.send(&json!({"do": "ask", "ref": "r", "ask": question("Now?", &["A"])}));
        assert_eq!(agent.event("problem")["problem"]["code"], "try_later");
        feed.send(
            &json!({"do": "dismiss", "ref": "r", "id": open["id"], "digest": open["digest"]}),
        );
        assert_eq!(feed.event("problem")["problem"]["code"], "try_later");
        let ended = stage.run(&["ask", "Now?"]);
        assert_eq!(
            (ended.code, ended.data.as_str()),
            (Some(22), ""),
            "{}",
            ended.said
        );
        assert!(ended.said.starts_with("error: "), "{}", ended.said);
        let ended = stage.run(&["answer", open["id"].as_str().unwrap(), "--pick", "A"]);
        assert_eq!(ended.code, Some(22), "{}", ended.said);

        limit_files(&stage, None);
        let done = stage.answer(&open, "A");
        assert_eq!(stage.call(&Call::get("/health")).status, 200);
        let after = stage.ask(&question("After?", &["A"]));
        // Nobody was told of anything that was refused.
        assert_eq!(feed.event("closed")["ask"]["id"], open["id"]);
        assert_eq!(feed.event("asked")["ask"]["id"], after["id"]);
        assert_eq!(agent.event("outcome")["id"], open["id"]);
        let verified = stage.by("admin", Call::get("/v1/verify")).with(200);
        assert_eq!(verified["faults"], json!([]));
        stage.kill();
        stage.serve();
        assert_eq!(stage.look(&open["id"])["outcome"], done["outcome"]);
        let ids: Vec<Value> = stage
            .open_asks(2)
            .iter()
            .map(|ask| ask["id"].clone())
            .collect();
        assert_eq!(ids, [form["id"].clone(), after["id"].clone()]);
    }

    #[test]
    fn a_disk_that_fills_up_under_load_loses_nothing_it_acknowledged() {
        let mut stage = Stage::empty();
        let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
        command
            .env("SAYSO_ASKS_PER_MINUTE", "0")
            .stderr(std::process::Stdio::null());
        stage.serve_by(command);
        let text = "x".repeat(20_000);
        let ask = |at: u32| {
            let mut new = question(&format!("{at}?"), &["A"]);
            new["title"] = json!(format!("{at}"));
            new["questions"][0]["choices"][0]["preview"] = json!(text);
            stage.by("agent", Call::post("/v1/asks").json(&new))
        };
        limit_files(&stage, Some(2 * 1024 * 1024));
        let mut taken = Vec::new();
        let mut refused = 0;
        for at in 0..300 {
            let reply = ask(at);
            if reply.status == 201 {
                taken.push(reply.json()["id"].clone());
            } else {
                assert_eq!(reply.refusal(), "503 try_later");
                refused += 1;
            }
        }
        assert!(
            !taken.is_empty() && refused > 0,
            "{} {refused}",
            taken.len()
        );
        limit_files(&stage, None);
        taken.push(ask(1000).with(201)["id"].clone());
        stage.kill();
        stage.serve();
        let ids: Vec<Value> = stage
            .open_asks(taken.len())
            .iter()
            .map(|ask| ask["id"].clone())
            .collect();
        assert_eq!(ids, taken);
        assert!(stage.run(&["verify"]).data.starts_with("sound: "));
    }
}

#[test]
fn a_polite_end_under_load_keeps_what_it_took() {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command
        .env("SAYSO_ASKS_PER_MINUTE", "0")
        .stderr(std::process::Stdio::null());
    stage.serve_by(command);
    let port = stage.port();
    let (agent, person) = (stage.token("agent"), stage.token("person"));
    let feed = Socket::open(Call::get("/v1/feed").token(&person), port).unwrap();
    let idle = Socket::open(Call::get("/v1/agent").token(&agent), port).unwrap();
    let waiting = stage.ask(&question("Who waits?", &["A"]));
    let waits = Call::get(format!(
        "/v1/asks/{}?wait=50",
        waiting["id"].as_str().unwrap()
    ))
    .token(&agent)
    .start(port);
    let count = Arc::new(AtomicUsize::new(0));
    let askers: Vec<_> = (0..4)
        .map(|asker| {
            let (agent, count) = (agent.clone(), Arc::clone(&count));
            thread::spawn(move || keep_asking(port, &agent, asker, &count))
        })
        .collect();
    let begun = begin();
    while count.load(Ordering::Relaxed) < 100 {
        assert!(waited(begun) < PATIENCE, "nobody gets to ask");
        thread::yield_now();
    }
    let begun = begin();
    stage.terminate();
    let mut taken: Vec<String> = askers
        .into_iter()
        .flat_map(|asker| asker.join().unwrap())
        .collect();
    let (code, _) = stage.ended();
    assert_eq!(code, Some(0));
    assert!(
        waited(begun) < Duration::from_secs(8),
        "{:?}",
        waited(begun)
    );
    let goodbye = Frame::Closed(1001, "the server is stopping".to_owned());
    assert_eq!(idle.rest(PATIENCE).pop(), Some(goodbye.clone()));
    assert_eq!(feed.rest(PATIENCE).pop(), Some(goodbye));
    let mut waits = waits;
    let last = super::raw::Reply::read(&mut waits);
    assert!(last.status == 200 || last.status == 503, "{last:?}");
    assert!(!stage.state().join("server.json").exists());
    // What was acknowledged is open after the next start; nothing else than what was sent is.
    stage.serve();
    taken.push(waiting["id"].as_str().unwrap().to_owned());
    let ended = stage.run(&["inbox", "--json"]);
    for id in &taken {
        assert!(ended.data.contains(id), "{id} is gone");
    }
    assert!(ended.data.lines().count() <= taken.len() + 4);
    assert!(stage.run(&["verify"]).data.starts_with("sound: "));
}

/// Asks until the server no longer takes asks in; gives the ids of those that it took.
fn keep_asking(port: u16, secret: &str, asker: u32, count: &AtomicUsize) -> Vec<String> {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpStream};

    let mut taken = Vec::new();
    loop {
        let body = question(&format!("{asker} {}?", taken.len()), &["A"]).to_string();
        let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else {
            return taken;
        };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let text = format!(
            "POST /v1/asks HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {secret}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut reply = String::new();
        let sent = stream.write_all(text.as_bytes());
        if sent
            .and_then(|()| stream.read_to_string(&mut reply))
            .is_err()
            || reply.is_empty()
        {
            return taken;
        }
        let Some((head, body)) = reply.split_once("\r\n\r\n") else {
            return taken;
        };
        if !head.starts_with("HTTP/1.1 201") {
            assert!(head.starts_with("HTTP/1.1 503"), "{reply}");
            return taken;
        }
        let ask: Value = serde_json::from_str(body).unwrap();
        taken.push(ask["id"].as_str().unwrap().to_owned());
        count.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_second_server_is_refused_at_once_and_the_next_one_starts_at_once() {
    let mut stage = Stage::served();
    let ask = stage.ask(&question("Which?", &["A"]));
    let begun = begin();
    let second = stage.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(waited(begun) < Duration::from_secs(2));
    assert_eq!((second.code, second.data.as_str()), (Some(31), ""));
    // The first one did not notice.
    assert_eq!(stage.look(&ask["id"])["state"], "open");
    for _ in 0..3 {
        stage.kill();
        let begun = begin();
        stage.serve();
        assert!(waited(begun) < Duration::from_secs(2));
        assert_eq!(stage.look(&ask["id"])["state"], "open");
    }
    stage.answer(&ask, "A");
}
