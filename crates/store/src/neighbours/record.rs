//! Words and offers as they are sent: JSON that nodes of two versions understand.

use sayso_core::control::ControlKind;
use sayso_core::id::{ConversationId, ConversationName, DialectName, PersonName, Seq, TokenId};
use serde::{Deserialize, Serialize};

use super::word::{CallDecided, NodeWord, OfferedIn, Offers};
use crate::neighbours::NodeId;

/// Words as they are sent. Nodes of two versions run together: a word that is not known is ignored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WordRecord {
    Here,
    Saying {
        at: u32,
        from: u64,
        text: String,
    },
    SayAgain {
        at: u32,
    },
    Heard {
        at: u32,
        after: u64,
    },
    Interrupt {
        number: u64,
        at: u32,
        by: String,
    },
    SetMode {
        number: u64,
        at: u32,
        by: String,
        mode: String,
    },
    Controlled {
        node: u32,
        number: u64,
        refused: Option<String>,
    },
    SeatTaken {
        key: String,
    },
    ShelfChanged {
        shelf: String,
    },
    Decided {
        dialect: String,
        token: u32,
        conversation: String,
        about: Option<String>,
    },
}

#[derive(Serialize, Deserialize)]
struct OffersRecord {
    turns: Option<Vec<String>>,
    turns_anywhere: bool,
    controls: Option<Vec<String>>,
    controls_anywhere: bool,
}

impl NodeWord {
    /// The word as bytes.
    pub fn write(&self) -> Vec<u8> {
        let record = match self.clone() {
            Self::Here => WordRecord::Here,
            Self::Saying {
                conversation,
                from,
                text,
            } => WordRecord::Saying {
                at: conversation.0,
                from: from as u64,
                text,
            },
            Self::SayAgain { conversation } => WordRecord::SayAgain { at: conversation.0 },
            Self::Heard {
                conversation,
                after,
            } => WordRecord::Heard {
                at: conversation.0,
                after: after.0,
            },
            Self::Control {
                number,
                conversation,
                what,
                by,
            } => {
                let (at, by) = (conversation.0, by.as_str().to_owned());
                match what {
                    ControlKind::Interrupt => WordRecord::Interrupt { number, at, by },
                    ControlKind::SetMode(mode) => WordRecord::SetMode {
                        number,
                        at,
                        by,
                        mode,
                    },
                }
            }
            Self::Controlled {
                node,
                number,
                refused,
            } => WordRecord::Controlled {
                node: node.0,
                number,
                refused,
            },
            Self::SeatTaken { key } => WordRecord::SeatTaken { key },
            Self::ShelfChanged { shelf } => WordRecord::ShelfChanged { shelf },
            Self::Decided(decided) => WordRecord::Decided {
                dialect: decided.dialect.as_str().to_owned(),
                token: decided.token.0,
                conversation: decided.conversation.as_str().to_owned(),
                about: decided.about.map(|about| about.text()),
            },
        };
        // Text and numbers always can be written.
        serde_json::to_vec(&record).unwrap_or_default()
    }

    /// The word that these bytes are, if this version knows it.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let control = |number, at, by: String, what| {
            let by = PersonName::stored(by).ok()?;
            let conversation = ConversationId(at);
            Some(Self::Control {
                number,
                conversation,
                what,
                by,
            })
        };
        Some(match serde_json::from_slice(bytes).ok()? {
            WordRecord::Here => Self::Here,
            WordRecord::Saying { at, from, text } => Self::Saying {
                conversation: ConversationId(at),
                from: usize::try_from(from).ok()?,
                text,
            },
            WordRecord::SayAgain { at } => Self::SayAgain {
                conversation: ConversationId(at),
            },
            WordRecord::Heard { at, after } => Self::Heard {
                conversation: ConversationId(at),
                after: Seq(after),
            },
            WordRecord::Interrupt { number, at, by } => {
                control(number, at, by, ControlKind::Interrupt)?
            }
            WordRecord::SetMode {
                number,
                at,
                by,
                mode,
            } => control(number, at, by, ControlKind::SetMode(mode))?,
            WordRecord::Controlled {
                node,
                number,
                refused,
            } => Self::Controlled {
                node: NodeId(node),
                number,
                refused,
            },
            WordRecord::SeatTaken { key } => Self::SeatTaken { key },
            WordRecord::ShelfChanged { shelf } => Self::ShelfChanged { shelf },
            WordRecord::Decided {
                dialect,
                token,
                conversation,
                about,
            } => Self::Decided(CallDecided {
                dialect: DialectName::stored(dialect).ok()?,
                token: TokenId(token),
                conversation: ConversationName::stored(conversation).ok()?,
                about: about.map(|about| about.parse()).transpose().ok()?,
            }),
        })
    }
}

