//! The words of AG-UI: what a run is started with, and the events of its stream.

mod card;
mod event;
mod input;
mod schema;

pub(crate) use card::{
    ActionCard, Arguments, Card, ChoiceCard, HeaderQuestion, QuestionCard, QuestionList,
    SnakeQuestion,
};
pub(crate) use event::{Closed, Custom, Event, Interrupt, Noted, Outcome, Patch, Place};
pub(crate) use input::{Message, Part, ResumeEntry, ResumeStatus, RunInput, State, Tool};
pub(crate) use schema::{Named, Schema};
