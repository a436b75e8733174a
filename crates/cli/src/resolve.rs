//! From the beginning of an id to the one ask it fits.

use sayso_client::{AskFilter, AskListKind, Client, ClientError};
use sayso_core::id::AskId;
use sayso_dialects::native::wire::{Ask, ProblemCode};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::show;
use crate::text::add;

const PAGE: usize = 200;
/// Pages of open asks that are looked through before the whole id is wanted.
const PAGES_MAX: usize = 50;
/// Candidates that are listed.
const CANDIDATES_MAX: usize = 10;

/// The ask with this id, or the only one whose id begins so: among the open ones, else among
/// those that have just ended.
pub(crate) async fn ask(client: &Client, id: &str) -> Result<Ask, Failure> {
    if id.parse::<AskId>().is_ok() {
        return Ok(client.get(id, None).await?);
    }
    if id.is_empty()
        || !id
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    {
        return Err(Failure::usage(format!(
            "`{}` is not an id or the start of one",
            sayso_core::escape::escape_line(id)
        ))
        .hint("`sayso inbox` lists the ids"));
    }
    let begins = id.to_ascii_lowercase();
    let mut found = among(client, AskListKind::Open, PAGES_MAX, &begins).await?;
    if found.is_empty() {
        found = among(client, AskListKind::Closed, 1, &begins).await?;
    }
    if found.len() > 1 {
        return Err(several(id, &found));
    }
    found.pop().ok_or_else(|| {
        Failure::new(Exit::Refused, format!("no ask id starts with {id}"))
            .hint("`sayso inbox` and `sayso history` list the ids; older asks need the full id")
    })
}

async fn among(
    client: &Client,
    wanted: AskListKind,
    pages: usize,
    begins: &str,
) -> Result<Vec<Ask>, ClientError> {
    let mut query = AskFilter {
        limit: Some(PAGE),
        ..AskFilter::of(wanted)
    };
    let mut found = Vec::new();
    for _ in 0..pages {
        let page = client.list(&query).await?;
        found.extend(
            page.asks
                .into_iter()
                .filter(|ask| ask.id.starts_with(begins)),
        );
        query.after = page.next;
        if query.after.is_none() || found.len() > CANDIDATES_MAX {
            break;
        }
    }
    Ok(found)
}

fn several(id: &str, found: &[Ask]) -> Failure {
    let mut error = format!("{id} matches several asks:");
    for ask in found.iter().take(CANDIDATES_MAX) {
        add(
            &mut error,
            format_args!("\n  {}  {}", ask.id, show::headline(ask)),
        );
    }
    if found.len() > CANDIDATES_MAX {
        error.push_str("\n  ...");
    }
    Failure::usage(error).hint("use more characters of the id")
}

/// The ask that won, when the server refused a second answer with it in hand.
pub(crate) fn winner(error: ClientError) -> Result<Box<Ask>, ClientError> {
    match error {
        ClientError::Refused {
            mut problem,
            retry_after,
        } => match (problem.code, problem.ask.take()) {
            (ProblemCode::AlreadyClosed, Some(ask)) => Ok(ask),
            (_, ask) => {
                problem.ask = ask;
                Err(ClientError::Refused {
                    problem,
                    retry_after,
                })
            }
        },
        other => Err(other),
    }
}
