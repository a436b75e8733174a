//! Asks in the projections: one row each, from where it was asked to where its outcome was confirmed.
//!
//! An ask whose row is not written yet is changed in memory, any other in the file. Both ways give the
//! same row.

use sayso_core::agent::Agent;
use sayso_core::ask::{Ask, Matter, MatterKind};
use sayso_core::id::{AgentId, AgentName, AskId, ConversationId, DialectName, Place, Seq, TokenId};
use sayso_core::journal::DeliveryMark;
use sayso_core::outcome::{Closer, Closing, Delivery};
use sayso_core::state::ask_keys;
use sayso_core::time::Time;

use super::pending::Pending;
use super::{rules, word};
use crate::sql::{Sql, SqlResult, number};
use crate::values;

/// The row of an ask, until it is written.
#[derive(Debug)]
pub(crate) struct PendingAsk {
    ask: AskId,
    agent: AgentId,
    conversation: Option<ConversationId>,
    matter: i64,
    deadline: Option<Time>,
    keys: [Option<u64>; 2],
    asked_at: Time,
    tool: Option<String>,
    shape: Option<[u8; 32]>,
    end: Option<PendingEnd>,
    delivery: Delivery,
    sent: Option<(Seq, Time)>,
    confirmed: Option<(Seq, Time)>,
}

/// How it ended.
#[derive(Debug)]
struct PendingEnd {
    closed: Seq,
    outcome: i64,
    at: Time,
    closer: i64,
    verdict: Option<bool>,
}

impl PendingEnd {
    fn new(closed: Seq, closing: &Closing) -> Self {
        Self {
            closed,
            outcome: word::outcome(closing.outcome.kind()),
            at: closing.at,
            closer: word::closer(&closing.by),
            verdict: word::verdict(&closing.outcome),
        }
    }
}

impl PendingAsk {
    fn new(ask: &Ask, keys: [Option<u64>; 2]) -> Self {
        Self {
            ask: ask.id,
            agent: ask.agent,
            conversation: ask.conversation,
            matter: word::matter(ask.matter.kind()),
            deadline: ask.deadline,
            keys,
            asked_at: ask.asked_at,
            tool: tool(&ask.matter).map(str::to_owned),
            shape: shape(ask),
            end: None,
            delivery: Delivery::Owed,
            sent: None,
            confirmed: None,
        }
    }

    /// The first close is the one that counts.
    fn close(&mut self, seq: Seq, closing: &Closing) {
        if self.end.is_none() {
            self.end = Some(PendingEnd::new(seq, closing));
        }
    }

    fn deliver(&mut self, seq: Seq, mark: &DeliveryMark) {
        if self.end.is_none() || word::delivery(self.delivery) >= word::delivery(mark.delivery) {
            return;
        }
        self.delivery = mark.delivery;
        match mark.delivery {
            Delivery::Owed => {}
            Delivery::Sent => self.sent = Some((seq, mark.at)),
            Delivery::Confirmed => self.confirmed = Some((seq, mark.at)),
        }
    }

    pub(crate) fn write(&self, connection: &dyn Sql, opened: Seq) -> SqlResult<()> {
        let [key_a, key_b] = self.keys.map(|key| key.map(u64::cast_signed));
        let millis = |at: Time| number(at.as_millis());
        let seq_of = |mark: Option<(Seq, Time)>| mark.map(|(seq, _)| number(seq.0));
        let at_of = |mark: Option<(Seq, Time)>| mark.map(|(_, at)| millis(at));
        let end = self.end.as_ref();
        connection.run("INSERT INTO asks (opened, ask, agent, conversation, matter, deadline, key_a, key_b, asked_at, tool, shape,
                 closed, outcome, closed_at, closer, verdict, delivery, sent, sent_at, confirmed, confirmed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
             ON CONFLICT (opened) DO NOTHING", values![number(opened.0),
                self.ask.bytes().as_slice(),
                self.agent.0,
                self.conversation.map(|id| id.0),
                self.matter,
                self.deadline.map(millis),
                key_a,
                key_b,
                millis(self.asked_at),
                self.tool.as_deref(),
                self.shape.as_ref().map(<[u8; 32]>::as_slice),
                end.map(|end| number(end.closed.0)),
                end.map(|end| end.outcome),
                end.map(|end| millis(end.at)),
                end.map(|end| end.closer),
                end.and_then(|end| end.verdict),
                word::delivery(self.delivery),
                seq_of(self.sent),
                at_of(self.sent),
                seq_of(self.confirmed),
                at_of(self.confirmed)])
    }
}

