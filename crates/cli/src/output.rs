//! The one place that writes to the terminal: data on stdout, everything else on stderr.
//!
//! It never writes text of others unescaped; callers escape, because only they know what is whose.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::json;
use crate::show::Table;

/// Where a command writes.
pub(crate) struct Output {
    data: Box<dyn Write + Send>,
    said: Box<dyn Write + Send>,
    /// Whether data goes to a person's eyes.
    pub(crate) data_is_terminal: bool,
    /// Whether a line on stderr can be rewritten.
    pub(crate) said_is_terminal: bool,
    paint: Paint,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output")
            .field("paint", &self.paint)
            .finish_non_exhaustive()
    }
}

impl Output {
    /// The process's own stdout and stderr.
    pub(crate) fn of_process(no_color: bool) -> Self {
        let (data, said) = (io::stdout(), io::stderr());
        let data_is_terminal = data.is_terminal();
        Self {
            data_is_terminal,
            said_is_terminal: said.is_terminal(),
            paint: if data_is_terminal && !no_color {
                Paint::Colour
            } else {
                Paint::Plain
            },
            data: Box::new(data),
            said: Box::new(said),
        }
    }

    /// One line of data.
    pub(crate) fn data(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.data, "{line}")?;
        self.data.flush()?;
        Ok(())
    }

    /// Values as JSON, one on each line.
    pub(crate) fn json<'a, T: Serialize + 'a>(
        &mut self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Ran {
        for value in values {
            self.data(&json::line(value)?)?;
        }
        Ok(Exit::Done)
    }

    /// Columns that line up.
    pub(crate) fn table(&mut self, table: &Table) -> Ran {
        for line in table.lines() {
            self.data(&line)?;
        }
        Ok(Exit::Done)
    }

    /// Data as it is, nothing added.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.data.write_all(bytes)?;
        self.data.flush()?;
        Ok(())
    }

    /// One line for the person, beside the data. Whoever closed stderr does not want it.
    pub(crate) fn say(&mut self, line: &str) {
        drop(writeln!(self.said, "{line}"));
    }

    /// Rewrites the last line of stderr in place; nothing removes it.
    pub(crate) fn rewrite(&mut self, line: &str) {
        drop(write!(self.said, "\r\x1b[K{line}"));
        drop(self.said.flush());
    }

    /// How to stress words in data.
    pub(crate) const fn paint(&self) -> Paint {
        self.paint
    }
}

/// Whether words may be coloured. What is said is the same either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// The terminal's own sixteen colours.
    Colour,
    /// None.
    Plain,
}

/// A way to stress a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The thing to look at.
    Strong,
    /// Went well.
    Good,
    /// Needs care.
    Care,
    /// Went badly.
    Bad,
}

impl Paint {
    /// The word in a tone.
    pub(crate) fn tone(self, tone: Tone, word: &str) -> String {
        let code = match tone {
            Tone::Strong => "1",
            Tone::Good => "32",
            Tone::Care => "33",
            Tone::Bad => "31",
        };
        match self {
            Self::Colour => format!("\x1b[{code}m{word}\x1b[0m"),
            Self::Plain => word.to_owned(),
        }
    }
}
