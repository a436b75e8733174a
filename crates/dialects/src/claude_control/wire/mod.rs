//! The words of the Claude control protocol and of the front ends that carry it on: types only.
//!
//! What comes in passes over keys nobody knows, because other people's programs say more than we
//! need; a key that is known and there twice, or of the wrong type, is refused.

mod cli;
mod control;
mod hook;
mod line;
mod pipe;
mod question;
mod schema;
mod value;

pub(super) use crate::object::Entries;
pub(super) use cli::{CliBody, CliElicited, CliLine, CliResult, Noted, Permission, Piece, Updated};
pub(super) use control::{
    Action, AnswerValues, Asked, Behavior, Care, CliRequest, ControlResponse, Decided, Elicitation,
    FrontRequest, ToolInput, ToolRequest, UserMessage,
};
pub(super) use hook::{HookInput, HookOutput, HookSpecific};
pub(super) use line::{
    Block, Content, Delta, Event, Line, Message, ModeLine, ModeSet, Outcome, Reported, Request,
    Response, Shown, Stamp,
};
pub(super) use pipe::{
    PipeAsk, PipeBlock, PipeCancel, PipeControl, PipeLine, PipeMessage, PipeTurn, PipeTurnMessage,
    PipeWish,
};
pub(super) use question::{Choice, Question};
pub(super) use schema::{Const, Items, Property, Schema, TypeWord};
pub(super) use value::Value;
