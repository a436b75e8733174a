//! A clock that stands still until a test moves it.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use sayso_core::time::Time;
use sayso_hub::Clock;
use tokio::sync::watch;

/// A clock that is moved by hand; the wall and the steady hand move apart when a test says so.
#[derive(Debug)]
pub struct HandClock {
    now: watch::Sender<(Time, Duration)>,
}

impl HandClock {
    /// A clock that shows this moment.
    pub fn at(wall: Time) -> Self {
        Self {
            now: watch::Sender::new((wall, Duration::ZERO)),
        }
    }

    /// Lets time pass.
    pub fn pass(&self, span: Duration) {
        self.now.send_modify(|(wall, steady)| {
            *wall = wall.after(span);
            *steady += span;
        });
    }

    /// Sets the wall to another moment, as an administrator or a time server would.
    pub fn jump(&self, wall: Time) {
        self.now.send_modify(|now| now.0 = wall);
    }
}

impl Clock for HandClock {
    fn wall(&self) -> Time {
        self.now.borrow().0
    }

    fn steady(&self) -> Duration {
        self.now.borrow().1
    }

    fn sleep(&self, span: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut now = self.now.subscribe();
        let until = self.steady() + span;
        Box::pin(async move {
            // A clock that is gone never strikes.
            if now.wait_for(|(_, steady)| *steady >= until).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}
