//! What other nodes wrote, whole turns at a time.

use std::sync::Arc;

use sayso_core::id::Seq;
use sayso_store::{StoreError, StoredEvent};
use sayso_store_sql::journal::stored;
use sayso_store_sql::sql::number;

use crate::fault;
use crate::inner::{PgInner, locked};
use crate::journal::{RowWindow, journal_row, value, walk_sql};
use crate::sql::pooled;

/// Rows read at one time; more than a turn writes.
const ROWS: usize = 8192;

/// Waits until there is something after a place that others wrote, and reads it.
pub(crate) async fn wait(
    inner: Arc<PgInner>,
    mut after: Seq,
) -> Result<Vec<StoredEvent>, StoreError> {
    let mut head = inner.head.subscribe();
    let mut stop = inner.stop.subscribe();
    loop {
        inner.check_refused()?;
        let seen = *head.borrow_and_update();
        after = locked(&inner.own).past(after);
        if seen > after {
            let before = after;
            let events = read(&inner, &mut after).await?;
            if !events.is_empty() {
                return Ok(events);
            }
            if before < after && after < seen {
                continue;
            }
        }
        // Nothing, or what this node wrote itself and whoever asks is about to hear of.
        tokio::select! {
            _ = head.changed() => {}
            _ = stop.wait_for(|stop| *stop) => {
                return Err(fault::later("the server is stopping"));
            }
        }
    }
}

/// Reads what others wrote behind a place, which moves on past what this node wrote itself.
async fn read(inner: &PgInner, after: &mut Seq) -> Result<Vec<StoredEvent>, StoreError> {
    let client = pooled(&inner.pool).await?;
    let known = inner.known();
    let statement = client.prepare_cached(&walk_sql(", h.node, h.turn")).await;
    let statement = statement.map_err(fault::journal)?;
    let found = client
        .query(&statement, &[&number(after.0), &number(ROWS as u64)])
        .await
        .map_err(fault::journal)?;
    let is_cut = found.len() == ROWS;
    let mut rows = Vec::with_capacity(found.len());
    let mut others = 0;
    for row in &found {
        let (node, turn): (i64, u64) = (value(row, 10)?, value(row, 11)?);
        let row = journal_row(row)?;
        // The first row is the one after which it goes on.
        if row.seq == known.seq && row.header.hash() != known.hash {
            return Err(inner.went_back(known.seq));
        }
        if row.seq > *after && node == i64::from(inner.node.0) {
            if others > 0 {
                break;
            }
            // Whoever asks knows what it wrote itself; what others wrote behind that is news.
            *after = row.seq;
            rows.clear();
        } else if row.seq > *after {
            others += 1;
        }
        rows.push((row, turn));
    }
    // A turn that was cut is read whole the next time.
    let last = rows.last().map(|(_, turn)| *turn);
    let last = last.filter(|_| is_cut && others > 0);
    rows.retain(|(_, turn)| Some(*turn) != last);
    let count = rows.len();
    let window = RowWindow::of(rows.into_iter().map(|(row, _)| row));
    let events = window.found_after(*after, count)?.into_iter().map(|found| {
        inner.note(&found);
        stored(found)
    });
    Ok(events.collect())
}
