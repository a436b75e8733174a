//! Every address there is, and what stands behind it.

mod admin;
mod answers;
mod asks;
mod conversations;
mod docs;
mod files;
mod health;
mod lists;
mod logins;
mod nodes;
mod openapi;
mod pairings;
mod push;
mod reply;
pub(crate) mod rules;
mod samples;
mod settings;
mod steps;
mod tickets;
mod tokens;

pub use nodes::listed_node;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{delete, get, post};
use sayso_dialects::native::wire::ProblemCode;

use crate::call_end;
use crate::doors::{dialect, sse};
use crate::fresh;
use crate::page;
use crate::problem::ApiError;
use crate::shared::Shared;

/// The routes. The gate stands before them.
pub(crate) fn router(shared: &Arc<Shared>) -> Router {
    let asking = Router::new()
        .route("/v1/asks", post(asks::ask).get(lists::list))
        .route("/v1/asks/{id}", get(asks::get))
        .route("/v1/asks/{id}/withdraw", post(asks::withdraw))
        .route("/v1/asks/{id}/confirm", post(asks::confirm));
    let answering = Router::new()
        .route("/v1/asks/{id}/answer", post(answers::answer))
        .route("/v1/asks/{id}/dismiss", post(answers::dismiss))
        .route("/v1/asks/{id}/offers", get(rules::offers))
        .route("/v1/asks/{id}/ruling", get(rules::explain))
        .route("/v1/asks/{id}/story", get(steps::story))
        .route("/v1/shown", post(steps::shown))
        .route("/v1/rules", get(rules::list).post(rules::make))
        .route("/v1/rules/presets", get(rules::presets))
        .route("/v1/rules/import", post(rules::import))
        .route("/v1/rules/suggestions", get(rules::suggestions))
        .route("/v1/rules/test", post(rules::test))
        .route("/v1/rules/{id}", delete(rules::revoke))
        .route("/v1/rules/{id}/activate", post(rules::activate))
        .route("/v1/rules/{id}/past", get(rules::past))
        .route("/v1/conversations", get(conversations::list))
        .route(
            "/v1/conversations/{id}/entries",
            get(conversations::entries),
        )
        .route(
            "/v1/conversations/{id}/messages",
            post(conversations::message),
        )
        .route("/v1/conversations/{id}/stop", post(conversations::stop))
        .route("/v1/messages/{id}", delete(conversations::remove))
        .route("/v1/stats", get(lists::stats))
        .route("/v1/agents", get(lists::agents))
        .route("/v1/tickets", post(tickets::make))
        .route("/v1/samples", post(samples::make))
        .route("/v1/settings", get(settings::spans))
        .route(
            "/v1/push",
            get(push::get)
                .post(push::subscribe)
                .delete(push::unsubscribe),
        )
        .route("/v1/push/trial", post(push::trial))
        .route("/v1/files/{id}", get(files::fetch))
        .route("/v1/feed.sse", get(sse::connect));
    let administering = Router::new()
        .route("/v1/people", get(lists::people))
        .route("/v1/tokens", get(tokens::list).post(tokens::make))
        .route("/v1/tokens/{name}", delete(tokens::revoke))
        .route("/v1/logins", post(logins::make))
        .route("/v1/logins/redeem", post(logins::redeem))
        .route("/v1/pairings", post(pairings::make))
        .route("/v1/backup", post(admin::backup))
        .route("/v1/asks/{id}/forget", post(admin::forget))
        .route("/v1/forget", post(admin::forget_all))
        .route("/v1/compact", post(admin::compact))
        .route("/v1/verify", get(admin::verify))
        .route("/v1/nodes", get(nodes::list))
        .route("/v1/health", get(health::full))
        .route("/metrics", get(admin::metrics));
    let public = Router::new()
        .route("/health", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/openapi.json", get(openapi::document))
        .route("/", get(page::front))
        .route("/docs", get(docs::page))
        .route("/docs/docs.js", get(docs::script))
        .route("/docs/docs.css", get(docs::style));
    asking
        .merge(answering)
        .merge(administering)
        .merge(dialect::doors(&shared.speeches))
        .route_layer(from_fn_with_state(
            Arc::clone(shared),
            fresh::only_while_fresh,
        ))
        .merge(public)
        .method_not_allowed_fallback(wrong_method)
        .fallback(page::file_or_nothing)
        .layer(from_fn(call_end::note_route))
        .with_state(Arc::clone(shared))
}

/// The one problem whose status is not that of its code: the address is there, the method is not.
async fn wrong_method() -> reply::WrongMethod {
    reply::WrongMethod(
        ApiError::new(
            ProblemCode::NotFound,
            "This URL does not support that method.",
        )
        .hint("The Allow header lists the methods it supports."),
    )
}
