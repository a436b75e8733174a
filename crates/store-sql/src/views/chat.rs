//! Conversations in the projections: what stands in each, what waits, and whose turn runs.

use sayso_core::entry::{Message, MessageState};
use sayso_core::id::{ConversationId, MessageId, Seq};
use sayso_core::limits;
use sayso_core::state::{QueuedEntry, SnapshotPart};
use sayso_core::time::Time;
use sayso_store::{
    ConversationPage, ConversationQuery, ConversationRow, EntryFrom, EntryPage, EntryQuery,
    EntryRow, EntryWhat, SaidQuery, SaidRow,
};

use super::pending::Pending;
use super::progress::{self, ViewStage};
use crate::sql::{Sql, SqlResult, SqlRow, ask_id, moment, number, seq};
use crate::values;

const MESSAGE: i64 = 0;
pub(crate) const SAID: i64 = 1;
pub(crate) const NOTE: i64 = 2;
pub(crate) const ASK: i64 = 3;
pub(crate) const TURN_ENDED: i64 = 4;

/// Puts something into a conversation.
pub(crate) fn entry(
    pending: &mut Pending<'_>,
    conversation: ConversationId,
    seq: Seq,
    at: Time,
    kind: i64,
) -> SqlResult<()> {
    pending.latest.insert(conversation, (seq, at));
    pending.connection.run(
        "INSERT INTO entries (conversation, seq, kind, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (conversation, seq) DO UPDATE SET kind = ?3, at = ?4",
        values![conversation.0, number(seq.0), kind, number(at.as_millis())],
    )
}

/// Says which entry of a conversation is its latest.
pub(crate) fn latest(
    connection: &dyn Sql,
    conversation: ConversationId,
    seq: Seq,
    at: Time,
) -> SqlResult<()> {
    connection.run(
        "UPDATE conversations SET last = ?2, last_at = ?3 WHERE conversation = ?1 AND last < ?2",
        values![conversation.0, number(seq.0), number(at.as_millis())],
    )
}

pub(crate) fn messaged(
    pending: &mut Pending<'_>,
    seq: Seq,
    at: Time,
    message: &Message,
) -> SqlResult<()> {
    queue(pending.connection, seq, message.conversation, message.id)?;
    entry(pending, message.conversation, seq, at, MESSAGE)
}

pub(crate) fn handed(
    connection: &dyn Sql,
    conversation: ConversationId,
    opened: Seq,
) -> SqlResult<()> {
    connection.run(
        "DELETE FROM queued WHERE seq = ?1",
        values![number(opened.0)],
    )?;
    turn(connection, conversation, true)
}

/// A message that was handed over waits again.
pub(crate) fn returned(
    connection: &dyn Sql,
    (message, conversation): (MessageId, ConversationId),
    opened: Seq,
) -> SqlResult<()> {
    queue(connection, opened, conversation, message)?;
    turn(connection, conversation, false)
}

fn queue(
    connection: &dyn Sql,
    seq: Seq,
    conversation: ConversationId,
    message: MessageId,
) -> SqlResult<()> {
    connection.run(
        "INSERT INTO queued (seq, conversation, message) VALUES (?1, ?2, ?3)
         ON CONFLICT (seq) DO UPDATE SET conversation = ?2, message = ?3",
        values![number(seq.0), conversation.0, message.bytes().as_slice()],
    )
}

/// Takes a message that waited out of its conversation, as if it had never been said.
pub(crate) fn removed(
    connection: &dyn Sql,
    conversation: ConversationId,
    opened: Seq,
) -> SqlResult<()> {
    let opened = number(opened.0);
    connection.run("DELETE FROM queued WHERE seq = ?1", values![opened])?;
    connection.run(
        "DELETE FROM entries WHERE conversation = ?1 AND seq = ?2",
        values![conversation.0, opened],
    )?;
    latest_again(connection, i64::from(conversation.0), opened)
}

/// Finds the latest entry of a conversation anew, after the one that stood here went.
fn latest_again(connection: &dyn Sql, conversation: i64, gone: i64) -> SqlResult<()> {
    connection.run(
        "UPDATE conversations SET (last, last_at) = (
             SELECT seq, at FROM (
                 SELECT seq, at FROM entries WHERE conversation = conversations.conversation
                 UNION ALL SELECT began, began_at
             ) AS left_over ORDER BY seq DESC LIMIT 1)
         WHERE conversation = ?1 AND last = ?2",
        values![conversation, gone],
    )
}

pub(crate) fn turn(
    connection: &dyn Sql,
    conversation: ConversationId,
    running: bool,
) -> SqlResult<()> {
    connection.run(
        "UPDATE conversations SET running = ?2 WHERE conversation = ?1 AND running <> ?2",
        values![conversation.0, running],
    )
}

/// In another life of the state nobody knows what agents were given since: nothing is given twice.
pub(crate) fn epoch_began(connection: &dyn Sql) -> SqlResult<()> {
    connection.run("DELETE FROM queued", values![])?;
    connection.run(
        "UPDATE conversations SET running = 0 WHERE running = 1",
        values![],
    )
}

/// Takes an erased ask out of its conversation, as if it had never been read.
pub(crate) fn erased(connection: &dyn Sql, opened: Seq) -> SqlResult<()> {
    let opened = number(opened.0);
    connection.run(
        "DELETE FROM entries WHERE seq = ?1
         AND conversation = (SELECT conversation FROM asks WHERE opened = ?1)",
        values![opened],
    )?;
    let conversation: Option<Option<i64>> = connection.first(
        "SELECT conversation FROM asks WHERE opened = ?1",
        values![opened],
        |row| row.get(0),
    )?;
    match conversation.flatten() {
        Some(conversation) => latest_again(connection, conversation, opened),
        None => Ok(()),
    }
}

