//! Single calls of dialects: an agent's that asks and waits, and a person's that reads.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use sayso_core::entry::Entry;
use sayso_core::id::{AgentName, AskId, AskKey, ConversationName, Seq};
use sayso_core::limits;
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::native::wire::ProblemCode;
use sayso_dialects::{Body, Call, CallReply, Called, Moment, Tied, Transcript, Way};
use sayso_hub::{AgentPass, EntryFrom, Hub, HubError, PersonPass};
use sayso_store::NodeState;

use super::{Speech, decided};
use crate::auth::bearer::{self, enter_speaking};
use crate::auth::secret::random_bytes;
use crate::body::Whole;
use crate::error::ServerError;
use crate::problem::{ApiError, ApiResult};
use crate::shared::Shared;

/// How long one look at an ask lasts; then it is looked at again.
const LOOK: Duration = Duration::from_secs(limits::WAIT_S_MAX);
/// Entries of a transcript: what a front end can draw at once, and more than a day of talk.
const TRANSCRIPT_MAX: usize = 1_000;

/// Asks, and waits for the outcome as long as the caller does. The ask outlives the call: the same
/// wire id or `Idempotency-Key` finds it again.
pub(super) async fn ask(
    speech: Arc<Speech>,
    call: &'static dyn Call,
    State(shared): State<Arc<Shared>>,
    parts: Parts,
    body: Whole,
) -> ApiResult {
    let pass = bearer::agent(enter_speaking(&shared, &parts, &speech.name).await?)?;
    let key = key_of(&parts)?;
    let body = body.0;
    let (agent, mut draft) = match call.read(&body, shared.now()) {
        Called::Reply(reply) => {
            if let Some(tie) = call.tie(&body) {
                decided::say(&shared, &speech, pass.token().id, tie);
            }
            return written(reply);
        }
        Called::Ask { agent, draft } => (agent, draft),
    };
    let decided = speech.decided.of(pass.token().id, call.tie(&body));
    draft.key = draft.key.or(key);
    // What is in no conversation could not be seen by front ends that show one.
    draft.conversation = draft.conversation.or_else(|| home(&pass, agent.as_ref()));
    draft.timeout = draft.timeout.or(speech.row.default_deadline);
    let outcome = match pass.ask(*draft, agent).await {
        Ok(asked) => {
            let mut tied = TiedAsk::new(call, &pass, asked.view.ask.id);
            let ended = tokio::select! {
                biased;
                ended = closed(&shared, &pass, asked.view) => ended,
                () = decided => tied.end().await,
            };
            tied.let_go();
            ended
        }
        Err(error) => Err(error),
    };
    match outcome {
        Ok(view) => written(call.write(&body, &view)),
        Err(error) => {
            let refusal = ApiError::hub(error, Viewer::Asker, shared.now());
            let why = refusal
                .problem
                .detail
                .as_deref()
                .unwrap_or(&refusal.problem.title);
            written(call.refuse(&body, why, refusal.problem.status))
        }
    }
}

/// The conversation of what an agent asks outside of any: named after the agent.
fn home(pass: &AgentPass, agent: Option<&AgentName>) -> Option<ConversationName> {
    let name = agent.map_or(pass.token().name.as_str(), AgentName::as_str);
    ConversationName::new(name).ok()
}

/// An ask that ends with its caller: a call that is dropped was left.
struct TiedAsk {
    pass: AgentPass,
    left: Option<(AskId, Tied)>,
}

impl TiedAsk {
    fn new(call: &dyn Call, pass: &AgentPass, ask: AskId) -> Self {
        Self {
            pass: pass.clone(),
            left: call.tied().map(|tied| (ask, tied)),
        }
    }

    /// Ends the ask now, because it is decided.
    async fn end(&self) -> Result<AskView, HubError> {
        match self.left {
            Some((ask, tied)) => self.pass.withdraw(ask, Some(tied.decided.to_owned())).await,
            None => std::future::pending().await,
        }
    }

    /// The caller is still there, or the server goes: then the next start ends it.
    fn let_go(&mut self) {
        self.left = None;
    }
}

impl Drop for TiedAsk {
    fn drop(&mut self) {
        if let Some((ask, tied)) = self.left.take() {
            let pass = self.pass.clone();
            tokio::spawn(async move {
                // Somebody may have been faster; then there is nothing to take back.
                if let Err(error) = pass.withdraw(ask, Some(tied.note.to_owned())).await {
                    tracing::debug!(%error, %ask, "could not withdraw the ask of a caller that \
                                                   is gone");
                }
            });
        }
    }
}

