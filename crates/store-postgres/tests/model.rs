//! The protocol of turns as a model: two nodes, one database with a standby, and everything that can go
//! wrong between them, in every order. Every state that can be reached is looked at.
//!
//! Each node wants to close the same ask once. What it tells its caller must be true of the journal from
//! then on, whatever fails. Each mistake that the protocol guards against is planted once, and found.

use std::collections::{HashSet, VecDeque};

const NODES: usize = 2;
/// Connections that may be lost, nodes that may be killed, servers that may fail: in all of one story.
const MISHAPS: u8 = 3;

/// What keeps it right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// A turn excludes others.
    Lock,
    /// A place is given once.
    PrimaryKey,
    /// A commit is acknowledged once the standby has it.
    Standby,
    /// After a new connection nothing is read before a write was acknowledged.
    Barrier,
    /// A node that misses what it knew goes on for nobody.
    Refusal,
    /// How a commit ended is read in the next turn, and not guessed.
    Doubt,
}

/// The guards that are missing.
#[derive(Debug, Clone, Copy)]
struct Rules(&'static [Guard]);

impl Rules {
    fn has(self, guard: Guard) -> bool {
        !self.0.contains(&guard)
    }
}

/// Each node closes the ask, or finds that it is closed. An entry is known by its node and how often that
/// node was started, and by the entries it was decided on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Entry {
    node: usize,
    life: u8,
    decided_on: Vec<(usize, u8)>,
}

impl Entry {
    fn name(&self) -> (usize, u8) {
        (self.node, self.life)
    }
}

/// A transaction that the server may still commit, also when nobody waits for it any more.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Open {
    node: usize,
    /// Whether its connection is still there.
    is_heard: bool,
    what: Option<(usize, Entry)>,
    /// It has its place on the primary and waits for the standby.
    is_written: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    /// There is no connection, or nothing was acknowledged over it.
    Away,
    Idle,
    /// In the turn, with nothing read.
    Taken,
    /// In the turn, with everything read.
    Read,
    /// The commit was sent.
    Sent,
    /// It misses what it knew.
    Refuses,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Node {
    phase: Phase,
    life: u8,
    known: Vec<Entry>,
    /// Its commit of which nobody knows how it ended.
    doubt: Option<(usize, Entry)>,
    is_done: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct World {
    /// What the primary has.
    journal: Vec<Entry>,
    /// How much of it the standby has.
    replicated: usize,
    /// How much of it whoever reads can see.
    visible: usize,
    open: Vec<Open>,
    nodes: [Node; NODES],
    /// What callers were told: at this place stands this close.
    told: Vec<(usize, (usize, u8))>,
    mishaps: u8,
    /// What must never be.
    fault: Option<&'static str>,
}

/// What must happen somewhere, so that a model that never gets there does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sight {
    PlaceTaken,
    DoubtCommitted,
    DoubtNotCommitted,
    LostToTheOther,
    LossRefused,
}

type Seen = HashSet<Sight>;

impl World {
    fn new() -> Self {
        let node = Node {
            phase: Phase::Away,
            life: 0,
            known: Vec::new(),
            doubt: None,
            is_done: false,
        };
        Self {
            journal: Vec::new(),
            replicated: 0,
            visible: 0,
            open: Vec::new(),
            nodes: [node.clone(), node],
            told: Vec::new(),
            mishaps: 0,
            fault: None,
        }
    }

    /// Everything that can happen next.
    fn next(&self, rules: Rules, seen: &mut Seen) -> Vec<Self> {
        let mut next = Vec::new();
        for node in 0..NODES {
            self.node_acts(node, rules, seen, &mut next);
        }
        self.server_acts(rules, seen, &mut next);
        if self.mishaps < MISHAPS {
            self.mishap(rules, &mut next);
        }
        next
    }

    fn node_acts(&self, number: usize, rules: Rules, seen: &mut Seen, next: &mut Vec<Self>) {
        let mut world = self.clone();
        let is_locked = rules.has(Guard::Lock) && !self.open.is_empty();
        match self.nodes[number].phase {
            // The write that must be acknowledged waits for the standby.
            Phase::Away if !rules.has(Guard::Barrier) || self.all_is_safe(rules) => {
                world.nodes[number].phase = Phase::Idle;
            }
            Phase::Idle if !self.nodes[number].is_done && !is_locked => {
                world.nodes[number].phase = Phase::Taken;
                world.open.push(Open {
                    node: number,
                    is_heard: true,
                    what: None,
                    is_written: false,
                });
            }
            Phase::Taken => world.read(number, rules, seen),
            Phase::Read => world.decide(number, seen),
            Phase::Away | Phase::Idle | Phase::Sent | Phase::Refuses => return,
        }
        next.push(world);
    }

