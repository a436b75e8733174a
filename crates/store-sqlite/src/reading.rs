//! Reading back: an ask whole, events in their order, the story of an ask.

use sayso_core::id::{Place, Seq};
use sayso_core::journal::Event;
use sayso_core::limits::FEED_REPLAY_MAX;
use sayso_store::{Step, StepKind, StoreError, StoredEvent, Told};

use crate::fault::{self, JOURNAL, damaged};
use crate::journal::{self, number};
use crate::seal::{Gap, Sealer};
use crate::store::Inner;

impl Inner {
    pub(crate) fn read(&self, place: Place) -> Result<Told, StoreError> {
        self.journal
            .with(|connection| {
                // One view: a body erased between two reads must not look half there.
                let view = connection.unchecked_transaction().map_err(Failed::from)?;
                let event = |seq: Seq| -> Result<Option<Event>, StoreError> {
                    let row = journal::row_at(&view, seq)?
                        .ok_or_else(|| damaged(JOURNAL, format_args!("event {seq} is missing")))?;
                    journal::decode(&row, &mut |gap| {
                        unseal(
                            &view,
                            &self.sealer,
                            Gap {
                                opened: place.opened,
                                seq,
                                number: gap,
                            },
                        )
                    })
                };
                let not_ours = |seq: Seq| {
                    damaged(
                        JOURNAL,
                        format_args!("event {seq} is of another kind than it was written as"),
                    )
                };
                let ask = match event(place.opened)? {
                    Some(Event::Asked(ask)) => ask,
                    Some(_) => return Err(not_ours(place.opened).into()),
                    None => return Ok(Told::Erased),
                };
                let closing = match place.closed.map(|seq| (seq, event(seq))) {
                    None => None,
                    Some((_, Ok(Some(Event::Closed { closing, .. })))) => Some(closing),
                    Some((seq, Ok(Some(_)))) => return Err(not_ours(seq).into()),
                    Some((_, Ok(None))) => return Ok(Told::Erased),
                    Some((_, Err(error))) => return Err(error.into()),
                };
                let late = match place.late.map(|seq| (seq, event(seq))) {
                    None => None,
                    Some((_, Ok(Some(Event::AnsweredLate { late, .. })))) => Some(late),
                    Some((seq, Ok(Some(_)))) => return Err(not_ours(seq).into()),
                    Some((_, Ok(None))) => return Ok(Told::Erased),
                    Some((_, Err(error))) => return Err(error.into()),
                };
                Ok::<_, Failed>(Told::Whole { ask, closing, late })
            })
            .map_err(|Failed(error)| error)
    }

    pub(crate) fn events(&self, after: Seq, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        // Nothing is shown before its commit is known to be durable.
        let left = usize::try_from(self.end().seq.0.saturating_sub(after.0)).unwrap_or(usize::MAX);
        let limit = limit
            .min(left)
            .min(usize::try_from(FEED_REPLAY_MAX).unwrap_or(usize::MAX));
        let mut events = Vec::new();
        self.journal
            .with(|connection| {
                journal::walk(connection, after, limit, |row| {
                    let event = journal::decode(&row, &mut |_| None)?;
                    events.push(StoredEvent {
                        seq: row.seq,
                        at: row.header.at,
                        event,
                    });
                    Ok(())
                })
                .map_err(Failed)
            })
            .map_err(|Failed(error)| error)?;
        Ok(events)
    }

    pub(crate) fn events_at(&self, places: &[Seq]) -> Result<Vec<StoredEvent>, StoreError> {
        let end = self.end().seq;
        self.journal
            .with(|connection| {
                let view = connection.unchecked_transaction().map_err(Failed::from)?;
                let mut events = Vec::with_capacity(places.len());
                for seq in places.iter().filter(|seq| **seq <= end) {
                    let Some(row) = journal::row_at(&view, *seq)? else {
                        continue;
                    };
                    events.push(StoredEvent {
                        seq: row.seq,
                        at: row.header.at,
                        event: journal::decode(&row, &mut |_| None)?,
                    });
                }
                Ok::<_, Failed>(events)
            })
            .map_err(|Failed(error)| error)
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
        let mut steps = Vec::new();
        self.journal
            .with(|connection| {
                for (what, seq, news) in told {
                    let Some(seq) = seq else { continue };
                    let Some(row) = journal::row_at(connection, seq)? else {
                        continue;
                    };
                    steps.push(Step {
                        what,
                        // Several outcomes share one entry about their news, each with its own moment.
                        at: news.map_or(row.header.at, |(_, at)| at),
                        seq,
                        hash: row.header.hash(),
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

fn unseal(
    view: &rusqlite::Connection,
    sealer: &Sealer,
    gap: Gap,
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
        tracing::error!(
            event = gap.seq.0,
            "a sealed secret does not open with this key file"
        );
    }
    secret
}
