//! What the commands of a script do: wrappers taken off, words and redirections looked at.

use std::ops::Range;

use super::effort::{Effort, Spent};
use super::place::{Surroundings, Zone};
use super::programs::{self, ProgramEffect};
use super::reader::{self, Command, Script, Word};
use super::reason::{Findings, Reason};
use super::{archive, code, container, database, git, net, options, peel};
use crate::action::Risk;
use crate::limits;

/// Judges one shell command, and every command in it.
pub(super) struct Judge<'a> {
    pub(super) found: &'a mut Findings,
    pub(super) place: Surroundings,
    /// Whether what is judged now runs as root.
    pub(super) root: bool,
    /// Whether it runs in a container, where paths mean something else.
    pub(super) away: bool,
    /// The word that holds the script that is judged now.
    frame: Option<Range<usize>>,
    pub(super) effort: Effort,
    /// Files that were fetched before in the same script.
    pub(super) fetched: Vec<String>,
}

/// One command to be judged, without what stands before its program.
#[derive(Clone, Copy)]
pub(super) struct JudgedCall<'c> {
    pub(super) script: &'c Script,
    pub(super) command: &'c Command,
    /// The words behind the program.
    pub(super) words: &'c [Word],
    /// Whether more words come from elsewhere.
    pub(super) is_fed: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(found: &'a mut Findings, place: Surroundings) -> Self {
        Self {
            found,
            place,
            root: false,
            away: false,
            frame: None,
            effort: Effort::default(),
            fetched: Vec::new(),
        }
    }

    /// Adds a reason about a part of the text.
    pub(super) fn put(&mut self, reason: Reason, name: Option<&str>, span: &Range<usize>) {
        let reason = match reason {
            Reason::Deletes if self.root => Reason::DeletesAsRoot,
            Reason::ProjectCode | Reason::WrittenCode if self.root => Reason::CodeAsRoot,
            reason => reason,
        };
        let span = self.frame.clone().unwrap_or_else(|| span.clone());
        self.found.put(reason, name, Some(span));
    }

    /// Whether so much more may be judged; if not, that is said.
    fn goes_on(&mut self, work: usize, span: &Range<usize>) -> bool {
        let spent = self.effort.spend(work);
        match spent {
            Ok(()) => {}
            Err(Spent::Long) => self.put(Reason::TooLong, None, span),
            Err(Spent::Deep) => self.put(Reason::Unreadable, Some("too much nesting"), span),
        }
        spent.is_ok()
    }

    /// Judges a whole script.
    pub(super) fn script(&mut self, text: &str) {
        if text.len() > limits::COMMAND_READ_BYTES_MAX {
            return self.put(Reason::TooLong, None, &(0..0));
        }
        if !self.goes_on(text.len(), &(0..0)) {
            return;
        }
        // A function that calls itself twice, for ever.
        let bare: String = text.chars().filter(|char| !char.is_whitespace()).collect();
        if bare.contains(":(){:|:") {
            self.put(Reason::Power, None, &(0..text.len()));
        }
        let script = reader::read(text);
        for (what, span) in &script.odd {
            self.put(Reason::Unreadable, Some(what), span);
        }
        for command in script.commands.iter().take(limits::COMMAND_TEXTS_MAX) {
            self.command(&script, command);
        }
        if script.commands.len() > limits::COMMAND_TEXTS_MAX {
            self.put(Reason::Unreadable, Some("too many commands"), &(0..0));
        }
    }

    /// Judges a script that stands in a word, or is handed to a shell otherwise.
    pub(super) fn within(&mut self, text: &str, span: &Range<usize>) {
        let frame = self.frame.clone().unwrap_or_else(|| span.clone());
        let outer = self.frame.replace(frame);
        self.effort.depth += 1;
        self.script(text);
        self.effort.depth -= 1;
        self.frame = outer;
    }

    fn command(&mut self, script: &Script, command: &Command) {
        self.redirects(command);
        for (name, value) in &command.sets {
            self.setting(name, value);
        }
        let root = self.root;
        if command.words.is_empty() {
            if command.redirects.is_empty() && !command.sets.is_empty() {
                self.put(Reason::Shows, None, &command.span);
            }
        } else {
            let call = JudgedCall {
                script,
                command,
                words: &command.words,
                is_fed: false,
            };
            self.call(call);
        }
        self.root = root;
        self.away = false;
    }

    fn redirects(&mut self, command: &Command) {
        let program = command.words.first().map(|word| word.text.as_str());
        let says_nothing = match program {
            None | Some(":" | "true") => true,
            Some("echo") => command.words.len() == 1,
            Some("cat") => command
                .words
                .get(1)
                .is_some_and(|word| word.text == "/dev/null"),
            Some(_) => false,
        };
        for redirect in &command.redirects {
            let target = &redirect.target;
            let path = target.text.as_str();
            if target.unknown.is_some() && target.inner.is_empty() && redirect.writes {
                self.put(Reason::Unreadable, target.unknown.as_deref(), &target.span);
                continue;
            }
            let reason = match (redirect.writes, target.unknown.is_some()) {
                (true, _) => self.place.writing(path),
                (false, true) => Some(Reason::ReadsOutside),
                (false, false) => self.place.reading(path),
            };
            let empties = says_nothing && redirect.writes && !redirect.appends;
            let reason = match reason {
                Some(Reason::WritesInside | Reason::WritesOutside)
                    if empties && !path.ends_with("keep") =>
                {
                    let is_leftover = self.place.deleting(path) == Reason::WritesInside;
                    Some(if is_leftover {
                        Reason::WritesInside
                    } else {
                        Reason::Empties
                    })
                }
                reason => reason,
            };
            if let Some(reason) = reason {
                let host = net::host_of_device(path);
                self.put(reason, host, &target.span);
            }
        }
    }

    /// Judges the program at the front of the words, once wrappers are off.
    pub(super) fn call(&mut self, call: JudgedCall<'_>) {
        // Some programs are judged by their whole command, and some by what else is in the script.
        let around = call.command.words.len() + call.script.commands.len() / 16;
        if !self.goes_on(call.words.len() * 8 + around, &call.command.span) {
            return;
        }
        self.effort.depth += 1;
        self.unwrapped(call);
        self.effort.depth -= 1;
    }

    fn unwrapped(&mut self, call: JudgedCall<'_>) {
        let mut call = call;
        // Wrappers inside each other: each step takes a word off.
        for _ in 0..limits_of(call.words) {
            let Some((program, rest)) = call.words.split_first() else {
                return;
            };
            if !self.is_known_name(call, program) {
                return;
            }
            let name = name_of(&program.text);
            let named = JudgedCall {
                words: rest,
                ..call
            };
            match peel::peel(self, name, named) {
                peel::Peeled::No => return self.program(program, name, named),
                peel::Peeled::Done => return,
                peel::Peeled::To { words, is_fed } => {
                    call = JudgedCall {
                        words,
                        is_fed: call.is_fed || is_fed,
                        ..call
                    };
                }
            }
        }
        let span = &call.command.span;
        self.put(Reason::Unreadable, Some("too much nesting"), span);
    }

    /// Whether the name of the program can be told; when not, that is said.
    fn is_known_name(&mut self, call: JudgedCall<'_>, program: &Word) -> bool {
        if let Some(what) = &program.unknown {
            if call.inside(program).iter().any(net::fetches) {
                self.put(Reason::NetworkCode, None, &program.span);
            } else {
                self.put(Reason::Unreadable, Some(what), &program.span);
            }
            return false;
        }
        let is_test = matches!(program.text.as_str(), "[" | "[[");
        if program.glob && !is_test || (program.text.contains("{}") || program.text == "%") {
            let what = if program.glob {
                "a pattern as program"
            } else {
                "a program that is filled in"
            };
            self.put(Reason::Unreadable, Some(what), &program.span);
            return false;
        }
        true
    }

    fn program(&mut self, program: &Word, name: &str, call: JudgedCall<'_>) {
        if program.text.contains('/') && !self.away {
            match self.at_path(program) {
                Some(Reason::ProjectCode)
                    if programs::effect(name, call.words) == Some(ProgramEffect::Interprets) => {}
                Some(Reason::ProjectCode) => {
                    self.put(Reason::ProjectCode, None, &program.span);
                    if let Some(ProgramEffect::Is(reason)) = programs::effect(name, call.words)
                        && reason.level() == Risk::High
                    {
                        self.put(reason, None, &call.command.span);
                    }
                    return options::look(self, call);
                }
                Some(reason) => self.put(reason, None, &program.span),
                None => {}
            }
        }
        // Only its version or its help is asked for.
        if let [word] = call.words
            && matches!(word.text.as_str(), "--version" | "-V" | "--help")
            && !call.is_fed
            && !program.text.contains('/')
            && programs::effect(name, call.words).is_some()
        {
            return self.put(Reason::Shows, None, &call.command.span);
        }
        options::look(self, call);
        if name == "git" {
            return git::judge(self, call);
        }
        let span = &call.command.span.clone();
        match programs::effect(name, call.words) {
            None => self.unknown(name, call),
            Some(ProgramEffect::Is(reason)) => self.is(name, reason, call),
            Some(ProgramEffect::Reads) => self.reads(name, call, 0),
            Some(ProgramEffect::Searches) => self.reads(name, call, 1),
            Some(ProgramEffect::Writes) => self.writes(name, call),
            Some(ProgramEffect::Copies) => self.copies(name, call),
            Some(ProgramEffect::Moves) => self.moves(call),
            Some(ProgramEffect::Deletes) => self.deletes(call),
            Some(ProgramEffect::Project) => self.project(name, call),
            Some(ProgramEffect::Interprets) => code::interpret(self, name, call),
            Some(ProgramEffect::Queries) => database::query(self, call),
            Some(ProgramEffect::Fetches) => net::fetch(self, name, call),
            Some(ProgramEffect::Archives) => archive::judge(self, name, call),
        }
        if self.root {
            self.put(Reason::Root, None, span);
        }
    }

    /// What is said by naming a program by its path; nothing where the name alone counts.
    fn at_path(&self, program: &Word) -> Option<Reason> {
        const PROGRAM_FOLDERS: &[&str] = &[
            "/bin/",
            "/sbin/",
            "/usr/bin/",
            "/usr/sbin/",
            "/usr/local/bin/",
            "/opt/homebrew/bin/",
        ];
        let path = program.text.as_str();
        if self.fetched.iter().any(|file| same_file(file, path)) {
            return Some(Reason::NetworkCode);
        }
        if self.place.zone(path) == Zone::Inside {
            return Some(Reason::ProjectCode);
        }
        let is_installed = PROGRAM_FOLDERS
            .iter()
            .any(|folder| path.starts_with(folder))
            || path.contains("/.cargo/bin/")
            || path.contains("/.local/bin/");
        (!is_installed).then_some(Reason::OutsideCode)
    }

    /// What a program does that a row names outright.
    fn is(&mut self, name: &str, reason: Reason, call: JudgedCall<'_>) {
        let span = call.command.span.clone();
        let shows_all = call
            .words
            .iter()
            .all(|word| word.text == "-p" || word.text == "-x");
        let reason = match name {
            "set" | "export" | "declare" | "typeset" if shows_all => Reason::Environment,
            _ => reason,
        };
        // What stops sayso answers for everybody.
        let text = call.script.text.get(span.clone()).unwrap_or_default();
        if matches!(reason, Reason::Stops | Reason::System | Reason::Resources)
            && text.contains("sayso")
        {
            self.put(Reason::Sayso, None, &span);
        }
        match reason {
            Reason::Shows if call.any(|word| word.secret) => {
                self.put(Reason::Credential, None, &span);
            }
            Reason::Shows => self.put(reason, None, &span),
            Reason::Environment if call.any(|word| super::word::is_secret(&word.text)) => {
                self.put(Reason::Credential, None, &span);
            }
            Reason::Container => container::judge(self, call),
            Reason::Packages => net::packages(self, name, call),
            Reason::Stops
                if call.any(|word| word.text == "-1") && name == "kill" && call.words.len() > 1 =>
            {
                self.put(Reason::Power, None, &span);
            }
            Reason::Service => {
                net::service(self, name, call);
            }
            Reason::Automatic if name == "crontab" && call.has("-l") => {
                self.put(Reason::Service, None, &span);
            }
            Reason::Automatic if name == "crontab" && call.has("-r") => {
                self.put(Reason::Resources, None, &span);
            }
            reason => self.put(reason, None, &span),
        }
        if reason == Reason::Shows && name == "printenv" {
            let secret = call.any(|word| super::word::is_secret(&word.text));
            let reason = if secret {
                Reason::Credential
            } else {
                Reason::Environment
            };
            self.put(reason, None, &span);
        }
    }

    fn project(&mut self, name: &str, call: JudgedCall<'_>) {
        self.put(Reason::ProjectCode, None, &call.command.span);
        let mut rest = call.words.iter();
        while let Some(word) = rest.next() {
            if options::is_output(&word.text) {
                rest.next();
                continue;
            }
            let value = word
                .text
                .split_once('=')
                .map_or(word.text.as_str(), |(_, value)| value);
            let leads_away = value.starts_with(['/', '~']) || value.starts_with("../");
            let is_code = matches!(self.place.zone(value), Zone::Temporary | Zone::Outside);
            if leads_away && is_code && !options::is_output(&word.text) && !value.starts_with("//")
            {
                self.put(Reason::OutsideCode, None, &word.span);
            }
        }
        let is_far =
            |word: &&Word| word.text.starts_with("http://") || word.text.starts_with("https://");
        if matches!(name, "deno" | "bun") && call.any(|word| is_far(&word)) {
            self.put(Reason::NetworkCode, None, &call.command.span);
        }
        if matches!(name, "make" | "gmake" | "just" | "task") {
            for word in call
                .words
                .iter()
                .filter(|word| word.text.starts_with("SHELL="))
            {
                self.put(Reason::Hijacks, None, &word.span);
            }
        }
    }

    /// A file that is run as code.
    pub(super) fn runs_file(&mut self, call: JudgedCall<'_>, word: &Word) {
        let reason = if call.inside(word).iter().any(net::fetches)
            || self.fetched.iter().any(|file| same_file(file, &word.text))
            || word.text.starts_with("http")
        {
            Reason::NetworkCode
        } else if let Some(what) = &word.unknown {
            return self.put(Reason::Unreadable, Some(what), &word.span);
        } else if self.away || self.place.zone(&word.text) == Zone::Inside {
            Reason::ProjectCode
        } else {
            Reason::OutsideCode
        };
        self.put(reason, None, &word.span);
    }

    fn unknown(&mut self, _name: &str, call: JudgedCall<'_>) {
        self.put(Reason::Unknown, None, &call.command.span);
        for word in call.words {
            let text = word
                .text
                .split_once('=')
                .map_or(word.text.as_str(), |(_, value)| value);
            if let Some(special) = self.place.special(text) {
                let inner = word.with_text(text);
                self.reads_file(&inner);
                if special != super::special::Special::Credential {
                    self.writes_file(&inner);
                }
            }
        }
    }
}

/// Steps that wrappers can take at most.
fn limits_of(words: &[Word]) -> usize {
    words.len().min(64) + 1
}

/// The name of a program without its folder, its ending and its case.
pub(super) fn name_of(program: &str) -> &str {
    let base = program.rsplit('/').next().unwrap_or(program);
    base.strip_suffix(".exe").unwrap_or(base)
}

fn same_file(one: &str, other: &str) -> bool {
    let bare = |text: &str| text.trim_start_matches("./").to_owned();
    bare(one) == bare(other)
}
