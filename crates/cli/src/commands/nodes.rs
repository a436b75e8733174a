//! `sayso nodes`: the nodes of one journal, and how each of them is.

use sayso_core::escape::escape_line;
use sayso_core::time::Time;
use sayso_dialects::native::wire::ListedNode;
use sayso_server::listed_node;
use sayso_store_postgres::PostgresUrl;
use serde_json::{Value, json};

use crate::clock;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::NodesFlags;
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::show::{Table, cut};
use crate::span;
use crate::stores;

/// The widest name; with it and the widest address below, the table fits 80 columns.
const NAME_WIDTH_MAX: usize = 16;
const URL_WIDTH_MAX: usize = 23;

pub(crate) async fn run(flags: &NodesFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let nodes = listed(place).await?;
    if flags.json {
        return out.json(&nodes.iter().map(line).collect::<Vec<_>>());
    }
    out.table(&table(&nodes, clock::now()))
}

/// The nodes as the server of this machine lists them; without one, as the database that is named has them.
async fn listed(place: &CommandContext) -> Result<Vec<ListedNode>, Failure> {
    let url = place.settings.store_url.value.as_ref();
    if let Some(url) = url.filter(|_| place.is_database_named()) {
        return from_database(place, url).await;
    }
    let asked = match place.client(LocalRole::Admin) {
        Ok(client) => client.nodes().await.map_err(Failure::from),
        Err(failure) => Err(failure),
    };
    match (asked, url) {
        (Ok(list), _) => Ok(list.nodes),
        (Err(failure), Some(url)) if failure.exit == Exit::Unreachable => {
            from_database(place, url).await
        }
        (Err(failure), None) if failure.exit == Exit::Unreachable => Err(failure.hint(format!(
            "{}, or set the database of the nodes with `--store URL`",
            place.unreachable_hint()
        ))),
        (Err(failure), _) => Err(failure),
    }
}

async fn from_database(
    place: &CommandContext,
    url: &PostgresUrl,
) -> Result<Vec<ListedNode>, Failure> {
    let rows = stores::nodes(place, url).await?;
    Ok(rows.into_iter().map(listed_node).collect())
}

/// A node as `--json` prints it.
fn line(node: &ListedNode) -> Value {
    json!({
        "node": node.node,
        "url": node.url,
        "version": node.version,
        "state": node.state.word(),
        "applied": node.applied,
        "seen_at": node.seen_at,
    })
}

fn table(nodes: &[ListedNode], now: Time) -> Table {
    let mut table = Table::new(&["NODE", "STATE", "APPLIED", "SEEN", "VERSION", "URL"]);
    for node in nodes {
        let ago = now.since(node.seen_at.0);
        table.row(vec![
            cut(&escape_line(&node.node), NAME_WIDTH_MAX),
            node.state.word().to_owned(),
            node.applied.to_string(),
            if ago.as_secs() == 0 {
                "just now".to_owned()
            } else {
                format!("{} ago", span::short(ago))
            },
            escape_line(&node.version).into_owned(),
            cut(
                &escape_line(node.url.as_deref().unwrap_or("")),
                URL_WIDTH_MAX,
            ),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use sayso_dialects::native::wire::{NodeStanding, WireTime};
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    #[test]
    fn the_widest_table_fits_eighty_columns() {
        let widest = ListedNode {
            node: "n".repeat(64),
            url: Some(format!("https://{}:65535", "h".repeat(60))),
            version: "10.10.10".to_owned(),
            state: NodeStanding::Silent,
            applied: 9_999_999,
            seen_at: WireTime(Time::from_millis(1)),
        };
        let lines = table(&[widest], Time::from_millis(59 * 60_000)).lines();
        assert!(lines.iter().all(|line| line.width() <= 80), "{lines:#?}");
        assert!(
            lines.iter().any(|line| line.contains("58 min ago")),
            "{lines:#?}"
        );
    }
}
