//! `cargo xtask test`: the steps that must all hold, in the order that fails soonest.
//!
//! A step is a row of [`STEPS`]; nothing else decides what runs.

use std::process::{Command, ExitStatus};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::root::root;
use crate::web::{self, WebPart};
use crate::{needs, real, tidy};

/// What was asked of this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TestPlan {
    pub(crate) quick: bool,
    pub(crate) kills: Option<u32>,
    pub(crate) strings: Option<u32>,
    pub(crate) mutants: Option<u32>,
    /// Only the tests with real programs, which are large.
    pub(crate) real: bool,
}

/// In which runs a step takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Always,
    Quick,
    Full,
    Real,
}

/// What a step does.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// Cargo with these arguments.
    Cargo(&'static [&'static str]),
    /// Rustdoc through cargo, where a warning is an error.
    Rustdoc(&'static [&'static str]),
    /// Tests: nextest with the first arguments, or plain `cargo test` with the second.
    Tests {
        nextest: &'static [&'static str],
        plain: &'static [&'static str],
    },
    Tidy,
    /// Something about the page.
    Web(WebPart),
    /// The types and the tests of the Python package, in environments that it makes.
    Python,
}

/// The tests of the build that can be killed at a named point.
const FAULT_TESTS: [&str; 10] = [
    "-p",
    "sayso",
    "--features",
    "faults",
    "--test",
    "kills",
    "--test",
    "nodes",
    "--test",
    "moving",
];

/// What checks the Python package, from the root of the repository.
pub(crate) const PYTHON: &str = "python/check.py";

#[derive(Debug, Clone, Copy)]
struct Step {
    name: &'static str,
    when: When,
    work: Work,
}

/// Every step, in order. To add one, add a row: the cheapest first.
const STEPS: &[Step] = &[
    Step {
        name: "format",
        when: When::Always,
        work: Work::Cargo(&["fmt", "--all", "--check"]),
    },
    Step {
        name: "tidy",
        when: When::Always,
        work: Work::Tidy,
    },
    Step {
        name: "page",
        when: When::Full,
        work: Work::Web(WebPart::Check),
    },
    Step {
        name: "page tests",
        when: When::Full,
        work: Work::Web(WebPart::Test),
    },
    Step {
        name: "clippy",
        when: When::Always,
        work: Work::Cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
    },
    Step {
        name: "unit tests",
        when: When::Quick,
        work: Work::Tests {
            nextest: &["--workspace", "--lib", "--bins"],
            plain: &["--workspace", "--lib", "--bins"],
        },
    },
    Step {
        name: "tests",
        when: When::Full,
        work: Work::Tests {
            nextest: &["--workspace"],
            plain: &["--workspace", "--lib", "--bins", "--tests"],
        },
    },
    // Steps that build with other features go here, after the plain build has passed.
    Step {
        name: "fault tests",
        when: When::Full,
        work: Work::Tests {
            nextest: &FAULT_TESTS,
            plain: &FAULT_TESTS,
        },
    },
    Step {
        name: "real programs",
        when: When::Real,
        work: Work::Tests {
            nextest: &["-p", "sayso", "--features", "real", "--test", "real"],
            plain: &["-p", "sayso", "--features", "real", "--test", "real"],
        },
    },
    Step {
        name: "browser tests",
        when: When::Full,
        work: Work::Web(WebPart::Browser),
    },
    Step {
        name: "AG-UI front ends",
        when: When::Full,
        work: Work::Web(WebPart::FrontEnds),
    },
    Step {
        name: "doc tests",
        when: When::Full,
        work: Work::Cargo(&["test", "--doc", "--workspace"]),
    },
    Step {
        name: "Python package",
        when: When::Full,
        work: Work::Python,
    },
    Step {
        name: "rustdoc",
        when: When::Full,
        work: Work::Rustdoc(&["doc", "--workspace", "--no-deps"]),
    },
];

