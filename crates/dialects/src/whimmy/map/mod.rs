//! What the plugin's frames mean, and how ours are said in its words. Nothing is remembered here.

mod ask;
mod hook;
mod names;

pub(super) use ask::{action, is_question_tool, media_text, questions};
pub(super) use hook::{WaitKind, outcome_frame, ping_frame, turn_frame, unasked_frame};
pub(super) use names::{agent, agent_id, conversation, lowered, wire_id};
