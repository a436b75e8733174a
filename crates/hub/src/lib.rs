//! The one driver: takes in asks and answers, rules, decides, commits, and runs the effects.
//!
//! Doors come in with a secret and leave with a pass: [`AgentPass`] can ask, [`PersonPass`] can
//! answer, [`AdminPass`] can do neither but makes tokens. Everything the hub holds in memory is a
//! cache over the journal and is built again at start. It knows no wire, no JSON and no database.

mod cache;
mod chat;
mod clock;
mod commit;
mod control;
mod erase;
mod error;
mod expiry;
pub mod faults;
mod feed;
mod hub;
mod ids;
mod index;
mod known;
mod link;
mod links;
mod look;
mod mailbox;
mod op;
mod owed;
mod pace;
mod pass;
mod prefills;
mod recent;
mod recover;
mod roll;
mod round;
mod rulebook;
mod settle;
mod settle_chat;
mod shown;
mod subscription;
mod sweep;
mod tend;
mod tray;
mod waits;

pub use clock::{Clock, SystemClock};
pub use control::{NotControlled, Wanted};
pub use erase::{Forget, Forgotten};
pub use error::{Flood, HubError};
pub use feed::{FeedFilter, FeedItem, News};
pub use hub::{Health, Hub, HubSettings};
pub use link::Link;
pub use links::{Brought, Reach, Turns};
pub use op::{Asked, NewRule, Prepared};
pub use pass::{
    AdminPass, AgentPass, AgentView, AskList, ConversationList, ConversationView, EntryList,
    Explained, ListFilter, MessageTo, Messaged, NewNote, NoticeDesk, OfferView, Pass, Past,
    PersonPass, Piece, RuleChoice, RuleDesk, RulePast, RuleTrial, RuleView, TokenView,
};
pub use recover::LocalToken;
pub use sayso_store::{EntryFrom, Trouble};
pub use subscription::{Ended, Subscription};
pub use tray::Tray;
