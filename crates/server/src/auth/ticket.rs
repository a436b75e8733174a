//! Tickets: a single entry to one door, for what cannot send a header. Good once, for 30 s.
//!
//! A door is known by its word, because the doors of dialects come from the table.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::secret::same;
use sayso_core::limits;

/// Tickets that were given out. `P` is who comes in by one.
#[derive(Debug)]
pub(crate) struct Tickets<P>(Mutex<Vec<Ticket<P>>>);

#[derive(Debug)]
struct Ticket<P> {
    secret: String,
    door: &'static str,
    pass: P,
    until: Duration,
}

/// So many tickets are open that there cannot be another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyCodes;

impl<P> Default for Tickets<P> {
    fn default() -> Self {
        Self(Mutex::default())
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
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.retain(|ticket| now < ticket.until);
        if tickets.len() >= limits::TICKETS_MAX {
            return Err(TooManyCodes);
        }
        tickets.push(Ticket {
            secret,
            door,
            pass,
            until: now + Duration::from_secs(limits::TICKET_S),
        });
        Ok(())
    }

    /// Who comes in by this ticket. It is used up even when it is for another door.
    pub(crate) fn take(&self, secret: &str, door: &'static str, now: Duration) -> Option<P> {
        let mut tickets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.retain(|ticket| now < ticket.until);
        let at = tickets
            .iter()
            .position(|ticket| same(&ticket.secret, secret))?;
        let ticket = tickets.swap_remove(at);
        (ticket.door == door).then_some(ticket.pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(100);

    #[test]
    fn a_ticket_is_good_once_at_its_door_for_thirty_seconds() {
        let tickets = Tickets::default();
        tickets.add("a".into(), "feed", "ann", START).unwrap();
        assert_eq!(tickets.take("b", "feed", START), None);
        assert_eq!(tickets.take("a", "feed", START), Some("ann"));
        assert_eq!(tickets.take("a", "feed", START), None);

        tickets.add("c".into(), "sse", "ann", START).unwrap();
        assert_eq!(tickets.take("c", "feed", START), None);
        assert_eq!(
            tickets.take("c", "sse", START),
            None,
            "a wrong door uses it up"
        );

        tickets.add("d".into(), "feed", "ann", START).unwrap();
        assert_eq!(
            tickets.take("d", "feed", START + Duration::from_secs(30)),
            None
        );
        tickets.add("e".into(), "feed", "ann", START).unwrap();
        assert_eq!(
            tickets.take("e", "feed", START + Duration::from_millis(29_999)),
            Some("ann")
        );
    }

    #[test]
    fn there_are_only_so_many_at_once() {
        let tickets = Tickets::default();
        for at in 0..limits::TICKETS_MAX {
            tickets.add(at.to_string(), "feed", (), START).unwrap();
        }
        assert_eq!(
            tickets.add("more".into(), "feed", (), START),
            Err(TooManyCodes)
        );
        assert_eq!(
            tickets.add("later".into(), "feed", (), START + Duration::from_secs(30)),
            Ok(())
        );
    }
}
