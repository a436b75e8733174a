//! Says whether the committed page was built from the sources beside it. It starts no program and
//! needs no network: who has only Rust gets the whole page.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script everything in the environment"
)]

#[path = "build/stamp.rs"]
mod stamp;

use std::path::PathBuf;
use std::process::ExitCode;

/// Set by whoever ships a build of their own.
const STALE_IS_FINE: &str = "SAYSO_PAGE_AS_IT_IS";

fn main() -> ExitCode {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let web = here.join("../../web");
    println!("cargo::rerun-if-env-changed={STALE_IS_FINE}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build/stamp.rs");
    println!("cargo::rerun-if-changed=../../web/dist");
    for source in stamp::SOURCES {
        println!("cargo::rerun-if-changed=../../web/{source}");
    }
    let committed = std::fs::read_to_string(web.join(stamp::STAMP)).unwrap_or_default();
    if !committed.is_empty() && stamp::stamp(&web).is_ok_and(|fresh| fresh == committed) {
        return ExitCode::SUCCESS;
    }
    let sentence = "web/dist was not built from web/src as it is now; run `cargo xtask web`";
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if release && std::env::var_os(STALE_IS_FINE).is_none() {
        println!("cargo::error={sentence}");
        return ExitCode::FAILURE;
    }
    println!("cargo::warning={sentence}");
    ExitCode::SUCCESS
}
