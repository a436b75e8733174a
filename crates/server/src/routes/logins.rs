//! Logging a device in with a one-time code.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::request::Parts;
use sayso_core::id::{PersonName, TokenName};
use sayso_core::role;
use sayso_dialects::native::wire::{
    LoggedIn, LoginCode, LoginRequest, NewLogin, Problem, ProblemCode, Role, WireTime,
};
use sayso_hub::{AdminPass, Pass, TokenView};
use sayso_store::CodeKept;

use super::reply;
use super::tokens::token_name;
use crate::auth::bearer::{Admin, visitor_of};
use crate::auth::grants::{Grant as _, LoginGrant, Voucher};
use crate::auth::secret::{new_secret, random};
use crate::body::{JsonBody, Whole};
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::qr;
use crate::query::NoQuery;
use crate::shared::Shared;

/// What a device is called that does not say.
const DEVICE: &str = "browser";
/// Devices of the same name that get a number behind it.
const SAME_NAMES_MAX: usize = 100;

/// Creates a login code and its link.
#[utoipa::path(
    post, path = "/v1/logins", tag = "admin", request_body = NewLogin,
    responses((status = 201, body = LoginCode), (status = "4XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn make(Admin(pass, shared): Admin, _: NoQuery, body: Whole) -> ApiResult {
    let NewLogin { person, admin } = body.read_or_default()?;
    let person = who(&shared, &pass, person)?;
    let code = random("say_code_")?;
    let expires_at = WireTime(shared.now().after(LoginGrant::LIFE));
    let grant = LoginGrant::new(&person, admin, Voucher::of(&Pass::Admin(pass)));
    match shared.codes.keep(&code, &grant).await.or_refuse(&shared)? {
        CodeKept::Kept => {}
        // With 256 random bits no two are alike.
        CodeKept::Full | CodeKept::Taken => {
            let refusal = ApiError::new(ProblemCode::SlowDown, "Too many login codes are pending.");
            return Err(refusal.after(LoginGrant::LIFE));
        }
    }
    // Behind the #, where a browser keeps it to itself.
    let url = format!("{}/#code={code}", shared.url);
    Ok(reply::json(
        StatusCode::CREATED,
        &LoginCode {
            code,
            qr: qr::rows(&url),
            url,
            expires_at,
        },
    ))
}

/// The person who was named, or the one there is.
fn who(shared: &Shared, pass: &AdminPass, named: Option<String>) -> Result<PersonName, ApiError> {
    if let Some(name) = named {
        return PersonName::new(name).map_err(|bad| ApiError::bad_id("/person", &bad));
    }
    if let Some(person) = &shared.person {
        return Ok(person.clone());
    }
    let mut people = pass.people().into_iter();
    match (people.next(), people.next()) {
        (Some((person, _)), None) => Ok(person),
        (None, _) | (Some(_), Some(_)) => Err(ApiError::invalid(
            "/person",
            "is missing: the name of the person who logs in",
        )),
    }
}

/// Exchanges a login code for a token of this device.
#[utoipa::path(
    post, path = "/v1/logins/redeem", tag = "answering", request_body = LoginRequest,
    responses((status = 201, body = LoggedIn), (status = "4XX", body = Problem), (status = "5XX", body = Problem))
)]
pub(super) async fn redeem(
    State(shared): State<Arc<Shared>>,
    parts: Parts,
    JsonBody(LoginRequest { code, device }): JsonBody<LoginRequest>,
) -> ApiResult {
    let device = device
        .filter(|device| !device.trim().is_empty())
        .unwrap_or_else(|| DEVICE.to_owned());
    token_name(device.clone(), "/device")?;
    let Some((person, admin, by)) = granted(&shared, &code).await? else {
        let refusal = ApiError::new(
            ProblemCode::Unauthorized,
            "The code is invalid, expired or already used.",
        )
        .hint("Get a new link with `sayso open`. It works once, within two minutes.");
        return Err(shared.wrong_credential(visitor_of(&parts)?.peer, refusal));
    };
    let name = free_name(&by, &device)?;
    let token = new_secret(Role::Person)?;
    let kind = role::Role::Person(person.clone());
    let made = by.make_token(name, kind, &token).await.or_refuse(&shared)?;
    let admin = if admin {
        Some(admin_beside(&shared, &by, &made).await?)
    } else {
        None
    };
    let device = made.token.name.as_str().to_owned();
    Ok(reply::json(
        StatusCode::CREATED,
        &LoggedIn {
            token,
            person: person.as_str().to_owned(),
            device,
            admin,
        },
    ))
}

/// Whom a code lets in, whether as an admin too, and on whose word. The admin may have lost their token
/// since the code was made.
async fn granted(
    shared: &Shared,
    code: &str,
) -> Result<Option<(PersonName, bool, AdminPass)>, ApiError> {
    let taken = shared.codes.take::<LoginGrant>("", code).await;
    let Some(grant) = taken.or_refuse(shared)? else {
        return Ok(None);
    };
    let by = grant.by.admin(shared).await.or_refuse(shared)?;
    Ok(grant
        .person()
        .zip(by)
        .map(|(person, by)| (person, grant.admin, by)))
}

/// An admin's token for a device that has just got its person's; without it neither is good.
async fn admin_beside(
    shared: &Shared,
    by: &AdminPass,
    device: &TokenView,
) -> Result<String, ApiError> {
    let secret = new_secret(Role::Admin)?;
    let name = free_name(by, &format!("{} (admin)", device.token.name.as_str()));
    let made = match name {
        Ok(name) => by
            .make_token_beside(device.token.id, name, role::Role::Admin, &secret)
            .await
            .or_refuse(shared),
        Err(refusal) => Err(refusal),
    };
    if let Err(refusal) = made {
        // Whoever came gets nothing then, so nothing may stay behind.
        if let Err(error) = by.revoke_token(device.token.name.clone()).await {
            tracing::warn!(%error, "could not revoke the token of a device that failed to log in");
        }
        return Err(refusal);
    }
    Ok(secret)
}

/// The name of a device, with a number when there is one of that name already.
fn free_name(pass: &AdminPass, device: &str) -> Result<TokenName, ApiError> {
    let tokens = pass.tokens();
    let is_free = |name: &str| !tokens.iter().any(|view| view.token.name.as_str() == name);
    let numbered = (2..SAME_NAMES_MAX).map(|number| format!("{device} {number}"));
    std::iter::once(device.to_owned())
        .chain(numbered)
        .find(|name| is_free(name))
        .and_then(|name| TokenName::new(name).ok())
        .ok_or_else(|| {
            ApiError::invalid(
                "/device",
                "is already the name of too many devices; use another",
            )
        })
}
