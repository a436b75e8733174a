//! The words of sayso, the checks and the ask machine.
//!
//! Everything that has a meaning is here, as plain values: what an agent asks, what a person says,
//! how an ask ends, and the machine that decides it. This crate does no IO, has no async code,
//! reads no clock and knows no JSON beyond the canonical text that is hashed.
#![warn(missing_docs)]

pub mod action;
pub mod agent;
pub mod answer;
pub mod ask;
pub mod canon;
pub mod check;
pub mod control;
pub mod digest;
pub mod entry;
pub mod escape;
pub mod form;
pub mod id;
pub mod journal;
pub mod limits;
pub mod outcome;
pub mod policy;
pub mod role;
pub mod state;
pub mod text;
pub mod time;
pub mod unreadable;
pub mod view;
mod words;
