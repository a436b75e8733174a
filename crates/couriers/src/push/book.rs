//! Who wants to be told: one subscription for each device, kept where it survives everything.
//!
//! Other servers may write there too. Then what they wrote is taken over first, device by device: one that
//! they did not touch stays as it is here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sayso_core::id::Seq;
use sayso_core::time::Time;

use super::courier::PushError;
use super::endpoint::Endpoint;
use super::home::{DeviceChanges, DeviceRecord, PushHome};
use super::record;
use super::seal::DeviceKeys;
use super::send::Sent;
use crate::newsroom::Device;

/// Subscriptions there may be: one for each device of a large team.
const SUBSCRIPTIONS_MAX: usize = 2_000;

/// A device that wants to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PushSubscription {
    pub(super) device: Device,
    pub(super) endpoint: Endpoint,
    pub(super) keys: DeviceKeys,
    /// Whether words of the ask may be in the notice.
    pub(super) text: bool,
    pub(super) since: Time,
    /// Everything up to this place in the journal was told, or is no longer to be told.
    pub(super) told: Seq,
    /// How many notices its service took.
    pub(super) sent: u64,
    /// What became of the last one.
    pub(super) last: Option<Last>,
}

/// What became of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Last {
    pub(super) at: Time,
    pub(super) how: Sent,
}

impl PushSubscription {
    /// This one as another server wrote it, with whatever either knows better.
    fn merged(&self, theirs: Self) -> Self {
        if self.since != theirs.since {
            // It subscribed again: how the older one went is of no interest.
            return std::cmp::max_by_key(self.clone(), theirs, |one| one.since);
        }
        Self {
            told: self.told.max(theirs.told),
            sent: self.sent.max(theirs.sent),
            last: std::cmp::max_by_key(self.last, theirs.last, |last| last.map(|last| last.at)),
            ..theirs
        }
    }
}

/// The subscriptions and where they are kept.
#[derive(Debug)]
pub(super) struct SubscriptionBook {
    home: Arc<dyn PushHome>,
    /// Push services that may be on this machine or in its network.
    listed: Vec<String>,
    rows: Mutex<Vec<PushSubscription>>,
    /// The keys of those that were removed here, until that is written.
    removed: Mutex<BTreeSet<String>>,
    /// What is kept at home, as far as that is known here. Held while it is read or written, so that an
    /// older state never follows a newer one.
    kept: tokio::sync::Mutex<BTreeMap<String, String>>,
}

impl SubscriptionBook {
    /// Opens the book.
    pub(super) async fn open(
        home: Arc<dyn PushHome>,
        listed: &[String],
    ) -> Result<Self, PushError> {
        let book = Self {
            home,
            listed: listed.to_vec(),
            rows: Mutex::default(),
            removed: Mutex::default(),
            kept: tokio::sync::Mutex::default(),
        };
        book.reload().await?;
        Ok(book)
    }

    /// The subscriptions as they are now; never held for long.
    pub(super) fn rows(&self) -> MutexGuard<'_, Vec<PushSubscription>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, device: Device) -> Option<PushSubscription> {
        self.rows().iter().find(|one| one.device == device).cloned()
    }

    /// Changes the subscription of a device, if it is still there.
    pub(super) fn change(&self, device: Device, change: impl FnOnce(&mut PushSubscription)) {
        if let Some(one) = self.rows().iter_mut().find(|one| one.device == device) {
            change(one);
        }
    }

    /// Puts a subscription in the place of the device's last one. Another device with the same
    /// address has moved here: it is told no more.
    pub(super) fn put(&self, new: PushSubscription) -> Result<(), PushError> {
        let mut rows = self.rows();
        let others = |one: &&PushSubscription| {
            one.device != new.device && one.endpoint.uri != new.endpoint.uri
        };
        if rows.iter().filter(others).count() >= SUBSCRIPTIONS_MAX {
            return Err(PushError::Full);
        }
        let mut removed = self.removed();
        removed.extend(rows.iter().filter(|one| !others(one)).map(keyed));
        removed.remove(&keyed(&new));
        rows.retain(|one| others(&one));
        rows.push(new);
        Ok(())
    }

    /// Takes away those that `is_gone` names; says how many.
    pub(super) fn remove(&self, is_gone: impl Fn(&PushSubscription) -> bool) -> usize {
        let mut rows = self.rows();
        let before = rows.len();
        self.removed()
            .extend(rows.iter().filter(|one| is_gone(one)).map(keyed));
        rows.retain(|one| !is_gone(one));
        before - rows.len()
    }

    fn removed(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.removed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what is kept at home.
    pub(super) async fn reload(&self) -> Result<(), PushError> {
        let mut kept = self.kept.lock().await;
        self.take_over(&mut kept).await
    }

    async fn take_over(&self, kept: &mut BTreeMap<String, String>) -> Result<(), PushError> {
        let there = self.home.devices().await?;
        let there: BTreeMap<String, String> = there
            .into_iter()
            .map(|record| (record.key, record.text))
            .collect();
        let mut rows = self.rows();
        // What is gone there, and was there before, was removed by somebody else.
        rows.retain(|one| {
            let key = keyed(one);
            there.contains_key(&key) || !kept.contains_key(&key)
        });
        let removed = self.removed();
        for (key, text) in &there {
            if kept.get(key) == Some(text) || removed.contains(key) {
                continue;
            }
            // One whose address is no longer allowed is left out.
            let Some(theirs) = record::read(text, &self.listed) else {
                continue;
            };
            match rows.iter_mut().find(|one| one.device == theirs.device) {
                Some(ours) => *ours = ours.merged(theirs),
                None => rows.push(theirs),
            }
        }
        *kept = there;
        Ok(())
    }

    /// Writes down how things stand; it survives a crash when this returns.
    pub(super) async fn save(&self) -> Result<(), PushError> {
        let mut kept = self.kept.lock().await;
        if self.home.is_shared() {
            self.take_over(&mut kept).await?;
        }
        let now: BTreeMap<String, String> = {
            let rows = self.rows();
            let records = rows.iter().map(|one| (keyed(one), record::write(one)));
            records.collect()
        };
        let record = |(key, text): (&String, &String)| DeviceRecord {
            key: key.clone(),
            text: text.clone(),
        };
        let changed = DeviceChanges {
            put: now
                .iter()
                .filter(|(key, text)| kept.get(*key) != Some(*text))
                .map(record)
                .collect(),
            gone: kept
                .keys()
                .filter(|key| !now.contains_key(*key))
                .cloned()
                .collect(),
        };
        if !changed.is_empty() {
            let all = now.iter().map(record).collect();
            let gone = changed.gone.clone();
            self.home.write(all, changed).await?;
            *kept = now;
            self.removed().retain(|key| !gone.contains(key));
        }
        Ok(())
    }
}

