//! Each document of a wire language, gone through from its first line to its last.
//!
//! Frames and sentences are the documents' own. A line that sayso holds in another way than the
//! document's program did is played as the dialect's page says.

mod agno;
mod chat;
mod control;
mod nebo;
mod whimmy;
