//! What our own JSON means: wire types to core values and back.
//!
//! What comes in is taken apart completely, so that every violation has its path; whether the
//! result also makes sense is core's check.

mod answer;
mod ask;
mod asker;
mod draft;
mod entry;
mod form;
mod outcome;
mod rule;
mod words;

pub use answer::{answer_from_wire, digest_from_wire};
pub use ask::{agent_to_wire, ask_to_wire};
pub use asker::{draft_to_wire, ended_from_wire, matter_from_wire};
pub use draft::draft_from_wire;
pub use entry::{conversation_to_wire, entry_to_wire};
pub use outcome::by_to_wire;
pub use rule::{rule_row, ruling_to_wire, says_from_wire, suggestion_to_wire, tested_to_wire};

use sayso_core::check::{Violation, Violations};
use sayso_core::id::BadId;
use sayso_core::limits;

use super::ReadError;
use super::wire::{self, Problem, ProblemCode};

/// What is wrong so far; a flood of it is cut at the limit.
#[derive(Debug, Default)]
struct Found(Vec<Violation>);

impl Found {
    fn push(&mut self, path: impl Into<String>, message: impl Into<String>) {
        if self.0.len() < limits::VIOLATIONS_MAX {
            self.0.push(Violation::invalid(path, message));
        }
    }
}

/// Puts a name into its type; what is wrong goes to the list under `path`.
fn named<T>(
    found: &mut Found,
    path: &str,
    text: Option<String>,
    make: impl FnOnce(String) -> Result<T, BadId>,
) -> Option<T> {
    match make(text?) {
        Ok(name) => Some(name),
        Err(bad) => {
            found.push(path, format!("is not {}", bad.expected));
            None
        }
    }
}

/// Adds a violation for each key that is there and does not belong.
fn refuse_keys(found: &mut Found, path: &str, kind: &str, keys: &[(&str, bool)]) {
    for (key, there) in keys {
        if *there {
            found.push(
                format!("{path}/{key}"),
                format!("does not belong to {kind}"),
            );
        }
    }
}

/// Violations as a problem.
pub fn problem_of_violations(violations: &[Violation]) -> Problem {
    use sayso_core::check::ViolationKind;
    let all = |kind| violations.iter().all(|violation| violation.kind == kind);
    let code = if !violations.is_empty() && all(ViolationKind::ScopeUnavailable) {
        ProblemCode::ScopeUnavailable
    } else {
        ProblemCode::Invalid
    };
    let mut problem = Problem::of(code);
    problem.detail = violations.first().map(ToString::to_string);
    problem.violations = violations
        .iter()
        .map(|violation| wire::Violation {
            path: violation.path.clone(),
            message: violation.message.clone(),
        })
        .collect();
    problem
}

impl From<&ReadError> for Problem {
    fn from(error: &ReadError) -> Self {
        match error {
            ReadError::BadJson { detail } => Self::of(ProblemCode::BadJson).with_detail(detail),
            ReadError::Invalid { violations } => problem_of_violations(violations),
        }
    }
}

impl From<&Violations> for Problem {
    fn from(violations: &Violations) -> Self {
        problem_of_violations(violations.list())
    }
}
