//! The table against commands people really run, and against their hostile relatives.

use super::super::shell::{Line, Part};
use super::{PRESETS, presets_of};

fn is_vetted(text: &str) -> bool {
    let vetted = |part: &Part| presets_of(part).next().is_some();
    Line::read(text).is_ok_and(|line| line.parts.iter().all(vetted))
}

/// A line of a corpus with its control characters in place.
fn spelled(line: &str) -> String {
    line.replace("\\n", "\n")
        .replace("\\r", "\r")
        .replace("\\t", "\t")
        .replace("\\0", "\0")
}

#[test]
fn names_and_revisions_are_plain() {
    for (at, preset) in PRESETS.iter().enumerate() {
        assert!(
            PRESETS[..at].iter().all(|other| other.name != preset.name),
            "{}",
            preset.name
        );
        assert!(preset.revision > 0 && !preset.says.is_empty());
        assert_eq!(super::revision(preset.name), Some(preset.revision));
        let below = preset.holds == super::Holds::Below;
        assert_eq!(super::holds_below(preset.name), below, "{}", preset.name);
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(preset.name.bytes().all(plain), "{}", preset.name);
    }
    for name in super::SAFE_PRESETS {
        assert!(super::named(name).is_some(), "{name}");
    }
}

#[test]
fn a_rule_made_before_a_form_was_raised_no_longer_fits() {
    let raised = PRESETS.iter().filter(|preset| preset.revision > 1);
    let raised: Vec<_> = raised
        .map(|preset| (preset.name, preset.revision))
        .collect();
    assert_eq!(raised, [("jq", 2), ("pytest", 2), ("ruff-check", 2)]);
}

#[test]
fn a_preset_takes_the_words_it_names() {
    for text in [
        "cat -- a.rs",
        "uname -a",
        "which -a cargo",
        "cargo clippy --all-targets",
        "cargo fmt --all --check",
        "cargo build -q -p core",
        "go build -v ./core",
        "stat -L a.rs",
        "pytest tests/a.py -k x",
        "ruff check src",
    ] {
        assert!(is_vetted(text), "{text}");
    }
    for text in [
        "cat -- -n",
        "uname -x",
        "cargo fmt --bad",
        "stat a.rs --bad",
    ] {
        assert!(!is_vetted(text), "{text}");
    }
}

#[test]
fn a_search_names_a_file_unless_it_is_piped_to() {
    for (text, vetted) in [
        ("rg x", false),
        ("rg x a.rs", true),
        ("rg x a.rs b.rs", true),
        ("ls | rg x", true),
        ("ls | rg x a.rs", true),
        ("rg -A 2 x a.rs", true),
    ] {
        assert_eq!(is_vetted(text), vetted, "{text}");
    }
}

#[test]
fn seven_of_eight_everyday_commands_are_covered() {
    let everyday: Vec<&str> = include_str!("../corpus/everyday.txt").lines().collect();
    let missed: Vec<&&str> = everyday.iter().filter(|text| !is_vetted(text)).collect();
    assert!(everyday.len() >= 100, "{}", everyday.len());
    assert!(missed.len() * 8 <= everyday.len(), "{missed:#?}");
}

#[test]
fn no_hostile_command_is_covered() {
    let hostile: Vec<String> = include_str!("../corpus/hostile.txt")
        .lines()
        .map(spelled)
        .collect();
    assert!(hostile.len() >= 150, "{}", hostile.len());
    let taken: Vec<&String> = hostile.iter().filter(|text| is_vetted(text)).collect();
    assert_eq!(taken, Vec::<&String>::new());
}

/// The corpus is written by hand after what coding agents run; what becomes of it is on the page.
#[test]
fn the_page_says_how_many_commands_of_agents_pass() {
    let agents: Vec<String> = include_str!("../corpus/agents.txt")
        .lines()
        .map(spelled)
        .collect();
    assert!(agents.len() >= 300, "{}", agents.len());
    let count = |passes: &dyn Fn(&Line) -> bool| {
        let passes = |text: &&String| Line::read(text).is_ok_and(|line| passes(&line));
        agents.iter().filter(passes).count()
    };
    let plain = count(&|_| true);
    let vetted = count(&|line| {
        let mut parts = line.parts.iter();
        parts.all(|part| presets_of(part).next().is_some())
    });
    let said = format!(
        "Of {} commands as coding agents run them, {plain} are plain and {vetted} are covered by presets",
        agents.len()
    );
    let page = include_str!("../../../../../docs/rules.md").replace('\n', " ");
    assert!(page.contains(&said), "docs/rules.md does not say: {said}");
}

#[test]
fn a_hundred_thousand_parts_are_refused_at_once() {
    for joint in [";", " && ", "\n", "|"] {
        let text = vec!["git status"; 100_000].join(joint);
        assert!(!is_vetted(&text), "{joint:?}");
    }
}
