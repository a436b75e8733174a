//! Sentences about how an ask ended: who did what, on which device, how long ago.

use std::time::Duration;

use sayso_core::answer::{Answer, Decision};
use sayso_core::escape::escape_line;
use sayso_core::outcome::{Closer, Outcome};
use sayso_core::time::Time;
use sayso_core::view::AskView;

/// Of what was answered only this much is repeated; the ask itself is beside the sentence.
const ANSWER_CHARS_MAX: usize = 80;

/// How an ask ended, in a sentence.
pub(super) fn ended(view: &AskView, now: Time) -> String {
    let Some(closing) = &view.closing else {
        return "The ask is open.".to_owned();
    };
    let when = ago(now.since(closing.at));
    let (who, place) = match &closing.by {
        Closer::Person {
            person,
            device,
            seen: _,
        } => (
            name(person.as_str()),
            format!(" on {}", name(device.as_str())),
        ),
        Closer::Rule { rule, version, .. } => (
            format!("The rule {rule} (version {version})"),
            String::new(),
        ),
        Closer::Agent => (name(&view.agent.shown_name()), String::new()),
        Closer::Clock => ("The server".to_owned(), String::new()),
    };
    match &closing.outcome {
        Outcome::Answered(answer) => format!("{who} {}{place} {when}.", said(answer)),
        Outcome::Dismissed { .. } => format!("{who} dismissed it{place} {when}."),
        Outcome::Expired => format!("Its deadline passed {when}."),
        Outcome::Withdrawn { .. } => format!("{who} withdrew it{place} {when}."),
    }
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Replies(replies) => {
            let words: Vec<&str> = replies
                .iter()
                .flat_map(|reply| reply.labels.iter().chain(&reply.other))
                .map(String::as_str)
                .collect();
            format!("answered {}", short(&words.join(", ")))
        }
        Answer::Verdict(verdict) => match &verdict.decision {
            Decision::Allow { edited_input: None } => "allowed it".to_owned(),
            Decision::Allow {
                edited_input: Some(_),
            } => "allowed it with changes".to_owned(),
            Decision::Deny { .. } => "denied it".to_owned(),
        },
        Answer::Fields(_) => "filled in the form".to_owned(),
    }
}

fn short(text: &str) -> String {
    let mut cut: String = text.chars().take(ANSWER_CHARS_MAX).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    escape_line(&cut).into_owned()
}

fn name(text: &str) -> String {
    escape_line(text).into_owned()
}

/// How long ago something was, in words.
pub(super) fn ago(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => "just now".to_owned(),
        1..=119 => format!("{seconds} s ago"),
        120..=7199 => format!("{} min ago", seconds / 60),
        7200..=172_799 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}
