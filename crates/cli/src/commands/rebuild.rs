//! `sayso rebuild`: makes lists, search and statistics anew from the journal.

use sayso_store_postgres::PostgresSettings;
use sayso_store_sqlite::SqliteSettings;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Ran;
use crate::output::Output;
use crate::stores;

/// What the rebuild is called among the nodes while it runs.
const NODE: &str = "rebuild";

pub(crate) fn run(place: &CommandContext, out: &mut Output) -> Ran {
    let head = if let Some(url) = &place.settings.store_url.value {
        // Opening the store would make a journal where there is none.
        drop(stores::journal(place, url)?);
        let with = PostgresSettings {
            node: NODE.to_owned(),
            known: None,
            ..stores::database(place, url)?
        };
        sayso_store_postgres::rebuild(with)?
    } else {
        place.has_journal()?;
        sayso_store_sqlite::rebuild(&place.settings.state.value, SqliteSettings::default())?
    };
    out.say(&format!("rebuilt from {} entries", head.seq));
    Ok(Exit::Done)
}
