//! What every door shares.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use sayso_core::id::{DialectName, PersonName};
use sayso_core::time::Time;
use sayso_couriers::push::PushCourier;
use sayso_dialects::native;
use sayso_dialects::native::wire::ProblemCode;
use sayso_hub::{Hub, Pass};
use sayso_mcp::ToolList;
use tokio::sync::watch;

use crate::admission::Visitor;
use crate::agent_files::AgentFiles;
use crate::auth::codes::Codes;
use crate::auth::host::Hosts;
use crate::auth::peer::Peer;
use crate::auth::secret::random_bytes;
use crate::auth::throttle::Throttle;
use crate::doors::dialect::{self, Seats, Speech};
use crate::doors::ws::Goodbye;
use crate::error::ServerError;
use crate::halves::Halves;
use crate::metrics::Metrics;
use crate::notices;
use crate::problem::ApiError;
use crate::samples::Samples;
use crate::settings::ServerSettings;

/// Whether connections are to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Departure {
    Stay,
    /// This node cannot reach its database; another one may.
    CutOff,
    Stop,
}

/// What every door shares.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) hub: Hub,
    pub(crate) hosts: Hosts,
    pub(crate) proxies: Vec<IpAddr>,
    pub(crate) allowed_origins: BTreeMap<String, Vec<String>>,
    pub(crate) person: Option<PersonName>,
    pub(crate) frames_per_minute: Option<u32>,
    /// What agents' half messages hold.
    pub(crate) halves: Halves,
    pub(crate) throttle: Throttle,
    /// Wrong pairing codes: six digits can be guessed, so they are counted apart.
    pub(crate) pairing_throttle: Throttle,
    /// Tickets, log-ins and pairings that were given out.
    pub(crate) codes: Codes,
    /// The files of agents, where they are kept.
    pub(crate) files: Option<AgentFiles>,
    /// Who wants notices, where they are pushed.
    pub(crate) push: Option<PushCourier>,
    /// The sample agent, where there is one.
    pub(crate) samples: Option<Samples>,
    pub(crate) metrics: Metrics,
    pub(crate) dialect: DialectName,
    /// Every dialect of the table, as it is set here.
    pub(crate) speeches: Vec<Arc<Speech>>,
    /// Places of dialects that only one connection may have.
    pub(crate) seats: Seats,
    /// The tools of agents, as their programs are shown them.
    pub(crate) shelf: Arc<ToolList>,
    /// The address that links lead to.
    pub(crate) url: String,
    /// What this server is called where it is alone.
    pub(crate) node: String,
    pub(crate) started_at: Time,
    departure: watch::Sender<Departure>,
    call_numbers: AtomicU64,
    /// Tells the calls of this run from those of the one before.
    run: u32,
}

impl Shared {
    pub(crate) async fn new(
        settings: &ServerSettings,
        hub: Hub,
        hosts: Hosts,
        url: String,
    ) -> Result<Arc<Self>, ServerError> {
        for (door, origins) in &settings.allowed_origins {
            if let Some(origin) = origins.iter().find(|origin| !is_origin(origin)) {
                return Err(ServerError::Origin {
                    door: door.clone(),
                    origin: origin.clone(),
                });
            }
        }
        let run: [u8; 4] = random_bytes()?;
        let dialect =
            DialectName::new(native::DIALECT.name).map_err(|error| ServerError::Built {
                detail: error.to_string(),
            })?;
        Ok(Arc::new(Self {
            hosts,
            proxies: settings.proxies.clone(),
            allowed_origins: settings.allowed_origins.clone(),
            person: settings.person.clone(),
            frames_per_minute: settings.frames_per_minute,
            halves: Halves::default(),
            throttle: Throttle::default(),
            pairing_throttle: Throttle::default(),
            codes: Codes::of(&hub),
            files: settings
                .files
                .as_deref()
                .map(|folder| AgentFiles::open(folder, &hub))
                .transpose()?,
            push: match &settings.push {
                Some(place) => Some(notices::open(place, &hub, &url).await?),
                None => None,
            },
            samples: settings.sample.clone().map(Samples::new),
            metrics: Metrics::new(&hub, &settings.node),
            dialect,
            speeches: dialect::speeches(&settings.dialects)?,
            seats: Seats::of(&hub),
            shelf: dialect::shelf()?,
            url,
            node: settings.node.clone(),
            started_at: hub.clock().wall(),
            departure: watch::Sender::new(Departure::Stay),
            call_numbers: AtomicU64::new(0),
            run: u32::from_be_bytes(run),
            hub,
        }))
    }

