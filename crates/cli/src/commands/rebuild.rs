//! `sayso rebuild`: makes lists, search and statistics anew from the journal.

use sayso_store_sqlite::SqliteSettings;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn run(place: &CommandContext, out: &mut Output) -> Result<Exit, Failure> {
    place.has_journal()?;
    let head = sayso_store_sqlite::rebuild(&place.settings.state.value, SqliteSettings::default())?;
    out.say(&format!("rebuilt from {} entries", head.seq));
    Ok(Exit::Done)
}
