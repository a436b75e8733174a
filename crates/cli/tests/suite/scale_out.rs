//! The page about many nodes and the files in `deploy`: what they tell people to do is done here.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use sayso_testkit::pg::PgCluster;
use serde_json::Value;

use super::raw::Call;
use super::stage::{Ended, Stage, question, text_of, wait_until};

/// A file of the repository.
fn repository(name: &str) -> String {
    fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(name),
    )
    .unwrap()
}

/// The blocks of code in a section of a page, each with its language.
fn blocks(page: &str, section: &str) -> Vec<(String, String)> {
    let (_, section) = page.split_once(&format!("\n## {section}\n")).unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let mut blocks = Vec::new();
    let mut rest = section;
    while let Some((_, fence)) = rest.split_once("\n```") {
        let (language, block) = fence.split_once('\n').unwrap();
        let (text, after) = block.split_once("```").unwrap();
        blocks.push((language.to_owned(), text.to_owned()));
        rest = after;
    }
    blocks
}

#[test]
fn the_three_machines_of_the_page_work_as_it_says() {
    let blocks = blocks(
        &repository("docs/scale-out.md"),
        "Three machines, step by step",
    );
    let languages: Vec<&str> = blocks
        .iter()
        .map(|(language, _)| language.as_str())
        .collect();
    assert_eq!(
        languages,
        ["sql", "sh", "toml", "text", "sh", "sh", "text", "sh"]
    );
    let texts: Vec<&String> = blocks.iter().map(|(_, text)| text).collect();
    let [sql, new_key, settings, pass, serve, nodes, listed, token] = texts[..] else {
        unreachable!("there are eight blocks");
    };

    // The cluster's own user is called as the page's is.
    let cluster = PgCluster::start(&[]);
    let folder = text_of(cluster.socket().parent().unwrap());
    let rules = "local all sayso trust\nlocal all all scram-sha-256\n";
    fs::write(format!("{folder}/data/pg_hba.conf"), rules).unwrap();
    cluster.psql("postgres", "SELECT pg_reload_conf()");
    for statement in sql.replace(" sayso", " steps").split_terminator(";\n") {
        cluster.psql("postgres", statement);
    }

    let mut machines = [Stage::empty(), Stage::empty(), Stage::empty()];
    let place =
        |stage: &Stage, text: &str| text.replace("/etc/sayso", &text_of(&stage.path("etc")));
    let run = |stage: &Stage, text: &str| {
        let line = place(stage, text);
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[0], "sayso");
        Ended::of(stage.command(&words[1..]).output().unwrap())
    };
    let hosts = format!("{},%2Fno%2Fsuch", folder.replace('/', "%2F"));
    for (stage, name) in machines.iter().zip(["a", "b", "c"]) {
        fs::create_dir(stage.path("etc")).unwrap();
        let text = place(stage, settings)
            .replace(
                "sayso@db1.example,db2.example/sayso",
                &format!("steps@{hosts}/steps"),
            )
            .replace("10.0.0.11:7717", "127.0.0.1:0")
            .replace("\"a\"", &format!("{name:?}"));
        // A socket has no TLS; another test has.
        let text: String = text
            .split_inclusive('\n')
            .filter(|line| !line.starts_with("root_cert"))
            .collect();
        assert!(
            text.contains(&hosts) && text.contains("127.0.0.1:0"),
            "{text}"
        );
        stage.write("etc/sayso.toml", &text);
        let pass = stage.write(".pgpass", &pass.replace("sayso:sayso", "steps:steps"));
        fs::set_permissions(pass, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let made = run(&machines[0], new_key);
    assert_eq!(made.code, Some(0), "{made:?}");
    for stage in &machines[1..] {
        fs::copy(
            machines[0].path("etc/cluster.key"),
            stage.path("etc/cluster.key"),
        )
        .unwrap();
    }
    for stage in &mut machines {
        let line = place(stage, serve);
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let mut command = stage.command(&words);
        command.stderr(Stdio::null());
        stage.serve_by(command);
    }
    wait_until("all three are fresh", || {
        let said = run(&machines[2], nodes);
        assert_eq!(said.code, Some(0), "{said:?}");
        let states = |text: &str| -> Vec<Vec<String>> {
            let cells = text.lines().map(|line| line.split_whitespace().take(2));
            cells
                .map(|cells| cells.map(str::to_owned).collect())
                .collect()
        };
        states(&said.data) == states(listed)
    });
    let made = run(&machines[1], token);
    assert_eq!(made.code, Some(0), "{made:?}");
    for stage in &machines {
        wait_until("the token is known", || {
            let ask = question("Ready?", &["Yes"]);
            let asked = Call::post("/v1/asks").token(made.data.trim()).json(&ask);
            stage.call(&asked).status == 201
        });
    }
}

#[test]
fn the_settings_in_the_deployments_are_settings() {
    let page = repository("docs/settings.md");
    for file in [
        "deploy/compose.yaml",
        "deploy/kubernetes.yaml",
        "deploy/Containerfile",
    ] {
        let text = repository(file);
        let names = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
        let ours: Vec<&str> = names.filter(|name| name.starts_with("SAYSO_")).collect();
        assert!(!ours.is_empty(), "{file}");
        for name in ours {
            assert!(page.contains(&format!("`{name}`")), "{file}: {name}");
        }
    }
}

#[test]
fn the_environment_of_the_compose_file_starts_a_node() {
    let cluster = PgCluster::start(&[]);
    let mut stage = Stage::empty();
    let key = super::on_postgres::key(&stage);
    let text = repository("deploy/compose.yaml");
    let (_, settings) = text.split_once("x-settings: &settings\n").unwrap();
    let (settings, _) = settings.split_once("\n\n").unwrap();
    let mut command = stage.command(&["serve"]);
    command.stderr(Stdio::null());
    for line in settings.lines() {
        let (name, value) = line.trim().split_once(": ").unwrap();
        let value = match name {
            "SAYSO_LISTEN" => value.replace("0.0.0.0:7717", "127.0.0.1:0"),
            "SAYSO_STORE_URL" => {
                let folder = text_of(cluster.socket().parent().unwrap());
                let socket = format!("node@{}", folder.replace('/', "%2F"));
                value.replace("sayso@postgres", &socket)
            }
            "SAYSO_STORE_KEY_FILE" => key.clone(),
            "SAYSO_PUBLIC_URL" => "https://sayso.example".to_owned(),
            _ => value.to_owned(),
        };
        command.env(name, value);
    }
    command.env("SAYSO_NODE_NAME", "a");
    stage.serve_by(command);
    let health: Value = stage
        .by("person", Call::get("/v1/health").hosts(&["sayso.example"]))
        .json();
    assert!(health["durability"].is_string(), "{health}");
}
