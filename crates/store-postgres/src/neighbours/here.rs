//! Which agents have connections at which node.

use sayso_core::id::AgentId;
use sayso_core::time::Time;
use sayso_store::{HereRow, NodeId, Offers, StoreError};
use sayso_store_sql::sql::number;

use crate::fault;
use crate::inner::PgInner;
use crate::journal::value;
use crate::setup::number_of;
use crate::sql::pooled;

pub(super) async fn put(
    inner: &PgInner,
    here: &[HereRow],
    gone: &[AgentId],
) -> Result<(), StoreError> {
    let client = pooled(&inner.pool).await?;
    let node = number_of(inner.node);
    if !gone.is_empty() {
        let sql = "DELETE FROM here WHERE node = $1 AND agent = ANY($2)";
        let statement = client.prepare_cached(sql).await.map_err(fault::journal)?;
        let agents: Vec<i64> = gone.iter().map(|agent| i64::from(agent.0)).collect();
        let done = client.execute(&statement, &[&node, &agents]).await;
        done.map_err(fault::journal)?;
    }
    if here.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO here (node, agent, links, since, offers)
               SELECT $1, * FROM unnest($2::int8[], $3::int4[], $4::int8[], $5::bytea[])
               ON CONFLICT (node, agent) DO UPDATE
               SET links = excluded.links, since = excluded.since, offers = excluded.offers";
    let statement = client.prepare_cached(sql).await.map_err(fault::journal)?;
    let agents: Vec<i64> = here.iter().map(|row| i64::from(row.agent.0)).collect();
    let links = here
        .iter()
        .map(|row| i32::try_from(row.links).unwrap_or(i32::MAX));
    let links: Vec<i32> = links.collect();
    let since = here.iter().map(|row| number(row.since.as_millis()));
    let since: Vec<i64> = since.collect();
    let offers: Vec<Vec<u8>> = here.iter().map(|row| row.offers.write()).collect();
    let done = client
        .execute(&statement, &[&node, &agents, &links, &since, &offers])
        .await;
    done.map(|_| ()).map_err(fault::journal)
}

pub(super) async fn others(inner: &PgInner) -> Result<Vec<(NodeId, HereRow)>, StoreError> {
    let client = pooled(&inner.pool).await?;
    let sql = "SELECT h.node, h.agent, h.links, h.since, h.offers
               FROM node n JOIN here h ON h.node = n.node
               WHERE n.node <> $1 AND n.seen_at > clock_timestamp() - interval '3 s'
               ORDER BY h.node, h.agent";
    let statement = client.prepare_cached(sql).await.map_err(fault::journal)?;
    let rows = client
        .query(&statement, &[&number_of(inner.node)])
        .await
        .map_err(fault::journal)?;
    rows.iter()
        .map(|row| {
            let offers: Vec<u8> = row.try_get(4).map_err(fault::journal)?;
            let row = HereRow {
                agent: AgentId(value(row, 1)?),
                links: value(row, 2)?,
                since: Time::from_millis(value(row, 3)?),
                offers: Offers::read(&offers),
            };
            Ok(row)
        })
        .zip(rows.iter())
        .map(|(here, row)| Ok((NodeId(value(row, 0)?), here?)))
        .collect()
}
