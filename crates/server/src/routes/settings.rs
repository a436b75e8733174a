//! What is set on the server, as far as people need to know: how long things wait and are kept.

use axum::http::StatusCode;
use sayso_core::limits;
use sayso_dialects::native::wire::Problem;
use sayso_hub::Pass;

use super::reply;
use crate::auth::bearer::{Anybody, wrong_role};
use crate::problem::ApiResult;
use crate::query::NoQuery;
use crate::wire::{SpanRow, Spans};

/// How a knob of a dialect is called that is a span in seconds.
const SECONDS: &str = "timeout_s";
const DAY_S: u64 = 86_400;

/// Lists how long things wait and are kept. They can only be set on the server.
#[utoipa::path(
    get, path = "/v1/settings", tag = "looking",
    responses((status = 200, body = Spans), (status = "4XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn spans(Anybody(pass, shared): Anybody, _: NoQuery) -> ApiResult {
    if let pass @ Pass::Agent(_) = pass {
        return Err(wrong_role(&pass, "person or admin"));
    }
    let set = shared.hub.settings();
    let row = |key: &str, seconds: Option<u64>, about: &str| SpanRow {
        key: key.to_owned(),
        seconds,
        about: about.to_owned(),
    };
    let mut spans = vec![
        row(
            "asks",
            None,
            "An ask waits until it is answered, unless its agent gave it a deadline.",
        ),
        row(
            "chat.turn_timeout",
            Some(set.turn_timeout.as_secs()),
            "How long an agent's turn can be silent before it counts as lost.",
        ),
        row(
            "retention_days",
            set.retention.map(|kept| kept.as_secs()),
            "How long the text of closed asks and of conversations is kept.",
        ),
        row(
            "delivery.offer_for",
            set.offer_for.map(|span| span.as_secs()),
            "How long an unconfirmed outcome is sent again each time its agent connects.",
        ),
        row(
            "delivery.withdraw_after",
            set.withdraw_after.map(|span| span.as_secs()),
            "How long an agent may stay disconnected before its open asks are withdrawn.",
        ),
        row(
            "delivery.withdraw_durable_after",
            set.withdraw_durable_after.map(|span| span.as_secs()),
            "The same for asks that the agent can find again by their key or id.",
        ),
        row(
            "rules",
            Some(limits::RULE_DAYS * DAY_S),
            "How long a rule applies by default.",
        ),
        row(
            "login links",
            Some(limits::LOGIN_CODE_S),
            "How long a login link is valid.",
        ),
        row(
            "pairing codes",
            Some(limits::PAIRING_S),
            "How long a pairing code is valid.",
        ),
    ];
    for speech in &shared.speeches {
        let knobs = speech.row.knobs.iter();
        for knob in knobs.filter(|knob| knob.key.ends_with(SECONDS)) {
            let key = format!("dialects.{}.{}", speech.row.name, knob.key);
            let seconds = speech.knobs.get(knob.key).parse().ok();
            spans.push(row(&key, seconds, knob.about));
        }
    }
    Ok(reply::json(StatusCode::OK, &Spans { spans }))
}
