//! Programs that read, change, copy, move and delete the files they name.

use super::judge::{Judge, JudgedCall};
use super::net;
use super::options;
use super::reader::Word;
use super::reason::Reason;

impl Judge<'_> {
    /// A program that reads the files it names; the first `skip` words name none.
    pub(super) fn reads(&mut self, name: &str, call: JudgedCall<'_>, skip: usize) {
        let given = ["-e", "-f", "--regexp", "--file", "--files"];
        let skip = if given.iter().any(|option| call.has(option)) || name == "find" {
            0
        } else {
            skip
        };
        self.put(Reason::Reads, None, &call.command.span);
        let operands = call
            .words
            .iter()
            .filter(|word| !word.text.starts_with('-') || word.text == "-");
        if matches!(name, "cd" | "pushd" | "chdir") {
            if let Some(folder) = call.words.first().filter(|word| word.text != "-") {
                let to = if folder.unknown.is_some() {
                    "/unknown"
                } else {
                    &folder.text
                };
                self.place = self.place.moved(to);
            } else {
                self.place = self.place.moved("~");
            }
            return;
        }
        if matches!(name, "test" | "[" | "[[") {
            return;
        }
        for word in operands.skip(skip) {
            self.reads_file(word);
        }
    }

    /// One file that is read.
    pub(super) fn reads_file(&mut self, word: &Word) {
        if self.away {
            return;
        }
        let reason = if word.unknown.is_some() && word.inner.is_empty() {
            Some(Reason::ReadsOutside)
        } else {
            self.place.reading(&word.text)
        };
        if let Some(reason) = reason {
            self.put(reason, None, &word.span);
        }
    }

    /// One file that is changed.
    pub(super) fn writes_file(&mut self, word: &Word) {
        if self.away {
            return self.put(Reason::Container, None, &word.span);
        }
        if let Some(what) = word
            .unknown
            .as_deref()
            .filter(|_| word.inner.is_empty() && !word.text.contains('/'))
        {
            return self.put(Reason::Unreadable, Some(what), &word.span);
        }
        if let Some(reason) = self.place.writing(&word.text) {
            self.put(reason, None, &word.span);
        }
    }

    pub(super) fn writes(&mut self, name: &str, call: JudgedCall<'_>) {
        self.put(Reason::WritesInside, None, &call.command.span);
        let mut operands: Vec<&Word> = call.operands();
        if matches!(name, "chmod" | "chown" | "chgrp" | "chattr") {
            let mode = operands.first().map_or("", |word| word.text.as_str());
            let is_mode = name == "chmod";
            let sets_id =
                mode.contains('s') && mode.contains(['u', 'g', '+']) && mode.contains(['+', '='])
                    || mode.len() == 4 && mode.starts_with(['2', '4', '6']);
            if is_mode && sets_id {
                self.put(Reason::BecomesRoot, None, &call.command.span);
            }
            let mode_is_option = call.any(|word| {
                let flags = word.text.strip_prefix('-').unwrap_or_default();
                !flags.is_empty() && flags.chars().all(|char| "rwxXstiaA".contains(char))
            });
            if !mode_is_option {
                operands = operands.split_off(1.min(operands.len()));
            }
        }
        for word in operands {
            self.writes_file(word);
        }
    }

    pub(super) fn copies(&mut self, name: &str, call: JudgedCall<'_>) {
        if name == "dd" {
            let fills = |word: &Word| word.text.starts_with("if=/dev/");
            if call.any(fills) && call.any(|word| word.text.starts_with("of=")) {
                self.put(Reason::Empties, None, &call.command.span);
            }
            for word in call.words {
                let part = |key: &str| word.text.strip_prefix(key).map(|text| word.with_text(text));
                if let Some(word) = &part("of=") {
                    self.writes_file(word);
                }
                if let Some(word) = &part("if=") {
                    self.reads_file(word);
                }
            }
            return self.put(Reason::WritesInside, None, &call.command.span);
        }
        if name == "rsync" {
            net::rsync(self, call);
        }
        let mode = call.words.iter().map(|word| word.text.as_str());
        if name == "install"
            && mode.clone().any(|word| {
                word.starts_with('4') && word.len() == 4
                    || word.contains("=4")
                    || word.contains("u+s")
            })
        {
            self.put(Reason::BecomesRoot, None, &call.command.span);
        }
        self.put(Reason::WritesInside, None, &call.command.span);
        let operands: Vec<&Word> = call.operands();
        let into = options::value(call.words, &["-t", "--target-directory"]);
        let (target, sources) = match (&into, operands.split_last()) {
            (None, Some((last, rest))) => (Some(*last), rest),
            (Some(_), _) | (None, None) => (None, operands.as_slice()),
        };
        if name != "ln" {
            for word in sources {
                self.reads_file(word);
            }
        }
        let is_nothing = |word: &&Word| word.text == "/dev/null";
        if target.iter().any(&is_nothing) && name == "mv" || sources.iter().any(is_nothing) {
            self.put(Reason::Empties, None, &call.command.span);
        }
        for word in into.iter().chain(target) {
            self.writes_file(word);
            // A folder that programs are started from is as good as each file in it.
            let inside = word.with_text(format!("{}/x", word.text));
            if self.place.special(&inside.text).is_some()
                && self.place.special(&word.text).is_none()
            {
                self.writes_file(&inside);
            }
        }
    }

    pub(super) fn moves(&mut self, call: JudgedCall<'_>) {
        self.copies("mv", call);
        let operands: Vec<&Word> = call.operands();
        for word in operands.iter().rev().skip(1) {
            self.writes_file(word);
        }
    }

    pub(super) fn deletes(&mut self, call: JudgedCall<'_>) {
        let operands: Vec<&Word> = call.operands();
        let span = call.command.span.clone();
        if operands.is_empty() || call.is_fed || self.away {
            self.put(Reason::Deletes, None, &span);
        }
        for word in operands {
            let reason = match word.unknown {
                Some(_) => Reason::Deletes,
                None => self.place.deleting(&word.text),
            };
            self.put(reason, None, &span);
        }
    }
}
