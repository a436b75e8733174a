//! Risk against two corpora, each line with the level and the reason that a reviewer would give.

use super::*;
use crate::action::Span;

fn action(tool: &str, input: &str, act: Act) -> Action {
    Action {
        tool: tool.to_owned(),
        input: input.to_owned(),
        tool_schema: None,
        links: None,
        cwd: Some("/w".to_owned()),
        reason: None,
        act,
        risk: Rated::default(),
        flags: Vec::new(),
    }
}

fn shell(command: &str) -> Action {
    let act = Act::Shell {
        command: command.to_owned(),
    };
    // An input that is no JSON is the command itself.
    action("Bash", command, act)
}

fn rated(command: &str) -> Rated {
    rate(&shell(command), None)
}

/// A line of a corpus: level, marks, reason and command.
fn lines(corpus: &'static str, fields: usize) -> impl Iterator<Item = Vec<String>> {
    corpus.lines().map(move |line| {
        let parts: Vec<String> = line
            .splitn(fields, " | ")
            .map(|part| part.replace("\\n", "\n"))
            .collect();
        assert_eq!(parts.len(), fields, "{line}");
        parts
    })
}

/// A reason that ends in `…` stands for every reason that begins so.
fn is_reason(wanted: &str, have: &str) -> bool {
    match wanted.strip_suffix('…') {
        Some(begin) => have.starts_with(begin),
        None => have == wanted,
    }
}

fn differences(lines: &[(String, String, String)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (level, reason, command) in lines {
        let have = rated(command);
        let first = have.reason().unwrap_or_default();
        if have.level.word() != level || !is_reason(reason, first) {
            wrong.push(format!(
                "{command}\n    wanted {level}: {reason}\n    have   {}: {:?}",
                have.level.word(),
                have.reasons
            ));
        }
    }
    wrong
}

const EVERYDAY: &str = include_str!("../corpus/risk-everyday.txt");
const DANGEROUS: &str = include_str!("../corpus/risk-dangerous.txt");

fn everyday() -> Vec<(String, String, String)> {
    lines(EVERYDAY, 3)
        .map(|parts| (parts[0].clone(), parts[1].clone(), parts[2].clone()))
        .collect()
}

#[test]
fn everyday_commands_have_the_level_and_the_reason_a_reviewer_gives() {
    let lines = everyday();
    let wrong = differences(&lines);
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        lines.len(),
        wrong.join("\n")
    );
}

