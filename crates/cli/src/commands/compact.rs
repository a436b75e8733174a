//! `sayso compact`: gives free space back, by the running server or, without one, by ourselves.

use sayso_client::ClientError;
use sayso_client::wire::CompactReport;
use sayso_store_sqlite::SqliteSettings;

use crate::context::CommandContext;
use crate::dispatch::aside;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::stores;

pub(crate) async fn run(place: &CommandContext, out: &mut Output) -> Ran {
    let made = match place.find() {
        _ if place.is_database_named() => offline(place).await?,
        Ok(found) => match place.client(LocalRole::Admin)?.compact().await {
            Ok(made) => made,
            // A server that was killed left its file behind; the lock tells whether one still runs.
            Err(ClientError::Unreachable { .. }) if found.local => offline(place).await?,
            Err(error) => return Err(error.into()),
        },
        Err(failure) if failure.exit == Exit::Unreachable => offline(place).await?,
        Err(failure) => return Err(failure),
    };
    let (before, after) = (megabytes(made.before), megabytes(made.after));
    out.data(&format!("before: {before}\nafter: {after}"))?;
    if made.held > 0 {
        out.say(&format!(
            "{} more can be freed when no other program reads the files in the state folder. A \
             running server does this automatically; otherwise run `sayso compact` again.",
            megabytes(made.held)
        ));
    }
    if made.stuck > 0 {
        out.say(&format!(
            "{} more can be freed: stop the server and run `sayso compact` again. The journal \
             was made by an older version.",
            megabytes(made.stuck)
        ));
    }
    Ok(Exit::Done)
}

async fn offline(place: &CommandContext) -> Result<CompactReport, Failure> {
    let made = if let Some(url) = place.settings.store_url.value.clone() {
        let place = place.clone();
        aside(move || Ok(stores::journal(&place, &url)?.compact()?)).await?
    } else {
        place.has_journal()?;
        let state = &place.settings.state.value;
        sayso_store_sqlite::compact(state, SqliteSettings::default())?
    };
    Ok(CompactReport {
        before: made.before,
        after: made.after,
        held: made.held,
        stuck: made.stuck,
    })
}

/// A size as people read it.
fn megabytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}
