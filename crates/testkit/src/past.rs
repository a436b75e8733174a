//! A past of many asks in a state folder, written through the real store in one go.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Matter};
use sayso_core::digest::Digest;
use sayso_core::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, Epoch, PersonName,
    Seq, TokenId, TokenName,
};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Closer, Closing, Delivery, Outcome, Seen};
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;
use sayso_store::{AskQuery, JournalEntry, Store as _, StoreError};
use sayso_store_sqlite::{SqliteSettings, SqliteStore};

use crate::drafts::{bash, question};

/// Asks of one commit.
const BATCH: u64 = 2_000;
/// From one ask to the next.
const EVERY_MS: u64 = 40_000;
/// How long each waited for its answer.
const WAITED_MS: u64 = 7_000;
/// How often and how long the projections are looked at: two minutes in all.
const LOOKS_MAX: u32 = 24_000;
const LOOK_EVERY: Duration = Duration::from_millis(5);
const AGENTS: [&str; 4] = ["shop-api", "coding-agent", "docs-site", "nightly-deps"];

/// Fills a new state with so many asks that were answered and confirmed, the last one at `until`.
///
/// The `n`th, counted from zero, has the word `number<n>` in it; every fourth is an approval.
pub async fn fill_past(folder: &Path, asks: u64, until: Time) -> Result<(), StoreError> {
    let store = SqliteStore::open(folder, SqliteSettings::default())?;
    let mut told = Vec::new();
    store.snapshot(&mut |item| told.push(item)).await?;
    assert_eq!(told, [], "the state is new");
    let at = |number: u64| {
        let before = (asks - 1 - number) * EVERY_MS;
        Time::from_millis(until.as_millis() - before)
    };
    let mut place = write(&store, identities(at(0)), at(0)).await?;
    for first in (0..asks).step_by(usize::try_from(BATCH).unwrap_or(usize::MAX)) {
        let numbers = first..asks.min(first + BATCH);
        let opened: Vec<Arc<Ask>> = numbers.map(|n| Arc::new(ask(n, at(n)))).collect();
        let count = opened.len() as u64;
        let mut events: Vec<Event> = opened.iter().cloned().map(Event::Asked).collect();
        events.extend(
            opened
                .iter()
                .zip(place + 1..)
                .map(|(ask, seq)| closed(ask, Seq(seq))),
        );
        let marks = opened.iter().zip(place + 1..);
        events.push(Event::Delivered(
            marks.map(|(ask, seq)| confirmed(ask, Seq(seq))).collect(),
        ));
        let last = at((first + count).saturating_sub(1));
        place = write(&store, events, last).await?;
    }
    // The projections follow by themselves; whoever opens the state should find them done.
    let any = AskQuery {
        search: Some("anything".to_owned()),
        limit: 1,
        ..AskQuery::default()
    };
    for _ in 0..LOOKS_MAX {
        if store.closed(&any).await?.as_of >= Seq(place) {
            return Ok(());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Err(StoreError::TryLater {
        detail: "the projections do not catch up with the past".to_owned(),
    })
}

/// Commits events and says where the last one stands.
async fn write(store: &SqliteStore, events: Vec<Event>, at: Time) -> Result<u64, StoreError> {
    let batch: Vec<JournalEntry> = events
        .into_iter()
        .map(|event| JournalEntry { event, at })
        .collect();
    let places = sayso_store::append(store, batch).await?;
    Ok(places.last().map_or(0, |seq| seq.0))
}

fn identities(at: Time) -> Vec<Event> {
    let token = Token {
        id: TokenId(1),
        name: TokenName::new("past-agents").expect("a good name"),
        role: Role::Agent,
        hash: [1; 32],
        made_at: at,
        with: None,
    };
    let mut events = vec![Event::EpochBegan(Epoch(uuid(0))), Event::TokenMade(token)];
    for (id, name) in (1..).zip(AGENTS) {
        events.push(Event::AgentMet(Agent {
            id: AgentId(id),
            token: TokenId(1),
            name: AgentName::new(name).expect("a good name"),
            dialect: DialectName::new("native").expect("a good name"),
            beside: None,
        }));
        events.push(Event::ConversationBegan(Conversation {
            id: ConversationId(id),
            agent: AgentId(id),
            name: conversation(name),
        }));
    }
    events
}

fn conversation(agent: &str) -> ConversationName {
    ConversationName::new(format!("Work of {agent}")).expect("a good name")
}

fn uuid(value: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(value)
}

fn ask(number: u64, at: Time) -> Ask {
    let which = usize::try_from(number).unwrap_or_default() % AGENTS.len();
    let matter = if number % 4 == 3 {
        let command = format!("deploy --step number{number}");
        Matter::Approval(bash(command))
    } else {
        let text = format!("Which database for step number{number}?");
        Matter::Questions(vec![question(&text, &["Redis", "SQLite"])])
    };
    let id = u32::try_from(which).unwrap_or_default() + 1;
    // Rising with the time, as the ids of the server do.
    let asked_at = Time::from_millis(at.as_millis() - 2 * WAITED_MS);
    let bits =
        (u128::from(asked_at.as_millis()) << 80) | (7 << 76) | (2 << 62) | u128::from(number);
    // Nobody answers these any more, so nothing compares what was shown; hashing it all takes longer
    // than everything else here.
    let (digest, shape) = (Digest([1; 32]), Digest([2; 32]));
    Ask {
        id: AskId::from_bytes(bits.to_be_bytes()),
        agent: AgentId(id),
        conversation: Some(ConversationId(id)),
        workspace: None,
        wire_id: None,
        key: None,
        title: None,
        matter,
        digest,
        shape,
        asked_at,
        deadline: None,
        stops: false,
    }
}

fn closed(ask: &Ask, opened: Seq) -> Event {
    let answer = match &ask.matter {
        Matter::Approval(_) => Answer::Verdict(Verdict {
            decision: Decision::Allow { edited_input: None },
            scope: Scope::Once,
            note: None,
        }),
        Matter::Questions(_) | Matter::Form(_) => Answer::Replies(vec![Reply {
            question: 0,
            labels: vec!["SQLite".to_owned()],
            other: None,
            note: None,
        }]),
    };
    let by = Closer::Person {
        person: PersonName::new("ann").expect("a good name"),
        device: TokenName::new("laptop").expect("a good name"),
        seen: Seen::Digest,
    };
    Event::Closed {
        ask: ask.id,
        opened,
        closing: Arc::new(Closing {
            outcome: Outcome::Answered(answer),
            by,
            at: ask.asked_at.after(Duration::from_millis(WAITED_MS)),
        }),
    }
}

fn confirmed(ask: &Ask, opened: Seq) -> DeliveryMark {
    DeliveryMark {
        ask: ask.id,
        opened,
        delivery: Delivery::Confirmed,
        at: ask.asked_at.after(Duration::from_millis(2 * WAITED_MS)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_past_is_whole_and_can_be_searched() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let until = Time::from_millis(1_800_000_000_000);
        fill_past(folder.path(), 1203, until).await.expect("filled");
        let store = SqliteStore::open(folder.path(), SqliteSettings::default()).expect("opens");
        let mut told = Vec::new();
        store
            .snapshot(&mut |item| told.push(item))
            .await
            .expect("recovers");
        let waits = told.iter().any(|item| {
            use sayso_core::state::SnapshotPart;
            matches!(item, SnapshotPart::Open(_) | SnapshotPart::Owed(_))
        });
        assert!(!waits, "{told:?}");
        let query = AskQuery {
            search: Some("number777".to_owned()),
            limit: 10,
            ..AskQuery::default()
        };
        let found = store.closed(&query).await.expect("found").rows;
        assert_eq!(found.len(), 1);
        assert_eq!(store.verify().await.expect("verified").faults, [""; 0]);
    }
}
