//! `sayso backup`: a copy of the journal, by the running server or, without one, by ourselves.

use std::path::Path;

use sayso_client::ClientError;
use sayso_store::Store;
use sayso_store_sqlite::{SqliteSettings, SqliteStore};

use crate::context::CommandContext;
use crate::dispatch::aside;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::BackupFlags;
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::stores;

pub(crate) async fn run(flags: &BackupFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let file = std::path::absolute(&flags.file)
        .map_err(|error| Failure::usage(format!("{}: {error}", flags.file.display())))?;
    if file.exists() {
        return Err(Failure::usage(format!(
            "{} already exists; a backup never overwrites a file",
            file.display()
        )));
    }
    match place.find() {
        _ if place.is_database_named() => offline(place, &file).await?,
        Ok(found) => match place.client(LocalRole::Admin)?.backup(&file).await {
            Ok(()) => {}
            // A server that was killed left its file behind; the lock tells whether one still runs.
            Err(ClientError::Unreachable { .. }) if found.local => offline(place, &file).await?,
            Err(error) => return Err(error.into()),
        },
        Err(failure) if failure.exit == Exit::Unreachable => offline(place, &file).await?,
        Err(failure) => return Err(failure),
    }
    out.say(&format!("written to {}", file.display()));
    Ok(Exit::Done)
}

async fn offline(place: &CommandContext, file: &Path) -> Result<(), Failure> {
    if let Some(url) = place.settings.store_url.value.clone() {
        let (place, file) = (place.clone(), file.to_owned());
        return aside(move || Ok(stores::journal(&place, &url)?.backup(&file)?)).await;
    }
    place.has_journal()?;
    let store = SqliteStore::open(&place.settings.state.value, SqliteSettings::default())?;
    Ok(store.backup(file).await?)
}
