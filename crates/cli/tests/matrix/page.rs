//! `docs/conformance.md`, written from what the matrix showed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use sayso_testkit::faces::{Cannot, Scene};

use super::grid::Outcome;
use super::play::{AgentFace, Cell, PersonFace};

const HEAD: &str = "# Conformance

Asks over one wire language, answered over another, in a test that starts the real server and talks to it with small
programs written only from each language's specification (`crates/testkit/src/faces`). Every cell compares everything
that the agent receives with its specification. `ok` means that it passed; a number refers to the reason below the table
why it is not possible.

This page is generated: `UPDATE_CONFORMANCE=1 cargo test -p sayso --test matrix` writes it.
";

/// Compares the page with the outcomes, or writes it when asked to.
#[expect(
    clippy::disallowed_methods,
    reason = "whoever changes the matrix says so here that the page is to be written anew"
)]
pub(crate) fn compare(outcomes: &BTreeMap<Cell, Outcome>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.md");
    let page = written(outcomes);
    if std::env::var_os("UPDATE_CONFORMANCE").is_some() {
        std::fs::write(&path, page).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "docs/conformance.md is not what the matrix showed; UPDATE_CONFORMANCE=1 writes it:\n{page}"
    );
}

fn written(outcomes: &BTreeMap<Cell, Outcome>) -> String {
    let mut page = HEAD.to_owned();
    for agent in AgentFace::ALL {
        table(&mut page, agent, outcomes);
    }
    page
}

/// One agent face: a row for each scene, a column for each person face.
fn table(page: &mut String, agent: AgentFace, outcomes: &BTreeMap<Cell, Outcome>) {
    let names = PersonFace::ALL.map(PersonFace::name);
    let (mut rows, mut reasons) = (String::new(), Vec::new());
    for scene in Scene::ALL {
        let cells = PersonFace::ALL.map(|person| {
            let cell = Cell {
                agent,
                person,
                scene,
            };
            match outcomes.get(&cell) {
                Some(Ok(())) => "ok".to_owned(),
                Some(Err(cannot)) => number(&mut reasons, *cannot),
                None => "not played".to_owned(),
            }
        });
        writeln!(rows, "| {} | {} |", scene.title(), cells.join(" | ")).unwrap();
    }
    let lines = ["---"; 6].join(" | ");
    let name = agent.name();
    writeln!(
        page,
        "\n## A {name} agent asks\n\n| | {} |\n| {lines} |",
        names.join(" | ")
    )
    .unwrap();
    page.push_str(&rows);
    for (place, Cannot(why)) in reasons.iter().enumerate() {
        let gap = if place == 0 { "\n" } else { "" };
        writeln!(page, "{gap}{}. {why}.", place + 1).unwrap();
    }
}

/// The number of a reason below the table.
fn number(reasons: &mut Vec<Cannot>, cannot: Cannot) -> String {
    let place = reasons.iter().position(|have| *have == cannot);
    let place = place.unwrap_or_else(|| {
        reasons.push(cannot);
        reasons.len() - 1
    });
    format!("({})", place + 1)
}
