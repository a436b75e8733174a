//! Rows as they are found, damaged ones included: damage is kept to the row it hit.
//!
//! A header is believed when the chain confirms it. One that a single flipped bit has changed is
//! corrected, because the row after it says what its hash must be. What cannot be read is reported
//! with what is still known of it, and never guessed.

use sayso_core::id::{AskId, Seq};
use sayso_core::journal::Event;
use sayso_core::text::Secret;
use sayso_core::time::Time;
use sayso_store::{Header, Kind, LEVEL, StoreError, record};
use sha2::{Digest as _, Sha256};

use super::End;
use super::row::{JournalRow, JournalRows};

/// Rows read beyond those asked for: the next one confirms a header, the one after it the next.
const AHEAD: usize = 2;
/// Bits of what is hashed of a header.
const HEADER_BITS: usize = 104 * 8;

/// What was found at a place.
#[derive(Debug, Clone)]
pub struct Found {
    /// Where it stands.
    pub seq: Seq,
    /// The header, when it can be believed.
    pub header: Option<Header>,
    /// What became of it.
    pub what: What,
    /// What is wrong here, even if the event could be read.
    pub fault: Option<String>,
    /// The ask that was closed here, as a header says that cannot be believed.
    claim: Option<AskId>,
}

/// What became of an event.
#[derive(Debug, Clone)]
pub enum What {
    /// It could be read.
    Event(Box<Event>),
    /// Its body is not there: it was erased, as a later event tells.
    Gone,
    /// It cannot be read.
    Lost,
}

impl Found {
    /// The kind of event, when that is known.
    pub fn kind(&self) -> Option<Kind> {
        Kind::from_number(self.header.as_ref()?.kind)
    }

    /// The ask of a close that cannot be read. Who may have been answered is not asked again, so the
    /// word of a doubtful header is enough for that, and for nothing else.
    pub fn lost_close_of(&self) -> Option<AskId> {
        match self.kind() {
            Some(Kind::Closed) => self.ask(),
            Some(_) => None,
            None => self.claim,
        }
    }

    /// The ask it is about, when that is known.
    pub fn ask(&self) -> Option<AskId> {
        self.header.as_ref()?.ask
    }

    /// When it was written; long ago when that is not known.
    pub fn at(&self) -> Time {
        self.header
            .as_ref()
            .map_or_else(Time::default, |header| header.at)
    }
}

/// Where a journal ends, and what the hash of its last header must be if that is known elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Tail {
    /// The last place.
    pub seq: Seq,
    /// The hash of the header there.
    pub hash: Option<[u8; 32]>,
}

impl Tail {
    fn hash_of(self, seq: Seq) -> Option<[u8; 32]> {
        self.hash.filter(|_| self.seq == seq)
    }
}

impl From<End> for Tail {
    fn from(end: End) -> Self {
        Self {
            seq: end.seq,
            hash: Some(end.hash),
        }
    }
}

/// A row as it lies in the file, as far as it can be read at all.
struct Raw {
    seq: Seq,
    header: Option<Header>,
    body: RawBody,
}

enum RawBody {
    There(Vec<u8>),
    Gone,
    Broken,
}

/// What there is after a place, in order and without gaps, at most `limit` and up to `end`; fewer when
/// the bodies are long.
pub fn found_after(
    journal: &dyn JournalRows,
    after: Seq,
    limit: usize,
    tail: Tail,
) -> Result<Vec<Found>, StoreError> {
    let left = usize::try_from(tail.seq.0.saturating_sub(after.0)).unwrap_or(usize::MAX);
    let limit = limit.min(left);
    if limit == 0 {
        return Ok(Vec::new());
    }
    let raws = raws_after(journal, after, limit.saturating_add(AHEAD).min(left))?;
    let mut before = hash_at(journal, after).or_else(none_if_damaged)?;
    let mut found = Vec::with_capacity(raws.len().min(limit));
    for (at, raw) in raws.iter().enumerate().take(limit) {
        let next = raws.get(at + 1).and_then(|raw| raw.header.as_ref());
        let witness = Witness {
            before,
            after: next.map(|next| next.prev).or_else(|| tail.hash_of(raw.seq)),
            next,
            beyond: raws.get(at + 2).and_then(|raw| raw.header.as_ref()),
        };
        let one = judge(journal.name(), raw, &witness, &mut |_| None)?;
        // Where this one is lost, the next says what its hash was.
        before = one
            .header
            .as_ref()
            .map(Header::hash)
            .or_else(|| next.map(|next| next.prev));
        found.push(one);
    }
    Ok(found)
}

