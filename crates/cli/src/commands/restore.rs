//! `sayso restore`: puts a backup back as a new life of the state; what was open in it is withdrawn.

use sayso_core::escape::escape_line;
use sayso_core::id::Epoch;
use sayso_store_sql::life::{LifeBegins, Restored, Revoke};
use sayso_store_sqlite::BackupToRestore;

use crate::clock;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::RestoreFlags;
use crate::output::Output;
use crate::show::WalkProgress;
use crate::stores;
use crate::text::count;

pub(crate) fn run(flags: &RestoreFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let begins = begins()?;
    let revoke = Revoke {
        tokens: flags.revoke_tokens,
        rules: flags.revoke_rules,
    };
    let settings = &place.settings;
    let restored = match &settings.store_url.value {
        Some(url) => {
            let backup = BackupToRestore::open(&flags.file)?;
            let with = stores::database(place, url)?;
            let mut progress = WalkProgress::new("restored", None, out);
            let rows = (backup.sql(), backup.level);
            sayso_store_postgres::restore(with, rows, revoke, begins, &mut |seq| {
                progress.tell(seq);
            })?
        }
        None => sayso_store_sqlite::restore(&settings.state.value, &flags.file, revoke, begins)?,
    };
    out.say(&format!(
        "restored {}; {} withdrawn",
        count(restored.events, "entry", "entries"),
        count(restored.void, "open ask is", "open asks are")
    ));
    if restored.taken_back > 0 {
        out.say(&format!(
            "{} revoked",
            count(
                restored.taken_back,
                "token or rule that was revoked since the backup stays",
                "tokens and rules that were revoked since the backup stay"
            )
        ));
    }
    warn(&restored, out);
    if let Some(before) = restored.before {
        out.say(&format!("the previous journal is kept as {before}"));
    }
    out.say(&format!("start the server with `{}`", place.start_line()));
    Ok(Exit::Done)
}

/// A new life of a state.
pub(super) fn begins() -> Result<LifeBegins, Failure> {
    let now = clock::now();
    let mut random = [0; 10];
    getrandom::fill(&mut random).map_err(|error| {
        Failure::unexpected(format!(
            "the system's random number generator failed: {error}"
        ))
    })?;
    let epoch =
        Epoch(uuid::Builder::from_unix_timestamp_millis(now.as_millis(), &random).into_uuid());
    Ok(LifeBegins { now, epoch })
}

/// Says what is valid again that may have been revoked since.
fn warn(restored: &Restored, out: &mut Output) {
    let (tokens, rules) = (restored.tokens.len(), restored.rules.len());
    let Some(why) = &restored.unsure else {
        return;
    };
    out.say(&format!(
        "warning: tokens and rules that were revoked after this backup was made may be valid again, because {}",
        escape_line(why)
    ));
    if tokens + rules == 0 {
        out.say("  none of them is valid now");
        return;
    }
    list("tokens", &restored.tokens, out);
    list("rules", &restored.rules, out);
    out.say(
        "  Revoke what should not be valid with `sayso token revoke` and `sayso rules revoke`, or run this \
         command again with --revoke-tokens --revoke-rules.",
    );
}

/// Names shown of each kind.
const NAMES_MAX: usize = 20;

fn list(what: &str, names: &[String], out: &mut Output) {
    if names.is_empty() {
        return;
    }
    let shown: Vec<_> = names
        .iter()
        .take(NAMES_MAX)
        .map(|name| escape_line(name))
        .collect();
    let more = match names.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    out.say(&format!("  valid {what}: {}{more}", shown.join(", ")));
}
