//! What hardly ever happens, awaited beside what happens all the time: looked at only when it rang.
//!
//! A connection waits for many things at once, and looks at all of them whenever one comes. Two that
//! come once in its life are not worth a look each time.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use crate::doors::ws::Goodbye;

/// What ends a connection, whatever goes on over it: its token is taken back, or everyone is sent home.
/// Both stay where they are pinned, because a future that takes another one in holds it twice.
pub(super) fn end(
    mut revoked: Pin<&mut impl Future<Output = ()>>,
    mut sent_home: Pin<&mut impl Future<Output = Goodbye>>,
) -> Seldom<impl Future<Output = Goodbye> + Unpin> {
    Seldom::new(poll_fn(move |context| {
        match revoked.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Goodbye::Revoked),
            Poll::Pending => sent_home.as_mut().poll(context),
        }
    }))
}

/// A future that is polled only once it has asked for that.
#[derive(Debug)]
pub(super) struct Seldom<F> {
    future: F,
    bell: Arc<Bell>,
    /// Whom the bell wakes.
    task: Option<Waker>,
}

#[derive(Debug)]
struct Bell {
    rung: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = &*task {
            task.wake_by_ref();
        }
    }
}

impl<F> Seldom<F> {
    pub(super) fn new(future: F) -> Self {
        let bell = Arc::new(Bell {
            // The first look is due.
            rung: AtomicBool::new(true),
            task: Mutex::default(),
        });
        Self {
            future,
            bell,
            task: None,
        }
    }
}

impl<F: Future + Unpin> Future for Seldom<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        let task = context.waker();
        if !(this.task.as_ref()).is_some_and(|known| known.will_wake(task)) {
            this.task = Some(task.clone());
            let mut woken = (this.bell.task.lock()).unwrap_or_else(PoisonError::into_inner);
            *woken = Some(task.clone());
        }
        // Looked at after the bell knows whom to wake: a ring in between wakes.
        if !this.bell.rung.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        this.bell.rung.swap(false, Ordering::AcqRel);
        let waker = Waker::from(Arc::clone(&this.bell));
        Pin::new(&mut this.future).poll(&mut Context::from_waker(&waker))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn it_is_looked_at_when_it_rang_and_not_before() {
        let (bell, looks) = (Arc::new(Notify::new()), Arc::new(AtomicU32::new(0)));
        let (ringing, counted) = (Arc::clone(&bell), Arc::clone(&looks));
        let waits = tokio::spawn(async move {
            let rung = bell.notified();
            tokio::pin!(rung);
            let counted = std::future::poll_fn(move |context| {
                counted.fetch_add(1, Ordering::Relaxed);
                rung.as_mut().poll(context)
            });
            let mut seldom = Seldom::new(counted);
            for _ in 0..3 {
                tokio::select! {
                    biased;
                    () = &mut seldom => return false,
                    () = tokio::task::yield_now() => {}
                }
            }
            seldom.await;
            true
        });
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert_eq!(looks.load(Ordering::Relaxed), 1);
        ringing.notify_waiters();
        assert!(waits.await.unwrap());
        assert_eq!(looks.load(Ordering::Relaxed), 2);
    }
}
