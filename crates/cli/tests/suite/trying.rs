//! `demo`: what a newcomer sees, answered with the lines it prints.

use std::fs;
use std::io::{BufRead, BufReader};

use super::stage::Stage;

#[test]
fn the_demo_goes_on_with_the_answers_and_leaves_nothing_behind() {
    let stage = Stage::empty();
    let mut demo = stage
        .command(&["demo"])
        .env("TMPDIR", stage.path(""))
        .spawn()
        .unwrap();
    let mut said = Vec::new();
    let mut answered = 0;
    for line in BufReader::new(demo.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if let Some((_, command)) = line.split_once("  answer: sayso ") {
            // The line is for a shell; only its words in quotes need one.
            let words: Vec<String> = split(command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(stage.run(&words).code, Some(0), "{command}");
            answered += 1;
        }
        said.push(line);
    }
    assert_eq!(demo.wait().unwrap().code(), Some(0));
    assert_eq!(answered, 4);
    for line in [
        "coder: I'll set up Redis as shop-cache and continue.",
        "deployer: I won't push, because: not on a Friday",
        "installer: I'll install it with name=shop, port=8080.",
    ] {
        assert!(
            said.iter().any(|said| said == line),
            "{line} is not in {said:#?}"
        );
    }
    assert_eq!(fs::read_dir(stage.path("")).unwrap().count(), 0);
}

/// The words of a line with plain quotes.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut open = None;
    for char in line.chars() {
        match (open, char) {
            (None, ' ') => words.push(String::new()),
            (None, '\'' | '"') => open = Some(char),
            (Some(quote), _) if quote == char => open = None,
            _ => words.last_mut().unwrap().push(char),
        }
    }
    words
}
