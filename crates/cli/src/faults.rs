//! The test build: tells testkit where this process is to be killed.
//!
//! Never in the product: a release build with the feature refuses to run.

use std::path::Path;

use crate::failure::Failure;
use crate::settings::Environment;

/// Arms the fail points as the environment says.
pub(crate) fn arm(environment: &Environment) -> Result<(), Failure> {
    allowed(cfg!(debug_assertions))?;
    sayso_testkit::faults::arm(
        environment.get("SAYSO_FAULT_KILL"),
        environment.get("SAYSO_FAULT_LOG").map(Path::new),
    )
    .map_err(Failure::usage)
}

fn allowed(is_debug_build: bool) -> Result<(), Failure> {
    if is_debug_build {
        return Ok(());
    }
    Err(Failure::unexpected(
        "this is a release build with fail points in it, which could be told to kill itself",
    )
    .hint("build it without the feature `faults`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_with_fail_points_refuses_to_run() {
        assert_eq!(allowed(true), Ok(()));
        assert_eq!(
            allowed(false).unwrap_err().lines(),
            "error: this is a release build with fail points in it, which could be told to kill \
             itself\n\nhint: build it without the feature `faults`\n"
        );
    }
}
