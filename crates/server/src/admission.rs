//! Who may hold a connection, and for how long.
//!
//! A connection belongs to a stranger until a valid token came over it. Strangers share a small
//! number of connections, and the one that has been idle longest makes room for the next, so that
//! somebody who is about to log in always gets one. Agents share most of the rest, bounded for each
//! token and each address; what is left is kept for people and admins. A connection that belongs to
//! a token is never closed to make room.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use futures_util::task::AtomicWaker;
use sayso_core::id::TokenId;
use sayso_core::limits;
use sayso_hub::Pass;
use tokio::sync::Notify;

use crate::auth::peer::Peer;

/// Fewer connections than this cannot be shared out.
const CONNECTIONS_MIN: usize = 8;

/// How the connections are shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shares {
    strangers: usize,
    strangers_per_address: usize,
    /// Everyone with a token.
    members: usize,
    agents: usize,
    agents_per_token: usize,
    agents_per_address: usize,
    people_per_token: usize,
}

impl Shares {
    fn of(connections: usize) -> Self {
        let all = connections.max(CONNECTIONS_MIN);
        let strangers = (all / 4).min(limits::STRANGERS_MAX);
        let members = all - strangers;
        let agents = members - (all / 4).min(limits::PEOPLE_RESERVED);
        Self {
            strangers,
            strangers_per_address: strangers / 2,
            members,
            agents,
            agents_per_token: agents / 2,
            agents_per_address: agents * 3 / 4,
            people_per_token: members / 2,
        }
    }
}

/// Whose a connection with a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Member {
    token: TokenId,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// An agent, from this address when it is known.
    Agent(Option<IpAddr>),
    /// A person or an admin.
    Person,
}

/// A connection over which no token came yet.
#[derive(Debug)]
struct Stranger {
    address: Option<IpAddr>,
    /// Whether a request of it is being answered.
    busy: bool,
    /// When it was last heard of, in the order of events.
    heard: u64,
    cut: Arc<Cut>,
}

/// Whether a connection must go, and who must be woken for that.
#[derive(Debug, Default)]
struct Cut {
    done: AtomicBool,
    reader: AtomicWaker,
    writer: AtomicWaker,
}

/// Why a token gets no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionLimit {
    /// The token has as many as one may have.
    Token(usize),
    /// Agents at this address have as many as one address may have.
    Address(usize),
    /// There is no room for another.
    Server,
}

#[derive(Debug, Default)]
struct Open {
    /// Connections that have not ended, those that were told to go among them.
    live: usize,
    ticks: u64,
    strangers: BTreeMap<u64, Stranger>,
    members: HashMap<u64, Member>,
    agents: usize,
    by_token: HashMap<TokenId, usize>,
    agents_by_address: HashMap<IpAddr, usize>,
}

/// Everyone who holds a connection.
#[derive(Debug)]
pub(crate) struct Admission {
    shares: Shares,
    open: Mutex<Open>,
    emptied: Notify,
}

/// The right to a connection; it ends with this.
#[derive(Debug)]
pub(crate) struct ConnectionPlace {
    admission: Arc<Admission>,
    number: u64,
    /// Whether no valid token came yet.
    stranger: AtomicBool,
    cut: Arc<Cut>,
}

/// What a stream holds of its place.
#[derive(Debug)]
pub(crate) struct PlaceHold(Arc<ConnectionPlace>);

/// Where a request comes from, and over which connection.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    pub(crate) peer: Peer,
    pub(crate) place: Arc<ConnectionPlace>,
}

impl Admission {
    pub(crate) fn new(connections: usize) -> Arc<Self> {
        Arc::new(Self {
            shares: Shares::of(connections),
            open: Mutex::default(),
            emptied: Notify::new(),
        })
    }

    /// Takes a connection in as a stranger's, and closes another when there are too many of them.
    /// The address is absent where it says nothing, as that of a proxy does.
    pub(crate) fn arrive(
        self: &Arc<Self>,
        address: Option<IpAddr>,
    ) -> (PlaceHold, Arc<ConnectionPlace>) {
        let mut open = self.lock();
        open.live += 1;
        let number = open.tick();
        let cut = Arc::new(Cut::default());
        let stranger = Stranger {
            address,
            busy: false,
            heard: number,
            cut: Arc::clone(&cut),
        };
        open.strangers.insert(number, stranger);
        open.recycle(self.shares, address, number);
        drop(open);
        let place = Arc::new(ConnectionPlace {
            admission: Arc::clone(self),
            number,
            stranger: AtomicBool::new(true),
            cut,
        });
        (PlaceHold(Arc::clone(&place)), place)
    }

