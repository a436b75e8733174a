//! Tokens: making, listing and taking back.

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use sayso_core::id::{PersonName, TokenId, TokenName};
use sayso_core::role;
use sayso_couriers::Device;
use sayso_dialects::native::wire::{
    NewToken, Problem, ProblemCode, Role, TokenMade, TokenRow, Tokens, WireTime,
};
use sayso_hub::TokenView;

use super::reply;
use crate::auth::bearer::Admin;
use crate::auth::secret::new_secret;
use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::{NoQuery, Only, shown};
use crate::shared::Shared;

/// Lists valid tokens, without their secrets.
#[utoipa::path(
    get, path = "/v1/tokens", tag = "admin",
    responses((status = 200, body = Tokens), (status = "4XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn list(Admin(pass, shared): Admin, _: NoQuery) -> ApiResult {
    let tokens = pass.tokens();
    let tokens = tokens.iter().map(|view| row(&shared, view)).collect();
    Ok(reply::json(StatusCode::OK, &Tokens { tokens }))
}

/// Creates a token. Its secret is only in this response.
#[utoipa::path(
    post, path = "/v1/tokens", tag = "admin", request_body = NewToken,
    responses((status = 201, body = TokenMade), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn make(
    Admin(pass, shared): Admin,
    JsonBody(NewToken { name, role, person }): JsonBody<NewToken>,
) -> ApiResult {
    let name = token_name(name, "/name")?;
    let kind = match (role, person) {
        (Role::Person, Some(person)) => role::Role::Person(
            PersonName::new(person).map_err(|bad| ApiError::bad_id("/person", &bad))?,
        ),
        (Role::Person, None) => match &shared.person {
            Some(person) => role::Role::Person(person.clone()),
            None => {
                return Err(ApiError::invalid(
                    "/person",
                    "is required for a person's token",
                ));
            }
        },
        (Role::Agent, None) => role::Role::Agent,
        (Role::Admin, None) => role::Role::Admin,
        (Role::Agent | Role::Admin, Some(_)) => {
            return Err(ApiError::invalid(
                "/person",
                "is only allowed for a person's token",
            ));
        }
    };
    let token = new_secret(role)?;
    let made = pass
        .make_token(name, kind, &token)
        .await
        .or_refuse(&shared)?;
    let TokenRow {
        id,
        name,
        role,
        person,
        made_at,
        last_used_at: _,
        expires_at: _,
        with: _,
        push: _,
    } = row(&shared, &made);
    Ok(reply::json(
        StatusCode::CREATED,
        &TokenMade {
            id,
            name,
            role,
            person,
            made_at,
            token,
        },
    ))
}

/// Revokes a token and closes its connections.
#[utoipa::path(
    delete, path = "/v1/tokens/{name}", tag = "admin",
    params(("name" = String, Path, description = "The id of the token, or its name")),
    responses((status = 204, description = "It is revoked"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn revoke(Admin(pass, shared): Admin, Only(name): Only) -> ApiResult {
    pass.caught_up().await.or_refuse(&shared)?;
    let tokens = pass.tokens();
    // A token that is named like an id must not shield the one that has it.
    let by_id = tokens.iter().find(|view| view.token.id.to_string() == name);
    let found = by_id.or_else(|| tokens.iter().find(|view| view.token.name.as_str() == name));
    let Some(view) = found else {
        return Err(ApiError::new(
            ProblemCode::NotFound,
            format!("There is no token {}.", shown(&name)),
        )
        .hint("GET /v1/tokens lists them."));
    };
    pass.revoke_token(view.token.name.clone())
        .await
        .or_refuse(&shared)?;
    if let Some(push) = &shared.push
        && let Err(error) = push.prune().await
    {
        // It is asked each time before anything is sent, so nothing goes there all the same.
        tracing::warn!(%error, "could not delete the push subscription of a revoked device");
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// A name that a token may have: one that looks like an id would be taken for one.
pub(super) fn token_name(name: String, path: &str) -> Result<TokenName, ApiError> {
    let name = TokenName::new(name).map_err(|bad| ApiError::bad_id(path, &bad))?;
    if name.as_str().parse::<TokenId>().is_ok() {
        let why = "looks like the id of a token; use another name";
        return Err(ApiError::invalid(path, why));
    }
    Ok(name)
}

fn row(shared: &Shared, view: &TokenView) -> TokenRow {
    let device = Device {
        token: view.token.id,
        made_at: view.token.made_at,
    };
    let (role, person) = match &view.token.role {
        role::Role::Agent => (Role::Agent, None),
        role::Role::Person(person) => (Role::Person, Some(person.as_str().to_owned())),
        role::Role::Admin => (Role::Admin, None),
    };
    TokenRow {
        id: view.token.id.to_string(),
        name: view.token.name.as_str().to_owned(),
        role,
        person,
        made_at: WireTime(view.token.made_at),
        last_used_at: view.last_used.map(WireTime),
        expires_at: view.expires_at.map(WireTime),
        with: view.token.with.map(|with| with.to_string()),
        push: shared.push.as_ref().is_some_and(|push| push.tells(device)),
    }
}
