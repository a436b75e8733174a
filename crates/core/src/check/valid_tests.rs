//! What fits passes, and each thing that breaks it alone is refused.

use std::time::Duration;

use proptest::prelude::*;

use super::samples::{self, Dice};
use super::{check_answer, check_draft, check_matter, settle_fields};
use crate::action::Flag;
use crate::answer::{Answer, Decision, FieldValue, Scope};
use crate::ask::{Choice, Draft, Matter, Pick};
use crate::form::{FieldKind, Form};
use crate::limits;
use crate::text::Number;

fn dice() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..160)
}

/// Breaks a good answer; false when this one has nothing to break in that way.
type Spoil = fn(&Matter, &mut Answer) -> bool;

const SPOILS: &[(&str, Spoil)] = &[
    ("answers the wrong matter", |matter, answer| {
        *answer = match matter {
            Matter::Questions(_) => Answer::Fields(Vec::new()),
            Matter::Approval(_) | Matter::Form(_) => Answer::Replies(Vec::new()),
        };
        true
    }),
    ("answers no question", |_, answer| match answer {
        Answer::Replies(replies) => {
            replies.clear();
            true
        }
        Answer::Verdict(_) | Answer::Fields(_) => false,
    }),
    ("answers an unknown question", |matter, answer| {
        match (matter, answer) {
            (Matter::Questions(questions), Answer::Replies(replies)) => {
                replies[0].question = questions.len();
                true
            }
            _ => false,
        }
    }),
    ("answers one question twice", |_, answer| match answer {
        Answer::Replies(replies) => {
            replies.push(replies[0].clone());
            true
        }
        Answer::Verdict(_) | Answer::Fields(_) => false,
    }),
    ("leaves out a required question", |matter, answer| {
        match (matter, answer) {
            (Matter::Questions(questions), Answer::Replies(replies)) => {
                let before = replies.len();
                replies.retain(|reply| !questions[reply.question].required);
                replies.len() < before
            }
            _ => false,
        }
    }),
    ("picks an unknown label", |_, answer| match answer {
        Answer::Replies(replies) => {
            replies[0].labels = vec!["nobody offered this".to_owned()];
            replies[0].other = None;
            true
        }
        Answer::Verdict(_) | Answer::Fields(_) => false,
    }),
    ("picks a label twice", |_, answer| match answer {
        Answer::Replies(replies) => replies
            .iter_mut()
            .find(|reply| !reply.labels.is_empty())
            .is_some_and(|reply| {
                reply.labels.push(reply.labels[0].clone());
                true
            }),
        Answer::Verdict(_) | Answer::Fields(_) => false,
    }),
    (
        "picks and writes where one is asked for",
        |matter, answer| match (matter, answer) {
            (Matter::Questions(questions), Answer::Replies(replies)) => replies
                .iter_mut()
                .find(|reply| {
                    questions[reply.question].pick == Pick::One && !reply.labels.is_empty()
                })
                .is_some_and(|reply| {
                    reply.other = Some("also".to_owned());
                    true
                }),
            _ => false,
        },
    ),
    ("writes where it is not allowed", |matter, answer| {
        match (matter, answer) {
            (Matter::Questions(questions), Answer::Replies(replies)) => replies
                .iter_mut()
                .find(|reply| {
                    !questions[reply.question].free_text
                        && questions[reply.question].pick != Pick::Text
                })
                .is_some_and(|reply| {
                    reply.other = Some("mine".to_owned());
                    true
                }),
            _ => false,
        }
    }),
    ("says nothing", |_, answer| match answer {
        Answer::Replies(replies) => {
            replies[0].labels.clear();
            replies[0].other = Some("  ".to_owned());
            true
        }
        Answer::Verdict(_) | Answer::Fields(_) => false,
    }),
    ("has too long a note", |_, answer| {
        let note = Some("x".repeat(limits::NOTE_BYTES_MAX + 1));
        match answer {
            Answer::Replies(replies) => replies[0].note = note,
            Answer::Verdict(verdict) => verdict.note = note,
            Answer::Fields(_) => return false,
        }
        true
    }),
    ("reaches too far", |_, answer| match answer {
        Answer::Verdict(verdict) => {
            verdict.scope = Scope::Always;
            true
        }
        Answer::Replies(_) | Answer::Fields(_) => false,
    }),
    ("edits too much", |_, answer| match answer {
        Answer::Verdict(verdict) => {
            verdict.decision = Decision::Allow {
                edited_input: Some("x".repeat(limits::TEXT_BYTES_MAX + 1)),
            };
            true
        }
        Answer::Replies(_) | Answer::Fields(_) => false,
    }),
    ("fills in an unknown field", |_, answer| match answer {
        Answer::Fields(fields) => {
            fields.push(("no such field".to_owned(), FieldValue::Boolean(true)));
            true
        }
        Answer::Replies(_) | Answer::Verdict(_) => false,
    }),
    ("fills in a field twice", |_, answer| match answer {
        Answer::Fields(fields) => fields.first().cloned().is_some_and(|field| {
            fields.push(field);
            true
        }),
        Answer::Replies(_) | Answer::Verdict(_) => false,
    }),
    ("leaves out a required field", |matter, answer| {
        match (matter, answer) {
            (Matter::Form(form), Answer::Fields(fields)) => {
                let before = fields.len();
                fields.retain(|(name, _)| {
                    !form
                        .fields()
                        .iter()
                        .any(|field| field.name == *name && field.required)
                });
                fields.len() < before
            }
            _ => false,
        }
    }),
    (
        "gives a value of the wrong type",
        |_, answer| match answer {
            Answer::Fields(fields) => fields.first_mut().is_some_and(|(_, value)| {
                *value = match value {
                    FieldValue::Boolean(_) => FieldValue::Many(Vec::new()),
                    FieldValue::Text(_)
                    | FieldValue::Number(_)
                    | FieldValue::Many(_)
                    | FieldValue::Secret(_) => FieldValue::Boolean(true),
                };
                true
            }),
            Answer::Replies(_) | Answer::Verdict(_) => false,
        },
    ),
    ("gives a number out of its range", |matter, answer| {
        match (matter, answer) {
            (Matter::Form(form), Answer::Fields(fields)) => {
                fields.iter_mut().any(|(name, value)| {
                    form.fields().iter().any(|field| {
                        let (FieldKind::Number(range) | FieldKind::Integer(range)) = &field.kind
                        else {
                            return false;
                        };
                        let beyond = if range.min.is_some() {
                            "-1"
                        } else if range.max.is_some() {
                            "99999999999999999999"
                        } else {
                            return false;
                        };
                        if field.name == *name {
                            *value = FieldValue::Number(Number::new(beyond).expect("a number"));
                        }
                        field.name == *name
                    })
                })
            }
            _ => false,
        }
    }),
    (
        "gives a fraction for a whole number",
        |matter, answer| match (matter, answer) {
            (Matter::Form(form), Answer::Fields(fields)) => {
                fields.iter_mut().any(|(name, value)| {
                    let whole = form.fields().iter().any(|field| {
                        field.name == *name && matches!(field.kind, FieldKind::Integer(_))
                    });
                    if whole {
                        *value = FieldValue::Number(samples::number("1.5"));
                    }
                    whole
                })
            }
            _ => false,
        },
    ),
    ("chooses what is not on offer", |matter, answer| {
        match (matter, answer) {
            (Matter::Form(form), Answer::Fields(fields)) => {
                fields.iter_mut().any(|(name, value)| {
                    form.fields()
                        .iter()
                        .filter(|field| field.name == *name)
                        .any(|field| match field.kind {
                            FieldKind::OneOf { .. } => {
                                *value = FieldValue::Text("nobody offered this".to_owned());
                                true
                            }
                            FieldKind::ManyOf { .. } => {
                                *value = FieldValue::Many(vec!["nobody offered this".to_owned()]);
                                true
                            }
                            FieldKind::Text { .. }
                            | FieldKind::Number(_)
                            | FieldKind::Integer(_)
                            | FieldKind::Boolean { .. }
                            | FieldKind::Secret => false,
                        })
                })
            }
            _ => false,
        }
    }),
];

