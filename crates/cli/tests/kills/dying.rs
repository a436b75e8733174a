//! Death at every fail point: the server's own, those of its commands, and those of a full disk.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

use rustix::process::Signal;
use sayso_client::AgentConnection;
use sayso_client::wire::Delivery;

use super::audit::{Life, assert_sound, audit};
use super::cast::{Cast, again};
use super::chance::{Dice, kills};
use super::drafts::{SECRET, filled, form, question};
use super::ground::{Ground, Venue as _};
use super::ledger::outcome_of;
use super::nodes::OF_OTHERS;
use super::story::{named, secret_in, tell};

/// What happens around a death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scene {
    /// The first life of a state, with the whole story in it.
    FirstLife,
    /// The second life, over everything that the first one wrote before it was killed.
    SecondLife,
    /// The command that makes the projections anew.
    Rebuild,
    /// The command that puts a backup back.
    Restore,
    /// A life in which the disk is full for a while.
    FullDisk,
}

use Scene::{FirstLife, FullDisk, Rebuild, Restore, SecondLife};

/// A start meets these once, with nothing there and with everything there.
const STARTING: [&str; 19] = [
    "create_begin",
    "create_migrated",
    "create_synced",
    "create_renamed",
    "migration_begin",
    "migration_ran",
    "migration_versioned",
    "migration_committed",
    "key_made",
    "key_synced",
    "views_created",
    "views_indexed",
    "recover_begin",
    "recover_tail",
    "recover_rows",
    "recover_end",
    "recover_taken",
    "recover_local",
    "recover_tended",
];

const COMMITTING: [&str; 18] = [
    "commit_begin",
    "commit_header",
    "commit_body",
    "commit_sealed",
    "commit_erased",
    "commit_cleared",
    "compact_before",
    "compact_after",
    "commit_before",
    "commit_after",
    "seal_before",
    "seal_after",
    "checkpoint_before",
    "checkpoint_after",
    "truncate_before",
    "truncate_after",
    "turn_begin",
    "turn_written",
];

const PUBLISHING: [&str; 25] = [
    "turn_expire",
    "turn_decided",
    "turn_applied",
    "publish_epoch",
    "publish_token_made",
    "publish_token_revoked",
    "publish_met",
    "publish_began",
    "publish_asked",
    "publish_closed",
    "publish_late",
    "publish_delivered",
    "publish_shown",
    "publish_erased",
    "publish_cleared",
    "publish_messaged",
    "publish_handed",
    "publish_removed",
    "publish_said",
    "publish_noted",
    "publish_turn_ended",
    "publish_rule_made",
    "publish_rule_revoked",
    "reply_before",
    "reply_after",
];

const TELLING: [&str; 10] = [
    "link_join",
    "link_bring",
    "link_sent",
    "link_hand",
    "wait_ring",
    "poll_seen",
    "confirm_before",
    "confirm_committed",
    "stop_begin",
    "stop_flushed",
];

const PROJECTING: [&str; 6] = [
    "rows_begin",
    "rows_before_commit",
    "rows_after_commit",
    "text_begin",
    "text_before_commit",
    "text_after_commit",
];

const KEEPING: [&str; 8] = [
    "backup_begin",
    "backup_copied",
    "backup_synced",
    "backup_renamed",
    "restore_copied",
    "restore_appended",
    "restore_aside",
    "restore_renamed",
];

const FAILING: [&str; 4] = [
    "commit_failed",
    "turn_failed",
    "reopen_before",
    "reopen_after",
];

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_sayso"))
}

/// Tells the story with one death in it, and holds everything against the ledger. Says whether
/// the point was met; when not, the story was told without a death.
fn die(scene: Scene, point: &str, at: u64) -> bool {
    let kill = format!("{point}:{at}");
    eprintln!("{scene:?} {kill}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut ground = Ground::new(binary());
        let armed = Some(kill.as_str());
        ground.start(armed.filter(|_| matches!(scene, FirstLife | FullDisk)));
        let cast = Cast::gather(&ground).await;
        if scene == FullDisk {
            starve(&ground, &cast).await;
        }
        let left = tell(&ground, cast).await;
        let fired = match scene {
            FirstLife | FullDisk => {
                ground.stop(Signal::TERM).await;
                ground.start(None);
                ground.fired() > 0
            }
            SecondLife => {
                ground.stop(Signal::KILL).await;
                ground.start(armed);
                again(async || left.cast.ann.health().await).await.unwrap();
                ground.fired() > 0
            }
            Rebuild => {
                ground.stop(Signal::KILL).await;
                let output = ground.run(&["rebuild"], armed);
                ground.start(None);
                output.status.signal() == Some(9)
            }
            Restore => {
                let file = ground.path("whole-backup");
                left.cast.admin.backup(&file).await.unwrap();
                ground.stop(Signal::KILL).await;
                let words = ["restore", file.to_str().unwrap()];
                let output = ground.run(&words, armed);
                never_empty(&mut ground, point).await;
                ground.must(&ground.state(), &words);
                assert_sound(&ground, &ground.state());
                ground.start(None);
                output.status.signal() == Some(9)
            }
        };
        let life = if scene == Restore {
            Life::Restored
        } else {
            Life::Same
        };
        audit(&mut ground, &left, life).await;
        fired
    })
}

