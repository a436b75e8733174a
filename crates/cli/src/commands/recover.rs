//! `sayso recover`: begins another life of a journal in PostgreSQL that lost its last events.

use sayso_core::escape::escape_line;
use sayso_store_postgres::{LostEvents, PostgresJournal};

use super::restore::begins;
use sayso_server::listed_node;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::flags::RecoverFlags;
use crate::output::Output;
use crate::stores;

pub(crate) fn run(
    flags: &RecoverFlags,
    place: &CommandContext,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let Some(url) = &place.settings.store_url.value else {
        return Err(
            Failure::usage("`sayso recover` is for a journal in PostgreSQL").hint(
                "name it with --store. For a state folder, run `sayso restore` with a backup",
            ),
        );
    };
    let with = stores::database(place, url)?;
    let shown = with.shown_place();
    let journal = PostgresJournal::open(with)?.ok_or_else(|| stores::no_journal(&shown))?;
    if !flags.accept_loss {
        tell(&journal.lost()?, out)?;
        return Err(Failure::new(Exit::Refused, "nothing was changed").hint(
            "bring back the database that has the events, or run this again with --accept-loss",
        ));
    }
    let void = journal.accept_loss(begins()?)?;
    out.say(&format!(
        "the journal goes on without the lost events; {void} asks that were open are void"
    ));
    out.say("restart the nodes that still run, and start the others again");
    Ok(Exit::Done)
}

fn tell(lost: &LostEvents, out: &mut Output) -> Result<(), Failure> {
    out.data(&format!("the database ends at event {}", lost.end))?;
    match lost.known {
        Some(known) if known > lost.end => out.data(&format!(
            "this node knew event {known}: {} events are lost",
            known.0 - lost.end.0
        ))?,
        Some(known) => out.data(&format!(
            "this node knew another event {known}: what came after the loss replaced it"
        ))?,
        None => out.data("this node knows of no event that is missing")?,
    }
    for node in lost.nodes.iter().cloned().map(listed_node) {
        out.data(&format!(
            "node {} ({}): event {} as the database knows it",
            escape_line(&node.node),
            node.state.word(),
            node.applied
        ))?;
    }
    out.data(&format!("{} asks are open and would be void", lost.open))
}
