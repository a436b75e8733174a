//! An ask on a browser's screen: one request at a time, and one answer at the end.
//!
//! A browser of this language draws one thing to answer. Several questions are shown one after the
//! other, each as a request with its own id, and answered together; until then nothing is said to
//! the asker.

use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Matter, Question};
use sayso_core::check::check_answer;
use sayso_core::view::AskView;

use super::super::map::{self, SKIP};
use super::super::wire::Value;
use crate::person_face::PersonMove;
use crate::texts;

/// The button below what cannot be filled in here, for browsers that have none of their own.
pub(super) const SKIP_LABEL: &str = "Skip";

/// An ask as this connection shows it.
#[derive(Debug)]
pub(super) struct ShownAsk {
    pub(super) view: AskView,
    base: String,
    /// Requests shown before the present one.
    count: usize,
    /// The question on the screen.
    at: usize,
    replies: Vec<Reply>,
    /// Whether the answer is on its way.
    sent: bool,
    /// Whether that is a yes which reaches less far than it was meant to.
    pub(super) narrowed: bool,
}

/// What an answer of a person leads to.
#[derive(Debug)]
pub(super) enum AnswerStep {
    /// The next question is to be shown.
    Next,
    /// Everything is said.
    Done(PersonMove),
    /// It will not do, and this is why.
    Wrong(String),
    /// It was said before; that one is on its way.
    Twice,
}

impl ShownAsk {
    /// Shows an ask; `taken` tells which names are in use for another one.
    pub(super) fn new(view: AskView, taken: impl Fn(&str) -> bool) -> Self {
        let mut base = map::request_base(&view);
        if taken(&base) {
            base = view.ask.id.to_string();
        }
        Self {
            view,
            base,
            count: 0,
            at: 0,
            replies: Vec::new(),
            sent: false,
            narrowed: false,
        }
    }

    /// What the request on the screen is called.
    pub(super) fn request_id(&self) -> String {
        map::request_id(&self.base, self.count)
    }

    /// The question on the screen; none where the ask has no questions.
    pub(super) fn question(&self) -> Option<&Question> {
        match &self.view.ask.matter {
            Matter::Questions(questions) => questions.get(self.at),
            Matter::Approval(_) | Matter::Form(_) => None,
        }
    }

    /// Begins again, because the answer was not taken.
    pub(super) fn again(&mut self) {
        self.count += 1;
        self.at = 0;
        self.replies.clear();
        self.sent = false;
        self.narrowed = false;
    }

    /// Takes what was chosen or written.
    pub(super) fn take(&mut self, value: &Value) -> AnswerStep {
        if self.sent {
            return AnswerStep::Twice;
        }
        let is_text = |word: &str| matches!(value, Value::Text(text) if text == word);
        let skipped = is_text(SKIP);
        let questions = match &self.view.ask.matter {
            Matter::Questions(questions) => questions,
            Matter::Form(_) if skipped || is_text(SKIP_LABEL) => return self.dismiss(),
            Matter::Form(_) => {
                return AnswerStep::Wrong(
                    "This is a form: answer it on the sayso page.".to_owned(),
                );
            }
            Matter::Approval(_) => {
                return AnswerStep::Wrong(
                    "This is an approval: send approval_response.".to_owned(),
                );
            }
        };
        let Some(question) = questions.get(self.at) else {
            return AnswerStep::Twice;
        };
        let is_choice = question.choices.iter().any(|choice| choice.label == SKIP);
        if skipped && !is_choice {
            // Without a question that must be answered there is no answer at all.
            if question.required {
                return self.dismiss();
            }
        } else {
            match reply(self.at, question, value) {
                Ok(reply) => self.replies.push(reply),
                Err(why) => return AnswerStep::Wrong(why),
            }
        }
        if self.at + 1 < questions.len() {
            self.at += 1;
            self.count += 1;
            return AnswerStep::Next;
        }
        if self.replies.is_empty() {
            return self.dismiss();
        }
        self.sent = true;
        AnswerStep::Done(PersonMove::unbound(
            self.view.ask.id,
            Answer::Replies(std::mem::take(&mut self.replies)),
        ))
    }

    /// Takes a yes or no. For always it is only where that is on offer.
    pub(super) fn judge(&mut self, approved: bool, always: bool) -> AnswerStep {
        if self.sent {
            return AnswerStep::Twice;
        }
        match &self.view.ask.matter {
            Matter::Approval(_) => {}
            Matter::Questions(_) | Matter::Form(_) => {
                return AnswerStep::Wrong("This is a question: send ask_response.".to_owned());
            }
        }
        let far = approved && always && self.view.scopes.contains(&Scope::Always);
        self.sent = true;
        let answer = PersonMove::unbound(
            self.view.ask.id,
            Answer::Verdict(Verdict {
                decision: if approved {
                    Decision::Allow { edited_input: None }
                } else {
                    Decision::Deny { stop: false }
                },
                scope: if far { Scope::Always } else { Scope::Once },
                note: None,
            }),
        );
        self.narrowed = approved && always && !far;
        AnswerStep::Done(answer)
    }

    fn dismiss(&mut self) -> AnswerStep {
        self.sent = true;
        AnswerStep::Done(PersonMove::Dismiss {
            ask: self.view.ask.id,
            seen: None,
            note: None,
            stop: false,
        })
    }
}

/// The reply that a value is to a question, checked now: the answer goes in only with the last one.
fn reply(at: usize, question: &Question, value: &Value) -> Result<Reply, String> {
    let reply = match value {
        Value::Text(text) => texts::reply_of_text(0, question, text),
        Value::Choice(choice) => texts::reply_of_text(0, question, &choice.label),
        Value::List(values) => texts::reply_of_list(0, question, values.iter().map(String::as_str)),
    };
    let Some(reply) = reply else {
        return Err("The answer is empty.".to_owned());
    };
    let matter = Matter::Questions(vec![question.clone()]);
    let answer = Answer::Replies(vec![reply.clone()]);
    check_answer(&matter, &[], &answer).map_err(|violations| {
        let said = violations.list().iter().map(|it| it.message.as_str());
        said.collect::<Vec<_>>().join("; ")
    })?;
    Ok(Reply {
        question: at,
        ..reply
    })
}