    fn all_is_safe(&self, rules: Rules) -> bool {
        !rules.has(Guard::Standby) || self.replicated == self.journal.len()
    }

    /// In the turn: what others wrote, and how a commit in doubt ended.
    fn read(&mut self, number: usize, rules: Rules, seen: &mut Seen) {
        let there = self.journal[..self.visible].to_vec();
        let node = &mut self.nodes[number];
        if !there.starts_with(&node.known) {
            if rules.has(Guard::Refusal) {
                seen.insert(Sight::LossRefused);
                node.phase = Phase::Refuses;
                self.end(number);
                return;
            }
            self.fault = Some("a node goes on after a loss");
        }
        node.known = there;
        node.phase = Phase::Read;
        if let Some((place, entry)) = node.doubt.take() {
            if node.known.get(place) == Some(&entry) {
                seen.insert(Sight::DoubtCommitted);
                self.tell(number, place, entry.name());
            } else {
                // Its caller is told to try again, and does.
                seen.insert(Sight::DoubtNotCommitted);
            }
        }
    }

    /// In the turn: closes the ask, or finds that it is closed.
    fn decide(&mut self, number: usize, seen: &mut Seen) {
        let node = &mut self.nodes[number];
        if node.is_done {
            node.phase = Phase::Idle;
            self.end(number);
            return;
        }
        if let Some((place, first)) = node.known.iter().enumerate().next() {
            let first = first.name();
            if first.0 != number {
                seen.insert(Sight::LostToTheOther);
            }
            node.phase = Phase::Idle;
            self.tell(number, place, first);
            self.end(number);
            return;
        }
        let entry = Entry {
            node: number,
            life: node.life,
            decided_on: node.known.iter().map(Entry::name).collect(),
        };
        let what = (node.known.len(), entry);
        node.phase = Phase::Sent;
        for open in &mut self.open {
            if open.node == number && open.is_heard {
                open.what = Some(what.clone());
            }
        }
    }

    /// The server commits what was sent, the standby follows, and whoever still waits hears of it.
    fn server_acts(&self, rules: Rules, seen: &mut Seen, next: &mut Vec<Self>) {
        for (at, open) in self.open.iter().enumerate() {
            if !open.is_heard && !open.is_written {
                // The server notices that nobody is there before the commit came.
                let mut world = self.clone();
                world.open.remove(at);
                next.push(world);
            }
            let Some((place, entry)) = &open.what else {
                continue;
            };
            let mut world = self.clone();
            if open.is_written {
                let is_safe = !rules.has(Guard::Standby) || self.replicated > *place;
                if !is_safe {
                    continue;
                }
                world.visible = world.visible.max(place + 1);
                world.open.remove(at);
                if open.is_heard {
                    world.acknowledge(open.node, *place, entry);
                }
            } else if rules.has(Guard::PrimaryKey) && *place < self.journal.len() {
                seen.insert(Sight::PlaceTaken);
                world.open.remove(at);
                if open.is_heard {
                    world.nodes[open.node].phase = Phase::Idle;
                }
            } else {
                if *place > self.journal.len() {
                    world.fault = Some("a place was left out");
                }
                world.journal.push(entry.clone());
                world.open[at].is_written = true;
            }
            next.push(world);
        }
        if self.replicated < self.journal.len() {
            let mut world = self.clone();
            world.replicated += 1;
            next.push(world);
        }
    }

    fn acknowledge(&mut self, number: usize, place: usize, entry: &Entry) {
        self.nodes[number].phase = Phase::Idle;
        self.nodes[number].known.push(entry.clone());
        self.tell(number, place, entry.name());
    }

    fn tell(&mut self, number: usize, place: usize, close: (usize, u8)) {
        self.nodes[number].is_done = true;
        self.told.push((place, close));
    }

    /// Ends the turn of a node, which wrote nothing in it.
    fn end(&mut self, number: usize) {
        self.open
            .retain(|open| open.node != number || !open.is_heard);
    }

