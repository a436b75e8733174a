//! What a start needs, told from the projections: identities, open asks, outcomes still owed.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, Epoch, PersonName,
    Place, TokenId, TokenName,
};
use sayso_core::limits::{OWED_PER_AGENT_MAX, PREFILLS_MAX};
use sayso_core::role::{Role, Token};
use sayso_core::state::{OpenEntry, OwedEntry, SnapshotPart};
use sayso_core::time::Time;
use sayso_store::StoreError;

use super::lookup::{maybe_seq, maybe_unsigned, seq, unsigned};
use super::{Views, word};
use crate::journal::number;

/// What the projections know about the end of the journal.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) epoch: Option<Epoch>,
    pub(crate) last_ask: Option<AskId>,
}

impl Views {
    /// Tells everything that must be in memory.
    pub(crate) fn recover(
        &self,
        take: &mut (dyn FnMut(SnapshotPart) + Send),
    ) -> Result<Known, StoreError> {
        self.read(|connection| {
            // One view of everything, whatever is projected meanwhile.
            let view = connection.unchecked_transaction()?;
            tokens(&view, take)?;
            agents(&view, take)?;
            conversations(&view, take)?;
            open(&view, take)?;
            owed(&view, take)?;
            late(&view, take)?;
            super::chat::recover(&view, take)?;
            super::rules::recover(&view, take)?;
            known(&view)
        })
    }
}

fn bad(at: usize, error: impl std::error::Error + Send + Sync + 'static) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(error))
}

fn tokens(view: &Connection, take: &mut (dyn FnMut(SnapshotPart) + Send)) -> rusqlite::Result<()> {
    let mut statement =
        view.prepare("SELECT token, name, role, person, hash, made_at, goes_with FROM tokens WHERE revoked = 0 ORDER BY token")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let role = match (row.get::<_, i64>(2)?, row.get::<_, Option<String>>(3)?) {
            (1, Some(person)) => Role::Person(PersonName::stored(person).map_err(|e| bad(3, e))?),
            (2, _) => Role::Admin,
            _ => Role::Agent,
        };
        take(SnapshotPart::Token(Token {
            id: TokenId(row.get(0)?),
            name: TokenName::stored(row.get::<_, String>(1)?).map_err(|e| bad(1, e))?,
            role,
            hash: row.get(4)?,
            made_at: Time::from_millis(unsigned(row, 5)?),
            with: row.get::<_, Option<u32>>(6)?.map(TokenId),
        }));
    }
    let last: Option<u32> =
        view.query_row("SELECT max(token) FROM tokens", [], |row| row.get(0))?;
    if let Some(last) = last {
        take(SnapshotPart::LastToken(TokenId(last)));
    }
    Ok(())
}

fn agents(view: &Connection, take: &mut (dyn FnMut(SnapshotPart) + Send)) -> rusqlite::Result<()> {
    let mut statement =
        view.prepare("SELECT agent, token, name, dialect FROM agents ORDER BY agent")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(SnapshotPart::Agent(Agent {
            id: AgentId(row.get(0)?),
            token: TokenId(row.get(1)?),
            name: AgentName::stored(row.get::<_, String>(2)?).map_err(|e| bad(2, e))?,
            dialect: DialectName::stored(row.get::<_, String>(3)?).map_err(|e| bad(3, e))?,
            beside: None,
        }));
    }
    Ok(())
}

fn conversations(
    view: &Connection,
    take: &mut (dyn FnMut(SnapshotPart) + Send),
) -> rusqlite::Result<()> {
    let mut statement =
        view.prepare("SELECT conversation, agent, name FROM conversations ORDER BY conversation")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(SnapshotPart::Conversation(Conversation {
            id: ConversationId(row.get(0)?),
            agent: AgentId(row.get(1)?),
            name: ConversationName::stored(row.get::<_, String>(2)?).map_err(|e| bad(2, e))?,
        }));
    }
    Ok(())
}

