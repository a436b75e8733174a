//! The journal's file: append-only rows, a header that is chained and a body that can be erased.

mod about;
mod file;
mod found;
mod migrate;
mod row;
mod statement;
mod used;
mod writer;

pub(crate) use about::{note, put};
pub(crate) use file::{Log, check_newer, create, path_in};
pub(crate) use found::{Found, Tail, What, found_after, found_at, mended};
#[cfg(test)]
pub(crate) use migrate::{MIGRATIONS, migrate, version};
pub(crate) use row::{Row, ask_of, decode, header_at, last_seq, number, rows_after};
pub(crate) use statement::truncate_log;
pub(crate) use used::read as read_used;
pub(crate) use writer::{End, Writer};
