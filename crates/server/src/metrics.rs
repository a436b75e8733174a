//! Numbers for Prometheus. Labels are only words of ours: routes, statuses, codes and doors.

use std::fmt;

use axum::http::StatusCode;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use sayso_dialects::native::wire::ProblemCode;
use sayso_hub::Hub;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabels {
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DoorLabels {
    door: &'static str,
}

/// The doors that stay open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongDoor {
    Agent,
    Feed,
    Sse,
}

impl LongDoor {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Feed => "feed",
            Self::Sse => "sse",
        }
    }
}

/// Every number.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    calls: Family<RouteLabels, Counter>,
    problems: Family<CodeLabels, Counter>,
    open: Family<DoorLabels, Gauge>,
    bad_frames: Family<DoorLabels, Counter>,
    /// Connections that were turned away because there were too many.
    pub(crate) turned_away: Counter,
    /// How far this node is behind the furthest one.
    lag: Gauge,
}

impl Metrics {
    pub(crate) fn new(hub: &Hub, node: &str) -> Self {
        let mut registry = Registry::with_prefix("sayso");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version of the server", build);
        let node = hub.neighbours().map_or(node, |others| others.node_name());
        let node = Info::new([("node", node.to_owned())]);
        registry.register("node", "The name of this node", node);
        let lag = Gauge::default();
        registry.register(
            "node_lag",
            "Events that another node has applied and this one has not",
            lag.clone(),
        );
        registry.register_collector(Box::new(HubNumbers(hub.clone())));
        let calls = Family::default();
        registry.register(
            "http_requests",
            "HTTP calls by route and status",
            calls.clone(),
        );
        let problems = Family::default();
        registry.register("problems", "Refusals by code", problems.clone());
        let open = Family::default();
        registry.register(
            "sockets",
            "Connections that stay open, by door",
            open.clone(),
        );
        let bad_frames = Family::default();
        registry.register(
            "frame_errors",
            "Frames that could not be processed, by door",
            bad_frames.clone(),
        );
        let turned_away = Counter::default();
        registry.register(
            "connections_turned_away",
            "Connections refused because of the limit",
            turned_away.clone(),
        );
        Self {
            registry,
            calls,
            problems,
            open,
            bad_frames,
            turned_away,
            lag,
        }
    }

    pub(crate) fn called(&self, route: &str, status: StatusCode) {
        self.calls
            .get_or_create(&RouteLabels {
                route: route.to_owned(),
                status: status.as_u16(),
            })
            .inc();
    }

    pub(crate) fn problem(&self, code: ProblemCode) {
        self.problems
            .get_or_create(&CodeLabels { code: code.word() })
            .inc();
    }

    pub(crate) fn bad_frame(&self, door: LongDoor) {
        self.bad_frames
            .get_or_create(&DoorLabels { door: door.word() })
            .inc();
    }

    /// Counts a connection for as long as what is returned lives.
    pub(crate) fn opened(&self, door: LongDoor) -> Counted {
        let gauge = self
            .open
            .get_or_create_owned(&DoorLabels { door: door.word() });
        gauge.inc();
        Counted(gauge)
    }

    /// Every number as text, with how far this node is behind.
    pub(crate) fn text(&self, lag: u64) -> Result<String, fmt::Error> {
        self.lag.set(i64::try_from(lag).unwrap_or(i64::MAX));
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// A connection that is counted.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// What the hub counts, read when it is asked for.
#[derive(Debug)]
struct HubNumbers(Hub);

impl Collector for HubNumbers {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let health = self.0.health();
        let gauges = [
            ("asks_open", "Open asks", health.open),
            (
                "outcomes_owed",
                "Outcomes that their agents have not confirmed yet",
                health.owed,
            ),
            ("links", "Connections of agents", health.links),
            ("devices", "Devices that follow the feed", health.devices),
            (
                "writable",
                "Whether the last commit worked",
                usize::from(health.writable),
            ),
            (
                "node_fresh",
                "Whether this node reached its database within the last second",
                usize::from(self.0.is_fresh()),
            ),
            (
                "node_applied",
                "The last journal entry that this node has applied",
                usize::try_from(health.head.0).unwrap_or(usize::MAX),
            ),
        ];
        for (name, help, value) in gauges {
            let gauge = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        let counters = [
            (
                "devices_cut",
                "Devices disconnected because they fell behind",
                health.devices_cut,
            ),
            ("commits", "Commits since the start", health.commits),
            ("events", "Events written since the start", health.events),
        ];
        for (name, help, value) in counters {
            ConstCounter::new(value).encode(encoder.encode_descriptor(
                name,
                help,
                None,
                MetricType::Counter,
            )?)?;
        }
        Ok(())
    }
}
