//! A token: the right to come in. It never shows itself in debug output.

use std::fmt;

/// The secret text of a token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    /// Wraps the text, without the white space a file or a paste leaves around it.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The secret itself, for the header that carries it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl From<&str> for TokenSecret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for TokenSecret {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}
