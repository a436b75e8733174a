//! The feed's socket: everything that happens goes out, answers of the device come in.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::http::request::Parts;
use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sayso_core::answer::Answer;
use sayso_core::digest::Digest;
use sayso_core::id::{AskId, BadId};
use sayso_core::limits;
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::envelope::{self, Heard as Frame};
use sayso_dialects::native::map::{answer_from_wire, digest_from_wire};
use sayso_dialects::native::wire::{DeviceFrame, FeedEvent, ProblemCode};
use sayso_dialects::native::write::write_done;
use sayso_hub::{Ended, FeedItem, HubError, News, PersonPass, RuleChoice, Tray};

use super::feed_start::{Following, start};
use super::render;
use super::ws::{Gone, Goodbye, Heard, Line, Upgrade, json_of};
use crate::answering;
use crate::body::too_large;
use crate::metrics::{Counted, LongDoor};
use crate::problem::Refusal;
use crate::query::{Query, shown};
use crate::routes::rules::rule_choice;
use crate::shared::Shared;

/// Answers under way at once; with that many, no more are read until one is done.
const UNDER_WAY_MAX: usize = 64;

/// Follows what happens, and answers on the same socket.
#[utoipa::path(
    get, path = "/v1/feed", tag = "answering",
    params(
        ("after" = Option<u64>, Query, description = "The last place that was told"),
        ("agent" = Option<String>, Query, description = "Only this agent, by id or name"),
        ("conversation" = Option<String>, Query, description = "Only this conversation, by id or name"),
        ("ticket" = Option<String>, Query, description = "A ticket for `feed`, where no header can be sent"),
    ),
    responses((status = 101, description = "A WebSocket: `FeedEvent` out, frames `DeviceFrame` in"), (status = "4XX", body = sayso_dialects::native::wire::Problem)),
    security(("person" = []))
)]
pub(crate) async fn connect(
    State(shared): State<Arc<Shared>>,
    upgrade: Result<Upgrade, Refusal>,
    query: Query,
    parts: Parts,
) -> Result<Response, Refusal> {
    let following = start(&shared, &parts, query, "feed", None)?;
    let upgrade = upgrade?;
    Ok(upgrade.on_upgrade(move |socket| {
        // Boxed here: a future that holds it by value would hold it twice.
        let socket = Box::new(FeedSocket {
            _counted: shared.metrics.opened(LongDoor::Feed),
            line: Line::new(socket, shared.frames_per_minute),
            shared,
            following,
            tray: Tray::default(),
            answering: BTreeMap::new(),
            count: 0,
        });
        socket.run()
    }))
}

struct FeedSocket {
    shared: Arc<Shared>,
    following: Following,
    line: Line,
    /// Where answers that need no look hear what became of them.
    tray: Tray<AskView>,
    /// Those answers by their numbers, and how the device refers to each.
    answering: BTreeMap<u64, Option<String>>,
    count: u64,
    _counted: Counted,
}

/// Something a person wants.
enum Work {
    Answer {
        reference: Option<String>,
        ask: AskId,
        digest: Digest,
        answer: Box<Answer>,
        choice: RuleChoice,
    },
    Dismiss {
        reference: Option<String>,
        ask: AskId,
        digest: Digest,
        note: Option<String>,
        stop: bool,
    },
}

/// What became of it.
struct Done {
    reference: Option<String>,
    closed: Result<Box<AskView>, HubError>,
}

async fn follow(pass: &PersonPass, work: Work) -> Done {
    match work {
        Work::Answer {
            reference,
            ask,
            digest,
            answer,
            choice,
        } => Done {
            reference,
            closed: answering::answer(pass, ask, digest, *answer, &choice)
                .await
                .map(Box::new),
        },
        Work::Dismiss {
            reference,
            ask,
            digest,
            note,
            stop,
        } => Done {
            reference,
            closed: pass
                .dismiss(ask, Some(digest), note, stop)
                .await
                .map(Box::new),
        },
    }
}

impl FeedSocket {
    async fn run(mut self: Box<Self>) {
        let pass = &self.following.pass.clone();
        let shared = Arc::clone(&self.shared);
        let (revoked, stopped) = (pass.revoked(), shared.stopped());
        tokio::pin!(revoked, stopped);
        if Box::pin(self.greet()).await.is_err() {
            return;
        }
        let mut under_way = FuturesUnordered::new();
        let goodbye = loop {
            let reading = under_way.len() + self.answering.len() < UNDER_WAY_MAX;
            // What there is most of comes first: whatever is ready spares a look at the rest.
            let went_on = tokio::select! {
                biased;
                (number, closed) = self.tray.next() => self.tell_answered(number, closed).await,
                item = self.following.subscription.next() => match item {
                    Ok(item) => self.item(&item).await,
                    Err(Ended::Behind(seq)) => break Goodbye::Behind(format!("behind; resume with after={seq}")),
                    Err(Ended::Failed(error)) => {
                        tracing::warn!(%error, "a device could not be told what it missed");
                        break Goodbye::TryLater;
                    }
                },
                heard = self.line.next(reading) => match heard {
                    Heard::FarTooLarge => break Goodbye::TooLarge,
                    Heard::Gone => Err(Gone),
                    Heard::Text(_) | Heard::TooLarge | Heard::NotText => match self.hear(heard).await {
                        Ok(work) => {
                            let work = work.and_then(|work| self.begin(pass, work));
                            under_way.extend(work.map(|work| follow(pass, work)));
                            Ok(())
                        }
                        Err(gone) => Err(gone),
                    },
                },
                Some(done) = under_way.next(), if !under_way.is_empty() => self.tell(done).await,
                () = &mut revoked => break Goodbye::Revoked,
                () = &mut stopped => break Goodbye::Stopping,
            };
            if went_on.is_err() {
                return;
            }
        };
        Box::pin(self.line.close(goodbye)).await;
    }