#[test]
fn dangerous_commands_have_the_level_and_the_reason_a_reviewer_gives() {
    let lines: Vec<_> = lines(DANGEROUS, 4)
        .map(|parts| (parts[0].clone(), parts[2].clone(), parts[3].clone()))
        .collect();
    let wrong = differences(&lines);
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        lines.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_corpora_keep_to_the_bounds() {
    let everyday = everyday();
    let programs: std::collections::HashSet<&str> = everyday
        .iter()
        .filter_map(|(_, _, command)| command.split_whitespace().next())
        .collect();
    assert!(
        everyday.len() >= 300 && programs.len() >= 40,
        "{} of {}",
        everyday.len(),
        programs.len()
    );
    let high = everyday
        .iter()
        .filter(|(_, _, command)| rated(command).level == Risk::High)
        .count();
    assert!(
        high * 100 <= everyday.len() * 8,
        "{high} of {} are high",
        everyday.len()
    );

    let dangerous: Vec<_> = lines(DANGEROUS, 4).collect();
    assert!(dangerous.len() >= 300);
    for line in &dangerous {
        assert_ne!(rated(&line[3]).level, Risk::Low, "{}", line[3]);
    }
    let lasting: Vec<_> = dangerous
        .iter()
        .filter(|line| line[1] == "irreversible")
        .collect();
    let high = lasting
        .iter()
        .filter(|line| rated(&line[3]).level == Risk::High)
        .count();
    assert!(
        high * 100 >= lasting.len() * 95,
        "{high} of {} are high",
        lasting.len()
    );
}

#[test]
fn spans_are_parts_of_the_command() {
    for (command, part, reason) in [
        ("git status && rm -rf src", "rm -rf src", "deletes files"),
        (
            "echo ü; sudo rm -rf /x",
            "sudo rm -rf /x",
            "deletes files as root",
        ),
        (
            "echo x >> ~/.bashrc",
            "~/.bashrc",
            "changes what runs automatically",
        ),
        ("sh -c 'rm -rf src'", "'rm -rf src'", "deletes files"),
        ("ls $(rm -rf src)", "rm -rf src", "deletes files"),
    ] {
        let have = rated(command);
        let at = have
            .reasons
            .iter()
            .position(|one| one == reason)
            .expect(reason);
        let parts: Vec<&str> = have
            .spans
            .iter()
            .filter(|span| span.reason as usize == at)
            .map(|span| &command[span.start as usize..span.end as usize])
            .collect();
        assert_eq!(parts, [part], "{command}: {have:?}");
    }
    for line in EVERYDAY.lines().chain(DANGEROUS.lines()) {
        for end in (0..line.len()).filter(|end| line.is_char_boundary(*end)) {
            let command = &line[..end];
            let have = rated(command);
            for Span { start, end, reason } in have.spans {
                assert!(
                    command.get(start as usize..end as usize).is_some(),
                    "{command}"
                );
                assert!((reason as usize) < have.reasons.len(), "{command}");
            }
            assert!(!have.reasons.is_empty(), "{command}");
        }
    }
}

#[test]
fn what_stands_side_by_side_is_not_nested() {
    let have = rated(&"sh -c ls; ".repeat(64));
    assert_eq!((have.level, have.reasons.len()), (Risk::Low, 1), "{have:?}");
}

#[test]
fn a_reason_is_marked_only_so_often() {
    let have = rated(&"rm x; ".repeat(140));
    let reasons = ["deletes files".to_owned()];
    assert_eq!((&have.reasons[..], have.spans.len()), (&reasons[..], 128));
}

fn write(path: &str, cwd: Option<&str>) -> Action {
    let act = Act::Write {
        path: path.to_owned(),
        content: String::new(),
    };
    let input = format!(r#"{{"file_path":"{path}","content":""}}"#);
    Action {
        cwd: cwd.map(str::to_owned),
        ..action("Write", &input, act)
    }
}

#[test]
fn a_file_is_near_only_below_a_known_folder() {
    use Risk::{High, Medium};
    for (path, cwd, level) in [
        ("src/a.rs", Some("/w"), Medium),
        ("/w/src/a.rs", Some("/w"), Medium),
        ("/w/src/../a.rs", Some("/w"), Medium),
        ("/home/ann/shop/a.rs", Some("/home/ann/shop"), Medium),
        ("/usr/src/app/a.js", Some("/usr/src/app"), Medium),
        ("/tmp/x", Some("/w"), Medium),
        (".github/x.yml", Some("/w"), Medium),
        ("notes.md", Some("/home/ann"), Medium),
        ("src/a.rs", None, Medium),
        ("/etc/hosts", Some("/w"), High),
        ("../x", Some("/w"), High),
        ("/w/../etc/x", Some("/w"), High),
        ("~/.bashrc", Some("/w"), High),
        ("~/x", Some("/w"), High),
        (".git/hooks/pre-commit", Some("/w"), High),
        (".claude/settings.json", Some("/w"), High),
        ("/etc/cron.d/x", None, High),
        ("/home/ann/.ssh/x", None, High),
        ("../x", None, High),
        ("src/../../x", None, High),
        ("../../x", None, High),
        ("~/../x", Some("/w"), High),
        // Everywhere is not where somebody works.
        ("/etc/cron.d/x", Some("/"), High),
        ("etc/cron.d/x", Some("/"), High),
        ("x", Some("/"), High),
        ("cron.d/x", Some("/etc"), High),
        ("cron.d/x", Some("/ETC"), High),
        ("ann/bin/x", Some("/home"), High),
        (".bashrc", Some("/home/ann"), High),
    ] {
        let have = rate(&write(path, cwd), None);
        assert_eq!(have.level, level, "{path} in {cwd:?}: {:?}", have.reasons);
    }
    let shop = Workspace::new("/w").expect("a workspace");
    assert_eq!(
        rate(&write("../x", Some("/w/sub")), Some(&shop)).level,
        Medium
    );
    assert_eq!(
        rate(&write("../../x", Some("/w/sub")), Some(&shop)).level,
        High
    );
}

#[test]
fn tools_are_judged_by_their_names_and_inputs() {
    use Risk::{High, Low, Medium};
    for (tool, input, level) in [
        ("Read", r#"{"file_path":"a"}"#, Low),
        ("Read", r#"{"file_path":"/etc/hosts"}"#, Medium),
        ("Read", r#"{"file_path":"/home/ann/.ssh/id_rsa"}"#, High),
        ("Read", r#"{"file_path":".env"}"#, High),
        ("Grep", r#"{"pattern":"x","path":"src"}"#, Low),
        ("TodoWrite", r#"{"todos":[{"content":"x"}]}"#, Low),
        (
            "NotebookEdit",
            r#"{"notebook_path":"a.ipynb","new_source":"x"}"#,
            Medium,
        ),
        (
            "NotebookEdit",
            r#"{"notebook_path":"/etc/cron.d/x","new_source":"x"}"#,
            High,
        ),
        ("MultiEdit", r#"{"file_path":"~/.zshrc","edits":[]}"#, High),
        ("WebFetch", r#"{"url":"https://example.org"}"#, Medium),
        (
            "WebFetch",
            r#"{"url":"http://169.254.169.254/latest"}"#,
            High,
        ),
        ("WebFetch", r#"{"url":"http://localhost:3000"}"#, High),
        ("WebFetch", r#"{"url":"http://2130706433/"}"#, High),
        ("WebFetch", r#"{"url":"http://8.8.8.8/"}"#, Medium),
        ("WebFetch", r#"{"url":"http://8.8.8.8.9/"}"#, High),
        ("WebFetch", r#"{"url":"http://build.internal/"}"#, High),
        ("WebFetch", r#"{"url":"http://nas.local/"}"#, High),
        ("WebFetch", r#"{"url":"http://a.localhost/"}"#, High),
        ("WebFetch", r#"{"url":"http://ann@example.org/"}"#, High),
        ("WebFetch", r#"{"url":"ftp://example.org/"}"#, High),
        ("WebFetch", r#"{"url":"https:///x"}"#, High),
        ("WebFetch", r#"{"url":"file:///etc/shadow"}"#, High),
        ("WebSearch", r#"{"query":"rust"}"#, Medium),
        ("lookup", r#"{"a":1}"#, Medium),
        ("lookup", r#"{"a":1,"a":2}"#, High),
        ("mcp__db__drop_table", "{}", High),
        ("mcp__mail__send_message", r#"{"to":"x"}"#, High),
        ("mcp__shop__createPayment", "{}", High),
        ("mcp__db__query", r#"{"sql":"select 1"}"#, Medium),
        ("mcp__db__query", r#"{"sql":"DROP TABLE users"}"#, High),
        (
            "mcp__db__query",
            r#"{"sql":"select 1;drop table users"}"#,
            High,
        ),
        (
            "mcp__db__query",
            r#"{"sql":"select 1; drop table users"}"#,
            High,
        ),
        ("mcp__db__query", r#"{"note":"drop table users"}"#, Medium),
        ("helper", r#"{"command":"rm -rf /home/ann"}"#, High),
        ("helper", r#"{"command":"ls"}"#, Medium),
        ("helper", r#"{"args":{"argv":["rm","x"]}}"#, High),
        (
            "apply_patch",
            r#"{"input":"*** Begin Patch\n*** Update File: src/a.rs\n"}"#,
            Medium,
        ),
        (
            "apply_patch",
            r#"{"input":"*** Begin Patch\n*** Update File: /etc/passwd\n"}"#,
            High,
        ),
    ] {
        let have = rate(&action(tool, input, Act::Other), None);
        assert_eq!(have.level, level, "{tool} {input}: {:?}", have.reasons);
    }
}

#[test]
fn an_input_that_says_something_else_is_high_and_named() {
    for (input, difference) in [
        (r#"{"command":"git status"}"#, None),
        (
            r#"{"command":"git status","description":"look","timeout":9}"#,
            None,
        ),
        (r#"{"command":"git status","run_in_background":true}"#, None),
        (r#"{"command":["git","status"]}"#, None),
        ("git status", None),
        (
            r#"{"command":"rm -rf /home/ann"}"#,
            Some("`command` in the input differs from what is shown"),
        ),
        (
            r#"{"command":"git status","env":{"PATH":"/x"}}"#,
            Some("the input also contains `env` without showing it"),
        ),
        (
            r#"{"command":"git status","cwd":"/"}"#,
            Some("`cwd` in the input differs from what is shown"),
        ),
        ("{}", Some("the input does not contain this command")),
        // A name that could mislead is not repeated.
        (
            r#"{"command":"git status","all is well, allow it!":1}"#,
            Some("its input differs from what is shown"),
        ),
    ] {
        let act = Act::Shell {
            command: "git status".to_owned(),
        };
        let have = rate(&action("Bash", input, act), None);
        let high = (have.level == Risk::High).then(|| have.reason()).flatten();
        assert_eq!(high, difference, "{input}: {have:?}");
    }
    for (tool, input, high) in [
        ("write_file", r#"{"path":"src/a.rs","content":""}"#, false),
        ("write_file", r#"{"path":"src/a.rs","content":"x"}"#, true),
        ("Write", r#"{"file_path":"/etc/cron.d/x"}"#, true),
        ("Write", "{}", true),
        ("deploy", r#"{"path":"src/a.rs"}"#, true),
        (
            "Write",
            r#"{"path":"src/a.rs","url":"https://example.org"}"#,
            true,
        ),
    ] {
        let file = Action {
            tool: tool.to_owned(),
            input: input.to_owned(),
            ..write("src/a.rs", Some("/w"))
        };
        let have = rate(&file, None);
        assert_eq!(have.level == Risk::High, high, "{tool} {input}: {have:?}");
    }
}

#[test]
fn a_hint_only_raises_and_says_so() {
    let hinted = |command: &str, level| {
        let action = Action {
            risk: Rated::hint(level),
            ..shell(command)
        };
        let have = rate(&action, None);
        (have.level, have.reasons[0].clone())
    };
    let high = "the agent calls it high risk".to_owned();
    assert_eq!(hinted("git status", Risk::High), (Risk::High, high));
    let medium = "the agent calls it medium risk".to_owned();
    assert_eq!(hinted("git status", Risk::Medium), (Risk::Medium, medium));
    assert_eq!(hinted("rm -rf src", Risk::Low).0, Risk::High);
    assert_eq!(hinted("rm -rf src", Risk::High).1, "deletes files");
}

/// What follows a long beginning counts, and what is too long to read is high for that alone.
#[test]
fn what_hides_behind_a_flood_is_high() {
    for piece in [
        "a;",
        "$(",
        "${",
        "{a,b}",
        "((",
        "'\"",
        "x=$x ",
        "<<E\n",
        "| sh ",
        "`",
        "case x in ",
        "a=b;",
        "find . -exec ",
        "sudo ",
        "git bisect run ",
        "npx -c ",
        "docker run x ",
        "xargs parallel xargs $(watch ",
        "npm exec -- ",
    ] {
        let most = crate::limits::COMMAND_READ_BYTES_MAX;
        let flood = piece.repeat((most - 16) / piece.len());
        let have = rated(&format!("{flood}\nrm -rf src"));
        assert_eq!(have.level, Risk::High, "{piece}: {:?}", have.reasons);
        let longer = rated(&format!("{flood}{flood}\nrm -rf src"));
        let why = ["is too long to check"];
        assert_eq!(
            (longer.level, &longer.reasons[..]),
            (Risk::High, &why.map(str::to_owned)[..])
        );
    }
}
