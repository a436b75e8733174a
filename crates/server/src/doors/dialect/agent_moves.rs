//! What an agent's frames want, and how it is done.
//!
//! What is said in conversations stands in the journal in the order of the frames, and so do asks
//! among it; asks go together, and what an agent says or notes waits for what came before it.

use std::sync::Arc;

use sayso_core::agent::Agent;
use sayso_core::ask::{Draft, MatterKind};
use sayso_core::escape::escape_line;
use sayso_core::id::{AgentName, AskId, WireId};
use sayso_core::view::Viewer;
use sayso_dialects::{AgentMove, AgentNews, Ends, OfferedTo};
use sayso_hub::{AgentPass, Asked, HubError, NewNote, Piece, Prepared, Turns};

use super::agent::{AskUnderWay, Socket};
use super::order::Goes;
use crate::doors::ws::Gone;
use crate::metrics::LongDoor;
use crate::problem::ApiError;

/// Something that waits for what came before it.
#[derive(Debug)]
pub(super) enum Wish {
    Ask {
        number: u64,
        agent: Option<AgentName>,
        draft: Box<Draft>,
    },
    Other(Work),
}

/// Something that takes a while.
#[derive(Debug)]
pub(super) enum Work {
    /// An ask that may have been asked before.
    Ask {
        number: u64,
        prepared: Box<Prepared>,
    },
    Move {
        reference: Option<String>,
        wanted: AgentMove,
    },
}

/// What became of it.
#[derive(Debug)]
pub(super) enum Done {
    Asked {
        number: u64,
        asked: Box<Result<Asked, HubError>>,
    },
    Other {
        reference: Option<String>,
        done: Result<(), HubError>,
    },
}

/// Does what takes a while. The speaker is who a frame is of that names nobody.
pub(super) async fn follow(pass: &AgentPass, speaker: Option<Arc<Agent>>, work: Work) -> Done {
    match work {
        Work::Ask { number, prepared } => {
            let asked = Box::new(pass.ask_prepared(*prepared).await);
            Done::Asked { number, asked }
        }
        Work::Move { reference, wanted } => {
            let done = follow_move(pass, speaker, wanted).await;
            Done::Other { reference, done }
        }
    }
}

async fn follow_move(
    pass: &AgentPass,
    speaker: Option<Arc<Agent>>,
    wanted: AgentMove,
) -> Result<(), HubError> {
    let who = |agent: Option<AgentName>| {
        agent.or_else(|| speaker.as_ref().map(|agent| agent.name.clone()))
    };
    match wanted {
        AgentMove::Withdraw { ask, note } => pass.withdraw(ask, note).await.map(drop),
        AgentMove::Confirm(ask) => pass.confirm(ask).await.map(drop),
        AgentMove::Say {
            agent,
            conversation: name,
            text,
            ends,
        } => {
            let agent = who(agent);
            match ends {
                Ends::Message => pass.say(agent, &name, &text, Piece::Last).await,
                Ends::Nothing if text.is_empty() => Ok(()),
                Ends::Nothing => pass.say(agent, &name, &text, Piece::More).await,
                Ends::Turn(end) => pass.say_and_end(agent, &name, &text, end).await,
            }
        }
        AgentMove::Note {
            agent,
            conversation,
            tool,
            text,
            status,
        } => {
            let note = NewNote { tool, text, status };
            pass.note(who(agent), &conversation, note).await
        }
        AgentMove::TurnEnded {
            agent,
            conversation,
            end,
        } => pass.turn_ended(who(agent), &conversation, end).await,
        AgentMove::Unreadable(why) => {
            if let Some(agent) = &speaker
                && let Err(error) = pass.unreadable(agent, &why).await
            {
                tracing::warn!(%error, "could not record an unreadable frame");
            }
            Ok(())
        }
        // Done where they were heard.
        AgentMove::Ref(_)
        | AgentMove::Ask { .. }
        | AgentMove::TakeTurns(_)
        | AgentMove::TakeControls(_)
        | AgentMove::Controlled { .. }
        | AgentMove::Reply(_)
        | AgentMove::Wrong(_)
        | AgentMove::Unknown(_) => Ok(()),
    }
}

