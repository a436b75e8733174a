//! `sayso forget`: erases what was said in an ask and in its outcome.

use sayso_core::escape::escape_line;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags::ForgetFlags;
use crate::output::Output;
use crate::place::Place;
use crate::resolve;
use crate::server_file::LocalRole;

pub(crate) async fn run(
    flags: &ForgetFlags,
    place: &Place,
    out: &mut Output,
) -> Result<Exit, Failure> {
    // Erasing cannot be undone, so the id is looked up and shown before; admins see no asks.
    let ask = resolve::ask(&place.client(LocalRole::Person)?, &flags.id).await?;
    place.client(LocalRole::Admin)?.forget(&ask.id).await?;
    out.say(&format!(
        "erased {}: it is in no list any more; the journal keeps only that there was one",
        escape_line(&ask.id)
    ));
    Ok(Exit::Done)
}
