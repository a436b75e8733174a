//! Tickets: a single entry to one door, for what cannot send a header. Good once, for 30 s.
//!
//! A door is known by its word, because the doors of dialects come from the table.

use std::time::Duration;

use sayso_core::limits;

use super::one_time::{OneTime, TooManyCodes};

/// Tickets that were given out. `P` is who comes in by one.
#[derive(Debug)]
pub(crate) struct Tickets<P>(OneTime<(&'static str, P)>);

impl<P> Default for Tickets<P> {
    fn default() -> Self {
        Self(OneTime::new(limits::TICKET_S, limits::TICKETS_MAX))
    }
}

impl<P> Tickets<P> {
    /// Keeps a ticket until it is used or too old.
    pub(crate) fn add(
        &self,
        secret: String,
        door: &'static str,
        pass: P,
        now: Duration,
    ) -> Result<(), TooManyCodes> {
        self.0.add(secret, (door, pass), now)
    }

    /// Who comes in by this ticket. It is used up even when it is for another door.
    pub(crate) fn take(&self, secret: &str, door: &'static str, now: Duration) -> Option<P> {
        let (its_door, pass) = self.0.take(secret, now)?;
        (its_door == door).then_some(pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_for_one_door_and_a_wrong_one_uses_it_up() {
        let now = Duration::from_secs(100);
        let tickets = Tickets::default();
        tickets.add("a".into(), "feed", "ann", now).unwrap();
        assert_eq!(tickets.take("a", "feed", now), Some("ann"));
        tickets.add("c".into(), "sse", "ann", now).unwrap();
        assert_eq!(tickets.take("c", "feed", now), None);
        assert_eq!(tickets.take("c", "sse", now), None);
        tickets.add("d".into(), "feed", "ann", now).unwrap();
        let late = now + Duration::from_secs(30);
        assert_eq!(tickets.take("d", "feed", late), None);
    }
}
