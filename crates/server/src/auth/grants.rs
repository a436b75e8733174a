//! What codes are good for, as it is kept beside them. Nodes of two versions may share it: fields are
//! only ever added, with a default.

use std::time::Duration;

use sayso_core::id::{PersonName, TokenId, TokenName};
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_hub::Pass;
use sayso_store::CodeKind;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Wrong codes that void a pairing code: one address cannot send that many in the life of a code, and the
/// chance to hit one of those that can be open is one in five hundred.
pub(super) const WRONG_PAIRINGS_MAX: u32 = 120;

/// What a kind of code is good for.
pub(crate) trait Grant: Serialize + DeserializeOwned {
    /// Which kind.
    const KIND: CodeKind;
    /// How long such a code is good.
    const LIFE: Duration;
    /// How many of them may be open at one time.
    const OPEN_MAX: usize;
    /// How many wrong codes void the open ones of their group; none where nobody can guess one.
    const WRONG_MAX: Option<u32> = None;

    /// The group within which a code is looked for, where there are several.
    fn group(&self) -> Option<&str> {
        None
    }
}

/// The token on whose word something is granted: its id and when it was made, because a restored state
/// gives ids again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Voucher {
    token: u32,
    made_at_ms: u64,
}

impl Voucher {
    /// Whoever came in with this pass vouches.
    pub(crate) fn of(pass: &Pass) -> Self {
        let (token, made_at) = pass.token_mark();
        Self {
            token: token.0,
            made_at_ms: made_at.as_millis(),
        }
    }

    pub(super) const fn token(self) -> (TokenId, Time) {
        (TokenId(self.token), Time::from_millis(self.made_at_ms))
    }
}

/// A single entry to one door, for what cannot send a header.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TicketGrant {
    /// The word of the door.
    pub(crate) door: String,
    pub(crate) by: Voucher,
}

impl Grant for TicketGrant {
    const KIND: CodeKind = CodeKind::Ticket;
    const LIFE: Duration = Duration::from_secs(limits::TICKET_S);
    const OPEN_MAX: usize = limits::TICKETS_MAX;
}

/// Who a log-in code lets in, and on whose word.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LoginGrant {
    person: String,
    /// Whether an admin's token comes beside the person's.
    pub(crate) admin: bool,
    pub(crate) by: Voucher,
}

impl LoginGrant {
    pub(crate) fn new(person: &PersonName, admin: bool, by: Voucher) -> Self {
        let person = person.as_str().to_owned();
        Self { person, admin, by }
    }

    pub(crate) fn person(&self) -> Option<PersonName> {
        PersonName::stored(self.person.as_str()).ok()
    }
}

impl Grant for LoginGrant {
    const KIND: CodeKind = CodeKind::Login;
    const LIFE: Duration = Duration::from_secs(limits::LOGIN_CODE_S);
    const OPEN_MAX: usize = limits::LOGIN_CODES_MAX;
}

/// What a pairing code makes, and on whose word.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PairingGrant {
    /// The dialect whose doors take it.
    dialect: String,
    name: Option<String>,
    pub(crate) by: Voucher,
}

impl PairingGrant {
    pub(crate) fn new(dialect: &str, name: Option<&TokenName>, by: Voucher) -> Self {
        Self {
            dialect: dialect.to_owned(),
            name: name.map(|name| name.as_str().to_owned()),
            by,
        }
    }

    /// What the token is to be called; named after the dialect when absent.
    pub(crate) fn name(&self) -> Option<TokenName> {
        TokenName::stored(self.name.as_deref()?).ok()
    }
}

impl Grant for PairingGrant {
    const KIND: CodeKind = CodeKind::Pairing;
    const LIFE: Duration = Duration::from_secs(limits::PAIRING_S);
    const OPEN_MAX: usize = limits::PAIRINGS_MAX;
    // Six digits can be guessed. The throttle gives each address ten tries a minute before a code is even
    // looked at; guesses from many addresses end with the codes they were aimed at.
    const WRONG_MAX: Option<u32> = Some(WRONG_PAIRINGS_MAX);

    fn group(&self) -> Option<&str> {
        Some(&self.dialect)
    }
}
