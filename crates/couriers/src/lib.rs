//! Notices out: what tells people about asks while they look elsewhere. One folder per courier.
//!
//! A courier keeps who wants to be told and carries what it is given. It never decides who may know
//! of an ask: it asks its [`Newsroom`] each time before it says a word, and it answers nothing.

mod newsroom;
pub mod push;

pub use newsroom::{Device, DeviceStanding, NewsFuture, Newsroom, NoticeContent};
