//! What was asked of a bench, and the sizes that follow from it.

use std::path::PathBuf;
use std::time::Duration;

/// One thing the bench measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Pairs,
    Idle,
    Open,
    Closed,
    Rules,
    Hook,
    Strain,
    Page,
    Nodes,
}

/// Every measure under its name, in the order they run.
pub(super) const MEASURES: [(&str, Measure); 9] = [
    ("pairs", Measure::Pairs),
    ("idle", Measure::Idle),
    ("open", Measure::Open),
    ("closed", Measure::Closed),
    ("rules", Measure::Rules),
    ("hook", Measure::Hook),
    ("strain", Measure::Strain),
    ("page", Measure::Page),
    ("nodes", Measure::Nodes),
];

/// What was asked of this run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BenchPlan {
    pub(crate) quick: bool,
    /// Nothing means everything.
    pub(crate) only: Vec<Measure>,
    /// Another build of the server that is measured in turns with this one.
    pub(crate) against: Option<PathBuf>,
    /// A folder in which Restate's server and SDK are installed from npm.
    pub(crate) restate: Option<PathBuf>,
}

/// How much of everything.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Interleaved runs whose median counts.
    pub(super) runs: usize,
    pub(super) pairs: [usize; 3],
    pub(super) warm: Duration,
    pub(super) run: Duration,
    pub(super) syncs: usize,
    pub(super) idle_sockets: usize,
    pub(super) open_asks: u64,
    pub(super) kills: usize,
    pub(super) closed_asks: [u64; 3],
    pub(super) erased_asks: u64,
    /// Calls of one kind whose median counts.
    pub(super) calls: usize,
}

const FULL: Sizes = Sizes {
    runs: 5,
    pairs: [1, 64, 1000],
    warm: Duration::from_millis(700),
    run: Duration::from_secs(3),
    syncs: 2000,
    idle_sockets: 8000,
    open_asks: 1_000_000,
    kills: 3,
    closed_asks: [10_000, 100_000, 1_000_000],
    erased_asks: 100_000,
    calls: 200,
};

const QUICK: Sizes = Sizes {
    runs: 2,
    pairs: [1, 64, 1000],
    warm: Duration::from_millis(500),
    run: Duration::from_millis(1500),
    syncs: 500,
    idle_sockets: 2000,
    open_asks: 50_000,
    kills: 1,
    closed_asks: [500, 5000, 50_000],
    erased_asks: 10_000,
    calls: 100,
};

impl BenchPlan {
    /// Reads the words after `bench`, or says what could not be read.
    pub(crate) fn read<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut plan = Self::default();
        while let Some(word) = words.next() {
            match word {
                "--quick" => plan.quick = true,
                "--only" => plan.only.push(measure(words.next().unwrap_or_default())?),
                "--against" => plan.against = Some(path(word, words.next())?),
                "--restate" => plan.restate = Some(path(word, words.next())?),
                other => match other.strip_prefix("--only=") {
                    Some(name) => plan.only.push(measure(name)?),
                    None => match measure(other) {
                        Ok(measure) => plan.only.push(measure),
                        Err(_) => return Err(format!("bench does not take {other:?}")),
                    },
                },
            }
        }
        Ok(plan)
    }

    /// The words that make this plan again.
    pub(super) fn words(&self) -> Vec<String> {
        let quick = self.quick.then_some("--quick").into_iter();
        let only = self
            .only
            .iter()
            .flat_map(|measure| ["--only", measure.name()]);
        let mut words: Vec<String> = quick.chain(only).map(str::to_owned).collect();
        for (name, path) in [("--against", &self.against), ("--restate", &self.restate)] {
            if let Some(path) = path {
                words.extend([name.to_owned(), path.display().to_string()]);
            }
        }
        words
    }

    pub(super) fn has(&self, measure: Measure) -> bool {
        self.only.is_empty() || self.only.contains(&measure)
    }

    pub(super) fn sizes(&self) -> Sizes {
        if self.quick { QUICK } else { FULL }
    }
}

impl Measure {
    pub(super) fn name(self) -> &'static str {
        MEASURES
            .iter()
            .find(|(_, measure)| *measure == self)
            .map_or("", |(name, _)| *name)
    }
}

fn path(name: &str, word: Option<&str>) -> Result<PathBuf, String> {
    word.map(PathBuf::from)
        .ok_or_else(|| format!("{name} needs a path"))
}

fn measure(name: &str) -> Result<Measure, String> {
    MEASURES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, measure)| *measure)
        .ok_or_else(|| {
            let names: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
            format!("--only takes one of {}, not {name:?}", names.join(", "))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<BenchPlan, String> {
        BenchPlan::read(line.split_whitespace())
    }

    #[test]
    fn a_plan_is_read_and_written_back() {
        let plan = BenchPlan {
            quick: true,
            only: vec![Measure::Open, Measure::Pairs],
            against: Some("/a/sayso".into()),
            restate: Some("/a/restate".into()),
        };
        let line = "--quick --only open --only=pairs --restate /a/restate --against /a/sayso";
        assert_eq!(read(line), Ok(plan.clone()));
        assert_eq!(read("nodes"), read("--only nodes"));
        let words = plan.words();
        assert_eq!(BenchPlan::read(words.iter().map(String::as_str)), Ok(plan));
        assert_eq!(read(""), Ok(BenchPlan::default()));
    }

    #[test]
    fn a_plan_without_names_has_every_measure() {
        assert!(
            MEASURES
                .iter()
                .all(|(_, measure)| BenchPlan::default().has(*measure))
        );
        let plan = BenchPlan {
            quick: false,
            only: vec![Measure::Idle],
            ..BenchPlan::default()
        };
        assert!(plan.has(Measure::Idle));
        assert!(!plan.has(Measure::Open));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(
            read("--fast"),
            Err("bench does not take \"--fast\"".to_owned())
        );
        assert_eq!(read("--against"), Err("--against needs a path".to_owned()));
        for (line, name) in [("--only", ""), ("--only=tea", "tea")] {
            assert_eq!(
                read(line),
                Err(format!(
                    "--only takes one of pairs, idle, open, closed, rules, hook, strain, page, nodes, not {name:?}"
                ))
            );
        }
    }
}
