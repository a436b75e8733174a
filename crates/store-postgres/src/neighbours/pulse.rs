//! The sign of life: a small write every half second that must be acknowledged. While it is, this node
//! may believe what it knows. On the same connection hang the seats of jobs that one node does.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sayso_core::id::Seq;
use sayso_store::{LEVEL, NodeId, StoreError};
use sayso_store_sql::sql::number;
use tokio::sync::{Notify, watch};

use crate::fault;
use crate::inner::{PgInner, locked};
use crate::journal::value;
use crate::known::tell_lost;
use crate::link::PgLink;
use crate::setup::number_of;

/// How often a quiet node writes.
const BEAT: Duration = Duration::from_millis(500);
/// How long a node that stops waits for the database to take down that it did.
const GOODBYE_MAX: Duration = Duration::from_secs(1);
/// A node that gives no sign of life for so long has its seats taken, whatever became of it.
const SEATS_GO: &str = "SET idle_session_timeout = '5s'";
/// The pause before a lost connection is opened again.
const PAUSE: Duration = Duration::from_millis(100);

/// Ends of the journal that are not taken in yet, and that are remembered: more than come in a second.
const ENDS_MAX: usize = 16;

/// How a clock that also runs while the machine sleeps is called.
#[cfg(target_os = "linux")]
const STEADY: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const STEADY: ClockId = ClockId::Monotonic;

/// The time on a clock that nobody sets, and that also runs while the machine sleeps.
pub(crate) fn steady_now() -> Duration {
    Duration::try_from(clock_gettime(STEADY)).unwrap_or_default()
}

/// Whether this node is fresh, who else is alive, and which seats it has.
#[derive(Debug)]
pub(crate) struct Pulse {
    /// Until when it is, in microseconds of the steady clock.
    fresh_until: AtomicU64,
    /// For how long an acknowledged write makes it so.
    fresh_for: Duration,
    /// Whether it was when that was last looked at.
    fresh: watch::Sender<bool>,
    /// Until when this node has taken in what there was a moment ago, in the same way.
    current_until: AtomicU64,
    current: watch::Sender<bool>,
    /// Whether nothing is believed any more, whatever is acknowledged.
    refused: AtomicBool,
    told: Mutex<Told>,
    alive: Mutex<Vec<NodeId>>,
    /// The highest level that every live node reads.
    level: AtomicU32,
    /// Every job that was asked for, and whether this node has its seat.
    seats: Mutex<BTreeMap<String, bool>>,
    /// Rings when there is something to say before the next beat.
    bell: Notify,
}

/// What this node tells of itself.
#[derive(Debug, Default)]
struct Told {
    applied: Seq,
    url: Option<String>,
    /// Where the journal ended behind that, after writes that began then: the latest come last.
    ends: VecDeque<(Duration, Seq)>,
}

