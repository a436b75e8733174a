//! The parts of a script that are read otherwise: here-documents and the heads of loops.

use std::ops::Range;

use super::reader::{Here, Reader};
use super::word::WordDraft;
use crate::limits;

impl Reader<'_> {
    /// The head of a loop, and what its variable runs through.
    pub(super) fn loop_head(&mut self) {
        self.blanks();
        if self.take("((") {
            return self.skip_behind("))");
        }
        let names = self.words();
        self.blanks();
        let Some(name) = names.first().map(|word| word.text.clone()) else {
            return;
        };
        let mut items = Vec::new();
        let mut known = false;
        if self.rest().starts_with("in") {
            self.at += 2;
            known = true;
            loop {
                self.blanks();
                match self.peek() {
                    None | Some(';' | '\n' | '&' | '|' | ')' | '(') => break,
                    Some('<' | '>') if !self.is_command_as_file() => break,
                    Some(_) => {}
                }
                let begin = self.at;
                for word in self.words() {
                    known &= word.unknown.is_none();
                    items.push(word.text);
                }
                if self.at == begin {
                    break;
                }
            }
        }
        if known && items.len() <= limits::RULE_EXAMPLES_MAX {
            self.vars.insert(name, items);
        } else {
            self.vars.remove(&name);
        }
    }

    pub(super) fn here(&mut self) {
        let strips = self.take("-");
        self.blanks();
        let words = self.words();
        if let Some(word) = words.first() {
            self.heres.push(Here {
                end: word.text.clone(),
                strips,
                is_plain: word.quoted,
                command: 0,
            });
        }
    }

    /// Reads the documents that the line before named.
    pub(super) fn here_documents(&mut self) {
        for here in std::mem::take(&mut self.heres) {
            let begin = self.at;
            let mut body = String::new();
            let mut closed = false;
            while self.at < self.text.len() {
                let rest = self.rest();
                let line = rest.split_inclusive('\n').next().unwrap_or_default();
                let bare = line.trim_end_matches(['\n', '\r']);
                let bare = if here.strips {
                    bare.trim_start_matches('\t')
                } else {
                    bare
                };
                let is_end = bare == here.end;
                if !is_end {
                    body.push_str(bare);
                    body.push('\n');
                }
                self.at += line.len();
                closed |= is_end;
                if is_end {
                    break;
                }
            }
            let end = self.at;
            if !closed {
                self.odd("an open here-document", begin..end);
            }
            if !here.is_plain {
                self.expand_within(begin..end);
            }
            self.at = end;
            if let Some(command) = self.out.commands.get_mut(here.command) {
                command.input = Some(body);
            }
        }
    }

    /// Follows the substitutions in a text that is not otherwise shell.
    fn expand_within(&mut self, range: Range<usize>) {
        self.at = range.start;
        let mut word = WordDraft::default();
        while self.at < range.end {
            if self.take("\\") {
                self.next();
            } else if self.rest().starts_with('$') {
                self.dollar(&mut word, true);
            } else if self.take("`") {
                self.list(Some('`'));
            } else {
                self.next();
            }
        }
    }
}
