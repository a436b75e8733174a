//! Names of the environment that are not settings: where a command goes and as whom, and marks that
//! one of our programs leaves for another.

use super::row::{SettingRow, Shape, row};

macro_rules! names {
    ($($(#[doc = $meaning:literal])+ $name:ident = $text:literal, $shape:ident;)+) => {
        $($(#[doc = $meaning])+ pub(crate) const $name: &str = $text;)+

        /// All of them.
        pub(crate) static NAMES: &[SettingRow] =
            &[$(row("", $text, "").shape(Shape::$shape).meaning(concat!($($meaning),+))),+];
    };
}

names! {
    /// The server that commands talk to, if it is not the one of this state folder. Needs
    /// `SAYSO_TOKEN`.
    URL = "SAYSO_URL", Plain;
    /// The token that commands send instead of the local ones.
    TOKEN = "SAYSO_TOKEN", Secret;
    /// The bearer token that `sayso bridge agui` sends to the agent's server.
    AGUI_TOKEN = "SAYSO_AGUI_TOKEN", Secret;
    /// The Claude CLI that `sayso claude` runs; the default is the first other `claude` in `PATH`.
    CLAUDE_BIN = "SAYSO_CLAUDE_BIN", Plain;
    /// Set by `sayso claude` for the CLI it starts, so that the hook does not ask a second time.
    BESIDE = "SAYSO_BESIDE", Plain;
    /// Set by `sayso claude run` for the CLI it starts, to the name of the session.
    RUN = "SAYSO_RUN", Plain;
}