/// What there is at a place.
pub fn found_at(
    journal: &dyn JournalRows,
    seq: Seq,
    tail: Tail,
    secrets: &mut dyn FnMut(usize) -> Option<Secret>,
) -> Result<Found, StoreError> {
    let raw = raw_at(journal, seq)?;
    let next = journal.header_at(seq.next()).or_else(none_if_damaged)?;
    let after = next
        .as_ref()
        .map(|next| next.prev)
        .or_else(|| tail.hash_of(seq));
    if after.is_some() && after == raw.header.as_ref().map(Header::hash) {
        let witness = Witness {
            before: None,
            after,
            next: None,
            beyond: None,
        };
        return judge(journal.name(), &raw, &witness, secrets);
    }
    let before = hash_at(journal, Seq(seq.0.saturating_sub(1))).or_else(none_if_damaged)?;
    let beyond = journal
        .header_at(seq.next().next())
        .or_else(none_if_damaged)?;
    let witness = Witness {
        before,
        after,
        next: next.as_ref(),
        beyond: beyond.as_ref(),
    };
    judge(journal.name(), &raw, &witness, secrets)
}

/// The chain hash of the row at a place; zeros before the first.
fn hash_at(journal: &dyn JournalRows, seq: Seq) -> Result<Option<[u8; 32]>, StoreError> {
    if seq == Seq::ZERO {
        return Ok(Some([0; 32]));
    }
    Ok(journal.row_at(seq)?.map(|row| row.header.hash()))
}

/// Where events are read as they are found.
pub trait FoundEvents {
    /// What there is after a place, as [`found_after`] tells.
    fn found_after(&self, after: Seq, limit: usize, tail: Tail) -> Result<Vec<Found>, StoreError>;

    /// What there is at a place, without secrets.
    fn found_at(&self, seq: Seq, tail: Tail) -> Result<Found, StoreError>;
}

fn none_if_damaged<T>(error: StoreError) -> Result<Option<T>, StoreError> {
    match error {
        StoreError::Damaged { .. } => Ok(None),
        error => Err(error),
    }
}

/// What the rows around one say about it.
struct Witness<'a> {
    /// The hash of the header before it.
    before: Option<[u8; 32]>,
    /// What its own hash must be.
    after: Option<[u8; 32]>,
    next: Option<&'a Header>,
    beyond: Option<&'a Header>,
}

fn raws_after(journal: &dyn JournalRows, after: Seq, limit: usize) -> Result<Vec<Raw>, StoreError> {
    match journal.rows_after(after, limit) {
        Ok(rows) if are_dense(after, &rows) => Ok(rows.into_iter().map(Raw::from).collect()),
        Ok(_) | Err(StoreError::Damaged { .. }) => {
            // One by one, so that what can be read is.
            let last = after.0.saturating_add(limit as u64);
            (after.0 + 1..=last)
                .map(|seq| raw_at(journal, Seq(seq)))
                .collect()
        }
        Err(error) => Err(error),
    }
}

fn are_dense(after: Seq, rows: &[JournalRow]) -> bool {
    !rows.is_empty()
        && rows
            .iter()
            .zip(after.0 + 1..)
            .all(|(row, seq)| row.seq.0 == seq)
}

impl From<JournalRow> for Raw {
    fn from(row: JournalRow) -> Self {
        Self {
            seq: row.seq,
            header: Some(row.header),
            body: row.body.map_or(RawBody::Gone, RawBody::There),
        }
    }
}

