//! One connection to PostgreSQL, and what the server says on it unasked.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use sayso_store::StoreError;
use tokio::sync::Notify;
use tokio_postgres::error::Severity;
use tokio_postgres::{AsyncMessage, Client};

use crate::fault;
use crate::inner::locked;
use crate::target::{PgConnection, PgTarget};

/// Notifications that wait for one look; what is more is lost.
const WORDS_MAX: usize = 4096;

/// What the server said unasked.
#[derive(Debug, Default)]
pub(crate) struct LinkNews {
    /// A warning came. During a write it means that nothing is certain.
    pub(crate) warned: AtomicBool,
    /// A notification came.
    pub(crate) notified: Notify,
    /// What notifications of the bus said; at most so much as one look takes.
    pub(crate) words: Mutex<Vec<String>>,
}

/// A connection. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct PgLink {
    pub(crate) client: Arc<Client>,
    pub(crate) news: Arc<LinkNews>,
}

impl PgTarget {
    /// Opens a connection and drives it on the runtime of whoever calls.
    pub(crate) async fn link(&self) -> Result<PgLink, StoreError> {
        let connected = self.connect().await;
        self.driven(connected.map_err(|refusal| refusal.for_now())?)
            .await
    }

    /// The same at a start, where nothing is waited for that stays as it is.
    pub(crate) async fn first_link(&self) -> Result<PgLink, StoreError> {
        let connected = self.connect().await;
        self.driven(connected.map_err(|refusal| refusal.at_start())?)
            .await
    }

    async fn driven(
        &self,
        (client, mut connection): (Client, PgConnection),
    ) -> Result<PgLink, StoreError> {
        let news = Arc::<LinkNews>::default();
        let (heard, bus) = (Arc::clone(&news), self.settings.bus());
        tokio::spawn(async move {
            while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
                match message {
                    Ok(AsyncMessage::Notice(notice)) => {
                        if notice.parsed_severity() == Some(Severity::Warning) {
                            tracing::warn!(code = notice.code().code(), "PostgreSQL: {notice}");
                            heard.warned.store(true, Ordering::SeqCst);
                        }
                    }
                    Ok(AsyncMessage::Notification(word)) => {
                        let mut words = locked(&heard.words);
                        if words.len() < WORDS_MAX && word.channel() == bus {
                            words.push(word.payload().to_owned());
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
        });
        let link = PgLink {
            client: Arc::new(client),
            news,
        };
        let settings = self.session();
        let set = link.client.batch_execute(&settings).await;
        set.map_err(fault::journal)?;
        Ok(link)
    }

    /// What every connection sets. Plans must not hang on statistics: tables without any made PostgreSQL
    /// read all of them for a few rows. Everything is found by an index, and so is what is joined to it.
    pub(crate) fn session(&self) -> String {
        format!(
            "SET search_path = {}, {};
             SET synchronous_commit = on;
             SET client_min_messages = warning;
             SET standard_conforming_strings = on;
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

/// What a connection that only walks the journal sets beside that. Words are searched with bitmaps.
pub(crate) const WALK: &str = "SET enable_bitmapscan = off";
