//! Conversations in the projections: what stands in each, what waits, and whose turn runs.

use rusqlite::{Connection, OptionalExtension as _, Row};
use sayso_core::entry::{Message, MessageState};
use sayso_core::id::{AskId, ConversationId, MessageId, Seq};
use sayso_core::limits;
use sayso_core::state::{QueuedEntry, SnapshotPart};
use sayso_core::time::Time;
use sayso_store::{
    ConversationPage, ConversationQuery, ConversationRow, EntryFrom, EntryPage, EntryQuery,
    EntryRow, EntryWhat, SaidQuery, SaidRow, StoreError,
};

use super::Views;
use super::lookup::{seq, unsigned};
use super::pending::Pending;
use super::rows::run;
use crate::journal::number;

const MESSAGE: i64 = 0;
pub(super) const SAID: i64 = 1;
pub(super) const NOTE: i64 = 2;
pub(super) const ASK: i64 = 3;
pub(super) const TURN_ENDED: i64 = 4;

/// Puts something into a conversation.
pub(super) fn entry(
    pending: &mut Pending<'_>,
    conversation: ConversationId,
    seq: Seq,
    at: Time,
    kind: i64,
) -> rusqlite::Result<()> {
    pending.latest.insert(conversation, (seq, at));
    run(
        pending.connection,
        "INSERT OR REPLACE INTO entries (conversation, seq, kind, at) VALUES (?1, ?2, ?3, ?4)",
        (conversation.0, number(seq.0), kind, number(at.as_millis())),
    )
}

/// Says which entry of a conversation is its latest.
pub(super) fn latest(
    connection: &Connection,
    conversation: ConversationId,
    seq: Seq,
    at: Time,
) -> rusqlite::Result<()> {
    run(
        connection,
        "UPDATE conversations SET last = ?2, last_at = ?3 WHERE conversation = ?1 AND last < ?2",
        (conversation.0, number(seq.0), number(at.as_millis())),
    )
}

pub(super) fn messaged(
    pending: &mut Pending<'_>,
    seq: Seq,
    at: Time,
    message: &Message,
) -> rusqlite::Result<()> {
    run(
        pending.connection,
        "INSERT OR REPLACE INTO queued (seq, conversation, message) VALUES (?1, ?2, ?3)",
        (
            number(seq.0),
            message.conversation.0,
            message.id.bytes().as_slice(),
        ),
    )?;
    entry(pending, message.conversation, seq, at, MESSAGE)
}

pub(super) fn handed(
    connection: &Connection,
    conversation: ConversationId,
    opened: Seq,
) -> rusqlite::Result<()> {
    run(
        connection,
        "DELETE FROM queued WHERE seq = ?1",
        [number(opened.0)],
    )?;
    turn(connection, conversation, true)
}

/// Takes a message that waited out of its conversation, as if it had never been said.
pub(super) fn removed(
    connection: &Connection,
    conversation: ConversationId,
    opened: Seq,
) -> rusqlite::Result<()> {
    let opened = number(opened.0);
    run(connection, "DELETE FROM queued WHERE seq = ?1", [opened])?;
    run(
        connection,
        "DELETE FROM entries WHERE conversation = ?1 AND seq = ?2",
        (conversation.0, opened),
    )?;
    latest_again(connection, i64::from(conversation.0), opened)
}

/// Finds the latest entry of a conversation anew, after the one that stood here went.
fn latest_again(connection: &Connection, conversation: i64, gone: i64) -> rusqlite::Result<()> {
    run(
        connection,
        "UPDATE conversations SET (last, last_at) = (
             SELECT seq, at FROM (
                 SELECT seq, at FROM entries WHERE conversation = conversations.conversation
                 UNION ALL SELECT began, began_at
             ) ORDER BY seq DESC LIMIT 1)
         WHERE conversation = ?1 AND last = ?2",
        (conversation, gone),
    )
}

pub(super) fn turn(
    connection: &Connection,
    conversation: ConversationId,
    running: bool,
) -> rusqlite::Result<()> {
    run(
        connection,
        "UPDATE conversations SET running = ?2 WHERE conversation = ?1 AND running <> ?2",
        (conversation.0, running),
    )
}

/// In another life of the state nobody knows what agents were given since: nothing is given twice.
pub(super) fn epoch_began(connection: &Connection) -> rusqlite::Result<()> {
    run(connection, "DELETE FROM queued", ())?;
    run(
        connection,
        "UPDATE conversations SET running = 0 WHERE running = 1",
        (),
    )
}

/// Takes an erased ask out of its conversation, as if it had never been read.
pub(super) fn erased(connection: &Connection, opened: Seq) -> rusqlite::Result<()> {
    let opened = number(opened.0);
    run(
        connection,
        "DELETE FROM entries WHERE seq = ?1
         AND conversation = (SELECT conversation FROM asks WHERE opened = ?1)",
        [opened],
    )?;
    let conversation: Option<Option<i64>> = connection
        .prepare_cached("SELECT conversation FROM asks WHERE opened = ?1")?
        .query_row([opened], |row| row.get(0))
        .optional()?;
    match conversation.flatten() {
        Some(conversation) => latest_again(connection, conversation, opened),
        None => Ok(()),
    }
}