/// A restore that was killed leaves the journal of before, the new one, or a refusal to start:
/// never a start with nothing.
async fn never_empty(ground: &mut Ground, point: &str) {
    if point == "restore_aside" {
        ground.start(None);
        assert_eq!(ground.end().await, Some(30), "{}", ground.said());
        let said = ground.said();
        assert!(said.contains("the journal is missing"), "{said}");
    } else {
        let said = ground.must(&ground.state(), &["verify"]);
        let entries = said.trim_start_matches("sound: ").split(' ').next();
        assert!(
            entries.is_some_and(|count| count.parse::<u64>().unwrap() > 30),
            "{said}"
        );
    }
}

/// Lets the server neither write nor open a file for as long as it takes to notice. What is asked
/// meanwhile is refused and not lost: it is asked again, and taken back.
async fn starve(ground: &Ground, cast: &Cast) {
    let socket = again(async || AgentConnection::connect(&cast.agent).await)
        .await
        .unwrap();
    let key = "h-full";
    let ask = named(question("Full?"));
    cast.ledger.ask(key, &ask);
    ground.starve(true);
    // The socket is open already, so this arrives. A server that dies over it comes back well fed.
    let asked = socket.ask(&ask, Some(key)).await;
    assert!(
        asked.is_ok() == (ground.fired() > 0),
        "nothing can be written: {asked:?}"
    );
    ground.starve(false);
    cast.ask(key, &ask).await;
    cast.withdraw(key, "full").await;
    cast.outcome(key).await;
    cast.confirm(key).await;
}

/// A confirmation that was committed and of which nobody was told holds: the outcome is not told again,
/// and the secret in it is gone.
#[test]
fn a_confirmation_holds_before_anybody_hears_of_it() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut ground = Ground::new(binary());
        ground.start(Some("confirm_committed:1"));
        let cast = Cast::gather(&ground).await;
        let ask = named(form());
        cast.ledger.ask("h-form", &ask);
        let asked = cast.ask("h-form", &ask).await;
        cast.answer((&cast.ann, "ann"), "h-form", filled()).await;
        let owed = cast.outcome("h-form").await;
        assert_eq!(secret_in(outcome_of(&owed)), Some(SECRET));
        // Once, without trying again: nobody hears whether it worked.
        let confirmed = cast.agent.confirm(&asked.id).await;
        assert!(confirmed.is_err(), "{confirmed:?}");
        let own = again(async || cast.agent.get(&asked.id, None).await).await;
        let own = own.unwrap();
        assert_eq!(ground.fired(), 1);
        assert_eq!(own.delivery, Delivery::Confirmed);
        assert_eq!(secret_in(outcome_of(&own)), None);
        assert_sound(&ground, &ground.state());
        ground.stop(Signal::TERM).await;
    });
}

/// Every point of a list in a scene, up to so many times of meeting it. Each is met at least once.
fn die_at(scene: Scene, points: &[&str], times: u64) {
    let mut never = BTreeSet::new();
    for point in points {
        let met = (1..=times).take_while(|at| die(scene, point, *at)).count();
        if met == 0 {
            never.insert(*point);
        }
    }
    assert_eq!(never, BTreeSet::new(), "never met in {scene:?}");
}

#[test]
fn every_point_has_its_death() {
    let lists: [&[&str]; 8] = [
        &STARTING,
        &COMMITTING,
        &PUBLISHING,
        &TELLING,
        &PROJECTING,
        &KEEPING,
        &FAILING,
        &OF_OTHERS,
    ];
    let ours: Vec<&str> = lists.concat();
    let points = sayso_store_sqlite::faults::POINTS
        .into_iter()
        .chain(sayso_hub::faults::POINTS)
        .chain(sayso_store_postgres::faults::POINTS);
    let points: BTreeSet<&str> = points.collect();
    assert_eq!(ours.iter().copied().collect::<BTreeSet<_>>(), points);
    assert_eq!(ours.len(), points.len(), "no point is listed twice");
    assert!(points.len() >= 40, "{} points", points.len());
}

#[test]
fn starting_with_nothing() {
    die_at(FirstLife, &STARTING, 1);
}

#[test]
fn starting_over_what_a_killed_server_left() {
    let met_again = STARTING
        .into_iter()
        .filter(|point| point.starts_with("recover_") && *point != "recover_local");
    die_at(SecondLife, &met_again.collect::<Vec<_>>(), 1);
}

#[test]
fn committing() {
    die_at(FirstLife, &COMMITTING, 2);
}

#[test]
fn publishing() {
    die_at(FirstLife, &PUBLISHING, 2);
}

#[test]
fn telling() {
    die_at(FirstLife, &TELLING, 2);
}

#[test]
fn projecting() {
    die_at(FirstLife, &PROJECTING, 2);
}

#[test]
fn making_the_projections_anew() {
    let points = [
        "views_created",
        "views_indexed",
        "recover_begin",
        "recover_rows",
        "recover_end",
    ];
    die_at(Rebuild, &points, 1);
    die_at(Rebuild, &PROJECTING, 1);
}

#[test]
fn keeping() {
    let (backup, restore) = KEEPING.split_at(4);
    die_at(FirstLife, backup, 1);
    die_at(Restore, restore, 1);
}

#[test]
fn failing() {
    die_at(FullDisk, &FAILING, 1);
}

/// Deaths at random points, as many as the environment asks for.
#[test]
fn wherever_chance_leads() {
    let points: Vec<&str> = [&COMMITTING[..], &PUBLISHING, &TELLING, &PROJECTING].concat();
    let mut dice = Dice::new();
    for _ in 0..kills().unwrap_or(0) {
        let point = points[dice.below(points.len())];
        let at = 1 + dice.below(20) as u64;
        die(FirstLife, point, at);
    }
}
