//! The courier: what waits to be told to which device, one notice at a time for each.
//!
//! While one is on its way, or its service wants us to wait, what else is asked gathers and goes
//! out together, so that a flood of asks is one notice and a slow service holds up nobody else.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustls::ClientConfig;
use sayso_core::id::{AskId, Seq};
use sayso_core::time::Time;
use tokio::sync::{Notify, Semaphore};

use super::book::{Last, PushSubscription, SubscriptionBook};
use super::endpoint::Endpoint;
use super::home::PushHome;
use super::parcel::Parcel;
use super::seal::{DeviceKeys, seal};
use super::send::{self, Outgoing, Sent};
use super::vapid::VapidKey;
use crate::newsroom::{Device, DeviceStanding, Newsroom};

/// Notices on their way at one time.
const SENDING_MAX: usize = 16;
/// Asks that wait to be told to one device; older ones make room, a notice names a number anyway.
const WAITING_MAX: usize = 500;
/// Between two notices to one device: a phone that rings all the time is turned off.
const PAUSE: Duration = Duration::from_secs(2);
/// Between two tries: doubled each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// Tries for one notice, about a day of them: then what waits is given up and the next ask begins anew.
const TRIES_MAX: u32 = 300;
/// What became of notices is written down at most this often.
const SAVE_PAUSE: Duration = Duration::from_secs(1);
/// Where other servers write too, it is read again this often: word of it may be missed.
const RELOAD_EVERY: Duration = Duration::from_secs(5);

/// Why notices cannot be pushed, or a device not be told.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// A file cannot be used.
    #[error("{} cannot be used: {detail}", file.display())]
    File {
        file: PathBuf,
        /// Why.
        detail: String,
    },
    /// What is kept is something else than it should be.
    #[error("{place} is damaged: {detail}")]
    Damaged {
        place: String,
        /// Why.
        detail: String,
    },
    /// Where it is kept cannot be reached now.
    #[error("push subscriptions can't be read or written: {detail}")]
    Away {
        /// Why.
        detail: String,
    },
    /// The machine has no random numbers.
    #[error("the system's random number generator failed")]
    NoRandom,
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// The address will not do.
    #[error("the address {0}")]
    Endpoint(&'static str),
    /// The keys will not do.
    #[error("{0}")]
    Keys(&'static str),
    /// There are too many.
    #[error("too many devices have push subscriptions")]
    Full,
}

/// What can be set.
#[derive(Debug, Clone, Default)]
pub struct PushSettings {
    /// Push services that may be on this machine or in its network, or without TLS, as origins.
    pub private_origins: Vec<String>,
    /// Whom a push service may turn to: `mailto:` or `https:`.
    pub contact: String,
}

/// What a browser gives when it subscribes.
#[derive(Debug, Clone)]
pub struct NewSubscription {
    /// Where its notices go.
    pub endpoint: String,
    /// Its public key.
    pub p256dh: String,
    /// Its secret.
    pub auth: String,
    /// Whether words of the ask may be in the notice.
    pub text: bool,
}

/// A subscription as its device may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionView {
    /// Where its notices go.
    pub endpoint: String,
    /// Whether words of the ask are in them.
    pub text: bool,
    pub since: Time,
    /// How many notices its service took.
    pub sent: u64,
    /// What became of the last one, and when.
    pub last: Option<(Time, Sent)>,
}

impl From<PushSubscription> for SubscriptionView {
    fn from(one: PushSubscription) -> Self {
        Self {
            endpoint: one.endpoint.uri.to_string(),
            text: one.text,
            since: one.since,
            sent: one.sent,
            last: one.last.map(|last| (last.at, last.how)),
        }
    }
}

/// What waits to be told to one device.
#[derive(Debug, Default)]
struct Route {
    waiting: BTreeMap<Seq, AskId>,
    /// Whether somebody is on the way.
    busy: bool,
}

/// The courier. Clones are the same one.
#[derive(Debug, Clone)]
pub struct PushCourier(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    home: Arc<dyn PushHome>,
    book: SubscriptionBook,
    key: VapidKey,
    settings: PushSettings,
    room: Arc<dyn Newsroom>,
    trust: Arc<ClientConfig>,
    routes: Mutex<HashMap<Device, Route>>,
    sending: Semaphore,
    /// Rings when a device subscribed.
    came: Notify,
    /// Rings when there is something to write down.
    behind: Notify,
}

impl PushCourier {
    /// Opens the courier with the key and the subscriptions of this home; the key is made when there is
    /// none.
    pub async fn open(
        home: Arc<dyn PushHome>,
        settings: PushSettings,
        room: Arc<dyn Newsroom>,
    ) -> Result<Self, PushError> {
        let inner = Inner {
            key: VapidKey::open(home.as_ref()).await?,
            book: SubscriptionBook::open(Arc::clone(&home), &settings.private_origins).await?,
            home,
            trust: send::trust()?,
            settings,
            room,
            routes: Mutex::default(),
            sending: Semaphore::new(SENDING_MAX),
            came: Notify::new(),
            behind: Notify::new(),
        };
        Ok(Self(Arc::new(inner)))
    }

