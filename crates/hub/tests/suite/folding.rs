//! One truth: a snapshot is what the whole journal says, and what is replayed is what was told live.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use sayso_core::answer::{Answer, Decision, Scope, Verdict};
use sayso_core::ask::{Draft, Matter};
use sayso_core::entry::TurnEnd;
use sayso_core::id::{AgentName, ConversationName, Seq, TokenName};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closing, Outcome};
use sayso_core::policy::{AppliesTo, Says, Subject};
use sayso_core::role::Role;
use sayso_core::state::State;
use sayso_core::view::AskView;
use sayso_hub::{
    FeedFilter, Forget, Link, ListFilter, MessageTo, NewNote, NewRule, News, Piece, Subscription,
    Turns,
};
use sayso_store::{Store as _, StoredEvent};
use sayso_testkit::{Ground, House, approval, form_with_secret, questions};

use super::answering::{answer, redis};
use crate::GROUND;

const MINUTE: Duration = Duration::from_secs(60);
/// How many lives are lived; over two hubs each takes much longer.
const SEEDS: u64 = match GROUND {
    Ground::OneHub => 12,
    Ground::TwoHubs => 2,
};

/// Numbers that are the same again for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from((self.0 >> 33) % count as u64).unwrap()
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.below(from.len().max(1));
        from.get(at)
    }
}

/// Somebody does something; what is refused is as good as what is done.
#[expect(
    clippy::too_many_lines,
    reason = "one arm for each thing that can be done"
)]
async fn act(house: &House, dice: &mut Dice, link: &mut Option<Link>, erases: bool) {
    let (agent, ann, admin) = (house.agent(), house.ann(), house.admin());
    let name = AgentName::new(*dice.pick(&["a", "A", "b"]).unwrap()).unwrap();
    let place = ConversationName::new(*dice.pick(&["main", "fix"]).unwrap()).unwrap();
    let filter = ListFilter {
        limit: 50,
        ..ListFilter::default()
    };
    let open = ann.open_asks(&filter, None).await.unwrap().asks;
    match dice.below(20) {
        0..5 => {
            let timeout = (dice.below(3) == 0).then_some(MINUTE);
            let draft = match dice.below(3) {
                0 => questions("Which cache?", timeout),
                1 => approval(dice.pick(&["push it", "read it"]).unwrap(), timeout),
                _ => form_with_secret(),
            };
            let conversation = (dice.below(2) == 0).then_some(place);
            let draft = Draft {
                conversation,
                ..draft
            };
            drop(agent.ask(draft, Some(name)).await);
        }
        5..8 => {
            if let Some(view) = dice.pick(&open) {
                let digest = Some(view.ask.digest);
                let closed = match &view.ask.matter {
                    Matter::Questions(_) => Some(ann.answer(view.ask.id, digest, redis()).await),
                    Matter::Approval(_) => Some(ann.answer(view.ask.id, digest, no()).await),
                    Matter::Form(_) => None,
                };
                if closed.is_none() {
                    drop(ann.dismiss(view.ask.id, digest, None, false).await);
                }
            }
        }
        8 => {
            if let Some(view) = dice.pick(&open) {
                drop(agent.withdraw(view.ask.id, None).await);
            }
        }
        9 => {
            let before = open.iter().filter(|view| view.ask.deadline.is_some());
            let before: Vec<_> = before.map(|view| Arc::clone(&view.ask)).collect();
            house.pass(MINUTE).await;
            if let Some(ask) = dice.pick(&before) {
                drop(ann.answer(ask.id, Some(ask.digest), redis()).await);
            }
        }
        10 => {
            let events = house.store.events(Seq::ZERO, 10_000).await.unwrap();
            let closed = events.iter().filter_map(|stored| match &stored.event {
                Some(Event::Closed { ask, .. }) => Some(*ask),
                _ => None,
            });
            let closed: Vec<_> = closed.collect();
            if let Some(ask) = dice.pick(&closed) {
                drop(agent.confirm(*ask).await);
            }
            if erases && let Some(ask) = dice.pick(&closed) {
                drop(admin.forget(*ask).await);
            }
        }
        11 => {
            let words = vec!["push".to_owned()];
            let rule = NewRule {
                says: Says::Deny(Subject::Words(words)),
                applies_to: AppliesTo::default(),
                lasts: None,
                note: None,
                shadow: false,
            };
            let desk = admin.rules();
            match desk.list().first() {
                Some(view) => drop(desk.revoke(view.rule.id).await),
                None => drop(desk.make(vec![rule], Vec::new()).await),
            }
        }
        12 => {
            let name = TokenName::new(format!("device {}", dice.below(3))).unwrap();
            let made = admin.make_token(name.clone(), Role::Agent, "s").await;
            if made.is_err() {
                admin.revoke_token(name).await.unwrap();
            }
        }
        13..16 => {
            let agents = ann.agents();
            let agent = dice.pick(&agents).map(|view| view.agent.id);
            let to = MessageTo::New {
                agent,
                name: Some(place),
            };
            let said = ann.message(to, "go on".to_owned()).await;
            if dice.below(3) == 0
                && let Ok(said) = said
            {
                drop(ann.remove_message(said.message.id).await);
            }
        }
        16 => {
            if link.take().is_none() {
                let mut taker = agent.link(None).await.unwrap();
                taker.take_turns(Turns::Any);
                *link = Some(taker);
            }
        }
        17 => {
            let piece = *dice.pick(&[Piece::More, Piece::Last]).unwrap();
            drop(agent.say(Some(name), &place, "words", piece).await);
        }
        18 => {
            let note = NewNote {
                tool: "Bash".to_owned(),
                text: "runs".to_owned(),
                status: None,
            };
            drop(agent.note(Some(name), &place, note).await);
        }
        _ => {
            drop(agent.turn_ended(Some(name), &place, TurnEnd::Done).await);
            if erases && dice.below(3) == 0 {
                drop(admin.forget_all(&Forget::default()).await);
            }
        }
    }
}

