//! Why we close a socket, in the numbers of the protocol.

/// Why we close a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Goodbye {
    /// The server stops.
    Stopping,
    /// The server cannot reach its database; another node may.
    CutOff,
    /// What came was far too large.
    TooLarge,
    /// The other side fell behind.
    Behind(String),
    /// The state cannot be read now.
    TryLater,
    /// The token was taken back.
    Revoked,
    /// A newer connection stands in this one's place, or the dialect is done with it.
    Done(&'static str),
}

impl Goodbye {
    pub(super) const fn code(&self) -> u16 {
        match self {
            Self::Stopping => 1001,
            Self::TooLarge => 1009,
            Self::CutOff | Self::TryLater | Self::Behind(_) => 1013,
            Self::Revoked => 4001,
            Self::Done(_) => 1000,
        }
    }

    pub(crate) fn reason(&self) -> &str {
        match self {
            Self::Stopping => "the server is stopping",
            Self::CutOff => "this node can't reach its database",
            Self::TooLarge => "too large",
            Self::Behind(reason) => reason,
            Self::TryLater => "the state can't be read",
            Self::Revoked => "token revoked",
            Self::Done(reason) => reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodbyes_fit_into_a_control_frame() {
        for goodbye in [
            Goodbye::Stopping,
            Goodbye::CutOff,
            Goodbye::TooLarge,
            Goodbye::TryLater,
            Goodbye::Revoked,
            Goodbye::Behind(format!("behind; resume with after={}", u64::MAX)),
        ] {
            assert!(goodbye.reason().len() <= 123, "{goodbye:?}");
        }
    }
}