/// Runs every step of the plan; the error names the first that failed and how to run it alone.
pub(crate) fn run(plan: TestPlan) -> Result<()> {
    let start = Instant::now();
    needs::meet(match (plan.real, plan.quick) {
        (true, _) => needs::NeededBy::Programs,
        (false, true) => needs::NeededBy::Rust,
        (false, false) => needs::NeededBy::Everything,
    })?;
    let programs = if plan.real {
        real::fetch()?
    } else {
        Vec::new()
    };
    let nextest = has_nextest();
    if !nextest {
        eprintln!("== cargo-nextest is not installed; `cargo test` runs the tests");
    }
    let mut times = Vec::new();
    for step in STEPS.iter().filter(|step| takes_part(step.when, plan)) {
        let mut line = line_of(step.work, plan, nextest);
        line.env.extend(programs.iter().cloned());
        eprintln!("== {}: {line}", step.name);
        let begun = Instant::now();
        let done = perform(&line);
        let seconds = begun.elapsed().as_secs_f64();
        if let Err(error) = done {
            bail!(
                "step `{}` failed after {seconds:.1} s: {error:#}\n       run it alone: {line}",
                step.name
            );
        }
        eprintln!("== {}: ok, {seconds:.1} s", step.name);
        times.push(format!("{} {seconds:.1} s", step.name));
    }
    eprintln!(
        "== all of it holds, {:.1} s ({})",
        start.elapsed().as_secs_f64(),
        times.join(", ")
    );
    Ok(())
}

fn takes_part(when: When, plan: TestPlan) -> bool {
    match when {
        When::Always => !plan.real,
        When::Quick => plan.quick && !plan.real,
        When::Full => !plan.quick && !plan.real,
        When::Real => plan.real,
    }
}

/// What a step starts: as the words to run, and by `Display` as the line a person can paste.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    env: Vec<(&'static str, String)>,
    words: Words,
}

#[derive(Debug, PartialEq, Eq)]
enum Words {
    Cargo(Vec<&'static str>),
    Tidy,
    Web(WebPart),
    Python,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (key, value) in &self.env {
            if value.contains(' ') {
                write!(f, "{key}=\"{value}\" ")?;
            } else {
                write!(f, "{key}={value} ")?;
            }
        }
        match &self.words {
            Words::Cargo(words) => write!(f, "cargo {}", words.join(" ")),
            Words::Tidy => f.write_str("cargo xtask tidy"),
            Words::Web(part) => write!(f, "cargo xtask {}", part.word()),
            Words::Python => write!(f, "python3 {PYTHON}"),
        }
    }
}

fn line_of(work: Work, plan: TestPlan, nextest: bool) -> Line {
    let counts = [
        ("SAYSO_KILLS", plan.kills),
        ("SAYSO_STRINGS", plan.strings),
        ("SAYSO_MUTANTS", plan.mutants),
    ];
    let env: Vec<(&'static str, String)> = counts
        .into_iter()
        .filter_map(|(key, count)| Some((key, count?.to_string())))
        .collect();
    match work {
        Work::Tidy => Line {
            env: Vec::new(),
            words: Words::Tidy,
        },
        Work::Web(part) => Line {
            env: Vec::new(),
            words: Words::Web(part),
        },
        Work::Python => Line {
            env: Vec::new(),
            words: Words::Python,
        },
        Work::Cargo(words) => Line {
            env: Vec::new(),
            words: Words::Cargo(words.to_vec()),
        },
        Work::Rustdoc(words) => Line {
            env: vec![("RUSTDOCFLAGS", "-D warnings".to_owned())],
            words: Words::Cargo(words.to_vec()),
        },
        Work::Tests { nextest: words, .. } if nextest => {
            let mut all = vec!["nextest", "run"];
            if plan.real {
                // More at once than there are cores: they mostly wait for each other.
                all.extend(["--profile", "real"]);
            } else if !env.is_empty() {
                // The profile that does not stop a test for taking long.
                all.extend(["--profile", "long"]);
            }
            all.extend(words);
            Line {
                env,
                words: Words::Cargo(all),
            }
        }
        Work::Tests { plain, .. } => {
            let mut all = vec!["test"];
            all.extend(plain);
            Line {
                env,
                words: Words::Cargo(all),
            }
        }
    }
}

fn perform(line: &Line) -> Result<()> {
    match &line.words {
        Words::Tidy => tidy::run(),
        Words::Web(part) => web::run(*part),
        Words::Python => ended(
            Command::new("python3")
                .arg(PYTHON)
                .current_dir(root())
                .status()
                .context("could not start python3")?,
        ),
        Words::Cargo(words) => ended(
            cargo()
                .args(words)
                .envs(line.env.iter().map(|(key, value)| (key, value)))
                .status()
                .context("could not start cargo")?,
        ),
    }
}

fn ended(status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("{status}");
    }
    Ok(())
}

