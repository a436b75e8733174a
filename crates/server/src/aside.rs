//! What takes a while is done on another thread: the one that serves everybody never waits for a
//! disk.

use crate::problem::ApiError;

/// Does it aside, and waits for it.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a background task failed");
        ApiError::see_the_log()
    })
}
