//! `sayso recover`: begins another life of a journal in PostgreSQL that lost recent events.

use sayso_core::escape::escape_line;
use sayso_store_postgres::{LostEvents, PostgresJournal};

use super::restore::begins;
use sayso_server::listed_node;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::RecoverFlags;
use crate::output::Output;
use crate::stores;
use crate::text::count;

pub(crate) fn run(flags: &RecoverFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let Some(url) = &place.settings.store_url.value else {
        return Err(
            Failure::usage("`sayso recover` is for a journal in PostgreSQL")
                .hint("set it with --store. For a state folder, run `sayso restore` with a backup"),
        );
    };
    let with = stores::database(place, url)?;
    let shown = with.shown_place();
    let journal = PostgresJournal::open(with)?.ok_or_else(|| stores::no_journal(&shown))?;
    if !flags.accept_loss {
        tell(&journal.lost()?, out)?;
        return Err(Failure::new(Exit::Refused, "nothing was changed").hint(
            "bring back the database that has the events, or run this command again with --accept-loss",
        ));
    }
    let withdrawn = journal.accept_loss(begins()?)?;
    out.say(&format!(
        "the journal continues without the lost events; {} withdrawn",
        count(withdrawn, "open ask is", "open asks are")
    ));
    out.say("restart the nodes that still run, and start the others");
    Ok(Exit::Done)
}

fn tell(lost: &LostEvents, out: &mut Output) -> Result<(), Failure> {
    out.data(&format!("the database ends at event {}", lost.end))?;
    match lost.known {
        Some(known) if known > lost.end => out.data(&format!(
            "this node knew event {known}: {} lost",
            count(known.0 - lost.end.0, "event is", "events are")
        ))?,
        Some(known) => out.data(&format!(
            "this node knew a different event {known}: events written after the loss replaced it"
        ))?,
        None => out.data("this node knows of no missing event")?,
    }
    for node in lost.nodes.iter().cloned().map(listed_node) {
        out.data(&format!(
            "node {} ({}): event {}, as the database knows it",
            escape_line(&node.node),
            node.state.word(),
            node.applied
        ))?;
    }
    out.data(&format!(
        "{} be withdrawn",
        count(lost.open, "open ask would", "open asks would")
    ))
}
