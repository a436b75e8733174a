//! The one driver: gathers what waits, has it decided and written in turns, and publishes it.
//!
//! Doors come in with a secret and leave with a pass: [`AgentPass`] can ask, [`PersonPass`] can
//! answer, [`AdminPass`] can do neither but makes tokens. Everything the hub holds in memory is a
//! cache over the journal and is built again at start. It knows no wire, no JSON and no database.

mod agent_presence;
mod applied;
mod bringing;
mod cache;
mod clock;
mod control;
mod device_expiry;
mod elsewhere;
mod erase;
mod error;
pub mod faults;
mod feed;
mod fresh;
mod heard;
mod hub;
mod leaving_words;
mod link;
mod links;
mod live;
mod look;
mod mailbox;
mod memory;
mod neighbours;
mod news;
mod overheard;
mod pace;
mod pass;
mod prefills;
mod publish;
mod queue;
mod reply;
mod sent;
mod shared_clock;
mod shown;
mod start;
mod subscription;
mod sweep;
mod tend;
mod timers;
mod tokens;
mod tray;
mod turn;
mod waits;

pub use agent_presence::AgentPresence;
pub use clock::{Clock, SystemClock};
pub use control::{NotControlled, Wanted};
pub use erase::{Forget, Forgotten};
pub use error::{Flood, HubError};
pub use feed::{FeedFilter, FeedItem, News};
pub use hub::{Health, Hub, HubSettings};
pub use link::Link;
pub use links::{Brought, Turns};
pub use pass::{
    AdminPass, AgentPass, AgentView, AskList, ConversationList, ConversationView, EntryList,
    Explained, ListFilter, MessageTo, Messaged, NewNote, NoticeDesk, OfferView, Pass, Past,
    PersonPass, Piece, Prepared, RuleChoice, RuleDesk, RulePast, RuleTrial, RuleView, TokenView,
};
pub use reply::Asked;
pub use sayso_core::state::op::NewRule;
pub use sayso_store::{EntryFrom, Trouble};
pub use start::LocalToken;
pub use subscription::{FeedEnded, Subscription};
pub use tray::Tray;
