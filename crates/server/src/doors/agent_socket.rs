//! An agent's socket: many asks under way at once, each outcome told here once it is there.
//!
//! Reading never waits for a commit. An outcome is never told before the `asked` of its ask: when
//! one arrives while asks are under way, it is held until those have been told. What is said in
//! conversations is followed in the order of the frames, one at a time.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sayso_core::id::{AgentId, AgentName};
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::envelope;
use sayso_dialects::native::wire::{AgentEvent, ProblemCode, TurnEvent};
use sayso_dialects::native::write::{write_asked, write_outcome_event};
use sayso_hub::{AgentPass, Asked, Brought, HubError, Link, Tray};

use super::agent_controls::Controls;
use super::agent_work::{Done, Wish, Work, follow, inside, read};
use super::ws::{Gone, Goodbye, Heard, Line, Upgrade, json_of};
use crate::auth::bearer::Agent;
use crate::body::too_large;
use crate::metrics::{Counted, LongDoor};
use crate::problem::Refusal;
use crate::query::Query;
use crate::shared::Shared;

/// Frames under way at once; with that many, no more are read until one is done.
const UNDER_WAY_MAX: usize = 64;
/// Outcomes held back at once; with that many, the hub keeps the rest.
const HELD_MAX: usize = 256;

/// Connects an agent. Asking, withdrawing and confirming go in, outcomes come out.
#[utoipa::path(
    get, path = "/v1/agent", tag = "asking",
    params(("agent" = Option<String>, Query, description = "Who speaks here; the name of the token when absent")),
    responses((status = 101, description = "A WebSocket: frames `AgentFrame` in, `AgentEvent` out"), (status = "4XX", body = sayso_dialects::native::wire::Problem)),
    security(("agent" = []))
)]
pub(crate) async fn connect(
    State(shared): State<Arc<Shared>>,
    Agent(pass): Agent,
    mut query: Query,
    upgrade: Result<Upgrade, Refusal>,
) -> Result<Response, Refusal> {
    let name = query.read("agent", "an agent's name of 1 to 256 bytes", |text| {
        AgentName::new(text).ok()
    });
    query.finish()?;
    let upgrade = upgrade?;
    let link = pass
        .link(name.clone())
        .await
        .map_err(|error| Refusal::hub(error, Viewer::Asker, shared.now()))?;
    Ok(upgrade.on_upgrade(move |socket| {
        // Boxed here: a future that holds it by value would hold it twice.
        let socket = Box::new(AgentSocket {
            speaker: name,
            _counted: shared.metrics.opened(LongDoor::Agent),
            line: Line::of_agent(socket, &shared, pass.token().id),
            shared,
            link,
            joined: HashSet::new(),
            tray: Tray::default(),
            asking: BTreeMap::new(),
            asked_count: 0,
            confirmed: Tray::default(),
            confirming: BTreeMap::new(),
            confirm_count: 0,
            held: VecDeque::new(),
            chat: VecDeque::new(),
            chatting: false,
            controls: Controls::default(),
        });
        socket.run(pass)
    }))
}

struct AgentSocket {
    shared: Arc<Shared>,
    link: Link,
    line: Line,
    /// Agents whose outcomes come here.
    joined: HashSet<AgentId>,
    /// Where asks without a key hear that they were taken in.
    tray: Tray<Asked>,
    /// The asks that are under way by their numbers, and how the agent refers to each.
    asking: BTreeMap<u64, Option<String>>,
    asked_count: u64,
    /// Where confirmations hear that they were written down.
    confirmed: Tray<()>,
    /// The confirmations that are under way by their numbers, and how the agent refers to each.
    confirming: BTreeMap<u64, Option<String>>,
    confirm_count: u64,
    /// Outcomes and turns that wait, each for the asks up to a number.
    held: VecDeque<(u64, Brought)>,
    /// Who says things here, when the address named somebody.
    speaker: Option<AgentName>,
    /// What is to be said next, once what is being said is done.
    chat: VecDeque<Work>,
    chatting: bool,
    /// What people want of the agent's program and it has not said anything about.
    controls: Controls,
    _counted: Counted,
}

