//! Permission as a type: what a caller may do is what its pass has methods for.
//!
//! Passes are made by [`Hub::enter`] and [`Hub::pass_of`] alone, from a token that is good at that moment. A pass that
//! lives as long as a socket asks `revoked` to know when to let go.

mod admin;
mod agent;
mod agents;
mod always;
mod answering;
mod messages;
mod notices;
mod person;
mod removing;
mod rules;
mod saying;
mod showing;

pub use admin::{AdminPass, TokenView};
pub use agent::{AgentPass, Prepared};
pub use agents::AgentView;
pub use messages::{ConversationList, ConversationView, EntryList, MessageTo, Messaged};
pub use notices::NoticeDesk;
pub use person::{AskList, ListFilter, PersonPass};
pub use rules::{Explained, OfferView, Past, RuleChoice, RuleDesk, RulePast, RuleTrial, RuleView};
pub use saying::{NewNote, Piece};

use std::sync::Arc;

use sayso_core::id::TokenId;
use sayso_core::state::Op;
use sayso_core::time::Time;

use crate::error::HubError;
use crate::hub::{Hub, Inner};
use crate::queue::Task;
use crate::reply::FromReply;
use crate::tokens::LiveToken;
use crate::tray::Slip;

/// Whoever came in.
#[derive(Debug, Clone)]
pub enum Pass {
    /// Somebody who asks.
    Agent(AgentPass),
    /// Somebody who answers.
    Person(PersonPass),
    /// An admin.
    Admin(AdminPass),
}

impl Pass {
    /// The one word for the role.
    pub fn role(&self) -> &'static str {
        self.base().live.token.role.word()
    }

    /// Resolves once the token was taken back.
    pub async fn revoked(&self) {
        self.base().live.revoked().await;
    }

    /// The id of the token.
    pub fn token_id(&self) -> TokenId {
        self.base().live.token.id
    }

    /// The id of the token and when it was made: a restored state gives ids again.
    pub fn token_mark(&self) -> (TokenId, Time) {
        let token = &self.base().live.token;
        (token.id, token.made_at)
    }

    /// The name of the token.
    pub fn token_name(&self) -> &str {
        self.base().live.token.name.as_str()
    }

    fn base(&self) -> &Base {
        match self {
            Self::Agent(pass) => &pass.base,
            Self::Person(pass) => &pass.base,
            Self::Admin(pass) => &pass.base,
        }
    }
}

/// What every pass holds.
#[derive(Debug, Clone)]
struct Base {
    hub: Hub,
    live: Arc<LiveToken>,
}

impl Base {
    /// The hub to read from; refused while it may not know.
    fn read(&self) -> Result<&Arc<Inner>, HubError> {
        self.hub.0.refuse_when_silent()?;
        Ok(&self.hub.0)
    }

    /// Has an operation decided, and waits for the reply.
    async fn decide<T: FromReply>(&self, op: Op) -> Result<T, HubError> {
        self.hub.0.decide_for(&self.live, Task::Decide(op)).await
    }

    /// The same without waiting: the reply goes where the slip says.
    fn submit<T>(&self, slip: Slip<T>, task: Task)
    where
        T: FromReply + Send + std::fmt::Debug + 'static,
    {
        self.hub.0.submit_for(&self.live, slip, task);
    }
}
