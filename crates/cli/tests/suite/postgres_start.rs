//! Starts on PostgreSQL that cannot work, or not yet: what is said, how soon, and with which code.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Child;
use std::time::Duration;

use sayso_testkit::PgProxy;
use sayso_testkit::pg::cluster;

use super::on_postgres::{key, start};
use super::stage::{PATIENCE, Running, Stage, begin, text_of, waited};

/// Half of the time for which a database that is away is tried again.
const AT_ONCE: Duration = Duration::from_secs(15);

/// A start that must end at once with code 1.
fn refusal(stage: &Stage, url: &str, more: &[&str]) -> String {
    let words = ["serve", "--listen", "127.0.0.1:0", "--store", url];
    let begun = begin();
    let ended = Running::of(stage.command(&[&words[..], more].concat()).spawn().unwrap()).end();
    assert!(waited(begun) < AT_ONCE, "{ended:?}");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    ended.said
}

#[test]
fn settings_that_cannot_be_right_are_refused_with_a_sentence() {
    let stage = Stage::empty();
    let cases: [(&[&str], &str, &str, &str); 13] = [
        (
            &["--store", "mysql://a/b"],
            "",
            "",
            "must start with postgres://",
        ),
        (
            &["--store", "host=a dbname=b"],
            "",
            "",
            "must start with postgres://",
        ),
        (
            &["--store", "postgres://node:canary@a/b"],
            "",
            "",
            "PGPASSWORD",
        ),
        (
            &["--store", "postgresql://a/b?user=node&password=canary"],
            "",
            "",
            "~/.pgpass",
        ),
        (
            &["--store", "postgres://a:canary/b"],
            "",
            "",
            "the port is not a number",
        ),
        (
            &[],
            "SAYSO_STORE_URL",
            "mysql://node:canary@a/b",
            "SAYSO_STORE_URL: must start with",
        ),
        (
            &[],
            "SAYSO_STORE_DURABILITY",
            "yes",
            "not checked or trusted",
        ),
        (&[], "SAYSO_STORE_POLL", "1ms", "between 10ms and 10s"),
        (&[], "SAYSO_STORE_POLL", "soon", "250ms"),
        (&[], "SAYSO_STORE_READERS", "0", "between 1 and 64"),
        (&["--node", ""], "", "", "1 to 64 bytes"),
        (&["--node", "a\u{7}b"], "", "", "no control characters"),
        (&[], "SAYSO_NODE_NAME", &"n".repeat(65), "1 to 64 bytes"),
    ];
    for (words, name, value, said) in cases {
        let mut command = stage.command(&[&["serve"][..], words].concat());
        if !name.is_empty() {
            command.env(name, value);
        }
        let ended = Running::of(command.spawn().unwrap()).end();
        assert_eq!(ended.code, Some(2), "{words:?} {name}: {ended:?}");
        assert!(
            ended.said.contains(said),
            "{words:?} {name}: {}",
            ended.said
        );
        assert!(
            !ended.said.contains("canary"),
            "{words:?} {name}: {}",
            ended.said
        );
    }
    let ended = stage.run(&["nodes"]);
    assert_eq!(ended.code, Some(20));
    assert!(ended.said.contains("--store URL"), "{}", ended.said);
}

