//! A walk over the whole journal that trusts nothing.
//!
//! It only reads, beside a running server or without one, a bounded number of rows at a time, and
//! keeps three bits for each event, and the asks of the last ones.

use std::collections::VecDeque;

use sayso_core::id::{AskId, Seq};
use sayso_core::journal::{Erases, Event};
use sayso_store::{FORMAT, Kind, StoreError, Verified};
use sha2::{Digest as _, Sha256};

use crate::journal::{
    JournalRow, JournalRows as _, SqlJournal, Tail, ask_of, decode, found_after, last_seq,
    stray_bodies,
};
use crate::sql::Sql;

/// Faults that are listed; the rest is counted.
const FAULTS_MAX: usize = 100;
/// Rows of one read, so that a running server's log can be used again in between.
const ROWS: usize = 2000;
/// Events whose ask is remembered: most ends come soon, and the database need not be asked for each.
const RECENT: usize = 32_768;

/// What a walk found, and where the journal ends.
#[derive(Debug)]
pub struct Walked {
    /// What was found.
    pub verified: Verified,
    /// The last place.
    pub last: Seq,
    /// The hash of the header there.
    pub hash: [u8; 32],
}

/// Walks a whole journal. `pages` is what its database found wrong with its own storage.
pub fn walk(connection: &dyn Sql, pages: Vec<String>) -> Result<Walked, StoreError> {
    let mut walk = Walk {
        journal: SqlJournal(connection),
        verified: Verified {
            events: 0,
            erased: 0,
            faults: Vec::new(),
        },
        more: 0,
        before: Seq::ZERO,
        hash: [0; 32],
        writer_seq: 0,
        closed: Bits::default(),
        handed: Bits::default(),
        missing: Bits::default(),
        recent: VecDeque::new(),
    };
    for fault in pages {
        walk.fault(fault);
    }
    walk.check_rows()?;
    walk.check_bodies();
    let (last, hash) = (walk.before, walk.hash);
    Ok(Walked {
        verified: walk.finish(),
        last,
        hash,
    })
}

struct Walk<'a> {
    journal: SqlJournal<'a>,
    verified: Verified,
    /// Faults beyond those that are listed.
    more: u64,
    before: Seq,
    hash: [u8; 32],
    writer_seq: u64,
    /// The asks, by where they were opened, that a close was seen for.
    closed: Bits,
    /// The messages, by where they were said, that were handed over or removed.
    handed: Bits,
    /// The events whose body is gone and of which no `Erased` event has told yet.
    missing: Bits,
    /// The kind and the ask of the last events, in order.
    recent: VecDeque<(Seq, KindAndAsk)>,
}

type KindAndAsk = (u16, Option<AskId>);

