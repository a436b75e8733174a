//! The servers that share this journal; one that is alone lists itself.

use axum::http::StatusCode;
use sayso_dialects::native::wire::{ListedNode, NodeList, NodeStanding, Problem, WireTime};
use sayso_hub::HubError;
use sayso_store::{NodeRow, NodeState};

use super::reply;
use crate::auth::bearer::Admin;
use crate::problem::{ApiResult, OrRefuse as _};
use crate::query::NoQuery;
use crate::shared::Shared;

/// Lists the nodes: their URL, their position in the journal, and their state.
#[utoipa::path(
    get, path = "/v1/nodes", tag = "admin",
    responses((status = 200, body = NodeList), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn list(Admin(_, shared): Admin, _: NoQuery) -> ApiResult {
    let nodes = all(&shared).await.or_refuse(&shared)?;
    Ok(reply::json(StatusCode::OK, &NodeList { nodes }))
}

async fn all(shared: &Shared) -> Result<Vec<ListedNode>, HubError> {
    let Some(neighbours) = shared.hub.neighbours() else {
        return Ok(vec![ListedNode {
            node: shared.node.clone(),
            url: Some(shared.url.clone()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            state: NodeStanding::Fresh,
            applied: shared.hub.health().head.0,
            seen_at: WireTime(shared.now()),
        }]);
    };
    let rows = neighbours.nodes().await?;
    Ok(rows.into_iter().map(listed_node).collect())
}

/// A node as the API lists it.
pub fn listed_node(row: NodeRow) -> ListedNode {
    ListedNode {
        node: row.name,
        url: row.url,
        version: row.version,
        state: match row.state {
            NodeState::Fresh => NodeStanding::Fresh,
            NodeState::Silent => NodeStanding::Silent,
            NodeState::Gone => NodeStanding::Gone,
        },
        applied: row.applied.0,
        seen_at: WireTime(row.seen_at),
    }
}

/// How many events the node that is furthest has applied and this one has not.
pub(super) async fn lag(shared: &Shared) -> u64 {
    let own = shared.hub.health().head.0;
    let nodes = all(shared).await.unwrap_or_default();
    let furthest = nodes.iter().map(|node| node.applied).max();
    furthest.unwrap_or_default().saturating_sub(own)
}
