//! Taking back what nobody is left to be told of.

use sayso_core::id::{AgentName, AskId, DialectName};
use sayso_core::outcome::{Closer, Outcome};

use crate::error::HubError;
use crate::hub::Hub;
use crate::index::OpenFilter;
use crate::op::{CloseOp, Op};
use crate::pass::state_of;

impl Hub {
    /// Takes back every open ask of the agents of this name, because nobody is left to tell.
    pub async fn withdraw_all(
        &self,
        dialect: &DialectName,
        agent: &AgentName,
        note: &str,
    ) -> Result<(), HubError> {
        let inner = &self.0;
        let open: Vec<AskId> = {
            let known = inner.known();
            let agents = known.roll.agents().iter();
            agents
                .filter(|one| one.dialect == *dialect && one.name == *agent)
                .flat_map(|one| {
                    let of = OpenFilter {
                        agent: Some(one.id),
                        conversation: None,
                        matter: None,
                    };
                    known.open.list(&of, None, usize::MAX).0
                })
                .map(|entry| entry.ask)
                .collect()
        };
        for ask in open {
            let (view, place) = inner.look_with_place(ask).await?;
            let close = CloseOp {
                seen: state_of(&view),
                ask: view.ask,
                outcome: Outcome::Withdrawn {
                    note: Some(note.to_owned()),
                },
                by: Closer::Clock,
                place,
                rule: None,
            };
            let closed = inner.commit(|reply| Op::Close {
                close: Box::new(close),
                reply,
            });
            match closed.await {
                Ok(_) | Err(HubError::AlreadyClosed(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
