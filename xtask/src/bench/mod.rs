//! `cargo xtask bench`: the real server beside the floor it stands on, measured in one run on one
//! machine, so that ratios mean something where bare figures do not.
//!
//! It never judges by exit code: a ratio that falls short is printed, not an error.
//!
//! Every measured thing is a process of its own: the server, the relay it is compared with, and
//! the load generator (this program again, under `bench-part`, built for release).

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "measures are rounded for people long before the casts lose anything"
)]

mod build;
mod closed;
mod disk;
mod figures;
mod fill;
mod frame;
mod hook;
mod http;
mod idle;
mod load;
mod machine;
mod nodes;
mod open;
mod page;
mod pair;
mod pairs;
mod plan;
mod plot;
mod postgres;
mod proc;
mod process;
mod ratios;
mod reads;
mod redis;
mod relay;
mod report;
mod restate;
mod rules;
mod scratch;
mod server;
mod socket;
mod strain;
mod streams;
mod table;
mod tally;
mod text;
mod words;

use anyhow::{Result, bail};

pub(crate) use plan::BenchPlan;

use words::Words;

/// Builds the server and this program for release, and goes on as the latter.
pub(crate) fn run(plan: &BenchPlan) -> Result<()> {
    build::run(plan)
}

/// One part of the bench, in a process of its own.
pub(crate) fn part(words: &[String]) -> Result<()> {
    let Some((name, rest)) = words.split_first() else {
        bail!("bench-part is for the bench itself; run `cargo xtask bench`");
    };
    match name.as_str() {
        "whole" => figures::run(
            &BenchPlan::read(rest.iter().map(String::as_str)).map_err(anyhow::Error::msg)?,
        ),
        "relay" => relay::run(&Words::read(rest)?),
        "load" => load::run(&Words::read(rest)?),
        "fill" => fill::run(&Words::read(rest)?),
        "idle" => idle::hold(&Words::read(rest)?),
        other => bail!("the bench has no part {other:?}; run `cargo xtask bench`"),
    }
}
