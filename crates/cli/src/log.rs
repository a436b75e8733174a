//! The server's log: on stderr, as lines for people or as JSON. No secret is ever given to it.

use tracing_subscriber::EnvFilter;

use crate::failure::Failure;
use crate::settings::{LogFormat, Settings};

/// Starts the log. Only a server has one.
pub(crate) fn start(settings: &Settings) -> Result<(), Failure> {
    let log = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&settings.log.value))
        .with_writer(std::io::stderr)
        // A log that cannot be written must not take the server with it.
        .log_internal_errors(false)
        .with_ansi(false);
    let started = match settings.log_format.value {
        LogFormat::Text => log.with_target(false).try_init(),
        LogFormat::Json => log.json().try_init(),
    };
    started.map_err(|error| Failure::unexpected(format!("the log cannot be started: {error}")))
}
