//! The page marks look-alikes by itself. Its table and its cases are written from here, so that
//! both sides take the same letters for the same.

use std::path::PathBuf;

use super::super::{FindingKind, Sight, findings, in_word, reads_as, sight};

const UPDATE: &str = "UPDATE_TWINS";

/// Letters that an eye takes for ASCII, as pairs of the step from the end of the run before and
/// the length of a run, in base 36.
fn table() -> String {
    let twin = |c: &char| {
        !c.is_ascii() && sight(*c) == Sight::Plain && in_word(*c) && reads_as(*c).is_some()
    };
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for code in ('\u{80}'..=char::MAX).filter(twin).map(u32::from) {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == code => *length += 1,
            _ => runs.push((code, 1)),
        }
    }
    let mut end = 0;
    let mut rows = Vec::new();
    for (start, length) in runs {
        rows.push(match length {
            1 => base36(start - end),
            _ => format!("{}+{}", base36(start - end), base36(length)),
        });
        end = start + length;
    }
    let lines: Vec<String> = rows
        .chunks(24)
        .map(|chunk| format!("  '{} ' +\n", chunk.join(" ")))
        .collect();
    format!(
        "// Written by a test of the server's escaper (UPDATE_TWINS=1 cargo test -p sayso-core twins). Not to be edited.\n\n\
         /** Letters that an eye takes for ASCII: the step to each run, and its length when it is not one, in base 36. */\n\
         export const RUNS =\n{}  '';\n",
        lines.concat()
    )
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

/// Texts, and the words of each that deserve a mark.
fn cases() -> String {
    let mut texts: Vec<String> = [
        "pаypal",
        "раураl",
        "curl https://shоp.example",
        "ехе",
        "сор",
        "он сор",
        "привет мир",
        "с ним",
        "Ελλάδα",
        "ρаypal",
        "5 µm and 3 Ω",
        "bank.example⁄login",
        "ｇｉｔ status",
        "𝗴𝗶𝘁 status",
        "日本語git",
        "git日本",
        "Straße naïve Łódź",
        "İstanbul",
        "ⅿⅼ",
        "ᎪᎷ",
        "օսոհ",
        "бег",
        "abж\u{5d0}",
        "١٢٣",
        "1٢3",
        "hello",
        "",
        "e\u{301}tude",
        "сот-ком",
        "аbс def",
        "ОК",
        "ok ОК ok",
    ]
    .map(str::to_owned)
    .to_vec();
    let twins = ('\u{250}'..=char::MAX)
        .filter(|c| sight(*c) == Sight::Plain && in_word(*c) && reads_as(*c).is_some());
    texts.extend(twins.step_by(29).map(|c| format!("a{c}b {c}")));
    let rows: Vec<String> = texts
        .iter()
        .map(|text| {
            let words: Vec<String> = findings(text)
                .into_iter()
                .filter_map(|found| match found.kind {
                    FindingKind::MixedScript { word } | FindingKind::LookAlike { word } => {
                        Some(format!("\"{word}\""))
                    }
                    FindingKind::Hidden { .. }
                    | FindingKind::Bidi { .. }
                    | FindingKind::Control { .. }
                    | FindingKind::More { .. } => None,
                })
                .collect();
            format!("  [\"{text}\", [{}]]", words.join(", "))
        })
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "whether to write the files anew is said from outside"
)]
fn the_page_knows_the_same_twins() {
    let web = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../web");
    for (name, text) in [
        ("src/lib/twins.ts", table()),
        ("tests/unit/alike.json", cases()),
    ] {
        let path = web.join(name);
        if std::env::var_os(UPDATE).is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            there == text,
            "web/{name} is stale; run {UPDATE}=1 cargo test -p sayso-core twins"
        );
    }
}
