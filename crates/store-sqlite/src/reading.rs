//! Reading back: an ask whole, events in their order, the story of an ask.

use sayso_core::id::{Place, Seq};
use sayso_core::limits::FEED_REPLAY_MAX;
use sayso_core::text::Secret;
use sayso_store::{Step, StoreError, StoredAsk, StoredEvent};
use sayso_store_sql::journal::{AskRows, put_together, step, step_places, stored, unsealed};
use sayso_store_sql::seal::{Gap, Sealer};
use sayso_store_sql::sql::{Sql, SqlResult};
use sayso_store_sql::views;

use crate::fault::{self, JOURNAL};
use crate::journal::{self, Found, number};
use crate::store::StoreInner;

impl StoreInner {
    /// Has the projector mend what a reader found broken.
    pub(crate) fn mended<T>(&self, read: Result<T, StoreError>) -> Result<T, StoreError> {
        if read.is_err() && self.views.is_broken() {
            self.signal.wake();
        }
        read
    }

    /// Reads from the projections with one statement.
    pub(crate) fn look<T>(
        &self,
        work: impl FnOnce(&dyn Sql) -> SqlResult<T>,
    ) -> Result<T, StoreError> {
        self.mended(self.views.read(work))
    }

    /// Reads from one view of the projections.
    pub(crate) fn view<T>(
        &self,
        work: impl FnOnce(&dyn Sql) -> SqlResult<T>,
    ) -> Result<T, StoreError> {
        self.mended(self.views.read_in_one_transaction(work))
    }

    pub(crate) fn read(&self, place: Place) -> Result<StoredAsk, StoreError> {
        let tail = self.end().into();
        let rows = self
            .journal
            .with(|connection| {
                // One view: a body erased between two reads must not look half there.
                let view = connection.unchecked_transaction().map_err(Failed::from)?;
                let mut is_secret_lost = false;
                let mut found = |seq: Seq| {
                    journal::found_at(&view, seq, tail, &mut |number| {
                        let opened = place.opened;
                        let gap = Gap {
                            opened,
                            seq,
                            number,
                        };
                        unseal(&view, &self.sealer, gap, &mut is_secret_lost)
                    })
                };
                Ok::<_, Failed>(AskRows {
                    asked: found(place.opened)?,
                    closed: place.closed.map(&mut found).transpose()?,
                    late: place.late.map(&mut found).transpose()?,
                    is_secret_lost,
                })
            })
            .map_err(|Failed(error)| error)?;
        for found in [Some(&rows.asked), rows.closed.as_ref(), rows.late.as_ref()] {
            if let Some(found) = found.filter(|found| found.fault.is_some()) {
                self.note(found);
            }
        }
        put_together(JOURNAL, place, rows, |opened| {
            self.look(|view| views::remains(view, opened))
        })
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
        stored(found)
    }

    pub(crate) fn steps(&self, place: Place) -> Result<Vec<Step>, StoreError> {
        let opened = place.opened;
        let news = self.look(|view| views::news(view, opened))?;
        let shown = self.look(|view| views::shown_on(view, opened))?;
        let tail = self.end().into();
        let mut steps = Vec::new();
        self.journal
            .with(|connection| {
                for told in step_places(place, news, shown) {
                    let found = journal::found_at(connection, told.1, tail, &mut |_| None)?;
                    steps.extend(step(told, &found));
                }
                Ok(())
            })
            .map_err(|Failed(error)| error)?;
        Ok(steps)
    }
}

/// An error of either side, while a reader is borrowed.
#[derive(Debug)]
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

/// The secret of a gap; nothing once it was erased. One that is there and does not open is lost.
fn unseal(
    view: &rusqlite::Connection,
    sealer: &Sealer,
    gap: Gap,
    lost: &mut bool,
) -> Option<Secret> {
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
    unsealed(sealer, gap, &bytes, lost)
}
