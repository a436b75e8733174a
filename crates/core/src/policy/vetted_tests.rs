//! The table against commands people really run, and against their hostile relatives.

use super::super::shell::{Line, Part};
use super::{FORMS, forms_of};

fn is_vetted(text: &str) -> bool {
    let vetted = |part: &Part| forms_of(part).next().is_some();
    Line::read(text).is_ok_and(|line| line.parts.iter().all(vetted))
}

#[test]
fn names_and_revisions_are_plain() {
    for (at, form) in FORMS.iter().enumerate() {
        assert!(
            FORMS[..at].iter().all(|other| other.name != form.name),
            "{}",
            form.name
        );
        assert!(form.revision > 0 && !form.says.is_empty());
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(form.name.bytes().all(plain), "{}", form.name);
    }
    for name in super::SAFE_FORMS {
        assert!(super::named(name).is_some(), "{name}");
    }
}

#[test]
fn nine_of_ten_everyday_commands_are_covered() {
    let everyday: Vec<&str> = include_str!("corpus/everyday.txt").lines().collect();
    let missed: Vec<&&str> = everyday.iter().filter(|text| !is_vetted(text)).collect();
    assert!(everyday.len() >= 100, "{}", everyday.len());
    assert!(missed.len() * 10 <= everyday.len(), "{missed:#?}");
}

#[test]
fn no_hostile_command_is_covered() {
    let hostile: Vec<String> = include_str!("corpus/hostile.txt")
        .lines()
        .map(|line| {
            line.replace("\\n", "\n")
                .replace("\\r", "\r")
                .replace("\\t", "\t")
                .replace("\\0", "\0")
        })
        .collect();
    assert!(hostile.len() >= 150, "{}", hostile.len());
    let taken: Vec<&String> = hostile.iter().filter(|text| is_vetted(text)).collect();
    assert_eq!(taken, Vec::<&String>::new());
}
