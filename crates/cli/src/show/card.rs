//! One ask as a block of lines.

use sayso_core::escape::{escape_block, escape_line, findings};
use sayso_core::time::Time;
use sayso_dialects::native::wire::{
    ActKind, Action, Answer, Ask, Field, Flag, Form, Outcome, OutcomeKind, Pick, Question, Risk,
    Scope, State,
};

use super::field;
use super::outcome::closed;
use crate::output::{Paint, Tone};
use crate::span;
use crate::text::add;

/// How much of an ask is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Enough to answer the usual ones.
    Short,
    /// All of it.
    Whole,
}

/// An ask as lines without a last newline. `id` is the id as it should be typed.
pub(crate) fn card(ask: &Ask, id: &str, detail: Detail, now: Time, paint: Paint) -> String {
    let mut lines = Lines {
        text: String::new(),
        paint,
        detail,
    };
    lines.head(ask, id, now);
    // A title is the agent's word: it never stands before what the agent wants to do.
    if let Some(title) = ask.title.as_ref().filter(|_| ask.action.is_none()) {
        lines.block(2, title);
    }
    if let Some(questions) = &ask.questions {
        for (index, question) in questions.iter().enumerate() {
            lines.question(question, (questions.len() > 1).then_some(index + 1));
        }
    }
    if let Some(action) = &ask.action {
        lines.action(action, ask.title.as_deref());
    }
    if let Some(form) = &ask.form {
        lines.form(form);
    }
    lines.foot(ask);
    lines.text.truncate(lines.text.trim_end_matches('\n').len());
    lines.text
}

struct Lines {
    text: String,
    paint: Paint,
    detail: Detail,
}

impl Lines {
    /// One line that is already escaped.
    fn line(&mut self, indent: usize, line: &str) {
        add(&mut self.text, format_args!("{:indent$}{line}\n", ""));
    }

    /// A text of others, each of its lines behind a bar: it cannot pose as a line of ours.
    fn block(&mut self, indent: usize, text: &str) {
        for line in escape_block(text).lines() {
            self.line(indent, format!("| {line}").trim_end());
        }
    }

    /// A labelled text of others; more than one line goes below the label.
    fn labelled(&mut self, indent: usize, label: &str, text: &str) {
        if text.contains('\n') {
            self.line(indent, &format!("{label}:"));
            self.block(indent + 4, text);
        } else {
            self.line(indent, &format!("{label}: {}", escape_line(text)));
        }
    }

    fn head(&mut self, ask: &Ask, id: &str, now: Time) {
        let mut head = format!(
            "{}  {}",
            self.paint.tone(Tone::Strong, id),
            escape_line(&ask.agent.name)
        );
        if let Some(conversation) = &ask.conversation {
            add(
                &mut head,
                format_args!(" in {}", escape_line(&conversation.name)),
            );
        }
        add(
            &mut head,
            format_args!(", {} ago", span::words(now.since(ask.asked_at.0))),
        );
        if ask.state == State::Open {
            if let Some(deadline) = ask.deadline {
                let left = format!("{} left", span::words(deadline.0.since(now)));
                add(
                    &mut head,
                    format_args!(", {}", self.paint.tone(Tone::Care, &left)),
                );
            }
            if !ask.agent.connected {
                head.push_str(", agent not connected");
            }
        }
        self.line(0, &head);
        if self.detail == Detail::Whole {
            self.line(2, &format!("id: {}", escape_line(&ask.id)));
            self.line(2, &format!("asked: {}", ask.asked_at));
            if let Some(workspace) = &ask.workspace {
                self.labelled(2, "workspace", workspace);
            }
        }
    }

    fn question(&mut self, question: &Question, number: Option<usize>) {
        let mut head = number.map_or_else(|| "? ".to_owned(), |number| format!("{number}. "));
        let first = escape_block(&question.text);
        let mut rest = first.lines();
        head.push_str(rest.next().unwrap_or_default());
        if let Some(tag) = &question.tag {
            add(&mut head, format_args!(" [{}]", escape_line(tag)));
        }
        match question.pick {
            Pick::One | Pick::Text => {}
            Pick::Many => head.push_str(" (pick any)"),
        }
        if question.required {
            head.push_str(" (required)");
        }
        self.line(2, &head);
        for line in rest {
            self.line(5, format!("| {line}").trim_end());
        }
        for choice in &question.choices {
            let mut line = format!("- {}", escape_line(&choice.label));
            if let Some(description) = &choice.description {
                add(&mut line, format_args!(": {}", escape_line(description)));
            }
            if choice.recommended {
                line.push_str(" (recommended)");
            }
            if question.default.contains(&choice.label) {
                line.push_str(" (default)");
            }
            self.line(5, &line);
            if self.detail == Detail::Whole
                && let Some(preview) = &choice.preview
            {
                self.block(9, preview);
            }
        }
        if question.pick != Pick::Text && !question.free_text {
            self.line(5, "no free text");
        }
    }