impl Pulse {
    pub(crate) fn new(fresh_for: Duration, level: u32) -> Self {
        Self {
            fresh_until: AtomicU64::new(0),
            fresh_for,
            fresh: watch::Sender::new(false),
            current_until: AtomicU64::new(0),
            current: watch::Sender::new(false),
            refused: AtomicBool::new(false),
            told: Mutex::default(),
            alive: Mutex::default(),
            level: AtomicU32::new(level),
            seats: Mutex::default(),
            bell: Notify::new(),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Pulse {
    /// A write that began then was acknowledged, and the journal ended there at that moment or later.
    pub(crate) fn acknowledged(&self, began: Duration, end: Seq) {
        self.fresh_until
            .fetch_max(micros(began + self.fresh_for), Ordering::SeqCst);
        {
            let mut told = locked(&self.told);
            if told.ends.len() >= ENDS_MAX {
                // The older ones are taken in sooner.
                told.ends.pop_back();
            }
            told.ends.push_back((began, end));
            self.take_in(&mut told);
        }
        self.look();
    }

    /// What was there when a write began is taken in: what this node knows is no older than that.
    fn take_in(&self, told: &mut Told) {
        let applied = told.applied;
        told.ends.retain(|(began, end)| {
            let is_taken_in = *end <= applied;
            if is_taken_in {
                let until = micros(*began + self.fresh_for);
                self.current_until.fetch_max(until, Ordering::SeqCst);
            }
            !is_taken_in
        });
    }

    /// From now on nothing that this node knows is believed.
    pub(crate) fn refuse(&self) {
        self.refused.store(true, Ordering::SeqCst);
        self.look();
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.is_before(&self.fresh_until)
    }

    pub(crate) fn is_current(&self) -> bool {
        self.is_fresh() && self.is_before(&self.current_until)
    }

    fn is_before(&self, until: &AtomicU64) -> bool {
        !self.refused.load(Ordering::SeqCst) && micros(steady_now()) < until.load(Ordering::SeqCst)
    }

    /// Tells whoever waits when that has changed.
    fn look(&self) {
        for (is_so, told) in [
            (self.is_fresh(), &self.fresh),
            (self.is_current(), &self.current),
        ] {
            told.send_if_modified(|was| std::mem::replace(was, is_so) != is_so);
        }
    }

    pub(crate) async fn no_longer(&self, fresh: bool) {
        let mut seen = self.fresh.subscribe();
        // The sender lives as long as this does.
        let _ = seen.wait_for(|now| *now != fresh).await;
    }

    pub(crate) async fn becomes_current(&self, current: bool) {
        let mut seen = self.current.subscribe();
        // The sender lives as long as this does.
        let _ = seen.wait_for(|now| *now == current).await;
    }

    pub(crate) fn tell(&self, applied: Seq, url: Option<&str>) {
        {
            let mut told = locked(&self.told);
            told.applied = told.applied.max(applied);
            self.take_in(&mut told);
            let is_new = url.is_some_and(|url| told.url.as_deref() != Some(url));
            if is_new {
                told.url = url.map(str::to_owned);
                self.bell.notify_one();
            }
        }
        if !*self.current.borrow() {
            self.look();
        }
    }

    /// Whether no other node lives. One that starts looks by itself until it is seen.
    pub(crate) fn is_alone(&self) -> bool {
        locked(&self.alive).len() == 1
    }

    pub(crate) fn alive(&self) -> Vec<NodeId> {
        locked(&self.alive).clone()
    }

    pub(crate) fn level(&self) -> u32 {
        self.level.load(Ordering::SeqCst)
    }

    pub(crate) fn seat(&self, job: &str) -> bool {
        let mut seats = locked(&self.seats);
        if let Some(has) = seats.get(job) {
            return *has;
        }
        seats.insert(job.to_owned(), false);
        self.bell.notify_one();
        false
    }
}

/// Gives signs of life until the store stops.
pub(crate) async fn beat(inner: Arc<PgInner>) {
    tokio::spawn(watch_out(Arc::clone(&inner)));
    loop {
        if let Err(error) = live(&inner).await {
            tracing::debug!(%error, "lost the heartbeat connection");
        }
        // Whoever has the seats now, it is not certain that we do.
        for has in locked(&inner.pulse.seats).values_mut() {
            *has = false;
        }
        if inner.rest(PAUSE).await {
            return;
        }
    }
}

/// Notices when signs of life were not acknowledged for too long.
async fn watch_out(inner: Arc<PgInner>) {
    loop {
        let now = micros(steady_now());
        let fresh_until = inner.pulse.fresh_until.load(Ordering::SeqCst);
        let current_until = inner.pulse.current_until.load(Ordering::SeqCst);
        // Whoever makes it fresh or current again says so.
        let left = [fresh_until, current_until]
            .map(|until| until.saturating_sub(now))
            .into_iter()
            .filter(|left| *left > 0);
        let left = left.min().unwrap_or_default();
        // At least a little, so that a node that is not fresh looks at its clock now and then.
        let left = Duration::from_micros(left).max(Duration::from_millis(5));
        if inner.rest(left).await {
            return;
        }
        inner.pulse.look();
    }
}

async fn live(inner: &PgInner) -> Result<(), StoreError> {
    let link = inner.target.link().await?;
    let mut stop = inner.stop.subscribe();
    let beats = async {
        let set = link.client.batch_execute(SEATS_GO);
        inner
            .target
            .answer(&link, set)
            .await?
            .map_err(fault::journal)?;
        loop {
            inner.target.answer(&link, once(inner, &link)).await??;
            inner.known_file.keep(inner.known());
            let seats = take_seats(inner, &link);
            inner.target.answer(&link, seats).await??;
            tokio::select! {
                () = tokio::time::sleep(BEAT) => {}
                () = inner.pulse.bell.notified() => {}
            }
        }
    };
    // A write that waits for a standby may wait for ever.
    tokio::select! {
        ended = beats => return ended,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    // Nobody need wait until it counts as dead; but nobody waits for a database that is away either.
    let gone = "UPDATE node SET seen_at = to_timestamp(0) WHERE node = $1";
    let node = number_of(inner.node);
    let last = async { link.client.execute(gone, &[&node]).await };
    drop(tokio::time::timeout(GOODBYE_MAX, last).await);
    Ok(())
}

async fn once(inner: &PgInner, link: &PgLink) -> Result<(), StoreError> {
    let about = link
        .client
        .query_one("SELECT moved, life::text, level, lost FROM meta", &[])
        .await
        .map_err(fault::journal)?;
    let level = value(&about, 2)?;
    inner.check_life(value(&about, 0)?, &value::<String>(&about, 1)?, level)?;
    // Signs of life go on: this node is there, and serves nothing.
    let _ = inner.check_lost(value::<Option<u64>>(&about, 3)?.map(Seq));
    if let Some(lost) = inner.lost() {
        tell_lost(&link.client, &inner.known_file.life, lost).await?;
    }
    let (applied, url) = {
        let told = locked(&inner.pulse.told);
        (told.applied, told.url.clone())
    };
    let began = steady_now();
    link.news.warned.store(false, Ordering::SeqCst);
    // What is read with it is what was there when the write began, or more.
    let sql = "UPDATE node SET seen_at = clock_timestamp(), applied = $2, url = coalesce($3, url)
               WHERE node = $1 RETURNING (SELECT max(seq) FROM header)";
    let (node, applied) = (number_of(inner.node), number(applied.0));
    let written = link
        .client
        .query(sql, &[&node, &applied, &url])
        .await
        .map_err(fault::journal)?;
    let Some(written) = written.first() else {
        return Err(inner.went_back(inner.known().seq));
    };
    let end = Seq(value::<Option<u64>>(written, 0)?.unwrap_or_default());
    // With a warning the server was told not to wait for its standby.
    let stands = !link.news.warned.load(Ordering::SeqCst);
    let alive = "SELECT node, level FROM node WHERE seen_at > clock_timestamp() - interval '3 s'
                 ORDER BY node";
    let rows = link
        .client
        .query(alive, &[])
        .await
        .map_err(fault::journal)?;
    let mut nodes = Vec::with_capacity(rows.len());
    let mut read_by_all = LEVEL;
    for row in &rows {
        nodes.push(NodeId(value(row, 0)?));
        read_by_all = read_by_all.min(value(row, 1)?);
    }
    *locked(&inner.pulse.alive) = nodes;
    // What is in the journal already, no older node reads anyway.
    let level = read_by_all.max(level);
    inner.pulse.level.store(level, Ordering::SeqCst);
    // Whoever is told that this node is fresh finds the rest of it as it is now.
    if stands {
        inner.pulse.acknowledged(began, end);
    }
    Ok(())
}

/// Takes the seats that were asked for and that nobody has.
async fn take_seats(inner: &PgInner, link: &PgLink) -> Result<(), StoreError> {
    let wanted: Vec<String> = {
        let seats = locked(&inner.pulse.seats);
        let open = seats.iter().filter(|(_, has)| !**has);
        open.map(|(job, _)| job.clone()).collect()
    };
    for job in wanted {
        let lock = inner.target.settings.seat_lock(&job);
        let row = link
            .client
            .query_one("SELECT pg_try_advisory_lock($1)", &[&lock])
            .await
            .map_err(fault::journal)?;
        let has: bool = row.try_get(0).map_err(fault::journal)?;
        locked(&inner.pulse.seats).insert(job, has);
    }
    Ok(())
}
