//! Builds what is measured, as a person would, and goes on in the release build of this program.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::plan::{BenchPlan, Measure};
use super::postgres;
use super::scratch::target;
use crate::test::cargo;

/// The product alone, as `cargo run --release` builds it: another package in the same build could
/// turn on features that the shipped program does not have.
const BUILDS: [&str; 2] = ["sayso", "xtask"];

pub(super) fn run(plan: &BenchPlan) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("the bench reads /proc, which only Linux has");
    }
    // What was asked for by name is not left out.
    if plan.only.contains(&Measure::Nodes) && postgres::programs().is_none() {
        bail!(
            "`initdb` and `pgbench` are missing (nodes are measured on a real PostgreSQL). Run: sudo apt-get install -y postgresql"
        );
    }
    for package in BUILDS {
        eprintln!("bench: cargo build --release -p {package}");
        let status = cargo()
            .args(["build", "--release", "--quiet", "-p", package])
            .status()
            .context("could not start cargo")?;
        if !status.success() {
            bail!("{package} does not build");
        }
    }
    let program = target()?.join("release").join("xtask");
    let error = Command::new(&program)
        .args(["bench-part", "whole"])
        .args(plan.words())
        .exec();
    Err(error).with_context(|| format!("could not start {}", program.display()))
}