    /// Closes the stranger's connection that has been idle longest: the system has no more to give.
    pub(crate) fn make_room(&self) {
        let mut open = self.lock();
        if let Some(oldest) = open.oldest(self.shares, None, |_| true) {
            open.cut(oldest);
        }
    }

    /// Resolves once every connection has ended.
    pub(crate) async fn emptied(&self) {
        loop {
            let emptied = self.emptied.notified();
            if self.live() == 0 {
                return;
            }
            emptied.await;
        }
    }

    /// Connections that have not ended.
    pub(crate) fn live(&self) -> usize {
        self.lock().live
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn tick(&mut self) -> u64 {
        self.ticks += 1;
        self.ticks
    }

    /// Closes strangers' connections until an address and all of them together have no more than
    /// their shares. The one that is there for is never among them.
    fn recycle(&mut self, shares: Shares, address: Option<IpAddr>, but: u64) {
        if let Some(address) = address {
            let of_it = |stranger: &Stranger| stranger.address == Some(address);
            let count = self.strangers.values().filter(|one| of_it(one)).count();
            for _ in shares.strangers_per_address..count {
                if let Some(oldest) = self.oldest(shares, Some(but), of_it) {
                    self.cut(oldest);
                }
            }
        }
        while self.strangers.len() > shares.strangers {
            let most = self.most_crowded();
            let of_it = |stranger: &Stranger| stranger.address == most;
            let Some(oldest) = self.oldest(shares, Some(but), of_it) else {
                return;
            };
            self.cut(oldest);
        }
    }

    /// The address that has the most strangers.
    fn most_crowded(&self) -> Option<IpAddr> {
        let mut counts: BTreeMap<Option<IpAddr>, usize> = BTreeMap::new();
        for stranger in self.strangers.values() {
            *counts.entry(stranger.address).or_default() += 1;
        }
        // Of equal ones the first to have come.
        let rank = |stranger: &Stranger| counts.get(&stranger.address).copied();
        let crowded = self.strangers.values().rev().max_by_key(|one| rank(one));
        crowded.and_then(|stranger| stranger.address)
    }

    /// The connection that was not heard of for longest. One that is being answered counts as a
    /// little younger than it is, and no more: many that never end must not outlast one that has
    /// just come.
    fn oldest(
        &self,
        shares: Shares,
        but: Option<u64>,
        wanted: impl Fn(&Stranger) -> bool,
    ) -> Option<u64> {
        let patience = (shares.strangers_per_address / 4) as u64;
        let age = |stranger: &Stranger| {
            let younger = if stranger.busy { patience } else { 0 };
            stranger.heard + younger
        };
        let all = self.strangers.iter();
        let fitting = all.filter(|(number, one)| Some(**number) != but && wanted(one));
        let oldest = fitting.min_by_key(|(_, stranger)| age(stranger));
        oldest.map(|(number, _)| *number)
    }

    fn cut(&mut self, number: u64) {
        if let Some(stranger) = self.strangers.remove(&number) {
            stranger.cut.now();
        }
    }

    fn count(&mut self, member: Member) {
        *self.by_token.entry(member.token).or_default() += 1;
        if let Kind::Agent(address) = member.kind {
            self.agents += 1;
            if let Some(address) = address {
                *self.agents_by_address.entry(address).or_default() += 1;
            }
        }
    }

    fn count_down(&mut self, member: Member) {
        less(&mut self.by_token, &member.token);
        if let Kind::Agent(address) = member.kind {
            self.agents -= 1;
            if let Some(address) = address {
                less(&mut self.agents_by_address, &address);
            }
        }
    }

    /// Whether there is room for one more of these.
    fn room_for(&self, member: Member, shares: Shares) -> Result<(), ConnectionLimit> {
        let of_token = self.by_token.get(&member.token).copied().unwrap_or(0);
        let per_token = match member.kind {
            Kind::Agent(_) => shares.agents_per_token,
            Kind::Person => shares.people_per_token,
        };
        if of_token >= per_token {
            return Err(ConnectionLimit::Token(per_token));
        }
        if let Kind::Agent(address) = member.kind {
            let here = address.and_then(|address| self.agents_by_address.get(&address));
            if here.is_some_and(|count| *count >= shares.agents_per_address) {
                return Err(ConnectionLimit::Address(shares.agents_per_address));
            }
            if self.agents >= shares.agents {
                return Err(ConnectionLimit::Server);
            }
        }
        if self.members.len() >= shares.members {
            return Err(ConnectionLimit::Server);
        }
        Ok(())
    }
}

fn less<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl ConnectionPlace {
    /// A request came over it.
    pub(crate) fn begins(&self, address: Option<IpAddr>) {
        self.heard(address, true);
    }

    /// Its reply is on its way.
    pub(crate) fn ends(&self, address: Option<IpAddr>) {
        self.heard(address, false);
    }

    fn heard(&self, address: Option<IpAddr>, busy: bool) {
        if !self.is_stranger() {
            return;
        }
        let shares = self.admission.shares;
        let mut open = self.admission.lock();
        let heard = open.tick();
        if let Some(stranger) = open.strangers.get_mut(&self.number) {
            (stranger.busy, stranger.heard) = (busy, heard);
            if stranger.address != address {
                stranger.address = address;
                open.recycle(shares, address, self.number);
            }
        }
    }

    /// A valid token came over it: from now on it is one of that token's.
    pub(crate) fn admit(
        &self,
        pass: &Pass,
        address: Option<IpAddr>,
    ) -> Result<(), ConnectionLimit> {
        let kind = match pass {
            Pass::Agent(_) => Kind::Agent(address),
            Pass::Person(_) | Pass::Admin(_) => Kind::Person,
        };
        let member = Member {
            token: pass.token_id(),
            kind,
        };
        self.become_member(member)
    }

    fn become_member(&self, member: Member) -> Result<(), ConnectionLimit> {
        let shares = self.admission.shares;
        let mut open = self.admission.lock();
        let before = open.members.get(&self.number).copied();
        if before == Some(member) {
            return Ok(());
        }
        if let Some(before) = before {
            open.members.remove(&self.number);
            open.count_down(before);
        } else if !open.strangers.contains_key(&self.number) {
            // It was told to go just now.
            return Err(ConnectionLimit::Server);
        }
        let room = open.room_for(member, shares);
        let is = match (room, before) {
            (Ok(()), _) => member,
            (Err(full), None) => return Err(full),
            // It stays what it was.
            (Err(_), Some(before)) => before,
        };
        open.strangers.remove(&self.number);
        open.members.insert(self.number, is);
        open.count(is);
        self.stranger.store(false, Ordering::Release);
        room
    }

    fn is_stranger(&self) -> bool {
        self.stranger.load(Ordering::Acquire)
    }
}

impl PlaceHold {
    /// Whether the connection must go; whoever reads it is woken once it must.
    pub(crate) fn is_cut_for_reader(&self, waker: &Waker) -> bool {
        self.0.is_stranger() && self.0.cut.watched(&self.0.cut.reader, waker)
    }

    /// The same for whoever writes to it.
    pub(crate) fn is_cut_for_writer(&self, waker: &Waker) -> bool {
        self.0.is_stranger() && self.0.cut.watched(&self.0.cut.writer, waker)
    }
}

impl Cut {
    fn now(&self) {
        self.done.store(true, Ordering::Release);
        self.reader.wake();
        self.writer.wake();
    }

    fn watched(&self, by: &AtomicWaker, waker: &Waker) -> bool {
        // Registered before the look: a cut between the two still wakes.
        by.register(waker);
        self.done.load(Ordering::Acquire)
    }
}

impl Drop for PlaceHold {
    fn drop(&mut self) {
        let ConnectionPlace {
            admission, number, ..
        } = &*self.0;
        let mut open = admission.lock();
        open.live -= 1;
        open.strangers.remove(number);
        if let Some(member) = open.members.remove(number) {
            open.count_down(member);
        }
        if open.live == 0 {
            drop(open);
            admission.emptied.notify_waiters();
        }
    }
}

#[cfg(test)]
#[path = "admission_tests.rs"]
mod tests;
