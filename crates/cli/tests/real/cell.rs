//! Which program, and by which way it asks.

use std::path::PathBuf;

use crate::stage::text_of;

/// One version in one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) version: Version,
    pub(super) way: Way,
}

/// Which of the pinned programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// 2.1.197
    Old,
    /// 2.1.325
    New,
}

/// By which way the program asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// In a terminal, with the installed command hook.
    Hook,
    /// In a terminal, with a hook that calls the server.
    Http,
    /// With `-p`, and the installed command hook.
    Print,
    /// With `-p`, and a hook that calls the server.
    PrintHttp,
    /// With an app at its pipe that is asked too, and the installed command hook.
    Beside,
    /// With `-p`, and our permission tool.
    Mcp,
    /// The same with the tools that the server itself has.
    McpHttp,
    /// By `sayso claude run`.
    Run,
    /// Behind the stand-in, with a plain app at the pipe.
    Pipe,
    /// Behind the stand-in, with an app of the SDK for Node.
    Node,
    /// Behind the stand-in, with an app of the SDK for Python.
    Python,
}

impl Version {
    /// Where it is; a run without it fails.
    pub(super) fn bin(self) -> String {
        text_of(&fetched(match self {
            Self::Old => "SAYSO_REAL_CLAUDE_OLD",
            Self::New => "SAYSO_REAL_CLAUDE_NEW",
        }))
    }
}

/// Where a program is that was fetched for these tests.
#[expect(
    clippy::disallowed_methods,
    reason = "the command that fetched it says where it is"
)]
pub(super) fn fetched(name: &str) -> PathBuf {
    let path = std::env::var_os(name);
    PathBuf::from(
        path.unwrap_or_else(|| panic!("{name} is not set: run `cargo xtask test --real`")),
    )
}
