//! Opening: the database is made ready, and everything that the parts share is put together.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use sayso_core::id::Seq;
use sayso_store::StoreError;
use sayso_store_sql::damage::Damages;
use sayso_store_sql::journal::{End, SqlJournal, Tail, last_seq};
use sayso_store_sql::seal::Sealer;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::fault;
use crate::inner::PgInner;
use crate::known::KnownFile;
use crate::neighbours::{Bus, Pulse};
use crate::old_views::drop_old_views;
use crate::projector::ProjectorBell;
use crate::readers::pool;
use crate::settings::PostgresSettings;
use crate::setup::{self, PgReady};
use crate::sql::PgSql;
use crate::target::PgTarget;

/// What opening gives.
pub(crate) struct OpenedJournal {
    pub(crate) inner: Arc<PgInner>,
    pub(crate) rung: Receiver<()>,
    pub(crate) level: u32,
}

/// Opens everything, on the runtime that will drive the connections.
pub(crate) async fn open(
    settings: PostgresSettings,
    runtime: Handle,
) -> Result<OpenedJournal, StoreError> {
    let fresh_for = settings.fresh_for;
    let target = PgTarget::new(settings)?;
    let sealer = Sealer::with(&target.settings.key);
    let PgReady {
        link,
        node,
        durability,
        meta,
    } = setup::ready(&target, &sealer).await?;
    let known = KnownFile::open(target.settings.known.clone(), &meta.life);
    known.check(&link.client).await?;
    meta.check_whole()?;
    drop(link);
    let pool = pool(&target, Some(node))?;
    let (handle, readers) = (runtime.clone(), pool.clone());
    let settings = target.settings.clone();
    let loaded = runtime.spawn_blocking(move || {
        let sql = PgSql::take(&handle, &readers)?;
        if let Err(error) = drop_old_views(&sql, &settings) {
            tracing::warn!(%error, "the lists and search of an older version still exist");
        }
        let seq = last_seq(SqlJournal(&sql))?;
        let damages = Damages::load(&sql, Tail { seq, hash: None });
        sql.flush()
            .map_err(|error| SqlJournal(&sql).error(&error))?;
        damages
    });
    let gone = |error| fault::later(format_args!("opening was aborted: {error}"));
    let damages = loaded.await.map_err(gone)??;
    let (bell, rung) = ProjectorBell::new();
    let inner = Arc::new(PgInner {
        target,
        node,
        sealer,
        durability,
        pool,
        runtime,
        damages,
        bell,
        head: watch::Sender::new(Seq::ZERO),
        rows: watch::Sender::new(Seq::ZERO),
        stop: watch::Sender::new(false),
        end: Mutex::new(End::of(None)),
        own: Mutex::default(),
        refusal: Mutex::default(),
        away: Mutex::default(),
        uses: Mutex::new(BTreeMap::new()),
        pulse: Pulse::new(fresh_for, meta.level),
        bus: Bus::default(),
        known_file: known,
        ended: watch::Sender::new(None),
    });
    let level = meta.level;
    Ok(OpenedJournal { inner, rung, level })
}
