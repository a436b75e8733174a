//! What callers are told when something is refused: a code, a sentence and a hint.
//!
//! Text of agents and people goes through the escaper on its way into a sentence.

mod sentence;

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sayso_core::ask::MatterKind;
use sayso_core::check::Violation;
use sayso_core::id::BadId;
use sayso_core::time::Time;
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::native::ReadError;
use sayso_dialects::native::map::{ask_to_wire, problem_of_violations};
use sayso_dialects::native::wire::{Problem, ProblemCode};
use sayso_hub::HubError;

use crate::admission::ConnectionLimit;
use crate::error::ServerError;
use crate::shared::Shared;

/// What a call of the API comes to.
pub(crate) type ApiResult = Result<Response, ApiError>;

/// A no, as it is told.
#[derive(Debug)]
pub(crate) struct ApiError {
    pub(crate) problem: Box<Problem>,
    retry_after: Option<Duration>,
}

impl ApiError {
    /// A no of this kind, with what went wrong this time.
    pub(crate) fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            problem: Box::new(Problem::of(code).with_detail(detail)),
            retry_after: None,
        }
    }

    /// The same with what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.problem.hint = Some(hint.into());
        self
    }

    /// The same with when to try again.
    pub(crate) fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// What went wrong, for a person to read.
    pub(crate) fn sentence(&self) -> &str {
        self.problem.detail.as_ref().unwrap_or(&self.problem.title)
    }

    /// Seconds after which to try again, when that is known.
    pub(crate) fn retry_after_s(&self) -> Option<u64> {
        self.retry_after.map(seconds)
    }

    pub(crate) fn violations(found: &[Violation]) -> Self {
        Self {
            problem: Box::new(problem_of_violations(found)),
            retry_after: None,
        }
    }

    /// A name or an id that is none.
    pub(crate) fn bad_id(path: impl Into<String>, bad: &BadId) -> Self {
        Self::invalid(path, format!("is not {}", bad.expected))
    }

    /// One thing that is wrong at one place.
    pub(crate) fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::violations(&[Violation::invalid(path, message)])
    }

    pub(crate) fn read(error: &ReadError) -> Self {
        Self {
            problem: Box::new(error.into()),
            retry_after: None,
        }
    }

    pub(crate) fn not_text() -> Self {
        Self::new(ProblemCode::BadJson, "Send text frames, not binary frames.")
    }

    pub(crate) fn no_such_ask() -> Self {
        Self::new(
            ProblemCode::NotFound,
            "There is no ask with this id, or you are not allowed to see it.",
        )
    }

    pub(crate) fn no_such_address() -> Self {
        Self::new(ProblemCode::NotFound, "There is nothing at this URL.")
            .hint("/docs lists all URLs.")
    }

    pub(crate) fn no_token() -> Self {
        Self::new(ProblemCode::Unauthorized, "Missing bearer token.")
    }

    pub(crate) fn bad_token() -> Self {
        Self::new(
            ProblemCode::Unauthorized,
            "The token is invalid or was revoked.",
        )
    }

    pub(crate) fn bad_ticket() -> Self {
        Self::new(
            ProblemCode::Unauthorized,
            "The ticket is invalid, expired, already used, or for another door.",
        )
        .hint("Get a new one with POST /v1/tickets. It works once, within 30 s.")
    }

    /// Somebody guessed too often.
    pub(crate) fn too_many_tries(wait: Duration) -> Self {
        Self::new(
            ProblemCode::SlowDown,
            format!(
                "Too many wrong tokens or codes. Retry in {} s.",
                seconds(wait)
            ),
        )
        .hint("A valid token is always accepted.")
        .after(wait)
    }

    /// Somebody guessed pairing codes too often.
    pub(crate) fn too_many_codes(wait: Duration) -> Self {
        let detail = format!(
            "Too many wrong tokens or codes from your address. Retry in {} s.",
            seconds(wait)
        );
        Self::new(ProblemCode::SlowDown, detail)
            .hint(
                "The pairing code stays valid until it expires. `sayso token new --role agent` \
                   makes a token without one.",
            )
            .after(wait)
    }

    /// A valid token for which there is no connection.
    pub(crate) fn no_room(full: ConnectionLimit) -> Self {
        let wait = Duration::from_secs(5);
        match full {
            ConnectionLimit::Token(max) => Self::new(
                ProblemCode::SlowDown,
                format!("This token already has {max} connections open, which is its limit."),
            )
            .hint("Close connections you no longer use. An admin can raise `limits.connections`."),
            ConnectionLimit::Address(max) => Self::new(
                ProblemCode::SlowDown,
                format!("Agents at your address already have {max} connections open, which is their limit."),
            )
            .hint("Close connections you no longer use. An admin can raise `limits.connections`."),
            ConnectionLimit::Server => Self::new(
                ProblemCode::TryLater,
                "The server has no room for another connection.",
            )
            .hint("Retry in a few seconds. An admin can raise `limits.connections`."),
        }
        .after(wait)
    }

    /// What the hub refused. The ask in it is shown as the viewer may see it.
    pub(crate) fn hub(error: HubError, viewer: Viewer, now: Time) -> Self {
        let with_ask = |code, detail: String, view: &AskView| {
            let mut refusal = Self::new(code, detail);
            refusal.problem.ask = ask_to_wire(view, viewer).map(Box::new);
            refusal
        };
        match error {
            HubError::NotFound => Self::no_such_ask(),
            HubError::AlreadyClosed(view) => with_ask(
                ProblemCode::AlreadyClosed,
                sentence::ended(&view, now),
                &view,
            ),
            HubError::Expired { view, kept } => {
                let ended = sentence::ended(&view, now);
                let rest = match (kept, &view.late, view.ask.matter.kind()) {
                    (true, _, _) => " Your answer was saved as a late answer.",
                    (false, Some(_), _) => {
                        " Your answer was not saved, because there is a late \
                                            answer already."
                    }
                    (false, None, MatterKind::Approval) => {
                        " Approvals can't be given after the \
                                                            deadline."
                    }
                    // Putting aside what has ended changes nothing.
                    (false, None, MatterKind::Questions | MatterKind::Form) => "",
                };
                let mut refusal = with_ask(ProblemCode::Expired, format!("{ended}{rest}"), &view);
                refusal.problem.kept = Some(kept);
                refusal
            }
            HubError::DigestMismatch(view) => with_ask(
                ProblemCode::DigestMismatch,
                "The digest does not match this ask: a different version was shown.".to_owned(),
                &view,
            ),
            HubError::KeyConflict(view) => {
                let detail = format!(
                    "The key was used {} for the ask {}, which has different content.",
                    sentence::ago(now.since(view.ask.asked_at)),
                    view.ask.id
                );
                Self::new(ProblemCode::KeyConflict, detail)
            }
            HubError::Invalid(violations) => Self::violations(violations.list()),
            HubError::Unknown(why) => Self::new(ProblemCode::NotFound, capital(&why)),
            HubError::Refused(why) => Self::invalid("", why),
            HubError::Revoked => Self::bad_token(),
            HubError::Forbidden(why) => Self::new(ProblemCode::Forbidden, capital(&why)),
            HubError::SlowDown { what, retry_after } => {
                let (said, wait) = (what.sentence(), seconds(retry_after));
                Self::new(ProblemCode::SlowDown, format!("{said}. Retry in {wait} s."))
                    .hint(what.hint())
                    .after(retry_after)
            }
            HubError::TryLater(why) => {
                Self::new(ProblemCode::TryLater, capital(&why)).after(Duration::from_secs(1))
            }
        }
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        Self {
            problem: Box::new(problem),
            retry_after: None,
        }
    }
}

