//! `sayso show`: one ask with everything in it.

use sayso_core::escape::escape_line;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags::ShowFlags;
use crate::output::Output;
use crate::place::Place;
use crate::server_file::LocalRole;
use crate::show::{Detail, card};
use crate::{clock, json, resolve};

pub(crate) async fn run(
    flags: &ShowFlags,
    place: &Place,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let client = place.client(LocalRole::Person)?;
    let ask = resolve::ask(&client, &flags.id).await?;
    let text = if flags.json {
        json::line(&ask)?
    } else {
        let short = ask.id.get(..13).unwrap_or(&ask.id);
        card(
            &ask,
            &escape_line(short),
            Detail::Whole,
            clock::now(),
            out.paint(),
        )
    };
    out.data(&text)?;
    Ok(Exit::Done)
}
