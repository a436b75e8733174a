//! Finding the server, and who gets which token.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::time::Duration;

use super::stage::{Stage, begin, waited};

#[test]
fn without_a_server_a_command_says_how_to_start_one() {
    let stage = Stage::empty();
    let ended = stage.run(&["inbox"]);
    assert_eq!((ended.code, ended.data.as_str()), (Some(20), ""));
    let folder = stage.state();
    assert_eq!(
        ended.said,
        format!(
            "error: no server is running for the state in {}\n\nhint: start the server with \
             `sayso serve`\n",
            folder.display()
        )
    );
}

#[test]
fn a_server_that_is_gone_is_noticed_within_two_seconds() {
    let mut stage = Stage::served();
    stage.kill();
    let begun = begin();
    let ended = stage.run(&["ask", "Anybody?"]);
    assert!(waited(begun) < Duration::from_secs(2));
    assert_eq!(ended.code, Some(20));
    assert!(
        ended
            .said
            .ends_with("hint: start the server with `sayso serve`\n"),
        "{}",
        ended.said
    );
}

#[test]
fn a_local_token_goes_to_no_other_address() {
    let stage = Stage::served();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let ended = stage
        .command(&["inbox"])
        .env("SAYSO_URL", &url)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "a connection was made");

    // With a token of its own the command does go there.
    listener.set_nonblocking(false).unwrap();
    let mut going = stage
        .command(&["inbox"])
        .env("SAYSO_URL", &url)
        .env("SAYSO_TOKEN", "given")
        .spawn()
        .unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let mut head = [0; 1024];
    let read = stream.read(&mut head).unwrap();
    assert!(String::from_utf8_lossy(&head[..read]).contains("Bearer given"));
    drop(stream);
    assert_eq!(going.wait().unwrap().code(), Some(20));
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let stage = Stage::served();
    let made = stage.run(&["token", "new", "--role", "agent", "--name", "ci"]);
    assert_eq!(made.code, Some(0));
    let token = made.data.trim_end().to_owned();
    assert!(
        token.starts_with("say_agent_") && !token.contains(char::is_whitespace),
        "{token}"
    );
    let list = stage.run(&["token", "list"]);
    assert!(list.data.contains("ci") && !list.data.contains(&token));
    // An agent can never look at what others ask, nor answer.
    let as_agent = |words: &[&str]| {
        stage
            .command(words)
            .env("SAYSO_TOKEN", &token)
            .output()
            .unwrap()
            .status
            .code()
    };
    assert_eq!(as_agent(&["inbox"]), Some(21));
    assert_eq!(stage.run(&["token", "revoke", "ci"]).code, Some(0));
    assert_eq!(as_agent(&["ask", "May I?"]), Some(21));
    assert_eq!(stage.run(&["token", "revoke", "ci"]).code, Some(21));
    assert_eq!(
        stage
            .run(&[
                "token", "new", "--role", "agent", "--name", "x", "--person", "ann"
            ])
            .code,
        Some(2)
    );
}

#[test]
fn an_id_may_be_shortened_while_it_fits_one_ask() {
    let stage = Stage::served();
    let asking = [stage.start(&["ask", "One?"]), stage.start(&["ask", "Two?"])];
    let asks = stage.open_asks(2);
    let ended = stage.run(&["show", "01"]);
    assert_eq!(ended.code, Some(2));
    for ask in &asks {
        let line = format!(
            "\n  {}  {}\n",
            ask["id"].as_str().unwrap(),
            ask["questions"][0]["text"].as_str().unwrap()
        );
        assert!(ended.said.contains(&line), "{}", ended.said);
    }
    assert_eq!(stage.run(&["show", "ffff"]).code, Some(21));
    assert_eq!(stage.run(&["show", "no id"]).code, Some(2));
    drop(asking);
}