impl Socket {
    /// What a frame wants is done, or stands in order; what is wrong with it is told at once.
    pub(super) async fn hear(&mut self, pass: &AgentPass, text: &str) -> Result<(), Gone> {
        let mut moves = std::mem::take(&mut self.moves);
        self.face.read(text, self.shared.now(), &mut moves);
        let mut reference = None;
        for wanted in moves.drain(..) {
            match wanted {
                AgentMove::Ref(named) => reference = Some(named),
                AgentMove::Ask { agent, draft } => self.ask(reference.take(), agent, draft),
                AgentMove::Confirm(ask) => self.confirm(pass, reference.take(), ask),
                AgentMove::Withdraw { .. } => self.wait(Goes::Together, reference.take(), wanted),
                AgentMove::Say { .. } | AgentMove::Note { .. } | AgentMove::TurnEnded { .. } => {
                    self.wait(Goes::Alone, reference.take(), wanted);
                }
                AgentMove::TakeTurns(offer) => self.link.take_turns(turns(offer)),
                AgentMove::TakeControls(offer) => self.link.take_controls(turns(offer)),
                AgentMove::Controlled { number, problem } => {
                    self.controls.answered(number, problem);
                }
                AgentMove::Reply(frame) => self.line.send(&frame).await?,
                AgentMove::Wrong(problem) => {
                    self.wrong(reference.take(), (*problem).into()).await?;
                }
                AgentMove::Unreadable(why) => {
                    self.shared.metrics.bad_frame(LongDoor::Agent);
                    self.unreadable(why);
                }
                AgentMove::Unknown(name) => {
                    self.shared.metrics.bad_frame(LongDoor::Agent);
                    let name = escape_line(&name);
                    tracing::debug!(dialect = %self.speech.name, %name, "an agent sent an \
                                                                         unknown frame");
                }
            }
        }
        self.moves = moves;
        Ok(())
    }

    fn wait(&mut self, goes: Goes, reference: Option<String>, wanted: AgentMove) {
        let work = Work::Move { reference, wanted };
        self.order.push(goes, Wish::Other(work));
    }

    /// The next that is to be followed; what needs no look is done here.
    pub(super) fn next_work(&mut self, pass: &AgentPass) -> Option<Work> {
        loop {
            let (number, agent, draft) = match self.order.next()? {
                Wish::Ask {
                    number,
                    agent,
                    draft,
                } => (number, agent, draft),
                Wish::Other(work) => return Some(work),
            };
            if let Err(prepared) = pass.ask_into(&self.tray, number, *draft, agent) {
                return Some(Work::Ask { number, prepared });
            }
            self.order.done();
        }
    }

    fn ask(&mut self, reference: Option<String>, agent: Option<AgentName>, mut draft: Box<Draft>) {
        draft.timeout = draft.timeout.or(self.speech.row.default_deadline);
        self.count += 1;
        let number = self.count;
        let speaker = || self.agent.as_ref().map(|agent| agent.name.clone());
        let agent = agent.or_else(speaker);
        let asking = AskUnderWay {
            reference,
            wire_id: draft.wire_id.clone(),
            matter: draft.matter.kind(),
        };
        self.asking.insert(number, asking);
        let wish = Wish::Ask {
            number,
            agent,
            draft,
        };
        self.order.push(Goes::Together, wish);
    }

    fn confirm(&mut self, pass: &AgentPass, reference: Option<String>, ask: AskId) {
        self.count += 1;
        if pass.confirm_into(&self.confirmed, self.count, ask) {
            self.confirming.insert(self.count, reference);
        } else {
            self.wait(Goes::Together, reference, AgentMove::Confirm(ask));
        }
    }

    /// Tells what is wrong with a frame.
    pub(super) async fn wrong(
        &mut self,
        reference: Option<String>,
        refusal: ApiError,
    ) -> Result<(), Gone> {
        self.shared.metrics.bad_frame(LongDoor::Agent);
        let why = refusal.sentence().to_owned();
        self.problem(reference, None, &why, &refusal).await?;
        self.unreadable(why);
        Ok(())
    }

    /// Tells what the hub refused.
    pub(super) async fn refused(
        &mut self,
        reference: Option<String>,
        ask: Option<(MatterKind, Option<&WireId>)>,
        error: HubError,
    ) -> Result<(), Gone> {
        tracing::debug!(dialect = %self.speech.name, %error, "could not process a frame from an \
                                                              agent");
        let why = error.to_string();
        // What the agent hears of it, if anything, may never reach a person.
        let is_invalid = matches!(error, HubError::Invalid(_));
        let refusal = ApiError::hub(error, Viewer::Asker, self.shared.now());
        self.problem(reference, ask, &why, &refusal).await?;
        if is_invalid {
            self.unreadable(why);
        }
        Ok(())
    }

    async fn problem(
        &mut self,
        reference: Option<String>,
        ask: Option<(MatterKind, Option<&WireId>)>,
        why: &str,
        refusal: &ApiError,
    ) -> Result<(), Gone> {
        self.shared.count_problem(refusal.problem.code);
        let news = AgentNews::Refused {
            reference: reference.as_deref(),
            ask,
            why,
            problem: &refusal.problem,
        };
        self.tell(&news).await.map(drop)
    }

    /// Has it written down, where people see it, that this agent sent what nobody can read; not
    /// where its program is told so itself.
    fn unreadable(&mut self, why: String) {
        if !self.door.strict {
            self.wait(Goes::Alone, None, AgentMove::Unreadable(why));
        }
    }
}

fn turns(offer: OfferedTo) -> Turns {
    match offer {
        OfferedTo::Any => Turns::Any,
        OfferedTo::These(names) => Turns::These(names),
    }
}
