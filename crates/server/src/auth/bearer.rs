//! Tokens in the `Authorization` header, and what each role may do by the type it comes out as.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use sayso_core::id::DialectName;
use sayso_core::role::Token;
use sayso_dialects::native::wire::ProblemCode;
use sayso_hub::{AdminPass, AgentPass, Pass, PersonPass};

use crate::admission::Visitor;
use crate::problem::{ApiError, OrRefuse as _};
use crate::shared::Shared;

/// What came in the header.
#[derive(Debug, PartialEq, Eq)]
enum Brought<'a> {
    Nothing,
    Unreadable,
    Secret(&'a str),
}

fn brought(headers: &HeaderMap) -> Brought<'_> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Brought::Nothing;
    };
    if values.next().is_some() {
        return Brought::Unreadable;
    }
    match value.to_str().ok().and_then(|text| text.split_once(' ')) {
        Some((scheme, secret)) if scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty() => {
            Brought::Secret(secret)
        }
        Some(_) | None => Brought::Unreadable,
    }
}

/// Whether a call brings a token at all.
pub(crate) fn has_token(parts: &Parts) -> bool {
    parts.headers.contains_key(AUTHORIZATION)
}

/// Where this call comes from.
pub(crate) fn visitor_of(parts: &Parts) -> Result<&Visitor, ApiError> {
    parts
        .extensions
        .get::<Visitor>()
        .ok_or_else(ApiError::no_token)
}

/// Whether a valid token comes with a request. Nothing is counted and nobody is let in.
pub(crate) fn valid_token(shared: &Shared, headers: &HeaderMap) -> Option<Token> {
    match brought(headers) {
        Brought::Secret(secret) => shared.hub.whose(secret),
        Brought::Nothing | Brought::Unreadable => None,
    }
}

/// Whoever comes with the token in the header.
pub(crate) async fn enter(shared: &Shared, parts: &Parts) -> Result<Pass, ApiError> {
    enter_speaking(shared, parts, &shared.dialect).await
}

/// The same, for a door of this dialect.
pub(crate) async fn enter_speaking(
    shared: &Shared,
    parts: &Parts,
    dialect: &DialectName,
) -> Result<Pass, ApiError> {
    match brought(&parts.headers) {
        Brought::Nothing => Err(ApiError::no_token()),
        Brought::Unreadable => {
            Err(shared.wrong_credential(visitor_of(parts)?.peer, ApiError::bad_token()))
        }
        Brought::Secret(secret) => enter_with(shared, visitor_of(parts)?, secret, dialect).await,
    }
}

/// Whoever comes with this token.
pub(crate) async fn enter_with(
    shared: &Shared,
    visitor: &Visitor,
    secret: &str,
    dialect: &DialectName,
) -> Result<Pass, ApiError> {
    let entered = shared.hub.enter_anywhere(secret, dialect).await;
    let entered = entered.or_refuse(shared)?;
    let Some(pass) = entered else {
        return Err(shared.wrong_credential(visitor.peer, ApiError::bad_token()));
    };
    shared.admit(visitor, &pass)?;
    Ok(pass)
}

/// A pass that must be an agent's.
pub(crate) fn agent(pass: Pass) -> Result<AgentPass, ApiError> {
    match pass {
        Pass::Agent(pass) => Ok(pass),
        pass @ (Pass::Person(_) | Pass::Admin(_)) => Err(wrong_role(&pass, "agent")),
    }
}

/// A pass that must be a person's.
pub(crate) fn person(pass: Pass) -> Result<PersonPass, ApiError> {
    match pass {
        Pass::Person(pass) => Ok(pass),
        pass @ (Pass::Agent(_) | Pass::Admin(_)) => Err(wrong_role(&pass, "person")),
    }
}

/// A token of the wrong role.
pub(crate) fn wrong_role(pass: &Pass, needed: &str) -> ApiError {
    let detail = format!(
        "This needs a token with the role {needed}; yours has the role {}.",
        pass.role()
    );
    ApiError::new(ProblemCode::Forbidden, detail)
}

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident($pass:ty), $needed:literal, not $($other:ident)+;)+) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $name(pub(crate) $pass, pub(crate) Arc<Shared>);

        impl FromRequestParts<Arc<Shared>> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, ApiError> {
                match enter(shared, parts).await? {
                    Pass::$name(pass) => Ok(Self(pass, Arc::clone(shared))),
                    pass @ ($(Pass::$other(_))|+) => Err(wrong_role(&pass, $needed)),
                }
            }
        }
    )+};
}

roles! {
    /// Somebody who asks.
    Agent(AgentPass), "agent", not Person Admin;
    /// Somebody who answers.
    Person(PersonPass), "person", not Agent Admin;
    /// An admin.
    Admin(AdminPass), "admin", not Agent Person;
}

/// Anybody with a token.
#[derive(Debug)]
pub(crate) struct Anybody(pub(crate) Pass, pub(crate) Arc<Shared>);

impl FromRequestParts<Arc<Shared>> for Anybody {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        let pass = enter(shared, parts).await?;
        Ok(Self(pass, Arc::clone(shared)))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_token_comes_in_one_header_in_one_form() {
        let with = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
            }
            headers
        };
        assert_eq!(brought(&with(&[])), Brought::Nothing);
        assert_eq!(
            brought(&with(&["Bearer say_agent_x"])),
            Brought::Secret("say_agent_x")
        );
        assert_eq!(
            brought(&with(&["bearer say_agent_x"])),
            Brought::Secret("say_agent_x")
        );
        for bad in [
            &["Basic eDp5"][..],
            &["Bearer"],
            &["Bearer "],
            &["say_agent_x"],
            &["Bearer a", "Bearer a"],
        ] {
            assert_eq!(brought(&with(bad)), Brought::Unreadable, "{bad:?}");
        }
    }
}
