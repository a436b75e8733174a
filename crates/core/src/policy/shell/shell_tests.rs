//! The gate on its own: what it takes, what it refuses, and that it reads back what it writes.

use proptest::prelude::*;

use super::{Joint, Line, NotPlain, Part};

fn line(parts: &[(Joint, &[&str])]) -> Line {
    let part = |(joint, argv): &(Joint, &[&str])| Part {
        joint: *joint,
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
    };
    Line {
        parts: parts.iter().map(part).collect(),
    }
}

#[test]
fn a_joint_is_known_by_its_sign() {
    for joint in Joint::ALL {
        assert_eq!(Joint::from_sign(joint.sign()), Some(joint));
    }
    assert_eq!(Joint::from_sign("&"), None);
}

#[test]
fn plain_commands_become_their_words() {
    let read = |text: &str| Line::read(text).unwrap();
    assert_eq!(
        read("git status"),
        line(&[(Joint::First, &["git", "status"])])
    );
    assert_eq!(
        read("\n a 'b c'\"d e\"f ''\t;\n\nb && c||d|e\n"),
        line(&[
            (Joint::First, &["a", "b cd ef", ""]),
            (Joint::Then, &["b"]),
            (Joint::And, &["c"]),
            (Joint::Or, &["d"]),
            (Joint::Pipe, &["e"]),
        ])
    );
    assert_eq!(
        read("grep -rn 'a$(b)!\\' src/x.rs"),
        line(&[(Joint::First, &["grep", "-rn", "a$(b)!\\", "src/x.rs"])])
    );
}

#[test]
fn whatever_some_shell_reads_otherwise_is_refused() {
    for (text, why) in [
        ("", NotPlain::Empty),
        (" \n\t", NotPlain::Empty),
        ("git status &", NotPlain::Sign('&')),
        ("a & b", NotPlain::Sign('&')),
        ("a &&& b", NotPlain::Sign('&')),
        ("a |& b", NotPlain::Sign('&')),
        ("a >b", NotPlain::Sign('>')),
        ("a <b", NotPlain::Sign('<')),
        ("a 2>&1", NotPlain::Sign('>')),
        ("a $b", NotPlain::Sign('$')),
        ("a \"$b\"", NotPlain::Sign('$')),
        ("a \"`b`\"", NotPlain::Sign('`')),
        ("a \"!b\"", NotPlain::Sign('!')),
        ("a \"\\b\"", NotPlain::Sign('\\')),
        ("a \\b", NotPlain::Sign('\\')),
        ("a *", NotPlain::Sign('*')),
        ("a ?", NotPlain::Sign('?')),
        ("a [b]", NotPlain::Sign('[')),
        ("a {b,c}", NotPlain::Sign('{')),
        ("a ~", NotPlain::Sign('~')),
        ("a #b", NotPlain::Sign('#')),
        ("a ^b", NotPlain::Sign('^')),
        ("(a)", NotPlain::Sign('(')),
        ("a =b", NotPlain::Sign('=')),
        ("a ''=b", NotPlain::Sign('=')),
        ("a 'b", NotPlain::OpenQuote),
        ("a; ;b", NotPlain::Dangling),
        ("a ;; b", NotPlain::Dangling),
        ("; a", NotPlain::Dangling),
        ("a &&", NotPlain::Dangling),
        ("a &&\nb", NotPlain::Dangling),
        ("| a", NotPlain::Dangling),
        ("a ||| b", NotPlain::Dangling),
        ("a\n;b", NotPlain::Dangling),
        ("a\rb", NotPlain::Character('\r')),
        ("a\u{b}b", NotPlain::Character('\u{b}')),
        ("a\u{a0}b", NotPlain::Character('\u{a0}')),
        ("gіt status", NotPlain::Character('і')),
        ("a\0", NotPlain::Character('\0')),
        ("\u{1b}[2J", NotPlain::Character('\u{1b}')),
        ("'a\u{202e}b'", NotPlain::Character('\u{202e}')),
    ] {
        assert_eq!(Line::read(text), Err(why), "{text:?}");
    }
    for name in [
        "A=1", "time", "coproc", "if", "eval", "exec", ".", "source", "command", "builtin",
        "noglob", "-c", "+x", "%1", "''", "\"time\"", "alias", "export", "'A=1'", "-",
    ] {
        let text = format!("{name} git status");
        assert!(
            matches!(Line::read(&text), Err(NotPlain::Name(_))),
            "{text}"
        );
    }
    assert_eq!(Line::read(&"a ".repeat(10_000)), Err(NotPlain::TooLong));
    assert_eq!(Line::read(&"a;".repeat(100_000)), Err(NotPlain::TooLong));
}

proptest! {
    #[test]
    fn what_it_writes_it_reads_back(
        parts in prop::collection::vec(
            (1_usize..5, "[a-z][a-z/.-]{0,8}", prop::collection::vec("[ -~\t\n]{0,8}", 0..4)),
            1..5,
        )
    ) {
        let mut line = Line { parts: Vec::new() };
        for (joint, name, words) in parts {
            let joint = if line.parts.is_empty() { Joint::First } else { Joint::ALL[joint] };
            line.parts.push(Part { joint, argv: std::iter::once(name).chain(words).collect() });
        }
        match Line::read(&line.to_string()) {
            Ok(read) => prop_assert_eq!(read, line),
            Err(NotPlain::Name(_)) => {}
            Err(why) => prop_assert!(false, "{} is refused: {why}", line),
        }
    }

    #[test]
    fn it_never_panics(text in "\\PC{0,64}", soup in "[ -~\t\n]{0,64}") {
        drop(Line::read(&text));
        drop(Line::read(&soup));
        drop(super::loose::read(&text));
        drop(super::loose::read(&soup));
    }
}
