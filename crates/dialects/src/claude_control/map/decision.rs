//! From what a front end decides to an answer or a dismissal.
//!
//! A no is judged by what was asked: a question that is refused is put aside, a tool that is
//! refused is denied. The input that a front end sends along with a yes to a tool is not read.

use sayso_core::answer::{self, Answer, Scope, Verdict};
use sayso_core::ask::Matter;
use sayso_core::check::settle_fields;
use sayso_core::view::AskView;

use super::super::wire::{Action, AnswerValues, Behavior, Decided, Entries, Value};
use super::form::fields_of;
use super::question::replies_from_wire;
use super::{filled, read_inside};

const INPUT: &str = "/response/response/updated_input";
const CONTENT: &str = "/response/response/content";

/// What a front end decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum FrontDecision {
    /// An answer.
    Answer(Answer),
    /// A yes for this once, though more was wanted than is on offer.
    Narrowed(Answer),
    /// No answer.
    Dismiss {
        /// Why.
        note: Option<String>,
        /// Whether the agent's turn is to end with it.
        stop: bool,
    },
}

/// What a decision means for this ask, or why it means nothing.
pub(in super::super) fn decision_of(
    view: &AskView,
    sent: Decided,
    always: bool,
) -> Result<FrontDecision, String> {
    let Some(yes) = is_yes(&sent) else {
        return Err("/response/response/behavior: is missing".to_owned());
    };
    let note = filled(sent.message);
    // Some front ends say it with every no, also to agents that cannot be told.
    let stop = sent.interrupt == Some(true) && view.ask.stops;
    match &view.ask.matter {
        Matter::Questions(_) | Matter::Form(_) if !yes => Ok(FrontDecision::Dismiss { note, stop }),
        Matter::Questions(questions) => {
            let input = sent.updated_input.or(sent.updated_input_camel);
            let said = match &input {
                Some(input) => read_inside::<AnswerValues>(INPUT, input.get())
                    .map_err(|error| error.to_string())?,
                None => return Err(format!("{INPUT}: is missing")),
            };
            let replies = replies_from_wire(questions, said).map_err(|key| {
                format!("{INPUT}/answers/{key}: must be a string or a list of strings")
            })?;
            if replies.is_empty() {
                return Err(format!("{INPUT}/answers: answers none of the questions"));
            }
            Ok(FrontDecision::Answer(Answer::Replies(replies)))
        }
        Matter::Approval(_) if !yes => Ok(FrontDecision::Answer(Answer::Verdict(Verdict {
            decision: answer::Decision::Deny { stop },
            scope: Scope::Once,
            note,
        }))),
        Matter::Approval(_) => Ok(allowed(view, note, always)),
        Matter::Form(form) => {
            let content = match &sent.content {
                Some(content) => read_inside::<Entries<Value>>(CONTENT, content.get())
                    .map_err(|error| error.to_string())?,
                None => Entries(Vec::new()),
            };
            let fields = fields_of(content)
                .map_err(|name| format!("{CONTENT}/{name}: is not a valid field value"))?;
            let answer = settle_fields(form, Answer::Fields(fields));
            Ok(FrontDecision::Answer(answer))
        }
    }
}

fn is_yes(sent: &Decided) -> Option<bool> {
    let by_action = sent.action.map(|action| match action {
        Action::Accept => true,
        Action::Decline | Action::Cancel => false,
    });
    by_action.or_else(|| {
        sent.behavior.map(|behavior| match behavior {
            Behavior::Allow => true,
            Behavior::Deny => false,
        })
    })
}

fn allowed(view: &AskView, note: Option<String>, always: bool) -> FrontDecision {
    // What these front ends call always lasts as long as the conversation.
    let wanted = if always {
        Scope::Conversation
    } else {
        Scope::Once
    };
    let on_offer = view.scopes.contains(&wanted);
    let allowed = Answer::Verdict(Verdict {
        decision: answer::Decision::Allow { edited_input: None },
        scope: if on_offer { wanted } else { Scope::Once },
        note,
    });
    if on_offer || wanted == Scope::Once {
        FrontDecision::Answer(allowed)
    } else {
        FrontDecision::Narrowed(allowed)
    }
}