    /// Does what can be done at once; gives back what takes a while.
    fn begin(&mut self, pass: &PersonPass, work: Work) -> Option<Work> {
        let Work::Answer {
            reference,
            ask,
            digest,
            answer,
            choice,
        } = work
        else {
            return Some(work);
        };
        let number = self.count + 1;
        match answering::answer_into(pass, (&self.tray, number), ask, digest, *answer, &choice) {
            Ok(()) => {
                self.count = number;
                self.answering.insert(number, reference);
                None
            }
            Err(answer) => Some(Work::Answer {
                reference,
                ask,
                digest,
                answer,
                choice,
            }),
        }
    }

    async fn tell_answered(
        &mut self,
        number: u64,
        closed: Result<AskView, HubError>,
    ) -> Result<(), Gone> {
        let reference = self.answering.remove(&number).flatten();
        self.tell(Done {
            reference,
            closed: closed.map(Box::new),
        })
        .await
    }

    async fn greet(&mut self) -> Result<(), Gone> {
        for line in self.following.greeting(&self.shared) {
            self.line.send(&line).await?;
        }
        Ok(())
    }

    async fn item(&mut self, item: &Arc<FeedItem>) -> Result<(), Gone> {
        if Arc::strong_count(item) > limits::CROWD {
            // Whoever asked or answered hears of it before a crowd of viewers is written to.
            tokio::task::yield_now().await;
        }
        self.following.pass_by(item);
        let write = |out: &mut Vec<u8>| render::item(item, out);
        if is_waited_for(&item.news) {
            return self.line.send_with(write).await;
        }
        let patience = self.shared.hub.patience();
        self.line.mention(patience, write).await
    }

    /// What a frame wants; a bad one is told at once.
    async fn hear(&mut self, heard: Heard) -> Result<Option<Work>, Gone> {
        let (reference, refusal) = match heard {
            Heard::Text(text) => match self.read(&text) {
                Ok(work) => return Ok(work),
                Err(refusal) => (envelope::text_under(text.as_bytes(), "ref"), refusal),
            },
            Heard::NotText => (
                None,
                Refusal::new(ProblemCode::BadJson, "Frames are text, not binary."),
            ),
            Heard::TooLarge | Heard::FarTooLarge => (None, too_large()),
            Heard::Gone => return Err(Gone),
        };
        self.shared.metrics.bad_frame(LongDoor::Feed);
        self.problem(reference, refusal).await.map(|()| None)
    }

    fn read(&self, text: &str) -> Result<Option<Work>, Refusal> {
        match DeviceFrame::read(text.as_bytes()).map_err(|error| Refusal::read(&error))? {
            Frame::Known(DeviceFrame::Answer(mut frame)) => {
                let (reference, ask) = (frame.reference.take(), ask_id(&frame.id)?);
                let choice = rule_choice(frame.rule.take());
                let (digest, answer) = answer_from_wire(frame.into_answer())
                    .map_err(|found| Refusal::violations(&found))?;
                Ok(Some(Work::Answer {
                    reference,
                    ask,
                    digest,
                    answer: Box::new(answer),
                    choice,
                }))
            }
            Frame::Known(DeviceFrame::Dismiss(frame)) => {
                let digest = digest_from_wire(&frame.digest)
                    .map_err(|found| Refusal::violations(&[found]))?;
                Ok(Some(Work::Dismiss {
                    reference: frame.reference,
                    ask: ask_id(&frame.id)?,
                    digest,
                    note: frame.note,
                    stop: frame.stop,
                }))
            }
            Frame::Unknown(name) => {
                self.shared.metrics.bad_frame(LongDoor::Feed);
                tracing::debug!(name = %shown(&name), "a device sent a frame nobody knows");
                Ok(None)
            }
        }
    }

    async fn tell(&mut self, done: Done) -> Result<(), Gone> {
        match done.closed {
            Ok(view) => {
                let patience = self.shared.hub.patience();
                let written = self.line.mention(patience, |out| {
                    write_done(done.reference.as_deref(), &view, out);
                });
                written.await
            }
            Err(error) => {
                let refusal = Refusal::hub(error, Viewer::Anybody, self.shared.now());
                self.problem(done.reference, refusal).await
            }
        }
    }

    async fn problem(&mut self, reference: Option<String>, refusal: Refusal) -> Result<(), Gone> {
        self.shared.count_problem(refusal.problem.code);
        let text = problem_text(reference, refusal);
        self.line.send(&text).await
    }
}

/// Whether a person is to see or hear something new; the rest is what became of it.
fn is_waited_for(news: &News) -> bool {
    match news {
        News::Asked(_) | News::Entry(_) | News::Saying { .. } => true,
        News::Closed(_)
        | News::Delivery(_)
        | News::Agent(_)
        | News::Rule(_)
        | News::Erased(_)
        | News::Turn { .. } => false,
    }
}

/// The id of an ask in a frame.
fn ask_id(text: &str) -> Result<AskId, Refusal> {
    text.parse()
        .map_err(|bad: BadId| Refusal::invalid("/id", format!("is not {}", bad.expected)))
}

fn problem_text(reference: Option<String>, refusal: Refusal) -> String {
    json_of(&FeedEvent::Problem(Box::new(refusal.on_socket(reference))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size<A, F: Future>(_: impl FnOnce(A) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_socket_stays_small() {
        let bytes = size(FeedSocket::run) + size_of::<FeedSocket>();
        assert!(bytes <= 2300, "{bytes}");
    }
}
