//! `sayso key`: the key that the nodes of one journal share.

use sayso_store_sqlite::make_key;

use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::{KeyCommand, KeyFlags};
use crate::output::Output;

pub(crate) fn run(flags: &KeyFlags, out: &mut Output) -> Ran {
    let KeyCommand::New { file } = &flags.command;
    let path = std::path::absolute(file)
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    make_key(&path)?;
    let shown = path.display();
    out.data(&format!("{shown}"))?;
    out.say(&format!(
        "Made a key that only you can read. Copy it to every node and start each with \
         `--key-file {shown}`.\nStore a copy with your backups: without it, secrets that no \
         agent has received yet can't be opened."
    ));
    Ok(Exit::Done)
}
