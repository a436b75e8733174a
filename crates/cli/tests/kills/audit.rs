//! What the server says at the end, held against the ledger.

use std::collections::BTreeSet;

use rustix::process::Signal;
use sayso_client::wire::{Ask, Delivery, OutcomeKind, ProblemCode, State, StepWhat};
use sayso_client::{
    AgentConnection, AskFilter, AskListKind, FeedMessage, FeedReader, SocketMessage,
};

use super::cast::{Cast, again, refusal};
use super::drafts::{SECRET, question};
use super::ground::{Ground, PATIENCE, Venue as _};
use super::ledger::{Given, Page, bytes, outcome_of};
use super::story::{Left, Seen, journaled, secret_in};

/// Which life of the state is audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// The one in which the story was told.
    Same,
    /// The same on nodes, of which each may stand still for a while.
    Shared,
    /// One that was begun from a backup.
    Restored,
}

/// Holds everything against the ledger, with a running server, and stops it.
pub(crate) async fn audit(ground: &mut Ground, left: &Left, life: Life) {
    let compacted = &left.compacted;
    assert!(compacted.after <= compacted.before, "{compacted:?}");
    let deaths = ground.deaths();
    let audited = tokio::time::timeout(PATIENCE, held(left, life, deaths)).await;
    assert_eq!(ground.broke(), None);
    assert!(audited.is_ok(), "the audit does not end: {}", ground.said());
    ground.stop(Signal::KILL).await;
    assert_sound(ground, &ground.state());
    let other = ground.path("restored");
    ground.must(
        &other,
        &["restore", left.backup.as_ref().unwrap().to_str().unwrap()],
    );
    assert_sound(ground, &other);
}

/// The whole chain holds.
pub(crate) fn assert_sound(ground: &Ground, state: &std::path::Path) {
    let said = ground.must(state, &["verify"]);
    assert!(said.starts_with("sound: "), "{said}");
}

/// Holds what the server says against the ledger, over so many deaths.
pub(crate) async fn held(left: &Left, life: Life, deaths: usize) {
    let cast = &left.cast;
    for (key, page) in cast.ledger.pages() {
        assert!(page.learned, "{key}: its agent never learned the outcome");
        one(cast, key, &page).await;
    }
    revoked(left).await;
    lists(cast, life).await;
    match life {
        Life::Same | Life::Shared => owed(cast).await,
        // What was owed when a backup was put back may have been told since: it is void.
        Life::Restored => {}
    }
    if let Some(talk) = &left.talk {
        talk.audit(cast, deaths).await;
    }
    feed(cast, &left.feed).await;
}

/// One ask: what is there is what everybody was told, and somebody gave it.
async fn one(cast: &Cast, key: &'static str, page: &Page) {
    let (id, digest) = page.asked.clone().unwrap();
    let shown = again(async || cast.ann.get(&id, None).await).await;
    if page.forgotten {
        let refused = refusal(shown.unwrap_err());
        assert_eq!(refused.code, ProblemCode::NotFound, "{key}");
        return;
    }
    let shown = shown.unwrap();
    assert_eq!((&shown.id, &shown.digest), (&id, &digest), "{key}");
    assert_eq!(shown.state, State::Closed, "{key}");
    let outcome = outcome_of(&shown);
    let there = BTreeSet::from([bytes(outcome)]);
    assert_eq!(page.told, there, "{key}: told is what is there");
    let given = Given::of(outcome);
    assert!(page.given.contains(&given), "{key}: nobody gave {given:?}");
    assert!(page.accepted <= 1, "{key}: {} winners", page.accepted);
    assert_eq!(shown.late, page.late, "{key}");

    let own = again(async || cast.agent.get(&id, None).await)
        .await
        .unwrap();
    assert_eq!(bytes(outcome_of(&own)), bytes(outcome), "{key}");
    if key.ends_with("-form") {
        // Kept for its asker until the asker has it, and not longer.
        let secret = secret_in(outcome_of(&own)).is_some();
        assert_eq!(secret, own.delivery != Delivery::Confirmed, "{key}");
        assert!(secret_in(outcome).is_none(), "{key}: shown to a person");
        if secret {
            assert_eq!(secret_in(outcome_of(&own)), Some(SECRET));
        }
    }
    if outcome.kind == OutcomeKind::Withdrawn {
        refused_after_withdrawal(cast, key, &shown).await;
    }
    let story = again(async || cast.ann.story(&id).await).await.unwrap();
    let screens = story.steps.iter();
    let screens = screens.filter(|step| step.what == StepWhat::Shown).count();
    assert!(screens <= 1, "{key}: one device saw it, and {screens} did");
    same_key(cast, key, page).await;
}

