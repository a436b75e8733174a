//! What happens between one agent and one person, in nobody's language.

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scene {
    /// A question, and one of its choices.
    Single,
    /// A question of which several choices may be taken, one with a comma in it.
    Multiple,
    /// A question answered in the person's own words.
    FreeText,
    /// A question that the person puts aside.
    Dismissal,
    /// Two questions of which one is answered.
    Partial,
    /// Two questions, both answered.
    Several,
    /// An approval, and a yes.
    Allow,
    /// An approval, and a no.
    Deny,
    /// An approval, a yes for always, the same again, and something else.
    Always,
    /// Approval to do something dangerous, and a yes.
    Dangerous,
    /// A question that nobody answers in time.
    Expiry,
    /// A question that the agent takes back.
    Withdrawal,
    /// The agent is away when the answer is given.
    AgentAway,
    /// The device is away when the question is asked.
    DeviceAway,
    /// Two devices answer at the same time.
    Racing,
    /// The server is killed between the question and the answer.
    Killed,
}

impl Scene {
    /// Every scene, in the order of the page.
    pub const ALL: [Self; 16] = [
        Self::Single,
        Self::Multiple,
        Self::FreeText,
        Self::Dismissal,
        Self::Partial,
        Self::Several,
        Self::Allow,
        Self::Deny,
        Self::Always,
        Self::Dangerous,
        Self::Expiry,
        Self::Withdrawal,
        Self::AgentAway,
        Self::DeviceAway,
        Self::Racing,
        Self::Killed,
    ];

    /// What it is called on the page.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Single => "one choice",
            Self::Multiple => "several choices",
            Self::FreeText => "own words",
            Self::Dismissal => "dismissed",
            Self::Partial => "one of two questions answered",
            Self::Several => "two questions answered",
            Self::Allow => "allowed",
            Self::Deny => "denied",
            Self::Always => "allowed for always, then not asked",
            Self::Dangerous => "high risk, allowed where all of it is shown",
            Self::Expiry => "expired",
            Self::Withdrawal => "withdrawn",
            Self::AgentAway => "answered while the agent is disconnected",
            Self::DeviceAway => "asked while the device is disconnected",
            Self::Racing => "two devices race",
            Self::Killed => "server killed in between",
        }
    }

    /// A short name without spaces.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Multiple => "multiple",
            Self::FreeText => "free-text",
            Self::Dismissal => "dismissal",
            Self::Partial => "partial",
            Self::Several => "several",
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Always => "always",
            Self::Dangerous => "dangerous",
            Self::Expiry => "expiry",
            Self::Withdrawal => "withdrawal",
            Self::AgentAway => "agent-away",
            Self::DeviceAway => "device-away",
            Self::Racing => "racing",
            Self::Killed => "killed",
        }
    }

    /// Whether it is about an approval.
    pub const fn is_approval(self) -> bool {
        matches!(
            self,
            Self::Allow | Self::Deny | Self::Always | Self::Dangerous
        )
    }

    /// What is asked in it. The mark is in every text, so that the ask is known among others.
    pub fn asking(self, mark: &str) -> Asking {
        let store = AskedOne {
            text: format!("Which store? [{mark}]"),
            tag: "Store",
            labels: &["Redis", "SQLite"],
            many: false,
        };
        let parts = AskedOne {
            text: format!("Which parts? [{mark}]"),
            tag: "Parts",
            labels: &["Dark mode", "Alerts", "Red, green"],
            many: true,
        };
        let matter = match self {
            // In quotes, so that it is a plain command with the mark in it.
            Self::Allow | Self::Deny | Self::Always => SceneMatter::Approval {
                command: format!("echo '[{mark}]'"),
            },
            Self::Dangerous => SceneMatter::Approval {
                command: format!("git push --force origin '[{mark}]'"),
            },
            Self::Multiple => SceneMatter::Questions(vec![parts]),
            Self::Partial | Self::Several => SceneMatter::Questions(vec![store, parts]),
            Self::Single
            | Self::FreeText
            | Self::Dismissal
            | Self::Expiry
            | Self::Withdrawal
            | Self::AgentAway
            | Self::DeviceAway
            | Self::Racing
            | Self::Killed => SceneMatter::Questions(vec![store]),
        };
        Asking {
            mark: mark.to_owned(),
            matter,
            lapses: self == Self::Expiry,
        }
    }

    /// What the person says in it.
    pub fn say(self) -> Say {
        match self {
            Self::Multiple => {
                Say::Replies(vec![Some(SaidReply::labels(&["Dark mode", "Red, green"]))])
            }
            Self::FreeText => Say::Replies(vec![Some(SaidReply::own("DynamoDB, as we use AWS"))]),
            Self::Dismissal => Say::Dismiss,
            Self::Partial => Say::Replies(vec![None, Some(SaidReply::labels(&["Alerts"]))]),
            Self::Several => Say::Replies(vec![
                Some(SaidReply::labels(&["SQLite"])),
                Some(SaidReply::labels(&["Dark mode", "Alerts"])),
            ]),
            Self::Allow | Self::Dangerous => Say::Allow,
            Self::Always => Say::Always,
            Self::Deny => Say::Deny,
            Self::Single
            | Self::Expiry
            | Self::Withdrawal
            | Self::AgentAway
            | Self::DeviceAway
            | Self::Racing
            | Self::Killed => Say::Replies(vec![Some(SaidReply::labels(&["Redis"]))]),
        }
    }
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Asking {
    /// What is in every text of it and in no other ask.
    pub mark: String,
    /// What it is about.
    pub matter: SceneMatter,
    /// Whether it is to lapse within seconds.
    pub lapses: bool,
}

