//! AG-UI: a person's front end that posts a run and reads a stream of events.
//!
//! Every run is a call of its own; nothing is remembered between two of them but what the front end
//! sends back and what is in the journal. The page beside this file says what maps to what.

mod map;
mod reading;
mod run;
mod text_stream;
mod wire;

use std::time::Duration;

use sayso_core::limits;

use crate::{Dialect, Door, Knob, Knobs, PersonStream, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "agui",
    default_deadline: None,
    edits: false,
    asks_again: false,
    knobs: &[
        Knob {
            key: FORM,
            usual: "auto",
            about: "How asks are shown: interrupts, tool_calls, or auto (depending on the tools \
                    that the front end declares).",
            check: |value| {
                (!matches!(value, "auto" | INTERRUPTS | TOOL_CALLS))
                    .then_some("must be auto, interrupts or tool_calls")
            },
        },
        Knob {
            key: WAIT_S,
            usual: "55",
            about: "Maximum length of a run, in seconds (1 to 55).",
            check: |value| {
                seconds(value)
                    .is_none()
                    .then_some("must be a whole number from 1 to 55")
            },
        },
    ],
    doors: &[Door {
        path: "/agui/{agent}",
        way: Way::PersonStream(PersonStream {
            open: reading::open,
            lasts,
        }),
    }],
};

const FORM: &str = "form";
const INTERRUPTS: &str = "interrupts";
const TOOL_CALLS: &str = "tool_calls";
const WAIT_S: &str = "wait_s";

fn seconds(value: &str) -> Option<u64> {
    let seconds: u64 = value.parse().ok()?;
    (1..=limits::WAIT_S_MAX)
        .contains(&seconds)
        .then_some(seconds)
}

fn lasts(knobs: &Knobs) -> Duration {
    Duration::from_secs(seconds(knobs.get(WAIT_S)).unwrap_or(limits::WAIT_S_MAX))
}

#[cfg(test)]
mod vectors_tests;
