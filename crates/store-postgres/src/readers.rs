//! Connections for reading. Each of a node begins with a barrier: what a primary shows that came back from
//! a crash is read only once its standby has it, too.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Connect, Hook, HookError, Pool, Runtime};
use sayso_store::{NodeId, StoreError};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};

use crate::fault;
use crate::link::{LinkNews, drive};
use crate::setup::{BarrierWord, small_write};
use crate::target::{ANSWER, PgConnected, PgHosts, PgTarget};

/// How long a reader waits for a connection.
const WAIT: Duration = Duration::from_secs(10);

/// Connections for reading. Those of a command, which is no node, begin without a barrier.
pub(crate) fn pool(target: &PgTarget, node: Option<NodeId>) -> Result<Pool, StoreError> {
    let opener = ReaderOpener {
        hosts: Arc::clone(target.hosts()),
        session: target.session(),
        node,
    };
    // The opener has its own settings for each host; these are never looked at.
    let opener = deadpool_postgres::Manager::from_connect(
        Config::new(),
        opener,
        deadpool_postgres::ManagerConfig::default(),
    );
    Pool::builder(opener)
        // One more for the projector.
        .max_size(target.settings.readers.max(1) + 1)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(WAIT))
        .pre_recycle(recycler(target))
        .build()
        .map_err(|error| fault::unusable("could not keep connections to PostgreSQL open", error))
}

/// What refuses connections that were opened before the last renewal.
fn recycler(target: &PgTarget) -> Hook {
    let hosts = Arc::clone(target.hosts());
    Hook::sync_fn(move |_, metrics| {
        if metrics.created < hosts.renewed() {
            return Err(HookError::message(
                "it may lead to a server that is no longer the primary",
            ));
        }
        Ok(())
    })
}

/// What opens them.
struct ReaderOpener {
    hosts: Arc<PgHosts>,
    session: String,
    node: Option<NodeId>,
}

impl ReaderOpener {
    async fn begin(&self, client: &Client, news: &LinkNews) -> Result<BarrierWord, Error> {
        client.batch_execute(&self.session).await?;
        match self.node {
            Some(node) => small_write(client, news, node).await,
            None => Ok(BarrierWord::Stands),
        }
    }

    async fn open(&self) -> Result<(Client, JoinHandle<()>), Error> {
        let connected = match self.hosts.connect().await {
            Ok(connected) => connected,
            Err(tried) => {
                match tried.into_iter().find_map(|(_, error)| error.said()) {
                    Some(error) => return Err(error),
                    // Every host was silent; the pool says so once its own time is over.
                    None => std::future::pending().await,
                }
            }
        };
        let PgConnected {
            client,
            connection,
            host,
        } = connected;
        let news = Arc::<LinkNews>::default();
        let driver = tokio::spawn(drive(connection, Arc::clone(&news), String::new()));
        self.hosts.reads_at(host, driver.abort_handle());
        let begun = tokio::time::timeout(ANSWER, self.begin(&client, &news)).await;
        let why = match begun {
            Ok(begun) => begun?.check(),
            Err(_) => Err(fault::later("PostgreSQL does not respond")),
        };
        let Err(why) = why else {
            return Ok((client, driver));
        };
        // The pool takes no reasons of ours: it is told that the connection is closed, and it is.
        tracing::warn!(%why, "dropped a connection for reading");
        driver.abort();
        match client.batch_execute("").await {
            Err(closed) => Err(closed),
            Ok(()) => std::future::pending().await,
        }
    }
}

type Opening<'a> =
    Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), Error>> + Send + 'a>>;

impl Connect for ReaderOpener {
    fn connect(&self, _: &Config) -> Opening<'_> {
        Box::pin(self.open())
    }
}
