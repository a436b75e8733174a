//! The `sayso` command: flags, settings, and the wiring of everything else.

#[cfg(not(unix))]
compile_error!("sayso runs on Linux and macOS; there is no port for this system yet");

mod argv;
mod clock;
mod commands;
mod context;
mod dispatch;
mod exit;
mod failure;
#[cfg(feature = "faults")]
mod faults;
mod flags;
mod json;
mod log;
mod output;
mod resolve;
mod server_file;
mod settings;
mod show;
mod signals;
mod span;
mod stores;
mod text;
mod wait;
mod workspace;

use std::process::ExitCode;

fn main() -> ExitCode {
    dispatch::run().into()
}
