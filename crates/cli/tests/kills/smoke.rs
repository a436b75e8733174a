//! The binary killed at random moments, under the same story, without any fail point.

use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Signal;

use super::audit::{Life, audit};
use super::cast::Cast;
use super::chance::{Dice, kills, setting};
use super::ground::Ground;
use super::story::tell;

/// Kills when nobody asks for more.
const KILLS: usize = 20;
/// Kills in one story, so that it comes to an end.
const KILLS_IN_A_STORY: usize = 5;
/// The longest that a server lives in here. It takes some of that to start.
const LIFE_MILLIS: usize = 400;

/// The test build, or another one that `SAYSO_KILLS_BINARY` names, such as a release.
fn binary() -> PathBuf {
    setting("SAYSO_KILLS_BINARY")
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_sayso").to_owned())
        .into()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_random() {
    let mut dice = Dice::new();
    let mut left = kills().unwrap_or(KILLS);
    while left > 0 {
        let mut ground = Ground::new(&binary());
        ground.start(None);
        let cast = Cast::gather(&ground).await;
        let kill = async {
            for _ in 0..left.min(KILLS_IN_A_STORY) {
                let life = 1 + dice.below(LIFE_MILLIS) as u64;
                tokio::time::sleep(Duration::from_millis(life)).await;
                if ground.kill() {
                    left -= 1;
                }
            }
            std::future::pending::<()>().await;
        };
        let told = tokio::select! {
            told = tell(&ground, cast) => told,
            () = kill => unreachable!("it only kills"),
        };
        ground.stop(Signal::TERM).await;
        ground.start(None);
        audit(&mut ground, &told, Life::Same).await;
    }
}
