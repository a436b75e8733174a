//! The list of nodes.

use sayso_core::id::Seq;
use sayso_core::time::Time;
use sayso_store::{NodeId, NodeRow, NodeState, StoreError};
use tokio_postgres::Client;

use crate::fault;
use crate::inner::PgInner;
use crate::journal::value;
use crate::old_views::version_of;
use crate::settings::PostgresSettings;
use crate::setup::check_is_made;
use crate::sql::pooled;
use crate::target::PgTarget;

/// How long ago a node may have given a sign of life that still serves; it gives one every half second.
const FRESH_MS: i64 = 1_500;
/// And one that counts as alive.
const ALIVE_MS: i64 = 3_000;

/// Lists the nodes of a journal without being one of them. It takes no key and changes nothing.
pub async fn list_nodes(settings: PostgresSettings) -> Result<Vec<NodeRow>, StoreError> {
    let target = PgTarget::new(settings)?;
    let link = target.first_link().await?;
    check_is_made(&link.client, &target.settings).await?;
    read(&link.client).await
}

/// The nodes of a journal.
pub(super) async fn all(inner: &PgInner) -> Result<Vec<NodeRow>, StoreError> {
    read(&*pooled(&inner.pool).await?).await
}

/// Every name's last start, as long as it was heard of within an hour.
pub(crate) async fn read(client: &Client) -> Result<Vec<NodeRow>, StoreError> {
    let sql = "SELECT DISTINCT ON (name) node, name, url, version, applied,
                      (extract(epoch FROM seen_at) * 1000)::int8,
                      (extract(epoch FROM clock_timestamp() - seen_at) * 1000)::int8
               FROM node WHERE seen_at > clock_timestamp() - interval '1 hour'
               ORDER BY name, node DESC";
    let rows = client.query(sql, &[]).await.map_err(fault::journal)?;
    rows.iter()
        .map(|row| {
            let text = |at: usize| row.try_get::<_, Option<String>>(at).map_err(fault::journal);
            let ago: i64 = value(row, 6)?;
            Ok(NodeRow {
                id: NodeId(value(row, 0)?),
                name: text(1)?.unwrap_or_default(),
                url: text(2)?,
                version: version_of(&text(3)?.unwrap_or_default()).to_owned(),
                state: if ago < FRESH_MS {
                    NodeState::Fresh
                } else if ago < ALIVE_MS {
                    NodeState::Silent
                } else {
                    NodeState::Gone
                },
                applied: Seq(value(row, 4)?),
                seen_at: Time::from_millis(value(row, 5)?),
            })
        })
        .collect()
}
