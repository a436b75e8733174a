//! The matrix itself: every cell is played, or says why it cannot be.

use std::collections::BTreeMap;
use std::sync::Arc;

use sayso_testkit::faces::{Cannot, Scene};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::page;
use super::play::{AgentFace, Cell, Played};
use super::server::Server;

/// Cells of one row that are played at the same time.
const AT_ONCE: usize = 8;

/// What became of a cell; an error where it was not played.
pub(crate) type Outcome = Result<(), Cannot>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_agent_reaches_every_person() {
    let outcomes = play_all(Server::start).await;
    if outcomes.len() == Cell::all().len() {
        page::compare(&outcomes);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_agent_reaches_every_person_at_another_node() {
    play_all(Server::start_two).await;
}

/// Plays every cell that is wanted, on servers that are started so.
async fn play_all(start: fn() -> Server) -> BTreeMap<Cell, Outcome> {
    let wanted: Vec<Cell> = Cell::all()
        .into_iter()
        .filter(|cell| is_wanted(*cell))
        .collect();
    let mut rows = JoinSet::new();
    for agent in AgentFace::ALL {
        let row = wanted.iter().copied();
        let row = row.filter(move |cell| cell.agent == agent && cell.scene != Scene::Killed);
        rows.spawn(play_row(row.collect(), start));
    }
    let killed = wanted.iter().copied();
    rows.spawn(play_killed(
        killed.filter(|cell| cell.scene == Scene::Killed).collect(),
        start,
    ));
    let (mut outcomes, mut faults) = (BTreeMap::new(), Vec::new());
    while let Some(row) = rows.join_next().await {
        for (cell, outcome) in row.unwrap() {
            match outcome {
                Ok(outcome) => {
                    if let Err(Cannot(why)) = outcome {
                        eprintln!("{}: cannot: {why}", cell.mark());
                    }
                    outcomes.insert(cell, outcome);
                }
                Err(fault) => faults.push(format!("{}: {fault}", cell.mark())),
            }
        }
    }
    faults.sort();
    assert!(
        faults.is_empty(),
        "{} cells:\n{}",
        faults.len(),
        faults.join("\n")
    );
    let played: Vec<Cell> = outcomes.keys().copied().collect();
    let mut all = wanted.clone();
    all.sort();
    assert_eq!(played, all, "a cell was neither played nor declared");
    outcomes
}

/// Whether a cell is to be played: all of them, unless whoever looks for a fault names some.
#[expect(
    clippy::disallowed_methods,
    reason = "a way to play a few cells by hand; nothing else is decided by it"
)]
fn is_wanted(cell: Cell) -> bool {
    std::env::var("MATRIX_ONLY").map_or(true, |only| cell.mark().contains(&only))
}

/// A cell with what became of it, or what went wrong.
type Row = (Cell, Result<Outcome, String>);

/// Plays the cells of one agent face on a server of their own.
async fn play_row(cells: Vec<Cell>, start: fn() -> Server) -> Vec<Row> {
    let server = Arc::new(tokio::task::block_in_place(start));
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut playing = Vec::new();
    for cell in cells {
        let (server, turns) = (Arc::clone(&server), Arc::clone(&turns));
        let play = async move {
            let _turn = turns.acquire_owned().await.unwrap();
            match Played::begin(cell, Arc::clone(&server)).await {
                Ok(played) => {
                    played.finish().await;
                    Ok(())
                }
                Err(cannot) => Err(cannot),
            }
        };
        playing.push((cell, tokio::spawn(play)));
    }
    let mut played = Vec::new();
    for (cell, playing) in playing {
        played.push((cell, playing.await.map_err(fault)));
    }
    server.verified().await;
    played
}

/// Plays cells around the death of one server: everything is asked before it and answered after.
async fn play_killed(cells: Vec<Cell>, start: fn() -> Server) -> Vec<Row> {
    let server = Arc::new(tokio::task::block_in_place(start));
    let mut beginning = Vec::new();
    for cell in cells {
        let server = Arc::clone(&server);
        let begin = async move { Played::begin(cell, server).await };
        beginning.push((cell, tokio::spawn(begin)));
    }
    let mut begun = Vec::new();
    for (cell, beginning) in beginning {
        begun.push((cell, beginning.await.map_err(fault)));
    }
    server.kill();
    server.start_again();
    let mut finishing = Vec::new();
    for (cell, begun) in begun {
        let finish = async move {
            match begun {
                Ok(Ok(mut played)) => {
                    played.come_again().await;
                    played.finish().await;
                    Ok(Ok(()))
                }
                Ok(Err(cannot)) => Ok(Err(cannot)),
                Err(fault) => Err(fault),
            }
        };
        finishing.push((cell, tokio::spawn(finish)));
    }
    let mut played = Vec::new();
    for (cell, finishing) in finishing {
        played.push((cell, finishing.await.map_err(fault).and_then(|ended| ended)));
    }
    server.verified().await;
    played
}

/// What stopped a cell.
fn fault(stopped: tokio::task::JoinError) -> String {
    let Ok(said) = stopped.try_into_panic() else {
        return "it was stopped".to_owned();
    };
    said.downcast_ref::<String>()
        .cloned()
        .or_else(|| said.downcast_ref::<&str>().map(|said| (*said).to_owned()))
        .unwrap_or_default()
}
