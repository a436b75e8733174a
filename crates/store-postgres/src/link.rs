//! One connection to PostgreSQL, and what the server says on it unasked.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use sayso_store::StoreError;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_postgres::error::Severity;
use tokio_postgres::{AsyncMessage, Client};

use crate::fault;
use crate::inner::locked;
use crate::target::{ANSWER, HostNumber, PgConnected, PgConnection, PgTarget};

/// Notifications that wait for one look; what is more is lost.
const WORDS_MAX: usize = 4096;

/// What the server said unasked.
#[derive(Debug, Default)]
pub(crate) struct LinkNews {
    /// A warning came. During a write it means that nothing is certain.
    pub(crate) warned: AtomicBool,
    /// A notification came that is not our own.
    pub(crate) notified: Notify,
    /// What this node itself says when it wrote, once that is known.
    pub(crate) own: OnceLock<String>,
    /// What notifications of the bus said; at most so much as one look takes.
    pub(crate) words: Mutex<Vec<String>>,
}

/// A connection. It ends when this is dropped.
#[derive(Debug, Clone)]
pub(crate) struct PgLink {
    pub(crate) client: Arc<Client>,
    pub(crate) news: Arc<LinkNews>,
    pub(crate) host: HostNumber,
    driver: AbortHandle,
}

impl PgLink {
    /// The server hangs: ends the connection without waiting for what it was asked.
    pub(crate) fn cut(&self) {
        self.driver.abort();
    }
}

impl PgTarget {
    /// Opens a connection and drives it on the runtime of whoever calls.
    pub(crate) async fn link(&self) -> Result<PgLink, StoreError> {
        let connected = self.connect().await;
        let link = self
            .driven(connected.map_err(|refusal| refusal.for_now())?)
            .await?;
        self.renew();
        Ok(link)
    }

    /// The same at a start, where nothing is waited for that stays as it is.
    pub(crate) async fn first_link(&self) -> Result<PgLink, StoreError> {
        let connected = self.connect().await;
        self.driven(connected.map_err(|refusal| refusal.at_start())?)
            .await
    }

    /// Waits for an answer on a link, and not for ever: a server may take connections and hang, while
    /// another one is the primary. Such a link is of no use any more.
    pub(crate) async fn answer<T>(
        &self,
        link: &PgLink,
        work: impl Future<Output = T>,
    ) -> Result<T, StoreError> {
        if let Ok(done) = tokio::time::timeout(ANSWER, work).await {
            return Ok(done);
        }
        self.distrust(link.host);
        link.cut();
        let waited = ANSWER.as_secs();
        Err(fault::later(format_args!(
            "PostgreSQL did not answer within {waited} s. If it needs a synchronous standby, check that the standby runs"
        )))
    }

    async fn driven(&self, connected: PgConnected) -> Result<PgLink, StoreError> {
        let PgConnected {
            client,
            connection,
            host,
        } = connected;
        let news = Arc::<LinkNews>::default();
        let (heard, bus) = (Arc::clone(&news), self.settings.bus());
        let driver = tokio::spawn(drive(connection, heard, bus));
        let link = PgLink {
            client: Arc::new(client),
            news,
            host,
            driver: driver.abort_handle(),
        };
        let settings = self.session();
        let set = link.client.batch_execute(&settings);
        self.answer(&link, set).await?.map_err(fault::journal)?;
        Ok(link)
    }

    /// What every connection sets. A turn must see what was committed while it waited, whatever the
    /// operator set for other programs. A machine that lost its power says no word: the server finds out by
    /// itself, and frees what was locked. Plans must not hang on statistics: tables without any made PostgreSQL
    /// read all of them for a few rows. Everything is found by an index, and so is what is joined to it.
    pub(crate) fn session(&self) -> String {
        format!(
            "SET search_path = {}, {};
             SET synchronous_commit = on;
             SET client_min_messages = warning;
             SET standard_conforming_strings = on;
             SET default_transaction_isolation = 'read committed';
             SET default_transaction_read_only = off;
             SET default_transaction_deferrable = off;
             SET tcp_keepalives_idle = 2;
             SET tcp_keepalives_interval = 1;
             SET tcp_keepalives_count = 3;
             SET tcp_user_timeout = '10s';
             SET idle_in_transaction_session_timeout = '30s';
             SET statement_timeout = 0;
             SET lock_timeout = '10s';
             SET jit = off;
             SET enable_hashjoin = off;
             SET enable_mergejoin = off;
             SET enable_seqscan = off",
            self.settings.schema,
            self.settings.views_schema()
        )
    }
}

/// Drives a connection until it ends, and keeps what the server says unasked.
pub(crate) async fn drive(mut connection: PgConnection, heard: Arc<LinkNews>, bus: String) {
    while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
        match message {
            Ok(AsyncMessage::Notice(notice)) => {
                if notice.parsed_severity() == Some(Severity::Warning) {
                    tracing::warn!(code = notice.code().code(), "PostgreSQL: {notice}");
                    heard.warned.store(true, Ordering::SeqCst);
                }
            }
            Ok(AsyncMessage::Notification(word)) => {
                if word.channel() == bus {
                    let mut words = locked(&heard.words);
                    if words.len() < WORDS_MAX {
                        words.push(word.payload().to_owned());
                    }
                } else if heard.own.get().is_some_and(|own| own == word.payload()) {
                    // Whoever wrote it knows.
                    continue;
                }
                heard.notified.notify_one();
            }
            Ok(_) => {}
            Err(error) => {
                tracing::debug!(error = fault::told(&error), "a connection ended");
                break;
            }
        }
    }
    // Whoever waits for news finds the connection closed.
    heard.notified.notify_one();
}

/// What a connection that only walks the journal sets beside that. Words are searched with bitmaps.
pub(crate) const WALK: &str = "SET enable_bitmapscan = off";
