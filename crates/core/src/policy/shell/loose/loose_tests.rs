//! The loose reading: a command is found however it is dressed.

use proptest::prelude::*;

use super::read;

fn finds(text: &str, words: &str) -> bool {
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let found = read(text);
    let commands = found.runs.iter().flat_map(super::WordRun::commands);
    commands
        .into_iter()
        .any(|command| command.begins_with(&words))
}

#[test]
fn a_command_is_found_wherever_it_hides() {
    for text in [
        "rm -rf x",
        "/bin/rm -rf x",
        "ls; rm -rf x",
        "ls && rm  -rf x",
        "ls\nrm -rf x",
        "ls & rm -rf x",
        "(rm -rf x)",
        "{ rm -rf x; }",
        "echo $(rm -rf x)",
        "echo `rm -rf x`",
        "cat <(rm -rf x)",
        "A=1 B=2 rm -rf x",
        "if true; then rm -rf x; fi",
        "! rm -rf x",
        "sudo rm -rf x",
        "env A=1 nice -n 5 rm -rf x",
        "bash -c 'rm -rf x'",
        "sh -c \"cd /; rm -rf x\"",
        "xargs rm -rf x",
        "find . -exec rm -rf x +",
        "timeout 5 rm -rf x",
        "eval rm -rf x",
        "r'm' -rf x",
        "r\\m -r\"f\" x",
        "rm${IFS}-rf${IFS}x",
        "rm \\\n -rf x",
        "trap 'rm -rf x' EXIT",
    ] {
        assert!(finds(text, "rm -rf"), "{text}");
    }
}

#[test]
fn a_redirection_does_not_part_a_command() {
    for text in [
        "2>/dev/null rm -rf x",
        "</dev/null rm -rf x",
        "< /dev/null rm -rf x",
        "rm 2>/dev/null -rf x",
        "rm 2> /dev/null -rf x",
        "rm>/dev/null -rf x",
        "rm -rf>y x",
        "true;2>&1 rm -rf x",
        "rm 2>&1 -rf x",
        "rm >&2 -rf x",
        "rm >&- -rf x",
        "rm &>/dev/null -rf x",
        "rm &>>y -rf x",
        "rm >>y -rf x",
        "rm >|y -rf x",
        "rm <>y -rf x",
        "rm <<<y -rf x",
        "rm <<<'a b' -rf x",
        "rm <<E -rf x\nE\n",
        "rm {fd}>y -rf x",
        "{fd}<y rm -rf x",
        ">\"a b\" rm -rf x",
        ">a\\ b rm -rf x",
        ">$(echo y) rm -rf x",
        ">\"a $(echo y) b\" rm -rf x",
        ">$HOME/y rm -rf x",
        "> >(cat) rm -rf x",
        ">a >b <c rm -rf x",
        "bash -c '2>/dev/null rm -rf x'",
        "bash -c \"true; 2>/dev/null rm -rf x\"",
        "bash <<< '2>/dev/null rm -rf x'",
        "f() { 2>/dev/null rm -rf x; }; f",
        "case y in (y) 2>/dev/null rm -rf x;; esac",
        "ls \"$(case y in y) 2>/dev/null rm -rf x;; esac)\"",
        "case y in (y) A=1 2>/dev/null rm -rf x;; esac",
        "ls \"$(case y in y) true;; esac) it's\"; 2>/dev/null rm -rf x",
        "ls \"$(case y in y) echo esac;; z) echo 'a\"';; esac) b\"; 2>/dev/null rm -rf x",
        "ls \"$(echo }; true 'a\"b') c\"; 2>/dev/null rm -rf x",
        "echo it\\'s; 2>/dev/null rm -rf x",
        "true # don't\n2>/dev/null rm -rf x",
        "cat <<E\nit's\nE\n2>/dev/null rm -rf x # it's",
    ] {
        assert!(finds(text, "rm -rf"), "{text}");
    }
}

#[test]
fn a_sign_between_quotes_parts_commands() {
    for sign in [";", "|", "&"] {
        let text = format!("sh -c 'true{sign}rm'");
        assert!(finds(&text, "rm"), "{text}");
    }
}

