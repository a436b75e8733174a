//! What a command says when it cannot go on: one sentence, a hint, an exit code.

use std::io;

use sayso_client::ClientError;
use sayso_core::escape::escape_block;
use sayso_dialects::native::wire::Problem;
use sayso_server::ServerError;
use sayso_store::StoreError;

use crate::exit::Exit;
use crate::text::add;

/// How a command ran: its exit, or why it stopped.
pub(crate) type Ran = Result<Exit, Failure>;

/// Why a command stopped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// What failed and why; nothing when everything was said already.
    pub(crate) error: Option<String>,
    /// What to do.
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, error: impl Into<String>) -> Self {
        Self {
            exit,
            error: Some(error.into()),
            hint: None,
        }
    }

    /// Ends without another word.
    pub(crate) const fn silent(exit: Exit) -> Self {
        Self {
            exit,
            error: None,
            hint: None,
        }
    }

    pub(crate) fn usage(error: impl Into<String>) -> Self {
        Self::new(Exit::Usage, error)
    }

    pub(crate) fn unexpected(error: impl Into<String>) -> Self {
        Self::new(Exit::Unexpected, error)
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// The lines for stderr.
    pub(crate) fn lines(&self) -> String {
        let mut lines = String::new();
        if let Some(error) = &self.error {
            lines = format!("error: {error}\n");
        }
        if let Some(hint) = &self.hint {
            add(&mut lines, format_args!("\nhint: {hint}\n"));
        }
        lines
    }
}

impl From<io::Error> for Failure {
    /// A reader that has seen enough is no failure.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::silent(Exit::Done)
        } else {
            Self::unexpected(error.to_string())
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let said = escape_block(&error.to_string()).into_owned();
        match error {
            StoreError::Damaged { .. } => Self::new(Exit::Damaged, said),
            StoreError::InUse { .. } => Self::new(Exit::InUse, said),
            StoreError::TryLater { .. } => Self::new(Exit::TryLater, said),
            StoreError::Newer { .. } | StoreError::Unusable { .. } => Self::unexpected(said),
        }
    }
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        let said = escape_block(&error.to_string()).into_owned();
        let exit = match error {
            ServerError::Exposed { .. }
            | ServerError::NoListen
            | ServerError::Tls { .. }
            | ServerError::Origin { .. }
            | ServerError::Dialect { .. } => Exit::Usage,
            ServerError::Listen { .. }
            | ServerError::Files { .. }
            | ServerError::Push { .. }
            | ServerError::NoRandom { .. }
            | ServerError::Built { .. } => Exit::Unexpected,
        };
        Self::new(exit, said).hint(error.hint())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let said = escape_block(&error.to_string()).into_owned();
        match error {
            ClientError::BadUrl { .. } => Self::usage(said),
            // Who knows the settings adds the line that starts it.
            ClientError::Unreachable { .. } => Self::new(Exit::Unreachable, said),
            ClientError::Cut(_) => {
                Self::new(Exit::Unreachable, said).hint("retry; `sayso doctor` shows what is wrong")
            }
            ClientError::Refused {
                problem,
                retry_after,
            } => {
                let failure = refused(&problem, said);
                match retry_after {
                    Some(wait) if failure.hint.is_none() => {
                        failure.hint(format!("retry in {} s", wait.as_secs()))
                    }
                    Some(_) | None => failure,
                }
            }
            ClientError::NotSent(_) | ClientError::BadAnswer(_) => Self::unexpected(said),
        }
    }
}

fn refused(problem: &Problem, said: String) -> Failure {
    let exit = match problem.status {
        409 if problem.code.word() == "already_closed" => Exit::AlreadyClosed,
        429 | 503 => Exit::TryLater,
        _ => Exit::Refused,
    };
    // The list says more than the detail, which only repeats its beginning.
    let mut error = if problem.violations.is_empty() {
        said
    } else {
        escape_block(&problem.title).into_owned() + ":"
    };
    for violation in &problem.violations {
        error.push_str("\n  ");
        if !violation.path.is_empty() {
            error.push_str(&escape_block(&violation.path));
            error.push_str(": ");
        }
        error.push_str(&escape_block(&violation.message));
    }
    Failure {
        exit,
        error: Some(error),
        hint: problem
            .hint
            .as_deref()
            .map(|hint| escape_block(hint).into_owned()),
    }
}
