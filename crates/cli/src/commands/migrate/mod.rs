//! `sayso migrate`: moves a state from its folder to PostgreSQL, or back.
//!
//! The state lives where it was until everything is at the other end and was held against it. Then it is
//! marked as moved, and only then the other end may start. Whatever cuts this off, one end lives or none,
//! and the same command goes on.

mod ends;
mod parts;

use sayso_core::escape::escape_block;
use sayso_store::faults::point;
use sayso_store_sql::journal::{End, SqlJournal, hash_at, last_row};
use sayso_store_sql::transfer::{begun, compare, copy_beside, copy_rows};

use self::ends::{MovingEnd, StatePlace, same};
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::MigrateFlags;
use crate::output::Output;
use crate::show::WalkProgress;

pub(crate) fn run(flags: &MigrateFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let target = StatePlace::parse(&flags.to)?;
    let source = StatePlace::of(place, &target);
    if same(&source, &target, place) {
        return Err(Failure::usage("the source and the target are the same")
            .hint("choose another target with --to"));
    }
    let from = MovingEnd::leaving(&source, place)?;
    point("migrate_locked");
    let to = MovingEnd::arriving(&target, from.key()?, place)?;
    point("migrate_made");
    if from.moved()?.is_some() {
        finish(&from, &to)?;
    } else {
        check_free(&from, &to)?;
        copy(&from, &to, out)?;
        from.leave(&to.shown())?;
        point("migrate_left");
    }
    to.settle()?;
    point("migrate_settled");
    tell(&from, &to, out);
    Ok(Exit::Done)
}

/// Goes on with a migration whose source was left already: only the other end has to be let go.
fn finish(from: &MovingEnd, to: &MovingEnd) -> Result<(), Failure> {
    let end = End::of(last_row(SqlJournal(from.sql()))?.as_ref());
    if hash_at(SqlJournal(to.sql()), end.seq)? == Some(end.hash) {
        return Ok(());
    }
    let place = from.moved()?.unwrap_or_default();
    Err(Failure::new(
        Exit::Refused,
        escape_block(&format!(
            "the state at {} was moved to {place}",
            from.shown()
        )),
    )
    .hint("migrate it from there"))
}

/// Refuses a source that is not whole and a target in which a state lives.
fn check_free(from: &MovingEnd, to: &MovingEnd) -> Result<(), Failure> {
    if !from.is_living()? {
        return Err(Failure::new(
            Exit::Refused,
            format!("a migration to {} is not finished", from.shown()),
        )
        .hint("run that migration again first"));
    }
    if to.is_living()? {
        return Err(Failure::new(
            Exit::Refused,
            format!("there is already a journal at {}", to.shown()),
        )
        .hint("choose an empty target with --to"));
    }
    Ok(())
}

/// Brings everything to the other end and holds it against this one.
fn copy(from: &MovingEnd, to: &MovingEnd, out: &mut Output) -> Result<(), Failure> {
    out.say(&format!("checking the journal at {}", from.shown()));
    let verified = from.verify()?;
    if let Some(fault) = verified.faults.first() {
        return Err(Failure::new(
            Exit::Damaged,
            format!(
                "the journal at {} is damaged: {}",
                from.shown(),
                escape_block(fault)
            ),
        )
        .hint("nothing was moved. `sayso verify` lists everything that is wrong"));
    }
    point("migrate_verified");
    begun(from.sql(), to.journal())?;
    to.begin(from.level()?)?;
    point("migrate_begun");
    let all = Some(verified.events);
    let mut copied = WalkProgress::new("copied", all, out);
    copy_rows(from.sql(), to.journal(), &mut |seq| {
        point("migrate_piece");
        copied.tell(seq);
    })?;
    drop(copied);
    point("migrate_rows");
    copy_beside(from.sql(), to.journal())?;
    point("migrate_beside");
    parts::copy(from, to)?;
    point("migrate_parts");
    let mut compared = WalkProgress::new("compared", all, out);
    compare(from.sql(), to.journal(), &mut |seq| compared.tell(seq))?;
    drop(compared);
    point("migrate_compared");
    Ok(())
}

/// Says how to go on.
fn tell(from: &MovingEnd, to: &MovingEnd, out: &mut Output) {
    out.say(&format!("moved to {}", to.shown()));
    match (from.folder(), to.folder()) {
        (_, Some(folder)) => {
            let folder = folder.display();
            out.say(&format!(
                "the key is in {folder}/key. Start the server with `{}`",
                to.start_line()
            ));
        }
        (Some(folder), None) => {
            let key = folder.join("key");
            let key = key.display();
            out.say(&format!(
                "every node needs the key file {key}. Copy it to each machine and start nodes with \
                 `{} --key-file {key}`",
                to.start_line()
            ));
        }
        (None, None) => out.say(&format!(
            "start nodes with the same key file and `{}`",
            to.start_line()
        )),
    }
}