#[test]
fn no_dress_hides_a_command() {
    for text in [
        "{rm,-rf,x}",
        "rm {-rf,x}",
        "2>/dev/null {rm,-rf,x}",
        "${EMPTY} {rm,-rf,x}",
        "env -S'rm -rf x'",
        "env -S 'rm -rf x'",
        "env -S\"rm -rf x\"",
        "env -iS'rm -rf x'",
        "env -Srm\\ -rf\\ x",
        "env --split-string='rm -rf x'",
        "env --split-string=rm\\ -rf\\ x",
        "su -c'rm -rf x'",
        "eval \"rm >a\\ b -rf x\"",
        "eval 'true; rm' >y -rf x",
        "git -c core.pager='rm -rf x' log",
        "GIT_SSH_COMMAND='rm -rf x' git fetch",
        "PAGER=rm\\ -rf\\ x man ls",
        "A=\"x y\" rm -rf x",
        "rm $(true) -rf x",
        "rm `true` -rf x",
        "rm <(true) -rf x",
        "rm $EMPTY -rf x",
        "rm \"$@\" -rf x",
        "rm ${EMPTY} -rf x",
        "r$(true)m -rf x",
        "rm '' -rf x",
        "$'rm' -rf x",
        "echo 'rm -rf x' | sh",
        "echo rm -rf x | sudo bash",
        "printf '2>y rm -rf x' | cat | sh",
        "python3 -c 'import os; os.system(\"rm -rf x\")'",
        "python3 -c 'subprocess.run([\"rm\", \"-rf\", \"x\"])'",
        "bash -c \"bash -c '2>/dev/null rm -rf x'\"",
        "bash -c \"bash -c \\\"bash -c '2>y rm -rf x'\\\"\"",
    ] {
        assert!(finds(text, "rm -rf"), "{text}");
    }
}

#[test]
fn a_word_that_is_no_command_is_none() {
    for text in [
        "git rm -rf x",
        "grep rm -rf x",
        "echo rm -rf x",
        "echo 'rm -rf x'",
        "git commit -m 'rm -rf x'",
        "echo rm -rf x | cat",
        "rm -r x",
        "rmdir -rf x",
    ] {
        assert!(!finds(text, "rm -rf"), "{text}");
    }
    for text in ["find . -perm 644", "docker run --rm x", "ls -arm"] {
        assert!(!finds(text, "rm"), "{text}");
    }
}

#[test]
fn what_lies_too_deep_is_told() {
    assert!(read("bash -c \"bash -c 'ls'\"").whole);
    assert!(!read(&"(".repeat(100)).whole);
    let quote = |text: String| {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("sh -c \"{text}\"")
    };
    let deep = |levels| (0..levels).fold("2>y rm -rf x".to_owned(), |text, _: usize| quote(text));
    assert!(read(&deep(6)).whole && finds(&deep(6), "rm -rf"));
    assert!(!read(&deep(12)).whole);
}

#[test]
fn a_hundred_thousand_parts_are_all_looked_at() {
    for part in [
        "true; ", "sudo ", "$(", "a|sh|", ">y ", "{", "\"'", "() ", "env -S",
    ] {
        let text = format!("{};rm -rf x", part.repeat(100_000));
        assert!(finds(&text, "rm -rf"), "{part}");
    }
}

/// A way to dress a command so that a shell still runs it.
fn dress() -> impl Strategy<Value = fn(String) -> String> {
    let dresses: Vec<fn(String) -> String> = vec![
        |text| format!("2>/dev/null {text}"),
        |text| format!("</dev/null {text}"),
        |text| format!(">'a b' {text}"),
        |text| format!("{text} >/dev/null 2>&1"),
        |text| text.replacen(' ', " 2>/dev/null ", 1),
        |text| text.replacen(' ', " >&2 ", 1),
        |text| text.replacen(' ', " &>y ", 1),
        |text| text.replacen(' ', " $(true) ", 1),
        |text| format!("true; {text}"),
        |text| format!("ls && {text}"),
        |text| format!("ls | {text}"),
        |text| format!("({text})"),
        |text| format!("{{ {text}; }}"),
        |text| format!("echo $({text})"),
        |text| format!("A='x y' {text}"),
        |text| format!("sudo {text}"),
        |text| format!("if true; then {text}; fi"),
    ];
    prop::sample::select(dresses)
}

proptest! {
    #[test]
    fn a_dressed_command_is_found(
        program in "[a-z]{2,6}",
        folder in prop::sample::select(vec!["", "/bin/", "./"]),
        words in prop::collection::vec("-?[a-z]{1,4}", 1..4),
        inner in prop::collection::vec(dress(), 0..4),
        way in 0_usize..6,
        outer in prop::collection::vec(dress(), 0..3),
    ) {
        let denied = format!("{program} {}", words.join(" "));
        let mut text = format!("{folder}{denied} more");
        if way < 4 {
            text = inner.iter().fold(text, |text, dress| dress(text));
        }
        text = match way {
            1 if !text.contains('\'') => format!("sh -c '{text}'"),
            2 if !text.contains('\'') => format!("bash -c'{text}'"),
            3 => format!("sh -c \"{text}\""),
            4 => format!("env -S'{text}'"),
            5 => format!("{{{}}}", text.replace(' ', ",")),
            _ => text,
        };
        text = outer.iter().fold(text, |text, dress| dress(text));
        prop_assert!(finds(&text, &denied), "{denied} in {text}");
    }
}