    /// The key by which a browser knows this server.
    pub fn public_key(&self) -> &str {
        self.0.key.public()
    }

    /// Tells a device from now on, in the place of what it wanted before. That survives a crash when
    /// this returns.
    pub async fn subscribe(
        &self,
        device: Device,
        new: NewSubscription,
        head: Seq,
    ) -> Result<SubscriptionView, PushError> {
        let inner = &self.0;
        let listed = &inner.settings.private_origins;
        let one = PushSubscription {
            device,
            endpoint: Endpoint::parse(&new.endpoint, listed).map_err(PushError::Endpoint)?,
            keys: DeviceKeys::parse(&new.p256dh, &new.auth).map_err(PushError::Keys)?,
            text: new.text,
            since: inner.room.now(),
            told: head,
            sent: 0,
            last: None,
        };
        inner.book.put(one.clone())?;
        inner.book.save().await?;
        inner.came.notify_waiters();
        Ok(one.into())
    }

    /// Tells a device nothing more; says whether it was told before.
    pub async fn unsubscribe(&self, device: Device) -> Result<bool, PushError> {
        self.drop_where(|one| one.device == device).await
    }

    /// Forgets every device that may no longer be told.
    pub async fn prune(&self) -> Result<bool, PushError> {
        self.0.refresh().await?;
        let devices: Vec<Device> = self.0.book.rows().iter().map(|one| one.device).collect();
        let mut revoked = Vec::new();
        for device in devices {
            if self.0.room.standing(device).await == DeviceStanding::Revoked {
                revoked.push(device);
            }
        }
        self.drop_where(|one| revoked.contains(&one.device)).await
    }

    async fn drop_where(
        &self,
        gone: impl Fn(&PushSubscription) -> bool,
    ) -> Result<bool, PushError> {
        if self.0.book.remove(gone) == 0 {
            return Ok(false);
        }
        self.0.book.save().await?;
        Ok(true)
    }

    /// The subscription of a device.
    pub async fn view(&self, device: Device) -> Result<Option<SubscriptionView>, PushError> {
        self.0.refresh().await?;
        Ok(self.0.book.get(device).map(Into::into))
    }

    /// Whether a device wants to be told, as far as is known here.
    pub fn tells(&self, device: Device) -> bool {
        self.0.book.get(device).is_some()
    }

    /// Whether it is this server that tells the devices.
    pub fn is_teller(&self) -> bool {
        self.0.home.is_teller()
    }

    /// Whether nobody wants to be told.
    pub fn is_idle(&self) -> bool {
        self.0.book.rows().is_empty()
    }

    /// Resolves once somebody wants to be told.
    pub async fn wanted(&self) {
        loop {
            let came = self.0.came.notified();
            tokio::pin!(came);
            // Enabled before the check: a device that comes between the two still rings.
            came.as_mut().enable();
            if !self.is_idle() {
                return;
            }
            came.await;
        }
    }

    /// The place up to which everybody was told.
    pub fn told(&self) -> Option<Seq> {
        self.0.book.rows().iter().map(|one| one.told).min()
    }

    /// Something was asked at this place: everybody who was not told yet is.
    pub fn tell(&self, place: Seq, ask: AskId) {
        let devices: Vec<Device> = {
            let rows = self.0.book.rows();
            let behind = rows.iter().filter(|one| one.told < place);
            behind.map(|one| one.device).collect()
        };
        for device in devices {
            let mut routes = self.0.routes();
            let route = routes.entry(device).or_default();
            route.waiting.insert(place, ask);
            if route.waiting.len() > WAITING_MAX {
                route.waiting.pop_first();
            }
            if !std::mem::replace(&mut route.busy, true) {
                let inner = Arc::clone(&self.0);
                tokio::spawn(async move { inner.carry(device).await });
            }
        }
    }

    /// Nothing is to be told up to this place beyond what waits.
    pub fn passed(&self, place: Seq) {
        let routes = self.0.routes();
        for one in self.0.book.rows().iter_mut() {
            let waits = routes.get(&one.device).is_some_and(|route| route.busy);
            if !waits {
                one.told = one.told.max(place);
            }
        }
    }

    /// Sends a notice that says only that notices arrive; nothing when the device wants none.
    pub async fn try_out(&self, device: Device) -> Option<Sent> {
        if let Err(error) = self.0.refresh().await {
            tracing::warn!(%error, "push subscriptions may be out of date");
        }
        let one = self.0.book.get(device)?;
        if self.0.room.standing(device).await != DeviceStanding::Good {
            return None;
        }
        let sent = self.0.send(&one, Parcel::trial()).await;
        self.0.note(device, sent);
        if sent == Sent::Gone {
            self.0.book.remove(|one| one.device == device);
        }
        Some(sent)
    }

