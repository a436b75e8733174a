//! What has to be done once a step is committed. Data, not deeds.

use crate::time::Time;

/// Something to do after a commit. Every effect can be derived again from the state alone, so a
/// crash between commit and effect loses nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Put it on every device.
    Show,
    /// Tell every device how it ended.
    Hide,
    /// Wake the clock at this moment.
    StartTimer(Time),
    /// The clock need not wake for it any more.
    StopTimer,
    /// Bring the outcome to whichever link of the asker lives.
    Deliver,
    /// Tell every device how far the news has got.
    ShowDelivery,
    /// The asker has the outcome: erase its secrets.
    EraseSecrets,
}
