//! Whether whoever started a bridge still reads what it says: the system does not tell when a
//! program is gone that only listens.

use std::io;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Whether somebody still holds the other end of our standard output.
pub(crate) fn is_read() -> bool {
    let out = io::stdout();
    let mut looked = [PollFd::new(&out, PollFlags::empty())];
    match poll(&mut looked, Some(&Timespec::default())) {
        Ok(_) => looked
            .iter()
            .all(|one| !one.revents().intersects(PollFlags::ERR | PollFlags::HUP)),
        Err(_) => true,
    }
}
