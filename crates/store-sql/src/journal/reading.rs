//! Asks and events put together from what was found: damage has stand-ins, and what was erased is gone.

use std::sync::Arc;

use sayso_core::id::{Place, Seq};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closing, Outcome};
use sayso_core::text::Secret;
use sayso_core::time::Time;
use sayso_core::unreadable::{self, LOST_OUTCOME, LOST_SECRET, Remains};
use sayso_store::{Kind, Step, StepKind, StoreError, StoredAsk, StoredEvent};

use super::damaged;
use super::found::{Found, What};
use crate::seal::{Gap, Sealer};
use crate::views::ShownRow;

/// The rows of one ask.
#[derive(Debug)]
pub struct AskRows {
    /// Where it was asked.
    pub asked: Found,
    /// Where it ended.
    pub closed: Option<Found>,
    /// Where it was answered late.
    pub late: Option<Found>,
    /// Whether a secret of it is there and does not open.
    pub is_secret_lost: bool,
}

/// An ask from its rows, in the journal of this name. What cannot be read has a stand-in; `remains` says
/// what the projections know of it.
pub fn put_together(
    journal: &str,
    place: Place,
    rows: AskRows,
    remains: impl FnOnce(Seq) -> Result<Option<Remains>, StoreError>,
) -> Result<StoredAsk, StoreError> {
    let asked_at = rows.asked.at();
    // Only what has ended is ever erased.
    if matches!(rows.asked.what, What::Gone) && place.closed.is_some() {
        return Ok(StoredAsk::Erased);
    }
    let ask = match rows.asked.what {
        What::Event(event) => {
            let ask = event.asked();
            Some(Arc::clone(
                ask.ok_or_else(|| other_kind(journal, place.opened))?,
            ))
        }
        What::Gone | What::Lost => None,
    };
    let closing = match rows.closed {
        None => None,
        Some(found) => match closing_of(journal, found, ask.is_none(), rows.is_secret_lost)? {
            Some(closing) => Some(closing),
            None => return Ok(StoredAsk::Erased),
        },
    };
    let late = match rows.late.map(|found| found.what) {
        Some(What::Event(event)) => event.late().filter(|_| ask.is_some()).cloned(),
        Some(What::Gone) => return Ok(StoredAsk::Erased),
        Some(What::Lost) | None => None,
    };
    let ask = if let Some(ask) = ask {
        ask
    } else {
        let opened = place.opened;
        let remains = remains(opened)?.ok_or_else(|| {
            let what = format!("the ask of event {opened} is not known");
            damaged(journal, what)
        })?;
        Arc::new(unreadable::ask(&Remains {
            asked_at,
            ..remains
        }))
    };
    Ok(StoredAsk::Whole { ask, closing, late })
}

/// An event as a reader is told. Of an ask or an end that cannot be read there is a stand-in.
pub fn stored(found: Found) -> StoredEvent {
    let (seq, at, ask) = (found.seq, found.at(), found.ask());
    let lost_close = found.lost_close_of();
    let kind = found.kind();
    let unreadable = matches!(found.what, What::Lost);
    let event = match (found.what, kind, ask) {
        (What::Event(event), _, _) => Some(*event),
        (What::Lost, Some(Kind::Asked), Some(ask)) => {
            let remains = Remains {
                ask,
                opened: seq,
                agent: None,
                conversation: None,
                asked_at: at,
                deadline: None,
            };
            Some(Event::from(Arc::new(unreadable::ask(&remains))))
        }
        (What::Lost, _, _) => lost_close.map(|ask| {
            let closing = Arc::new(unreadable::closing(LOST_OUTCOME, at));
            Event::closed(ask, Seq::ZERO, closing)
        }),
        (What::Gone, _, _) => None,
    };
    StoredEvent {
        seq,
        at,
        ask,
        event,
        unreadable,
    }
}

/// A step of an ask before its entry is read: what happened, where, and when if the entry does not say.
pub type StepPlace = (StepKind, Seq, Option<Time>);

/// The steps of an ask: those at its place, its news, and the devices that had it on screen.
pub fn step_places(
    place: Place,
    [sent, confirmed]: [Option<(Seq, Time)>; 2],
    shown: Vec<ShownRow>,
) -> Vec<StepPlace> {
    let at = |what, seq: Option<Seq>| seq.map(|seq| (what, seq, None));
    // Several outcomes share one entry about their news, each with its own moment.
    let news = |what, news: Option<(Seq, Time)>| news.map(|(seq, at)| (what, seq, Some(at)));
    let shown = shown.into_iter().map(|row| {
        let (person, device) = (row.person, row.device);
        (StepKind::Shown { person, device }, row.seq, Some(row.at))
    });
    at(StepKind::Asked, Some(place.opened))
        .into_iter()
        .chain(shown)
        .chain(at(StepKind::Closed, place.closed))
        .chain(at(StepKind::AnsweredLate, place.late))
        .chain(news(StepKind::Sent, sent))
        .chain(news(StepKind::Confirmed, confirmed))
        .collect()
}

/// A step with its entry, if there is one.
pub fn step((what, seq, at): StepPlace, found: &Found) -> Option<Step> {
    let header = found.header.as_ref()?;
    Some(Step {
        what,
        at: at.unwrap_or(header.at),
        seq,
        hash: header.hash(),
    })
}

fn other_kind(journal: &str, seq: Seq) -> StoreError {
    damaged(
        journal,
        format_args!("event {seq} is of another kind than it was written as"),
    )
}

/// How an ask ended, as its asker may be told; nothing when that was erased.
fn closing_of(
    journal: &str,
    found: Found,
    is_ask_lost: bool,
    is_secret_lost: bool,
) -> Result<Option<Arc<Closing>>, StoreError> {
    let (seq, at) = (found.seq, found.at());
    let stand_in = |why| Ok(Some(Arc::new(unreadable::closing(why, at))));
    match found.what {
        What::Gone => Ok(None),
        What::Lost => stand_in(LOST_OUTCOME),
        What::Event(event) => {
            let closing = event.closing().ok_or_else(|| other_kind(journal, seq))?;
            match closing.outcome {
                // An answer means nothing without what it answers.
                Outcome::Answered(_) if is_ask_lost => stand_in(LOST_OUTCOME),
                Outcome::Answered(_) if is_secret_lost => stand_in(LOST_SECRET),
                _ => Ok(Some(Arc::clone(closing))),
            }
        }
    }
}

/// The secret of a gap. One that is there and does not open is lost.
pub fn unsealed(sealer: &Sealer, gap: Gap, bytes: &[u8], lost: &mut bool) -> Option<Secret> {
    let secret = sealer.open_sealed(gap, bytes);
    if secret.is_none() {
        *lost = true;
        tracing::error!(
            event = gap.seq.0,
            "a sealed secret can't be opened with this key file"
        );
    }
    secret
}
