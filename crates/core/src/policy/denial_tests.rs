//! What is denied stays denied, however a command is spelled and wherever in an input it stands.

use proptest::prelude::*;

use super::super::tests::{everywhere, preset, says_to, shell, word, words};
use super::super::{AskMode, Level, Policy, Says, Subject};
use crate::action::{Act, Action};
use crate::limits;

/// Everything is allowed but what these deny.
fn full_but(denied: impl IntoIterator<Item = Subject>) -> Policy {
    let full = Says::Level {
        level: Level::Full,
        mode: AskMode::OnMiss,
    };
    everywhere(
        [full]
            .into_iter()
            .chain(denied.into_iter().map(Says::Deny))
            .collect(),
    )
}

fn tool(tool: &str, input: &str) -> Action {
    Action {
        tool: tool.to_owned(),
        input: input.to_owned(),
        act: Act::Other,
        ..shell("x")
    }
}

#[test]
fn no_spelling_slips_by_a_rule_that_denies() {
    let policy = full_but([words("rm -rf"), preset("cat")]);
    for command in [
        "rm -rf x",
        "2>/dev/null rm -rf x",
        "</dev/null rm -rf x",
        "rm 2>/dev/null -rf x",
        "true;2>&1 rm -rf x",
        "{rm,-rf,x}",
        "env -S'rm -rf x'",
        "cat a",
        "/bin/cat a",
        "cat -v a",
        "cat /etc/shadow",
        "cat",
        "cat --show-all ../a",
        "ls | cat -",
        "</etc/shadow cat",
        "sudo cat a",
    ] {
        assert_eq!(word(&policy, command), "deny", "{command}");
    }
    for command in ["ls", "rm -r x", "cp cat dog", "echo hello > x", "concat a"] {
        assert_eq!(word(&policy, command), "allow", "{command}");
    }
}

#[test]
fn a_preset_is_denied_by_its_program_and_subcommand() {
    let policy = full_but([
        preset("git-status"),
        preset("git-stash-list"),
        preset("tsc"),
    ]);
    for (command, expected) in [
        ("git status", "deny"),
        ("git status --evil", "deny"),
        ("git -C /elsewhere status", "deny"),
        ("git -c core.fsmonitor=x --no-pager status", "deny"),
        ("git --git-dir=/x status", "deny"),
        ("/usr/bin/git status ../x", "deny"),
        ("git stash list --all", "deny"),
        ("tsc -p . --noEmit", "deny"),
        ("tsc src/a.ts --noEmit", "deny"),
        ("git log", "allow"),
        ("git log status", "allow"),
        ("git stash", "allow"),
        ("git stash push list", "allow"),
        ("git", "allow"),
        ("tsc", "allow"),
        ("mygit status", "allow"),
    ] {
        assert_eq!(word(&policy, command), expected, "{command}");
    }
    let hidden = format!("git {}status", "-a ".repeat(1_000));
    assert_eq!(word(&policy, &hidden), "deny");
    let safe = full_but([preset("safe-defaults")]);
    for (command, expected) in [
        ("cat -v a", "deny"),
        ("git diff --output=x", "deny"),
        ("git push", "allow"),
    ] {
        assert_eq!(word(&safe, command), expected, "{command}");
    }
}