    /// The act itself first; what the agent says about it is marked as such.
    fn action(&mut self, action: &Action, title: Option<&str>) {
        let head = format!("wants to use {}", escape_line(&action.tool));
        self.line(2, &head);
        self.risk(action);
        // The command is the asker's own word for its input, so the input is always there too.
        if let (ActKind::Shell, Some(command)) = (action.act.kind, &action.act.command) {
            self.labelled(2, "command", command);
            self.second_look(command);
        }
        self.labelled(2, "input", &action.input);
        self.second_look(&action.input);
        if let Some(schema) = &action.tool_schema {
            self.labelled(2, "schema", schema);
        }
        if let Some(path) = &action.act.path {
            self.labelled(2, "file", path);
        }
        if let Some(cwd) = &action.cwd {
            self.labelled(2, "in", cwd);
        }
        if let Some(title) = title {
            self.labelled(2, "title from the agent", title);
        }
        if let Some(reason) = &action.reason {
            self.labelled(2, "reason from the agent", reason);
        }
        if self.detail == Detail::Whole && !action.flags.is_empty() {
            let words: Vec<&str> = action.flags.iter().copied().map(Flag::word).collect();
            self.line(2, &format!("flags: {}", words.join(", ")));
        }
    }

    /// How dangerous it is, with the most serious reason; all of them where everything is shown.
    fn risk(&mut self, action: &Action) {
        let level = match action.risk {
            Risk::Low => "Low risk",
            Risk::Medium => "Medium risk",
            Risk::High => "High risk",
        };
        let reasons: Vec<_> = action
            .reasons
            .iter()
            .map(|reason| escape_line(reason))
            .collect();
        let sentence = match reasons.first() {
            Some(reason) => format!("{level}: {reason}"),
            None => level.to_owned(),
        };
        match action.risk {
            Risk::Low | Risk::Medium => self.line(2, &sentence),
            Risk::High => self.line(2, &self.paint.tone(Tone::Bad, &sentence)),
        }
        if self.detail == Detail::Whole {
            for reason in reasons.iter().skip(1) {
                self.line(4, &format!("also {reason}"));
            }
        }
    }

    /// What in a text deserves a second look.
    fn second_look(&mut self, text: &str) {
        for finding in findings(text) {
            let sentence = format!("warning: {}", finding.sentence());
            self.line(2, &self.paint.tone(Tone::Bad, &sentence));
        }
    }

    fn form(&mut self, form: &Form) {
        self.block(2, &form.message);
        if let Some(url) = &form.url {
            self.labelled(2, "visit", url);
        }
        for field in form.fields.as_deref().unwrap_or_default() {
            self.field(field);
        }
    }

    fn field(&mut self, field: &Field) {
        self.line(5, &field::line(field));
        if let Some(description) = &field.description {
            self.block(9, description);
        }
        for choice in field.options.as_deref().unwrap_or_default() {
            let title = choice
                .title
                .as_deref()
                .map(|title| format!(": {}", escape_line(title)))
                .unwrap_or_default();
            self.line(9, &format!("- {}{title}", escape_line(&choice.value)));
        }
    }

    fn foot(&mut self, ask: &Ask) {
        if let Some(outcome) = &ask.outcome {
            let words = format!("outcome: {}", closed(ask, outcome));
            self.line(2, &self.paint.tone(tone(outcome), &words));
            if self.detail == Detail::Whole {
                self.line(2, &format!("at: {}", outcome.at));
            }
        } else if ask.state == State::Closed {
            self.line(2, "outcome: erased");
        }
        if let Some(late) = &ask.late {
            self.line(
                2,
                &format!("late: an answer by {} was saved", super::by(&late.by)),
            );
        }
        if let Some(prefill) = &ask.prefill {
            let (by, at) = (super::by(&prefill.by), prefill.at);
            let said = super::outcome::said(ask, &prefill.answer);
            self.line(
                2,
                &format!("late answer to the same question: {said} ({by}, {at})"),
            );
        }
        if ask.scopes.len() > 1 && ask.state == State::Open && self.detail == Detail::Whole {
            let scopes: Vec<&str> = ask.scopes.iter().copied().map(Scope::word).collect();
            self.line(2, &format!("allow for: {} (--scope)", scopes.join(", ")));
        }
        if ask.stop && ask.state == State::Open && self.detail == Detail::Whole {
            self.line(
                2,
                "stop: denying or dismissing can also end the agent's turn (--stop)",
            );
        }
        if self.detail == Detail::Whole {
            self.line(2, &format!("digest: {}", escape_line(&ask.digest)));
        }
    }
}

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;

/// Green is for what the agent was given.
fn tone(outcome: &Outcome) -> Tone {
    match (outcome.kind, &outcome.answer) {
        (OutcomeKind::Answered, Some(Answer::Verdict(verdict))) if !verdict.allow => Tone::Bad,
        (OutcomeKind::Answered, _) => Tone::Good,
        (OutcomeKind::Dismissed | OutcomeKind::Expired | OutcomeKind::Withdrawn, _) => Tone::Care,
    }
}
