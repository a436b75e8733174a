//! Two hubs on one database, raced by many callers, and the journal held against what each was told.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sayso_core::answer::{Answer, Reply};
use sayso_core::ask::Ask;
use sayso_core::id::{AskKey, Seq};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closing, Outcome};
use sayso_hub::{AgentPass, HubError, HubSettings, PersonPass};
use sayso_store::Store as _;
use sayso_testkit::witness::{AskSeen, CallSeen, Claim, Did, Witness};
use sayso_testkit::{House, questions};
use tokio::task::JoinSet;

/// Histories when nobody asks for more, how many go on at once, and after how many they are checked.
const HISTORIES: usize = 2_000;
const AT_ONCE: usize = 200;
const CHECKED: usize = 1_000;
/// Events that are read at once.
const PAGE: usize = 4_096;

/// How many histories were asked for: `cargo xtask nodes race`.
#[expect(
    clippy::disallowed_methods,
    reason = "this is how a long run is asked for"
)]
fn histories() -> usize {
    let asked_for = std::env::var("SAYSO_HUB_HISTORIES").ok();
    asked_for.map_or(HISTORIES, |text| text.parse().unwrap())
}

#[expect(
    clippy::disallowed_methods,
    reason = "who was first is what is held against the journal"
)]
fn instant() -> Instant {
    Instant::now()
}

/// Everybody's calls, on one clock.
struct Calls {
    began: Instant,
    calls: Mutex<Vec<CallSeen>>,
}

fn mark_of(closing: &Closing) -> String {
    match &closing.outcome {
        Outcome::Answered(Answer::Replies(replies)) => replies[0].note.clone().unwrap(),
        Outcome::Withdrawn { note } => note.clone().unwrap(),
        other => panic!("nobody ends it so: {other:?}"),
    }
}

impl Calls {
    fn at(&self) -> u64 {
        u64::try_from((instant() - self.began).as_nanos()).unwrap()
    }

    fn note(&self, began: u64, did: Did) {
        let ended = Some(self.at());
        self.calls
            .lock()
            .unwrap()
            .push(CallSeen { began, ended, did });
    }

    async fn ask(&self, agent: &AgentPass, key: &str) -> Arc<Ask> {
        let mut draft = questions("Which cache?", None);
        draft.key = Some(AskKey::new(key).unwrap());
        let began = self.at();
        let ask = agent.ask(draft, None).await.unwrap().view.ask;
        let told = Some(ask.id.to_string());
        let key = key.to_owned();
        self.note(began, Did::Ask { key, told });
        ask
    }

    async fn answer(&self, ann: &PersonPass, ask: &Ask, mark: String) {
        let answer = Answer::Replies(vec![Reply {
            question: 0,
            labels: vec!["Redis".to_owned()],
            note: Some(mark.clone()),
            ..Reply::default()
        }]);
        let began = self.at();
        let answered = ann.answer(ask.id, Some(ask.digest), answer).await;
        let view = match answered {
            Ok(view) => view,
            Err(HubError::AlreadyClosed(view)) => *view,
            Err(error) => panic!("{error}"),
        };
        let told = view.closing.as_deref().map(mark_of);
        let ask = ask.id.to_string();
        self.note(began, Did::Close { ask, mark, told });
    }

    async fn withdraw(&self, agent: &AgentPass, ask: &Ask, mark: String) {
        let began = self.at();
        let withdrawn = agent.withdraw(ask.id, Some(mark.clone())).await;
        let view = match withdrawn {
            Ok(view) => view,
            Err(HubError::AlreadyClosed(view)) => *view,
            Err(error) => panic!("{error}"),
        };
        let told = view.closing.as_deref().map(mark_of);
        let ask = ask.id.to_string();
        self.note(began, Did::Close { ask, mark, told });
    }

    async fn read(&self, agent: &AgentPass, ask: &Ask) {
        let began = self.at();
        let view = agent.look(ask.id, Duration::ZERO).await.unwrap();
        let told = match view.closing.as_deref() {
            None => AskSeen::Open,
            Some(closing) => AskSeen::Closed(mark_of(closing)),
        };
        let ask = ask.id.to_string();
        let told = Some(told);
        self.note(began, Did::Read { ask, told });
    }
}

/// One ask under one key from both nodes, ended from both, and looked at from both.
async fn history(calls: Arc<Calls>, nodes: [(AgentPass, PersonPass); 2], number: usize) {
    let key = format!("k{number}");
    let [(here, ann), (there, also)] = &nodes;
    let (ask, _) = tokio::join!(calls.ask(here, &key), calls.ask(there, &key));
    let mark = |who: &str| format!("{who}{number}");
    tokio::join!(
        calls.answer(ann, &ask, mark("ann")),
        calls.answer(also, &ask, mark("also")),
        calls.withdraw(there, &ask, mark("agent")),
        calls.read(here, &ask),
        calls.read(there, &ask),
    );
    calls.read(there, &ask).await;
}

/// What stands in the journal after a place, and where it ends.
async fn journal(house: &House, after: Seq) -> (Vec<(u64, Claim)>, Seq) {
    let (mut written, mut after) = (Vec::new(), after);
    loop {
        let events = house.store.events(after, PAGE).await.unwrap();
        let Some(last) = events.last() else {
            return (written, after);
        };
        for (event, seq) in events.iter().zip(after.0 + 1..) {
            assert_eq!(event.seq, Seq(seq), "a place is missing");
        }
        after = last.seq;
        written.extend(events.into_iter().filter_map(|stored| {
            let one = if let Some(Event::Asked(ask)) = &stored.event {
                Claim::Asked {
                    ask: ask.id.to_string(),
                    key: ask.key.as_ref()?.as_str().to_owned(),
                }
            } else if let Some(Event::Closed { ask, closing, .. }) = &stored.event {
                Claim::Closed {
                    ask: ask.to_string(),
                    mark: mark_of(closing),
                }
            } else {
                return None;
            };
            Some((stored.seq.0, one))
        }));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_everybody_was_told_is_the_order_of_the_journal() {
    let settings = HubSettings {
        open_asks_per_agent: usize::MAX,
        asks_per_minute: None,
        bytes_per_minute: None,
        ..HubSettings::default()
    };
    let (here, there) = House::two_nodes_with(settings).await;
    let histories = histories();
    let (mut after, mut done) = (Seq::ZERO, 0);
    while done < histories {
        let calls = Arc::new(Calls {
            began: instant(),
            calls: Mutex::default(),
        });
        let mut racing = JoinSet::new();
        let end = histories.min(done + CHECKED);
        for number in done..end {
            let (one, other) = ((here.agent(), here.ann()), (there.agent(), there.ann()));
            // Who is first to begin is not always on the same node.
            let nodes = if number % 2 == 0 {
                [one, other]
            } else {
                [other, one]
            };
            racing.spawn(history(Arc::clone(&calls), nodes, number));
            if racing.len() >= AT_ONCE {
                racing.join_next().await.unwrap().unwrap();
            }
        }
        while let Some(raced) = racing.join_next().await {
            raced.unwrap();
        }
        let (written, head) = journal(&here, after).await;
        let calls = std::mem::take(&mut *calls.calls.lock().unwrap());
        assert_eq!(Witness::new(written).check(&calls), Ok(()));
        (after, done) = (head, end);
    }
}
