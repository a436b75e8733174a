//! `sayso show`: one ask with everything in it.

use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::State;

use super::inbox::on_screen;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Ran;
use crate::flags::ShowFlags;
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::show::{Detail, card, story};
use crate::{clock, resolve};

pub(crate) async fn run(flags: &ShowFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let client = place.client(LocalRole::Person)?;
    let ask = resolve::ask(&client, &flags.id).await?;
    if flags.json {
        return out.json([&ask]);
    }
    let short = escape_line(ask.id.get(..13).unwrap_or(&ask.id));
    let card = card(&ask, &short, Detail::Whole, clock::now(), out.paint());
    out.data(&card)?;
    let steps = client.story(&ask.id).await?;
    out.data("  story:")?;
    out.data(&story(&ask, &steps))?;
    if ask.state == State::Open {
        on_screen(&client, out, &[&ask.id]).await;
    }
    Ok(Exit::Done)
}