#[test]
fn what_stays_wrong_ends_a_start_at_once() {
    let url = cluster().url();
    let mut node = Stage::empty();
    let key = key(&node);
    let stage = Stage::empty();
    let key_file: &[&str] = &["--key-file", &key];
    let said = refusal(
        &stage,
        &url.replace("dbname=sayso", "dbname=nowhere"),
        key_file,
    );
    assert!(
        said.contains("\"nowhere\" does not exist") && said.contains("CREATE DATABASE"),
        "{said}"
    );
    let said = refusal(&stage, &url.replace("user=node", "user=nobody"), key_file);
    assert!(said.contains("role \"nobody\" does not exist"), "{said}");
    let said = refusal(&stage, &url, &["--key-file", "/no/such/key"]);
    assert!(said.contains("sayso key new /no/such/key"), "{said}");
    let short = stage.write("short.key", "too short");
    let said = refusal(&stage, &url, &["--key-file", &short]);
    assert!(said.contains("other users can read the key file"), "{said}");
    fs::set_permissions(&short, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let said = refusal(&stage, &url, &["--key-file", &short]);
    assert!(said.contains("is not a key file"), "{said}");
    for mode in ["prefer", "allow", "verify-ca", "yes"] {
        let said = refusal(&stage, &format!("{url}&sslmode={mode}"), key_file);
        assert!(said.contains("verify-full"), "{said}");
    }
    let said = refusal(&stage, &format!("{url}&sslrootcert=/no/such.pem"), key_file);
    assert!(said.contains("/no/such.pem"), "{said}");

    // A server that takes no writes, alone and as every host of a list.
    cluster().psql(
        "postgres",
        "CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on",
    );
    let reader = url.replace("user=node", "user=reader");
    let folder = text_of(cluster().socket().parent().unwrap());
    let twice = reader.replace(&folder, &format!("{folder},{folder}"));
    for url in [&reader, &twice] {
        let said = refusal(&stage, url, key_file);
        assert!(
            said.contains("accepts no writes") && said.contains("primary"),
            "{said}"
        );
    }
    // A user that may not make a schema.
    cluster().psql("postgres", "CREATE ROLE guest LOGIN");
    let said = refusal(&stage, &url.replace("user=node", "user=guest"), key_file);
    assert!(said.contains("GRANT CREATE ON DATABASE"), "{said}");

    start(&mut node, &url, &key, "node", &[]);
    let said = refusal(&stage, &url, &["--node", "other"]);
    assert!(
        said.contains("not the key of this journal") && said.contains("--key-file FILE"),
        "{said}"
    );
    let said = refusal(&stage, &url.replace("user=node", "user=guest"), key_file);
    assert!(
        said.contains("no permission to use the schema sayso"),
        "{said}"
    );
    let meta = |set: &str| cluster().psql("sayso", &format!("UPDATE sayso.meta SET {set}"));
    meta("level = level + 1000");
    let said = refusal(&stage, &url, key_file);
    assert!(said.contains("newer"), "{said}");
    meta("level = level - 1000, moved = 'sqlite:/there'");
    let said = refusal(&stage, &url, key_file);
    assert!(said.contains("sqlite:/there"), "{said}");
    meta("moved = NULL");
    start(&mut Stage::empty(), &url, &key, "later", &[]);
}

/// The lines of a process about trying again, until one that is no such line.
fn tries(child: &mut Child) -> usize {
    let said = BufReader::new(child.stderr.take().unwrap());
    let lines = said.lines().map_while(Result::ok);
    lines.filter(|line| line.contains("retrying for")).count()
}

/// A start on a database that is away.
fn trying(stage: &Stage, url: &str) -> Child {
    let words = ["serve", "--listen", "127.0.0.1:0", "--store", url];
    stage
        .command(&words)
        .env("SAYSO_LOG", "warn")
        .spawn()
        .unwrap()
}

/// Waits until it has said that it tries again.
fn has_tried(child: &mut Child) -> BufReader<std::process::ChildStderr> {
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("retrying for") {
        line.clear();
        assert_ne!(said.read_line(&mut line).unwrap(), 0, "it has ended");
    }
    said
}

#[test]
fn a_database_that_is_away_is_tried_for_half_a_minute() {
    let stages = [
        Stage::empty(),
        Stage::empty(),
        Stage::empty(),
        Stage::empty(),
    ];
    let [lasting, stopped, late, mixed] = &stages;
    let nowhere = format!(
        "postgres:///sayso?host={}&user=node",
        stages[0].path("").display()
    );
    let begun = begin();
    let mut waits = trying(lasting, &nowhere);

    // Ctrl-C ends it at once.
    let child = trying(stopped, &nowhere);
    let mut child = child;
    let mut rest = has_tried(&mut child);
    let interrupted = begin();
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(waited(interrupted) < Duration::from_secs(3));
    let mut said = String::new();
    rest.read_to_string(&mut said).unwrap();
    assert!(
        said.contains("stopped before the server was ready"),
        "{said}"
    );

    // A database that comes up in time is used.
    let proxy = PgProxy::to(cluster());
    proxy.close();
    let mut child = trying(late, &proxy.url());
    let rest = has_tried(&mut child);
    proxy.open();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.starts_with("listening on "), "{line}");
    drop(rest);
    child.kill().unwrap();
    child.wait().unwrap();

    // A standby beside a host that is away may be promoted, or the other one come back.
    cluster().psql(
        "postgres",
        "CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on",
    );
    let reader = cluster().url().replace("user=node", "user=reader");
    let folder = text_of(cluster().socket().parent().unwrap());
    let mut child = trying(
        mixed,
        &reader.replace(&folder, &format!("{folder},/no/such/folder")),
    );
    drop(has_tried(&mut child));
    child.kill().unwrap();
    child.wait().unwrap();

    let said = tries(&mut waits);
    assert!((2..=8).contains(&said), "{said} lines");
    assert_eq!(waits.wait().unwrap().code(), Some(1));
    let span = waited(begun);
    assert!(
        span >= Duration::from_secs(30) && span < Duration::from_secs(30) + PATIENCE,
        "{span:?}"
    );
}
