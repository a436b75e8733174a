//! What was typed after `cargo xtask`. By hand: a command line parser would be most of this
//! crate's build time.

use crate::bench;
use crate::nodes::NodesPlan;
use crate::test::TestPlan;
use crate::web::WebPart;

pub(crate) const USAGE: &str = "\
Usage: cargo xtask CHORE

  test [--quick] [--kills N] [--strings N] [--mutants N] [--real]
        Set up and run everything: format, clippy, tidy, all tests, doc tests, rustdoc.
        --quick    the inner loop: format, clippy, tidy and unit tests only
        --real     instead: fetch the pinned real programs (1.1 GB, kept outside the clone) and
                   run the tests with them; CI does this after everything else
        --kills N  how many times the kill tests kill the server (SAYSO_KILLS)
        --strings N  how many made-up commands the shells are run with (SAYSO_STRINGS)
        --mutants N  how many changed asks the offered rules are held against (SAYSO_MUTANTS)
  web [--check | --test | --browser | --front-ends]
        Build the page into web/dist, which is committed; needs Node 20 or later.
        --check    prove that web/dist is what its sources build, and that they are sound
        --test     the tests of its parts
        --browser  the tests in a real Chromium against the debug build
        --front-ends  the real AG-UI clients and examples/copilotkit in Chromium, against it too
  screenshots
        Take a picture of every screen into target/screenshots, and renew those in docs
  tidy  Prove the architecture: arrows between crates, words, file sizes, module docs and more
  bench [MEASURE]... [--quick] [--only MEASURE]... [--against BINARY] [--restate FOLDER]
        MEASURE is pairs, idle, open, closed, rules, hook, strain, page or nodes.
        Measure the release build beside a bare relay and the bare disk; print a table of
        ratios and write bench.json and bench.svg into target/bench/. Linux only.
        --quick    small sizes and 2 short runs: a first look in 3 minutes
        MEASURE, --only MEASURE   this measure alone; may be repeated
        --against BINARY   measure this build of sayso in turns with the new one
        --restate FOLDER   measure Restate, too: npm install there @restatedev/restate-server
                           and @restatedev/restate-sdk. Redis is measured if it is installed.
  nodes kill [--nodes N] [--kills N] [--seed N]
  nodes cut [--rounds N] | failover [--rounds N] | race [--histories N]
  nodes soak [--minutes N] [--feeds N] | migrate [--events N]
        Show what holds for several nodes on one PostgreSQL, for longer than the tests do:
        kill      kill, stop and cut off nodes under the whole story (2000 kills, 3 nodes)
        cut       cut nodes off from their database (500 rounds)
        failover  fail over to a standby, synchronous or not (50 rounds)
        race      hold what racing callers saw against the journal (10000 histories)
        soak      follow feeds at random nodes for a long time (60 minutes, 100 feeds)
        migrate   move a journal to PostgreSQL and back, killed everywhere (1000000 events)
  help  This text";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chore {
    Help,
    Test(TestPlan),
    Tidy,
    Web(WebPart),
    Bench(bench::BenchPlan),
    Nodes(NodesPlan),
    /// A process of the bench; nobody types this.
    BenchPart(Vec<String>),
}

/// The chore, or one sentence on what could not be read.
pub(crate) fn parse(words: &[String]) -> Result<Chore, String> {
    let mut words = words.iter().map(String::as_str);
    match words.next() {
        None => Err("which chore?".to_owned()),
        Some("help" | "--help" | "-h") => Ok(Chore::Help),
        Some("test") => test_plan(words),
        Some("tidy") => nothing_more("tidy", words, Chore::Tidy),
        Some("web") => web_part(words),
        Some("screenshots") => nothing_more("screenshots", words, Chore::Web(WebPart::Screenshots)),
        Some("bench") => bench_plan(words),
        Some("nodes") => NodesPlan::read(words).map(Chore::Nodes),
        Some("bench-part") => Ok(Chore::BenchPart(words.map(str::to_owned).collect())),
        Some(other) => Err(format!("no chore is called {other:?}")),
    }
}

fn nothing_more<'a>(
    name: &str,
    mut words: impl Iterator<Item = &'a str>,
    chore: Chore,
) -> Result<Chore, String> {
    match words.next() {
        None => Ok(chore),
        Some("--help" | "-h") => Ok(Chore::Help),
        Some(extra) => Err(format!("{name} does not take {extra:?}")),
    }
}

fn web_part<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Chore, String> {
    let part = match words.next() {
        None => WebPart::Build,
        Some("--check") => WebPart::Check,
        Some("--test") => WebPart::Test,
        Some("--browser") => WebPart::Browser,
        Some("--front-ends") => WebPart::FrontEnds,
        Some("--help" | "-h") => return Ok(Chore::Help),
        Some(other) => return Err(format!("web does not take {other:?}")),
    };
    nothing_more("web", words, Chore::Web(part))
}