/// A part of a conversation.
pub fn entries(view: &dyn Sql, query: EntryQuery) -> SqlResult<EntryPage> {
    let limit = query.limit.clamp(1, limits::PAGE_ROWS_MAX);
    let (condition, place) = match query.from {
        EntryFrom::After(after) => ("e.seq > ?2 ORDER BY e.seq", after),
        EntryFrom::Before(before) => ("e.seq < ?2 ORDER BY e.seq DESC", before),
    };
    let sql = format!(
        "SELECT e.seq, e.kind, a.ask, q.seq IS NOT NULL FROM entries e
         LEFT JOIN asks a ON e.kind = {ASK} AND a.opened = e.seq
         LEFT JOIN queued q ON e.kind = {MESSAGE} AND q.seq = e.seq
         WHERE e.conversation = ?1 AND {condition} LIMIT ?3"
    );
    let values = values![
        query.conversation.0,
        number(place.0),
        number(limit as u64 + 1)
    ];
    let as_of = progress::as_of(view, ViewStage::Rows)?;
    let mut rows = view.all(&sql, values, entry_row)?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    if matches!(query.from, EntryFrom::Before(_)) {
        rows.reverse();
    }
    Ok(EntryPage { rows, more, as_of })
}

/// What was said and can be erased.
pub fn said(view: &dyn Sql, query: &SaidQuery) -> SqlResult<Vec<SaidRow>> {
    // The index that leads the walk is in the order of the page.
    let (lead, order) = if query.conversation.is_some() {
        ("e.conversation = ?1 AND e.seq > ?2", "e.seq")
    } else {
        ("(e.at, e.seq) > (?1, ?2)", "e.at, e.seq")
    };
    let sql = format!(
        "SELECT e.conversation, e.seq, e.at FROM entries e
         WHERE {lead} AND e.at < ?3 AND e.kind <> {ASK}
         AND NOT EXISTS (SELECT 1 FROM queued q WHERE q.seq = e.seq)
         ORDER BY {order} LIMIT ?4"
    );
    let after = query.after.map_or((-1, -1), |row| {
        (number(row.at.as_millis()), number(row.seq.0))
    });
    let values = values![
        query.conversation.map_or(after.0, |id| id.0.into()),
        after.1,
        query.before.map_or(i64::MAX, |at| number(at.as_millis())),
        number(query.limit as u64),
    ];
    view.all(&sql, values, |row| {
        Ok(SaidRow {
            conversation: ConversationId(row.get(0)?),
            seq: seq(row, 1)?,
            at: moment(row, 2)?,
        })
    })
}

/// Conversations of which nothing is left.
pub fn empty_conversations(view: &dyn Sql) -> SqlResult<Vec<ConversationId>> {
    let sql = "SELECT conversation FROM conversations WHERE last = began";
    view.all(sql, values![], |row| row.get(0).map(ConversationId))
}

/// A page of conversations.
pub fn conversations(view: &dyn Sql, query: &ConversationQuery) -> SqlResult<ConversationPage> {
    let limit = query.limit.clamp(1, limits::PAGE_ROWS_MAX);
    let before = query.before.map_or(i64::MAX, |seq| number(seq.0));
    let of_agent = if query.agent.is_some() {
        "agent = ?1 AND"
    } else {
        "?1 = 0 AND"
    };
    let sql = format!(
        "SELECT conversation, last, last_at FROM conversations
         WHERE {of_agent} last < ?2 ORDER BY last DESC LIMIT ?3"
    );
    let values = values![
        query.agent.map_or(0, |agent| agent.0),
        before,
        number(limit as u64 + 1)
    ];
    let as_of = progress::as_of(view, ViewStage::Rows)?;
    let mut rows = view.all(&sql, values, |row| {
        Ok(ConversationRow {
            conversation: ConversationId(row.get(0)?),
            last: seq(row, 1)?,
            at: moment(row, 2)?,
        })
    })?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    Ok(ConversationPage { rows, more, as_of })
}

fn entry_row(row: &dyn SqlRow) -> SqlResult<EntryRow> {
    let what = match row.get::<i64>(1)? {
        MESSAGE if row.get(3)? => EntryWhat::Message(MessageState::Queued),
        MESSAGE => EntryWhat::Message(MessageState::Sent),
        SAID => EntryWhat::Said,
        NOTE => EntryWhat::Note,
        ASK => EntryWhat::Ask(ask_id(row, 2)?),
        _ => EntryWhat::TurnEnded,
    };
    Ok(EntryRow {
        seq: seq(row, 0)?,
        what,
    })
}

/// Tells what waits and which turns run; of what waits, the first up to a bound.
pub(crate) fn recover(
    view: &dyn Sql,
    take: &mut (dyn FnMut(SnapshotPart) + Send),
) -> SqlResult<()> {
    let sql = "SELECT message, conversation, seq FROM queued ORDER BY seq LIMIT ?1";
    let most = number(limits::QUEUED_MAX as u64);
    view.rows(sql, values![most], &mut |row| {
        take(SnapshotPart::Queued(QueuedEntry {
            message: MessageId::from_bytes(row.get(0)?),
            conversation: ConversationId(row.get(1)?),
            seq: seq(row, 2)?,
        }));
        Ok(true)
    })?;
    let sql = "SELECT conversation FROM conversations INDEXED BY conversations_running
         WHERE running = 1 ORDER BY conversation";
    view.rows(sql, values![], &mut |row| {
        take(SnapshotPart::Running(ConversationId(row.get(0)?)));
        Ok(true)
    })
}