impl Views {
    /// A part of a conversation.
    pub(crate) fn entries(&self, query: EntryQuery) -> Result<EntryPage, StoreError> {
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
        let (mut rows, as_of) = self.read_as_of("rows", |view| {
            view.prepare_cached(&sql)?
                .query_map(
                    (
                        query.conversation.0,
                        number(place.0),
                        number(limit as u64 + 1),
                    ),
                    entry_row,
                )?
                .collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        if matches!(query.from, EntryFrom::Before(_)) {
            rows.reverse();
        }
        Ok(EntryPage { rows, more, as_of })
    }

    /// What was said and can be erased.
    pub(crate) fn said(&self, query: &SaidQuery) -> Result<Vec<SaidRow>, StoreError> {
        // The index that leads the walk is in the order of the page.
        let (lead, order) = if query.conversation.is_some() {
            ("e.conversation = ?1 AND e.seq > ?3", "e.seq")
        } else {
            ("?1 = 0 AND (e.at, e.seq) > (?2, ?3)", "e.at, e.seq")
        };
        let sql = format!(
            "SELECT e.conversation, e.seq, e.at FROM entries e
             WHERE {lead} AND e.at < ?4 AND e.kind <> {ASK}
             AND NOT EXISTS (SELECT 1 FROM queued q WHERE q.seq = e.seq)
             ORDER BY {order} LIMIT ?5"
        );
        let after = query.after.map_or((-1, -1), |row| {
            (number(row.at.as_millis()), number(row.seq.0))
        });
        self.read(|connection| {
            connection
                .prepare_cached(&sql)?
                .query_map(
                    (
                        query.conversation.map_or(0, |id| id.0),
                        after.0,
                        after.1,
                        query.before.map_or(i64::MAX, |at| number(at.as_millis())),
                        number(query.limit as u64),
                    ),
                    |row| {
                        Ok(SaidRow {
                            conversation: ConversationId(row.get(0)?),
                            seq: seq(row, 1)?,
                            at: Time::from_millis(unsigned(row, 2)?),
                        })
                    },
                )?
                .collect()
        })
    }

    /// Conversations of which nothing is left.
    pub(crate) fn empty_conversations(&self) -> Result<Vec<ConversationId>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached("SELECT conversation FROM conversations WHERE last = began")?
                .query_map([], |row| row.get(0).map(ConversationId))?
                .collect()
        })
    }

    /// A page of conversations.
    pub(crate) fn conversations(
        &self,
        query: &ConversationQuery,
    ) -> Result<ConversationPage, StoreError> {
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
        let (mut rows, as_of) = self.read_as_of("rows", |view| {
            view.prepare_cached(&sql)?
                .query_map(
                    (
                        query.agent.map_or(0, |agent| agent.0),
                        before,
                        number(limit as u64 + 1),
                    ),
                    |row| {
                        Ok(ConversationRow {
                            conversation: ConversationId(row.get(0)?),
                            last: seq(row, 1)?,
                            at: Time::from_millis(unsigned(row, 2)?),
                        })
                    },
                )?
                .collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        Ok(ConversationPage { rows, more, as_of })
    }
}

fn entry_row(row: &Row<'_>) -> rusqlite::Result<EntryRow> {
    let what = match row.get::<_, i64>(1)? {
        MESSAGE if row.get(3)? => EntryWhat::Message(MessageState::Queued),
        MESSAGE => EntryWhat::Message(MessageState::Sent),
        SAID => EntryWhat::Said,
        NOTE => EntryWhat::Note,
        ASK => EntryWhat::Ask(AskId::from_bytes(row.get(2)?)),
        _ => EntryWhat::TurnEnded,
    };
    Ok(EntryRow {
        seq: seq(row, 0)?,
        what,
    })
}

/// Tells what waits and which turns run; of what waits, the first up to a bound.
pub(super) fn recover(
    view: &Connection,
    take: &mut (dyn FnMut(SnapshotPart) + Send),
) -> rusqlite::Result<()> {
    let mut statement =
        view.prepare("SELECT message, conversation, seq FROM queued ORDER BY seq LIMIT ?1")?;
    let mut rows = statement.query([number(limits::QUEUED_MAX as u64)])?;
    while let Some(row) = rows.next()? {
        take(SnapshotPart::Queued(QueuedEntry {
            message: MessageId::from_bytes(row.get(0)?),
            conversation: ConversationId(row.get(1)?),
            seq: seq(row, 2)?,
        }));
    }
    let mut statement = view.prepare(
        "SELECT conversation FROM conversations INDEXED BY conversations_running
         WHERE running = 1 ORDER BY conversation",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(SnapshotPart::Running(ConversationId(row.get(0)?)));
    }
    Ok(())
}