fn no() -> Answer {
    Answer::Verdict(Verdict {
        decision: Decision::Deny { stop: false },
        scope: Scope::Once,
        note: Some("not now".to_owned()),
    })
}

/// Every event of the journal.
async fn journal(house: &House) -> Vec<StoredEvent> {
    house.store.events(Seq::ZERO, 10_000).await.unwrap()
}

/// The state that a start loads, and the one that applying the whole journal makes.
async fn both(house: &House) -> (State, State) {
    let mut loaded = State::default();
    let head = house.store.head().await.unwrap();
    house.store.caught_up(head).await.unwrap();
    let taken = house.store.snapshot(&mut |part| loaded.load(part)).await;
    let taken = taken.unwrap();
    loaded.loaded(taken.seq, taken.epoch, taken.last_ask);
    let mut folded = State::default();
    for stored in journal(house).await {
        match &stored.event {
            Some(event) => drop(folded.apply(stored.seq, event)),
            None => folded.apply_erased(stored.seq, stored.ask),
        }
    }
    (loaded, folded)
}

#[tokio::test]
async fn a_snapshot_is_what_the_whole_journal_says() {
    for seed in 0..SEEDS {
        let mut house = House::new(GROUND).await;
        let (mut dice, mut link) = (Dice(seed), None);
        for life in 0..3 {
            for _ in 0..30 {
                act(&house, &mut dice, &mut link, true).await;
            }
            let (loaded, folded) = both(&house).await;
            assert_eq!(
                loaded.differs_from(&folded),
                None,
                "seed {seed}, life {life}"
            );
            link = None;
            house = house.reopen().await;
        }
        house.end().await;
    }
}

/// News without what changes while nobody writes: who is connected, and what could be started from.
fn lasting(news: &News) -> String {
    let ask = |word: &str, view: &AskView| {
        let closing = view.closing.as_ref().map(|closing| Closing {
            // Devices never see secrets.
            outcome: match &closing.outcome {
                Outcome::Answered(answer) => Outcome::Answered(answer.clone().without_secrets()),
                other => other.clone(),
            },
            ..Closing::clone(closing)
        });
        let (agent, place) = (&view.agent, &view.conversation);
        let (late, delivery) = (&view.late, view.delivery);
        format!(
            "{word} {:?} {agent:?} {place:?} {closing:?} {late:?} {delivery:?}",
            view.ask
        )
    };
    match news {
        News::Asked(view) => ask("asked", view),
        News::Closed(view) => ask("closed", view),
        other => format!("{other:?}"),
    }
}

/// What is told up to a place.
async fn told(feed: &mut Subscription, end: Seq) -> Vec<(Seq, u64, String)> {
    let mut told = Vec::new();
    loop {
        let item = feed.next().await.unwrap();
        let Some(seq) = item.seq else { continue };
        told.push((seq, item.at.as_millis(), lasting(&item.news)));
        if seq >= end {
            return told;
        }
    }
}

#[tokio::test]
async fn what_is_replayed_is_what_was_told() {
    let mut kinds = BTreeSet::new();
    for seed in 100..100 + SEEDS {
        let house = House::new(GROUND).await;
        let (mut dice, mut link) = (Dice(seed), None);
        let (mut live, _) = house.ann().follow(FeedFilter::Everything, None);
        let start = live.head();
        for _ in 0..40 {
            act(&house, &mut dice, &mut link, false).await;
        }
        // Something that is told, so that both know where to stop.
        house.pass(MINUTE).await;
        let last = house.asked(questions("The end?", None)).await;
        answer(&house, &last).await;
        let events = journal(&house).await;
        let end = events.iter().rev().find(
            |stored| matches!(&stored.event, Some(Event::Closed { ask, .. }) if *ask == last.id),
        );
        let end = end.unwrap().seq;
        let live = told(&mut live, end).await;
        let (mut replay, reset) = house.ann().follow(FeedFilter::Everything, Some(start));
        assert!(!reset);
        let replayed = told(&mut replay, end).await;
        for (one, other) in live.iter().zip(&replayed) {
            assert_eq!(one, other, "seed {seed}");
        }
        assert_eq!(live.len(), replayed.len(), "seed {seed}");
        kinds.extend(events.iter().filter_map(|stored| {
            let event = format!("{:?}", stored.event.as_ref()?);
            let end = event.find([' ', '(']).unwrap_or(event.len());
            Some(event[..end].to_owned())
        }));
        house.end().await;
    }
    let every = [
        "AgentMet",
        "AnsweredLate",
        "Asked",
        "Closed",
        "ConversationBegan",
        "Delivered",
        "EpochBegan",
        "Handed",
        "Messaged",
        "Noted",
        "Removed",
        "Returned",
        "RuleMade",
        "RuleRevoked",
        "Said",
        "TokenMade",
        "TokenRevoked",
        "TurnEnded",
    ];
    let every: BTreeSet<String> = every.map(str::to_owned).into();
    if GROUND == Ground::OneHub {
        assert_eq!(kinds, every, "every kind that is told, and those beside it");
    }
}
