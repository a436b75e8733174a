//! `sayso inbox`: what waits for an answer, and with `--watch` what comes and goes.

use sayso_client::{AskFilter, AskListKind, Client, FeedMessage, FeedReader};
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{Ask, FeedEvent};

use crate::clock;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::InboxFlags;
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::show::{self, Detail};
use crate::signals::StopSignal;

const PAGE: usize = 200;
/// Asks that are listed at most; nobody reads further.
const PAGES_MAX: usize = 50;

pub(crate) async fn run(flags: &InboxFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let client = place.client(LocalRole::Person)?;
    let as_of = list(&client, flags, out).await?;
    if flags.watch {
        watch(&client, flags, as_of, out).await?;
    }
    Ok(Exit::Done)
}

/// Prints the open asks and says up to where in the journal they are known.
async fn list(client: &Client, flags: &InboxFlags, out: &mut Output) -> Result<u64, Failure> {
    let mut query = AskFilter {
        limit: Some(PAGE),
        ..AskFilter::of(AskListKind::Open)
    };
    let mut as_of = None;
    let mut asks: Vec<Ask> = Vec::new();
    for _ in 0..PAGES_MAX {
        let page = client.list(&query).await?;
        // The first page is the oldest: whoever follows from there misses nothing.
        as_of = as_of.or(Some(page.as_of));
        asks.extend(page.asks);
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    print(&asks, flags, out)?;
    let ids: Vec<&str> = asks.iter().map(|ask| ask.id.as_str()).collect();
    if !flags.json {
        on_screen(client, out, &ids).await;
    }
    if query.after.is_some() {
        out.say(&format!("note: only the first {} are shown", asks.len()));
    }
    Ok(as_of.unwrap_or_default())
}

/// Tells the server that a person has these asks before their eyes. It is for their story alone:
/// where it does not work, nothing else fails.
pub(super) async fn on_screen(client: &Client, out: &Output, ids: &[&str]) {
    if out.data_is_terminal {
        drop(client.shown(ids).await);
    }
}

fn print(asks: &[Ask], flags: &InboxFlags, out: &mut Output) -> Ran {
    if flags.json {
        return out.json(asks);
    }
    if asks.is_empty() {
        out.say("no open asks");
    }
    let ids: Vec<&str> = asks.iter().map(|ask| ask.id.as_str()).collect();
    let now = clock::now();
    for (index, (ask, id)) in asks.iter().zip(show::short_ids(&ids)).enumerate() {
        if index > 0 {
            out.data("")?;
        }
        let paint = out.paint();
        out.data(&show::card(
            ask,
            &escape_line(&id),
            Detail::Short,
            now,
            paint,
        ))?;
    }
    Ok(Exit::Done)
}

async fn watch(
    client: &Client,
    flags: &InboxFlags,
    as_of: u64,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut stop = StopSignal::listen()?;
    let mut feed = FeedReader::open(client, Some(as_of)).await?;
    loop {
        let told = tokio::select! {
            () = stop.come() => return Ok(()),
            told = feed.next() => told?,
        };
        match told {
            FeedMessage::Event(event) => {
                if !was_never_open(&event) {
                    show_event(client, *event, flags, out).await?;
                }
            }
            FeedMessage::Cut { why, again_in } => {
                let why = why.to_string();
                out.say(&format!(
                    "{}; retrying in {:.1} s",
                    escape_line(&why),
                    again_in.as_secs_f32()
                ));
            }
        }
    }
}

/// Whether a rule answered an ask the moment it came: nobody was shown it as open.
fn was_never_open(event: &FeedEvent) -> bool {
    let FeedEvent::Closed(change) = event else {
        return false;
    };
    let ask = &change.ask;
    ask.outcome
        .as_ref()
        .is_some_and(|outcome| outcome.by.rule.is_some() && outcome.at == ask.asked_at)
}

async fn show_event(
    client: &Client,
    event: FeedEvent,
    flags: &InboxFlags,
    out: &mut Output,
) -> Result<(), Failure> {
    match event {
        FeedEvent::Asked(change) | FeedEvent::Closed(change) if flags.json => {
            out.json([&change.ask]).map(drop)
        }
        FeedEvent::Asked(change) => {
            let ask = change.ask;
            let paint = out.paint();
            out.data(&format!(
                "\n{}",
                show::card(
                    &ask,
                    &escape_line(&ask.id),
                    Detail::Short,
                    clock::now(),
                    paint
                )
            ))?;
            on_screen(client, out, &[&ask.id]).await;
            Ok(())
        }
        FeedEvent::Closed(change) => {
            let ask = change.ask;
            let how = ask.outcome.as_ref().map_or_else(
                || "closed".to_owned(),
                |outcome| show::closed(&ask, outcome),
            );
            out.data(&format!("{}  {how}", escape_line(&ask.id)))
        }
        FeedEvent::Reset(_) => {
            out.say("note: some changes were missed; this is the current list");
            list(client, flags, out).await.map(drop)
        }
        FeedEvent::Ready(_)
        | FeedEvent::Delivery(_)
        | FeedEvent::Entry(_)
        | FeedEvent::Saying(_)
        | FeedEvent::Turn(_)
        | FeedEvent::Agent(_)
        | FeedEvent::Rule(_)
        | FeedEvent::Done(_)
        | FeedEvent::Problem(_) => Ok(()),
    }
}
