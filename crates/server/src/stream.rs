//! A connection that does not wait for ever for somebody who no longer reads, that ends when its
//! place is needed, and that gives its place back however it ends.

use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use crate::admission::PlaceHold;

/// Somebody who takes nothing for this long is gone.
const STALLED_MAX: Duration = Duration::from_secs(10);

/// A connection with a limit on how long a write may take.
#[derive(Debug)]
pub(crate) struct Impatient<S> {
    inner: S,
    /// Runs while a write waits.
    limit: Option<Pin<Box<Sleep>>>,
    /// The place among the connections that may be open.
    place: PlaceHold,
}

impl<S> Impatient<S> {
    pub(crate) fn new(inner: S, place: PlaceHold) -> Self {
        Self {
            inner,
            limit: None,
            place,
        }
    }

    /// Passes a finished write on; one that waits does so within the limit.
    fn within<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.limit = None;
            return written;
        }
        if self.place.is_cut_for_writer(cx.waker()) {
            return Poll::Ready(Err(recycled()));
        }
        let limit = self.limit.get_or_insert_with(|| {
            Box::pin(tokio::time::sleep_until(Instant::now() + STALLED_MAX))
        });
        match limit.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the client stopped reading",
            ))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.place.is_cut_for_reader(cx.waker()) {
            return Poll::Ready(Err(recycled()));
        }
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

/// Somebody else has the place.
fn recycled() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionAborted,
        "no token arrived in time, and the connection is needed",
    )
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.within(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, parts);
        self.within(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(cx);
        self.within(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.within(cx, shut)
    }
}