/// What an ask is about.
#[derive(Debug, Clone)]
pub enum SceneMatter {
    /// Questions.
    Questions(Vec<AskedOne>),
    /// Approval to run a command.
    Approval { command: String },
}

/// One question.
#[derive(Debug, Clone)]
pub struct AskedOne {
    pub text: String,
    /// Its chip.
    pub tag: &'static str,
    /// What can be chosen.
    pub labels: &'static [&'static str],
    /// Whether several may be.
    pub many: bool,
}

impl Asking {
    /// The questions, none where approval is requested.
    pub fn questions(&self) -> &[AskedOne] {
        match &self.matter {
            SceneMatter::Questions(questions) => questions,
            SceneMatter::Approval { .. } => &[],
        }
    }
}

/// What a person says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Say {
    /// A reply for each question, or none.
    Replies(Vec<Option<SaidReply>>),
    /// Put it aside.
    Dismiss,
    /// Yes.
    Allow,
    /// Yes, and to the same again.
    Always,
    /// No.
    Deny,
}

/// The reply to one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidReply {
    /// The chosen labels.
    pub labels: Vec<&'static str>,
    /// Own words.
    pub own: Option<&'static str>,
}

impl SaidReply {
    /// Labels alone.
    pub fn labels(labels: &[&'static str]) -> Self {
        Self {
            labels: labels.to_vec(),
            own: None,
        }
    }

    /// Own words alone.
    pub const fn own(words: &'static str) -> Self {
        Self {
            labels: Vec::new(),
            own: Some(words),
        }
    }

    /// Everything that was said, in order.
    pub fn values(&self) -> Vec<&'static str> {
        self.labels.iter().copied().chain(self.own).collect()
    }

    /// Everything that was said, as one text.
    pub fn joined(&self) -> String {
        self.values().join(", ")
    }
}

/// How an ask ended, and who ended it.
#[derive(Debug, Clone)]
pub enum SceneEnding {
    /// The person answered.
    Replied {
        /// What they said.
        replies: Vec<Option<SaidReply>>,
        device: String,
    },
    /// The person put it aside.
    Dismissed {
        /// Why.
        note: Option<&'static str>,
        device: String,
    },
    /// The person said yes.
    Allowed {
        /// How far it reaches, as our own language has it.
        scope: &'static str,
        device: String,
    },
    /// A rule said yes.
    Ruled { rule: String },
    /// The person said no.
    Denied {
        /// Why.
        note: Option<&'static str>,
        device: String,
    },
    /// Its time was over.
    Expired,
    /// The agent took it back.
    Withdrawn {
        /// Why.
        note: &'static str,
    },
}

impl SceneEnding {
    /// The one word for it that several languages have.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Dismissed { .. } => "dismissed",
            Self::Withdrawn { .. } => "withdrawn",
            Self::Replied { .. }
            | Self::Allowed { .. }
            | Self::Ruled { .. }
            | Self::Denied { .. } => "answered",
        }
    }

    /// How an ask ends when this is said on this device with this note; `far` is how far an always
    /// reaches there.
    pub fn of(say: &Say, note: Option<&'static str>, far: &'static str, device: &str) -> Self {
        let device = device.to_owned();
        match say {
            Say::Replies(replies) => Self::Replied {
                replies: replies.clone(),
                device,
            },
            Say::Dismiss => Self::Dismissed { note, device },
            Say::Allow => Self::Allowed {
                scope: "once",
                device,
            },
            Say::Always => Self::Allowed { scope: far, device },
            Say::Deny => Self::Denied { note, device },
        }
    }
}