impl Offers {
    /// The offers as bytes.
    pub fn write(&self) -> Vec<u8> {
        let names = |offered: &OfferedIn| match offered {
            OfferedIn::Nowhere | OfferedIn::Anywhere => None,
            OfferedIn::These(names) => {
                Some(names.iter().map(|name| name.as_str().to_owned()).collect())
            }
        };
        let record = OffersRecord {
            turns: names(&self.turns),
            turns_anywhere: self.turns == OfferedIn::Anywhere,
            controls: names(&self.controls),
            controls_anywhere: self.controls == OfferedIn::Anywhere,
        };
        serde_json::to_vec(&record).unwrap_or_default()
    }

    /// The offers that these bytes are; none where they cannot be read.
    pub fn read(bytes: &[u8]) -> Self {
        let offered = |anywhere, names: Option<Vec<String>>| match names {
            _ if anywhere => OfferedIn::Anywhere,
            None => OfferedIn::Nowhere,
            Some(names) => OfferedIn::These(
                names
                    .into_iter()
                    .filter_map(|name| ConversationName::stored(name).ok())
                    .collect(),
            ),
        };
        serde_json::from_slice(bytes).map_or_else(
            |_| Self::default(),
            |record: OffersRecord| Self {
                turns: offered(record.turns_anywhere, record.turns),
                controls: offered(record.controls_anywhere, record.controls),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_sent_so() {
        let conversation = ConversationId(3);
        let by = PersonName::new("ann").unwrap();
        let mode = ControlKind::SetMode("plan".to_owned());
        let control = |what| NodeWord::Control {
            number: 7,
            conversation,
            what,
            by: by.clone(),
        };
        let controlled = |refused| NodeWord::Controlled {
            node: NodeId(2),
            number: 7,
            refused,
        };
        let words = [
            (NodeWord::Here, r#""here""#),
            (
                NodeWord::Saying {
                    conversation,
                    from: 12,
                    text: "so\u{1F600}".to_owned(),
                },
                "{\"saying\":{\"at\":3,\"from\":12,\"text\":\"so\u{1F600}\"}}",
            ),
            (
                NodeWord::SayAgain { conversation },
                r#"{"say_again":{"at":3}}"#,
            ),
            (
                NodeWord::Heard {
                    conversation,
                    after: Seq(9),
                },
                r#"{"heard":{"at":3,"after":9}}"#,
            ),
            (
                control(ControlKind::Interrupt),
                r#"{"interrupt":{"number":7,"at":3,"by":"ann"}}"#,
            ),
            (
                control(mode),
                r#"{"set_mode":{"number":7,"at":3,"by":"ann","mode":"plan"}}"#,
            ),
            (
                controlled(Some("busy".to_owned())),
                r#"{"controlled":{"node":2,"number":7,"refused":"busy"}}"#,
            ),
            (
                controlled(None),
                r#"{"controlled":{"node":2,"number":7,"refused":null}}"#,
            ),
            (
                NodeWord::SeatTaken {
                    key: "tk_1 main".to_owned(),
                },
                r#"{"seat_taken":{"key":"tk_1 main"}}"#,
            ),
            (
                NodeWord::ShelfChanged {
                    shelf: "push".to_owned(),
                },
                r#"{"shelf_changed":{"shelf":"push"}}"#,
            ),
            (
                NodeWord::Decided(CallDecided {
                    dialect: DialectName::new("claude-control").unwrap(),
                    token: TokenId(4),
                    conversation: ConversationName::new("main").unwrap(),
                    about: None,
                }),
                r#"{"decided":{"dialect":"claude-control","token":4,"conversation":"main","about":null}}"#,
            ),
        ];
        for (word, sent) in words {
            assert_eq!(String::from_utf8(word.write()).unwrap(), sent);
            assert_eq!(NodeWord::read(sent.as_bytes()), Some(word));
        }
        let nobody = br#"{"interrupt":{"number":7,"at":3,"by":""}}"#;
        assert_eq!(NodeWord::read(nobody), None);
        assert_eq!(NodeWord::read(br#"{"dance":{"at":1}}"#), None);
    }

    #[test]
    fn offers_are_sent_so() {
        let main = ConversationName::new("main").unwrap();
        let offers = Offers {
            turns: OfferedIn::These(vec![main.clone()]),
            controls: OfferedIn::Anywhere,
        };
        let sent =
            r#"{"turns":["main"],"turns_anywhere":false,"controls":null,"controls_anywhere":true}"#;
        assert_eq!(String::from_utf8(offers.write()).unwrap(), sent);
        assert_eq!(Offers::read(sent.as_bytes()), offers);
        assert!(offers.turns.takes(Some(&main)) && !offers.turns.takes(None));
        assert_eq!(Offers::read(b"?"), Offers::default());
    }
}