    pub(crate) fn now(&self) -> Time {
        self.hub.clock().wall()
    }

    pub(crate) fn steady(&self) -> Duration {
        self.hub.clock().steady()
    }

    /// The id of the next call, for its log lines and its reply.
    pub(crate) fn call_id(&self) -> String {
        format!(
            "{:08x}-{:x}",
            self.run,
            self.call_numbers.fetch_add(1, Ordering::Relaxed)
        )
    }

    /// Counts a wrong credential and says what to tell its sender.
    pub(crate) fn wrong_credential(&self, peer: Peer, refusal: ApiError) -> ApiError {
        match self.throttle.failed(peer, self.steady()) {
            Some(wait) => ApiError::too_many_tries(wait),
            None => refusal,
        }
    }

    /// The network a request comes from; none where all that is known is a proxy of ours.
    pub(crate) fn network(&self, peer: Peer) -> Option<IpAddr> {
        let is_proxy = self
            .proxies
            .iter()
            .any(|proxy| proxy.to_canonical() == peer.0);
        (!is_proxy).then(|| peer.network())
    }

    /// Counts a connection as one of this token's, if there is room for it.
    pub(crate) fn admit(&self, visitor: &Visitor, pass: &Pass) -> Result<(), ApiError> {
        let network = self.network(visitor.peer);
        visitor.place.admit(pass, network).map_err(|full| {
            self.metrics.turned_away.inc();
            ApiError::no_room(full)
        })
    }

    /// The origins that may call the door at this path, beside our own.
    pub(crate) fn listed(&self, path: &str) -> &[String] {
        let inside = |door: &str| {
            path.strip_prefix(door)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.allowed_origins
            .iter()
            .find(|(door, _)| inside(door))
            .map_or(&[], |(_, origins)| origins.as_slice())
    }

    /// Counts a refusal that goes out on a socket.
    pub(crate) fn count_problem(&self, code: ProblemCode) {
        self.metrics.problem(code);
    }

    /// Everyone is to go home.
    pub(crate) fn stop(&self) {
        self.departure.send_replace(Departure::Stop);
    }

    /// Whether this node has been cut off from its database for so long that everyone is to move to
    /// another one.
    pub(crate) fn set_cut_off(&self, cut_off: bool) {
        let now = if cut_off {
            Departure::CutOff
        } else {
            Departure::Stay
        };
        self.departure.send_if_modified(|before| {
            // Nobody comes back from the end.
            let changes = *before != Departure::Stop && *before != now;
            if changes {
                *before = now;
            }
            changes
        });
    }

    /// Resolves once everyone is to go home.
    pub(crate) async fn stopped(&self) {
        // The sender lives in us, so waiting cannot fail.
        let _ = self
            .departure
            .subscribe()
            .wait_for(|departure| *departure == Departure::Stop)
            .await;
    }

    /// Resolves once this node has been cut off for too long.
    pub(crate) async fn cut_off(&self) {
        let mut seen = self.departure.subscribe();
        // The sender lives in us, so waiting cannot fail.
        let _ = seen
            .wait_for(|departure| *departure == Departure::CutOff)
            .await;
    }

    /// Resolves once connections are to end, with what they are told.
    pub(crate) async fn sent_home(&self) -> Goodbye {
        let mut seen = self.departure.subscribe();
        let departure = seen.wait_for(|departure| *departure != Departure::Stay);
        match departure.await.as_deref() {
            Ok(Departure::CutOff) => Goodbye::CutOff,
            Ok(Departure::Stay | Departure::Stop) | Err(_) => Goodbye::Stopping,
        }
    }

    /// Ready while nothing may be told or taken. It wakes nobody: it is looked at whenever there is
    /// something to tell or to take.
    pub(crate) fn silent(&self) -> impl Future<Output = ()> + '_ {
        std::future::poll_fn(|_| {
            if self.hub.is_fresh() {
                Poll::Pending
            } else {
                Poll::Ready(())
            }
        })
    }
}

/// Whether this is how a browser writes an origin.
fn is_origin(text: &str) -> bool {
    text.parse::<crate::settings::PublicUrl>()
        .is_ok_and(|url| url.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_a_browser_does() {
        for good in [
            "https://board.example",
            "http://localhost:5173",
            "https://[2001:db8::1]",
        ] {
            assert!(is_origin(good), "{good}");
        }
        for bad in [
            "null",
            "*",
            "https://board.example/",
            "https://board.example:443",
            "https://Board.example",
            "board.example",
        ] {
            assert!(!is_origin(bad), "{bad}");
        }
    }
}
