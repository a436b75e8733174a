//! `sayso verify`: walks the whole journal, beside a running server or without one.

use sayso_core::escape::escape_line;
use sayso_store_sqlite::verify_folder;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::output::Output;
use crate::stores;

pub(crate) fn run(place: &CommandContext, out: &mut Output) -> Ran {
    let state = &place.settings.state.value;
    let (verified, journal) = if let Some(url) = &place.settings.store_url.value {
        let verified = stores::journal(place, url)?.verify()?;
        (verified, "the journal in PostgreSQL".to_owned())
    } else {
        place.has_journal()?;
        let journal = format!("the journal in {}", state.display());
        (verify_folder(state)?, journal)
    };
    let erased = match verified.erased {
        0 => String::new(),
        erased => format!(", {erased} of them erased on purpose"),
    };
    if verified.faults.is_empty() {
        out.data(&format!("sound: {} entries{erased}", verified.events))?;
        return Ok(Exit::Done);
    }
    for fault in &verified.faults {
        out.data(&escape_line(fault))?;
    }
    Err(Failure::new(
        Exit::Damaged,
        format!("{journal} is damaged ({} entries{erased})", verified.events),
    )
    .hint(
        "everything else keeps working. Make a copy of it. An ask named above can be \
               dismissed and then erased with `sayso forget ID`; for anything else run `sayso \
               restore` with a backup",
    ))
}
