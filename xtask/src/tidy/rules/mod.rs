//! The rules, one file each. A rule that needs an exception keeps it in its own table, with the
//! reason beside it.

pub(super) mod arrows;
pub(super) mod dialect_rooms;
pub(super) mod events;
pub(super) mod machine_paths;
pub(super) mod marks;
pub(super) mod module_doc;
pub(super) mod module_files;
pub(super) mod outside;
pub(super) mod serde_derives;
pub(super) mod size;
pub(super) mod type_names;
pub(super) mod unsafe_code;
pub(super) mod words;