fn has_nextest() -> bool {
    cargo()
        .args(["nextest", "--version"])
        .output()
        .is_ok_and(|output| output.status.success())
}

/// The cargo that runs us, in the repository, and without what it told us about our own package.
pub(crate) fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root());
    for (key, _) in std::env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&key);
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(plan: TestPlan, nextest: bool) -> Vec<String> {
        STEPS
            .iter()
            .filter(|step| takes_part(step.when, plan))
            .map(|step| line_of(step.work, plan, nextest).to_string())
            .collect()
    }

    #[test]
    fn the_full_run_is_everything() {
        assert_eq!(
            lines(TestPlan::default(), true),
            [
                "cargo fmt --all --check",
                "cargo xtask tidy",
                "cargo xtask web --check",
                "cargo xtask web --test",
                "cargo clippy --workspace --all-targets -- -D warnings",
                "cargo nextest run --workspace",
                "cargo nextest run -p sayso --features faults --test kills --test nodes --test moving",
                "cargo xtask web --browser",
                "cargo xtask web --front-ends",
                "cargo test --doc --workspace",
                "python3 python/check.py",
                "RUSTDOCFLAGS=\"-D warnings\" cargo doc --workspace --no-deps",
            ]
        );
    }

    #[test]
    fn the_quick_run_leaves_out_what_takes_long() {
        let plan = TestPlan {
            quick: true,
            ..TestPlan::default()
        };
        assert_eq!(
            lines(plan, false),
            [
                "cargo fmt --all --check",
                "cargo xtask tidy",
                "cargo clippy --workspace --all-targets -- -D warnings",
                "cargo test --workspace --lib --bins",
            ]
        );
    }

    #[test]
    fn kills_reach_the_tests_and_only_them() {
        let plan = TestPlan {
            kills: Some(9),
            ..TestPlan::default()
        };
        let with = |nextest| -> Vec<String> {
            lines(plan, nextest)
                .into_iter()
                .filter(|line| line.contains("SAYSO_KILLS"))
                .collect()
        };
        assert_eq!(
            with(true),
            [
                "SAYSO_KILLS=9 cargo nextest run --profile long --workspace",
                "SAYSO_KILLS=9 cargo nextest run --profile long -p sayso --features faults --test kills --test nodes --test moving",
            ]
        );
        assert_eq!(
            with(false),
            [
                "SAYSO_KILLS=9 cargo test --workspace --lib --bins --tests",
                "SAYSO_KILLS=9 cargo test -p sayso --features faults --test kills --test nodes --test moving",
            ]
        );
    }

    #[test]
    fn the_real_programs_are_a_run_of_their_own() {
        let plan = TestPlan {
            real: true,
            ..TestPlan::default()
        };
        assert_eq!(
            lines(plan, true),
            ["cargo nextest run --profile real -p sayso --features real --test real"]
        );
    }

    #[test]
    fn a_step_that_fails_is_an_error() {
        let line = Line {
            env: Vec::new(),
            words: Words::Cargo(vec!["no-such-subcommand"]),
        };
        assert!(perform(&line).is_err());
    }
}