fn keyed(one: &PushSubscription) -> String {
    record::key(one.device)
}

#[cfg(test)]
mod tests {
    use sayso_core::id::TokenId;
    use tempfile::TempDir;

    use super::super::home::{HomeFuture, PushFolder};
    use super::*;
    use crate::newsroom::NewsFuture;

    /// A folder that two servers use.
    #[derive(Debug)]
    struct SharedFolder(PushFolder);

    impl PushHome for SharedFolder {
        fn first_key(&self, new: String) -> HomeFuture<'_, String> {
            self.0.first_key(new)
        }

        fn devices(&self) -> HomeFuture<'_, Vec<DeviceRecord>> {
            self.0.devices()
        }

        fn write(&self, all: Vec<DeviceRecord>, changed: DeviceChanges) -> HomeFuture<'_, ()> {
            self.0.write(all, changed)
        }

        fn is_shared(&self) -> bool {
            true
        }

        fn is_teller(&self) -> bool {
            true
        }

        fn changed(&self) -> NewsFuture<'_, ()> {
            self.0.changed()
        }
    }

    const P256DH: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

    fn device(number: u32) -> Device {
        Device {
            token: TokenId(number),
            made_at: Time::from_millis(1),
        }
    }

    fn subscription(number: u32, since: u64, told: u64) -> PushSubscription {
        PushSubscription {
            device: device(number),
            endpoint: Endpoint::parse(&format!("https://push.example/{number}/{since}"), &[])
                .unwrap(),
            keys: DeviceKeys::parse(P256DH, "BTBZMqHH6r4Tts7J_aSIgg").unwrap(),
            text: false,
            since: Time::from_millis(since),
            told: Seq(told),
            sent: 0,
            last: None,
        }
    }

    async fn two_books(folder: &TempDir) -> [SubscriptionBook; 2] {
        let open = || async {
            let home = SharedFolder(PushFolder::open(folder.path()).unwrap());
            SubscriptionBook::open(Arc::new(home), &[]).await.unwrap()
        };
        [open().await, open().await]
    }

    #[tokio::test]
    async fn what_two_servers_know_of_a_device_goes_together() {
        let folder = TempDir::new().unwrap();
        let [one, other] = two_books(&folder).await;
        one.put(subscription(1, 10, 5)).unwrap();
        one.save().await.unwrap();
        other.put(subscription(2, 10, 5)).unwrap();
        other.save().await.unwrap();
        // One has told the first device more than the other knows.
        one.change(device(1), |row| row.told = Seq(9));
        one.save().await.unwrap();
        other.change(device(1), |row| row.sent = 3);
        other.save().await.unwrap();
        one.reload().await.unwrap();
        for book in [&one, &other] {
            let first = book.get(device(1)).unwrap();
            assert_eq!((first.told, first.sent), (Seq(9), 3));
            assert!(book.get(device(2)).is_some());
        }
    }

    #[tokio::test]
    async fn who_left_or_came_again_stays_so_whatever_the_other_notes() {
        let folder = TempDir::new().unwrap();
        let [one, other] = two_books(&folder).await;
        for number in [1, 2] {
            one.put(subscription(number, 10, 5)).unwrap();
        }
        one.save().await.unwrap();
        other.reload().await.unwrap();
        // While one notes what it told, the device leaves at the other, and another comes again there.
        for number in [1, 2] {
            one.change(device(number), |row| row.told = Seq(8));
        }
        one.save().await.unwrap();
        assert_eq!(other.remove(|row| row.device == device(1)), 1);
        other.put(subscription(2, 20, 7)).unwrap();
        other.save().await.unwrap();
        one.change(device(2), |row| row.told = Seq(9));
        one.save().await.unwrap();
        other.reload().await.unwrap();
        for book in [&one, &other] {
            assert_eq!(book.get(device(1)), None);
            assert_eq!(book.get(device(2)), Some(subscription(2, 20, 7)));
        }
    }
}
