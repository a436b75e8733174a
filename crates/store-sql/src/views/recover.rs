//! What a start needs, told from the projections: identities, open asks, outcomes still owed.

use std::collections::HashMap;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, Epoch, PersonName,
    TokenId, TokenName,
};
use sayso_core::limits::{OWED_PER_AGENT_MAX, PREFILLS_MAX};
use sayso_core::role::{Role, Token};
use sayso_core::state::{OpenEntry, OwedEntry, SnapshotPart};

use super::{chat, lookup, rules, word};
use crate::sql::{Sql, SqlError, SqlResult, ask_id, maybe_moment, maybe_seq, moment, number, seq};
use crate::values;

/// What the projections know about the end of the journal.
#[derive(Debug)]
pub struct Known {
    /// Which life of the state this is.
    pub epoch: Option<Epoch>,
    /// The newest ask id ever given.
    pub last_ask: Option<AskId>,
}

/// Takes what must be in memory.
type Take<'a> = &'a mut (dyn FnMut(SnapshotPart) + Send);

/// Tells everything that must be in memory, from one view of the projections.
pub fn recover(view: &dyn Sql, take: Take<'_>) -> SqlResult<Known> {
    tokens(view, take)?;
    agents(view, take)?;
    conversations(view, take)?;
    open(view, take)?;
    owed(view, take)?;
    late(view, take)?;
    chat::recover(view, take)?;
    rules::recover(view, take)?;
    known(view)
}

fn tokens(view: &dyn Sql, take: Take<'_>) -> SqlResult<()> {
    let sql = "SELECT token, name, role, person, hash, made_at, goes_with FROM tokens WHERE revoked = 0 ORDER BY token";
    view.rows(sql, values![], &mut |row| {
        let role = match (row.get::<i64>(2)?, row.get::<Option<String>>(3)?) {
            (1, Some(person)) => {
                Role::Person(PersonName::stored(person).map_err(SqlError::damaged)?)
            }
            (2, _) => Role::Admin,
            _ => Role::Agent,
        };
        take(SnapshotPart::Token(Token {
            id: TokenId(row.get(0)?),
            name: TokenName::stored(row.get::<String>(1)?).map_err(SqlError::damaged)?,
            role,
            hash: row.get(4)?,
            made_at: moment(row, 5)?,
            with: row.get::<Option<u32>>(6)?.map(TokenId),
        }));
        Ok(true)
    })?;
    let last = view.first("SELECT max(token) FROM tokens", values![], |row| {
        row.get::<Option<u32>>(0)
    })?;
    if let Some(last) = last.flatten() {
        take(SnapshotPart::LastToken(TokenId(last)));
    }
    Ok(())
}

fn agents(view: &dyn Sql, take: Take<'_>) -> SqlResult<()> {
    let sql = "SELECT agent, token, name, dialect FROM agents ORDER BY agent";
    view.rows(sql, values![], &mut |row| {
        take(SnapshotPart::Agent(Agent {
            id: AgentId(row.get(0)?),
            token: TokenId(row.get(1)?),
            name: AgentName::stored(row.get::<String>(2)?).map_err(SqlError::damaged)?,
            dialect: DialectName::stored(row.get::<String>(3)?).map_err(SqlError::damaged)?,
            beside: None,
        }));
        Ok(true)
    })
}

fn conversations(view: &dyn Sql, take: Take<'_>) -> SqlResult<()> {
    let sql = "SELECT conversation, agent, name FROM conversations ORDER BY conversation";
    view.rows(sql, values![], &mut |row| {
        take(SnapshotPart::Conversation(Conversation {
            id: ConversationId(row.get(0)?),
            agent: AgentId(row.get(1)?),
            name: ConversationName::stored(row.get::<String>(2)?).map_err(SqlError::damaged)?,
        }));
        Ok(true)
    })
}

fn open(view: &dyn Sql, take: Take<'_>) -> SqlResult<()> {
    let sql = "SELECT ask, opened, deadline, agent, conversation, matter, key_a, key_b FROM asks INDEXED BY asks_open
         WHERE closed IS NULL AND void = 0 ORDER BY ask";
    view.rows(sql, values![], &mut |row| {
        let key = |at| Ok(row.get::<Option<i64>>(at)?.map(i64::cast_unsigned));
        take(SnapshotPart::Open(OpenEntry {
            ask: ask_id(row, 0)?,
            opened: seq(row, 1)?,
            deadline: maybe_moment(row, 2)?,
            agent: AgentId(row.get(3)?),
            conversation: row.get::<Option<u32>>(4)?.map(ConversationId),
            matter: word::matter_from(row.get(5)?),
            keys: [key(6)?, key(7)?],
        }));
        Ok(true)
    })
}

/// Outcomes that are owed, oldest first; of each agent the newest up to a bound.
fn owed(view: &dyn Sql, take: Take<'_>) -> SqlResult<()> {
    let most = OWED_PER_AGENT_MAX as u64;
    let too_many = view.all(
        "SELECT agent, count(*) FROM asks INDEXED BY asks_owed
         WHERE closed IS NOT NULL AND delivery < 2 AND void = 0 GROUP BY agent HAVING count(*) > ?1",
        values![number(most)],
        |row| Ok((row.get::<u32>(0)?, row.get::<u64>(1)? - most)),
    )?;
    let mut too_many: HashMap<u32, u64> = too_many.into_iter().collect();
    let sql = "SELECT ask, agent, opened, closed, outcome, late, delivery, closed_at FROM asks INDEXED BY asks_owed
         WHERE closed IS NOT NULL AND delivery < 2 AND void = 0 ORDER BY closed_at";
    view.rows(sql, values![], &mut |row| {
        let agent: u32 = row.get(1)?;
        if let Some(skip) = too_many.get_mut(&agent).filter(|skip| **skip > 0) {
            *skip -= 1;
            return Ok(true);
        }
        take(SnapshotPart::Owed(OwedEntry {
            ask: ask_id(row, 0)?,
            agent: AgentId(agent),
            opened: seq(row, 2)?,
            closed: seq(row, 3)?,
            how: word::outcome_from(row.get(4)?),
            late: maybe_seq(row, 5)?,
            delivery: word::delivery_from(row.get(6)?),
            closed_at: moment(row, 7)?,
        }));
        Ok(true)
    })
}

/// Questions with a late answer, the newest ones up to a bound, the oldest of them first.
fn late(view: &dyn Sql, take: Take<'_>) -> SqlResult<()> {
    let places = view.all(
        "SELECT opened, closed, late FROM asks INDEXED BY asks_late
         WHERE late IS NOT NULL AND shape IS NOT NULL AND void = 0 ORDER BY late DESC LIMIT ?1",
        values![number(PREFILLS_MAX as u64)],
        lookup::place,
    )?;
    for place in places.into_iter().rev() {
        take(SnapshotPart::Late(place));
    }
    Ok(())
}

fn known(view: &dyn Sql) -> SqlResult<Known> {
    let sql = "SELECT epoch FROM epoch ORDER BY seq DESC LIMIT 1";
    let epoch = view.first(sql, values![], |row| row.get(0))?;
    let sql = "SELECT ask FROM asks ORDER BY ask DESC LIMIT 1";
    Ok(Known {
        epoch: epoch.map(|bytes| Epoch(uuid::Uuid::from_bytes(bytes))),
        last_ask: view.first(sql, values![], |row| ask_id(row, 0))?,
    })
}
