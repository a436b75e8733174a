//! `sayso mcp`: an MCP server on standard input and output, for any agent program that takes one.
//!
//! The tools and their JSON are the dialect `mcp`; the protocol and its versions are rmcp's.

mod desk;
mod tools;

use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;

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
    let running = Box::pin(tools.serve(stdio_pipes())).await;
    let running = running.map_err(|error| {
        BridgeError::NoServer(format!("the program did not say hello: {error}"))
    })?;
    // However it ended, nobody listens any more.
    drop(running.waiting().await);
    desk.close().await;
    Ok(())
}