impl AgentSocket {
    async fn run(mut self: Box<Self>, pass: AgentPass) {
        let pass = &pass;
        let shared = Arc::clone(&self.shared);
        let (revoked, stopped) = (pass.revoked(), shared.stopped());
        tokio::pin!(revoked, stopped);
        let mut under_way = FuturesUnordered::new();
        let goodbye = loop {
            if let Some(work) = self.next_chat() {
                let speaker = self.speaker.clone();
                under_way.push(follow(pass, speaker, work));
            }
            let busy =
                under_way.len() + self.asking.len() + self.confirming.len() + self.chat.len();
            let reading = busy < UNDER_WAY_MAX;
            // What there is most of comes first: whatever is ready spares a look at the rest.
            let went_on = tokio::select! {
                biased;
                (number, asked) = self.tray.next() => self.tell_asked(pass, number, asked).await,
                brought = self.link.next(), if self.held.len() < HELD_MAX => match brought {
                    Some(brought) => self.brought(brought).await,
                    None => break Some(Goodbye::Behind("behind; connect again".to_owned())),
                },
                heard = self.line.next(reading) => match self.hear(heard).await {
                    Ok(wish) => {
                        let work = wish.and_then(|wish| self.begin(pass, wish));
                        under_way.extend(work.map(|work| follow(pass, None, work)));
                        Ok(())
                    }
                    Err(Left::Gone) => Err(Gone),
                    Err(Left::TooLarge) => break Some(Goodbye::TooLarge),
                },
                Some(done) = under_way.next(), if !under_way.is_empty() => self.tell(pass, done).await,
                (number, done) = self.confirmed.next() => self.tell_confirmed(number, done).await,
                () = &mut revoked => break Some(Goodbye::Revoked),
                () = &mut stopped => break Some(Goodbye::Stopping),
            };
            if went_on.is_err() {
                break None;
            }
        };
        for (_, brought) in self.held.drain(..) {
            self.link.give_back(brought);
        }
        if let Some(goodbye) = goodbye {
            Box::pin(self.line.close(goodbye)).await;
            return;
        }
        // What was heard before the other side left counts: programs say one thing and go.
        loop {
            if let Some(work) = self.next_chat() {
                let speaker = self.speaker.clone();
                under_way.push(follow(pass, speaker, work));
            }
            match under_way.next().await {
                Some(Done::Chat { .. }) => self.chatting = false,
                Some(Done::Asked { .. } | Done::Other { .. }) => {}
                None => break,
            }
        }
    }

    /// Does what can be done at once and keeps what has an order of its own; gives back what takes
    /// a while.
    fn begin(&mut self, pass: &AgentPass, wish: Wish) -> Option<Work> {
        match wish {
            Wish::Ask {
                reference,
                draft,
                name,
            } => {
                self.asked_count += 1;
                let number = self.asked_count;
                self.asking.insert(number, reference);
                let again = pass.ask_into(&self.tray, number, *draft, name).err();
                return again.map(|prepared| Work::Ask { number, prepared });
            }
            Wish::TakeTurns(turns) => self.link.take_turns(turns),
            Wish::TakeControls(controls) => self.link.take_controls(controls),
            Wish::Controlled { id, problem } => self.controls.answered(id, problem),
            Wish::Other(Work::Confirm { reference, ask }) => {
                self.confirm_count += 1;
                let number = self.confirm_count;
                if !pass.confirm_into(&self.confirmed, number, ask) {
                    return Some(Work::Confirm { reference, ask });
                }
                self.confirming.insert(number, reference);
            }
            Wish::Other(work @ Work::Chat { .. }) => self.chat.push_back(work),
            Wish::Other(work) => return Some(work),
        }
        None
    }

    /// What is said next, when nothing is being said.
    fn next_chat(&mut self) -> Option<Work> {
        if self.chatting {
            return None;
        }
        let work = self.chat.pop_front();
        self.chatting = work.is_some();
        work
    }

    /// What a frame wants; a bad one is told at once.
    async fn hear(&mut self, heard: Heard) -> Result<Option<Wish>, Left> {
        let (reference, refusal) = match heard {
            Heard::Text(text) => match read(&text) {
                Ok(Some(wish)) => return Ok(Some(wish)),
                Ok(None) => {
                    self.shared.metrics.bad_frame(LongDoor::Agent);
                    return Ok(None);
                }
                Err(refusal) => (envelope::text_under(text.as_bytes(), "ref"), refusal),
            },
            Heard::TooLarge => (None, too_large()),
            Heard::NotText => (
                None,
                Refusal::new(ProblemCode::BadJson, "Frames are text, not binary."),
            ),
            Heard::Gone => return Err(Left::Gone),
            Heard::FarTooLarge => return Err(Left::TooLarge),
        };
        self.shared.metrics.bad_frame(LongDoor::Agent);
        self.problem(reference, refusal)
            .await
            .map(|()| None)
            .map_err(|Gone| Left::Gone)
    }

    /// Tells what became of an ask, and what had to wait for that.
    async fn tell_asked(
        &mut self,
        pass: &AgentPass,
        number: u64,
        asked: Result<Asked, HubError>,
    ) -> Result<(), Gone> {
        let reference = self.asking.remove(&number).flatten();
        match asked {
            Ok(asked) => self.asked(pass, reference, asked).await?,
            Err(HubError::Invalid(found)) => {
                let refusal = Refusal::violations(&inside("/ask", found.into_vec()));
                self.problem(reference, refusal).await?;
            }
            Err(error) => self.refused(reference, error).await?,
        }
        self.release().await
    }

