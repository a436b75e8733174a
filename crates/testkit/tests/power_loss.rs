//! Power cuts: at every sync of a scripted run, images of what the disk could have left are opened by the
//! real store, which must have everything it acknowledged, byte for byte, and nothing by halves.
//!
//! The ordinary run takes a sample; `SAYSO_POWER_LOSS=all` takes every sync point with many seeds, about
//! five thousand different images in three minutes on two cores.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot set up its world stops at once and says where"
)]

use std::collections::HashSet;
use std::fs;
use std::future::Future;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use sayso_core::id::{Place, Seq};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Delivery, Outcome};
use sayso_core::time::Time;
use sayso_store::story::sample;
use sayso_store::{JournalEntry, Store as _, StoredEvent};
use sayso_store_sqlite::{SqliteSettings, SqliteStore, verify_folder};
use sayso_testkit::disk::{self, DiskOp, Image, Loss, Mistake, Recording};
use tempfile::TempDir;

/// One recording at a time in a process.
static TURN: Mutex<()> = Mutex::new(());

fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// A folder in memory where there is one: what is tested is what the images hold, not this disk.
fn folder() -> TempDir {
    let shared = Path::new("/dev/shm");
    let folder = TempDir::new_in(shared).or_else(|_| TempDir::new()).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
    folder
}

fn start(folder: &Path) -> SqliteStore {
    let settings = SqliteSettings {
        // Short, so that the log is moved and begun again many times.
        wal_pages: 12,
        ..SqliteSettings::default()
    };
    let store = SqliteStore::open(folder, settings).unwrap();
    now(store.snapshot(&mut |_| {})).unwrap();
    store
}

fn asked(n: u64, text: &str) -> Event {
    Event::Asked(Arc::new(sample::ask(n, sample::question(text))))
}

fn closed(n: u64, opened: u64, outcome: Outcome) -> Event {
    Event::Closed {
        ask: sample::ask_id(n),
        opened: Seq(opened),
        closing: sample::closing(outcome, 20_000 + n),
    }
}

fn confirmed(n: u64, opened: u64) -> Event {
    Event::Delivered(vec![DeliveryMark {
        ask: sample::ask_id(n),
        opened: Seq(opened),
        delivery: Delivery::Confirmed,
        at: Time::from_millis(30_000),
    }])
}

/// What is written, one commit each: small and large, with secrets, and with texts that are erased.
fn script(first: u64) -> Vec<Vec<Event>> {
    let long = "ü".repeat(3_000);
    let mut batches: Vec<Vec<Event>> = Vec::new();
    let mut next = first;
    for n in 0..4 {
        let id = 1000 * first + 10 * n;
        let at = next;
        batches.push(vec![asked(id, "short")]);
        batches.push(vec![closed(id, at, Outcome::Answered(sample::replies()))]);
        let many: Vec<Event> = (1..=3).map(|more| asked(id + more, &long)).collect();
        batches.push(many);
        let form = Event::Asked(Arc::new(sample::ask(id + 6, sample::form())));
        let secret = Outcome::Answered(sample::fields(&[Some("secret")]));
        batches.push(vec![form, closed(id + 6, at + 5, secret)]);
        batches.push(vec![confirmed(id + 6, at + 5)]);
        let place = Place {
            opened: Seq(at),
            closed: Some(Seq(at + 1)),
            late: None,
        };
        let ask = sample::ask_id(id);
        batches.push(vec![Event::Erased { ask, place }]);
        next = at + 9;
    }
    batches
}

/// Everything a run did, and what the journal held after each acknowledged commit.
struct Run {
    base: Image,
    recording: Recording,
    held: Vec<Vec<StoredEvent>>,
}

fn held(store: &SqliteStore) -> Vec<StoredEvent> {
    now(store.events(Seq::ZERO, 10_000)).unwrap()
}

/// Runs the script, and stops and starts the store in between.
fn run(mistake: Option<Mistake>) -> Run {
    let folder = folder();
    let path = folder.path().canonicalize().unwrap();
    drop(start(&path));
    let base = Image::base(&path).unwrap();
    disk::begin(&path, mistake);
    let mut held_after = Vec::new();
    for life in 0..2 {
        let store = start(&path);
        if life == 0 {
            held_after.push(held(&store));
        }
        let first = held(&store).len() as u64 + 1;
        for batch in script(first) {
            let entries: Vec<JournalEntry> = batch
                .into_iter()
                .map(|event| JournalEntry {
                    event,
                    at: Time::from_millis(10_000),
                })
                .collect();
            now(sayso_store::append(&store, entries)).unwrap();
            disk::note(DiskOp::Acknowledged(held_after.len() as u64));
            held_after.push(held(&store));
        }
        drop(store);
    }
    Run {
        base,
        recording: disk::end(),
        held: held_after,
    }
}

/// What is wrong with an image: nothing, or what.
fn fault_of(run: &Run, image: &Image, acknowledged: usize) -> Option<String> {
    let folder = folder();
    image.put(folder.path()).unwrap();
    let settings = SqliteSettings::default();
    let store = match SqliteStore::open(folder.path(), settings) {
        Ok(store) => store,
        Err(error) => return Some(format!("it does not open: {error}")),
    };
    if let Err(error) = now(store.snapshot(&mut |_| {})) {
        return Some(format!("it does not start: {error}"));
    }
    let found = held(&store);
    // Whole commits only, and at least those that were acknowledged.
    let after = run.held.iter().rposition(|held| *held == found);
    match after {
        None => return Some(format!("{} events that were never so", found.len())),
        Some(after) if after < acknowledged => {
            return Some(format!(
                "commit {after}, but {acknowledged} was acknowledged"
            ));
        }
        Some(_) => {}
    }
    drop(store);
    let verified = verify_folder(folder.path()).unwrap();
    verified.faults.first().cloned()
}

