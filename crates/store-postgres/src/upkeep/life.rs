//! Another life of a journal in PostgreSQL: a backup is put in its place, or a loss is accepted.

use sayso_core::id::Seq;
use sayso_store::{NodeRow, StoreError};
use sayso_store_sql::journal::{SqlJournal, last_seq};
use sayso_store_sql::life::{LifeBegins, NewLife, Restored, Revoke};
use sayso_store_sql::seal::Gap;
use sayso_store_sql::sql::{Sql, seq};
use sayso_store_sql::standing::JournalStanding;
use sayso_store_sql::transfer::{copy_beside, copy_rows};
use sayso_store_sql::values;

use super::{PostgresJournal, failing, within};
use crate::fault;
use crate::known::KnownFile;
use crate::neighbours::read_nodes;
use crate::settings::PostgresSettings;
use crate::setup;
use crate::sql::PgSql;
use crate::target::PgTarget;

/// Names that are tried for the schema of the journal of before.
const NAMES_MAX: u32 = 1000;
/// What belongs to the state and not to its journal.
const KEPT: [&str; 3] = ["shelf", "file", "file_part"];

/// What is known of events that a database lost.
#[derive(Debug)]
pub struct LostEvents {
    /// The last event that is there.
    pub end: Seq,
    /// The last event that the node of this state folder, or another one that said so, knew; if it is not
    /// there.
    pub known: Option<Seq>,
    /// The nodes that were heard of lately, with the last event that each had taken in.
    pub nodes: Vec<NodeRow>,
    /// Open asks that would be void.
    pub open: u64,
}

/// Puts a backup, which a build of this level reads, in place of the journal of a database and begins
/// another life. `told` hears how far it is.
///
/// The backup is written into a schema of its own, which then takes the name of the other: the journal of
/// before stays whole until then, is kept after it, and nobody ever needs the right to change its rows.
pub fn restore(
    settings: PostgresSettings,
    (backup, level): (&dyn Sql, u32),
    revoke: Revoke,
    begins: LifeBegins,
    told: &mut dyn FnMut(Seq),
) -> Result<Restored, StoreError> {
    let old = PostgresJournal::connect(settings.clone())?;
    let is_there = old.exists()?;
    if is_there {
        old.meta()?.check_key(&old.sealer)?;
    }
    let fresh = PostgresJournal::over(PgTarget::of_any_schema(PostgresSettings {
        schema: format!("{}_restoring", settings.schema),
        ..settings
    })?)?;
    // Two restores at one time would write into the same schema.
    fresh.hold_turn()?;
    fresh.make_anew()?;
    copy_rows(backup, &fresh, told)?;
    copy_beside(backup, &fresh)?;
    fresh.give_up_unopened()?;
    crate::faults::point("restore_copied");
    old.hold_turn()?;
    let before = is_there.then_some(&old.sql as &dyn Sql);
    let life = NewLife::of_backup(backup, Ok(before), revoke, begins)?;
    within(&fresh.sql, "", || {
        fresh.run(&format!("UPDATE meta SET level = {level}"))?;
        fresh.append(level, life.entries())
    })?;
    crate::faults::point("restore_appended");
    let aside = old.take_name_of(&fresh, is_there)?;
    old.notify();
    Ok(life.restored(aside.map(|schema| format!("the schema {schema}"))))
}

