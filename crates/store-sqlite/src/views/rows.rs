//! The first stage: one event of the journal becomes rows that lists and starts are read from.
//!
//! What this makes depends on the journal alone, so that a rebuilt file equals the one before.
//! The text of an erased ask is gone from the journal; what its `Erased` event says is all that
//! is kept of it, whether the event is met live or in a rebuild.

use rusqlite::Connection;
use sayso_core::agent::Conversation;
use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;

use super::pending::Pending;
use super::{asks, chat, rules, shown};
use crate::journal::number;

/// Applies one event.
pub(super) fn apply(
    pending: &mut Pending<'_>,
    seq: Seq,
    at: Time,
    event: &Event,
) -> rusqlite::Result<()> {
    let connection = pending.connection;
    match event {
        Event::EpochBegan(epoch) => {
            pending.write()?;
            void_all(connection, seq, epoch.0.as_bytes())
        }
        Event::TokenMade(token) => token_made(connection, token),
        Event::TokenRevoked(token) => run(
            connection,
            "UPDATE tokens SET revoked = 1 WHERE token = ?1",
            [token.0],
        ),
        Event::AgentMet(agent) => {
            pending.agents.remove(&agent.id);
            run(
                connection,
                "INSERT OR REPLACE INTO agents (agent, token, name, dialect) VALUES (?1, ?2, ?3, ?4)",
                (
                    agent.id.0,
                    agent.token.0,
                    agent.name.as_str(),
                    agent.dialect.as_str(),
                ),
            )
        }
        Event::ConversationBegan(conversation) => {
            conversation_began(connection, seq, at, conversation)
        }
        Event::Asked(ask) => {
            asks::asked(pending, seq, ask)?;
            ask.conversation.map_or(Ok(()), |conversation| {
                chat::entry(pending, conversation, seq, at, chat::ASK)
            })
        }
        Event::Closed {
            opened, closing, ..
        } => asks::closed(pending, seq, *opened, closing),
        Event::AnsweredLate { opened, .. } => {
            pending.write()?;
            run(
                connection,
                "UPDATE asks SET late = ?2 WHERE opened = ?1 AND erased = 0",
                (number(opened.0), number(seq.0)),
            )
        }
        Event::Delivered(marks) => marks
            .iter()
            .try_for_each(|mark| asks::delivered(pending, seq, mark)),
        Event::Shown(marks) => marks
            .iter()
            .try_for_each(|mark| shown::shown(pending, seq, mark)),
        Event::Erased { ask, place } => {
            pending.write()?;
            shown::erased(connection, place.opened)?;
            chat::erased(connection, place.opened)?;
            asks::erased(connection, *ask, place)
        }
        Event::Cleared {
            conversation,
            places,
        } => {
            pending.write()?;
            places
                .iter()
                .try_for_each(|place| chat::removed(connection, *conversation, *place))
        }
        Event::Messaged(message) => chat::messaged(pending, seq, at, message),
        Event::Handed {
            conversation,
            opened,
            ..
        } => chat::handed(connection, *conversation, *opened),
        Event::Removed {
            conversation,
            opened,
            ..
        } => {
            pending.write()?;
            chat::removed(connection, *conversation, *opened)
        }
        Event::Said(said) => {
            chat::turn(connection, said.conversation, true)?;
            chat::entry(pending, said.conversation, seq, at, chat::SAID)
        }
        Event::Noted(note) => chat::entry(pending, note.conversation, seq, at, chat::NOTE),
        Event::TurnEnded { conversation, .. } => {
            chat::turn(connection, *conversation, false)?;
            chat::entry(pending, *conversation, seq, at, chat::TURN_ENDED)
        }
        Event::RuleMade(rule) => rules::made(connection, seq, rule.id, event),
        Event::RuleRevoked { rule, .. } => rules::revoked(connection, *rule),
    }
}

/// Another life of the state begins: what was open or on its way is void.
pub(super) fn void_all(
    connection: &Connection,
    seq: Seq,
    epoch: &[u8; 16],
) -> rusqlite::Result<()> {
    run(
        connection,
        "INSERT OR REPLACE INTO epoch (seq, epoch) VALUES (?1, ?2)",
        (number(seq.0), epoch.as_slice()),
    )?;
    run(
        connection,
        "UPDATE asks SET void = 1 WHERE closed IS NULL AND void = 0",
        (),
    )?;
    run(
        connection,
        "UPDATE asks SET void = 1 WHERE closed IS NOT NULL AND delivery < 2 AND void = 0",
        (),
    )?;
    chat::epoch_began(connection)
}

pub(super) fn run(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute(values).map(|_| ())
}

fn conversation_began(
    connection: &Connection,
    seq: Seq,
    at: Time,
    conversation: &Conversation,
) -> rusqlite::Result<()> {
    run(
        connection,
        "INSERT OR REPLACE INTO conversations (conversation, agent, name, began, began_at, last, last_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?5)",
        (
            conversation.id.0,
            conversation.agent.0,
            conversation.name.as_str(),
            number(seq.0),
            number(at.as_millis()),
        ),
    )
}

fn token_made(connection: &Connection, token: &Token) -> rusqlite::Result<()> {
    let (role, person) = match &token.role {
        Role::Agent => (0, None),
        Role::Person(person) => (1, Some(person.as_str())),
        Role::Admin => (2, None),
    };
    run(
        connection,
        "INSERT OR REPLACE INTO tokens (token, name, role, person, hash, made_at, goes_with) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        (
            token.id.0,
            token.name.as_str(),
            role,
            person,
            token.hash.as_slice(),
            number(token.made_at.as_millis()),
            token.with.map(|with| with.0),
        ),
    )
}
