//! The first stage: one event of the journal becomes rows that lists and starts are read from.
//!
//! What this makes depends on the journal alone, so that a rebuilt file equals the one before.
//! The text of an erased ask is gone from the journal; what its `Erased` event says is all that
//! is kept of it, whether the event is met live or in a rebuild.

use sayso_core::agent::Conversation;
use sayso_core::id::Seq;
use sayso_core::journal::Event;
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;

use super::pending::Pending;
use super::{asks, chat, rules, shown};
use crate::sql::{Sql, SqlResult, number};
use crate::values;

/// Applies one event.
pub(crate) fn apply(pending: &mut Pending<'_>, seq: Seq, at: Time, event: &Event) -> SqlResult<()> {
    let connection = pending.connection;
    match event {
        Event::EpochBegan(epoch) => {
            pending.write()?;
            void_all(connection, seq, epoch.0.as_bytes())
        }
        Event::TokenMade(token) => token_made(connection, token),
        Event::TokenRevoked(token) => connection.run(
            "UPDATE tokens SET revoked = 1 WHERE token = ?1",
            values![token.0],
        ),
        Event::AgentMet(agent) => {
            pending.agents.remove(&agent.id);
            connection.run(
                "INSERT INTO agents (agent, token, name, dialect) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (agent) DO UPDATE SET token = ?2, name = ?3, dialect = ?4",
                values![
                    agent.id.0,
                    agent.token.0,
                    agent.name.as_str(),
                    agent.dialect.as_str()
                ],
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
            connection.run(
                "UPDATE asks SET late = ?2 WHERE opened = ?1 AND erased = 0",
                values![number(opened.0), number(seq.0)],
            )
        }
        Event::Delivered(marks) => marks
            .iter()
            .try_for_each(|mark| asks::delivered(pending, seq, mark)),
        Event::Shown(marks) => marks
            .iter()
            .try_for_each(|mark| shown::note(pending, seq, mark)),
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
        Event::Returned {
            message,
            conversation,
            opened,
        } => chat::returned(connection, (*message, *conversation), *opened),
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
pub(crate) fn void_all(connection: &dyn Sql, seq: Seq, epoch: &[u8; 16]) -> SqlResult<()> {
    connection.run(
        "INSERT INTO epoch (seq, epoch) VALUES (?1, ?2) ON CONFLICT (seq) DO UPDATE SET epoch = ?2",
        values![number(seq.0), epoch.as_slice()],
    )?;
    connection.run(
        "UPDATE asks SET void = 1 WHERE closed IS NULL AND void = 0",
        values![],
    )?;
    connection.run(
        "UPDATE asks SET void = 1 WHERE closed IS NOT NULL AND delivery < 2 AND void = 0",
        values![],
    )?;
    chat::epoch_began(connection)
}

fn conversation_began(
    connection: &dyn Sql,
    seq: Seq,
    at: Time,
    conversation: &Conversation,
) -> SqlResult<()> {
    connection.run("INSERT INTO conversations (conversation, agent, name, began, began_at, last, last_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?4, ?5)
         ON CONFLICT (conversation) DO UPDATE
         SET agent = ?2, name = ?3, began = ?4, began_at = ?5, last = ?4, last_at = ?5, running = 0", values![conversation.id.0,
            conversation.agent.0,
            conversation.name.as_str(),
            number(seq.0),
            number(at.as_millis())])
}

fn token_made(connection: &dyn Sql, token: &Token) -> SqlResult<()> {
    let (role, person) = match &token.role {
        Role::Agent => (0_u32, None),
        Role::Person(person) => (1, Some(person.as_str())),
        Role::Admin => (2, None),
    };
    connection.run("INSERT INTO tokens (token, name, role, person, hash, made_at, goes_with) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (token) DO UPDATE
         SET name = ?2, role = ?3, person = ?4, hash = ?5, made_at = ?6, goes_with = ?7, revoked = 0", values![token.id.0,
            token.name.as_str(),
            role,
            person,
            token.hash.as_slice(),
            number(token.made_at.as_millis()),
            token.with.map(|with| with.0)])
}
