//! The same story over several nodes of one PostgreSQL that are killed at fail points and at random,
//! stopped, and cut off from their database, while everybody moves between them.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use sayso_testkit::pg::PgCluster;

use super::audit::{Life, held};
use super::cast::{Cast, again};
use super::chance::{Dice, setting};
use super::ground::Venue as _;
use super::sometimes::Sometimes;
use super::story::tell;
use super::venue::{Fate, NodeVenue};

/// Points that only a node among others meets.
pub(crate) const OF_OTHERS: [&str; 5] = [
    "turn_taken",
    "turn_committed",
    "barrier",
    "fold_other",
    "publish_other",
];

/// Where nodes are killed: around a turn, while they take in what others wrote, and while they tell.
const DEADLY: [&str; 24] = [
    "turn_taken",
    "turn_written",
    "turn_committed",
    "barrier",
    "fold_other",
    "publish_other",
    "recover_taken",
    "recover_tended",
    "turn_begin",
    "turn_decided",
    "turn_applied",
    "publish_asked",
    "publish_closed",
    "publish_delivered",
    "publish_token_made",
    "publish_met",
    "link_bring",
    "link_sent",
    "wait_ring",
    "poll_seen",
    "confirm_before",
    "confirm_committed",
    "reply_before",
    "reply_after",
];
/// Those of a turn and of what others wrote: a short run meets each of these.
const ALWAYS: usize = 6;
/// Kills when nobody asks for more, and in one story, so that it comes to an end.
const KILLS: usize = 100;
const KILLS_IN_A_STORY: usize = 12;
/// From so many kills on, everything must have been met, and each point so often.
const LONG: usize = 1000;
const FIRED_MIN: usize = 20;

/// `cargo xtask nodes kill --nodes N --kills K --seed S` asks for more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_are_killed_and_nothing_is_lost() {
    let number = |name: &str, otherwise: usize| {
        setting(name).map_or(otherwise, |text| text.parse().unwrap())
    };
    let (kills, count) = (number("SAYSO_NODE_KILLS", KILLS), number("SAYSO_NODES", 3));
    let is_long = kills >= LONG;
    // The first ones come up as often as all others together.
    let (often, others) = DEADLY.split_at(ALWAYS);
    let others = others.iter().zip(often.iter().cycle());
    let fate = Fate {
        dice: Mutex::new(Dice::new()),
        points: if is_long {
            DEADLY.to_vec()
        } else {
            others.flat_map(|(other, one)| [*one, *other]).collect()
        },
        is_even: is_long,
        armed: AtomicUsize::new(0),
        fired: Mutex::default(),
    };
    let cluster = PgCluster::start(&[]);
    let mut sometimes = Sometimes::default();
    let (mut done, mut stories) = (0, 0);
    while done < kills {
        let database = format!("story{stories}");
        cluster.database(&database);
        let at = (&cluster, database.as_str());
        let program = Path::new(env!("CARGO_BIN_EXE_sayso"));
        let venue = NodeVenue::new(program, at, count, &fate, is_long);
        let cast = Cast::gather(&venue).await;
        let wanted = KILLS_IN_A_STORY.min(kills - done);
        let left = tokio::select! {
            left = tell(&venue, cast) => left,
            () = venue.haunt(wanted) => unreachable!("it never rests"),
        };
        tokio::task::block_in_place(|| venue.rest());
        let last = venue.nodes.node(venue.below(count));
        venue.gather_at(last);
        let deaths = {
            let tally = venue.tally();
            tally.kills + tally.cuts + tally.moves + tally.pauses
        };
        let audit = held(&left, Life::Shared, deaths);
        let audited = tokio::time::timeout(venue.patience(), audit).await;
        assert!(audited.is_ok(), "the audit does not end: {}", venue.said());
        for node in venue.nodes.all() {
            venue.gather_at(node);
            let verified = again(async || left.cast.admin.verify().await)
                .await
                .unwrap();
            assert_eq!(verified.faults, [""; 0], "{}", node.name());
        }
        assert_eq!(venue.broke(), None);
        sometimes.count(at, &venue.nodes, last.name());
        let tally = venue.tally();
        done += tally.kills;
        stories += 1;
        eprintln!(
            "{done} kills in {stories} stories; the last had {} pauses, {} cuts, {} moves; {sometimes}",
            tally.pauses, tally.cuts, tally.moves
        );
        drop(tally);
        drop(venue);
        cluster.psql(
            "postgres",
            &format!("DROP DATABASE {database} WITH (FORCE)"),
        );
    }
    let fired = fate.fired.lock().unwrap();
    eprintln!("deaths at fail points: {fired:?}");
    let (asked_for, least) = if is_long {
        (&DEADLY[..], FIRED_MIN)
    } else {
        (&DEADLY[..ALWAYS], 1)
    };
    let missed: Vec<_> = asked_for
        .iter()
        .filter(|point| fired.get(**point).copied().unwrap_or_default() < least)
        .collect();
    assert!(missed.is_empty(), "too few died at {missed:?}");
    if is_long {
        assert_eq!(sometimes.never(), [""; 0], "{sometimes}");
    }
}
