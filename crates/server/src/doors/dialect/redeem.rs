//! Trading a pairing code for an agent's token. Nobody has a token yet who comes here, so the code
//! is all there is to check; what is refused is said in the dialect's own form.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::RETRY_AFTER;
use axum::http::request::Parts;
use sayso_core::id::TokenName;
use sayso_core::role;
use sayso_core::view::Viewer;
use sayso_dialects::Redeem;
use sayso_dialects::native::wire::{ProblemCode, Role};
use sayso_hub::{AdminPass, HubError};

use super::Speech;
use super::call::written;
use crate::auth::bearer::visitor_of;
use crate::auth::grants::PairingGrant;
use crate::auth::secret::new_secret;
use crate::body::Whole;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::shared::Shared;

/// Tokens of the same name that get a number behind it.
const SAME_NAMES_MAX: usize = 100;
/// Names tried when somebody else takes one at the same moment.
const TRIES_MAX: usize = 3;

pub(super) async fn redeem(
    speech: Arc<Speech>,
    door: Redeem,
    State(shared): State<Arc<Shared>>,
    parts: Parts,
    body: Whole,
) -> ApiResult {
    match trade(&speech, door, &shared, &parts, &body).await {
        Ok(token) => written((door.write)(&token)),
        Err(refusal) => refused(door, &refusal),
    }
}

async fn trade(
    speech: &Speech,
    door: Redeem,
    shared: &Shared,
    parts: &Parts,
    body: &Whole,
) -> Result<String, ApiError> {
    // What has no code in it is no guess.
    let code = (door.read)(&body.0)
        .ok_or_else(|| ApiError::new(ProblemCode::BadJson, "The request has no pairing code."))?;
    let (peer, now) = (visitor_of(parts)?.peer, shared.steady());
    // Looked at before the code: whoever guesses too fast must not find one.
    if let Some(wait) = shared.pairing_throttle.waits(peer, now) {
        return Err(ApiError::too_many_codes(wait));
    }
    let Some((name, by)) = granted(shared, speech.row.name, &code).await? else {
        let why = format!(
            "The pairing code is invalid, expired or already used. Make a new one with `sayso \
             pair {}`.",
            speech.row.name
        );
        let refusal = ApiError::new(ProblemCode::Forbidden, why);
        shared.pairing_throttle.failed(peer, now);
        return Err(shared.wrong_credential(peer, refusal));
    };
    let token = new_secret(Role::Agent)?;
    make(&by, speech.row.name, name.as_ref(), &token)
        .await
        .map_err(|error| ApiError::hub(error, Viewer::Anybody, shared.now()))?;
    Ok(token)
}

/// What a code makes, and on whose word. The admin may have lost their token since the code was made.
async fn granted(
    shared: &Shared,
    dialect: &str,
    code: &str,
) -> Result<Option<(Option<TokenName>, AdminPass)>, ApiError> {
    let taken = shared.codes.take::<PairingGrant>(dialect, code).await;
    let Some(grant) = taken.or_refuse(shared)? else {
        return Ok(None);
    };
    let by = grant.by.admin(shared).await.or_refuse(shared)?;
    Ok(by.map(|by| (grant.name(), by)))
}

/// Makes the token, under the first name that is free.
async fn make(
    by: &AdminPass,
    dialect: &str,
    wanted: Option<&TokenName>,
    token: &str,
) -> Result<(), HubError> {
    let mut failed = HubError::Refused("too many tokens have this name; revoke some".to_owned());
    for _ in 0..TRIES_MAX {
        let known = by.tokens();
        let is_free = |name: &TokenName| known.iter().all(|view| view.token.name != *name);
        let Some(name) = names(dialect, wanted).find(is_free) else {
            break;
        };
        match by.make_token(name, role::Role::Agent, token).await {
            Ok(_) => return Ok(()),
            // Perhaps the name was taken in between.
            Err(error @ HubError::Refused(_)) => failed = error,
            Err(error) => return Err(error),
        }
    }
    Err(failed)
}

/// The name that was wanted and those like it, then those after the dialect.
fn names(dialect: &str, wanted: Option<&TokenName>) -> impl Iterator<Item = TokenName> {
    let like = wanted.into_iter().flat_map(|wanted| {
        let numbered = (2..SAME_NAMES_MAX).map(move |number| format!("{wanted}-{number}"));
        std::iter::once(wanted.as_str().to_owned()).chain(numbered)
    });
    let usual = (1..SAME_NAMES_MAX).map(move |number| format!("{dialect}-{number}"));
    like.chain(usual)
        .filter_map(|name| TokenName::new(name).ok())
}

/// A no in the dialect's own form; the status says more than the form may know.
fn refused(door: Redeem, refusal: &ApiError) -> ApiResult {
    let problem = &refusal.problem;
    let why = problem.detail.as_deref().unwrap_or(&problem.title);
    let mut said = (door.refuse)(why);
    if problem.code != ProblemCode::Forbidden {
        said.status = problem.status;
    }
    let mut response = written(said)?;
    if let Some(wait_s) = refusal.retry_after_s() {
        let wait = HeaderValue::from(wait_s);
        response.headers_mut().insert(RETRY_AFTER, wait);
    }
    // Read again where problems are counted.
    response.extensions_mut().insert(problem.code);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(dialect: &str, wanted: Option<&str>, count: usize) -> Vec<String> {
        let wanted = wanted.map(|name| TokenName::new(name).unwrap());
        names(dialect, wanted.as_ref())
            .take(count)
            .map(|name| name.as_str().to_owned())
            .collect()
    }

    #[test]
    fn a_token_is_named_as_wanted_else_after_the_dialect() {
        assert_eq!(first("whimmy", None, 2), ["whimmy-1", "whimmy-2"]);
        assert_eq!(
            first("whimmy", Some("laptop"), 3),
            ["laptop", "laptop-2", "laptop-3"]
        );
        // A number does not fit behind the longest name.
        let longest = "x".repeat(256);
        assert_eq!(
            first("whimmy", Some(&longest), 2),
            [longest.as_str(), "whimmy-1"]
        );
    }
}