impl Walk<'_> {
    fn fault(&mut self, what: String) {
        if self.verified.faults.len() < FAULTS_MAX {
            self.verified.faults.push(what);
        } else {
            self.more += 1;
        }
    }

    fn check_rows(&mut self) -> Result<(), StoreError> {
        loop {
            let rows = match self.journal.rows_after(self.before, ROWS) {
                Ok(rows) => rows,
                // Page by page it cannot be read; what can be read one by one is.
                Err(StoreError::Damaged { .. }) => {
                    if self.check_around()? {
                        continue;
                    }
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            if rows.is_empty() {
                return Ok(());
            }
            for row in &rows {
                self.check_row(row)?;
            }
        }
    }

    /// Checks the next rows one by one. Says whether there may be more.
    fn check_around(&mut self) -> Result<bool, StoreError> {
        let seq = match last_seq(self.journal) {
            Ok(seq) => seq,
            Err(StoreError::Damaged { detail, .. }) => {
                let before = self.before;
                self.fault(format!("events after {before} cannot be read: {detail}"));
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let tail = Tail { seq, hash: None };
        let found = found_after(&self.journal, self.before, ROWS, tail)?;
        for row in &found {
            self.before = row.seq;
            self.verified.events += 1;
            if let Some(header) = &row.header {
                self.hash = header.hash();
                self.writer_seq = header.writer_seq;
            }
            if let Some(fault) = &row.fault {
                self.fault(format!("{fault}{}", about(row.ask())));
            }
        }
        Ok(!found.is_empty())
    }

    fn check_row(&mut self, row: &JournalRow) -> Result<(), StoreError> {
        let (seq, header) = (row.seq, &row.header);
        if header.format > FORMAT {
            return Err(StoreError::Newer {
                file: self.journal.name().to_owned(),
                found: u32::from(header.format),
                known: u32::from(FORMAT),
                by: None,
            });
        }
        if seq != self.before.next() {
            self.fault(format!(
                "events {} to {} are missing",
                self.before.next(),
                seq.0.saturating_sub(1)
            ));
        } else if header.prev != self.hash {
            self.fault(format!(
                "event {seq} does not follow the one before it: one of the two was changed"
            ));
        } else if header.writer_seq != self.writer_seq + 1 {
            self.fault(format!(
                "event {seq} has the number {} of its writer instead of {}",
                header.writer_seq,
                self.writer_seq + 1
            ));
        }
        self.before = seq;
        self.hash = header.hash();
        self.writer_seq = header.writer_seq;
        self.verified.events += 1;
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((seq, (header.kind, header.ask)));

        let Some(body) = &row.body else {
            self.verified.erased += 1;
            self.missing.set(seq);
            return Ok(());
        };
        if <[u8; 32]>::from(Sha256::digest(body)) != header.body_hash {
            self.fault(format!(
                "the body of event {seq}{} was changed",
                about(header.ask)
            ));
            return Ok(());
        }
        match decode(self.journal.name(), row, &mut |_| None) {
            Ok(Some(event)) => self.check_event(seq, &event),
            Ok(None) => Ok(()),
            Err(StoreError::Damaged { detail, .. }) => {
                self.fault(format!("{detail}{}", about(header.ask)));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn check_event(&mut self, seq: Seq, event: &Event) -> Result<(), StoreError> {
        if let Some(opened) = event.outcome_of() {
            self.check_about(seq, opened, event)?;
        }
        if let (Some(opened), Some(_)) = (event.outcome_of(), event.closing()) {
            self.check_first_close(seq, opened);
        }
        if let Some(opened) = event.message_of() {
            self.check_handed(seq, opened)?;
        }
        if let Some(opened) = event.returns() {
            self.check_returned(seq, opened);
        }
        match event.erases() {
            Some(Erases::Ask(place)) => {
                self.check_about(seq, place.opened, event)?;
                if let Some(closed) = place.closed.filter(|closed| self.missing.has(*closed)) {
                    self.check_first_close(closed, place.opened);
                }
                for gone in Erases::Ask(place).places() {
                    self.missing.clear(gone);
                }
            }
            Some(Erases::Said(places)) => {
                for place in places {
                    self.check_cleared(seq, *place)?;
                }
            }
            None => {}
        }
        Ok(())
    }

    /// The kind and the ask of an earlier event.
    fn about_at(&self, seq: Seq) -> Result<Option<KindAndAsk>, StoreError> {
        match self.recent.binary_search_by_key(&seq, |(seq, _)| *seq) {
            Ok(at) => Ok(self.recent.get(at).map(|(_, about)| *about)),
            Err(_) => ask_of(self.journal, seq),
        }
    }

    /// A message is handed over or removed, once, and only after it was said.
    fn check_handed(&mut self, seq: Seq, opened: Seq) -> Result<(), StoreError> {
        let found = if opened < seq {
            self.about_at(opened)?
        } else {
            None
        };
        if found.is_none_or(|(kind, _)| kind != Kind::Messaged.number()) {
            self.fault(format!(
                "event {seq} is about a message at event {opened} that does not exist"
            ));
        } else if self.handed.has(opened) {
            self.fault(format!(
                "event {seq} delivers the message of event {opened} a second time"
            ));
        }
        self.handed.set(opened);
        Ok(())
    }

    /// Only a message that was handed over waits again.
    fn check_returned(&mut self, seq: Seq, opened: Seq) {
        if !self.handed.has(opened) {
            self.fault(format!(
                "event {seq} queues the message of event {opened} again, which was not delivered"
            ));
        }
        self.handed.clear(opened);
    }

    /// Only what was said in a conversation is erased place by place.
    fn check_cleared(&mut self, seq: Seq, place: Seq) -> Result<(), StoreError> {
        let said = [Kind::Messaged, Kind::Said, Kind::Noted, Kind::TurnEnded];
        let found = if place < seq {
            self.about_at(place)?
        } else {
            None
        };
        if found.is_none_or(|(kind, _)| said.iter().all(|said| said.number() != kind)) {
            self.fault(format!(
                "event {seq} erases event {place}, where nothing was said"
            ));
        } else {
            self.missing.clear(place);
        }
        Ok(())
    }

    fn check_first_close(&mut self, seq: Seq, opened: Seq) {
        if self.closed.has(opened) {
            self.fault(format!(
                "event {seq} closes the ask of event {opened} a second time"
            ));
        }
        self.closed.set(opened);
    }

    fn check_about(&mut self, seq: Seq, opened: Seq, event: &Event) -> Result<(), StoreError> {
        let found = if opened < seq {
            self.about_at(opened)?
        } else {
            None
        };
        if found.is_none_or(|(kind, ask)| kind != Kind::Asked.number() || ask != event.ask()) {
            self.fault(format!(
                "event {seq} is about an ask at event {opened} that does not exist"
            ));
        }
        Ok(())
    }

    /// Looks for bodies that belong to no event.
    fn check_bodies(&mut self) {
        match stray_bodies(self.journal) {
            Ok(found) => found.into_iter().for_each(|seq| {
                self.fault(format!("there is a body of event {seq}, but no event"));
            }),
            Err(error) => self.fault(format!("the bodies cannot be read: {error}")),
        }
    }

    fn finish(mut self) -> Verified {
        let lost: Vec<u64> = self.missing.iter().take(FAULTS_MAX).collect();
        for seq in lost {
            self.fault(format!(
                "the body of event {seq} is missing, and no event says that it was erased"
            ));
        }
        if self.more > 0 {
            self.verified.faults.push(format!("and {} more", self.more));
        }
        self.verified
    }
}

/// The ask an event is about, for a sentence.
fn about(ask: Option<AskId>) -> String {
    ask.map(|ask| format!(" (ask {ask})")).unwrap_or_default()
}

/// One bit for each event.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn word(seq: Seq) -> (usize, u64) {
        (
            usize::try_from(seq.0 / 64).unwrap_or(usize::MAX),
            1 << (seq.0 % 64),
        )
    }

    fn set(&mut self, seq: Seq) {
        let (word, bit) = Self::word(seq);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    fn clear(&mut self, seq: Seq) {
        let (word, bit) = Self::word(seq);
        if let Some(word) = self.0.get_mut(word) {
            *word &= !bit;
        }
    }

    fn has(&self, seq: Seq) -> bool {
        let (word, bit) = Self::word(seq);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().zip(0_u64..).flat_map(|(word, at)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| at * 64 + bit)
        })
    }
}
