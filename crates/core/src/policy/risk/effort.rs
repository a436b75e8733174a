//! How much is judged for one action: however a command is built, rating it must not take long.

use crate::limits;

/// Scripts inside scripts that are followed.
const DEPTH_MAX: usize = 16;

/// Work for one action, about as many bytes of scripts: what hides a script in a script in a script,
/// or calls one program ten thousand times, must not take long.
const WORK_MAX: usize = 6 * limits::COMMAND_READ_BYTES_MAX;

/// What was spent so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Effort {
    pub(super) depth: usize,
    work: usize,
}

/// Why no more is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    /// Scripts lie too deep inside each other.
    Deep,
    /// It is too long.
    Long,
}

impl Effort {
    /// Spends so much more, or says why not.
    pub(super) fn spend(&mut self, work: usize) -> Result<(), Spent> {
        self.work = self.work.saturating_add(work);
        if self.work > WORK_MAX {
            Err(Spent::Long)
        } else if self.depth >= DEPTH_MAX {
            Err(Spent::Deep)
        } else {
            Ok(())
        }
    }
}