/// What the hub said to a call: what it refused is told to whoever called.
pub(crate) trait OrRefuse<T> {
    /// The refusal as this viewer may see it.
    fn or_refuse_to(self, viewer: Viewer, shared: &Shared) -> Result<T, ApiError>;

    /// The refusal as people may see it.
    fn or_refuse(self, shared: &Shared) -> Result<T, ApiError>
    where
        Self: Sized,
    {
        self.or_refuse_to(Viewer::Anybody, shared)
    }
}

impl<T> OrRefuse<T> for Result<T, HubError> {
    fn or_refuse_to(self, viewer: Viewer, shared: &Shared) -> Result<T, ApiError> {
        self.map_err(|error| ApiError::hub(error, viewer, shared.now()))
    }
}

impl From<ServerError> for ApiError {
    fn from(error: ServerError) -> Self {
        tracing::error!(%error, "a request failed");
        Self::see_the_log()
    }
}

impl ApiError {
    /// Something of ours broke, which is nothing to tell a caller.
    pub(crate) fn see_the_log() -> Self {
        Self::new(
            ProblemCode::TryLater,
            "The server can't do this right now; its log says why.",
        )
    }
}

/// Whole seconds, rounded up: what a header can say.
fn seconds(wait: Duration) -> u64 {
    wait.as_millis()
        .div_ceil(1000)
        .try_into()
        .unwrap_or(u64::MAX)
        .max(1)
}

/// The same as a sentence.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars
        .next()
        .map(|first| first.to_uppercase().collect())
        .unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let text = serde_json::to_vec(&self.problem).unwrap_or_default();
        let mut response = Response::new(Body::from(text));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if self.problem.code == ProblemCode::Unauthorized {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait_s) = self.retry_after.map(seconds) {
            headers.insert(RETRY_AFTER, HeaderValue::from(wait_s));
        }
        // Read again where problems are counted.
        response.extensions_mut().insert(self.problem.code);
        response
    }
}

#[cfg(test)]
#[path = "problem_tests.rs"]
mod tests;
