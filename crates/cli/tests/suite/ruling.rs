//! Rules over the command and the API: said once, read, tried, taken back, and refused whole.

use std::fs;

use serde_json::{Value, json};

use super::raw::Call;
use super::stage::{Stage, text_of};

fn approval(command: &str, agent: &str) -> Value {
    json!({
        "matter": "approval", "workspace": "shop", "agent": agent,
        "action": {
            "tool": "Bash",
            "input": json!({"command": command}).to_string(),
            "cwd": "/shop",
            "act": {"kind": "shell", "command": command},
        },
    })
}

#[test]
fn said_once_and_ten_agents_go_on() {
    let mut stage = Stage::served();
    let first = stage.ask(&approval("git status", "first"));
    assert_eq!(first["scopes"], json!(["once", "always"]));
    let id = first["id"].as_str().unwrap();
    let offers = stage
        .by("person", Call::get(format!("/v1/asks/{id}/offers")))
        .with(200);
    assert_eq!(
        (
            &offers["offers"][0]["preset"],
            &offers["offers"][1]["preset"]
        ),
        (&json!("exact"), &json!("git-status"))
    );
    let said = stage.run(&[
        "answer",
        id,
        "--allow",
        "--scope",
        "always",
        "--applies-to",
        "workspace",
    ]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for number in 0..10 {
        let ask = stage.ask(&approval("git status", &format!("agent-{number}")));
        assert_eq!(ask["state"], "closed");
        assert_eq!(ask["outcome"]["by"], json!({"rule": "ru_1", "version": 1}));
        assert_eq!(ask["outcome"]["answer"]["verdict"]["allow"], json!(true));
    }
    let relatives = relatives();
    assert!(relatives.len() >= 42, "{}", relatives.len());
    for relative in relatives {
        let ask = stage.ask(&approval(&relative, "first"));
        assert_eq!(ask["state"], "open", "{relative}");
        let why = stage.run(&["rules", "explain", ask["id"].as_str().unwrap()]);
        assert_eq!(why.code, Some(0), "{relative}: {why:?}");
        let reason = why.data.trim_end().strip_prefix("ask ");
        let named = |reason: &str| {
            ["no rule covers", "is not plain", "changes where"]
                .iter()
                .any(|word| reason.contains(word))
        };
        assert!(reason.is_some_and(named), "{relative}: {why:?}");
    }
    stage.kill();
    stage.serve();
    let listed = stage.run(&["rules", "list", "--json"]);
    let rule: Value = serde_json::from_str(&listed.data).unwrap();
    assert_eq!(
        (
            &rule["id"],
            &rule["hits"],
            &rule["says"],
            &rule["workspace"],
            &rule["live"]
        ),
        (
            &json!("ru_1"),
            &json!(10),
            &json!("allow exactly git status, in /shop, with the tool Bash"),
            &json!("shop"),
            &json!(true)
        )
    );
    assert_eq!(
        stage.ask(&approval("git status", "later"))["state"],
        "closed"
    );
    assert_eq!(stage.run(&["rules", "revoke", "ru_1"]).code, Some(0));
    assert_eq!(stage.ask(&approval("git status", "later"))["state"], "open");
    assert_eq!(stage.run(&["rules", "revoke", "ru_1"]).code, Some(21));
}

/// `git status; rm -rf x`, `git -c core.pager=x status` and everything like them that somebody
/// could think of.
fn relatives() -> Vec<String> {
    let corpus = include_str!("../../../core/src/policy/corpus/hostile.txt");
    let lines = corpus.lines().filter(|line| line.contains("status"));
    lines
        .map(|line| line.replace("\\n", "\n").replace("\\t", "\t"))
        .take(60)
        .collect()
}

#[test]
fn every_rule_that_a_line_needs_counts_it() {
    let mut stage = Stage::served();
    for command in ["git status", "ls", "pwd"] {
        let added = stage.run(&["rules", "add", "allow", command, "--cwd", "/shop"]);
        assert_eq!(added.code, Some(0), "{added:?}");
    }
    let both = stage.ask(&approval("git status && ls; git status", "first"));
    assert_eq!(both["outcome"]["by"], json!({"rule": "ru_1", "version": 1}));
    let counts = |stage: &Stage| -> Vec<(Value, bool)> {
        let listed = stage.run(&["rules", "list", "--json"]).data;
        let rows = listed.lines().map(serde_json::from_str::<Value>);
        rows.map(|row| {
            let row = row.unwrap();
            (row["hits"].clone(), row["last_used_at"].is_string())
        })
        .collect()
    };
    let expected = [(json!(1), true), (json!(1), true), (json!(0), false)];
    assert_eq!(counts(&stage), expected);
    stage.kill();
    stage.serve();
    assert_eq!(counts(&stage), expected);
}

#[test]
fn a_tool_of_a_server_is_bound_to_its_schema() {
    let stage = Stage::served();
    let hash = |fill: &str| format!("sha256:{}", fill.repeat(32));
    let query = |schema: Option<&str>| {
        let mut action = json!({"tool": "mcp__db__query", "input": "{\"table\":\"users\"}"});
        if let Some(fill) = schema {
            action["tool_schema"] = json!(hash(fill));
        }
        json!({"matter": "approval", "workspace": "shop", "agent": "coder", "action": action})
    };
    let untold = stage.ask(&query(None));
    assert_eq!(untold["scopes"], json!(["once", "always"]));
    let id = untold["id"].as_str().unwrap();
    let offers = stage
        .by("person", Call::get(format!("/v1/asks/{id}/offers")))
        .with(200);
    let says = offers["offers"][0]["says"].as_str().unwrap();
    assert!(says.ends_with("its schema is not known."), "{says}");
    assert_eq!(offers["offers"].as_array().map(Vec::len), Some(1));
    let told = stage.ask(&query(Some("aa")));
    assert_eq!(told["scopes"], json!(["once", "always"]));
    assert_eq!(told["action"]["tool_schema"], json!(hash("aa")));
    let id = told["id"].as_str().unwrap();
    let said = stage.run(&["answer", id, "--allow", "--scope", "always"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(stage.ask(&query(Some("aa")))["state"], "closed");
    for schema in [Some("bb"), None] {
        let ask = stage.ask(&query(schema));
        assert_eq!(ask["state"], "open", "{schema:?}");
        let why = stage.run(&["rules", "explain", ask["id"].as_str().unwrap()]);
        assert!(why.data.starts_with("ask "), "{why:?}");
        assert!(why.data.contains("the tool's schema changed"), "{why:?}");
    }
    let listed: Value =
        serde_json::from_str(&stage.run(&["rules", "list", "--json"]).data).unwrap();
    assert_eq!(listed["only"][0], json!({"schema": hash("aa")}));

    // It comes back from a file as it was, demands and all.
    let file = text_of(&stage.path("bound.toml"));
    assert_eq!(stage.run(&["rules", "export", &file]).code, Some(0));
    assert_eq!(stage.run(&["rules", "revoke", "ru_1"]).code, Some(0));
    assert_eq!(stage.ask(&query(Some("aa")))["state"], "open");
    let taken = stage.run(&["rules", "import", &file]);
    assert_eq!(taken.code, Some(0), "{taken:?}");
    assert_eq!(stage.ask(&query(Some("aa")))["state"], "closed");
    assert_eq!(stage.ask(&query(Some("bb")))["state"], "open");

    let tool = ["--tool", "mcp__db__query"];
    let add = |first: &[&str], rest: &[&str]| {
        let words = [&["rules"], first, &["add", "allow"], &tool, rest].concat();
        stage.run(&words)
    };
    let exact = ["--input", "{\"table\":\"users\"}"];
    let refused = add(&[], &exact);
    assert_eq!(refused.code, Some(21), "{refused:?}");
    assert!(refused.said.contains("--agent"), "{refused:?}");
    let whole = add(&["--admin"], &[]);
    assert!(whole.said.contains("`schema`"), "{whole:?}");
    let made = add(&[], &[&exact[..], &["--agent", "coder"]].concat());
    assert!(made.data.contains("its schema is not known"), "{made:?}");
    assert_eq!(stage.ask(&query(Some("bb")))["state"], "closed");
}

#[test]
fn test_says_the_word_first_and_exits_0() {
    let stage = Stage::served();
    for words in [
        &["rules", "add", "allow", "git status", "--cwd", "/shop"][..],
        &[
            "rules",
            "add",
            "allow",
            "--preset",
            "git-log",
            "git log -5",
            "--cwd",
            "/shop",
        ],
        &["rules", "add", "deny", "rm -rf"],
    ] {
        let added = stage.run(words);
        assert_eq!(added.code, Some(0), "{added:?}");
    }
    for (command, line) in [
        ("git status", "allow ru_1 allows exactly this"),
        (
            "git log --oneline",
            "allow `git log --oneline` is allowed by ru_2",
        ),
        (
            "git log --output=x",
            "ask no rule covers `git log --output=x`; ru_2 covers git-log, but `--output=x` was not vetted",
        ),
        (
            "git status; ls",
            "ask `git status` is allowed by ru_1; no rule covers `ls`",
        ),
        (
            "git status $(x)",
            "ask the command is not plain: it contains `$`, which does more than run plain \
             commands",
        ),
        (
            "sudo rm -rf /",
            "deny ru_3 denies it because it contains `rm -rf /`",
        ),
    ] {
        let tested = stage.run(&["rules", "test", command, "--cwd", "/shop"]);
        assert_eq!((tested.code, tested.data.trim_end()), (Some(0), line));
        assert!(tested.said.contains("any agent"), "{tested:?}");
        assert!(tested.said.contains("in /shop"), "{tested:?}");
    }
    // Elsewhere it is another command.
    let elsewhere = stage.run(&["rules", "test", "git status", "--cwd", "/shop/sub"]);
    assert!(elsewhere.data.starts_with("ask "), "{elsewhere:?}");
    let tested = stage.run(&["rules", "test", "git status", "--json", "--cwd", "/shop"]);
    let ruling: Value = serde_json::from_str(&tested.data).unwrap();
    assert_eq!(
        (&ruling["ruling"], &ruling["rule"]),
        (&json!("allow"), &json!("ru_1"))
    );
    assert_eq!(
        (&ruling["tested"]["cwd"], &ruling["tested"]["act"]),
        (&json!("/shop"), &json!("shell"))
    );
}

#[test]
fn a_person_makes_narrow_rules_and_an_admin_any() {
    let stage = Stage::served();
    stage.ask(&approval("make", "first"));
    for (words, why) in [
        (
            &["rules", "add", "allow", "npm run", "--words"][..],
            "nly an admin",
        ),
        (&["rules", "add", "allow", "python3 x.py"], "nly an admin"),
        (
            &["rules", "add", "level", "--level", "full"],
            "nly an admin",
        ),
        (
            &["rules", "add", "allow", "--tool", "Deploy"],
            "nly an admin",
        ),
        (&["rules", "add", "allow", "git status > x"], "is not plain"),
        // Without a folder it would hold for everyone everywhere.
        (&["rules", "add", "allow", "git status"], "--cwd"),
        (
            &["rules", "add", "allow", "git status", "--agent", "first"],
            "--cwd",
        ),
        (&["rules", "add", "allow", "--preset", "ls"], "--cwd"),
        (
            &["rules", "add", "allow", "--preset", "ls", "--cwd", "/"],
            "whole machine",
        ),
        (
            &["rules", "add", "allow", "--tool", "Read", "--input", "{}"],
            "--agent",
        ),
        (
            &[
                "rules", "add", "allow", "--tool", "Bash", "--input", "{}", "--agent", "first",
            ],
            "runs commands",
        ),
        (
            &["rules", "add", "allow", "--preset", "everything"],
            "not a preset",
        ),
        (
            &[
                "rules", "add", "allow", "--preset", "git-log", "git push", "--cwd", "/shop",
            ],
            "is not covered",
        ),
    ] {
        let refused = stage.run(words);
        assert_eq!(refused.code, Some(21), "{words:?} {refused:?}");
        assert!(refused.said.contains(why), "{words:?} {refused:?}");
    }
    assert_eq!(stage.run(&["rules", "list", "--json"]).data, "");
    let level = stage.run(&["rules", "--admin", "add", "level", "--level", "full"]);
    assert_eq!(level.code, Some(0), "{level:?}");
    assert_eq!(stage.ask(&approval("make release", "a"))["state"], "closed");
    let listed = stage.run(&["rules", "list"]);
    assert!(listed.said.contains("allows everything"), "{listed:?}");
}

#[test]
fn a_file_is_taken_whole_or_refused_with_its_line() {
    let stage = Stage::served();
    stage.ask(&approval("make", "first"));
    for words in [
        &[
            "rules",
            "add",
            "allow",
            "git status",
            "--workspace",
            "shop",
            "--cwd",
            "/shop",
        ][..],
        &["rules", "add", "deny", "rm -rf", "--note", "never"],
        &["rules", "--admin", "add", "allow", "npm run", "--words"],
    ] {
        assert_eq!(stage.run(words).code, Some(0));
    }
    let file = text_of(&stage.path("rules.toml"));
    assert_eq!(stage.run(&["rules", "export", &file]).code, Some(0));
    let text = fs::read_to_string(&file).unwrap();
    let before = stage.run(&["rules", "list", "--json"]).data;
    for (at, (odd, place)) in [
        ("[[rule]]\neffect = \"allow\"\npreset = \"ls\"\ncwd = \"/w\"\ncolour = \"red\"\n", "colour"),
        ("[[rule]]\neffect = \"allow\"\ncommand = \"a; $b\"\n", "command"),
        ("[[rule]]\neffect = \"allow\"\npreset = \"ls\"\ncwd = \"/w\"\nmatch = [\"rm x\"]\n", "match"),
        ("[[rule]]\neffect = \"allow\"\npreset = \"ls\"\ncwd = \"/w\"\nnot_match = [\"ls -la\"]\n", "not_match"),
        ("[[rule]]\neffect = \"allow\"\ncommand = \"a\"\n[[rule]]\neffect = \"deny\"\ncommand = \"a\"\n", "contradicts rule"),
        ("[[rule]]\neffect = \"allow\"\ntool = \"Write\"\nagent = \"first\"\nonly = [{ below = \"/w\" }]\nnot_match = [\"/etc/passwd\"]\n", "tests nothing"),
        ("[[rule]]\neffect = \"allow\"\npattern = \"(a+)+$\"\n", "pattern"),
        ("[[rule]\n", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let bad = stage.write(&format!("bad-{at}.toml"), &format!("{text}\n{odd}"));
        let refused = stage.run(&["rules", "--admin", "import", &bad, "--replace"]);
        assert_eq!(refused.code, Some(2), "{odd} {refused:?}");
        assert!(refused.said.contains(place) && refused.said.contains(".toml:"), "{odd} {refused:?}");
        assert_eq!(stage.run(&["rules", "list", "--json"]).data, before);
    }
    let odd = stage.write("odd.toml", "name = 1\n");
    let refused = stage.run(&["rules", "import", &odd]);
    assert!(
        refused.said.contains("odd.toml:1: only [[rule]] tables"),
        "{refused:?}"
    );
    let large = stage.write("large.toml", &"# x\n".repeat(10 * 1024 * 1024 / 4));
    assert_eq!(stage.run(&["rules", "import", &large]).code, Some(2));
    // Wider than its author may make.
    assert_eq!(stage.run(&["rules", "revoke", "ru_3"]).code, Some(0));
    let wide = stage.run(&["rules", "import", &file]);
    assert_eq!(wide.code, Some(2), "{wide:?}");
    assert!(wide.said.contains("rules.toml:"), "{wide:?}");
    assert!(wide.said.contains("nly an admin"), "{wide:?}");
    assert_eq!(
        stage
            .run(&["rules", "--admin", "import", &file, "--replace"])
            .code,
        Some(0)
    );
    let after = stage.run(&["rules", "list", "--json"]).data;
    let ids: Vec<Value> = after
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone())
        .collect();
    // What was there stays what it was.
    assert_eq!(ids, [json!("ru_1"), json!("ru_2"), json!("ru_4")]);
}

#[test]
fn the_feed_tells_of_rules_and_not_of_what_they_answer() {
    let stage = Stage::served();
    let mut inbox = stage.start(&["inbox", "--watch", "--json"]);
    assert_eq!(
        stage
            .run(&["rules", "add", "allow", "git status", "--cwd", "/shop"])
            .code,
        Some(0)
    );
    stage.ask(&approval("git status", "a"));
    let open = stage.ask(&approval("ls", "a"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut inbox.data(), &mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["id"], open["id"]);
    inbox.interrupt();
    inbox.end();
}

#[test]
fn what_could_be_a_rule_is_suggested_and_can_stand_by_first() {
    let stage = Stage::served();
    let none = stage.run(&["rules", "suggest"]);
    assert_eq!((none.code, none.data.as_str()), (Some(0), ""));
    let allow = |command: &str, word: &str| {
        let ask = stage.ask(&approval(command, "coder"));
        assert_eq!(ask["state"], "open");
        let said = stage.run(&["answer", ask["id"].as_str().unwrap(), word]);
        assert_eq!(said.code, Some(0), "{said:?}");
    };
    for _ in 0..3 {
        allow("git status", "--allow");
    }
    // History comes from a projection, which follows.
    stage.caught_up();
    let found = stage.run(&["rules", "suggest", "--json"]);
    let found: Value = serde_json::from_str(&found.data).unwrap();
    assert_eq!(
        json!([
            found["effect"],
            found["command"],
            found["workspace"],
            found["asks"].as_array().map(Vec::len)
        ]),
        json!(["allow", "git status", "shop", 3])
    );
    // It stands by first: nothing is answered, and what it would have done is told.
    let shadow = [
        "rules",
        "add",
        "allow",
        "git status",
        "--workspace",
        "shop",
        "--cwd",
        "/shop",
        "--shadow",
    ];
    assert_eq!(stage.run(&shadow).code, Some(0));
    allow("git status", "--allow");
    allow("git status", "--deny");
    allow("ls", "--allow");
    stage.caught_up();
    let past = stage.run(&["rules", "past", "ru_1"]);
    let mut lines = past.data.lines();
    assert_eq!(
        lines.next(),
        Some("matches 2 of the 3 approvals since it was made; people decided the opposite for 1")
    );
    assert_eq!(lines.count(), 1);
    let listed = stage.run(&["rules", "list"]);
    assert!(
        listed
            .data
            .contains("shadow: allow exactly git status, in /shop"),
        "{listed:?}"
    );
    // One no, and it is suggested no more.
    assert_eq!(stage.run(&["rules", "suggest", "--json"]).data, "");
    let file = text_of(&stage.path("rules.toml"));
    assert_eq!(stage.run(&["rules", "export", &file]).code, Some(0));
    assert!(fs::read_to_string(&file).unwrap().contains("shadow = true"));
    assert_eq!(
        stage.run(&["rules", "import", &file, "--replace"]).code,
        Some(0)
    );
    let waits = stage.ask(&approval("git status", "coder"));
    assert_eq!(waits["state"], "open");
    // Put in force, it answers, what waits too.
    let activated = stage.run(&["rules", "activate", "ru_1"]);
    assert_eq!(activated.code, Some(0), "{activated:?}");
    assert!(activated.said.contains("ru_1 is active"), "{activated:?}");
    let answered = stage.look(&waits["id"]);
    assert_eq!(
        answered["outcome"]["by"],
        json!({"rule": "ru_1", "version": 2})
    );
    let again = stage.run(&["rules", "activate", "ru_1"]);
    assert_eq!(again.code, Some(21), "{again:?}");
}

#[test]
fn what_is_not_what_was_shown_is_asked() {
    let stage = Stage::served();
    let write = |content: &str, said: &str| {
        json!({
            "matter": "approval", "workspace": "/shop", "agent": "coder",
            "action": {
                "tool": "Write", "cwd": "/shop",
                "input": json!({"file_path": "notes.txt", "content": said}).to_string(),
                "act": {"kind": "write", "path": "notes.txt", "content": content},
            },
        })
    };
    let first = stage.ask(&write("hello", "hello"));
    let id = first["id"].as_str().unwrap();
    let always = [
        "answer", id, "--allow", "--scope", "always", "--preset", "folder",
    ];
    assert_eq!(stage.run(&always).code, Some(0));
    assert_eq!(stage.ask(&write("more", "more"))["state"], "closed");
    let lying = stage.ask(&write("hello", "rm -rf ~"));
    assert_eq!(
        (&lying["state"], &lying["action"]["risk"]),
        (&json!("open"), &json!("high"))
    );
    let why = stage.run(&["rules", "explain", lying["id"].as_str().unwrap()]);
    assert!(
        why.data
            .contains("`content` in the input differs from what is shown"),
        "{why:?}"
    );

    // A test of the same input says the same as an ask would be told.
    for (input, expected) in [
        (r#"{"file_path":"notes.txt","content":"x"}"#, "allow "),
        (r#"{"file_path":".env","content":"x"}"#, "ask "),
        (r#"{"file_path":"../notes.txt","content":"x"}"#, "ask "),
        (
            r#"{"file_path":"notes.txt","content":"x","mode":511}"#,
            "ask ",
        ),
    ] {
        let tested = stage.run(&[
            "rules", "test", "--tool", "Write", "--input", input, "--cwd", "/shop", "--agent",
            "coder",
        ]);
        assert!(tested.data.starts_with(expected), "{input}: {tested:?}");
        let action = json!({"tool": "Write", "cwd": "/shop", "input": input});
        let ask =
            json!({"matter": "approval", "workspace": "/shop", "agent": "coder", "action": action});
        let closed = stage.ask(&ask)["state"] == "closed";
        assert_eq!(closed, expected == "allow ", "{input}");
    }
    // What runs commands is covered by no rule for data, whatever the asker calls it.
    let disguised = json!({
        "matter": "approval", "workspace": "/shop", "agent": "coder",
        "action": {"tool": "Bash", "cwd": "/shop", "input": "{\"command\":\"curl x | sh\"}", "act": {"kind": "other"}},
    });
    assert_eq!(stage.ask(&disguised)["scopes"], json!(["once"]));
    let file = stage.write(
        "tool.toml",
        "[[rule]]\neffect = \"allow\"\ntool = \"Bash\"\nagent = \"coder\"\nonly = [{ at = \"/command\", text = \"x\" }]\n",
    );
    assert_eq!(
        stage.run(&["rules", "--admin", "import", &file]).code,
        Some(2)
    );
}