fn open(view: &Connection, take: &mut (dyn FnMut(SnapshotPart) + Send)) -> rusqlite::Result<()> {
    let mut statement = view.prepare(
        "SELECT ask, opened, deadline, agent, conversation, matter, key_a, key_b FROM asks INDEXED BY asks_open
         WHERE closed IS NULL AND void = 0 ORDER BY ask",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let key = |at| {
            row.get::<_, Option<i64>>(at)
                .map(|key| key.map(i64::cast_unsigned))
        };
        take(SnapshotPart::Open(OpenEntry {
            ask: AskId::from_bytes(row.get(0)?),
            opened: seq(row, 1)?,
            deadline: maybe_unsigned(row, 2)?.map(Time::from_millis),
            agent: AgentId(row.get(3)?),
            conversation: row.get::<_, Option<u32>>(4)?.map(ConversationId),
            matter: word::matter_from(row.get(5)?),
            keys: [key(6)?, key(7)?],
        }));
    }
    Ok(())
}

/// Outcomes that are owed, oldest first; of each agent the newest up to a bound.
fn owed(view: &Connection, take: &mut (dyn FnMut(SnapshotPart) + Send)) -> rusqlite::Result<()> {
    let mut too_many = HashMap::<u32, u64>::new();
    let mut statement = view.prepare(
        "SELECT agent, count(*) FROM asks INDEXED BY asks_owed
         WHERE closed IS NOT NULL AND delivery < 2 AND void = 0 GROUP BY agent HAVING count(*) > ?1",
    )?;
    let mut rows = statement.query([number(OWED_PER_AGENT_MAX as u64)])?;
    while let Some(row) = rows.next()? {
        too_many.insert(row.get(0)?, unsigned(row, 1)? - OWED_PER_AGENT_MAX as u64);
    }
    let mut statement = view.prepare(
        "SELECT ask, agent, opened, closed, outcome, late, delivery, closed_at FROM asks INDEXED BY asks_owed
         WHERE closed IS NOT NULL AND delivery < 2 AND void = 0 ORDER BY closed_at",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let agent: u32 = row.get(1)?;
        if let Some(skip) = too_many.get_mut(&agent).filter(|skip| **skip > 0) {
            *skip -= 1;
            continue;
        }
        take(SnapshotPart::Owed(OwedEntry {
            ask: AskId::from_bytes(row.get(0)?),
            agent: AgentId(agent),
            opened: seq(row, 2)?,
            closed: seq(row, 3)?,
            how: word::outcome_from(row.get(4)?),
            late: maybe_seq(row, 5)?,
            delivery: word::delivery_from(row.get(6)?),
            closed_at: Time::from_millis(unsigned(row, 7)?),
        }));
    }
    Ok(())
}

/// Questions with a late answer, the newest ones up to a bound, the oldest of them first.
fn late(view: &Connection, take: &mut (dyn FnMut(SnapshotPart) + Send)) -> rusqlite::Result<()> {
    let mut statement = view.prepare(
        "SELECT opened, closed, late FROM asks INDEXED BY asks_late
         WHERE late IS NOT NULL AND shape IS NOT NULL AND void = 0 ORDER BY late DESC LIMIT ?1",
    )?;
    let places = statement
        .query_map([number(PREFILLS_MAX as u64)], |row| {
            Ok(Place {
                opened: seq(row, 0)?,
                closed: maybe_seq(row, 1)?,
                late: maybe_seq(row, 2)?,
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for place in places.into_iter().rev() {
        take(SnapshotPart::Late(place));
    }
    Ok(())
}

fn known(view: &Connection) -> rusqlite::Result<Known> {
    let epoch = view
        .query_row(
            "SELECT epoch FROM epoch ORDER BY seq DESC LIMIT 1",
            [],
            |row| row.get(0),
        )
        .optional()?
        .map(|bytes| Epoch(uuid::Uuid::from_bytes(bytes)));
    let last_ask = view
        .query_row(
            "SELECT ask FROM asks ORDER BY ask DESC LIMIT 1",
            [],
            |row| row.get(0),
        )
        .optional()?
        .map(AskId::from_bytes);
    Ok(Known { epoch, last_ask })
}
