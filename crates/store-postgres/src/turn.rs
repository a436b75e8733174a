//! Turns: take the queue's place, read what others wrote, decide, append at the next places, commit.
//!
//! The primary key of the place is the law: it lets one transaction ever have a place. The lock is
//! politeness: it keeps the queue fair and saves work that would be refused. Nothing here guesses how a
//! commit ended: whoever has the turn can read it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sayso_core::id::{Seq, TokenId};
use sayso_core::time::Time;
use sayso_store::{Decide, Since, StoreError, StoredEvent};
use sayso_store_sql::journal::{End, JournalRow, stored};
use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

use crate::batch::TurnBatch;
use crate::fault;
use crate::faults::point;
use crate::inner::PgInner;
use crate::journal::{RowWindow, value};
use crate::neighbours::steady_now;
use crate::others_read::OthersRead;
use crate::setup::number_of;
use crate::write_link::{WriteLink, send, take_once};

/// How often a turn goes back to read what others wrote before it gives up.
const CATCH_UPS_MAX: usize = 1000;
/// The pause before a lost connection is opened again, at first and at most.
const PAUSE: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// What a turn begins with.
struct Taken {
    others: Vec<JournalRow>,
    end: End,
    now: Time,
}

/// How a turn that could not be taken is gone on with.
pub(crate) enum NotTaken {
    /// The connection is gone, and nothing was decided yet.
    Lost(StoreError),
    /// The turn is refused.
    Refused(StoreError),
}

/// Whoever takes turns for this node, one at a time.
pub(crate) struct TurnWriter {
    inner: Arc<PgInner>,
    /// Absent after a failure, until it is opened again.
    link: Option<WriteLink>,
    level: u32,
}

impl TurnWriter {
    pub(crate) fn new(inner: Arc<PgInner>, level: u32) -> Self {
        Self {
            inner,
            link: None,
            level,
        }
    }

    /// One turn, from taking it to knowing how it ended.
    pub(crate) async fn turn(
        &mut self,
        after: Seq,
        decide: Decide,
    ) -> Result<Vec<Seq>, StoreError> {
        self.inner.check_refused()?;
        let taken = match self.take(after).await {
            Ok(taken) => taken,
            Err(NotTaken::Refused(error)) => return Err(error),
            // Nothing was decided: what a restart of PostgreSQL took is taken again.
            Err(NotTaken::Lost(_)) => self.take(after).await.map_err(|not| match not {
                NotTaken::Lost(error) | NotTaken::Refused(error) => error,
            })?,
        };
        point("turn_taken");
        let others = match self.others(after, taken.others) {
            Ok(others) => others,
            Err(error) => {
                // Others need not wait until PostgreSQL finds that nothing comes.
                self.drop_turn().await;
                return Err(error);
            }
        };
        let since = Since {
            others,
            now: Some(taken.now),
        };
        let entries = decide(since);
        let uses = self.inner.take_uses();
        let batch = TurnBatch::new(
            &entries,
            taken.end,
            number_of(self.inner.node),
            self.level,
            &self.inner.sealer,
            &uses,
        );
        match batch {
            Ok(Some(batch)) => self.write(batch, uses).await,
            Ok(None) => {
                self.inner.give_uses(uses);
                self.drop_turn().await;
                Ok(Vec::new())
            }
            Err(error) => {
                self.inner.give_uses(uses);
                self.drop_turn().await;
                Err(error)
            }
        }
    }

    async fn drop_turn(&mut self) {
        if let Some(link) = &self.link {
            link.roll_back().await;
        }
    }

    async fn linked(&mut self) -> Result<&WriteLink, StoreError> {
        let open = match self.link.take() {
            Some(link) if !link.link.client.is_closed() => link,
            Some(_) | None => WriteLink::open(&self.inner).await?,
        };
        Ok(self.link.insert(open))
    }

    /// Takes the turn. What is more than one turn takes in is read on without it.
    async fn take(&mut self, after: Seq) -> Result<Taken, NotTaken> {
        let (lock, known) = (self.inner.target.settings.turn_lock(), self.inner.known());
        let inner = Arc::clone(&self.inner);
        let link = self.linked().await.map_err(|error| match error {
            StoreError::TryLater { .. } => NotTaken::Lost(error),
            error => NotTaken::Refused(error),
        })?;
        let mut read = OthersRead::after(after);
        for _ in 0..CATCH_UPS_MAX {
            let taken = inner
                .target
                .answer(&link.link, take_once(link, lock, read.from));
            let (rows, now) = match taken.await.map_err(NotTaken::Lost)? {
                Ok(taken) => taken,
                Err(error) => {
                    let is_lost = link.link.client.is_closed() || error.is_closed();
                    link.roll_back().await;
                    let error = fault::journal(error);
                    return Err(if is_lost {
                        NotTaken::Lost(error)
                    } else {
                        NotTaken::Refused(error)
                    });
                }
            };
            let lives = value(&now, 2).and_then(|moved| {
                inner.check_life(moved, &value::<String>(&now, 3)?, value(&now, 4)?)?;
                inner.check_lost(value::<Option<u64>>(&now, 5)?.map(Seq))
            });
            let chained = lives.and_then(|()| read.take_in(&inner, known, rows));
            let viewed = value::<Option<u64>>(&now, 1);
            let taken = chained.and_then(|is_whole| {
                if let Some(rows) = viewed? {
                    inner.saw_views(Seq(rows));
                }
                Ok((is_whole, Time::from_millis(value(&now, 0)?)))
            });
            match taken {
                Ok((true, now)) => {
                    return Ok(Taken {
                        others: read.rows,
                        end: read.end,
                        now,
                    });
                }
                Ok((false, _)) => {
                    // The others need not wait while this node reads on.
                    link.roll_back().await;
                    read.on(&inner, link, known).await?;
                }
                Err(error) => {
                    link.roll_back().await;
                    return Err(NotTaken::Refused(error));
                }
            }
        }
        let why = "other nodes write faster than this node can read";
        Err(NotTaken::Refused(fault::later(why)))
    }

