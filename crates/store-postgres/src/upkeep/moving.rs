//! A journal that moves to another place, or arrives from one.
//!
//! The row about the journal says so, and no node starts on a journal that has left or is not whole yet.
//! Nodes that run find it with their next turn, and write nothing in it.

use std::sync::atomic::Ordering;

use sayso_store::StoreError;
use tokio_postgres::types::ToSql;

use super::{PostgresJournal, within};
use crate::fault;
use crate::settings::PostgresSettings;
use crate::setup;

impl PostgresJournal {
    /// The journal that leaves. No node writes as long as this lives.
    pub fn leaving(settings: PostgresSettings) -> Result<Self, StoreError> {
        let place = settings.shown_place();
        let journal = Self::connect(settings)?;
        if !journal.exists()? {
            return Err(fault::unusable(
                format!("there is no journal at {place}"),
                "set the database of the nodes with --store",
            ));
        }
        journal.meta()?.check_key(&journal.sealer)?;
        journal.hold_turn()?;
        Ok(journal)
    }

    /// A database for a journal that arrives. In an empty one a journal is made that is not whole yet.
    pub fn arriving(settings: PostgresSettings) -> Result<Self, StoreError> {
        let journal = Self::connect(settings)?;
        let settings = &journal.target.settings;
        within(&journal.sql, "", || {
            let lock = settings.schema_lock();
            journal.run(&format!("SELECT pg_advisory_xact_lock({lock})"))?;
            if journal.exists()? {
                return Ok(());
            }
            let made = setup::migrate(journal.sql.client(), settings, &journal.sealer);
            journal.runtime.block_on(made)?;
            journal.run("UPDATE meta SET arriving = true")
        })?;
        journal.hold_turn()?;
        journal.meta()?.check_key(&journal.sealer)?;
        Ok(journal)
    }

    /// What a build must know to read it.
    pub fn level(&self) -> Result<u32, StoreError> {
        Ok(self.meta()?.level)
    }

    /// Where the state lives now, if it has left.
    pub fn moved(&self) -> Result<Option<String>, StoreError> {
        Ok(self.meta()?.moved)
    }

    /// Whether the state lives here.
    pub fn is_living(&self) -> Result<bool, StoreError> {
        Ok(self.meta()?.check_lives_here().is_ok())
    }

    /// Begins to take a journal in that a build of this level reads.
    pub fn begin(&self, level: u32) -> Result<(), StoreError> {
        self.run(&format!(
            "UPDATE meta SET arriving = true, moved = NULL, level = greatest(level, {level}), life = gen_random_uuid()"
        ))
    }

    /// Says that the state lives elsewhere from now on.
    pub fn leave(&self, place: &str) -> Result<(), StoreError> {
        self.write_for_good("UPDATE meta SET moved = $1", &[&place])?;
        self.notify();
        Ok(())
    }

    /// Says that the state is whole and lives here from now on.
    pub fn settle(&self) -> Result<(), StoreError> {
        self.write_for_good("UPDATE meta SET arriving = false", &[])
    }

    /// Writes about the journal, on a connection that hears when the server was told not to wait for its
    /// standby: a state that lives twice after a failover is worse than a command that is run again.
    fn write_for_good(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<(), StoreError> {
        self.runtime.block_on(async {
            let link = self.target.first_link().await?;
            link.news.warned.store(false, Ordering::SeqCst);
            let written = link.client.execute(sql, values).await;
            written.map_err(fault::journal)?;
            if link.news.warned.load(Ordering::SeqCst) {
                return Err(fault::later(
                    "PostgreSQL was told not to wait for its standby. Run the same command again",
                ));
            }
            Ok(())
        })
    }
}