/// The shape of a question that can get a late answer.
fn shape(ask: &Ask) -> Option<[u8; 32]> {
    let is_question = ask.matter.kind() == MatterKind::Questions;
    (is_question && ask.deadline.is_some()).then_some(ask.shape.0)
}

/// The tool that an approval is about.
fn tool(matter: &Matter) -> Option<&str> {
    match matter {
        Matter::Approval(action) => Some(&action.tool),
        Matter::Questions(_) | Matter::Form(_) => None,
    }
}

pub(crate) fn asked(pending: &mut Pending<'_>, seq: Seq, ask: &Ask) -> SqlResult<()> {
    let keys = if ask.key.is_some() || ask.wire_id.is_some() {
        pending
            .agent(ask.agent)?
            .map_or([None; 2], |agent| ask_keys(agent, ask))
    } else {
        [None; 2]
    };
    pending.asks.insert(seq, PendingAsk::new(ask, keys));
    Ok(())
}

/// The agent with this id, as far as it was met.
pub(crate) fn agent(connection: &dyn Sql, id: AgentId) -> SqlResult<Option<Agent>> {
    let found = connection.first(
        "SELECT token, name, dialect FROM agents WHERE agent = ?1",
        values![id.0],
        |row| Ok((row.get(0)?, row.get::<String>(1)?, row.get::<String>(2)?)),
    )?;
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

pub(crate) fn closed(
    pending: &mut Pending<'_>,
    seq: Seq,
    opened: Seq,
    closing: &Closing,
) -> SqlResult<()> {
    if let Closer::Rule { rule, also, .. } = &closing.by {
        for rule in std::iter::once(rule).chain(also) {
            rules::used(pending.connection, *rule, closing.at)?;
        }
    }
    if let Some(ask) = pending.asks.get_mut(&opened) {
        ask.close(seq, closing);
        return Ok(());
    }
    // The first close is the one that counts. One written in a new epoch is news of that epoch.
    let end = PendingEnd::new(seq, closing);
    pending.connection.run("UPDATE asks SET closed = ?2, outcome = ?3, closed_at = ?4, closer = ?5, verdict = ?6, void = 0
         WHERE opened = ?1 AND closed IS NULL AND erased = 0", values![number(opened.0),
            number(end.closed.0),
            end.outcome,
            number(end.at.as_millis()),
            end.closer,
            end.verdict])
}

pub(crate) fn delivered(pending: &mut Pending<'_>, seq: Seq, mark: &DeliveryMark) -> SqlResult<()> {
    if let Some(ask) = pending.asks.get_mut(&mark.opened) {
        ask.deliver(seq, mark);
        return Ok(());
    }
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
    pending.connection.run(
        sql,
        values![
            number(mark.opened.0),
            word::delivery(mark.delivery),
            number(seq.0),
            number(mark.at.as_millis())
        ],
    )
}

/// All that is kept of an erased ask.
pub(crate) fn erased(connection: &dyn Sql, ask: AskId, place: &Place) -> SqlResult<()> {
    let opened = number(place.opened.0);
    connection.run("DELETE FROM asks WHERE opened = ?1", values![opened])?;
    connection.run("INSERT INTO asks (opened, ask, agent, matter, asked_at, closed, late, delivery, void, erased)
         VALUES (?1, ?2, 0, 0, 0, ?3, ?4, 2, 1, 1)", values![opened,
            ask.bytes().as_slice(),
            place.closed.map(|seq| number(seq.0)),
            place.late.map(|seq| number(seq.0))])
}
