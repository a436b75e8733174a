//! `sayso mcp`: the tools of an agent on standard input and output.

use sayso_bridges::mcp::{HOLD, serve};

use super::hook::server_access;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Ran;
use crate::flags::McpFlags;

pub(crate) async fn run(flags: &McpFlags, place: &CommandContext) -> Ran {
    let hold = flags.hold.unwrap_or(HOLD);
    serve(server_access(place), hold, env!("CARGO_PKG_VERSION")).await?;
    Ok(Exit::Done)
}