/// Breaks a good draft; false when this one has nothing to break in that way.
type SpoilDraft = fn(&mut Draft) -> bool;

fn first_question(draft: &mut Draft, spoil: impl FnOnce(&mut crate::ask::Question)) -> bool {
    match &mut draft.matter {
        Matter::Questions(questions) => {
            spoil(&mut questions[0]);
            true
        }
        Matter::Approval(_) | Matter::Form(_) => false,
    }
}

fn approval(draft: &mut Draft, spoil: impl FnOnce(&mut crate::action::Action)) -> bool {
    match &mut draft.matter {
        Matter::Approval(action) => {
            spoil(action);
            true
        }
        Matter::Questions(_) | Matter::Form(_) => false,
    }
}

fn first_field(draft: &mut Draft, spoil: impl FnOnce(&mut crate::form::Field)) -> bool {
    match &mut draft.matter {
        Matter::Form(Form::Fields { fields, .. }) => {
            spoil(&mut fields[0]);
            true
        }
        Matter::Questions(_) | Matter::Approval(_) | Matter::Form(Form::Page { .. }) => false,
    }
}

const DRAFT_SPOILS: &[(&str, SpoilDraft)] = &[
    ("a title that is too long", |draft| {
        draft.title = Some("x".repeat(limits::TITLE_BYTES_MAX + 1));
        true
    }),
    ("no time at all", |draft| {
        draft.timeout = Some(Duration::from_millis(999));
        true
    }),
    ("too much time", |draft| {
        draft.timeout = Some(Duration::from_secs(limits::TIMEOUT_S_MAX + 1));
        true
    }),
    ("no questions", |draft| match &mut draft.matter {
        Matter::Questions(questions) => {
            questions.clear();
            true
        }
        Matter::Approval(_) | Matter::Form(_) => false,
    }),
    ("too many questions", |draft| match &mut draft.matter {
        Matter::Questions(questions) => {
            let one = questions[0].clone();
            questions.resize(limits::QUESTIONS_MAX + 1, one);
            true
        }
        Matter::Approval(_) | Matter::Form(_) => false,
    }),
    ("a question without words", |draft| {
        first_question(draft, |question| question.text = " \n".to_owned())
    }),
    ("a tag that is too long", |draft| {
        first_question(draft, |question| {
            question.tag = Some("x".repeat(limits::TAG_BYTES_MAX + 1));
        })
    }),
    ("a label twice", |draft| {
        first_question(draft, |question| {
            question.pick = Pick::Many;
            let choice = Choice {
                label: "same".to_owned(),
                ..Choice::default()
            };
            question.choices.extend([choice.clone(), choice]);
        })
    }),
    ("a label without words", |draft| {
        first_question(draft, |question| {
            question.pick = Pick::Many;
            question.choices.push(Choice::default());
        })
    }),
    ("nothing to choose and nothing to write", |draft| {
        first_question(draft, |question| {
            question.pick = Pick::One;
            question.choices.clear();
            question.default.clear();
            question.free_text = false;
        })
    }),
    ("a text with choices", |draft| {
        first_question(draft, |question| {
            question.pick = Pick::Text;
            question.default.clear();
            question.choices = vec![Choice {
                label: "a".to_owned(),
                ..Choice::default()
            }];
        })
    }),
    ("a default that is no label", |draft| {
        first_question(draft, |question| {
            question.pick = Pick::Many;
            question.free_text = true;
            question.choices = vec![Choice {
                label: "a".to_owned(),
                ..Choice::default()
            }];
            question.default = vec!["b".to_owned()];
        })
    }),
    ("an action without a tool", |draft| {
        approval(draft, |action| action.tool.clear())
    }),
    ("an action with too much input", |draft| {
        approval(draft, |action| {
            action.input = "x".repeat(limits::TEXT_BYTES_MAX + 1);
        })
    }),
    ("flags out of order", |draft| {
        approval(draft, |action| {
            action.flags = vec![Flag::NeedsPerson, Flag::DefaultNo];
        })
    }),
    ("a flag twice", |draft| {
        approval(draft, |action| {
            action.flags = vec![Flag::NoAlways, Flag::NoAlways];
        })
    }),
    ("no fields", |draft| match &mut draft.matter {
        Matter::Form(Form::Fields { fields, .. }) => {
            fields.clear();
            true
        }
        Matter::Questions(_) | Matter::Approval(_) | Matter::Form(Form::Page { .. }) => false,
    }),
    ("a field twice", |draft| match &mut draft.matter {
        Matter::Form(Form::Fields { fields, .. }) => {
            fields.push(fields[0].clone());
            true
        }
        Matter::Questions(_) | Matter::Approval(_) | Matter::Form(Form::Page { .. }) => false,
    }),
    ("a field without a name", |draft| {
        first_field(draft, |field| field.name.clear())
    }),
    ("a page that is not secure", |draft| {
        match &mut draft.matter {
            Matter::Form(form) => {
                *form = Form::Page {
                    message: "x".to_owned(),
                    url: "http://example.org/".to_owned(),
                };
                true
            }
            Matter::Questions(_) | Matter::Approval(_) => false,
        }
    }),
];

