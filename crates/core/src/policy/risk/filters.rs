//! Programs of sed and awk: what they read, write and start.

use super::judge::{Judge, JudgedCall};
use super::options;
use super::peel;
use super::reader::Word;
use super::reason::Reason;

/// Judges a program of sed.
pub(super) fn sed(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let edits = call.any(|word| {
        let text = word.text.as_str();
        // Letters before the one that edits in place must be such that take no value.
        let letters = text.strip_prefix('-').and_then(|rest| rest.split_once('i'));
        text.starts_with("--in-place")
            || letters
                .is_some_and(|(before, _)| before.chars().all(|char| "nErsuzb".contains(char)))
    });
    let given =
        call.any(|word| matches!(word.text.as_str(), "-e" | "-f" | "--expression" | "--file"));
    let mut operands = call
        .words
        .iter()
        .filter(|word| !word.text.starts_with('-') && !word.text.is_empty());
    let program = options::value(call.words, &["-e", "--expression"]).or_else(|| {
        if given {
            None
        } else {
            operands.next().cloned()
        }
    });
    let Some(program) = program else {
        return judge.put(Reason::Unreadable, Some("a sed program in a file"), &span);
    };
    if sed_runs(&program.text) {
        judge.put(Reason::Hijacks, None, &program.span);
    }
    for file in sed_files(&program.text) {
        let word = program.with_text(file);
        judge.writes_file(&word);
    }
    judge.put(
        if edits {
            Reason::WritesInside
        } else {
            Reason::Reads
        },
        None,
        &span,
    );
    let rest: Vec<&Word> = if given {
        operands.filter(|word| word.text != program.text).collect()
    } else {
        operands.collect()
    };
    for word in rest {
        if edits && !call.is_fed && word.text != "{}" {
            judge.writes_file(word);
        } else {
            judge.reads_file(word);
        }
    }
}

/// Whether a program of sed starts others: its command `e`, or the flag `e` of a substitution.
fn sed_runs(program: &str) -> bool {
    program.split([';', '\n', '{', '}']).any(|one| {
        let one = one.trim();
        let behind =
            one.trim_start_matches(|char: char| char.is_ascii_digit() || ",$!~+ ".contains(char));
        let is_command = behind == "e"
            || behind.starts_with("e ")
            || one.len() > 1 && behind.starts_with('e') && behind.len() < one.len();
        let flags = behind.strip_prefix('s').and_then(|rest| {
            let mark = rest.chars().next().filter(|char| !char.is_alphanumeric())?;
            let parts: Vec<&str> = rest.get(mark.len_utf8()..)?.split(mark).collect();
            parts.get(2).copied()
        });
        is_command
            || flags.is_some_and(|flags| {
                flags
                    .trim_end_matches(|char: char| char.is_whitespace())
                    .contains('e')
                    && flags.len() < 6
            })
    })
}

/// Files that a program of sed writes.
fn sed_files(program: &str) -> Vec<String> {
    let ends = program.split([';', '\n', '}']);
    ends.filter_map(|one| {
        let (before, file) = one.trim().rsplit_once("w ")?;
        let is_command = before.is_empty()
            || before.ends_with(['/', '|', '#', ',', 'g', 'p'])
            || before.ends_with(|char: char| char.is_ascii_digit());
        is_command.then(|| file.trim().to_owned())
    })
    .filter(|file| !file.is_empty() && !file.contains(' '))
    .collect()
}

/// Judges a program of awk.
pub(super) fn awk(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let words = peel::behind_options(call.words, &["-F", "-v", "-f", "--file", "-i", "-l"]);
    let in_file = call.has("-f") || call.has("--file");
    if in_file {
        judge.put(Reason::ProjectCode, None, &span);
    }
    judge.put(Reason::Reads, None, &span);
    let mut operands = words.iter();
    if !in_file && let Some(program) = operands.next() {
        let text = program.text.as_str();
        let starts = text.contains("system(")
            || text.contains("system (")
            || text.contains("| \"")
            || text.contains("|\"")
            || text.contains("|& ")
            || text.contains("\" | getline")
            || text.contains("|getline")
            || text.contains("@load");
        if starts {
            judge.put(Reason::Hijacks, None, &program.span);
        }
        for file in text.split('>').skip(1).filter_map(|rest| {
            rest.trim_start_matches(['>', ' '])
                .strip_prefix('"')?
                .split('"')
                .next()
        }) {
            let word = program.with_text(file);
            judge.writes_file(&word);
        }
        if call.any(|word| word.text == "inplace") {
            judge.put(Reason::WritesInside, None, &span);
        }
    }
    for word in operands.filter(|word| !word.text.contains('=')) {
        judge.reads_file(word);
    }
}
