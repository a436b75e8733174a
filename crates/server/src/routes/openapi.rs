//! The API as `OpenAPI` 3.1, written from the routes themselves.

use std::sync::LazyLock;

use axum::http::StatusCode;
use sayso_dialects::native::wire;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use super::{
    admin, answers, asks, conversations, files, health, lists, logins, nodes, pairings, push,
    reply, rules, samples, settings, steps, tickets, tokens,
};
use crate::doors::sse;
use crate::problem::ApiResult;
use crate::query::NoQuery;

#[derive(OpenApi)]
#[openapi(
    info(title = "sayso", description = "Agents ask, people answer. Every time is RFC 3339 in UTC with milliseconds; unknown keys are refused."),
    paths(
        asks::ask, asks::get, asks::withdraw, asks::confirm, agent_socket,
        lists::list, answers::answer, answers::dismiss, rules::offers, rules::explain, steps::story, steps::shown, rules::list, rules::make, rules::presets, rules::import, rules::test, rules::revoke, rules::activate, rules::past, rules::suggestions, conversations::list, conversations::entries, conversations::message, conversations::stop, conversations::remove, lists::stats, lists::agents, tickets::make, samples::make, settings::spans, push::get, push::subscribe, push::unsubscribe, push::trial, files::fetch, feed_socket, sse::connect, logins::redeem,
        lists::people, tokens::list, tokens::make, tokens::revoke, logins::make, pairings::make, admin::backup, admin::forget, admin::forget_all, admin::compact, admin::verify, nodes::list, admin::metrics,
        health::alive, health::ready, health::full, document,
    ),
    components(schemas(wire::AgentFrame, wire::AgentEvent, wire::FeedEvent, wire::DeviceFrame)),
    modifiers(&Roles)
)]
struct Api;

/// Each role is a bearer token of its own.
struct Roles;

impl Modify for Roles {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_default();
        for (role, what) in [
            ("agent", "Asks, and receives its own outcomes"),
            ("person", "Sees asks and answers them"),
            ("admin", "Makes tokens and administers the server"),
        ] {
            let scheme = HttpBuilder::new()
                .scheme(HttpAuthScheme::Bearer)
                .bearer_format(format!("say_{role}_..."))
                .description(Some(what));
            components.add_security_scheme(role, SecurityScheme::Http(scheme.build()));
        }
    }
}

/// Connects an agent, which can ask, withdraw and confirm, and receives outcomes.
#[utoipa::path(
    get, path = "/v1/agent", tag = "asking", operation_id = "connect",
    params(("agent" = Option<String>, Query, description = "The agent for frames that name none; \
                                                            the name of the token by default")),
    responses((status = 101, description = "A WebSocket: frames `AgentFrame` in, `AgentEvent` out"), (status = "4XX", body = wire::Problem)),
    security(("agent" = []))
)]
#[expect(
    dead_code,
    reason = "the dialect's row opens the door; this is its description"
)]
fn agent_socket() {}

/// The live feed for devices, which can also answer on this connection.
#[utoipa::path(
    get, path = "/v1/feed", tag = "answering", operation_id = "connect",
    params(
        ("after" = Option<u64>, Query, description = "The last position received"),
        ("agent" = Option<String>, Query, description = "Only this agent, by id or name"),
        ("conversation" = Option<String>, Query, description = "Only this conversation, by id or name"),
        ("ticket" = Option<String>, Query, description = "A ticket for `feed`, where no header can be sent"),
    ),
    responses((status = 101, description = "A WebSocket: `FeedEvent` out, frames `DeviceFrame` in"), (status = "4XX", body = wire::Problem)),
    security(("person" = []))
)]
#[expect(
    dead_code,
    reason = "the dialect's row opens the door; this is its description"
)]
fn feed_socket() {}

/// The document as text, written once: anybody may ask for it.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    let mut text = Api::openapi().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
});

/// This API description.
#[utoipa::path(get, path = "/openapi.json", tag = "looking", responses((status = 200, description = "OpenAPI 3.1")))]
pub(super) async fn document(_: NoQuery) -> ApiResult {
    Ok(reply::written(StatusCode::OK, TEXT.as_str()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one switch of this test: write the copy anew"
    )]
    fn the_checked_in_copy_is_what_the_code_says() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::write(&file, TEXT.as_str()).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            kept == *TEXT,
            "openapi.json is not what the routes say; run UPDATE_OPENAPI=1 cargo test -p sayso-server openapi"
        );
    }

    #[test]
    fn it_is_version_3_1_and_has_every_route() {
        let api: serde_json::Value = serde_json::from_str(&TEXT).unwrap();
        assert_eq!(api["openapi"], "3.1.0");
        let native = sayso_dialects::native::DIALECT.doors.iter();
        let sockets = native.filter(|door| !matches!(door.way, sayso_dialects::Way::Own));
        let routes: Vec<&str> = include_str!("mod.rs")
            .split(".route(")
            .skip(1)
            .filter_map(|rest| rest.split('"').nth(1))
            .chain(sockets.map(|door| door.path))
            .filter(|route| *route != "/" && !route.starts_with("/docs"))
            .collect();
        for route in &routes {
            assert!(
                api["paths"].get(route).is_some(),
                "{route} is not described"
            );
        }
        assert_eq!(api["paths"].as_object().unwrap().len(), routes.len());
    }
}
