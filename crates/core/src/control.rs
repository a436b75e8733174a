//! What a person may want of an agent's program beside answers and words.

/// What a person may want of an agent's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlKind {
    /// Stop what you are doing.
    Interrupt,
    /// Ask more, or less, from now on: the program's own name of a mode.
    SetMode(String),
}
