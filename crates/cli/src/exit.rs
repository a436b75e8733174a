//! The exit codes: a contract that scripts rely on.

use std::process::ExitCode;

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked; an ask was answered, an action allowed.
    Done,
    /// Something nobody planned for.
    Unexpected,
    /// The flags or settings are wrong.
    Usage,
    /// A person said no.
    Denied,
    /// A person put the ask aside.
    Dismissed,
    /// The deadline passed.
    Expired,
    /// The asker took it back.
    Withdrawn,
    /// Somebody else was first.
    AlreadyClosed,
    /// No server answers.
    Unreachable,
    /// The server said no.
    Refused,
    /// The server cannot now.
    TryLater,
    /// The state cannot be trusted.
    Damaged,
    /// Another server has the state.
    InUse,
    /// Ctrl-C.
    Interrupted,
    /// As the program that was run for the person.
    As(u8),
}

impl Exit {
    /// Every way to end, in the order of the codes.
    pub(crate) const ALL: [Self; 14] = [
        Self::Done,
        Self::Unexpected,
        Self::Usage,
        Self::Denied,
        Self::Dismissed,
        Self::Expired,
        Self::Withdrawn,
        Self::AlreadyClosed,
        Self::Unreachable,
        Self::Refused,
        Self::TryLater,
        Self::Damaged,
        Self::InUse,
        Self::Interrupted,
    ];

    /// The code and what it means.
    pub(crate) const fn row(self) -> (u8, &'static str) {
        match self {
            Self::Done => (0, "answered, allowed, or done"),
            Self::Unexpected => (1, "unexpected"),
            Self::Usage => (2, "invalid usage or settings"),
            Self::Denied => (10, "denied"),
            Self::Dismissed => (11, "dismissed"),
            Self::Expired => (12, "expired"),
            Self::Withdrawn => (13, "withdrawn"),
            Self::AlreadyClosed => (14, "already closed"),
            Self::Unreachable => (20, "cannot reach the server"),
            Self::Refused => (21, "rejected by the server"),
            Self::TryLater => (22, "busy, retry later"),
            Self::Damaged => (30, "state damaged"),
            Self::InUse => (31, "state in use by another server"),
            Self::Interrupted => (130, "interrupted"),
            Self::As(code) => (code, "the exit code of the command that was run"),
        }
    }

    /// The code alone.
    pub(crate) const fn code(self) -> u8 {
        self.row().0
    }

    /// The table for `--help` and the man page.
    pub(crate) fn table() -> String {
        Self::ALL
            .into_iter()
            .fold("Exit codes:".to_owned(), |table, exit| {
                let (code, meaning) = exit.row();
                format!("{table}\n  {code:>3}  {meaning}")
            })
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_the_contract() {
        assert_eq!(
            Exit::ALL.map(Exit::code),
            [0, 1, 2, 10, 11, 12, 13, 14, 20, 21, 22, 30, 31, 130]
        );
    }
}
