//! What becomes of the projections where an event cannot be read: nothing is made up, and whatever it
//! may have taken away stays taken away.
//!
//! This only matters when the projections are made again; what was projected before the damage stands.

use sayso_core::id::Seq;
use sayso_core::outcome::OutcomeKind;
use sayso_store::{Header, Kind};

use super::asks::erased;
use super::rows::void_all;
use super::{chat, lookup, rules, word};
use crate::journal::Found;
use crate::sql::{Sql, SqlResult, number};
use crate::values;

/// Applies an event that cannot be read. `noticed` is where the journal ended when that was noticed.
pub(crate) fn apply(connection: &dyn Sql, found: &Found, noticed: Seq) -> SqlResult<()> {
    let Some((kind, header)) = found.kind().zip(found.header.as_ref()) else {
        // It may have been anything: what could have been revoked counts as revoked.
        tokens_revoked(connection)?;
        rules::switch_off(connection, noticed)?;
        closed(connection, found)?;
        return connection.run("DELETE FROM queued", values![]);
    };
    match kind {
        Kind::EpochBegan => void_all(connection, found.seq, &epoch_of(header)),
        Kind::TokenMade => token_made(connection, found),
        Kind::TokenRevoked => tokens_revoked(connection),
        Kind::AgentMet => agent_met(connection, found.seq),
        Kind::ConversationBegan => conversation_began(connection, found),
        Kind::Asked => asked(connection, found),
        Kind::Closed => closed(connection, found),
        Kind::Erased => erased_again(connection, found),
        Kind::Handed | Kind::Removed => connection.run("DELETE FROM queued", values![]),
        // A lost rule may have been one that denies.
        Kind::RuleMade => rules::switch_off(connection, noticed),
        Kind::RuleRevoked => rules::switch_off(connection, found.seq),
        // What a lost clearing named is gone from the journal already.
        Kind::AnsweredLate
        | Kind::Cleared
        | Kind::Delivered
        | Kind::Messaged
        | Kind::Returned
        | Kind::Said
        | Kind::Noted
        | Kind::TurnEnded
        | Kind::Shown => Ok(()),
    }
}

/// Applies an event whose body is gone. It was erased, as a later event tells; until then, or when
/// nothing tells, its ask stays known.
pub(crate) fn gone(connection: &dyn Sql, found: &Found) -> SqlResult<()> {
    match found.kind() {
        Some(Kind::Asked) => asked(connection, found),
        Some(Kind::Closed) => closed(connection, found),
        Some(_) | None => Ok(()),
    }
}

/// An epoch of which only the header is left.
fn epoch_of(header: &Header) -> [u8; 16] {
    let hash = header.hash();
    hash.first_chunk::<16>().copied().unwrap_or_default()
}

/// The next number after the highest that a query finds.
fn next(connection: &dyn Sql, highest: &str) -> SqlResult<i64> {
    let last = connection.first(highest, values![], |row| row.get::<Option<i64>>(0))?;
    Ok(last.flatten().unwrap_or_default() + 1)
}

/// A token nobody holds keeps the id, so that no other token is ever taken for it.
fn token_made(connection: &dyn Sql, found: &Found) -> SqlResult<()> {
    let token = next(connection, "SELECT max(token) FROM tokens")?;
    connection.run(
        "INSERT INTO tokens (token, name, role, hash, made_at, revoked) VALUES (?1, 'unreadable', 0, ?2, ?3, 1)",
        values![token, [0; 32].as_slice(), number(found.at().as_millis())],
    )
}

/// Any of them may have been the one that was revoked.
fn tokens_revoked(connection: &dyn Sql) -> SqlResult<()> {
    connection.run("UPDATE tokens SET revoked = 1", values![])
}

/// An agent of nobody's token keeps the id: agents are told apart by it.
fn agent_met(connection: &dyn Sql, seq: Seq) -> SqlResult<()> {
    let agent = next(connection, "SELECT max(agent) FROM agents")?;
    connection.run(
        "INSERT INTO agents (agent, token, name, dialect) VALUES (?1, 0, ?2, 'native')",
        values![agent, &*format!("unreadable-{seq}")],
    )
}

fn conversation_began(connection: &dyn Sql, found: &Found) -> SqlResult<()> {
    let conversation = next(connection, "SELECT max(conversation) FROM conversations")?;
    connection.run(
        "INSERT INTO conversations (conversation, agent, name, began, began_at, last, last_at)
         VALUES (?1, 0, ?2, ?3, ?4, ?3, ?4)",
        values![
            conversation,
            &*format!("unreadable-{}", found.seq),
            number(found.seq.0),
            number(found.at().as_millis()),
        ],
    )
}

fn asked(connection: &dyn Sql, found: &Found) -> SqlResult<()> {
    let Some(ask) = found.ask() else {
        return Ok(());
    };
    let at = number(found.at().as_millis());
    connection.run(
        "INSERT INTO asks (opened, ask, agent, matter, asked_at) VALUES (?1, ?2, 0, 0, ?3)
         ON CONFLICT (opened) DO NOTHING",
        values![number(found.seq.0), ask.bytes().as_slice(), at],
    )
}

fn closed(connection: &dyn Sql, found: &Found) -> SqlResult<()> {
    let Some(ask) = found.lost_close_of() else {
        return Ok(());
    };
    connection.run(
        "UPDATE asks SET closed = ?2, outcome = ?3, closed_at = ?4, closer = ?5, void = 0
         WHERE ask = ?1 AND closed IS NULL AND erased = 0",
        values![
            ask.bytes().as_slice(),
            number(found.seq.0),
            word::outcome(OutcomeKind::Withdrawn),
            number(found.at().as_millis()),
            word::closer(&sayso_core::outcome::Closer::Clock)
        ],
    )
}

fn erased_again(connection: &dyn Sql, found: &Found) -> SqlResult<()> {
    let Some(ask) = found.ask() else {
        return Ok(());
    };
    let place = connection.first(
        "SELECT opened, closed, late FROM asks WHERE ask = ?1",
        values![ask.bytes().as_slice()],
        lookup::place,
    )?;
    match place {
        Some(place) => {
            chat::erased(connection, place.opened)?;
            erased(connection, ask, &place)
        }
        None => Ok(()),
    }
}
