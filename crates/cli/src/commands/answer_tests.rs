//! What flags make of an answer, in their order.

use clap::{CommandFactory, FromArgMatches};

use super::*;
use crate::flags::{Cli, CliCommand};

/// The groups of a command line, or the complaint.
fn groups(words: &[&str]) -> Result<Groups, String> {
    let line = ["sayso", "answer", "0193"].iter().chain(words);
    let matches = Cli::command()
        .try_get_matches_from(line)
        .map_err(|error| error.kind().to_string())?;
    let order = matches.subcommand_matches("answer").unwrap().clone();
    let Some(CliCommand::Answer(flags)) = Cli::from_arg_matches(&matches).unwrap().command else {
        panic!("no answer")
    };
    Groups::read(&flags, &order).map_err(|failure| failure.error.unwrap())
}

fn group(labels: &[&str], other: Option<&str>, note: Option<&str>) -> Group {
    Group {
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        other: other.map(str::to_owned),
        note: note.map(str::to_owned),
    }
}

#[test]
fn without_a_question_everything_belongs_together() {
    let read = groups(&["--pick", "a", "--note", "n", "--pick", "b", "--other", "o"]).unwrap();
    assert_eq!(
        read,
        Groups {
            first: Some(group(&["a", "b"], Some("o"), Some("n"))),
            named: BTreeMap::new()
        }
    );
}

#[test]
fn what_follows_a_question_belongs_to_it() {
    let read = groups(&[
        "--question",
        "2",
        "--other",
        "o",
        "--question",
        "1",
        "--pick",
        "a",
        "--question",
        "2",
        "--note",
        "n",
    ]);
    let named = BTreeMap::from([
        (1, group(&["a"], None, None)),
        (2, group(&[], Some("o"), Some("n"))),
    ]);
    assert_eq!(read, Ok(Groups { first: None, named }));
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (words, complaint) in [
        (&[][..], "no answer was given"),
        (
            &["--question", "0", "--pick", "a"],
            "questions are numbered from 1",
        ),
        (
            &["--other", "a", "--other", "b"],
            "--other was given twice for one question",
        ),
        (
            &["--question", "1", "--note", "a", "--note", "b"],
            "--note was given twice for one question",
        ),
        (&["--stop"], "--stop needs --deny or --dismiss"),
        (
            &["--stop", "--note", "n"],
            "--stop needs --deny or --dismiss",
        ),
    ] {
        assert_eq!(groups(words), Err(complaint.to_owned()), "{words:?}");
    }
    for words in [&["--deny", "--stop"][..], &["--dismiss", "--stop"]] {
        assert_eq!(groups(words), Ok(Groups::default()), "{words:?}");
    }
    for words in [
        &["--allow", "--deny"][..],
        &["--allow", "--pick", "a"],
        &["--dismiss", "--fields", "{}"],
        &["--deny", "--edit", "{}"],
        &["--allow", "--stop"],
        &["--pick", "a", "--stop"],
        &["--fields", "{}", "--stop"],
        &["--scope", "once"],
        &["--question", "one"],
    ] {
        assert!(groups(words).is_err(), "{words:?}");
    }
}
