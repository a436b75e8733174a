//! A person's call that is answered by a stream of events, in the front end's own language.
//!
//! What the call wants is done before the stream begins; then the feed is told until the face is
//! over or the time is. A caller that goes away takes nothing with it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{RawPathParams, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use sayso_core::agent::Conversation;
use sayso_core::entry::{Entry, Turn};
use sayso_core::id::{AgentId, AskId, ConversationName};
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::{
    PersonHello, PersonMove, PersonNews, PersonStream, Refused, Stream, StreamCall, StreamFace,
    Target,
};
use sayso_hub::{
    FeedEnded, FeedFilter, FeedItem, HubError, MessageTo, News, PersonPass, Subscription,
};

use super::Speech;
use super::call::{hex, newest};
use super::person::{ENTRIES_MAX, open_asks};
use super::person_moves::refusal;
use super::settle::settle;
use crate::auth::bearer::{self, enter_speaking};
use crate::body::Whole;
use crate::doors::news::{ToldAtOpening, news, saying};
use crate::metrics::{Counted, LongDoor};
use crate::problem::{ApiError, ApiResult};
use crate::shared::Shared;

/// Quiet for this long, a comment shows that the stream is alive.
const QUIET: Duration = Duration::from_secs(15);

pub(super) async fn run(
    speech: Arc<Speech>,
    door: PersonStream,
    State(shared): State<Arc<Shared>>,
    path: RawPathParams,
    parts: Parts,
    body: Whole,
) -> ApiResult {
    let pass = bearer::person(enter_speaking(&shared, &parts, &speech.name).await?)?;
    let random = hex()?;
    let read = (door.open)(&StreamCall {
        agent: path.iter().next().map_or("", |(_, agent)| agent),
        body: &body.0,
        hello: PersonHello {
            person: pass.person().as_str(),
            random: &random,
            knobs: &speech.knobs,
        },
    });
    let Stream {
        target,
        named,
        face,
    } = read.map_err(|error| ApiError::read(&error))?;
    let not_now = |error| ApiError::hub(error, Viewer::Anybody, shared.now());
    let place = Place::of(&pass, target).await.map_err(not_now)?;
    let feed = place.follow(&pass);
    let mut telling = Telling {
        over: shared.hub.clock().sleep((door.lasts)(&speech.knobs)),
        _counted: shared.metrics.opened(LongDoor::Sse),
        shared: Arc::clone(&shared),
        told: ToldAtOpening::default(),
        waiting: VecDeque::new(),
        pass,
        place,
        feed,
        face,
    };
    telling.greet().await.map_err(not_now)?;
    telling.follow(&named).await.map_err(not_now)?;
    let events = stream::unfold(Box::new(telling), |mut telling| async move {
        let bytes = telling.next().await?;
        Some((Ok::<_, Infallible>(bytes), telling))
    });
    let mut response = Response::new(Body::from_stream(events));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}

/// The conversation that a stream is about, whether it has begun or not.
struct Place {
    agent: AgentId,
    name: ConversationName,
    here: Option<Arc<Conversation>>,
}

impl Place {
    async fn of(pass: &PersonPass, target: Target) -> Result<Self, HubError> {
        match target {
            Target::OfAgent {
                agent,
                conversation: name,
            } => {
                let agent = pass.agent(&agent).await?;
                let here = match pass.conversation_of(agent, name.as_str()).await {
                    Ok(here) => Some(here),
                    Err(HubError::Unknown(_)) => None,
                    Err(error) => return Err(error),
                };
                Ok(Self { agent, name, here })
            }
            Target::Named(id) => {
                let here = pass.conversation(&id).await?;
                Ok(Self {
                    agent: here.agent,
                    name: here.name.clone(),
                    here: Some(here),
                })
            }
            Target::Everything | Target::New => Err(HubError::Refused(
                "a stream is for one conversation".to_owned(),
            )),
        }
    }

    /// What has not begun is waited for among everything that its agent does.
    fn follow(&self, pass: &PersonPass) -> Subscription {
        let filter = match &self.here {
            Some(here) => FeedFilter::Conversation(here.id),
            None => FeedFilter::Agent(self.agent),
        };
        pass.follow(filter, None).0
    }

    fn is(&self, conversation: &Conversation) -> bool {
        match &self.here {
            Some(here) => here.id == conversation.id,
            None => conversation.agent == self.agent && conversation.name == self.name,
        }
    }

    fn has(&self, view: &AskView) -> bool {
        let conversation = view.conversation.as_ref();
        conversation.is_some_and(|conversation| self.is(conversation))
    }
}

struct Telling {
    shared: Arc<Shared>,
    pass: PersonPass,
    place: Place,
    face: Box<dyn StreamFace>,
    feed: Subscription,
    over: Pin<Box<dyn Future<Output = ()> + Send>>,
    told: ToldAtOpening,
    waiting: VecDeque<Bytes>,
    _counted: Counted,
}

impl Telling {
    /// Tells what there is.
    async fn greet(&mut self) -> Result<(), HubError> {
        let (mut entries, mut open, mut turn) = (Vec::new(), Vec::new(), Turn::Idle);
        let here = self.place.here.clone();
        if let Some(here) = &here {
            (entries, self.told.entries) = newest(&self.pass, here, ENTRIES_MAX).await?;
            open = open_asks(&self.pass, Some(here)).await?;
            turn = self.pass.turn(here.id);
        }
        self.told.open = open.iter().map(|view| view.ask.id).collect();
        self.tell(&PersonNews::Opened {
            conversation: here.as_ref(),
            entries: &entries,
            turn,
            open: &open,
        });
        Ok(())
    }