/// Where power can go: before and after each sync, and after each word that was given.
fn cuts(ops: &[DiskOp]) -> Vec<usize> {
    let mut cuts: Vec<usize> = Vec::new();
    for (at, op) in ops.iter().enumerate() {
        if matches!(
            op,
            DiskOp::Sync { .. } | DiskOp::Acknowledged(_) | DiskOp::Delete { .. }
        ) {
            cuts.extend([at, at + 1]);
        }
    }
    cuts.dedup();
    cuts
}

fn acknowledged(ops: &[DiskOp]) -> usize {
    ops.iter()
        .rev()
        .find_map(|op| match op {
            DiskOp::Acknowledged(number) => usize::try_from(*number).ok(),
            _ => None,
        })
        .unwrap_or(0)
}

/// Opens the images of a run in which nothing that was not synced is left, right after each word that was
/// given; gives the first fault.
fn look_after_words(run: &Run, mistake: Option<Mistake>) -> Option<String> {
    let ops = &run.recording.ops;
    let words = (1..=ops.len()).filter(|cut| matches!(ops[cut - 1], DiskOp::Acknowledged(_)));
    words.into_iter().find_map(|cut| {
        let image = run.base.after(ops, cut, Loss::Nothing, 1, mistake);
        fault_of(run, &image, acknowledged(&ops[..cut]))
    })
}

/// A cut of the power, and what it leaves of what was not synced.
#[derive(Debug, Clone, Copy)]
struct Cut {
    at: usize,
    loss: Loss,
    seed: u64,
}

/// The cuts of a run that are looked at: every one, or each of so many.
fn chosen(ops: &[DiskOp], every: usize, seeds: u64) -> Vec<Cut> {
    let mut chosen = Vec::new();
    for (number, at) in cuts(ops).into_iter().enumerate() {
        for seed in 0..seeds {
            for (way, loss) in Loss::ALL.into_iter().enumerate() {
                if (number + way + usize::try_from(seed).unwrap()) % every == 0 {
                    let seed = seed + at as u64 * 131;
                    chosen.push(Cut { at, loss, seed });
                }
            }
        }
    }
    chosen
}

/// Opens images of a run, on every core; gives how many different ones there were and the first fault.
fn look(run: &Run, every: usize, seeds: u64) -> (usize, Option<String>) {
    let ops = &run.recording.ops;
    let left = Mutex::new(chosen(ops, every, seeds).into_iter());
    // Only their hashes: thousands of images do not fit into memory.
    let seen = Mutex::new(HashSet::new());
    let fault = Mutex::new(None);
    let look = || {
        while fault.lock().unwrap().is_none() {
            let Some(cut) = left.lock().unwrap().next() else {
                return;
            };
            let least = acknowledged(&ops[..cut.at]);
            let image = run.base.after(ops, cut.at, cut.loss, cut.seed, None);
            let mut hasher = DefaultHasher::new();
            (&image, least).hash(&mut hasher);
            if !seen.lock().unwrap().insert(hasher.finish()) {
                continue;
            }
            if let Some(found) = fault_of(run, &image, least) {
                fault
                    .lock()
                    .unwrap()
                    .get_or_insert(format!("{cut:?}: {found}"));
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().unwrap().get();
        for _ in 0..workers {
            scope.spawn(look);
        }
    });
    let images = seen.into_inner().unwrap().len();
    (images, fault.into_inner().unwrap())
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a switch for the long run")]
fn nothing_acknowledged_is_lost_in_a_power_cut() {
    let _turn = TURN.lock();
    let run = run(None);
    let syncs = run.recording.ops.iter();
    let syncs = syncs.filter(|op| matches!(op, DiskOp::Sync { .. })).count();
    assert!(syncs > 40, "the script syncs {syncs} times only");
    let is_long = std::env::var_os("SAYSO_POWER_LOSS").is_some();
    let (every, seeds) = if is_long { (1, 6) } else { (16, 1) };
    let (images, fault) = look(&run, every, seeds);
    assert_eq!(fault, None, "after {images} images");
    // Without a mistake the look that finds them finds nothing.
    assert_eq!(look_after_words(&run, None), None);
    assert!(images >= 80, "{images} images only");
    if is_long {
        assert!(images > 3_000, "{images}");
    }
}

#[test]
fn planted_mistakes_are_found() {
    let _turn = TURN.lock();
    for mistake in [Mistake::NoSync, Mistake::NoFolderSync] {
        let run = run(Some(mistake));
        let fault = look_after_words(&run, Some(mistake));
        assert!(fault.is_some(), "{mistake:?} is not found");
    }
}

#[test]
fn a_word_given_before_the_sync_is_found() {
    let _turn = TURN.lock();
    let mut run = run(None);
    // The word is moved before the sync it should have waited for.
    let ops = &mut run.recording.ops;
    for at in 1..ops.len() {
        if let DiskOp::Acknowledged(_) = ops[at] {
            let sync = ops[..at]
                .iter()
                .rposition(|op| matches!(op, DiskOp::Sync { file } if file == "journal.db-wal"));
            if let Some(sync) = sync {
                let word = ops.remove(at);
                ops.insert(sync, word);
            }
        }
    }
    assert!(look_after_words(&run, None).is_some(), "it is not found");
}
