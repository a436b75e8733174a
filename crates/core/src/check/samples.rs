//! Drafts that make sense and answers that fit them, thrown with dice. Tests only.

use std::time::Duration;

use super::format;
use crate::action::{Act, Action, Flag, Rated, Risk};
use crate::answer::{Answer, Decision, FieldValue, Reply, Scope, Verdict};
use crate::ask::{Choice, Draft, Look, Matter, Pick, Question};
use crate::digest::Digest;
use crate::form::{Field, FieldChoice, FieldKind, Form, Range, TextFormat};
use crate::text::{Number, Secret};

/// Numbers out of bytes; zero once they run out.
pub(super) struct Dice(std::vec::IntoIter<u8>);

impl Dice {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes.into_iter())
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % limit
    }

    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.yes().then(|| make(self))
    }

    fn text(&mut self) -> String {
        let text = ["Redis", "a, b", "Ja/Nein ~0", "日本語 🙂", "x"];
        self.pick(&text).to_owned()
    }

    fn some_of(&mut self, items: &[String]) -> Vec<String> {
        items.iter().filter(|_| self.yes()).cloned().collect()
    }
}

pub(super) fn number(text: impl std::fmt::Display) -> Number {
    Number::new(&format!("{text}")).expect("a JSON number")
}

pub(super) fn draft(dice: &mut Dice) -> Draft {
    Draft {
        title: dice.maybe(Dice::text),
        matter: matter(dice),
        conversation: None,
        workspace: None,
        wire_id: None,
        key: None,
        timeout: dice.maybe(|dice| Duration::from_secs(1 + dice.below(100) as u64)),
        stops: false,
    }
}

pub(super) fn matter(dice: &mut Dice) -> Matter {
    match dice.below(3) {
        0 => Matter::Questions((0..=dice.below(4)).map(|_| question(dice)).collect()),
        1 => Matter::Approval(action(dice)),
        _ => Matter::Form(form(dice)),
    }
}

pub(super) fn question(dice: &mut Dice) -> Question {
    let pick = dice.pick(&[Pick::One, Pick::Many, Pick::Text]);
    let count = if pick == Pick::Text { 0 } else { dice.below(5) };
    let labels: Vec<String> = (0..count)
        .map(|index| format!("{}{index}", dice.text()))
        .collect();
    let default = match pick {
        Pick::Text => dice.maybe(Dice::text).into_iter().collect(),
        Pick::One => dice.some_of(&labels).into_iter().take(1).collect(),
        Pick::Many => dice.some_of(&labels),
    };
    let choice = |label: &String| Choice {
        label: label.clone(),
        ..Choice::default()
    };
    Question {
        text: dice.text(),
        tag: dice.maybe(Dice::text),
        pick,
        choices: labels.iter().map(choice).collect(),
        look: dice.pick(&[Look::List, Look::Buttons, Look::Dropdown]),
        default,
        free_text: labels.is_empty() || dice.yes(),
        required: dice.yes(),
    }
}

fn action(dice: &mut Dice) -> Action {
    Action {
        tool: dice.text(),
        input: "{}".to_owned(),
        tool_schema: dice.maybe(|dice| Digest::of(dice.text().as_bytes())),
        links: None,
        cwd: dice.maybe(Dice::text),
        reason: dice.maybe(Dice::text),
        act: match dice.below(4) {
            0 => Act::Shell {
                command: dice.text(),
            },
            1 => Act::Edit {
                path: dice.text(),
                old: dice.text(),
                new: dice.text(),
            },
            2 => Act::Write {
                path: dice.text(),
                content: dice.text(),
            },
            _ => Act::Other,
        },
        risk: Rated::hint(dice.pick(&Risk::ALL)),
        flags: Flag::ALL.into_iter().filter(|_| dice.yes()).collect(),
    }
}

fn form(dice: &mut Dice) -> Form {
    let message = dice.text();
    if dice.below(6) == 0 {
        return Form::Page {
            message,
            url: "https://example.org/x".to_owned(),
        };
    }
    let fields = (0..=dice.below(4)).map(|index| Field {
        name: format!("{}{index}", dice.text()),
        title: dice.maybe(Dice::text),
        description: dice.maybe(Dice::text),
        kind: kind(dice),
        required: dice.yes(),
    });
    Form::Fields {
        message,
        fields: fields.collect(),
    }
}

fn range(dice: &mut Dice) -> Range {
    let (low, size) = (dice.below(200), dice.below(50));
    Range {
        min: dice.maybe(|_| number(low)),
        max: dice.maybe(|_| number(low + size)),
        default: dice.maybe(|dice| number(low + dice.below(size + 1))),
    }
}