proptest! {
    #[test]
    fn a_good_draft_and_its_good_answer_pass(bytes in dice(), more in dice()) {
        let draft = samples::draft(&mut Dice::new(bytes));
        prop_assert_eq!(check_draft(&draft), Ok(()));
        prop_assert_eq!(check_matter(&draft.matter), Ok(()));
        let answer = samples::answer(&draft.matter, &mut Dice::new(more));
        prop_assert_eq!(check_answer(&draft.matter, &[Scope::Once], &answer), Ok(()));
        if let Matter::Form(form) = &draft.matter {
            prop_assert_eq!(settle_fields(form, answer.clone()), answer);
        }
    }

    #[test]
    fn each_spoiled_answer_is_refused(bytes in dice(), more in dice()) {
        let matter = samples::matter(&mut Dice::new(bytes));
        let good = samples::answer(&matter, &mut Dice::new(more));
        for (what, spoil) in SPOILS {
            let mut answer = good.clone();
            if spoil(&matter, &mut answer) {
                prop_assert!(check_answer(&matter, &[Scope::Once], &answer).is_err(), "{}: {:?}", what, answer);
            }
        }
    }

    #[test]
    fn each_spoiled_draft_is_refused(bytes in dice()) {
        let good = samples::draft(&mut Dice::new(bytes));
        for (what, spoil) in DRAFT_SPOILS {
            let mut draft = good.clone();
            if spoil(&mut draft) {
                prop_assert!(check_draft(&draft).is_err(), "{}: {:?}", what, draft);
            }
        }
    }
}

#[test]
fn every_spoil_finds_something_to_break() {
    let mut unused: Vec<&str> = SPOILS.iter().map(|(what, _)| *what).collect();
    let mut unused_drafts: Vec<&str> = DRAFT_SPOILS.iter().map(|(what, _)| *what).collect();
    for seed in 0_u32..4000 {
        let bytes: Vec<u8> = (0_u32..160)
            .map(|at| {
                (seed.wrapping_mul(2_654_435_761).wrapping_add(at * 40_503) >> 7).to_le_bytes()[1]
            })
            .collect();
        let draft = samples::draft(&mut Dice::new(bytes.clone()));
        let answer = samples::answer(&draft.matter, &mut Dice::new(bytes));
        unused.retain(|what| {
            !SPOILS
                .iter()
                .any(|(name, spoil)| name == what && spoil(&draft.matter, &mut answer.clone()))
        });
        unused_drafts.retain(|what| {
            !DRAFT_SPOILS
                .iter()
                .any(|(name, spoil)| name == what && spoil(&mut draft.clone()))
        });
    }
    assert_eq!(
        (unused, unused_drafts),
        (Vec::<&str>::new(), Vec::<&str>::new())
    );
}
