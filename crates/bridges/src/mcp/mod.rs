//! `sayso mcp`: an MCP server on standard input and output, for any agent program that takes one.
//!
//! The tools and their JSON are the dialect `mcp`; the protocol and its versions are rmcp's.

mod desk;
mod tools;

use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;
use tokio::signal::unix::{SignalKind, signal};

use self::tools::Tools;
use crate::error::BridgeError;
use crate::reach::Reach;

/// How long `ask` and `wait` hold a call when nothing is said: below the 60 s at which programs give
/// up by default.
pub const HOLD: Duration = Duration::from_secs(50);

/// Serves the tools until the program closes its end.
pub async fn serve(reach: Reach, hold: Duration, version: &str) -> Result<(), BridgeError> {
    let tools = Tools::new(reach, hold, version)?;
    let desk = tools.desk();
    let failed = || BridgeError::system("cannot listen for signals");
    // Programs end their servers with signals and without closing the pipe, one soon after the other.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed())?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed())?;
    let mut hangup = signal(SignalKind::hangup()).map_err(failed())?;
    let running = Box::pin(tools.serve(stdio_pipes())).await;
    let running = running.map_err(|error| {
        BridgeError::NoServer(format!("the program did not say hello: {error}"))
    })?;
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
