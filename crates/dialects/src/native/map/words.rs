//! The words of both sides, one row per word: a new one on either side does not compile until it
//! has its row.

use sayso_core as core;

use super::wire;

macro_rules! twins {
    ($($wire:path, $core:path: $($word:ident)+;)+) => {$(
        impl $wire {
            /// The one word for it.
            pub fn word(self) -> &'static str {
                <$core>::from(self).word()
            }
        }

        impl From<$core> for $wire {
            fn from(word: $core) -> Self {
                use $core as Word;
                match word {
                    $(Word::$word => Self::$word,)+
                }
            }
        }

        impl From<$wire> for $core {
            fn from(word: $wire) -> Self {
                use $wire as Word;
                match word {
                    $(Word::$word => Self::$word,)+
                }
            }
        }
    )+};
}

twins! {
    wire::Matter, core::ask::MatterKind: Questions Approval Form;
    wire::Pick, core::ask::Pick: One Many Text;
    wire::Look, core::ask::Look: List Buttons Dropdown;
    wire::Risk, core::action::Risk: Low Medium High;
    wire::Flag, core::action::Flag: DefaultNo NoAlways NeedsPerson;
    wire::TextFormat, core::form::TextFormat: Email Uri Date DateTime;
    wire::OutcomeKind, core::outcome::OutcomeKind: Answered Dismissed Expired Withdrawn;
    wire::Delivery, core::outcome::Delivery: Owed Sent Confirmed;
    wire::Scope, core::answer::Scope: Once Conversation Always;
    wire::RuleAppliesTo, core::policy::Width: Agent Workspace Conversation;
    wire::MessageState, core::entry::MessageState: Queued Sent Removed;
    wire::Turn, core::entry::Turn: Idle Running Waiting;
    wire::TurnEnd, core::entry::TurnEnd: Done Failed Lost Stopped;
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    fn written(word: impl Serialize) -> String {
        serde_json::to_string(&word).expect("a word is serialisable")
    }

    #[test]
    fn wire_words_are_core_words() {
        for kind in core::ask::MatterKind::ALL {
            assert_eq!(
                written(wire::Matter::from(kind)),
                format!("\"{}\"", kind.word())
            );
        }
        for flag in core::action::Flag::ALL {
            assert_eq!(
                written(wire::Flag::from(flag)),
                format!("\"{}\"", flag.word())
            );
        }
        for risk in core::action::Risk::ALL {
            assert_eq!(
                written(wire::Risk::from(risk)),
                format!("\"{}\"", risk.word())
            );
        }
        for format in core::form::TextFormat::ALL {
            assert_eq!(
                written(wire::TextFormat::from(format)),
                format!("\"{}\"", format.word())
            );
        }
        for kind in core::outcome::OutcomeKind::ALL {
            assert_eq!(
                written(wire::OutcomeKind::from(kind)),
                format!("\"{}\"", kind.word())
            );
        }
        for delivery in core::outcome::Delivery::ALL {
            assert_eq!(
                written(wire::Delivery::from(delivery)),
                format!("\"{}\"", delivery.word())
            );
        }
        for scope in core::answer::Scope::ALL {
            assert_eq!(
                written(wire::Scope::from(scope)),
                format!("\"{}\"", scope.word())
            );
        }
        for code in wire::ProblemCode::ALL {
            assert_eq!(written(code), format!("\"{}\"", code.word()));
        }
    }
}
