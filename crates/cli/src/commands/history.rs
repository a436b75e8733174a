//! `sayso history`: what has ended, the latest first.

use sayso_client::{AskFilter, AskListKind};
use sayso_core::escape::escape_line;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Ran;
use crate::flags::HistoryFlags;
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::show::{self, Table};
use crate::{clock, span};

const PAGE: usize = 200;

pub(crate) async fn run(flags: &HistoryFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let client = place.client(LocalRole::Person)?;
    let mut query = AskFilter {
        search: flags.search.clone(),
        ..AskFilter::of(AskListKind::Closed)
    };
    let mut asks = Vec::new();
    while asks.len() < flags.limit {
        query.limit = Some((flags.limit - asks.len()).min(PAGE));
        let page = client.list(&query).await?;
        let stuck = page.asks.is_empty();
        asks.extend(page.asks);
        query.after = page.next;
        if query.after.is_none() || stuck {
            break;
        }
    }
    if flags.json {
        return out.json(&asks);
    }
    if asks.is_empty() {
        out.say("no closed asks match");
        return Ok(Exit::Done);
    }
    let ids: Vec<&str> = asks.iter().map(|ask| ask.id.as_str()).collect();
    let now = clock::now();
    let mut table = Table::new(&["ID", "AGO", "AGENT", "WHAT", "OUTCOME"]);
    for (ask, id) in asks.iter().zip(show::short_ids(&ids)) {
        let ended = ask
            .outcome
            .as_ref()
            .map_or(ask.asked_at, |outcome| outcome.at);
        let how = ask
            .outcome
            .as_ref()
            .map_or_else(|| "erased".to_owned(), |outcome| show::closed(ask, outcome));
        table.row(vec![
            escape_line(&id).into_owned(),
            span::words(now.since(ended.0)),
            escape_line(&ask.agent.name).into_owned(),
            show::headline(ask),
            how,
        ]);
    }
    out.table(&table)?;
    if query.after.is_some() {
        out.say("note: there is more; use --limit or --search");
    }
    Ok(Exit::Done)
}
