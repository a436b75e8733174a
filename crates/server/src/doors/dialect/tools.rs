//! The tools of an agent over the Model Context Protocol, one POST at a time.
//!
//! Nothing is kept between two calls: a program goes on after a restart as if there had been none. What
//! older versions of the protocol keep in a session, the name of the program, is in the session's name.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Request};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sayso_core::ask::{Draft, Matter};
use sayso_core::id::{AgentName, AskId, ConversationName};
use sayso_core::limits;
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::Ended;
use sayso_dialects::mcp::{self, Spoken};
use sayso_hub::{AgentPass, HubError, NewNote};
use sayso_mcp::{AskStanding, AwaitedAsk, Desk, DeskError, HOLD, Left, ToolList, Tools};
use tokio::sync::Mutex;

use super::Speech;
use super::call::hex;
use super::seats::Seat;
use crate::auth::bearer::{self, enter_speaking};
use crate::body::Whole;
use crate::error::ServerError;
use crate::problem::{ApiError, ApiResult};
use crate::shared::Shared;

/// How long one look at an ask lasts; then it is looked at again.
const LOOK: Duration = Duration::from_secs(limits::WAIT_S_MAX);
/// How often a stream on which nothing happens says that it is there.
const ALIVE_EVERY: Duration = Duration::from_secs(15);
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Takes one message of a program in.
pub(super) async fn speak(
    speech: Arc<Speech>,
    State(shared): State<Arc<Shared>>,
    mut parts: Parts,
    body: Whole,
) -> ApiResult {
    let pass = bearer::agent(enter_speaking(&shared, &parts, &speech.name).await?)?;
    let said = Spoken::read(&body.0);
    let session = parts
        .headers
        .get(SESSION)
        .and_then(|name| name.to_str().ok());
    let session = session.unwrap_or_default().to_owned();
    let seat = |id: &str| format!("mcp {} {session} {id}", pass.token().id);
    if let Some(id) = &said.cancels {
        // Whoever has this place is told that it is taken.
        drop(shared.seats.take(seat(id)));
    }
    let named = said
        .program
        .as_deref()
        .and_then(|name| AgentName::new(name).ok());
    let counter = Counter(Arc::new(Inner {
        name: named.or_else(|| mcp::program_of(&session)),
        // Without a session the ids of two programs may be the same.
        seat: said
            .id
            .as_deref()
            .filter(|_| !session.is_empty())
            .map(|id| Mutex::new(shared.seats.take_here(seat(id)))),
        shared: Arc::clone(&shared),
        pass,
    }));
    let hold = speech
        .knobs
        .get(mcp::HOLD.key)
        .parse()
        .map_or(HOLD, Duration::from_secs);
    let shelf = Arc::clone(&shared.shelf);
    let service = StreamableHttpService::new(
        move || Ok(Tools::new(counter.clone(), Arc::clone(&shelf), hold)),
        Arc::new(NeverSessionManager::default()),
        // Host and Origin were looked at before anything else, for every door in the same way.
        StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_legacy_session_mode(false)
            .with_sse_keep_alive(Some(ALIVE_EVERY))
            .with_max_request_body_bytes(limits::FRAME_BYTES_MAX),
    );
    // The token stays here.
    parts.headers.remove(axum::http::header::AUTHORIZATION);
    let request = Request::from_parts(parts, Body::from(body.0));
    let mut response = service.handle(request).await.map(Body::new);
    if said.begins && response.status().is_success() {
        let name = mcp::session_name(said.program.as_deref(), &hex()?);
        if let Ok(name) = HeaderValue::from_str(&name) {
            response.headers_mut().insert(SESSION, name);
        }
    }
    Ok(response)
}

/// Where one call asks. Cheap to clone.
#[derive(Clone)]
struct Counter(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    pass: AgentPass,
    name: Option<AgentName>,
    /// The place of this call, which whoever cancels it takes.
    seat: Option<Mutex<Seat>>,
}

impl fmt::Debug for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Counter").field(&self.0.name).finish()
    }
}

/// An ask that is waited for.
struct Held {
    counter: Counter,
    view: AskView,
}

/// What the hub said.
struct Said(String, bool);

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl DeskError for Said {
    fn is_unknown(&self) -> bool {
        self.1
    }
}

impl Counter {
    fn said(&self, error: HubError) -> Said {
        let unknown = matches!(error, HubError::NotFound);
        let problem = ApiError::hub(error, Viewer::Asker, self.0.shared.now()).problem;
        Said(problem.detail.unwrap_or(problem.title), unknown)
    }