    /// Does what the call wants. What is refused is told by the face.
    async fn follow(&mut self, named: &[AskId]) -> Result<(), HubError> {
        let mut known = Vec::new();
        for ask in named {
            match self.pass.look(*ask).await {
                Ok(view) if self.place.has(&view) => known.push(view),
                Ok(_) | Err(HubError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        let (mut moves, mut frames) = (Vec::new(), Vec::new());
        self.face
            .wants(&known, self.shared.now(), &mut moves, &mut frames);
        self.write(&frames);
        for wanted in moves {
            self.do_one(wanted).await;
            if self.face.is_over() {
                return Ok(());
            }
        }
        self.tell(&PersonNews::Done);
        Ok(())
    }

    async fn do_one(&mut self, wanted: PersonMove) {
        match wanted {
            PersonMove::Settle(list) => match settle(&self.pass, list).await {
                Ok(otherwise) => {
                    for view in otherwise {
                        self.refused(Some(view.ask.id), HubError::AlreadyClosed(Box::new(view)));
                    }
                }
                Err((ask, error)) => self.refused(Some(ask), error),
            },
            PersonMove::Message {
                conversation: None,
                text,
            } => {
                let to = match &self.place.here {
                    Some(here) => MessageTo::Conversation(Arc::clone(here)),
                    None => MessageTo::New {
                        agent: Some(self.place.agent),
                        name: Some(self.place.name.clone()),
                    },
                };
                match self.pass.message(to, text).await {
                    Ok(said) => self.place.here = Some(said.conversation),
                    Err(error) => self.refused(None, error),
                }
            }
            PersonMove::Reply(frame) => self.write(&[frame]),
            PersonMove::Ref(_)
            | PersonMove::Answer { .. }
            | PersonMove::Dismiss { .. }
            | PersonMove::Message { .. }
            | PersonMove::LookAt { .. }
            | PersonMove::Control(_)
            | PersonMove::Wrong(_)
            | PersonMove::Close(_)
            | PersonMove::Unknown(_) => {
                let why = "only answers and messages are accepted on a stream";
                self.refused(None, HubError::Refused(why.to_owned()));
            }
        }
    }

    fn refused(&mut self, ask: Option<AskId>, error: HubError) {
        let (closed, refusal) = refusal(error, self.shared.now());
        self.shared.count_problem(refusal.problem.code);
        self.tell(&PersonNews::Refused {
            reference: None,
            ask,
            why: match &closed {
                Some(view) => Refused::AlreadyClosed(view),
                None => Refused::Other(refusal.sentence()),
            },
            problem: &refusal.problem,
        });
    }

    fn tell(&mut self, news: &PersonNews<'_>) {
        let mut frames = Vec::new();
        self.face.tell(news, self.shared.now(), &mut frames);
        self.write(&frames);
    }

    fn write(&mut self, frames: &[String]) {
        self.waiting.extend(frames.iter().map(|frame| event(frame)));
    }

    /// The next bytes; nothing once the stream is over.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.waiting.pop_front() {
                return Some(bytes);
            }
            if self.face.is_over() {
                return None;
            }
            let Self {
                shared,
                pass,
                feed,
                over,
                ..
            } = self;
            let item = tokio::select! {
                biased;
                () = pass.revoked() => return None,
                _ = shared.sent_home() => None,
                () = shared.silent() => {
                    tokio::select! {
                        _ = shared.sent_home() => None,
                        () = shared.hub.fresh() => continue,
                    }
                }
                () = over => None,
                item = feed.next() => match item {
                    Ok(item) => Some(item),
                    Err(FeedEnded::Behind(_)) => None,
                    Err(FeedEnded::Failed(error)) => {
                        tracing::warn!(%error, "could not send news to a front end");
                        return None;
                    }
                },
                () = tokio::time::sleep(QUIET) => return Some(Bytes::from_static(b":\n\n")),
            };
            match item {
                Some(item) => self.item(&item),
                // The next call finds what there is.
                None => self.tell(&PersonNews::Elapsed),
            }
        }
    }

    fn item(&mut self, item: &FeedItem) {
        let is_ours = match &item.news {
            News::Asked(view) | News::Closed(view) => self.place.has(view),
            News::Entry(Entry { conversation, .. })
            | News::Saying { conversation, .. }
            | News::Turn { conversation, .. } => self.place.is(conversation),
            News::Delivery(_) | News::Agent(_) | News::Rule(_) | News::Erased(_) => false,
        };
        if is_ours && self.told.is_news(item) {
            let saying = saying(&self.pass, &item.news);
            self.tell(&news(&item.news, &saying));
        }
    }
}

/// One event: the text is one line, as JSON is.
fn event(frame: &str) -> Bytes {
    let mut text = String::with_capacity(frame.len() + 8);
    text.extend(["data: ", frame, "\n\n"]);
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_of_data() {
        assert_eq!(event("{\"a\":1}"), "data: {\"a\":1}\n\n");
    }
}
