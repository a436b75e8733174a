//! The journal's file: append-only rows, a header that is chained and a body that can be erased.

mod about;
mod file;
mod migrate;
mod row;
mod statement;
mod used;
mod writer;

pub(crate) use file::{check_newer, create, path_in};
#[cfg(test)]
pub(crate) use migrate::{MIGRATIONS, migrate, version};
pub(crate) use row::{Row, ask_of, decode, hash_at, number, row_at, rows_after, walk};
pub(crate) use used::read as read_used;
pub(crate) use writer::{End, Writer};