/// After a withdrawal nothing is accepted any more.
async fn refused_after_withdrawal(cast: &Cast, key: &str, shown: &Ask) {
    let answer = sayso_client::wire::AnswerRequest {
        digest: shown.digest.clone(),
        ..super::drafts::pick("Redis", "after all")
    };
    let refused = again(async || cast.ann.answer(&shown.id, &answer).await).await;
    let refused = refusal(refused.unwrap_err());
    assert_eq!(refused.code, ProblemCode::AlreadyClosed, "{key}");
    assert_eq!(refused.ask.unwrap().outcome, shown.outcome, "{key}");
}

/// The same key is the same ask; with another question it is a conflict, and changes nothing.
async fn same_key(cast: &Cast, key: &'static str, page: &Page) {
    cast.ask(key, &page.ask).await;
    let mut other = question("Something else entirely?");
    other.agent.clone_from(&page.ask.agent);
    other.conversation.clone_from(&page.ask.conversation);
    let refused = again(async || cast.agent.ask(&other, Some(key)).await).await;
    let refused = refusal(refused.unwrap_err());
    assert_eq!(refused.code, ProblemCode::KeyConflict, "{key}");
}

/// A token that was taken back stays so.
async fn revoked(left: &Left) {
    let (id, _) = left.cast.ledger.known("s-race").await;
    let refused = again(async || left.bob.get(&id, None).await).await;
    let refused = refusal(refused.unwrap_err());
    assert_eq!(refused.code, ProblemCode::Unauthorized);
}

/// Nothing is open, and what is closed is what was asked: no ask was made twice.
async fn lists(cast: &Cast, life: Life) {
    let (forgotten, kept): (Vec<Page>, Vec<Page>) = cast
        .ledger
        .pages()
        .into_values()
        .partition(|page| page.forgotten);
    let wanted: BTreeSet<String> = kept.into_iter().map(|page| page.asked.unwrap().0).collect();
    let listed = async |wanted| {
        let query = AskFilter {
            limit: Some(200),
            ..AskFilter::of(wanted)
        };
        let page = again(async || cast.ann.list(&query).await).await.unwrap();
        page.asks
    };
    // A node that stood still may take in what its asker gave up on long ago and asked elsewhere; once
    // that is forgotten, its key is as good as new.
    let asked_again = |ask: &Ask| {
        let mut digests = forgotten.iter().map(|page| &page.asked.as_ref().unwrap().1);
        life == Life::Shared && digests.any(|digest| *digest == ask.digest)
    };
    let mut open: Vec<Ask> = listed(AskListKind::Open).await;
    open.retain(|ask| !asked_again(ask));
    assert_eq!(open, []);
    // The list of closed asks follows the journal; a start waits for it, so it is there at once.
    let closed = listed(AskListKind::Closed).await.into_iter();
    let closed: BTreeSet<String> = closed.map(|ask| ask.id).collect();
    assert_eq!(closed, wanted);
}

/// What an agent did not confirm is told again, byte for byte.
async fn owed(cast: &Cast) {
    let pages = cast.ledger.pages();
    let mut missing: BTreeSet<&str> = pages
        .iter()
        .filter(|(_, page)| page.owed)
        .map(|(key, _)| *key)
        .collect();
    let mut socket = again(async || AgentConnection::connect(&cast.agent).await)
        .await
        .unwrap();
    while !missing.is_empty() {
        match socket.next().await {
            Some(SocketMessage::Outcome(told)) => {
                let key = cast.ledger.key_of(&told.id).unwrap();
                let before = &pages[key].told;
                assert_eq!(before, &BTreeSet::from([bytes(&told.outcome)]), "{key}");
                missing.remove(key);
            }
            other => panic!("the socket tells {other:?}"),
        }
    }
}

/// What a device saw across every death is what the journal tells from the beginning: no gap, no
/// repeat, the same order.
async fn feed(cast: &Cast, seen: &[Seen]) {
    let forgotten: BTreeSet<String> = cast
        .ledger
        .pages()
        .into_values()
        .filter(|page| page.forgotten)
        .map(|page| page.asked.unwrap().0)
        .collect();
    let stays = |item: &Seen| item.2.as_ref().is_none_or(|id| !forgotten.contains(id));
    let seen: Vec<Seen> = seen.iter().filter(|item| stays(item)).cloned().collect();
    let mut feed = FeedReader::open(&cast.ann, Some(0)).await.unwrap();
    let mut again = Vec::new();
    while again.len() < seen.len() {
        match feed.next().await.unwrap() {
            FeedMessage::Event(event) => again.extend(journaled(&event).filter(stays)),
            FeedMessage::Cut { why, .. } => panic!("the feed was cut: {why}"),
        }
    }
    assert_eq!(seen, again);
}
