//! A disk on which there is hardly any room, and another program that reads the journal.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::raw::Call;
use super::stage::{Stage, question, wait_until};

/// Bytes of the disk, and what is left of it once it is nearly full: twelve blocks.
const DISK: usize = 8 * 1024 * 1024;
const LEFT: usize = 12 * 4096;

/// The server on a disk of its own, which only it sees. What comes first is done on that disk.
fn on_small_disk(stage: &Stage, first: &str) -> Command {
    fs::create_dir_all(stage.state()).unwrap();
    let program = env!("CARGO_BIN_EXE_sayso");
    let script = format!(
        "exec unshare --user --map-root-user --mount /bin/sh -c '\
         mount -t tmpfs -o size={DISK},mode=700 tmpfs \"$SAYSO_STATE\" && {first} \
         exec {program} serve --listen 127.0.0.1:0'"
    );
    let mut command = stage.shell(&script);
    command.env("SAYSO_LOG", "error");
    command
}

/// The state as the server sees it.
fn inside(stage: &Stage) -> PathBuf {
    let root = PathBuf::from(format!("/proc/{}/root", stage.pid().as_raw_nonzero()));
    root.join(stage.state().strip_prefix("/").unwrap())
}

#[test]
fn a_start_on_a_full_disk_is_refused_with_what_to_do() {
    let stage = Stage::empty();
    let ballast = DISK - LEFT;
    let first = format!("head -c {ballast} /dev/zero > \"$SAYSO_STATE/ballast\" &&");
    let mut command = on_small_disk(&stage, &first);
    let ended = command.stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("the disk is full (48 KiB free"), "{said}");
    assert!(said.contains("Free some space"), "{said}");
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), "");
}

#[test]
fn a_disk_that_fills_up_costs_no_ask_that_was_acknowledged() {
    let mut stage = Stage::empty();
    stage.serve_by(on_small_disk(&stage, ""));
    let folder = inside(&stage);
    let token = |role: &str| fs::read_to_string(folder.join(format!("{role}.token"))).unwrap();
    let (agent, person) = (token("agent"), token("person"));
    let ask = |text: &str| {
        let call = Call::post("/v1/asks").token(agent.trim());
        stage.call(&call.json(&question(text, &["A"])))
    };
    let mut kept = vec![ask("Before?").with(201)["id"].clone()];
    // Everything but a few blocks is taken, then those are used up.
    let ballast = folder.join("ballast");
    let mut file = fs::File::create(&ballast).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
    let full = file.metadata().unwrap().len();
    file.set_len(full - LEFT as u64).unwrap();
    let mut refusals = 0;
    for at in 0..400 {
        let reply = ask(&format!("{at} {}", "long ".repeat(200)));
        match reply.status {
            201 => kept.push(reply.with(201)["id"].clone()),
            503 => {
                assert!(reply.text().contains("full"), "{}", reply.text());
                refusals += 1;
            }
            other => panic!("{other}: {}", reply.text()),
        }
        if refusals == 20 {
            break;
        }
    }
    assert_eq!(refusals, 20, "the disk fills up");
    let health = stage.call(&Call::get("/v1/health").token(person.trim()));
    assert_eq!(health.with(200)["state"], "try_later");
    // What was acknowledged can be read, and there is room again as soon as there is.
    for id in &kept {
        let target = format!("/v1/asks/{}", id.as_str().unwrap());
        stage
            .call(&Call::get(target).token(person.trim()))
            .with(200);
    }
    fs::remove_file(&ballast).unwrap();
    drop(file);
    wait_until("there is room again", || {
        let reply = ask("After?");
        if reply.status == 201 {
            kept.push(reply.with(201)["id"].clone());
            return true;
        }
        false
    });
    let open = stage.call(&Call::get("/v1/asks?limit=200").token(person.trim()));
    let open = open.with(200);
    let ids: Vec<_> = open["asks"].as_array().unwrap().iter().collect();
    assert_eq!(ids.len(), kept.len().min(200));
    let admin = token("admin");
    let verified = stage.call(&Call::get("/v1/verify").token(admin.trim()));
    assert_eq!(verified.with(200)["faults"], serde_json::json!([]));
}

#[test]
fn erased_text_is_out_of_the_log_once_another_program_stops_reading() {
    let stage = Stage::served();
    let ask = stage.ask(&question("What about marzipan?", &["A"]));
    stage.answer(&ask, "A");
    let script = "python3 -c 'import sqlite3, sys\n\
        journal = sqlite3.connect(sys.argv[1])\n\
        journal.execute(\"begin\")\n\
        journal.execute(\"select count(*) from header\").fetchone()\n\
        print(\"reading\", flush=True)\n\
        sys.stdin.read()' \"$SAYSO_STATE/journal.db\"";
    let mut other = stage.shell(script).stdin(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(other.stdout.take().unwrap());
    lines.read_line(&mut said).unwrap();
    assert_eq!(said, "reading\n");
    let forgotten = stage.run(&["forget", ask["id"].as_str().unwrap(), "--yes"]);
    assert_eq!(forgotten.code, Some(0), "{}", forgotten.said);
    let log = || fs::read(stage.state().join("journal.db-wal")).unwrap_or_default();
    let is_in_log = || log().windows(8).any(|part| part == b"marzipan");
    assert!(is_in_log(), "somebody still reads it");
    let health = stage.by("person", Call::get("/v1/health")).with(200);
    assert!(
        health.to_string().contains("Close that program"),
        "{health}"
    );
    // The other program goes.
    drop(other.stdin.take());
    other.wait().unwrap();
    wait_until("it is out of the log", || !is_in_log());
    wait_until("health is good again", || {
        let health = stage.by("person", Call::get("/v1/health")).with(200);
        !health.to_string().contains("Close that program")
    });
    assert_eq!(stage.run(&["verify"]).code, Some(0));
}
