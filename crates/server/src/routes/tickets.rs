//! Tickets for doors whose callers cannot send a header.

use axum::http::StatusCode;
use sayso_dialects::Way;
use sayso_dialects::native::wire::{NewTicket, Problem, ProblemCode, Ticket, WireTime};
use sayso_hub::Pass;
use sayso_store::CodeKept;

use super::reply;
use crate::auth::bearer::Person;
use crate::auth::grants::{Grant as _, TicketGrant, Voucher};
use crate::auth::secret::random;
use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};

/// The words of the doors that take tickets.
fn doors() -> impl Iterator<Item = &'static str> {
    let of_dialects = sayso_dialects::DIALECTS.iter().flat_map(|row| row.doors);
    let faces = of_dialects.filter_map(|door| match door.way {
        Way::PersonSocket(socket) => Some(socket.ticket),
        Way::Own
        | Way::AgentSocket(_)
        | Way::Call(_)
        | Way::Transcript(_)
        | Way::Fresh(_)
        | Way::Redeem(_)
        | Way::PersonStream(_)
        | Way::Upload(_)
        | Way::Tools => None,
    });
    ["feed", "sse"].into_iter().chain(faces)
}

/// Creates a ticket: it opens one door, once, within 30 s.
#[utoipa::path(
    post, path = "/v1/tickets", tag = "answering", request_body = NewTicket,
    responses((status = 201, body = Ticket), (status = "4XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn make(
    Person(pass, shared): Person,
    JsonBody(NewTicket { door }): JsonBody<NewTicket>,
) -> ApiResult {
    let Some(door) = doors().find(|word| *word == door) else {
        let known: Vec<&str> = doors().collect();
        let message = format!(
            "is not a door that takes tickets; use one of: {}",
            known.join(", ")
        );
        return Err(ApiError::invalid("/for", message));
    };
    let ticket = random("say_ticket_")?;
    let expires_at = WireTime(shared.now().after(TicketGrant::LIFE));
    let grant = TicketGrant {
        door: door.to_owned(),
        by: Voucher::of(&Pass::Person(pass)),
    };
    match shared
        .codes
        .keep(&ticket, &grant)
        .await
        .or_refuse(&shared)?
    {
        CodeKept::Kept => Ok(reply::json(
            StatusCode::CREATED,
            &Ticket { ticket, expires_at },
        )),
        // With 256 random bits no two are alike.
        CodeKept::Full | CodeKept::Taken => {
            let refusal = ApiError::new(ProblemCode::SlowDown, "Too many tickets are pending.");
            Err(refusal.after(TicketGrant::LIFE))
        }
    }
}