    /// What others wrote, as the hub is told.
    fn others(&self, after: Seq, rows: Vec<JournalRow>) -> Result<Vec<StoredEvent>, StoreError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let count = rows.len();
        let found = RowWindow::of(rows).found_after(after, count)?;
        Ok(found
            .into_iter()
            .map(|found| {
                self.inner.note(&found);
                stored(found)
            })
            .collect())
    }

    /// Writes what was decided and waits until it is durable.
    async fn write(
        &mut self,
        batch: TurnBatch,
        uses: BTreeMap<TokenId, Time>,
    ) -> Result<Vec<Seq>, StoreError> {
        let Some(link) = &self.link else {
            self.inner.give_uses(uses);
            return Err(fault::later("lost the connection to PostgreSQL"));
        };
        let news = &link.link.news;
        news.warned.store(false, Ordering::SeqCst);
        let began = steady_now();
        let sent = send(link, &self.inner, &batch);
        let sent = self.inner.target.answer(&link.link, sent).await;
        point("turn_written");
        let is_warned = news.warned.load(Ordering::SeqCst);
        let doubt = match sent {
            // The transaction is over, and nothing of it is stored.
            Ok((Err(error), _)) if is_certain(&error) => {
                self.inner.give_uses(uses);
                return Err(refused(&error));
            }
            // The server waited for its standby and was told to stop: what it has, the standby may not.
            Ok((Ok(()), Ok(()))) => is_warned.then(|| "PostgreSQL gave a warning".to_owned()),
            // After a statement that failed, a commit ends well and stores nothing.
            Ok((Err(error), _) | (Ok(()), Err(error))) => Some(fault::told(&error)),
            Err(silent) => Some(silent.to_string()),
        };
        match doubt {
            None => self.inner.pulse.acknowledged(began, batch.end.seq),
            Some(why) => self.settle(&batch, &why).await?,
        }
        point("turn_committed");
        self.level = batch.level;
        self.inner.damages.forget(batch.erased.into_iter());
        self.inner.wrote(batch.first.0, batch.end);
        Ok(batch.places)
    }

    /// Finds out how a commit ended: takes the turn, which the old transaction holds until it is over, and
    /// reads its first place. For as long as PostgreSQL is away, nobody knows and nobody is told.
    async fn settle(&mut self, batch: &TurnBatch, why: &str) -> Result<(), StoreError> {
        tracing::warn!(why, event = batch.first.0.0, "a commit is in doubt");
        let mut pause = PAUSE;
        loop {
            self.link = None;
            match self.committed(batch.first).await {
                Ok(true) => {
                    tracing::warn!(event = batch.first.0.0, "it was committed");
                    return Ok(());
                }
                Ok(false) => {
                    tracing::warn!(event = batch.first.0.0, "it was not committed");
                    return Err(fault::later(format_args!(
                        "PostgreSQL did not commit: {why}"
                    )));
                }
                Err(error @ StoreError::Damaged { .. }) => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "PostgreSQL is unreachable; a commit stays in doubt");
                }
            }
            if self.inner.rest(pause).await {
                return Err(fault::later("the server is stopping"));
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    async fn committed(&mut self, (seq, hash): (Seq, [u8; 32])) -> Result<bool, StoreError> {
        let inner = Arc::clone(&self.inner);
        let lock = inner.target.settings.turn_lock();
        let link = self.linked().await?;
        let client = &link.link.client;
        let there = async {
            client
                .batch_execute("BEGIN")
                .await
                .map_err(fault::journal)?;
            let locked = client.query(&link.lock, &[&lock]).await;
            locked.map_err(fault::journal)?;
            let there = link.hash_at(seq).await;
            link.roll_back().await;
            there
        };
        Ok(inner.target.answer(&link.link, there).await?? == Some(hash))
    }
}

/// Whether an error says for certain that the transaction is over without a trace.
fn is_certain(error: &Error) -> bool {
    error
        .as_db_error()
        .is_some_and(|said| said.parsed_severity() == Some(Severity::Error))
}

fn refused(error: &Error) -> StoreError {
    let said = fault::told(error);
    let close = error.as_db_error().and_then(|said| said.constraint()) == Some("one_close");
    if close {
        // The turn decides on the state before it, so that this cannot happen.
        tracing::error!("an ask was about to end twice; nothing was stored: {said}");
    } else if error.code() == Some(&SqlState::UNIQUE_VIOLATION) {
        tracing::warn!("another node took the place; nothing was stored: {said}");
    }
    fault::later(format_args!("PostgreSQL: {said}"))
}