impl PostgresJournal {
    /// Makes an empty journal, and removes what an earlier try left.
    fn make_anew(&self) -> Result<(), StoreError> {
        let schema = &self.target.settings.schema;
        within(&self.sql, "", || {
            self.run(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE"))?;
            let client = self.sql.client();
            let made = setup::migrate(client, &self.target.settings, &self.sealer);
            self.runtime.block_on(made)
        })
    }

    /// Gives up secrets that this key does not open. An empty row tells them from erased ones.
    fn give_up_unopened(&self) -> Result<(), StoreError> {
        let sql: &dyn Sql = &self.sql;
        let some = "SELECT opened, seq, gap, bytes FROM sealed WHERE length(bytes) > 0 LIMIT 1";
        let opens = sql.first(some, values![], |row| {
            let gap = Gap {
                opened: seq(row, 0)?,
                seq: seq(row, 1)?,
                number: usize::try_from(row.get::<u64>(2)?).unwrap_or_default(),
            };
            let bytes: Vec<u8> = row.get(3)?;
            Ok(self.sealer.open_sealed(gap, &bytes).is_some())
        });
        if failing(&self.sql, opens)? == Some(false) {
            self.run("UPDATE sealed SET bytes = ''")?;
            tracing::warn!(
                "discarded secrets that no agent had received; their agents are told to ask again"
            );
        }
        Ok(())
    }

    /// Gives the name of this journal to another, in one transaction. Says under which name this one is
    /// kept.
    fn take_name_of(&self, fresh: &Self, is_there: bool) -> Result<Option<String>, StoreError> {
        let (name, new) = (&self.target.settings.schema, &fresh.target.settings.schema);
        within(&self.sql, "", || {
            let mut aside = None;
            if is_there {
                let free = free_name(&self.sql, name)?;
                for table in KEPT {
                    self.run(&format!("DROP TABLE IF EXISTS {new}.{table} CASCADE"))?;
                }
                for table in KEPT {
                    self.run(&format!("ALTER TABLE {name}.{table} SET SCHEMA {new}"))?;
                }
                // A node that still runs must never find its number given to another.
                self.run(&format!(
                    "SELECT setval(pg_get_serial_sequence('{new}.node', 'node'),
                                   greatest((SELECT max(node) FROM {name}.node), 1))"
                ))?;
                self.run(&format!("ALTER SCHEMA {name} RENAME TO {free}"))?;
                aside = Some(free);
            }
            self.run(&format!("ALTER SCHEMA {new} RENAME TO {name}"))?;
            Ok(aside)
        })
    }

    /// What is known of events that the database lost.
    pub fn lost(&self) -> Result<LostEvents, StoreError> {
        let meta = self.meta()?;
        let known = KnownFile::open(self.target.settings.known.clone(), &meta.life);
        let (missing, nodes) = self.runtime.block_on(async {
            let client = self.sql.client();
            Ok::<_, StoreError>((known.missing(client).await?, read_nodes(client).await?))
        })?;
        Ok(LostEvents {
            end: last_seq(SqlJournal(&self.sql))?,
            known: missing.or(meta.lost),
            nodes,
            open: JournalStanding::read(&self.sql)?.open_asks(),
        })
    }

    /// Begins another life of the journal as it is now: what is open is void. Says how much that was.
    pub fn accept_loss(&self, begins: LifeBegins) -> Result<u64, StoreError> {
        self.hold_turn()?;
        let meta = self.meta()?;
        meta.check_lives_here()?;
        meta.check_key(&self.sealer)?;
        let life = NewLife::after_loss(&self.sql, begins)?;
        within(&self.sql, "", || {
            self.append(meta.level, life.entries())?;
            self.run("UPDATE meta SET life = gen_random_uuid(), lost = NULL")
        })?;
        self.notify();
        Ok(life.void())
    }
}

/// A name for the schema of the journal of before that no schema has.
fn free_name(sql: &PgSql, schema: &str) -> Result<String, StoreError> {
    let taken = (sql as &dyn Sql).all(
        "SELECT CAST(nspname AS text) FROM pg_catalog.pg_namespace",
        values![],
        |row| row.get::<String>(0),
    );
    let taken = failing(sql, taken)?;
    let names = (1..NAMES_MAX).map(|number| match number {
        1 => format!("{schema}_before_restore"),
        number => format!("{schema}_before_restore_{number}"),
    });
    let mut free = names.filter(|name| !taken.contains(name));
    free.next().ok_or_else(|| {
        fault::unusable(
            "there are a thousand previous journals",
            "drop some of their schemas",
        )
    })
}