    async fn find(&self, id: &str) -> Result<AskView, Said> {
        let unknown = |_| Said("There is no ask with this id.".to_owned(), true);
        let id: AskId = id.parse().map_err(unknown)?;
        let looked = self.0.pass.look(id, Duration::ZERO).await;
        looked.map_err(|error| self.said(error))
    }
}

impl Desk for Counter {
    type Error = Said;
    type AwaitedAsk = Held;

    /// What the protocol's own layer says of a program without a session is nobody's name.
    fn agent(&self, _: Option<String>) -> String {
        let name = self.0.name.as_ref().map(AgentName::as_str);
        name.unwrap_or_else(|| self.0.pass.token().name.as_str())
            .to_owned()
    }

    async fn ask(&self, draft: Draft, agent: &str) -> Result<Held, Said> {
        let asked = self.0.pass.ask(draft, AgentName::new(agent).ok()).await;
        let asked = asked.map_err(|error| self.said(error))?;
        Ok(Held {
            counter: self.clone(),
            view: asked.view,
        })
    }

    async fn resume(&self, id: &str, _: Duration) -> Result<Held, Said> {
        Ok(Held {
            view: self.find(id).await?,
            counter: self.clone(),
        })
    }

    async fn look(&self, id: &str) -> Result<(Matter, Option<Ended>), Said> {
        let view = self.find(id).await?;
        let ended = Ended::of(&view);
        Ok((view.ask.matter.clone(), ended))
    }

    async fn confirm(&self, id: &str) {
        let Ok(id) = id.parse() else { return };
        if let Err(error) = self.0.pass.confirm(id).await {
            tracing::debug!(%error, ask = %id, "could not confirm an outcome");
        }
    }

    async fn note(&self, text: &str, agent: &str) -> Result<(), Said> {
        let invalid = |error: sayso_core::id::BadId| Said(error.to_string(), false);
        let conversation = ConversationName::new(agent).map_err(invalid)?;
        let note = NewNote {
            tool: agent.to_owned(),
            text: text.to_owned(),
            status: None,
        };
        let noted = self
            .0
            .pass
            .note(AgentName::new(agent).ok(), &conversation, note);
        noted.await.map_err(|error| self.said(error))
    }

    async fn left(&self) -> Left {
        let taken = async {
            match &self.0.seat {
                Some(seat) => seat.lock().await.lost().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = taken => Left::Cancelled,
            () = self.0.pass.revoked() => Left::Gone,
            _ = self.0.shared.sent_home() => Left::Stopping,
        }
    }

    fn dropped(&self) -> Left {
        Left::Gone
    }
}

impl AwaitedAsk for Held {
    type Error = Said;

    fn id(&self) -> String {
        self.view.ask.id.to_string()
    }

    fn matter(&self) -> Result<Matter, Said> {
        Ok(self.view.ask.matter.clone())
    }

    fn standing(&self) -> Result<AskStanding, Said> {
        let closing = self.view.closing.as_deref();
        Ok(AskStanding {
            matter: self.view.ask.matter.clone(),
            asked_at: self.view.ask.asked_at,
            ended: closing.and_then(|closing| Some((closing.at, Ended::of(&self.view)?))),
        })
    }

    async fn ended(&mut self) -> Result<Option<Ended>, Said> {
        let pass = &self.counter.0.pass;
        let ask = self.view.ask.id;
        let mut wait = Duration::ZERO;
        loop {
            let looked = tokio::select! {
                biased;
                // Whoever waits is told so elsewhere; there is nothing to wait for here.
                _ = self.counter.0.shared.sent_home() => return std::future::pending().await,
                // Looked at by its asker: that is how the outcome counts as sent.
                looked = pass.look(ask, wait) => looked,
            };
            let view = looked.map_err(|error| self.counter.said(error))?;
            if view.closing.is_some() {
                return Ok(Ended::of(&view));
            }
            wait = LOOK;
        }
    }

    async fn withdraw(self, note: &'static str) {
        let (pass, ask) = (self.counter.0.pass.clone(), self.view.ask.id);
        // On its own: the caller is gone, and what it started may be dropped at any moment.
        let told = tokio::spawn(async move {
            if let Err(error) = pass.withdraw(ask, Some(note.to_owned())).await {
                tracing::debug!(%error, %ask, "could not withdraw the ask of a caller that is \
                                               gone");
            }
        });
        drop(told.await);
    }
}

/// The tools as they are shown.
pub(crate) fn shelf() -> Result<Arc<ToolList>, ServerError> {
    let shelf = ToolList::new(env!("CARGO_PKG_VERSION"));
    shelf
        .map(Arc::new)
        .map_err(|detail| ServerError::Built { detail })
}
