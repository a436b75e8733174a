//! `sayso mcp`: an MCP server on standard input and output, for any agent program that takes one.
//!
//! The tools are those of the server's own door; only where they ask is different.

mod desk;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;
pub use sayso_mcp::HOLD;
use sayso_mcp::{ToolList, Tools};
use tokio::signal::unix::{SignalKind, signal};

use self::desk::Counter;
use crate::error::BridgeError;
use crate::server_access::ServerAccess;

/// Serves the tools until the program closes its end.
pub async fn serve(server: ServerAccess, hold: Duration, version: &str) -> Result<(), BridgeError> {
    let desk = Counter::new(server);
    let shelf = Arc::new(ToolList::new(version).map_err(BridgeError::Broken)?);
    let tools = Tools::new(desk.clone(), shelf, hold);
    let failed = || BridgeError::system("cannot listen for signals");
    // Programs end their servers with signals and without closing the pipe, one soon after the other.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
    let mut hangup = signal(SignalKind::hangup()).map_err(failed())?;
    let running = Box::pin(tools.serve(stdio_pipes())).await;
    let running = running.map_err(|error| BridgeError::NoHello(error.to_string()))?;
    // However it ended, nobody listens any more.
    tokio::select! {
        ended = running.waiting() => drop(ended),
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    desk.close().await;
    Ok(())
}
