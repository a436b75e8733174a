//! The story: everything people and agents do, as fast as they can, whatever happens to the server.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sayso_client::wire::{
    Answer, CompactReport, FeedEvent, FieldValue, ForgetRequest, NewAsk, Outcome, OutcomeKind,
    ProblemCode,
};
use sayso_client::{AgentConnection, Client, FeedMessage, FeedReader, SocketMessage};

use super::cast::{Cast, again, refusal};
use super::drafts::{SECRET, approval, filled, form, long_question, pick, question, verdict};
use super::ground::Venue;
use super::ledger::{Author, Given};
use super::ruling;
use super::talking::{self, Talk};

/// The asks of the socket.
const ON_SOCKET: [&str; 7] = [
    "s-question",
    "s-race",
    "s-allow",
    "s-deny",
    "s-form",
    "s-withdraw",
    "s-tug",
];
const NOTE: &str = "never mind";
/// The conversation whose words are erased.
const TO_FORGET: &str = "to-forget";
const CANARY: &str = "canary ";

/// Something that came on the feed and is in the journal: its place, what it was, and which ask.
pub(crate) type Seen = (u64, &'static str, Option<String>);

/// What the story leaves behind beside the ledger.
#[derive(Debug)]
pub(crate) struct Left {
    pub(crate) cast: Cast,
    /// With a token that was taken back.
    pub(crate) bob: Client,
    pub(crate) feed: Vec<Seen>,
    /// Absent where none can be made.
    pub(crate) backup: Option<PathBuf>,
    /// What giving back the space of erased words came to.
    pub(crate) compacted: CompactReport,
    pub(crate) talk: Option<Talk>,
}

/// Tells the whole story; returns once everybody has what they came for.
pub(crate) async fn tell(venue: &impl Venue, cast: Cast) -> Left {
    let ledger = Arc::clone(&cast.ledger);
    let told = tokio::time::timeout(venue.patience(), Box::pin(all(venue, cast))).await;
    assert_eq!(venue.broke(), None);
    told.unwrap_or_else(|_| {
        let unfinished = ledger.unfinished();
        panic!(
            "the story does not end for {unfinished:?}: {}",
            venue.said()
        )
    })
}

async fn all(venue: &impl Venue, cast: Cast) -> Left {
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let follower = tokio::spawn(follow(cast.clone(), Arc::clone(&seen)));
    let talk = async {
        if venue.has_talk() {
            Some(talking::tell(&cast).await)
        } else {
            None
        }
    };
    let ((), bob, (), (), compacted, (), backup, talk, ()) = tokio::join!(
        on_socket(&cast),
        people(&cast, venue),
        polled(&cast),
        lapsing(&cast),
        forgetting(&cast),
        long(&cast),
        backing_up(&cast, venue),
        talk,
        ruling::tell(&cast),
    );
    assert!(
        !follower.is_finished(),
        "the feed ended: {:?}",
        follower.await
    );
    follower.abort();
    let feed = seen.lock().unwrap().clone();
    Left {
        cast,
        bob,
        feed,
        backup,
        compacted,
        talk,
    }
}

/// An agent with seven asks on one socket.
async fn on_socket(cast: &Cast) {
    let ledger = &cast.ledger;
    let drafts: [NewAsk; 7] = [
        question("Which database?"),
        question("Who is first?"),
        approval("git push"),
        approval("rm -rf build"),
        form(),
        question("Taken back?"),
        question("Taken back or answered?"),
    ];
    for (key, ask) in ON_SOCKET.into_iter().zip(&drafts) {
        ledger.ask(key, ask);
    }
    for key in ["s-withdraw", "s-tug"] {
        ledger.give(key, Given::withdrawal(NOTE));
    }
    for key in ["s-race", "s-deny"] {
        ledger.leave_owed(key);
    }
    let mut socket = again(async || AgentConnection::connect(&cast.agent).await)
        .await
        .unwrap();
    {
        let (socket, drafts) = (&socket, &drafts);
        let ask = async |at: usize| {
            let (key, ask) = (ON_SOCKET[at], &drafts[at]);
            let asked = again(async || socket.ask(ask, Some(key)).await).await;
            let asked = asked.unwrap();
            ledger.asked(key, &asked.id, &asked.digest);
        };
        tokio::join!(ask(0), ask(1), ask(2), ask(3), ask(4), ask(5), ask(6));
    }
    for key in ["s-withdraw", "s-tug"] {
        let (id, _) = ledger.known(key).await;
        socket.withdraw(&id, Some(NOTE)).await.unwrap();
    }
    while !ON_SOCKET.iter().all(|key| ledger.has_learned(key)) {
        match socket.next().await {
            Some(SocketMessage::Outcome(told)) => {
                // A rule may answer before whoever asked has heard the id; that one learns it there.
                let Some(key) = ledger.key_of(&told.id) else {
                    continue;
                };
                ledger.learned(key, &told.outcome);
                if key == "s-form" {
                    assert_eq!(secret_in(&told.outcome), Some(SECRET));
                }
                // A socket is told of all that its token asked; the rest is confirmed elsewhere.
                if ON_SOCKET.contains(&key) && !ledger.pages()[key].owed {
                    socket.confirm(&told.id).await.unwrap();
                }
            }
            Some(SocketMessage::Problem(problem)) if problem.code == ProblemCode::TryLater => {
                once_more(cast, &socket).await;
            }
            Some(SocketMessage::Problem(problem)) => {
                assert_eq!(problem.code, ProblemCode::AlreadyClosed, "{problem:?}");
                let ask = problem.ask.unwrap();
                ledger.told(ledger.key_of(&ask.id).unwrap(), &ask.outcome.unwrap());
            }
            Some(SocketMessage::Cut { .. } | SocketMessage::Back) => {}
            other => panic!("the socket tells {other:?}"),
        }
    }
}

/// A server that cannot write says so without saying to what: everything is said again.
async fn once_more(cast: &Cast, socket: &AgentConnection) {
    let ledger = &cast.ledger;
    for key in ON_SOCKET {
        let (id, _) = ledger.known(key).await;
        if ledger.has_learned(key) && !ledger.pages()[key].owed {
            socket.confirm(&id).await.unwrap();
        } else if ["s-withdraw", "s-tug"].contains(&key) {
            socket.withdraw(&id, Some(NOTE)).await.unwrap();
        }
    }
}

/// The secret in an outcome as its asker sees it; nothing once it is erased.
pub(crate) fn secret_in(outcome: &Outcome) -> Option<&str> {
    match &outcome.answer {
        Some(Answer::Fields(fields)) => match &fields.0.first().unwrap().1 {
            FieldValue::Text(text) => Some(text),
            FieldValue::Hidden => None,
            other => panic!("not a secret: {other:?}"),
        },
        other => panic!("not a form: {other:?}"),
    }
}

/// Two people: they answer, refuse, race, and come too late.
async fn people(cast: &Cast, venue: &impl Venue) -> Client {
    let ann = (&cast.ann, "ann");
    let race = async {
        let bob = cast.bob(&venue.url()).await;
        let (first, second) = tokio::join!(
            cast.answer(ann, "s-race", pick("Redis", "ann")),
            cast.answer((&bob, "bob"), "s-race", pick("SQLite", "bob")),
        );
        assert!(
            first.is_some() || second.is_some(),
            "both were told that they won"
        );
        cast.revoke_bob().await;
        bob
    };
    let too_late = async {
        while !cast.ledger.has_learned("s-withdraw") {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let problem = cast.answer(ann, "s-withdraw", pick("Redis", "late")).await;
        let outcome = problem.unwrap().ask.unwrap().outcome.unwrap();
        assert_eq!(outcome.kind, OutcomeKind::Withdrawn);
    };
    let (_, _, _, _, _, bob, ()) = tokio::join!(
        cast.answer(ann, "s-question", pick("Redis", "only for sessions")),
        cast.answer(ann, "s-allow", verdict(true, None)),
        cast.answer(ann, "s-deny", verdict(false, Some("not today"))),
        cast.answer(ann, "s-form", filled()),
        cast.answer(ann, "s-tug", pick("SQLite", "tug")),
        race,
        too_late,
    );
    bob
}

/// An agent that polls: one ask answered, one put aside, one form.
async fn polled(cast: &Cast) {
    let ann = (&cast.ann, "ann");
    let answered = async {
        let ask = named(question("Polled?"));
        cast.ledger.ask("h-question", &ask);
        cast.ask("h-question", &ask).await;
        tokio::join!(
            cast.answer(ann, "h-question", pick("SQLite", "polled")),
            cast.outcome("h-question"),
        );
        cast.confirm("h-question").await;
    };
    let dismissed = async {
        let ask = named(question("Put aside?"));
        cast.ledger.ask("h-dismiss", &ask);
        cast.ask("h-dismiss", &ask).await;
        tokio::join!(
            cast.dismiss("h-dismiss", "not my business"),
            cast.outcome("h-dismiss"),
        );
        cast.confirm("h-dismiss").await;
    };
    let filled_in = async {
        let ask = named(form());
        cast.ledger.ask("h-form", &ask);
        cast.ask("h-form", &ask).await;
        let (_, ask) = tokio::join!(cast.answer(ann, "h-form", filled()), cast.outcome("h-form"),);
        assert_eq!(secret_in(&ask.outcome.unwrap()), Some(SECRET));
        cast.confirm("h-form").await;
    };
    tokio::join!(answered, dismissed, filled_in);
}

/// An ask of an agent that has no socket, in a conversation.
pub(crate) fn named(mut ask: NewAsk) -> NewAsk {
    ask.agent = Some("poller".to_owned());
    ask.conversation = Some("errand".to_owned());
    ask
}

/// An ask whose time runs out, and an answer that comes after that.
async fn lapsing(cast: &Cast) {
    let mut ask = named(question("In time?"));
    ask.timeout_s = Some(1);
    cast.ledger.ask("h-lapse", &ask);
    let lapsed = Given {
        kind: OutcomeKind::Expired,
        answer: None,
        note: None,
        by: Author::Clock,
    };
    cast.ledger.give("h-lapse", lapsed);
    let id = cast.ask("h-lapse", &ask).await.id;
    // Somebody sees it and does nothing; seeing it once more is nothing new.
    for _ in 0..2 {
        let seen = again(async || cast.ann.shown(&[&id]).await).await;
        seen.unwrap();
    }
    cast.outcome("h-lapse").await;
    let late = cast
        .answer((&cast.ann, "ann"), "h-lapse", pick("Redis", "late"))
        .await
        .unwrap();
    assert_eq!(late.code, ProblemCode::Expired);
    let late = late.ask.unwrap().late.unwrap();
    cast.ledger.kept_late("h-lapse", &late);
    // The same key again: the late answer is given with it.
    assert_eq!(cast.ask("h-lapse", &ask).await.late, Some(late));
}

/// An ask that is forgotten once its agent has the answer.
async fn forgetting(cast: &Cast) -> CompactReport {
    let ask = named(question("Forgotten?"));
    cast.ledger.ask("h-forget", &ask);
    cast.ask("h-forget", &ask).await;
    tokio::join!(
        cast.answer((&cast.ann, "ann"), "h-forget", pick("Redis", "gone soon")),
        cast.outcome("h-forget"),
    );
    cast.confirm("h-forget").await;
    let (id, _) = cast.ledger.known("h-forget").await;
    match again(async || cast.admin.forget(&id).await).await {
        Ok(()) => {}
        // An earlier try did it, and its reply was lost.
        Err(error) => assert_eq!(refusal(error).code, ProblemCode::NotFound),
    }
    cast.ledger.forgotten("h-forget");
    forgetting_words(cast).await
}

/// Words long enough to fill pages, which are erased and given back.
async fn forgetting_words(cast: &Cast) -> CompactReport {
    let name = TO_FORGET;
    let what = ForgetRequest {
        conversation: Some(name.to_owned()),
        ..ForgetRequest::default()
    };
    let text = CANARY.repeat(20_000);
    loop {
        let socket = again(async || AgentConnection::connect(&cast.agent).await).await;
        let socket = socket.unwrap();
        // A socket that dies in between is dialled again.
        if socket.say(name, &text, true).await.is_ok() {
            socket.finish().await;
        }
        match again(async || cast.admin.forget_all(&what).await).await {
            Ok(done) if done.entries > 0 => break,
            Ok(_) => {}
            Err(error) => assert_eq!(refusal(error).code, ProblemCode::NotFound),
        }
    }
    again(async || cast.admin.compact().await).await.unwrap()
}

/// An ask long enough to fill the log.
async fn long(cast: &Cast) {
    let ask = named(long_question("Which of these files?"));
    cast.ledger.ask("h-long", &ask);
    cast.ask("h-long", &ask).await;
    tokio::join!(
        cast.answer((&cast.ann, "ann"), "h-long", pick("SQLite", "long")),
        cast.outcome("h-long"),
    );
    cast.confirm("h-long").await;
}

/// Backups until one is done: a file that was begun is never written to again.
async fn backing_up(cast: &Cast, venue: &impl Venue) -> Option<PathBuf> {
    for number in 0.. {
        let file = venue.backup(&format!("backup-{number}"))?;
        match cast.admin.backup(&file).await {
            Ok(()) => return Some(file),
            Err(error) => assert!(error.is_passing(), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    unreachable!("the numbers do not end")
}

/// A device that follows the feed from the first event on.
async fn follow(cast: Cast, seen: Arc<Mutex<Vec<Seen>>>) {
    let mut feed = loop {
        match FeedReader::open(&cast.ann, Some(0)).await {
            Ok(feed) => break feed,
            Err(error) => assert!(error.is_passing(), "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    loop {
        let FeedMessage::Event(event) = feed.next().await.unwrap() else {
            continue;
        };
        if let FeedEvent::Reset(mark) = &*event {
            // The lists are read again as they were there; what came after is told once more.
            seen.lock().unwrap().retain(|item| item.0 <= mark.seq);
        }
        if let Some(item) = journaled(&event) {
            if let FeedEvent::Closed(change) = &*event
                && let Some(key) = cast.ledger.key_of(&change.ask.id)
            {
                cast.ledger.told(key, change.ask.outcome.as_ref().unwrap());
            }
            let mut seen = seen.lock().unwrap();
            let last = seen.last().map_or(0, |last| last.0);
            assert!(item.0 > last, "the feed tells {} after {last}", item.0);
            seen.push(item);
        }
    }
}

fn is_to_forget(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.starts_with(CANARY))
}

/// What of an event can be found again in the journal.
pub(crate) fn journaled(event: &FeedEvent) -> Option<Seen> {
    match event {
        FeedEvent::Asked(change) => Some((change.seq, "asked", Some(change.ask.id.clone()))),
        FeedEvent::Closed(change) => Some((change.seq, "closed", Some(change.ask.id.clone()))),
        FeedEvent::Delivery(change) => Some((change.seq, "delivery", None)),
        // Erased words are told once and never again.
        FeedEvent::Entry(change) if is_to_forget(change.entry.text.as_deref()) => None,
        FeedEvent::Entry(change) => Some((change.seq, "entry", None)),
        FeedEvent::Rule(change) => Some((change.seq, "rule", None)),
        // Something was erased: lists are read again.
        FeedEvent::Reset(_)
        | FeedEvent::Ready(_)
        | FeedEvent::Agent(_)
        | FeedEvent::Saying(_)
        | FeedEvent::Turn(_) => None,
        other => panic!("nobody did anything that makes {other:?}"),
    }
}
