//! What people told the CLI to do, until it says whether it did.

use std::collections::VecDeque;

use sayso_core::control::ControlKind;
use sayso_dialects::claude_control::write_control;

use super::feed::CliNews;

/// How much may wait for a word of the CLI.
const WAITING_MAX: usize = 16;

/// What the CLI was told, by ids that no app uses.
#[derive(Debug, Default)]
pub(super) struct CliControls {
    count: u64,
    waiting: VecDeque<One>,
}

#[derive(Debug)]
struct One {
    request_id: String,
    /// The server's number.
    id: u64,
    /// What is to be noted once it is done.
    note: String,
}

impl CliControls {
    /// The line that tells the CLI.
    pub(super) fn told(&mut self, id: u64, what: &ControlKind, by: &str) -> String {
        self.count += 1;
        let request_id = format!("sayso-control-{}", self.count);
        let line = write_control(&request_id, what);
        if self.waiting.len() == WAITING_MAX {
            self.waiting.pop_front();
        }
        let note = match what {
            ControlKind::Interrupt => format!("stopped by {by}"),
            ControlKind::SetMode(mode) => format!("permission mode {mode}, set by {by}"),
        };
        self.waiting.push_back(One {
            request_id,
            id,
            note,
        });
        line
    }

    /// What is to be told about a reply of the CLI; nothing when it is not to us.
    pub(super) fn replied(&mut self, request_id: &str, error: Option<String>) -> Option<CliNews> {
        let place = self
            .waiting
            .iter()
            .position(|one| one.request_id == request_id)?;
        let one = self.waiting.remove(place)?;
        Some(CliNews::Controlled {
            id: one.id,
            done: error.map_or(Ok(one.note), Err),
        })
    }
}
