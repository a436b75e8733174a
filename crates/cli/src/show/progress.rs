//! How far something long has got: one line that is rewritten, or a line now and then where that cannot be.

use sayso_core::id::Seq;

use crate::output::Output;

/// Entries between two lines where a line cannot be rewritten.
const EVERY: u64 = 100_000;

/// Something long that goes through a journal.
#[derive(Debug)]
pub(crate) struct WalkProgress<'a> {
    done: &'static str,
    /// How many entries there are, if that is known.
    all: Option<u64>,
    out: &'a mut Output,
    last: u64,
}

impl<'a> WalkProgress<'a> {
    /// Begins it; `done` is what is done to each entry.
    pub(crate) fn new(done: &'static str, all: Option<u64>, out: &'a mut Output) -> Self {
        Self {
            done,
            all,
            out,
            last: 0,
        }
    }

    /// Tells that it has got to this entry.
    pub(crate) fn tell(&mut self, seq: Seq) {
        let of = self
            .all
            .map_or_else(String::new, |all| format!(" of {all}"));
        let line = format!("{} {seq}{of} entries", self.done);
        if self.out.said_is_terminal {
            self.out.rewrite(&line);
            self.last = seq.0;
        } else if seq.0 >= self.last.saturating_add(EVERY) {
            self.out.say(&line);
            self.last = seq.0;
        }
    }
}

impl Drop for WalkProgress<'_> {
    fn drop(&mut self) {
        if self.out.said_is_terminal && self.last > 0 {
            self.out.say("");
        }
    }
}