    /// Only what went wrong with a confirmation is told.
    async fn tell_confirmed(
        &mut self,
        number: u64,
        done: Result<(), HubError>,
    ) -> Result<(), Gone> {
        let reference = self.confirming.remove(&number).flatten();
        match done {
            Ok(()) => Ok(()),
            Err(error) => self.refused(reference, error).await,
        }
    }

    async fn tell(&mut self, pass: &AgentPass, done: Done) -> Result<(), Gone> {
        match done {
            Done::Asked { number, asked } => self.tell_asked(pass, number, *asked).await,
            Done::Chat { reference, done } => {
                self.chatting = false;
                match done {
                    Ok(()) => Ok(()),
                    Err(error) => self.refused(reference, error).await,
                }
            }
            Done::Other { done: Ok(()), .. } => Ok(()),
            Done::Other {
                reference,
                done: Err(error),
            } => self.refused(reference, error).await,
        }
    }

    async fn asked(
        &mut self,
        pass: &AgentPass,
        reference: Option<String>,
        asked: Asked,
    ) -> Result<(), Gone> {
        let Asked { view, fresh } = asked;
        let patience = self.shared.hub.patience();
        let written = self.line.mention(patience, |out| {
            write_asked(reference.as_deref(), view.ask.id, view.ask.digest, out);
        });
        written.await?;
        if self.joined.insert(view.agent.id)
            && let Err(error) = pass
                .join(&mut self.link, Some(view.agent.name.clone()))
                .await
        {
            tracing::warn!(%error, "an agent could not be joined to its socket");
        }
        // An ask that an earlier try made may be long over, and its outcome told to nobody here.
        if !fresh && view.closing.is_some() {
            self.told(&view).await?;
        }
        Ok(())
    }

    async fn brought(&mut self, brought: Brought) -> Result<(), Gone> {
        if self.asking.is_empty() {
            return self.write(&brought).await;
        }
        self.held.push_back((self.asked_count, brought));
        Ok(())
    }

    async fn write(&mut self, brought: &Brought) -> Result<(), Gone> {
        match brought {
            Brought::Outcome(view) => self.told(view).await,
            Brought::Turn {
                agent: _,
                conversation,
                message,
            } => {
                let turn = TurnEvent {
                    conversation: conversation.name.as_str().to_owned(),
                    text: message.text.clone(),
                    message: message.id.to_string(),
                };
                self.line.send(&json_of(&AgentEvent::Turn(turn))).await
            }
            Brought::Control(wanted) => {
                let event = self.controls.wanted(wanted);
                self.line.send(&json_of(&AgentEvent::Control(event))).await
            }
        }
    }

    /// Tells what was held for asks that are no longer under way.
    async fn release(&mut self) -> Result<(), Gone> {
        while let Some((number, _)) = self.held.front() {
            if (self.asking.first_key_value()).is_some_and(|(oldest, _)| oldest <= number) {
                return Ok(());
            }
            if let Some((_, brought)) = self.held.pop_front() {
                self.write(&brought).await?;
            }
        }
        Ok(())
    }

    async fn told(&mut self, view: &AskView) -> Result<(), Gone> {
        let Some(closing) = &view.closing else {
            return Ok(());
        };
        let written = self.line.send_with(|out| {
            write_outcome_event(
                view.ask.id,
                view.ask.wire_id.as_ref(),
                closing,
                view.late.as_deref(),
                &view.agent,
                out,
            );
        });
        written.await?;
        self.link.sent(view.ask.id);
        Ok(())
    }

    async fn refused(&mut self, reference: Option<String>, error: HubError) -> Result<(), Gone> {
        let refusal = Refusal::hub(error, Viewer::Asker, self.shared.now());
        self.problem(reference, refusal).await
    }

    async fn problem(&mut self, reference: Option<String>, refusal: Refusal) -> Result<(), Gone> {
        self.shared.count_problem(refusal.problem.code);
        let text = problem_text(reference, refusal);
        self.line.send(&text).await
    }
}

fn problem_text(reference: Option<String>, refusal: Refusal) -> String {
    json_of(&AgentEvent::Problem(Box::new(refusal.on_socket(reference))))
}

/// Why no more is read.
enum Left {
    Gone,
    TooLarge,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size<A, B, F: Future>(_: impl FnOnce(A, B) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_socket_stays_small() {
        let bytes = size(AgentSocket::run) + size_of::<AgentSocket>();
        assert!(bytes <= 2300, "{bytes}");
    }
}
