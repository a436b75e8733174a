//! Replies to callers: what was decided, in the terms of whoever asked for it.
//!
//! A reply is given once what it rests on is durable. Where it shows an ask that somebody else closed,
//! that is read first, beside the turns.

use std::sync::Arc;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::ask::Ask;
use sayso_core::digest::Shown;
use sayso_core::entry::Message;
use sayso_core::id::AskId;
use sayso_core::policy::Rule;
use sayso_core::state::{OpReply, Refusal};
use sayso_core::view::AskView;

use crate::error::HubError;
use crate::hub::Inner;
use crate::publish::PublishedViews;
use crate::queue::ReplyTo;
use crate::tokens::LiveToken;

/// An ask that was taken in, now or at an earlier try.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The ask as it stands.
    pub view: AskView,
    /// Whether this call made it.
    pub fresh: bool,
}

/// What a caller is told.
#[derive(Debug)]
pub(crate) enum CallerReply {
    Done,
    Asked(Box<Asked>),
    /// Too much ended since the keys of an ask were looked up.
    LookAgain,
    View(Box<AskView>),
    Agent(Arc<Agent>),
    Conversation(Arc<Conversation>),
    Token(Arc<LiveToken>),
    Messaged(Arc<Conversation>, Arc<Message>),
    Rules(Vec<Arc<Rule>>),
}

/// What a kind of operation is answered with.
pub(crate) trait FromReply: Sized {
    /// Takes it out of a reply.
    fn from_reply(told: CallerReply) -> Result<Self, HubError>;
}

macro_rules! from_reply {
    ($($reply:pat => $value:expr, $kind:ty;)*) => {
        $(impl FromReply for $kind {
            fn from_reply(told: CallerReply) -> Result<Self, HubError> {
                match told {
                    $reply => Ok($value),
                    other => Err(mixed_up(&other)),
                }
            }
        })*
    };
}

from_reply! {
    CallerReply::Done => (), ();
    CallerReply::Asked(asked) => *asked, Asked;
    CallerReply::View(view) => *view, AskView;
    CallerReply::Agent(agent) => agent, Arc<Agent>;
    CallerReply::Conversation(conversation) => conversation, Arc<Conversation>;
    CallerReply::Token(token) => token, Arc<LiveToken>;
    CallerReply::Messaged(conversation, message) => (conversation, message), (Arc<Conversation>, Arc<Message>);
    CallerReply::Rules(rules) => rules, Vec<Arc<Rule>>;
}

impl FromReply for Option<Asked> {
    /// Nothing when the keys must be looked up again.
    fn from_reply(told: CallerReply) -> Result<Self, HubError> {
        match told {
            CallerReply::LookAgain => Ok(None),
            other => Asked::from_reply(other).map(Some),
        }
    }
}

/// A reply to something else than what was asked for: a fault of the hub, said and not hidden.
fn mixed_up(told: &CallerReply) -> HubError {
    // Only which kind: what it holds may be secret.
    let kind = std::mem::discriminant(told);
    tracing::error!(?kind, "a reply is of another kind than its operation");
    HubError::TryLater(
        "The server gave a reply of the wrong kind. Retry; its log has more.".to_owned(),
    )
}

impl From<Refusal> for HubError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotFound | Refusal::AlreadyClosed { .. } => Self::NotFound,
            Refusal::Revoked => Self::Revoked,
            Refusal::Full(what) => Self::full(what),
            Refusal::NotWaiting | Refusal::NoRule(_) | Refusal::NoToken(_) => {
                Self::Unknown(refusal.to_string())
            }
            Refusal::HeldByAdmin(_) => Self::Forbidden(refusal.to_string()),
            Refusal::LookAgain | Refusal::QueuesFull | Refusal::OlderNodes => {
                Self::TryLater(refusal.to_string())
            }
            Refusal::StillOpen
            | Refusal::OnlyTimeExpires
            | Refusal::TooManyAgents { .. }
            | Refusal::NameIsAnId(_)
            | Refusal::CompanionRevoked
            | Refusal::NameTaken(_)
            | Refusal::TooManyTokens
            | Refusal::QueueFull { .. }
            | Refusal::TooManyRules { .. }
            | Refusal::InForce(_)
            | Refusal::RuleOver(_) => Self::Refused(refusal.to_string()),
        }
    }
}