fn raw_at(journal: &dyn JournalRows, seq: Seq) -> Result<Raw, StoreError> {
    let nothing = Raw {
        seq,
        header: None,
        body: RawBody::Broken,
    };
    match journal.row_at(seq) {
        Ok(Some(row)) if row.seq == seq => Ok(row.into()),
        Ok(_) => Ok(nothing),
        Err(StoreError::Damaged { .. }) => match journal.header_at(seq) {
            Ok(header) => Ok(Raw { header, ..nothing }),
            Err(StoreError::Damaged { .. }) => Ok(nothing),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    }
}

fn judge(
    journal: &str,
    raw: &Raw,
    witness: &Witness<'_>,
    secrets: &mut dyn FnMut(usize) -> Option<Secret>,
) -> Result<Found, StoreError> {
    let lost = |header: Option<Header>, fault: String| Found {
        seq: raw.seq,
        header,
        what: What::Lost,
        fault: Some(fault),
        claim: None,
    };
    let Some(header) = &raw.header else {
        return Ok(lost(None, format!("event {} is missing", raw.seq)));
    };
    let (header, mut fault) = match believed(header, witness) {
        Some(believed) if believed == *header => (believed, None),
        Some(mended) => {
            let what = format!("the header of event {} was changed", raw.seq);
            (mended, Some(what))
        }
        None => {
            let what = format!("the header of event {} is invalid", raw.seq);
            let says_closed = Kind::from_number(header.kind) == Some(Kind::Closed);
            return Ok(Found {
                claim: header.ask.filter(|_| says_closed),
                ..lost(None, what)
            });
        }
    };
    let body = match &raw.body {
        RawBody::There(body) => body,
        RawBody::Gone => {
            return Ok(Found {
                seq: raw.seq,
                header: Some(header),
                what: What::Gone,
                fault,
                claim: None,
            });
        }
        RawBody::Broken => {
            let what = format!("the body of event {} cannot be read", raw.seq);
            return Ok(lost(Some(header), what));
        }
    };
    if <[u8; 32]>::from(Sha256::digest(body)) != header.body_hash {
        let what = format!("the body of event {} was changed", raw.seq);
        return Ok(lost(Some(header), what));
    }
    let Some(kind) = Kind::from_number(header.kind) else {
        // The chain vouches for it, so a newer version wrote it.
        return Err(StoreError::Newer {
            file: journal.to_owned(),
            found: LEVEL + 1,
            known: LEVEL,
            by: None,
        });
    };
    match record::read(kind, header.ask, body, secrets) {
        Ok(event) => Ok(Found {
            seq: raw.seq,
            header: Some(header),
            what: What::Event(Box::new(event)),
            fault: fault.take(),
            claim: None,
        }),
        Err(error) => Ok(lost(Some(header), format!("event {}: {error}", raw.seq))),
    }
}

/// The header as it was written, if the chain tells.
fn believed(header: &Header, witness: &Witness<'_>) -> Option<Header> {
    let Some(after) = witness.after else {
        // Nothing follows that could vouch for it.
        let follows = witness.before.is_none_or(|before| before == header.prev);
        return follows.then(|| header.clone());
    };
    if header.hash() == after {
        return Some(header.clone());
    }
    if let Some(mended) = mended(header, witness.before, after) {
        return Some(mended);
    }
    // Or it is the next one that says the wrong thing about this one.
    let (next, beyond) = (witness.next?, witness.beyond);
    let vouched = beyond.is_some_and(|beyond| {
        let corrected = Header {
            prev: header.hash(),
            ..next.clone()
        };
        corrected.hash() == beyond.prev
    });
    vouched.then(|| header.clone())
}

/// The header with one bit corrected, so that it has the hash that the next row says.
pub fn mended(header: &Header, before: Option<[u8; 32]>, hash: [u8; 32]) -> Option<Header> {
    if let Some(prev) = before {
        let follows = Header {
            prev,
            ..header.clone()
        };
        if follows.hash() == hash {
            return Some(follows);
        }
    }
    (0..HEADER_BITS)
        .map(|bit| flipped(header, bit))
        .find(|candidate| candidate.hash() == hash)
}

/// A header with one bit of its hashed bytes changed.
fn flipped(header: &Header, bit: usize) -> Header {
    let mut changed = header.clone();
    let flip = |bytes: &mut [u8], bit: usize| {
        if let Some(byte) = bytes.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
    };
    match bit {
        0..16 => changed.format ^= 1 << bit,
        16..48 => changed.writer ^= 1 << (bit - 16),
        48..112 => changed.writer_seq ^= 1 << (bit - 48),
        112..368 => flip(&mut changed.prev, bit - 112),
        368..384 => changed.kind ^= 1 << (bit - 368),
        384..512 => {
            if let Some(ask) = &mut changed.ask {
                let mut bytes = *ask.bytes();
                flip(&mut bytes, bit - 384);
                *ask = AskId::from_bytes(bytes);
            }
        }
        512..576 => changed.at = Time::from_millis(changed.at.as_millis() ^ (1 << (bit - 512))),
        _ => flip(&mut changed.body_hash, bit - 576),
    }
    changed
}
