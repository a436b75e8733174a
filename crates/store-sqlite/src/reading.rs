//! Reading back: an ask whole, events in their order, the story of an ask.

use std::sync::Arc;

use sayso_core::ask::Ask;
use sayso_core::id::{Place, Seq};
use sayso_core::journal::Event;
use sayso_core::limits::FEED_REPLAY_MAX;
use sayso_core::outcome::{Closing, Outcome};
use sayso_core::time::Time;
use sayso_core::unreadable::{self, LOST_OUTCOME, LOST_SECRET, Remains};
use sayso_store::{Kind, Step, StepKind, StoreError, StoredAsk, StoredEvent};

use crate::fault::{self, JOURNAL, damaged};
use crate::journal::{self, Found, What, number};
use crate::seal::{Gap, Sealer};
use crate::store::StoreInner;

impl StoreInner {
    pub(crate) fn read(&self, place: Place) -> Result<StoredAsk, StoreError> {
        let tail = self.end().into();
        let (asked, closed, late, is_secret_lost) = self
            .journal
            .with(|connection| {
                // One view: a body erased between two reads must not look half there.
                let view = connection.unchecked_transaction().map_err(Failed::from)?;
                let mut lost = false;
                let mut found = |seq: Seq| {
                    journal::found_at(&view, seq, tail, &mut |number| {
                        let opened = place.opened;
                        let gap = Gap {
                            opened,
                            seq,
                            number,
                        };
                        unseal(&view, &self.sealer, gap, &mut lost)
                    })
                };
                let asked = found(place.opened)?;
                let closed = place.closed.map(&mut found).transpose()?;
                let late = place.late.map(&mut found).transpose()?;
                Ok::<_, Failed>((asked, closed, late, lost))
            })
            .map_err(|Failed(error)| error)?;
        self.put_together(place, asked, closed, late, is_secret_lost)
    }

    /// An ask from its rows. What cannot be read has a stand-in, and is taken down as damage.
    fn put_together(
        &self,
        place: Place,
        asked: Found,
        closed: Option<Found>,
        late: Option<Found>,
        is_secret_lost: bool,
    ) -> Result<StoredAsk, StoreError> {
        for found in [Some(&asked), closed.as_ref(), late.as_ref()]
            .into_iter()
            .flatten()
        {
            if found.fault.is_some() {
                self.note(found);
            }
        }
        let asked_at = asked.at();
        // Only what has ended is ever erased.
        if matches!(asked.what, What::Gone) && place.closed.is_some() {
            return Ok(StoredAsk::Erased);
        }
        let ask = match asked.what {
            What::Event(event) => {
                let ask = event.asked().ok_or_else(|| other_kind(place.opened))?;
                Some(Arc::clone(ask))
            }
            What::Gone | What::Lost => None,
        };
        let closing = match closed {
            None => None,
            Some(found) => match closing_of(found, ask.is_none(), is_secret_lost)? {
                Some(closing) => Some(closing),
                None => return Ok(StoredAsk::Erased),
            },
        };
        let late = match late.map(|found| found.what) {
            Some(What::Event(event)) => event.late().filter(|_| ask.is_some()).cloned(),
            Some(What::Gone) => return Ok(StoredAsk::Erased),
            Some(What::Lost) | None => None,
        };
        let ask = match ask {
            Some(ask) => ask,
            None => Arc::new(self.stand_in(place.opened, asked_at)?),
        };
        Ok(StoredAsk::Whole { ask, closing, late })
    }

    /// What is shown of an ask that cannot be read.
    fn stand_in(&self, opened: Seq, asked_at: Time) -> Result<Ask, StoreError> {
        let remains = self.mended(self.views.remains(opened))?;
        let remains = remains.ok_or_else(|| {
            damaged(
                JOURNAL,
                format_args!("the ask of event {opened} is not known"),
            )
        })?;
        Ok(unreadable::ask(&Remains {
            asked_at,
            ..remains
        }))
    }

    pub(crate) fn events(&self, after: Seq, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        // Nothing is shown before its commit is known to be durable.
        let tail = self.end().into();
        let limit = limit.min(usize::try_from(FEED_REPLAY_MAX).unwrap_or(usize::MAX));
        let (mut events, mut cursor) = (Vec::new(), after);
        while events.len() < limit {
            let left = limit - events.len();
            let found = self
                .journal
                .with(|connection| {
                    journal::found_after(connection, cursor, left, tail).map_err(Failed)
                })
                .map_err(|Failed(error)| error)?;
            let Some(last) = found.last() else { break };
            cursor = last.seq;
            events.extend(found.into_iter().map(|found| self.stored(found)));
        }
        Ok(events)
    }

