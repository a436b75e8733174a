//! The figures as JSON, for whoever compares runs.

use serde_json::{Value, json};

use super::figures::Figures;
use super::pairs::Run;
use super::reads::Reads;
use super::table::BenchRow;

pub(super) fn json(figures: &Figures, rows: &[BenchRow]) -> String {
    let machine = &figures.machine;
    let whole = json!({
        "machine": { "cores": machine.cores, "processor": machine.processor, "kernel": machine.kernel, "disk": machine.disk },
        "quick": figures.quick,
        "runs": figures.runs,
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
        "pairs": figures.pairs.as_ref().map(|pairs| json!({
            "fdatasync": pairs.syncs.iter().map(|syncs| json!({ "p50_us": syncs.p50_us, "p99_us": syncs.p99_us })).collect::<Vec<_>>(),
            "loads": pairs.loads.iter().map(|load| json!({
                "pairs": load.pairs,
                "relay": load.relay.iter().map(run).collect::<Vec<_>>(),
                "sayso": load.sayso.iter().map(run).collect::<Vec<_>>(),
                "foreign": load.foreign.iter().map(run).collect::<Vec<_>>(),
                "before": load.before.iter().map(run).collect::<Vec<_>>(),
                "redis": load.redis.iter().map(run).collect::<Vec<_>>(),
                "restate_per_second": load.restate,
            })).collect::<Vec<_>>(),
        })),
        "idle": figures.idle.as_ref().map(|idle| json!({
            "sockets": idle.sockets, "feed_bytes": idle.feed_bytes, "agent_bytes": idle.agent_bytes,
        })),
        "open": figures.open.as_ref().map(|open| json!({
            "asks": open.asks,
            "empty_bytes": open.empty_bytes,
            "filled_bytes": open.filled_bytes,
            "restarted_bytes": open.restarted_bytes,
            "ready_s": open.ready.iter().map(std::time::Duration::as_secs_f64).collect::<Vec<_>>(),
        })),
        "closed": figures.closed.as_ref().map(|closed| closed.at.iter().map(|size| json!({
            "asks": size.asks, "as_left": reads(&size.as_left), "just_started": reads(&size.started),
        })).collect::<Vec<_>>()),
        "rules": figures.rules.as_ref().map(|rules| json!({
            "rules": rules.rules, "one_us": rules.one_us, "all_us": rules.all_us,
        })),
        "hook": figures.hook.as_ref().map(|hook| json!({
            "whole_us": hook.whole_us, "ask_us": hook.ask_us,
        })),
        "page": figures.page.as_ref().map(|page| json!({
            "asks": page.asks, "p50_ms": page.p50_ms, "p95_ms": page.p95_ms,
            "open": { "rows": page.open_rows, "frame_p50_ms": page.open_frame_p50_ms, "frame_p95_ms": page.open_frame_p95_ms },
        })),
        "past": figures.closed.as_ref().and_then(|closed| closed.past).map(|past| json!({
            "nodes": past.nodes, "frame_p95_ms": past.frame_p95_ms,
            "page_p50_ms": past.page_p50_ms, "page_p95_ms": past.page_p95_ms,
            "search_p50_ms": past.search_p50_ms, "search_p95_ms": past.search_p95_ms,
        })),
    });
    format!("{whole:#}\n")
}

fn reads(reads: &Reads) -> Value {
    json!({
        "page_us": reads.page_us,
        "later_page_us": reads.later_page_us,
        "by_id_us": reads.by_id_us,
        "search_rare_us": reads.rare_us,
        "search_seldom_us": reads.seldom_us,
        "search_everyday_us": reads.everyday_us,
    })
}

fn row(row: &BenchRow) -> Value {
    // JSON has no infinity: a bound that is not there becomes null.
    json!({ "what": row.what, "value": row.value, "unit": row.unit, "must": row.must, "goal": row.goal, "reaches": row.mark.word(), "of": row.of, "before": row.before })
}

fn run(run: &Run) -> Value {
    json!({
        "p50_us": run.p50_us,
        "p99_us": run.p99_us,
        "per_second": run.per_second,
        "server_us": run.server_us,
        "projector_us": run.projector_us,
        "generator_us": run.generator_us,
        "busy_cores": run.busy_cores,
        "threads_us": run.threads_us.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    })
}
