//! Replicas of the state that take turns on one log, with crashes and lost replies in between.

use std::collections::{BTreeMap, BTreeSet};

use sayso_core::id::{AskId, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::state::op::{Confirm, Marks};
use sayso_core::state::{Batch, Bounds, Emptied, Now, Op, OpReply, Refusal, State};
use sayso_core::time::Time;

use super::dice::Dice;
use super::model::Model;

/// What a broken driver or state could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    /// An event of another replica is not taken in.
    LostApply,
    /// A close is applied to a batch only after the batch is over.
    DoubleClose,
    /// Something is decided on a state that lacks what others wrote.
    StaleDecide,
    /// A turn that failed is applied all the same.
    AppliedUnwritten,
    /// Two operations get the same place.
    SamePlace,
}

impl Mistake {
    pub(crate) const ALL: [Self; 5] = [
        Self::LostApply,
        Self::DoubleClose,
        Self::StaleDecide,
        Self::AppliedUnwritten,
        Self::SamePlace,
    ];
}

/// What must be reached by some story, or the stories are too tame.
pub(crate) const SOMETIMES: [&str; 24] = [
    "a key found across replicas",
    "a close lost to another replica",
    "a close lost in its own turn",
    "an answer after the deadline kept",
    "an answer after the deadline not kept",
    "a rule answered at once",
    "a rule answered what waited",
    "a revoked token refused",
    "a confirmation that was no news",
    "an outcome confirmed",
    "a turn lost before it was written",
    "a reply lost after it was written",
    "a replica started again",
    "a message handed over",
    "a message removed",
    "a message waiting again",
    "an ask erased",
    "an agent at its limit",
    "words completed by an ask",
    "a new life began",
    "a rule put in force",
    "a rule that could not be put in force",
    "words cleared",
    "text erased before a replica read it",
];

/// The events of a turn, and what whoever brought its operations is told.
type Decided = (Vec<Event>, Vec<Result<OpReply, Refusal>>);

pub(crate) struct World {
    pub(crate) dice: Dice,
    pub(crate) log: Vec<(Time, Event)>,
    model: Model,
    pub(crate) nodes: Vec<State>,
    pub(crate) wall: u64,
    pub(crate) reached: BTreeMap<&'static str, u64>,
    mistake: Option<Mistake>,
    pub(crate) bounds: Bounds,
    /// Where each ask that a caller was told of stands.
    told: BTreeMap<AskId, Option<Seq>>,
    /// Of what was written here, only the headers are left.
    erased: BTreeSet<Seq>,
    /// Replicas that never saw some of it.
    partial: BTreeSet<usize>,
}

impl World {
    pub(crate) fn new(seed: u64, mistake: Option<Mistake>) -> Self {
        let mut dice = Dice::new(seed + 1);
        // Stories with a mistake need somebody else to be wrong about.
        let count = 1 + dice.below(3);
        let count = if mistake.is_some() {
            count.max(2)
        } else {
            count
        };
        Self {
            dice,
            log: Vec::new(),
            model: Model::default(),
            nodes: (0..count).map(|_| State::default()).collect(),
            wall: 1_000_000,
            reached: BTreeMap::new(),
            mistake,
            bounds: Bounds {
                open_asks_per_agent: 6,
                conversations_per_token: 5,
            },
            told: BTreeMap::new(),
            erased: BTreeSet::new(),
            partial: BTreeSet::new(),
        }
    }

    pub(crate) fn reach(&mut self, what: &'static str) {
        *self.reached.entry(what).or_default() += 1;
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.dice.below(one_in) == 0
    }

