//! `sayso restore`: puts a backup back as a new life of the state; what was open in it is void.

use sayso_core::id::Epoch;

use crate::clock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags::RestoreFlags;
use crate::output::Output;
use crate::place::Place;

pub(crate) fn run(flags: &RestoreFlags, place: &Place, out: &mut Output) -> Result<Exit, Failure> {
    let now = clock::now();
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(|error| {
        Failure::unexpected(format!("the system gives us no random numbers: {error}"))
    })?;
    let epoch =
        Epoch(uuid::Builder::from_unix_timestamp_millis(now.as_millis(), &random).into_uuid());
    let restored =
        sayso_store_sqlite::restore(&place.settings.state.value, &flags.file, now, epoch)?;
    out.say(&format!(
        "restored {} entries; {} asks that were open in the backup are void",
        restored.events, restored.void
    ));
    match (restored.taken_back, restored.unread) {
        (_, Some(why)) => {
            out.say(&format!(
                "note: the journal of before cannot be read: {why}"
            ));
            out.say(
                "      tokens and rules that were revoked since the backup are good again; look \
                 at `sayso token list` and `sayso rules list`",
            );
        }
        (0, None) => {}
        (count, None) => out.say(&format!(
            "{count} tokens and rules that were revoked since the backup stay revoked"
        )),
    }
    if let Some(before) = restored.before {
        out.say(&format!(
            "the journal of before is kept as {}",
            before.display()
        ));
    }
    out.say(&format!("start the server with `{}`", place.start_line()));
    Ok(Exit::Done)
}
