//! The project's chores: `cargo xtask test`, `tidy`, `web`, `bench` and what else its help lists.
//!
//! It runs other programs and reads the tree; it is never part of what is shipped, and nothing
//! of ours depends on it.

#![expect(
    clippy::disallowed_methods,
    reason = "chores start programs, read CI from the environment and time their steps"
)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person at the terminal"
)]

mod args;
mod bench;
mod needs;
mod nodes;
#[path = "../../crates/server/build/stamp.rs"]
mod page_stamp;
mod real;
mod root;
mod test;
mod tidy;
mod web;

use std::process::ExitCode;

use args::{Chore, USAGE};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let chore = match args::parse(&words) {
        Ok(chore) => chore,
        Err(mistake) => {
            eprintln!("xtask: {mistake}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = match chore {
        Chore::Help => {
            println!("{USAGE}");
            Ok(())
        }
        Chore::Test(plan) => test::run(plan),
        Chore::Tidy => tidy::run(),
        Chore::Web(part) => web::run(part),
        Chore::Bench(plan) => bench::run(&plan),
        Chore::Nodes(plan) => nodes::run(&plan),
        Chore::BenchPart(words) => bench::part(&words),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
