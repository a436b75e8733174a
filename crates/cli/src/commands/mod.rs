//! The commands, one room each.

pub(crate) mod answer;
pub(crate) mod approve;
pub(crate) mod ask;
pub(crate) mod backup;
pub(crate) mod bridge;
pub(crate) mod claude;
pub(crate) mod claude_check;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod forget;
pub(crate) mod history;
pub(crate) mod hook;
pub(crate) mod inbox;
pub(crate) mod install;
pub(crate) mod mcp;
pub(crate) mod open;
pub(crate) mod pair;
pub(crate) mod rebuild;
pub(crate) mod restore;
mod rule_file;
pub(crate) mod rules;
pub(crate) mod say;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod token;
pub(crate) mod verify;
