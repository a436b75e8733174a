//! The whole bench: measures what the plan names, prints the table and writes the files.

use anyhow::{Context, Result, bail};
use tokio::signal::unix::{SignalKind, signal};

use super::closed::{self, ClosedFigures};
use super::hook::{self, HookFigures};
use super::idle::{self, IdleFigures};
use super::machine::Machine;
use super::nodes::{self, NodeFigures};
use super::open::{self, OpenFigures};
use super::page::{self, PageFigures};
use super::pairs::{self, PairFigures};
use super::plan::{BenchPlan, Measure};
use super::rules::{self, RuleFigures};
use super::scratch::{Scratch, kept};
use super::server::Program;
use super::strain::{self, StrainFigures};
use super::{plot, report, table};

/// Everything that was measured; what the plan left out is absent.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) machine: Machine,
    pub(super) quick: bool,
    pub(super) runs: usize,
    pub(super) pairs: Option<PairFigures>,
    pub(super) idle: Option<IdleFigures>,
    pub(super) open: Option<OpenFigures>,
    /// The same of the build that this one is compared with.
    pub(super) open_before: Option<OpenFigures>,
    pub(super) closed: Option<ClosedFigures>,
    pub(super) rules: Option<RuleFigures>,
    pub(super) hook: Option<HookFigures>,
    pub(super) strain: Option<StrainFigures>,
    pub(super) page: Option<PageFigures>,
    pub(super) nodes: Option<NodeFigures>,
}

pub(super) fn run(plan: &BenchPlan) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (mut interrupt, mut end) = (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        );
        // Whatever is running is dropped with the future, and with it every process and folder.
        let figures = tokio::select! {
            figures = Box::pin(measure(plan)) => figures?,
            _ = interrupt.recv() => bail!("interrupted; everything that was started is gone"),
            _ = end.recv() => bail!("told to end; everything that was started is gone"),
        };
        finish(&figures)
    })
}

async fn measure(plan: &BenchPlan) -> Result<Figures> {
    let (scratch, sizes) = (Scratch::new()?, plan.sizes());
    let machine = Machine::look(scratch.folder());
    if machine.forgets() {
        eprintln!(
            "bench: {} is kept in memory: nothing here is durable, and the ratios mean little",
            scratch.folder().display()
        );
    }
    let mut figures = Figures {
        machine,
        quick: plan.quick,
        runs: sizes.runs,
        pairs: None,
        idle: None,
        open: None,
        open_before: None,
        closed: None,
        rules: None,
        hook: None,
        strain: None,
        page: None,
        nodes: None,
    };
    if plan.has(Measure::Pairs) {
        figures.pairs = Some(Box::pin(pairs::measure(&scratch, plan)).await?);
    }
    if plan.has(Measure::Idle) {
        figures.idle = Some(Box::pin(idle::measure(&scratch, &sizes)).await?);
    }
    if plan.has(Measure::Open) {
        if let Some(path) = &plan.against {
            let before = Program::Other(path.clone());
            figures.open_before = Some(Box::pin(open::measure(&scratch, &sizes, before)).await?);
        }
        figures.open = Some(Box::pin(open::measure(&scratch, &sizes, Program::Built)).await?);
    }
    if plan.has(Measure::Closed) {
        figures.closed = Some(Box::pin(closed::measure(&scratch, &sizes)).await?);
    }
    if plan.has(Measure::Rules) {
        figures.rules = Some(Box::pin(rules::measure(&scratch, &sizes)).await?);
    }
    if plan.has(Measure::Hook) {
        figures.hook = Some(Box::pin(hook::measure(&scratch, &sizes)).await?);
    }
    if plan.has(Measure::Strain) {
        figures.strain = Some(Box::pin(strain::measure(&scratch, &sizes)).await?);
    }
    if plan.has(Measure::Page) {
        figures.page = Box::pin(page::measure(&scratch, &sizes)).await?;
    }
    if plan.has(Measure::Nodes) {
        figures.nodes = Box::pin(nodes::measure(&scratch, &sizes)).await?;
    }
    Ok(figures)
}

fn finish(figures: &Figures) -> Result<()> {
    let rows = table::rows(figures);
    println!("{}", table::print(figures, &rows));
    let folder = kept()?;
    for (name, text) in [
        ("bench.json", report::json(figures, &rows)),
        ("bench.svg", plot::svg(figures)),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, text)
            .with_context(|| format!("could not write {}", path.display()))?;
        eprintln!("bench: wrote {}", path.display());
    }
    Ok(())
}
