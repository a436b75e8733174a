//! What stands behind the `?`: known names once each, everything else refused by name.

use std::borrow::Cow;
use std::convert::Infallible;
use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use sayso_core::check::Violation;
use sayso_core::escape::escape_line;
use sayso_core::limits;

use crate::problem::ApiError;

/// Names in one query: more than any route knows.
const NAMES_MAX: usize = 32;

/// A query that is being read: names that were taken are gone from it.
#[derive(Debug, Default)]
pub(crate) struct Query {
    names: Vec<(String, String)>,
    known: Vec<&'static str>,
    found: Vec<Violation>,
}

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        let mut query = Self::default();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            match (decoded(name), decoded(value)) {
                (Some(name), Some(value)) if query.names.len() < NAMES_MAX => {
                    query.names.push((name, value));
                }
                (Some(_), Some(_)) => query.wrong(
                    "",
                    format!(
                        "has more than {NAMES_MAX} \
                                                               parameters"
                    ),
                ),
                (name, _) => query.wrong(&name.unwrap_or_default(), "is not percent-encoded UTF-8"),
            }
        }
        query
    }

    /// Whether there is something under a name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|(there, _)| there == name)
    }

    /// The text under a name.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        let at = self.names.iter().position(|(there, _)| there == name)?;
        let (_, value) = self.names.remove(at);
        if self.names.iter().any(|(there, _)| there == name) {
            self.names.retain(|(there, _)| there != name);
            self.wrong(name, "is a duplicate");
        }
        Some(value)
    }

    /// The value under a name, when it can be read as one.
    pub(crate) fn value<T: FromStr>(&mut self, name: &'static str, expected: &str) -> Option<T> {
        self.read(name, expected, |text| text.parse().ok())
    }

    /// The same with a reading of its own.
    pub(crate) fn read<T>(
        &mut self,
        name: &'static str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        let value = read(&text);
        if value.is_none() {
            self.wrong(name, format!("must be {expected}"));
        }
        value
    }

    /// Notes what is wrong with a name.
    pub(crate) fn wrong(&mut self, name: &str, message: impl Into<String>) {
        if self.found.len() < limits::VIOLATIONS_MAX {
            let shown: String = name.chars().take(64).collect();
            self.found.push(Violation::invalid(
                format!("?{}", escape_line(&shown)),
                message,
            ));
        }
    }

    /// Every name was taken and every value could be read.
    pub(crate) fn finish(mut self) -> Result<(), ApiError> {
        for (name, _) in std::mem::take(&mut self.names) {
            let message = if self.known.is_empty() {
                "is unknown; this URL takes no query parameters".to_owned()
            } else {
                format!("is unknown; expected one of: {}", self.known.join(", "))
            };
            self.wrong(&name, message);
        }
        if self.found.is_empty() {
            Ok(())
        } else {
            Err(ApiError::violations(&self.found))
        }
    }
}

/// The text behind percent signs and plus signs, when it is UTF-8.
fn decoded(text: &str) -> Option<String> {
    if !text.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => (digit(rest.next()?)? << 4) | digit(rest.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

/// A call that says nothing behind its address.
#[derive(Debug)]
pub(crate) struct NoQuery;

impl<S: Sync> FromRequestParts<S> for NoQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Query::parse(parts.uri.query().unwrap_or_default())
            .finish()
            .map(|()| Self)
    }
}

/// A part of the path, with percent signs undone.
#[derive(Debug)]
pub(crate) struct Segment(pub(crate) String);

impl<S: Sync + Send> FromRequestParts<S> for Segment {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let found =
            <axum::extract::RawPathParams as FromRequestParts<S>>::from_request_parts(parts, state)
                .await;
        let text = found
            .ok()
            .and_then(|params| params.iter().next().map(|(_, value)| value.to_owned()));
        text.map(Self).ok_or_else(ApiError::no_such_address)
    }
}

/// The same of a call that says nothing behind its address.
#[derive(Debug)]
pub(crate) struct Only(pub(crate) String);

impl<S: Sync + Send> FromRequestParts<S> for Only {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Segment(text) = Segment::from_request_parts(parts, state).await?;
        let NoQuery = NoQuery::from_request_parts(parts, state).await?;
        Ok(Self(text))
    }
}

/// A short text for a message, escaped.
pub(crate) fn shown(text: &str) -> String {
    let cut: Cow<'_, str> = if text.chars().count() > 64 {
        text.chars().take(64).collect::<String>().into()
    } else {
        text.into()
    };
    escape_line(&cut).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(refused: Result<(), ApiError>) -> Vec<String> {
        refused
            .err()
            .map(|refusal| {
                refusal
                    .problem
                    .violations
                    .iter()
                    .map(|one| format!("{} {}", one.path, one.message))
                    .collect()
            })
            .unwrap_or_default()
    }

    #[test]
    fn known_names_are_read_with_their_values() {
        let mut query = Query::parse("state=open&search=gr%C3%B6%C3%9Fe+100%25&limit=5&");
        assert_eq!(query.text("state").as_deref(), Some("open"));
        assert_eq!(query.text("search").as_deref(), Some("größe 100%"));
        assert_eq!(query.value("limit", "a number"), Some(5_u32));
        assert_eq!(query.text("after"), None);
        assert_eq!(paths(query.finish()), [""; 0]);
    }

    #[test]
    fn everything_else_is_refused_by_name() {
        let mut query = Query::parse("token=say_agent_x&limit=many&limit=2&a%ff=1&b=%zz&c=%4");
        assert_eq!(query.value::<u32>("limit", "a number"), None);
        assert_eq!(
            paths(query.finish()),
            [
                "? is not percent-encoded UTF-8",
                "?b is not percent-encoded UTF-8",
                "?c is not percent-encoded UTF-8",
                "?limit is a duplicate",
                "?limit must be a number",
                "?token is unknown; expected one of: limit",
            ]
        );
        let none = paths(Query::parse("wait=3").finish());
        assert_eq!(
            none,
            ["?wait is unknown; this URL takes no query parameters"]
        );
        assert_eq!(paths(Query::parse(&"a&".repeat(100)).finish()).len(), 100);
    }
}
