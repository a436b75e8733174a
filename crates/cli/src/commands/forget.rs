//! `sayso forget`: erases an ask, or all that fits: of a conversation, of an agent, before a date.

use sayso_client::wire::ForgetRequest;
use sayso_core::escape::escape_line;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::ForgetFlags;
use crate::output::Output;
use crate::resolve;
use crate::server_file::LocalRole;
use crate::text::count;

pub(crate) async fn run(flags: &ForgetFlags, place: &CommandContext, out: &mut Output) -> Ran {
    match &flags.id {
        Some(id) => one(id, place, out).await,
        None => all(flags, place, out).await,
    }
}

async fn one(id: &str, place: &CommandContext, out: &mut Output) -> Ran {
    // Erasing cannot be undone, so the id is looked up and shown before; admins see no asks.
    let ask = resolve::ask(&place.client(LocalRole::Person)?, id).await?;
    place.client(LocalRole::Admin)?.forget(&ask.id).await?;
    out.say(&format!(
        "erased {}; the journal keeps only the fact that it existed",
        escape_line(&ask.id)
    ));
    Ok(Exit::Done)
}

async fn all(flags: &ForgetFlags, place: &CommandContext, out: &mut Output) -> Ran {
    if !flags.yes {
        return Err(Failure::usage(
            "this erases everything that matches and can't be undone".to_owned(),
        )
        .hint("add --yes to erase it"));
    }
    let what = ForgetRequest {
        conversation: flags.conversation.clone(),
        agent: flags.agent.clone(),
        before: flags.before,
    };
    let done = place.client(LocalRole::Admin)?.forget_all(&what).await?;
    out.say(&format!(
        "erased {} and {}",
        count(done.asks, "ask", "asks"),
        count(done.entries, "conversation entry", "conversation entries")
    ));
    let left = [
        (done.left_open, "open ask", "open asks"),
        (done.left_queued, "queued message", "queued messages"),
        (
            done.left_running,
            "conversation with a running turn",
            "conversations with a running turn",
        ),
    ];
    for (number, singular, plural) in left.into_iter().filter(|(number, ..)| *number > 0) {
        out.say(&format!("not erased: {}", count(number, singular, plural)));
    }
    Ok(Exit::Done)
}