    /// Writes down what became of notices, and takes over what other servers write, as long as it is
    /// polled.
    pub async fn keep_book(&self) {
        let inner = &self.0;
        loop {
            tokio::select! {
                () = inner.behind.notified() => {
                    if let Err(error) = inner.book.save().await {
                        tracing::warn!(%error, "could not record the results of push \
                                                notifications");
                    }
                    inner.room.sleep(SAVE_PAUSE).await;
                }
                () = inner.written_elsewhere() => {
                    if let Err(error) = inner.refresh().await {
                        tracing::debug!(%error, "could not reload push subscriptions");
                    }
                    inner.came.notify_waiters();
                }
            }
        }
    }
}

impl Inner {
    fn routes(&self) -> MutexGuard<'_, HashMap<Device, Route>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what other servers wrote.
    async fn refresh(&self) -> Result<(), PushError> {
        if self.home.is_shared() {
            self.book.reload().await?;
        }
        Ok(())
    }

    /// Resolves when it is time to look what other servers wrote.
    async fn written_elsewhere(&self) {
        if !self.home.is_shared() {
            return std::future::pending().await;
        }
        tokio::select! {
            () = self.home.changed() => {}
            () = self.room.sleep(RELOAD_EVERY) => {}
        }
    }

    /// Carries what waits for a device until nothing does.
    async fn carry(self: Arc<Self>, device: Device) {
        let mut tries = 0;
        loop {
            let Some((place, asks)) = self.next(device) else {
                return;
            };
            let told = match self.room.standing(device).await {
                DeviceStanding::Good => self.room.told(&asks).await,
                DeviceStanding::Revoked => {
                    self.book.remove(|one| one.device == device);
                    self.behind.notify_one();
                    None
                }
                DeviceStanding::Unknown => {
                    self.room.sleep(FIRST_WAIT).await;
                    continue;
                }
            };
            // Looked up again after the wait: what was unsubscribed meanwhile is told nothing.
            let (Some(told), Some(one)) = (told, self.book.get(device)) else {
                self.done(device, place);
                continue;
            };
            let parcel = Parcel::of(&told, one.text, self.room.now());
            let sent = self.send(&one, parcel).await;
            self.note(device, sent);
            match sent {
                Sent::Taken | Sent::Refused { .. } => {
                    tries = 0;
                    self.done(device, place);
                    self.room.sleep(PAUSE).await;
                }
                Sent::Gone => {
                    tracing::info!(service = %one.endpoint.origin, "a push subscription has ended");
                    self.book.remove(|other| other.endpoint == one.endpoint);
                    self.done(device, place);
                }
                Sent::Again { after, .. } => {
                    tries += 1;
                    if tries >= TRIES_MAX {
                        tries = 0;
                        self.done(device, place);
                    } else {
                        self.room.sleep(after.unwrap_or_else(|| wait(tries))).await;
                    }
                }
            }
        }
    }

    /// What waits for a device, up to which place; when nothing does, nobody is on the way any more.
    fn next(&self, device: Device) -> Option<(Seq, Vec<AskId>)> {
        let mut routes = self.routes();
        let route = routes.get_mut(&device)?;
        let place = route.waiting.keys().next_back().copied();
        if place.is_none() {
            routes.remove(&device);
        }
        let asks = routes.get(&device)?.waiting.values().copied().collect();
        Some((place?, asks))
    }

    /// Nothing up to this place waits for the device any more.
    fn done(&self, device: Device, place: Seq) {
        let mut routes = self.routes();
        if let Some(route) = routes.get_mut(&device) {
            route.waiting.retain(|waits, _| *waits > place);
        }
        self.book
            .change(device, |one| one.told = one.told.max(place));
        self.behind.notify_one();
    }

    fn note(&self, device: Device, how: Sent) {
        let at = self.room.now();
        self.book.change(device, |one| {
            one.last = Some(Last { at, how });
            one.sent += u64::from(how == Sent::Taken);
        });
        self.behind.notify_one();
    }

    async fn send(&self, one: &PushSubscription, parcel: Parcel) -> Sent {
        let refused = Sent::Refused { status: None };
        let Ok(_place) = self.sending.acquire().await else {
            return refused;
        };
        let (contact, now) = (&self.settings.contact, self.room.now());
        let authorization = self.key.authorization(&one.endpoint.origin, contact, now);
        let body = seal(&one.keys, parcel.words.as_bytes());
        let (Ok(authorization), Ok(body)) = (authorization, body) else {
            tracing::error!("could not encrypt or sign a push notification");
            return refused;
        };
        let out = Outgoing {
            body,
            authorization,
            kept_for: parcel.kept_for,
            topic: parcel.topic,
        };
        send::send(&one.endpoint, out, &self.trust).await
    }
}

/// How long to wait after this many tries.
fn wait(tries: u32) -> Duration {
    let factor = 1_u32
        .checked_shl(tries.saturating_sub(1))
        .unwrap_or(u32::MAX);
    FIRST_WAIT.saturating_mul(factor).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_stay_within_five_minutes() {
        let seconds = |tries| wait(tries).as_secs();
        assert_eq!(
            [1, 2, 3, 4, 9, 10, 200].map(seconds),
            [1, 2, 4, 8, 256, 300, 300]
        );
    }
}
