//! Levels: what a build must know to read a journal correctly.
//!
//! A journal carries the highest level that anything in it needs. A store raises it in the same
//! transaction that first writes something of a higher level, and refuses a journal whose level is
//! above [`LEVEL`] as newer. A journal that never used anything new stays readable by older builds.
//!
//! To add a kind of event, a value, or a field that an older build must not ignore (a restriction, an
//! expiry): add a line to the last row of [`LEVELS`], or a new row once that one has been released,
//! return its number from [`needed`], and write the fixture again
//! (`UPDATE_FIXTURE=1 cargo test -p sayso-store-sqlite fixture`).

use sayso_core::journal::Event;
use sayso_core::policy::{Folder, Says, Subject};

/// One step of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatLevel {
    /// The number in the journal.
    pub number: u32,
    /// The first version of sayso that reads and writes it.
    pub since: &'static str,
    /// What it added, one entry each.
    pub added: &'static [&'static str],
}

/// Every level, in order. Rows of released versions are never changed.
pub const LEVELS: [FormatLevel; 3] = [
    FormatLevel {
        number: 1,
        since: "before 0.1.0",
        added: &["the event kinds 1 to 19 with all their values"],
    },
    FormatLevel {
        number: 2,
        since: "0.1.0",
        added: &[
            "the event kind 20 (what was said in a conversation was erased)",
            "rules that apply in one folder or to one tool, or where no folder is reported",
            "rules that apply only where links were followed",
        ],
    },
    FormatLevel {
        number: 3,
        since: "0.2.0",
        added: &["the event kind 21 (a delivered message is queued again)"],
    },
];

/// The highest level that this build knows.
pub const LEVEL: u32 = {
    let [.., last] = LEVELS;
    last.number
};

/// The lowest level of which a build must be to read this event correctly.
pub fn needed(event: &Event) -> u32 {
    let kind = event.kind().number();
    let by_kind = if kind > KINDS_OF_LEVEL_2 {
        3
    } else if kind > KINDS_OF_LEVEL_1 {
        2
    } else {
        1
    };
    let by_rule = event.rule().map_or(1, |rule| {
        if rule.applies_to.links {
            2
        } else {
            needed_by(&rule.says)
        }
    });
    by_kind.max(by_rule)
}

/// The kinds up to this number are of the first level.
const KINDS_OF_LEVEL_1: u16 = 19;
/// And up to this one of the second.
const KINDS_OF_LEVEL_2: u16 = 20;

fn needed_by(says: &Says) -> u32 {
    let (Says::Allow(subject) | Says::Deny(subject)) = says else {
        return 1;
    };
    match subject {
        Subject::Command { folder, .. } if *folder == Folder::Untold => 2,
        Subject::Preset { folder, tool, .. } if *folder != Folder::Anywhere || tool.is_some() => 2,
        Subject::Command { .. }
        | Subject::Preset { .. }
        | Subject::Words(_)
        | Subject::Tool { .. } => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_by_one() {
        for (level, number) in LEVELS.iter().zip(1..) {
            assert_eq!(level.number, number);
        }
        assert_eq!(LEVEL as usize, LEVELS.len());
    }
}
