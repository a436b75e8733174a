//! Wire languages: text to core values and back, without IO.
//!
//! One folder per dialect; a dialect never sees another, and none of them sees the hub, a store or
//! a socket. What they share is here: reading JSON strictly with the path of what is wrong, the
//! two-stage reading of frames, the faces the server drives, what well-known tools do, answers as text, and times.
#![warn(missing_docs)]

mod agent_face;
mod approval_text;
mod call;
mod door;
mod ended;
pub mod envelope;
mod frames;
mod halves;
mod layer;
pub mod object;
mod path;
mod person_face;
pub mod read;
mod strict;
pub mod texts;
pub mod time;

pub mod agno;
pub mod agui;
pub mod chat;
pub mod claude_control;
pub mod mcp;
pub mod native;
pub mod nebo;
pub mod whimmy;

pub use agent_face::{AgentFace, AgentMove, AgentNews, Ends, OfferedTo};
pub use call::{Body, Call, CallReply, Called, Tie, Tied};
pub use door::{
    AgentHello, AgentSocket, Dialect, Door, FeedStyle, Knob, Knobs, Moment, PairingGuide,
    PairingPlace, PersonHello, PersonSocket, PersonStream, Redeem, SignIn, Stream, StreamCall,
    Takes, Target, Uploaded, Way, WriteNews,
};
pub use ended::Ended;
pub use frames::Frames;
pub use native::wire::{Problem, ProblemCode, RuleChoice};
pub use person_face::{
    AgentCard, Control, ControlKind, PersonFace, PersonMove, PersonNews, Refused, Resumed, Settled,
    Settlement, StatusNews, StreamFace, Transcript,
};
pub use read::ReadError;

/// Every dialect there is.
pub const DIALECTS: &[Dialect] = &[
    native::DIALECT,
    whimmy::DIALECT,
    chat::DIALECT,
    agno::DIALECT,
    nebo::DIALECT,
    claude_control::DIALECT,
    mcp::DIALECT,
    agui::DIALECT,
];

/// The dialect with this name.
pub fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}

/// Whether agents of this dialect take back an input that the person edited. A language that is no
/// longer here is given the benefit of the doubt: its agents are not told anything anyway.
pub fn takes_edits(name: &str) -> bool {
    dialect(name).is_none_or(|dialect| dialect.edits)
}

#[cfg(test)]
mod docs_tests;
#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_folder_has_a_row_and_every_row_a_folder() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let folders: BTreeSet<String> = std::fs::read_dir(source)
            .expect("the source folder is readable")
            .map(|entry| entry.expect("an entry is readable"))
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().expect("a UTF-8 name"))
            .collect();
        let rows: BTreeSet<String> = DIALECTS
            .iter()
            .map(|row| row.name.replace('-', "_"))
            .collect();
        assert_eq!(folders, rows);
        assert_eq!(DIALECTS.len(), rows.len(), "two rows share a name");
    }

    #[test]
    fn every_folder_has_a_page_and_vectors() {
        for row in DIALECTS {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("src")
                .join(row.name.replace('-', "_"));
            assert!(
                folder.join("README.md").is_file(),
                "{} has no README.md",
                row.name
            );
            assert!(
                folder.join("vectors").is_dir(),
                "{} has no vectors",
                row.name
            );
            assert_eq!(dialect(row.name).map(|found| found.name), Some(row.name));
        }
    }
}