/// Ends the asks of callers that went with the last life of the server. Where other nodes live, so may the
/// callers: they wait there.
pub(crate) async fn end_tied(speeches: &[Arc<Speech>], hub: &Hub) -> Result<(), ServerError> {
    if others_live(hub).await {
        return Ok(());
    }
    for speech in speeches {
        for door in speech.row.doors {
            let Way::Call(call) = door.way else { continue };
            let Some(tied) = call.tied() else { continue };
            let agent = AgentName::new(tied.agent).map_err(|error| ServerError::Built {
                detail: error.to_string(),
            })?;
            if let Err(error) = hub.withdraw_all(&speech.name, &agent, tied.note).await {
                tracing::warn!(%error, "could not withdraw asks whose callers are gone");
            }
        }
    }
    Ok(())
}

/// Whether another node may serve now; yes when that cannot be said.
async fn others_live(hub: &Hub) -> bool {
    let Some(neighbours) = hub.neighbours() else {
        return false;
    };
    let own = neighbours.node();
    match neighbours.nodes().await {
        Ok(nodes) => nodes
            .iter()
            .any(|node| node.id != own && node.state != NodeState::Gone),
        Err(_) => true,
    }
}

fn key_of(parts: &Parts) -> Result<Option<AskKey>, ApiError> {
    let Some(value) = parts.headers.get("idempotency-key") else {
        return Ok(None);
    };
    value
        .to_str()
        .ok()
        .and_then(|text| AskKey::new(text).ok())
        .map(Some)
        .ok_or_else(|| ApiError::invalid("", "Idempotency-Key must be 1 to 256 bytes of text"))
}

/// The ask once it has ended.
async fn closed(shared: &Shared, pass: &AgentPass, mut view: AskView) -> Result<AskView, HubError> {
    let sent_home = shared.sent_home();
    tokio::pin!(sent_home);
    let ask = view.ask.id;
    if view.closing.is_some() {
        // Looked at by its asker: that is how the outcome counts as sent.
        return pass.look(ask, Duration::ZERO).await;
    }
    while view.closing.is_none() {
        view = tokio::select! {
            biased;
            goodbye = &mut sent_home => {
                let why = format!("{}; ask again to get the same ask", goodbye.reason());
                return Err(HubError::TryLater(why));
            }
            looked = pass.look(ask, LOOK) => looked?,
        };
    }
    Ok(view)
}

/// What was said in a conversation.
pub(super) async fn transcript(
    speech: Arc<Speech>,
    transcript: &'static dyn Transcript,
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    parts: Parts,
) -> ApiResult {
    let pass = bearer::person(enter_speaking(&shared, &parts, &speech.name).await?)?;
    let Ok(conversation) = pass.conversation(&id).await else {
        return written(transcript.unknown(&id));
    };
    let entries = newest(&pass, &conversation, TRANSCRIPT_MAX)
        .await
        .map_err(|error| ApiError::hub(error, Viewer::Anybody, shared.now()))?;
    written(transcript.write(&conversation, &entries.0))
}

/// The newest entries of a conversation, oldest first, and the place they are true for.
pub(super) async fn newest(
    pass: &PersonPass,
    conversation: &Arc<sayso_core::agent::Conversation>,
    max: usize,
) -> Result<(Vec<Entry>, Seq), HubError> {
    let (mut entries, mut as_of): (Vec<Entry>, Option<Seq>) = (Vec::new(), None);
    let mut from = Some(EntryFrom::Before(Seq::MAX));
    while let Some(place) = from
        && entries.len() < max
    {
        let page = pass
            .entries(conversation, place, limits::PAGE_ROWS_MAX)
            .await?;
        // What came since the first look is told by the feed.
        as_of = as_of.or(Some(page.as_of));
        entries.splice(0..0, page.entries);
        from = page.next;
    }
    Ok((entries, as_of.unwrap_or(Seq::ZERO)))
}

/// A reply that needs nothing but a moment and a random number.
pub(super) async fn fresh(
    speech: &Speech,
    write: fn(&Moment<'_>) -> CallReply,
    shared: &Shared,
    parts: &Parts,
) -> ApiResult {
    bearer::person(enter_speaking(shared, parts, &speech.name).await?)?;
    written(write(&Moment {
        now: shared.now(),
        random: &hex()?,
    }))
}

/// A fresh random number, as 32 hexadecimal digits.
pub(super) fn hex() -> Result<String, ApiError> {
    Ok(format!("{:032x}", u128::from_be_bytes(random_bytes()?)))
}

/// A reply as it is sent.
pub(super) fn written(reply: CallReply) -> ApiResult {
    let (kind, text) = match reply.body {
        Body::Json(text) => ("application/json", text),
        Body::Text(text) => ("text/plain; charset=utf-8", text),
    };
    let mut response = Response::new(text.into());
    *response.status_mut() = StatusCode::from_u16(reply.status).map_err(|_| {
        ApiError::new(
            ProblemCode::TryLater,
            "The dialect gave a status that is none.",
        )
    })?;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}
