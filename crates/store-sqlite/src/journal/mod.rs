//! The journal's file: append-only rows, a header that is chained and a body that can be erased.

mod about;
mod file;
mod migrate;
mod row;
mod statement;
mod used;
mod writer;

pub(crate) use about::{drop_note, note, put, raise};
pub(crate) use file::{Log, check_newer, create, make, open, path_in};
pub(crate) use migrate::version;
#[cfg(test)]
pub(crate) use migrate::{MIGRATIONS, migrate};
pub(crate) use row::{found_after, found_at, header_at};
pub(crate) use sayso_store_sql::journal::{End, Found, mended};
pub(crate) use sayso_store_sql::sql::number;
pub(crate) use statement::{put_rows, truncate_log};
pub(crate) use used::read as read_used;
pub(crate) use writer::Writer;
