//! Another life of a state: what a journal is given to go on with after a backup was put back, or after
//! its database lost events.
//!
//! Nothing that happened after its end is known any more. So whatever was open in it is void: it may have
//! been answered, and an agent may have acted on that. What was revoked since stays revoked, as far as the
//! journal of before can still be read.

use std::sync::Arc;

use sayso_core::id::{Epoch, Seq};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Closing, Outcome};
use sayso_core::time::Time;
use sayso_store::{JournalEntry, StoreError};

use crate::journal::{SqlJournal, hash_at};
use crate::sql::Sql;
use crate::standing::JournalStanding;

const RESTORED: &str = "The server was restored from a backup; this ask is void.";
const LOST: &str = "The database lost its last events; this ask is void.";

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Events that the backup had.
    pub events: u64,
    /// Open asks that are void now.
    pub void: u64,
    /// Tokens and rules of the backup that were taken back since, and stay so.
    pub taken_back: u64,
    /// Why nobody knows what was revoked since the backup, if that is so.
    pub unsure: Option<String>,
    /// The tokens that are good now, by name.
    pub tokens: Vec<String>,
    /// The rules that are good now and do not deny, by id.
    pub rules: Vec<String>,
    /// Where the journal of before was put, if there was one.
    pub before: Option<String>,
}

/// What of a backup is not to come back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Revoke {
    /// Every token.
    pub tokens: bool,
    /// Every rule that does not deny.
    pub rules: bool,
}

/// When a life begins, and what it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LifeBegins {
    /// When.
    pub now: Time,
    /// Its name.
    pub epoch: Epoch,
}

/// What a new life begins with.
#[derive(Debug)]
pub struct NewLife {
    standing: JournalStanding,
    revoked: Vec<Event>,
    taken_back: usize,
    unsure: Option<String>,
    begins: LifeBegins,
    note: &'static str,
}

impl NewLife {
    /// The life of a backup. `before` is the journal in whose place it is put, if there is one that can be
    /// opened.
    pub fn of_backup(
        backup: &dyn Sql,
        before: Result<Option<&dyn Sql>, &StoreError>,
        revoke: Revoke,
        begins: LifeBegins,
    ) -> Result<Self, StoreError> {
        let standing = JournalStanding::read(backup)?;
        let (old, unsure) = standing_before(before, backup, &standing);
        let taken_back = standing.taken_back_in(&old);
        let revoked = standing.revoked(revoke, &taken_back)?;
        Ok(Self {
            standing,
            revoked,
            taken_back: taken_back.len(),
            unsure,
            begins,
            note: RESTORED,
        })
    }

    /// The life of a journal that lost its end.
    pub fn after_loss(journal: &dyn Sql, begins: LifeBegins) -> Result<Self, StoreError> {
        Ok(Self {
            standing: JournalStanding::read(journal)?,
            revoked: Vec::new(),
            taken_back: 0,
            unsure: None,
            begins,
            note: LOST,
        })
    }

    /// Events that the journal had.
    pub fn events(&self) -> u64 {
        self.standing.events
    }

    /// Open asks that are void now.
    pub fn void(&self) -> u64 {
        self.standing.open_asks()
    }

    /// What is appended: the new epoch, what is revoked, and the end of what was open.
    pub fn entries(&self) -> impl Iterator<Item = JournalEntry> + '_ {
        let LifeBegins { now, epoch } = self.begins;
        let closing = Arc::new(Closing {
            outcome: Outcome::Withdrawn {
                note: Some(self.note.to_owned()),
            },
            by: Closer::Clock,
            at: now,
        });
        let open = self.standing.open.iter();
        let closings =
            open.map(move |(opened, ask)| Event::closed(*ask, *opened, Arc::clone(&closing)));
        std::iter::once(Event::EpochBegan(epoch))
            .chain(self.revoked.iter().cloned())
            .chain(closings)
            .map(move |event| JournalEntry { event, at: now })
    }

    /// What a restore that ends with this did.
    pub fn restored(self, before: Option<String>) -> Restored {
        let (tokens, rules) = self.standing.good_without(&self.revoked);
        Restored {
            events: self.standing.events,
            void: self.standing.open_asks(),
            taken_back: self.taken_back as u64,
            unsure: self.unsure,
            tokens,
            rules,
            before,
        }
    }
}

/// How things stood in the journal of before, and why that does not tell what was revoked since.
fn standing_before(
    before: Result<Option<&dyn Sql>, &StoreError>,
    backup: &dyn Sql,
    standing: &JournalStanding,
) -> (JournalStanding, Option<String>) {
    let unreadable = |error: &StoreError| {
        let why = format!("the previous journal can't be read: {error}");
        (JournalStanding::default(), Some(why))
    };
    let before = match before {
        Ok(Some(before)) => before,
        Ok(None) => {
            let why = "there is no journal here that continues after the backup";
            return (JournalStanding::default(), Some(why.to_owned()));
        }
        Err(error) => return unreadable(error),
    };
    match JournalStanding::read(before) {
        Ok(old) if old.lost > 0 => {
            let why = format!("{} entries of the previous journal can't be read", old.lost);
            (old, Some(why))
        }
        Ok(old) if !goes_on(before, backup, standing) => {
            let why = "the previous journal doesn't continue after the backup";
            (old, Some(why.to_owned()))
        }
        Ok(old) => (old, None),
        Err(error) => unreadable(&error),
    }
}

/// Whether a journal has the backup as its beginning.
fn goes_on(before: &dyn Sql, backup: &dyn Sql, standing: &JournalStanding) -> bool {
    let end = Seq(standing.events);
    let hash = |journal| hash_at(SqlJournal(journal), end).ok().flatten();
    standing.events > 0 && hash(before).is_some() && hash(before) == hash(backup)
}
