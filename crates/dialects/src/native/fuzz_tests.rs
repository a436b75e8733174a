//! Anything at all goes in: reading never panics, and what is taken can be written and read again.

use proptest::prelude::*;
use sayso_core::answer::Scope;
use sayso_core::ask::Ask;
use sayso_core::check::{check_answer, check_draft, settle_fields};
use sayso_core::limits;
use sayso_core::view::{AskView, Viewer};

use super::map::{answer_from_wire, draft_from_wire};
use super::vectors_tests::{ask_to_wire, views};
use super::wire::{
    AgentEvent, AgentFrame, AnswerRequest, DeviceFrame, FeedEvent, NewAsk, NewToken, Problem,
};
use super::write::write_ask;
use super::{ReadError, read};
use crate::envelope::{Heard, text_under};

const SEEDS: [&str; 4] = [
    include_str!("vectors/asks.json"),
    include_str!("vectors/drafts.json"),
    include_str!("vectors/frames.json"),
    include_str!("vectors/bad.json"),
];

/// Reads the bytes as everything there is; each path of a violation is a pointer.
fn try_all(bytes: &[u8]) {
    let sound = |error: &ReadError| {
        if let ReadError::Invalid { violations } = error {
            assert!(!violations.is_empty() && violations.len() <= limits::VIOLATIONS_MAX);
            assert!(
                violations
                    .iter()
                    .all(|violation| violation.path.is_empty() || violation.path.starts_with('/'))
            );
        }
        let problem = Problem::from(error);
        assert_eq!(
            serde_json::from_str::<Problem>(
                &serde_json::to_string(&problem).expect("it is serialisable")
            )
            .expect("it is readable"),
            problem
        );
    };
    match read::<NewAsk>(bytes) {
        Ok(new) => {
            let again = serde_json::to_vec(&new).expect("it is serialisable");
            assert_eq!(read::<NewAsk>(&again), Ok(new.clone()));
            if let Ok((draft, _)) = draft_from_wire(new, None) {
                let _ = check_draft(&draft);
            }
        }
        Err(error) => sound(&error),
    }
    match read::<AnswerRequest>(bytes) {
        Ok(sent) => {
            if let Ok((_, mut answer)) = answer_from_wire(sent) {
                for view in views() {
                    if let sayso_core::ask::Matter::Form(form) = &view.ask.matter {
                        answer = settle_fields(form, answer);
                    }
                    let _ = check_answer(&view.ask.matter, &[Scope::Once], &answer);
                }
            }
        }
        Err(error) => sound(&error),
    }
    match AgentFrame::read(bytes) {
        Ok(Heard::Known(frame)) => {
            let again = serde_json::to_vec(&frame).expect("it is serialisable");
            assert_eq!(AgentFrame::read(&again), Ok(Heard::Known(frame)));
        }
        Ok(Heard::Unknown(_)) => {}
        Err(error) => sound(&error),
    }
    let others = [
        read::<NewToken>(bytes).err(),
        DeviceFrame::read(bytes).err(),
        AgentEvent::read(bytes).err(),
        FeedEvent::read(bytes).err(),
    ];
    others.iter().flatten().for_each(sound);
    let _ = text_under(bytes, "ref");
}

/// The single values in the vectors: every place where one begins, up to where it ends.
fn values() -> Vec<&'static str> {
    let mut found = Vec::new();
    for seed in SEEDS {
        for (start, _) in seed.match_indices('{') {
            let rest = seed.get(start..).unwrap_or_default();
            let mut stream =
                serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
            if let Some(Ok(_)) = stream.next() {
                found.extend(rest.get(..stream.byte_offset()));
            }
        }
    }
    found
}

#[test]
fn every_value_of_the_vectors_can_be_tried_as_everything() {
    let values = values();
    assert!(values.len() > 200);
    for value in values {
        try_all(value.as_bytes());
    }
}

proptest! {
    #[test]
    fn any_bytes_may_come(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        try_all(&bytes);
    }

    #[test]
    fn any_json_like_text_may_come(text in r#"([\[\]{}:,"\\0-9 ]|true|null|"(do|ref|ask|matter|questions|text|fields|digest)":?){0,60}"#) {
        try_all(text.as_bytes());
    }

    #[test]
    fn any_damage_may_be_done(
        which in any::<prop::sample::Index>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 1..5),
    ) {
        let values = values();
        let mut bytes = which.get(&values).as_bytes().to_vec();
        for (place, byte, how) in cuts {
            if bytes.is_empty() {
                break;
            }
            let at = place.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        try_all(&bytes);
    }

    #[test]
    fn any_text_is_written_the_same_both_ways(title: String, note: String) {
        let view = views().remove(0);
        let mut ask: Ask = (*view.ask).clone();
        ask.title = Some(title);
        if let sayso_core::ask::Matter::Questions(questions) = &mut ask.matter {
            questions[0].text = note;
        }
        let view = AskView { ask: ask.into(), ..view };
        let mut out = Vec::new();
        write_ask(&view, Viewer::Anybody, &mut out);
        prop_assert_eq!(out, serde_json::to_vec(&ask_to_wire(&view, Viewer::Anybody)).expect("it is serialisable"));
    }
}

#[test]
fn a_full_frame_of_nonsense_is_refused_with_few_words() {
    let size = limits::FRAME_BYTES_MAX;
    let inputs = [
        "[".repeat(size),
        "{\"a\":".repeat(size / 5),
        format!("{{\"{}\":1}}", "k".repeat(size)),
        format!("{{\"matter\":\"{}\"}}", "w".repeat(size)),
        format!(
            "{{\"matter\":\"form\",\"form\":{{\"message\":\"\",\"fields\":[{}{{}}]}}}}",
            "{\"name\":\"\",\"kind\":\"secret\",\"min\":1},".repeat(size / 40)
        ),
        format!(
            "{{\"digest\":\"\",\"fields\":{{{}\"b\":1}}}}",
            "\"a\":null,".repeat(size / 9)
        ),
        format!(
            "{{\"matter\":\"questions\",\"questions\":[{}{{}}]}}",
            "{\"text\":\"\"},".repeat(size / 12)
        ),
        format!("{{\"do\":{}}}", "\"\\u0061".repeat(size / 7)),
        "\n".repeat(size),
    ];
    for input in inputs {
        let errors = [
            read::<NewAsk>(input.as_bytes())
                .and_then(|new| {
                    draft_from_wire(new, None)
                        .map_err(|violations| ReadError::Invalid { violations })
                })
                .err(),
            read::<AnswerRequest>(input.as_bytes())
                .and_then(|sent| {
                    answer_from_wire(sent).map_err(|violations| ReadError::Invalid { violations })
                })
                .err(),
            AgentFrame::read(input.as_bytes()).err(),
        ];
        for error in errors {
            let error = error.expect("it is refused").to_string();
            assert!(
                error.len() < 64 * 1024,
                "{} bytes: {}",
                error.len(),
                error.chars().take(99).collect::<String>()
            );
        }
    }
}
