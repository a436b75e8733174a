//! The journal's file: append-only rows, a header that is chained and a body that can be erased.

mod about;
mod file;
mod migrate;
mod row;
mod statement;
mod used;
mod writer;

pub(crate) use about::{note, put};
pub(crate) use file::{Log, check_newer, create, path_in};
#[cfg(test)]
pub(crate) use migrate::{MIGRATIONS, migrate, version};
pub(crate) use row::{found_after, found_at, header_at, last_seq};
pub(crate) use sayso_store_sql::journal::{End, Found, Tail, What, mended};
pub(crate) use sayso_store_sql::sql::number;
pub(crate) use statement::truncate_log;
pub(crate) use used::read as read_used;
pub(crate) use writer::Writer;
