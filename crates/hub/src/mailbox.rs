//! A queue between two tasks that takes little room while nothing is in it: devices and agents may
//! wait for days, and there are thousands of them.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Items for which the room is kept once they were read.
const ROOM_KEPT: usize = 32;

#[derive(Debug)]
struct Held<T> {
    items: VecDeque<T>,
    waker: Option<Waker>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// What is in it is the last.
    Sealed,
    /// Nobody reads any more.
    Gone,
}

/// What both ends share.
#[derive(Debug)]
pub(crate) struct Slot<T>(Arc<Mutex<Held<T>>>);

/// The end that is written to. Dropping it seals the box.
#[derive(Debug)]
pub(crate) struct Post<T>(Slot<T>);

/// The end that is read.
#[derive(Debug)]
pub(crate) struct Mailbox<T>(Slot<T>);

/// Why something was not put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotPut {
    Full,
    Gone,
}

/// A new box.
pub(crate) fn mailbox<T>() -> (Post<T>, Mailbox<T>) {
    let mailbox = Mailbox::default();
    (Post(mailbox.slot()), mailbox)
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self(Slot(Arc::new(Mutex::new(Held {
            items: VecDeque::new(),
            waker: None,
            state: State::Open,
        }))))
    }
}

impl<T> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, Held<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an item in, unless there are `max` already.
    pub(crate) fn put(&self, item: T, max: usize) -> Result<(), NotPut> {
        let waker = {
            let mut held = self.lock();
            if held.state == State::Gone {
                return Err(NotPut::Gone);
            }
            if held.items.len() >= max {
                return Err(NotPut::Full);
            }
            held.items.push_back(item);
            held.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        Ok(())
    }
}

impl<T> Post<T> {
    /// Puts an item in, unless there are `max` already.
    pub(crate) fn put(&self, item: T, max: usize) -> Result<(), NotPut> {
        self.0.put(item, max)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.lock().state == State::Gone
    }
}

impl<T> Drop for Post<T> {
    fn drop(&mut self) {
        let waker = {
            let mut held = self.0.lock();
            if held.state == State::Open {
                held.state = State::Sealed;
            }
            held.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Mailbox<T> {
    /// Another way in, whose end means nothing.
    pub(crate) fn slot(&self) -> Slot<T> {
        Slot(Arc::clone(&self.0.0))
    }

    /// The next item; nothing once the box is sealed and empty. Safe to drop and call again.
    pub(crate) async fn next(&mut self) -> Option<T> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        let mut held = self.0.lock();
        if let Some(item) = held.items.pop_front() {
            if held.items.is_empty() && held.items.capacity() > ROOM_KEPT {
                held.items = VecDeque::new();
            }
            return Poll::Ready(Some(item));
        }
        if held.state == State::Sealed {
            return Poll::Ready(None);
        }
        match &mut held.waker {
            Some(waker) => waker.clone_from(context.waker()),
            empty @ None => *empty = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Reads no more; gives back what was not read.
    pub(crate) fn close(&mut self) -> VecDeque<T> {
        let mut held = self.0.lock();
        held.state = State::Gone;
        std::mem::take(&mut held.items)
    }
}

impl<T> Drop for Mailbox<T> {
    fn drop(&mut self) {
        drop(self.close());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_put_in_is_read_in_its_order_and_then_the_end() {
        let (post, mut mailbox) = mailbox();
        for number in 0..3 {
            assert_eq!(post.put(number, 3), Ok(()));
        }
        assert_eq!(post.put(3, 3), Err(NotPut::Full));
        drop(post);
        for number in 0..3 {
            assert_eq!(mailbox.next().await, Some(number));
        }
        assert_eq!(mailbox.next().await, None);
    }

    #[tokio::test]
    async fn whoever_waits_is_woken_by_an_item_and_by_the_end() {
        let (post, mut mailbox) = mailbox();
        let reading = tokio::spawn(async move { (mailbox.next().await, mailbox.next().await) });
        tokio::task::yield_now().await;
        post.put("a", 1).unwrap();
        tokio::task::yield_now().await;
        drop(post);
        assert_eq!(reading.await.unwrap(), (Some("a"), None));
    }

    #[test]
    fn nothing_is_put_into_a_box_that_nobody_reads() {
        let (post, mut mailbox) = mailbox();
        post.put(1, 9).unwrap();
        assert_eq!(mailbox.close(), [1]);
        assert!(post.is_gone());
        assert_eq!(post.put(2, 9), Err(NotPut::Gone));
    }
}