impl Inner {
    /// Gives a caller its reply; `views` are the asks of this turn.
    pub(crate) fn reply(
        self: &Arc<Self>,
        answer: ReplyTo,
        reply: Result<OpReply, Refusal>,
        views: &PublishedViews,
    ) {
        let view_of = |ask: &AskId| views.get(ask).map(|view| AskView::clone(view));
        let told = match reply {
            Ok(OpReply::Done | OpReply::Confirmed(_)) => Ok(CallerReply::Done),
            Ok(OpReply::Asked(ask)) => match view_of(&ask) {
                Some(view) => Ok(CallerReply::Asked(Box::new(Asked { view, fresh: true }))),
                None => Err(HubError::NotFound),
            },
            Ok(OpReply::AskedBefore { ask, tried }) => {
                return self
                    .reply_after_a_look(ask, answer, move |view| asked_before(&tried, view));
            }
            Ok(OpReply::Closed(ask)) => match view_of(&ask) {
                Some(view) => Ok(CallerReply::View(Box::new(view))),
                None => Err(HubError::NotFound),
            },
            Ok(OpReply::Late { ask, kept }) => {
                return self.reply_after_a_look(ask, answer, move |view| {
                    let view = Box::new(view);
                    Err(HubError::Expired { view, kept })
                });
            }
            Ok(OpReply::Agent(agent)) => Ok(CallerReply::Agent(agent)),
            Ok(OpReply::Conversation(conversation)) => Ok(CallerReply::Conversation(conversation)),
            Ok(OpReply::Token(id)) => match self.memory().tokens.get(id) {
                Some(live) => Ok(CallerReply::Token(Arc::clone(live))),
                None => Err(HubError::NotFound),
            },
            Ok(OpReply::Messaged {
                conversation,
                message,
            }) => Ok(CallerReply::Messaged(conversation, message)),
            Ok(OpReply::Rules(rules)) => Ok(CallerReply::Rules(rules)),
            Err(Refusal::AlreadyClosed { ask, .. }) => {
                return self.reply_after_a_look(ask, answer, |view| {
                    Err(HubError::AlreadyClosed(Box::new(view)))
                });
            }
            Err(Refusal::LookAgain) => Ok(CallerReply::LookAgain),
            Err(refusal) => Err(refusal.into()),
        };
        answer.send(told);
    }

    /// Looks an ask up beside the turns and tells what comes of it.
    fn reply_after_a_look(
        self: &Arc<Self>,
        ask: AskId,
        answer: ReplyTo,
        then: impl FnOnce(AskView) -> Result<CallerReply, HubError> + Send + 'static,
    ) {
        if matches!(answer, ReplyTo::Nobody) {
            return;
        }
        let inner = Arc::clone(self);
        tokio::spawn(async move {
            let told = inner.look(ask).await.and_then(then);
            answer.send(told);
        });
    }
}

/// What an asker is told whose key was used before.
fn asked_before(tried: &Ask, view: AskView) -> Result<CallerReply, HubError> {
    // One that cannot be read says so; whether it is the same, nobody knows any more.
    if !repeats(tried, &view) && !view.is_unreadable() {
        return Err(HubError::KeyConflict(Box::new(view)));
    }
    Ok(CallerReply::Asked(Box::new(Asked { view, fresh: false })))
}

/// Whether an ask is what was asked before, maybe of an older version, under the same key.
fn repeats(tried: &Ask, view: &AskView) -> bool {
    let conversation = view.conversation.as_ref();
    let known = Shown {
        agent: &view.agent.name,
        conversation: conversation.map(|conversation| &conversation.name),
        workspace: tried.workspace.as_ref(),
        title: tried.title.as_deref(),
        matter: &tried.matter,
    };
    tried.agent == view.agent.id
        && tried.conversation == view.ask.conversation
        && known.is_known_by(view.ask.digest)
}