    pub(crate) fn events_at(&self, places: &[Seq]) -> Result<Vec<StoredEvent>, StoreError> {
        let end = self.end();
        let found = self
            .journal
            .with(|connection| {
                let view = connection.unchecked_transaction().map_err(Failed::from)?;
                let places = places.iter().filter(|seq| **seq <= end.seq);
                places
                    .map(|seq| journal::found_at(&view, *seq, end.into(), &mut |_| None))
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(Failed)
            })
            .map_err(|Failed(error)| error)?;
        Ok(found.into_iter().map(|found| self.stored(found)).collect())
    }

    fn stored(&self, found: Found) -> StoredEvent {
        if found.fault.is_some() {
            self.note(&found);
        }
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

    pub(crate) fn steps(&self, place: Place) -> Result<Vec<Step>, StoreError> {
        let [sent, confirmed] = self.mended(self.views.news(place.opened))?;
        let shown = self.mended(self.views.shown_on(place.opened))?;
        let mut told = vec![(StepKind::Asked, Some(place.opened), None)];
        told.extend(shown.into_iter().map(|row| {
            let (person, device) = (row.person, row.device);
            let what = StepKind::Shown { person, device };
            (what, Some(row.seq), Some((row.seq, row.at)))
        }));
        told.extend([
            (StepKind::Closed, place.closed, None),
            (StepKind::AnsweredLate, place.late, None),
            (StepKind::Sent, sent.map(|(seq, _)| seq), sent),
            (
                StepKind::Confirmed,
                confirmed.map(|(seq, _)| seq),
                confirmed,
            ),
        ]);
        let tail = self.end().into();
        let mut steps = Vec::new();
        self.journal
            .with(|connection| {
                for (what, seq, news) in told {
                    let Some(seq) = seq else { continue };
                    let found = journal::found_at(connection, seq, tail, &mut |_| None)?;
                    let Some(header) = found.header else { continue };
                    steps.push(Step {
                        what,
                        // Several outcomes share one entry about their news, each with its own moment.
                        at: news.map_or(header.at, |(_, at)| at),
                        seq,
                        hash: header.hash(),
                    });
                }
                Ok(())
            })
            .map_err(|Failed(error)| error)?;
        Ok(steps)
    }
}

/// An error of either side, while a reader is borrowed.
pub(crate) struct Failed(pub(crate) StoreError);

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Self {
        Self(fault::journal(error))
    }
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

fn other_kind(seq: Seq) -> StoreError {
    damaged(
        JOURNAL,
        format_args!("event {seq} is of another kind than it was written as"),
    )
}

/// How an ask ended, as its asker may be told; nothing when that was erased.
fn closing_of(
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
            let closing = event.closing().ok_or_else(|| other_kind(seq))?;
            match closing.outcome {
                // An answer means nothing without what it answers.
                Outcome::Answered(_) if is_ask_lost => stand_in(LOST_OUTCOME),
                Outcome::Answered(_) if is_secret_lost => stand_in(LOST_SECRET),
                _ => Ok(Some(Arc::clone(closing))),
            }
        }
    }
}

/// The secret of a gap; nothing once it was erased. One that is there and does not open is lost.
fn unseal(
    view: &rusqlite::Connection,
    sealer: &Sealer,
    gap: Gap,
    lost: &mut bool,
) -> Option<sayso_core::text::Secret> {
    let bytes: Vec<u8> = view
        .prepare_cached("SELECT bytes FROM sealed WHERE opened = ?1 AND seq = ?2 AND gap = ?3")
        .and_then(|mut statement| {
            statement.query_row(
                (
                    number(gap.opened.0),
                    number(gap.seq.0),
                    number(gap.number as u64),
                ),
                |row| row.get(0),
            )
        })
        .ok()?;
    let secret = sealer.open_sealed(gap, &bytes);
    if secret.is_none() {
        *lost = true;
        tracing::error!(
            event = gap.seq.0,
            "a sealed secret does not open with this key file"
        );
    }
    secret
}
