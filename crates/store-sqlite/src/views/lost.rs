//! What becomes of the projections where an event cannot be read: nothing is made up, and whatever it
//! may have taken away stays taken away.
//!
//! This only matters when the projections are made again; what was projected before the damage stands.

use rusqlite::{Connection, OptionalExtension as _};
use sayso_core::id::{Place, Seq};
use sayso_core::outcome::OutcomeKind;
use sayso_store::{Header, Kind};

use super::asks::erased;
use super::lookup::{maybe_seq, seq as seq_of};
use super::rows::{run, void_all};
use super::{chat, rules, word};
use crate::journal::{Found, number};

/// Applies an event that cannot be read. `noticed` is where the journal ended when that was noticed.
pub(super) fn apply(connection: &Connection, found: &Found, noticed: Seq) -> rusqlite::Result<()> {
    let Some((kind, header)) = found.kind().zip(found.header.as_ref()) else {
        // It may have been anything: what could have been revoked counts as revoked.
        tokens_revoked(connection)?;
        rules::switch_off(connection, noticed)?;
        closed(connection, found)?;
        return run(connection, "DELETE FROM queued", ());
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
        Kind::Handed | Kind::Removed => run(connection, "DELETE FROM queued", ()),
        // A lost rule may have been one that denies.
        Kind::RuleMade => rules::switch_off(connection, noticed),
        Kind::RuleRevoked => rules::switch_off(connection, found.seq),
        // What a lost clearing named is gone from the journal already.
        Kind::AnsweredLate
        | Kind::Cleared
        | Kind::Delivered
        | Kind::Messaged
        | Kind::Said
        | Kind::Noted
        | Kind::TurnEnded
        | Kind::Shown => Ok(()),
    }
}

/// Applies an event whose body is gone. It was erased, as a later event tells; until then, or when
/// nothing tells, its ask stays known.
pub(super) fn gone(connection: &Connection, found: &Found) -> rusqlite::Result<()> {
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

/// A token nobody holds keeps the id, so that no other token is ever taken for it.
fn token_made(connection: &Connection, found: &Found) -> rusqlite::Result<()> {
    run(
        connection,
        "INSERT INTO tokens (token, name, role, hash, made_at, revoked)
         SELECT coalesce(max(token), 0) + 1, 'unreadable', 0, zeroblob(32), ?1, 1 FROM tokens",
        [number(found.at().as_millis())],
    )
}

/// Any of them may have been the one that was revoked.
fn tokens_revoked(connection: &Connection) -> rusqlite::Result<()> {
    run(connection, "UPDATE tokens SET revoked = 1", ())
}

/// An agent of nobody's token keeps the id: agents are told apart by it.
fn agent_met(connection: &Connection, seq: Seq) -> rusqlite::Result<()> {
    run(
        connection,
        "INSERT INTO agents (agent, token, name, dialect)
         SELECT coalesce(max(agent), 0) + 1, 0, 'unreadable-' || ?1, 'native' FROM agents",
        [number(seq.0)],
    )
}

fn conversation_began(connection: &Connection, found: &Found) -> rusqlite::Result<()> {
    run(
        connection,
        "INSERT INTO conversations (conversation, agent, name, began, began_at, last, last_at)
         SELECT coalesce(max(conversation), 0) + 1, 0, 'unreadable-' || ?1, ?1, ?2, ?1, ?2 FROM conversations",
        (number(found.seq.0), number(found.at().as_millis())),
    )
}

fn asked(connection: &Connection, found: &Found) -> rusqlite::Result<()> {
    let Some(ask) = found.ask() else {
        return Ok(());
    };
    let at = number(found.at().as_millis());
    run(
        connection,
        "INSERT OR IGNORE INTO asks (opened, ask, agent, matter, asked_at) VALUES (?1, ?2, 0, 0, ?3)",
        (number(found.seq.0), ask.bytes().as_slice(), at),
    )
}

fn closed(connection: &Connection, found: &Found) -> rusqlite::Result<()> {
    let Some(ask) = found.lost_close_of() else {
        return Ok(());
    };
    run(
        connection,
        "UPDATE asks SET closed = ?2, outcome = ?3, closed_at = ?4, closer = ?5, void = 0
         WHERE ask = ?1 AND closed IS NULL AND erased = 0",
        (
            ask.bytes().as_slice(),
            number(found.seq.0),
            word::outcome(OutcomeKind::Withdrawn),
            number(found.at().as_millis()),
            word::closer(&sayso_core::outcome::Closer::Clock),
        ),
    )
}

fn erased_again(connection: &Connection, found: &Found) -> rusqlite::Result<()> {
    let Some(ask) = found.ask() else {
        return Ok(());
    };
    let place = connection
        .prepare_cached("SELECT opened, closed, late FROM asks WHERE ask = ?1")?
        .query_row([ask.bytes().as_slice()], |row| {
            Ok(Place {
                opened: seq_of(row, 0)?,
                closed: maybe_seq(row, 1)?,
                late: maybe_seq(row, 2)?,
            })
        })
        .optional()?;
    match place {
        Some(place) => {
            chat::erased(connection, place.opened)?;
            erased(connection, ask, &place)
        }
        None => Ok(()),
    }
}
