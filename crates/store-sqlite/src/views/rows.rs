//! The first stage: one event of the journal becomes rows that lists and starts are read from.
//!
//! What this makes depends on the journal alone, so that a rebuilt file equals the one before.
//! The text of an erased ask is gone from the journal; what its `Erased` event says is all that
//! is kept of it, whether the event is met live or in a rebuild.

use rusqlite::{Connection, OptionalExtension as _};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::ask::{Ask, Matter, MatterKind};
use sayso_core::id::{AgentId, AgentName, AskId, DialectName, Place, Seq, TokenId};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Closer, Closing, Delivery};
use sayso_core::role::{Role, Token};
use sayso_core::state::ask_keys;
use sayso_core::time::Time;

use super::{chat, rules, shown, word};
use crate::journal::number;

/// Applies one event.
pub(crate) fn apply(
    connection: &Connection,
    seq: Seq,
    at: Time,
    event: &Event,
) -> rusqlite::Result<()> {
    match event {
        Event::EpochBegan(epoch) => void_all(connection, seq, epoch.0.as_bytes()),
        Event::TokenMade(token) => token_made(connection, token),
        Event::TokenRevoked(token) => run(
            connection,
            "UPDATE tokens SET revoked = 1 WHERE token = ?1",
            [token.0],
        ),
        Event::AgentMet(agent) => run(
            connection,
            "INSERT OR REPLACE INTO agents (agent, token, name, dialect) VALUES (?1, ?2, ?3, ?4)",
            (
                agent.id.0,
                agent.token.0,
                agent.name.as_str(),
                agent.dialect.as_str(),
            ),
        ),
        Event::ConversationBegan(conversation) => {
            conversation_began(connection, seq, at, conversation)
        }
        Event::Asked(ask) => {
            asked(connection, seq, ask)?;
            ask.conversation.map_or(Ok(()), |conversation| {
                chat::entry(connection, conversation, seq, at, chat::ASK)
            })
        }
        Event::Closed {
            opened, closing, ..
        } => closed(connection, seq, *opened, closing),
        Event::AnsweredLate { opened, .. } => run(
            connection,
            "UPDATE asks SET late = ?2 WHERE opened = ?1 AND erased = 0",
            (number(opened.0), number(seq.0)),
        ),
        Event::Delivered(marks) => marks
            .iter()
            .try_for_each(|mark| delivered(connection, seq, mark)),
        Event::Shown(marks) => marks
            .iter()
            .try_for_each(|mark| shown::shown(connection, seq, mark)),
        Event::Erased { ask, place } => {
            shown::erased(connection, place.opened)?;
            chat::erased(connection, place.opened)?;
            erased(connection, *ask, place)
        }
        Event::Cleared {
            conversation,
            places,
        } => places
            .iter()
            .try_for_each(|place| chat::removed(connection, *conversation, *place)),
        Event::Messaged(message) => chat::messaged(connection, seq, at, message),
        Event::Handed {
            conversation,
            opened,
            ..
        } => chat::handed(connection, *conversation, *opened),
        Event::Removed {
            conversation,
            opened,
            ..
        } => chat::removed(connection, *conversation, *opened),
        Event::Said(said) => {
            chat::turn(connection, said.conversation, true)?;
            chat::entry(connection, said.conversation, seq, at, chat::SAID)
        }
        Event::Noted(note) => chat::entry(connection, note.conversation, seq, at, chat::NOTE),
        Event::TurnEnded { conversation, .. } => {
            chat::turn(connection, *conversation, false)?;
            chat::entry(connection, *conversation, seq, at, chat::TURN_ENDED)
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

/// The agent with this id, as far as it was met.
fn agent(connection: &Connection, id: AgentId) -> rusqlite::Result<Option<Agent>> {
    let found = connection
        .prepare_cached("SELECT token, name, dialect FROM agents WHERE agent = ?1")?
        .query_row([id.0], |row| {
            Ok((
                row.get::<_, u32>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
            ))
        })
        .optional()?;
    Ok(found.and_then(|(token, name, dialect)| {
        let (name, dialect) = AgentName::stored(name)
            .ok()
            .zip(DialectName::stored(dialect).ok())?;
        Some(Agent {
            id,
            token: TokenId(token),
            name,
            dialect,
            beside: None,
        })
    }))
}

fn asked(connection: &Connection, seq: Seq, ask: &Ask) -> rusqlite::Result<()> {
    let keys = if ask.key.is_some() || ask.wire_id.is_some() {
        agent(connection, ask.agent)?.map_or([None; 2], |agent| ask_keys(&agent, ask))
    } else {
        [None; 2]
    };
    let [key_a, key_b] = keys.map(|key| key.map(u64::cast_signed));
    run(
        connection,
        "INSERT OR IGNORE INTO asks (opened, ask, agent, conversation, matter, deadline, key_a, key_b, asked_at, tool, shape)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        (
            number(seq.0),
            ask.id.bytes().as_slice(),
            ask.agent.0,
            ask.conversation.map(|id| id.0),
            word::matter(ask.matter.kind()),
            ask.deadline.map(|at| number(at.as_millis())),
            key_a,
            key_b,
            number(ask.asked_at.as_millis()),
            tool(&ask.matter),
            shape(ask),
        ),
    )
}

/// The shape of a question that can get a late answer.
fn shape(ask: &Ask) -> Option<&[u8]> {
    let is_question = ask.matter.kind() == MatterKind::Questions;
    (is_question && ask.deadline.is_some()).then_some(ask.shape.0.as_slice())
}

/// The tool that an approval is about.
fn tool(matter: &Matter) -> Option<&str> {
    match matter {
        Matter::Approval(action) => Some(&action.tool),
        Matter::Questions(_) | Matter::Form(_) => None,
    }
}

fn closed(
    connection: &Connection,
    seq: Seq,
    opened: Seq,
    closing: &Closing,
) -> rusqlite::Result<()> {
    if let Closer::Rule { rule, also, .. } = &closing.by {
        for rule in std::iter::once(rule).chain(also) {
            rules::used(connection, *rule, closing.at)?;
        }
    }
    // The first close is the one that counts. One written in a new epoch is news of that epoch.
    run(
        connection,
        "UPDATE asks SET closed = ?2, outcome = ?3, closed_at = ?4, closer = ?5, verdict = ?6, void = 0
         WHERE opened = ?1 AND closed IS NULL AND erased = 0",
        (
            number(opened.0),
            number(seq.0),
            word::outcome(closing.outcome.kind()),
            number(closing.at.as_millis()),
            word::closer(&closing.by),
            word::verdict(&closing.outcome),
        ),
    )
}

fn delivered(connection: &Connection, seq: Seq, mark: &DeliveryMark) -> rusqlite::Result<()> {
    let sql = match mark.delivery {
        Delivery::Owed => return Ok(()),
        Delivery::Sent => {
            "UPDATE asks SET delivery = ?2, sent = ?3, sent_at = ?4
             WHERE opened = ?1 AND delivery < ?2 AND closed IS NOT NULL AND erased = 0"
        }
        Delivery::Confirmed => {
            "UPDATE asks SET delivery = ?2, confirmed = ?3, confirmed_at = ?4
             WHERE opened = ?1 AND delivery < ?2 AND closed IS NOT NULL AND erased = 0"
        }
    };
    run(
        connection,
        sql,
        (
            number(mark.opened.0),
            word::delivery(mark.delivery),
            number(seq.0),
            number(mark.at.as_millis()),
        ),
    )
}

pub(super) fn erased(connection: &Connection, ask: AskId, place: &Place) -> rusqlite::Result<()> {
    run(
        connection,
        "INSERT OR REPLACE INTO asks (opened, ask, agent, matter, asked_at, closed, late, delivery, void, erased)
         VALUES (?1, ?2, 0, 0, 0, ?3, ?4, 2, 1, 1)",
        (
            number(place.opened.0),
            ask.bytes().as_slice(),
            place.closed.map(|seq| number(seq.0)),
            place.late.map(|seq| number(seq.0)),
        ),
    )
}