#[test]
fn doctor_says_where_values_come_from_and_hides_secrets() {
    let stage = Stage::served();
    let ended = stage
        .command(&["doctor"])
        .env("SAYSO_LOG", "warn")
        .env("SAYSO_LOGG", "x")
        .env("SAYSO_DIALECTS_WHIMMY_MODEL", "big")
        .env("SAYSO_DIALECTS_WHIMMY_MODLE", "big")
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(0));
    let text = String::from_utf8(ended.stdout).unwrap();
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(lines.contains(&vec!["log", "warn", "SAYSO_LOG"]), "{text}");
    assert!(
        lines.contains(&vec!["durability:", "power-loss-safe"]),
        "{text}"
    );
    for (name, meant) in [
        ("SAYSO_LOGG", "SAYSO_LOG"),
        ("SAYSO_DIALECTS_WHIMMY_MODLE", "SAYSO_DIALECTS_WHIMMY_MODEL"),
    ] {
        let note = format!("note: {name} is set, but it is not a setting; did you mean {meant}?\n");
        assert!(text.contains(&note), "{text}");
    }
    assert_eq!(text.matches("is not a setting").count(), 2, "{text}");
    // Everything that can be set for a dialect is there.
    for row in sayso_dialects::DIALECTS {
        for knob in row.knobs {
            let key = format!("dialects.{}.{}", row.name, knob.key);
            let shown = lines
                .iter()
                .filter(|line| line.first() == Some(&key.as_str()));
            assert_eq!(shown.count(), 1, "{key} in {text}");
        }
    }
    let model = vec![
        "dialects.whimmy.model",
        "big",
        "SAYSO_DIALECTS_WHIMMY_MODEL",
    ];
    assert!(lines.contains(&model), "{text}");
    for role in ["agent", "person", "admin"] {
        let token = fs::read_to_string(stage.state().join(format!("{role}.token"))).unwrap();
        assert!(!text.contains(token.trim()));
    }
}

#[test]
fn doctor_names_the_line_the_flag_and_the_variable_of_a_value() {
    let stage = Stage::served();
    let file = stage.write("other.toml", "person = 'ann'\n[limits]\nconnections = 8\n");
    let ended = stage
        .command(&["--config", &file, "doctor"])
        .env("SAYSO_PERSON", "bob")
        .env("SAYSO_RUN", "a-session")
        .env("SAYSO_AGUI_TOKEN", "a-secret")
        .output()
        .unwrap();
    let text = String::from_utf8(ended.stdout).unwrap();
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    for line in [
        format!("config {file} --config"),
        format!("limits.connections 8 {file}, line 3"),
        "person bob SAYSO_PERSON".to_owned(),
        "tokens.idle never default".to_owned(),
        "SAYSO_RUN a-session SAYSO_RUN".to_owned(),
        "SAYSO_AGUI_TOKEN set (hidden) SAYSO_AGUI_TOKEN".to_owned(),
    ] {
        assert!(lines.contains(&line), "{line} in {text}");
    }
    assert!(
        !text.contains("is not a setting") && !text.contains("a-secret"),
        "{text}"
    );
}

#[test]
fn a_wrong_value_is_named_with_its_place_and_why() {
    let stage = Stage::empty();
    let file = stage.write("other.toml", "person = 'ann'\n\nlisten = 'localhost:1'\n");
    let why = "`localhost:1` is not an IP address and port, such as 127.0.0.1:7717";
    let ended = stage.run(&["--config", &file, "serve"]);
    let error = format!("error: {file}, line 3: listen: {why}\n");
    assert_eq!((ended.code, ended.said), (Some(2), error));
    let ended = stage.run(&["serve", "--listen", "localhost:1"]);
    let error = format!("error: --listen: {why}\n");
    assert_eq!((ended.code, ended.said), (Some(2), error));
}

#[test]
fn settings_are_read_strictly_and_never_from_the_working_directory() {
    let stage = Stage::served();
    stage.write("sayso.toml", "nonsense = 1\n");
    assert_eq!(stage.run(&["inbox"]).code, Some(0));
    let file = stage.write("other.toml", "person = 'ann'\nlissten = '127.0.0.1:1'\n");
    let ended = stage.run(&["--config", &file, "inbox"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.said.starts_with(&format!(
            "error: {file}, line 2: unknown key `lissten`; did you mean `listen`?"
        )),
        "{}",
        ended.said
    );
    let file = stage.write("dialect.toml", "[dialects.whimmy]\n\nmodle = 'big'\n");
    let ended = stage.run(&["--config", &file, "serve"]);
    let error = format!(
        "error: {file}, line 3: unknown key `dialects.whimmy.modle`; did you mean \
         `dialects.whimmy.model`?\n"
    );
    assert_eq!((ended.code, ended.said), (Some(2), error));
}