#[test]
fn a_command_is_denied_wherever_in_an_input_it_stands() {
    let policy = full_but([words("rm -rf")]);
    for (input, of_exec, of_other) in [
        (r#"{"command":"rm -rf x"}"#, "deny", "deny"),
        (r#"{"command":["rm","-rf","x"]}"#, "deny", "deny"),
        (r#"{"args":{"command":"rm -rf x"}}"#, "deny", "deny"),
        (r#"{"command":"rm","args":["-rf","x"]}"#, "deny", "deny"),
        (
            r#"{"commands":[{"line":"ls"},{"line":"2>y rm -rf x"}]}"#,
            "deny",
            "deny",
        ),
        (r#"{"argv":["sh","-c","2>y rm -rf x"]}"#, "deny", "deny"),
        (
            r#"{"arguments":"{\"command\":\"rm -rf x\"}"}"#,
            "deny",
            "deny",
        ),
        (r#"["rm","-rf","x"]"#, "deny", "deny"),
        (r#""rm -rf x""#, "deny", "deny"),
        ("rm -rf x", "deny", "deny"),
        // Whether it is run there cannot be told, but for a tool that runs everything.
        (r#"{"what":"rm -rf x"}"#, "deny", "ask"),
        (r#"{"what":[["rm","-rf","x"]]}"#, "deny", "ask"),
        (r#"{"a":1,"a":"rm -rf x"}"#, "deny", "deny"),
        (r#"{"a":1,"a":"\u0072m -rf x"}"#, "ask", "ask"),
        (r#"{"what":"ls"}"#, "allow", "allow"),
        (r#"{"what":"how rm -rf works"}"#, "allow", "allow"),
        ("", "allow", "allow"),
    ] {
        for (name, expected) in [("exec", of_exec), ("lookup", of_other)] {
            let (said, why) = says_to(&policy, &tool(name, input));
            assert_eq!(said, expected, "{name} {input}: {why}");
        }
    }
}

#[test]
fn options_before_the_subcommand_do_not_hide_it() {
    let policy = full_but([words("git push"), words("kubectl delete")]);
    for (command, expected) in [
        ("git -C . push", "deny"),
        ("git --no-pager push", "deny"),
        ("git -c a=b push origin main", "deny"),
        ("sudo git --git-dir=x push", "deny"),
        ("kubectl -n x delete pod y", "deny"),
        ("git -C push status", "allow"),
        ("git commit -m push", "allow"),
    ] {
        assert_eq!(word(&policy, command), expected, "{command}");
    }
}

#[test]
fn words_about_an_act_are_no_command() {
    let policy = full_but([words("rm -rf")]);
    let described = Action {
        input: r#"{"command":"cargo clean","description":"rm -rf target, but nicer"}"#.to_owned(),
        ..shell("cargo clean")
    };
    assert_eq!(says_to(&policy, &described).0, "allow");
    let written = Action {
        act: Act::Write {
            path: "clean.sh".to_owned(),
            content: "rm -rf target".to_owned(),
        },
        ..tool(
            "Write",
            r#"{"file_path":"clean.sh","content":"rm -rf target"}"#,
        )
    };
    assert_eq!(says_to(&policy, &written).0, "allow");
    let other = Action {
        input: r#"{"file_path":"clean.sh","content":"rm -rf x"}"#.to_owned(),
        ..written
    };
    assert_eq!(says_to(&policy, &other).0, "ask");
}

#[test]
fn what_is_too_much_to_look_at_is_asked_and_still_denied() {
    let input = |command: &str| {
        let items = (0..=limits::COMMAND_TEXTS_MAX).map(|at| format!("\"a{at}\""));
        let items: Vec<String> = items.collect();
        format!(r#"{{"list":[{}],"command":"{command}"}}"#, items.join(","))
    };
    let policy = full_but([words("rm -rf")]);
    let many = tool("lookup", &input("ls"));
    let (said, why) = says_to(&policy, &many);
    assert_eq!(said, "ask", "{why}");
    assert!(why.contains("part of it could not be checked"), "{why}");
    let entries = (0..=limits::COMMAND_TEXTS_MAX).map(|at| format!("\"k{at}\":\"a{at}\""));
    let entries: Vec<String> = entries.collect();
    let entries = tool("lookup", &format!("{{{}}}", entries.join(",")));
    assert_eq!(says_to(&policy, &entries).0, "ask");
    // Without a rule that denies there is nothing to look for.
    assert_eq!(says_to(&full_but([]), &many).0, "allow");
    let few = r#"{"list":["a"],"command":"rm -rf x"}"#;
    assert_eq!(says_to(&policy, &tool("lookup", few)).0, "deny");
    // The longest of two is read whole, and the other in part.
    let long = "a;".repeat(limits::COMMAND_READ_BYTES_MAX / 3);
    let lengths = [(1, "allow"), (2, "ask")];
    for (count, said) in lengths {
        let texts: Vec<String> = (0..count)
            .map(|at| format!("\"{at}\":\"{at};{long}\""))
            .collect();
        let input = format!("{{{}}}", texts.join(","));
        assert_eq!(says_to(&policy, &tool("lookup", &input)).0, said, "{count}");
    }
    assert_eq!(word(&policy, "[ -f x ] && ls"), "allow");
    let deep = format!("{}ls", "(".repeat(200));
    assert_eq!(word(&policy, &deep), "ask");
    assert_eq!(word(&policy, &format!("{deep}; rm -rf x")), "deny");
}

#[test]
fn a_command_that_is_too_long_to_read_is_asked_and_its_beginning_denied() {
    let policy = full_but([words("rm -rf")]);
    let long = "a;".repeat(limits::COMMAND_READ_BYTES_MAX / 2);
    assert_eq!(word(&policy, &long), "allow");
    assert_eq!(word(&policy, &format!("{long}rm -rf x")), "ask");
    assert_eq!(word(&policy, &format!("rm -rf x;{long}")), "deny");
}

/// A text as JSON.
fn json(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

proptest! {
    #[test]
    fn a_denied_command_is_denied_in_every_input(
        program in "[a-z]{2,6}",
        rest in prop::collection::vec("-?[a-z]{1,4}", 1..4),
        folder in prop::sample::select(vec!["", "/bin/", "./"]),
        way in 0_usize..8,
        wraps in prop::collection::vec(0_usize..3, 0..4),
    ) {
        let denied = format!("{program} {}", rest.join(" "));
        let policy = full_but([words(&denied)]);
        let list: Vec<String> = rest.iter().map(|word| json(word)).collect();
        let list = list.join(",");
        let named = json(&format!("{folder}{program}"));
        let line = format!("{folder}{denied} more");
        let command = match way {
            0 => json(&line),
            1 => json(&format!("2>/dev/null {line}")),
            2 => json(&line.replacen(' ', " 2>&1 ", 1)),
            3 => json(&format!("{{{}}}", line.replace(' ', ","))),
            4 => json(&format!("env -S'{line}'")),
            5 => json(&format!("sh -c \"{line}\"")),
            6 => format!("[{named},{list}]"),
            _ => format!("[\"sh\",\"-c\",{}]", json(&format!("</dev/null {line}"))),
        };
        let mut input = format!("{{\"command\":{command}}}");
        for wrap in wraps {
            input = match wrap {
                0 => format!("{{\"args\":{input}}}"),
                1 => format!("[1,{input},null]"),
                _ => format!("{{\"call\":{}}}", json(&input)),
            };
        }
        prop_assert_eq!(says_to(&policy, &tool("lookup", &input)).0, "deny", "{} in {}", denied, input);
    }
}