fn bench_plan<'a>(words: impl Iterator<Item = &'a str>) -> Result<Chore, String> {
    let words: Vec<&str> = words.collect();
    if words.iter().any(|word| matches!(*word, "--help" | "-h")) {
        return Ok(Chore::Help);
    }
    bench::BenchPlan::read(words.into_iter()).map(Chore::Bench)
}

fn test_plan<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Chore, String> {
    let mut plan = TestPlan::default();
    while let Some(word) = words.next() {
        let (flag, number) = match word.split_once('=') {
            Some((flag, number)) => (flag, Some(number)),
            None => (word, None),
        };
        let counted = match (flag, number) {
            ("--kills", _) => &mut plan.kills,
            ("--strings", _) => &mut plan.strings,
            ("--mutants", _) => &mut plan.mutants,
            ("--help" | "-h", None) => return Ok(Chore::Help),
            ("--quick", None) => {
                plan.quick = true;
                continue;
            }
            ("--real", None) => {
                plan.real = true;
                continue;
            }
            (_, _) => return Err(format!("test does not take {word:?}")),
        };
        *counted = Some(count(flag, number.or_else(|| words.next()))?);
    }
    Ok(Chore::Test(plan))
}

fn count(flag: &str, word: Option<&str>) -> Result<u32, String> {
    match word.map(str::parse) {
        Some(Ok(0)) => Err(format!("{flag} takes a number of at least 1")),
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) | None => Err(format!("{flag} takes a number, such as {flag} 200")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Chore, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    #[test]
    fn every_chore_is_read() {
        assert_eq!(read("help"), Ok(Chore::Help));
        assert_eq!(read("test --help"), Ok(Chore::Help));
        assert_eq!(read("tidy"), Ok(Chore::Tidy));
        assert_eq!(read("web"), Ok(Chore::Web(WebPart::Build)));
        assert_eq!(read("web --check"), Ok(Chore::Web(WebPart::Check)));
        assert_eq!(read("web --help"), Ok(Chore::Help));
        assert_eq!(read("screenshots"), Ok(Chore::Web(WebPart::Screenshots)));
        assert_eq!(read("test"), Ok(Chore::Test(TestPlan::default())));
        let quick = TestPlan {
            quick: true,
            kills: Some(7),
            ..TestPlan::default()
        };
        let real = TestPlan {
            real: true,
            ..TestPlan::default()
        };
        let strings = TestPlan {
            strings: Some(1_000_000),
            ..TestPlan::default()
        };
        assert_eq!(read("test --real"), Ok(Chore::Test(real)));
        assert_eq!(read("test --strings 1000000"), Ok(Chore::Test(strings)));
        assert_eq!(read("test --strings=1000000"), Ok(Chore::Test(strings)));
        let mutants = TestPlan {
            mutants: Some(1_000_000),
            ..TestPlan::default()
        };
        assert_eq!(read("test --mutants 1000000"), Ok(Chore::Test(mutants)));
        assert_eq!(read("test --mutants=1000000"), Ok(Chore::Test(mutants)));
        assert_eq!(read("test --quick --kills 7"), Ok(Chore::Test(quick)));
        assert_eq!(read("test --kills=7 --quick"), Ok(Chore::Test(quick)));
        let quick = bench::BenchPlan {
            quick: true,
            ..bench::BenchPlan::default()
        };
        assert_eq!(read("bench --quick"), Ok(Chore::Bench(quick)));
        assert_eq!(read("bench --only idle --help"), Ok(Chore::Help));
        let words = vec!["relay".to_owned(), "out=a".to_owned()];
        assert_eq!(read("bench-part relay out=a"), Ok(Chore::BenchPart(words)));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(read(""), Err("which chore?".to_owned()));
        assert_eq!(read("fly"), Err("no chore is called \"fly\"".to_owned()));
        assert_eq!(
            read("tidy --quick"),
            Err("tidy does not take \"--quick\"".to_owned())
        );
        assert_eq!(
            read("web --fast"),
            Err("web does not take \"--fast\"".to_owned())
        );
        assert_eq!(
            read("test --fast"),
            Err("test does not take \"--fast\"".to_owned())
        );
        assert_eq!(
            read("bench --fast"),
            Err("bench does not take \"--fast\"".to_owned())
        );
        for line in ["test --kills", "test --kills many", "test --kills=-1"] {
            assert_eq!(
                read(line),
                Err("--kills takes a number, such as --kills 200".to_owned())
            );
        }
        assert_eq!(
            read("test --kills 0"),
            Err("--kills takes a number of at least 1".to_owned())
        );
    }
}