    fn makes(&mut self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake) && self.chance(4)
    }

    /// One replica takes a turn, or is started again. What happens is drawn from the seed of the step.
    pub(crate) fn step(&mut self, seed: u64) -> Result<(), String> {
        self.dice = Dice::new(seed + 1);
        // Clocks stand still, run, and are put back.
        match self.dice.below(10) {
            0..4 => {}
            4..9 => self.wall += self.dice.below(40) as u64,
            _ => self.wall = self.wall.saturating_sub(self.dice.below(500) as u64),
        }
        let node = self.dice.below(self.nodes.len());
        if self.chance(15) {
            self.start_again(node);
        }
        self.turn(node)?;
        self.look(node)
    }

    fn start_again(&mut self, node: usize) {
        self.reach("a replica started again");
        self.nodes[node] = State::default();
        self.partial.remove(&node);
    }

    /// Takes in what others wrote.
    fn catch_up(&mut self, node: usize) {
        let after = usize::try_from(self.nodes[node].head.0).unwrap();
        let mut fell_behind = false;
        for (at, (_, event)) in self.log.iter().enumerate().skip(after) {
            let seq = Seq(at as u64 + 1);
            if self.erased.contains(&seq) {
                fell_behind = true;
                self.nodes[node].apply_erased(seq, event.ask());
            } else {
                self.nodes[node].apply(seq, event);
            }
        }
        if fell_behind {
            self.partial.insert(node);
            self.reach("text erased before a replica read it");
        }
    }

    fn turn(&mut self, node: usize) -> Result<(), String> {
        let stale = self.makes(Mistake::StaleDecide);
        if self.makes(Mistake::LostApply) && self.nodes[node].head.0 < self.log.len() as u64 {
            // It believes that it has taken everything in.
            let head = Seq(self.log.len() as u64);
            self.nodes[node].apply_erased(head, None);
        } else if !stale {
            self.catch_up(node);
        }
        let count = 1 + self.dice.below(6);
        let ops: Vec<(Op, Option<TokenId>)> = (0..count).filter_map(|_| self.op(node)).collect();
        let (events, replies) = self.decide(node, ops)?;
        if self.chance(8) {
            self.reach("a turn lost before it was written");
            if self.makes(Mistake::AppliedUnwritten) {
                self.apply(node, &events, 0);
            }
            return Ok(());
        }
        self.note(&events);
        // On one log the next place is what it is, whatever a replica believes.
        let at = Time::from_millis(self.wall);
        let first = self.log.len();
        for event in &events {
            self.log.push((at, event.clone()));
            self.model.take(Seq(self.log.len() as u64), event)?;
            if let Some(erases) = event.erases() {
                self.erased.extend(erases.places());
            }
        }
        if self.chance(10) {
            self.reach("a reply lost after it was written");
            self.start_again(node);
            return Ok(());
        }
        self.apply(node, &events, first);
        replies
            .into_iter()
            .try_for_each(|reply| self.hear(node, reply))
    }

    fn apply(&mut self, node: usize, events: &[Event], first: usize) {
        let first = first.max(usize::try_from(self.nodes[node].head.0).unwrap());
        for (event, at) in events.iter().zip(first as u64 + 1..) {
            self.nodes[node].apply(Seq(at), event);
        }
    }

    fn decide(&mut self, node: usize, ops: Vec<(Op, Option<TokenId>)>) -> Result<Decided, String> {
        let blind = self.makes(Mistake::DoubleClose);
        let same_place = self.makes(Mistake::SamePlace);
        // A batch decides as a state would that has everything of the batch in it.
        let knows_all = self.mistake.is_none() && !self.partial.contains(&node);
        let mut whole = (knows_all && self.chance(8)).then(|| self.whole());
        let emptied = Emptied::default();
        let now = Now {
            wall: Time::from_millis(self.wall),
            latest: Time::from_millis(self.wall),
            bounds: &self.bounds,
            emptied: &emptied,
        };
        let mut batch: Batch<'_> = self.nodes[node].batch();
        let (mut events, mut replies) = (Vec::new(), Vec::new());
        for (op, by) in ops {
            let alike = whole.as_ref();
            let alike = alike.map(|whole| format!("{:?}", whole.decide(op.clone(), by, &now)));
            let decided = batch.decide(op, by, &now);
            if alike.is_some_and(|alike| alike != format!("{decided:?}")) {
                return Err(format!("a batch decides {decided:?}, and a state does not"));
            }
            replies.push(decided.map(|plan| {
                for event in plan.events {
                    let is_close = matches!(event, Event::Closed { .. });
                    let next = batch.head.next();
                    if let Some(whole) = &mut whole {
                        whole.apply(next, &event);
                    }
                    if !(blind && is_close) {
                        batch.apply(next, &event);
                    }
                    if same_place {
                        batch.head = Seq(next.0 - 1);
                    }
                    events.push(event);
                }
                plan.reply
            }));
        }
        Ok((events, replies))
    }

    /// A state that has read the whole log.
    fn whole(&self) -> State {
        let mut state = State::default();
        for ((_, event), at) in self.log.iter().zip(1..) {
            state.apply(Seq(at), event);
        }
        state
    }

    /// Holds what a caller is told against the log.
    fn hear(&mut self, node: usize, reply: Result<OpReply, Refusal>) -> Result<(), String> {
        let is_close =
            |event: &Event, id: AskId| matches!(event, Event::Closed { ask, .. } if *ask == id);
        match reply {
            Ok(OpReply::Asked(ask)) => {
                let count = self
                    .log
                    .iter()
                    .filter(|(_, event)| matches!(event, Event::Asked(new) if new.id == ask));
                if count.count() != 1 {
                    return Err(format!("{ask} was acknowledged and is not there once"));
                }
                self.told.insert(ask, None);
            }
            Ok(OpReply::AskedBefore { ask, tried }) => {
                if self.nodes.len() > 1 && !self.told.contains_key(&ask) {
                    self.reach("a key found across replicas");
                }
                let known = self.log.iter().any(|(_, event)| {
                    matches!(event, Event::Asked(first) if first.id == ask && first.key == tried.key)
                });
                if !known {
                    return Err(format!("{ask} is not what was asked under this key"));
                }
            }
            Ok(OpReply::Closed(ask)) => {
                let winner = self.log.iter().position(|(_, event)| is_close(event, ask));
                let winner = winner.ok_or("a close was acknowledged and is not there")?;
                self.told.insert(ask, Some(Seq(winner as u64 + 1)));
            }
            Ok(OpReply::Late { kept, .. }) => self.reach(if kept {
                "an answer after the deadline kept"
            } else {
                "an answer after the deadline not kept"
            }),
            Ok(OpReply::Confirmed(confirmed)) => {
                for one in confirmed {
                    match one {
                        Ok(()) => self.reach("an outcome confirmed"),
                        Err(Refusal::Revoked) => self.reach("a revoked token refused"),
                        Err(Refusal::NotFound | Refusal::StillOpen) => {}
                        Err(other) => return Err(format!("a confirmation got {other:?}")),
                    }
                }
            }
            Err(Refusal::AlreadyClosed { ask, winner }) => {
                let at = usize::try_from(winner.0).unwrap().checked_sub(1);
                let event = at.and_then(|at| self.log.get(at));
                if !event.is_some_and(|(_, event)| is_close(event, ask)) {
                    return Err(format!("{winner} is not where {ask} was closed"));
                }
                let own = winner.0 + 6 > self.nodes[node].head.0;
                self.reach(if own {
                    "a close lost in its own turn"
                } else {
                    "a close lost to another replica"
                });
            }
            Err(Refusal::Revoked) => self.reach("a revoked token refused"),
            Err(Refusal::InForce(_)) => self.reach("a rule that could not be put in force"),
            Err(Refusal::Full(_)) => self.reach("an agent at its limit"),
            Ok(_) | Err(_) => {}
        }
        Ok(())
    }

    /// After a step: the replica that moved stands as the log says, and as one that reads it all.
    fn look(&mut self, node: usize) -> Result<(), String> {
        self.catch_up(node);
        let head = Seq(self.log.len() as u64);
        self.model.held_against(&self.nodes[node], head)?;
        if self.chance(12) {
            let whole = self.whole();
            let loaded = self.model.loaded(&whole);
            for (how, other) in [("reads the whole log", &whole), ("was loaded", &loaded)] {
                if let Some(part) = other.differs_from(&self.nodes[node]) {
                    return Err(format!("{part} of a state that {how} is different"));
                }
            }
        }
        Ok(())
    }

    /// Marks what an agent was sent and says it has.
    pub(crate) fn marks(confirmed: Vec<Confirm>) -> Op {
        Op::Mark(Marks {
            confirmed,
            ..Marks::default()
        })
    }
}

impl World {
    /// Notes what a turn reached.
    fn note(&mut self, events: &[Event]) {
        for (event, next) in events
            .iter()
            .zip(events.iter().skip(1).map(Some).chain([None]))
        {
            match event {
                Event::Handed { .. } => self.reach("a message handed over"),
                Event::Removed { .. } => self.reach("a message removed"),
                Event::Returned { .. } => self.reach("a message waiting again"),
                Event::Asked(ask) => {
                    if matches!(next, Some(Event::Closed { ask: closed, .. }) if *closed == ask.id)
                    {
                        self.reach("a rule answered at once");
                    }
                }
                Event::Cleared { .. } => self.reach("words cleared"),
                Event::RuleMade(rule) => {
                    if rule.version > 1 {
                        self.reach("a rule put in force");
                    }
                    if matches!(next, Some(Event::Closed { .. })) {
                        self.reach("a rule answered what waited");
                    }
                }
                _ => {}
            }
        }
    }
}