pub(super) fn kind(dice: &mut Dice) -> FieldKind {
    let values: Vec<String> = (0..=dice.below(4))
        .map(|index| format!("{}{index}", dice.text()))
        .collect();
    let choices: Vec<FieldChoice> = values
        .iter()
        .map(|value| FieldChoice {
            value: value.clone(),
            title: None,
        })
        .collect();
    match dice.below(8) {
        0 => FieldKind::Text {
            format: None,
            min_length: dice.maybe(|dice| 1 + small(dice, 3)),
            max_length: dice.maybe(|dice| 4 + small(dice, 9)),
            default: dice.maybe(|_| "äöü4".to_owned()),
        },
        1 => FieldKind::Text {
            format: Some(dice.pick(&TextFormat::ALL)),
            min_length: None,
            max_length: None,
            default: None,
        },
        2 => FieldKind::Number(range(dice)),
        3 => FieldKind::Integer(range(dice)),
        4 => FieldKind::Boolean {
            default: dice.maybe(Dice::yes),
        },
        5 => FieldKind::OneOf {
            default: dice.maybe(|dice| dice.pick(&values)),
            choices,
        },
        6 => FieldKind::ManyOf {
            min_items: dice.maybe(|_| 1),
            max_items: dice.maybe(|_| u32::try_from(values.len()).expect("few")),
            default: dice.some_of(&values),
            choices,
        },
        _ => FieldKind::Secret,
    }
}

fn small(dice: &mut Dice, limit: usize) -> u32 {
    u32::try_from(dice.below(limit)).expect("small")
}

pub(super) fn answer(matter: &Matter, dice: &mut Dice) -> Answer {
    match matter {
        Matter::Questions(questions) => {
            let answered = questions
                .iter()
                .enumerate()
                .filter(|(index, question)| *index == 0 || question.required || dice.yes());
            Answer::Replies(
                answered
                    .map(|(index, _)| index)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|index| reply(index, &questions[index], dice))
                    .collect(),
            )
        }
        Matter::Approval(_) => Answer::Verdict(Verdict {
            decision: if dice.yes() {
                Decision::Allow {
                    edited_input: dice.maybe(Dice::text),
                }
            } else {
                Decision::Deny { stop: false }
            },
            scope: Scope::Once,
            note: dice.maybe(Dice::text),
        }),
        Matter::Form(form) => {
            let filled: Vec<_> = form
                .fields()
                .iter()
                .filter(|field| field.required || dice.yes())
                .collect();
            Answer::Fields(
                filled
                    .into_iter()
                    .map(|field| (field.name.clone(), value(&field.kind, dice)))
                    .collect(),
            )
        }
    }
}

fn reply(index: usize, question: &Question, dice: &mut Dice) -> Reply {
    let labels: Vec<String> = question
        .choices
        .iter()
        .map(|choice| choice.label.clone())
        .collect();
    let mut reply = Reply {
        question: index,
        note: dice.maybe(Dice::text),
        ..Reply::default()
    };
    let write = labels.is_empty() || question.free_text && dice.yes();
    if write {
        reply.other = Some(dice.text());
    }
    match question.pick {
        Pick::One if !write => reply.labels = vec![dice.pick(&labels)],
        Pick::Many => {
            reply.labels = dice.some_of(&labels);
            if reply.labels.is_empty() && !write {
                reply.labels = labels;
            }
        }
        Pick::One | Pick::Text => {}
    }
    reply
}

fn value(kind: &FieldKind, dice: &mut Dice) -> FieldValue {
    match kind {
        FieldKind::Text {
            format: Some(asked),
            ..
        } => {
            let text = match asked {
                TextFormat::Email => "ann@example.org",
                TextFormat::Uri => "https://example.org/",
                TextFormat::Date => "2024-02-29",
                TextFormat::DateTime => "2026-11-15T08:00:00Z",
            };
            assert!(format::fits(*asked, text));
            FieldValue::Text(text.to_owned())
        }
        FieldKind::Text { format: None, .. } => FieldValue::Text("äöü4".to_owned()),
        FieldKind::Number(range) | FieldKind::Integer(range) => {
            let bound = range.min.as_ref().or(range.max.as_ref());
            FieldValue::Number(bound.cloned().unwrap_or_else(|| number(dice.below(99))))
        }
        FieldKind::Boolean { .. } => FieldValue::Boolean(dice.yes()),
        FieldKind::OneOf { choices, .. } => FieldValue::Text(dice.pick(choices).value),
        FieldKind::ManyOf { choices, .. } => FieldValue::Many(vec![dice.pick(choices).value]),
        FieldKind::Secret => FieldValue::Secret(Some(Secret::new(dice.text()))),
    }
}
