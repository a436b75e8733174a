//! Tickets for doors whose callers cannot send a header.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use sayso_core::limits;
use sayso_dialects::native::wire::{NewTicket, Problem, ProblemCode, Ticket, TicketFor, WireTime};

use super::reply;
use crate::auth::bearer::Person;
use crate::auth::secret::random;
use crate::auth::ticket::Full;
use crate::body::Whole;
use crate::problem::Refusal;
use crate::query::NoQuery;
use crate::shared::Shared;

const LIFE: Duration = Duration::from_secs(limits::TICKET_S);

/// A ticket: one entry to one door, within 30 s.
#[utoipa::path(
    post, path = "/v1/tickets", tag = "answering", request_body = NewTicket,
    responses((status = 201, body = Ticket), (status = "4XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn make(
    State(shared): State<Arc<Shared>>,
    Person(pass): Person,
    _: NoQuery,
    body: Whole,
) -> Result<Response, Refusal> {
    let NewTicket { door } = body.read()?;
    match door {
        TicketFor::Feed | TicketFor::Sse => {}
        TicketFor::Chat | TicketFor::Nebo | TicketFor::ClaudeControl => {
            return Err(Refusal::invalid("/for", "is a door that is not there yet"));
        }
    }
    let ticket = random("say_ticket_")?;
    let expires_at = WireTime(shared.now().after(LIFE));
    shared
        .tickets
        .add(ticket.clone(), door, pass, shared.steady())
        .map_err(|Full| {
            Refusal::new(ProblemCode::SlowDown, "Too many tickets are open.").after(LIFE)
        })?;
    Ok(reply::json(
        StatusCode::CREATED,
        &Ticket { ticket, expires_at },
    ))
}
