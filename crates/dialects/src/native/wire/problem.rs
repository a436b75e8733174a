//! Problems: what went wrong, in a form that programs and people can both use.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Ask;

/// A problem (`application/problem+json`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A URI for this kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of problem as a sentence.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The kind of problem as a code.
    pub code: ProblemCode,
    /// What went wrong in this case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Box<Ask>>,
    /// Whether a late answer was saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<bool>,
    /// Everything that is wrong with the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
}

/// Something that is wrong with the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Violation {
    /// The place, as a JSON pointer.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl Problem {
    /// A problem of this kind with its usual title and hint.
    pub fn of(code: ProblemCode) -> Self {
        Self {
            kind: format!("urn:sayso:problem:{}", code.word()),
            title: code.title().to_owned(),
            status: code.status(),
            code,
            detail: None,
            hint: Some(code.hint().to_owned()),
            ask: None,
            kept: None,
            violations: Vec::new(),
        }
    }

    /// The same with what went wrong this time.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}

/// The kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemCode {
    /// 400
    BadJson,
    /// 401
    Unauthorized,
    /// 403
    Forbidden,
    /// 404
    NotFound,
    /// 409, with the ask
    AlreadyClosed,
    /// 409, with the ask
    DigestMismatch,
    /// 409
    KeyConflict,
    /// 410, with whether it was kept
    Expired,
    /// 413
    TooLarge,
    /// 422, with violations
    Invalid,
    /// 422
    ScopeUnavailable,
    /// 429
    SlowDown,
    /// 503
    TryLater,
}

sayso_core::words! {
    ProblemCode:
    BadJson = "bad_json",
    Unauthorized = "unauthorized",
    Forbidden = "forbidden",
    NotFound = "not_found",
    AlreadyClosed = "already_closed",
    DigestMismatch = "digest_mismatch",
    KeyConflict = "key_conflict",
    Expired = "expired",
    TooLarge = "too_large",
    Invalid = "invalid",
    ScopeUnavailable = "scope_unavailable",
    SlowDown = "slow_down",
    TryLater = "try_later",
}

impl ProblemCode {
    /// The HTTP status.
    pub const fn status(self) -> u16 {
        match self {
            Self::BadJson => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::AlreadyClosed | Self::DigestMismatch | Self::KeyConflict => 409,
            Self::Expired => 410,
            Self::TooLarge => 413,
            Self::Invalid | Self::ScopeUnavailable => 422,
            Self::SlowDown => 429,
            Self::TryLater => 503,
        }
    }

    /// The kind of problem as a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::BadJson => "The request is not valid JSON",
            Self::Unauthorized => "A valid token is required",
            Self::Forbidden => "This token doesn't have permission to do that",
            Self::NotFound => "Not found",
            Self::AlreadyClosed => "This ask is already closed",
            Self::DigestMismatch => "The ask differs from the one that was shown",
            Self::KeyConflict => "This key was already used for a different ask",
            Self::Expired => "The deadline of this ask has passed",
            Self::TooLarge => "The request is too large",
            Self::Invalid => "The request is invalid",
            Self::ScopeUnavailable => "This scope isn't available for this ask",
            Self::SlowDown => "Too many requests",
            Self::TryLater => "The server can't do this right now",
        }
    }

    /// What to do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::BadJson => "Send one JSON value in UTF-8.",
            Self::Unauthorized => "Send a valid token in the Authorization header.",
            Self::Forbidden => "Use a token with the required role.",
            Self::NotFound => "Check the URL and the id.",
            Self::AlreadyClosed => "Nothing to do.",
            Self::DigestMismatch => "Fetch the ask again and answer the current version.",
            Self::KeyConflict => "Use a new key for a new ask.",
            Self::Expired => "Nothing to do: the agent no longer waits.",
            Self::TooLarge => "Send a smaller request.",
            Self::Invalid => "Fix the listed problems and send the request again.",
            Self::ScopeUnavailable => "Choose one of the scopes that the ask lists.",
            Self::SlowDown => "Retry after the time in Retry-After.",
            Self::TryLater => "Retry in a moment. Nothing was lost.",
        }
    }
}