    fn mishap(&self, rules: Rules, next: &mut Vec<Self>) {
        for number in 0..NODES {
            if self.nodes[number].phase != Phase::Away {
                let mut cut = self.clone();
                cut.lose_link(number, rules);
                next.push(cut.after_mishap());
            }
            let mut killed = self.clone();
            killed.lose_link(number, rules);
            let node = &mut killed.nodes[number];
            (node.known, node.doubt) = (Vec::new(), None);
            node.life += 1;
            next.push(killed.after_mishap());
        }
        // The primary comes back with everything it has on its disk, replicated or not.
        let mut restarted = self.clone();
        restarted.lose_all_links(rules);
        restarted.visible = restarted.journal.len();
        next.push(restarted.after_mishap());
        // The standby takes over, and has another one at once.
        let mut failed_over = self.clone();
        failed_over.lose_all_links(rules);
        failed_over.journal.truncate(self.replicated);
        failed_over.visible = self.replicated;
        next.push(failed_over.after_mishap());
    }

    fn after_mishap(mut self) -> Self {
        self.mishaps += 1;
        self
    }

    fn lose_all_links(&mut self, rules: Rules) {
        for number in 0..NODES {
            self.lose_link(number, rules);
        }
        // What has its place on the disk keeps it; the rest never was.
        self.open.clear();
    }

    fn lose_link(&mut self, number: usize, rules: Rules) {
        for open in &mut self.open {
            open.is_heard &= open.node != number;
        }
        let sent = self.open.iter().rev().find(|open| open.node == number);
        let sent = sent.and_then(|open| open.what.clone());
        let node = &mut self.nodes[number];
        if node.phase == Phase::Sent
            && let Some((place, entry)) = sent
        {
            if rules.has(Guard::Doubt) {
                node.doubt = Some((place, entry));
            } else {
                self.tell(number, place, entry.name());
            }
        }
        if self.nodes[number].phase != Phase::Refuses {
            self.nodes[number].phase = Phase::Away;
        }
    }

    /// What is wrong here, if anything is.
    fn fault(&self, rules: Rules) -> Option<&'static str> {
        let is_final = |place: usize| place < self.journal.len();
        let is_decided_there = |(place, entry): (usize, &Entry)| {
            let before = self.journal[..place].iter().map(Entry::name);
            before.eq(entry.decided_on.iter().copied())
        };
        if self.fault.is_some() {
            self.fault
        } else if self.journal.len() > 1 {
            Some("the ask was closed twice")
        } else if !self.journal.iter().enumerate().all(is_decided_there) {
            Some("something was decided on another state than the one before it")
        } else if rules.has(Guard::Standby)
            && (self.told.iter())
                .any(|(place, close)| !is_final(*place) || self.journal[*place].name() != *close)
        {
            Some("a caller was told what is not so")
        } else {
            None
        }
    }
}

/// Looks at every state that can be reached. Gives the first fault.
fn explore(rules: Rules) -> (Option<&'static str>, Seen) {
    let mut seen = Seen::default();
    let (mut known, mut queue) = (HashSet::new(), VecDeque::from([World::new()]));
    while let Some(world) = queue.pop_front() {
        if let Some(fault) = world.fault(rules) {
            return (Some(fault), seen);
        }
        for next in world.next(rules, &mut seen) {
            if known.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    (None, seen)
}

/// Explores without some guards: nothing goes wrong, and these are among what is seen.
fn assert_holds(without: &'static [Guard], wanted: &[Sight]) {
    let (fault, seen) = explore(Rules(without));
    assert_eq!(fault, None, "without {without:?}");
    for sight in wanted {
        assert!(seen.contains(sight), "never seen: {sight:?}");
    }
}

#[test]
fn whatever_fails_each_caller_is_told_what_the_journal_says() {
    let wanted = [
        Sight::DoubtCommitted,
        Sight::DoubtNotCommitted,
        Sight::LostToTheOther,
    ];
    assert_holds(&[], &wanted);
}

#[test]
fn without_the_lock_the_primary_key_holds_alone() {
    assert_holds(&[Guard::Lock], &[Sight::PlaceTaken]);
}

#[test]
fn a_loss_after_an_asynchronous_failover_is_refused_by_whoever_knew_what_was_lost() {
    assert_holds(&[Guard::Standby], &[Sight::LossRefused]);
}

#[test]
fn each_mistake_is_found() {
    let mistakes: [&[Guard]; 4] = [
        &[Guard::Lock, Guard::PrimaryKey],
        &[Guard::Barrier],
        &[Guard::Doubt],
        &[Guard::Standby, Guard::Refusal],
    ];
    for without in mistakes {
        let (fault, _) = explore(Rules(without));
        assert!(fault.is_some(), "without {without:?} nothing is found");
    }
}
