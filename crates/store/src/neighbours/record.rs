//! Words and offers as they are sent: JSON that nodes of two versions understand.

use sayso_core::control::ControlKind;
use sayso_core::digest::Digest;
use sayso_core::id::{ConversationId, ConversationName, DialectName, PersonName, Seq, TokenId};
use serde::{Deserialize, Serialize};

use super::word::{CallDecided, NodeWord, OfferedIn, Offers};
use crate::neighbours::NodeId;
use crate::record::stored::{Disk, Stored, plain, recorded};

/// Words as they are sent. Nodes of two versions run together: a word that is not known is ignored.
#[derive(Serialize, Deserialize)]
#[serde(remote = "NodeWord", rename_all = "snake_case")]
enum WordRecord {
    Here,
    Saying {
        #[serde(rename = "at", with = "Stored")]
        conversation: ConversationId,
        from: usize,
        text: String,
    },
    SayAgain {
        #[serde(rename = "at", with = "Stored")]
        conversation: ConversationId,
    },
    Heard {
        #[serde(rename = "at", with = "Stored")]
        conversation: ConversationId,
        #[serde(with = "Stored")]
        after: Seq,
    },
    /// Each kind of it is a word of its own.
    #[serde(skip)]
    Control {
        number: u64,
        conversation: ConversationId,
        what: ControlKind,
        by: PersonName,
    },
    Controlled {
        #[serde(with = "Stored")]
        node: NodeId,
        number: u64,
        refused: Option<String>,
    },
    SeatTaken {
        key: String,
    },
    ShelfChanged {
        shelf: String,
    },
    Decided(#[serde(with = "Stored")] CallDecided),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "CallDecided")]
struct DecidedRecord {
    #[serde(with = "Stored")]
    dialect: DialectName,
    #[serde(with = "Stored")]
    token: TokenId,
    #[serde(with = "Stored")]
    conversation: ConversationName,
    #[serde(with = "Stored")]
    about: Option<Digest>,
}

/// What a person wants of an agent's program, as it is sent.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ControlRecord {
    Interrupt {
        number: u64,
        #[serde(rename = "at", with = "Stored")]
        conversation: ConversationId,
        #[serde(with = "Stored")]
        by: PersonName,
    },
    SetMode {
        number: u64,
        #[serde(rename = "at", with = "Stored")]
        conversation: ConversationId,
        #[serde(with = "Stored")]
        by: PersonName,
        mode: String,
    },
}

recorded! { WordRecord as NodeWord, DecidedRecord as CallDecided }

plain! { NodeId as u32: |node| node.0, |node| Self(node); }

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
        let written = match self {
            Self::Control {
                number,
                conversation,
                what,
                by,
            } => {
                let (number, conversation, by) = (*number, *conversation, by.clone());
                serde_json::to_vec(&match what.clone() {
                    ControlKind::Interrupt => ControlRecord::Interrupt {
                        number,
                        conversation,
                        by,
                    },
                    ControlKind::SetMode(mode) => ControlRecord::SetMode {
                        number,
                        conversation,
                        by,
                        mode,
                    },
                })
            }
            word => serde_json::to_vec(&Disk(word)),
        };
        // Text and numbers always can be written.
        written.unwrap_or_default()
    }

    /// The word that these bytes are, if this version knows it.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if let Ok(Disk(word)) = serde_json::from_slice(bytes) {
            return Some(word);
        }
        let (number, conversation, by, what) = match serde_json::from_slice(bytes).ok()? {
            ControlRecord::Interrupt {
                number,
                conversation,
                by,
            } => (number, conversation, by, ControlKind::Interrupt),
            ControlRecord::SetMode {
                number,
                conversation,
                by,
                mode,
            } => (number, conversation, by, ControlKind::SetMode(mode)),
        };
        Some(Self::Control {
            number,
            conversation,
            what,
            by,
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
