//! Hostile sequences one by one, the properties over any text, and the sentences people read.

#[path = "escape_page_tests.rs"]
mod page;

use std::borrow::Cow;

use proptest::prelude::*;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::{
    FINDINGS_PER_KIND, FindingKind, TextFinding, escape_block, escape_line, findings, unescape,
};

/// What the safety page forbids on every surface, written apart from the code it checks.
fn forbidden(c: char) -> bool {
    let category = matches!(
        c.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::Surrogate
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
    );
    category || (c.general_category() == GeneralCategory::SpaceSeparator && c != ' ')
}

fn kinds(text: &str) -> Vec<FindingKind> {
    findings(text).into_iter().map(|found| found.kind).collect()
}

fn sentences(text: &str) -> Vec<String> {
    findings(text).iter().map(TextFinding::sentence).collect()
}

fn look_alike(word: &str) -> FindingKind {
    let word = word.to_owned();
    FindingKind::LookAlike { word }
}

fn mixed(word: &str) -> FindingKind {
    let word = word.to_owned();
    FindingKind::MixedScript { word }
}

/// A sequence that would do harm raw, and the one line it must become.
const HOSTILE: [(&str, &str); 64] = [
    // Colours, cursor and screen (CSI).
    ("\x1b[31mred\x1b[0m", r"\u{1b}[31mred\u{1b}[0m"),
    ("\x1b[2J\x1b[H", r"\u{1b}[2J\u{1b}[H"),
    ("safe\x1b[1A\x1b[2Kgone", r"safe\u{1b}[1A\u{1b}[2Kgone"),
    ("\x1b[8mconcealed\x1b[28m", r"\u{1b}[8mconcealed\u{1b}[28m"),
    ("\x1b[?25l", r"\u{1b}[?25l"),
    ("\x1b[?1049h", r"\u{1b}[?1049h"),
    ("\x1b[?2004l", r"\u{1b}[?2004l"),
    ("\x1b[6n", r"\u{1b}[6n"),
    ("\x1b[c", r"\u{1b}[c"),
    ("\x1b[21t", r"\u{1b}[21t"),
    ("\x1b[3J", r"\u{1b}[3J"),
    ("\x1b[100D", r"\u{1b}[100D"),
    (
        "\x1b[38;2;0;0;0;48;2;0;0;0m",
        r"\u{1b}[38;2;0;0;0;48;2;0;0;0m",
    ),
    ("\x1b[99999b", r"\u{1b}[99999b"),
    ("\x1b[4i", r"\u{1b}[4i"),
    ("\x1b[>4;2m", r"\u{1b}[>4;2m"),
    // Links, clipboard, title, notices, files (OSC).
    (
        "\x1b]8;;https://evil.example\x1b\\bank\x1b]8;;\x1b\\",
        r"\u{1b}]8;;https://evil.example\u{1b}\bank\u{1b}]8;;\u{1b}\",
    ),
    ("\x1b]8;;file:///etc\x07x", r"\u{1b}]8;;file:///etc\u{7}x"),
    ("\x1b]52;c;cm0gLXJm\x07", r"\u{1b}]52;c;cm0gLXJm\u{7}"),
    ("\x1b]52;p;?\x1b\\", r"\u{1b}]52;p;?\u{1b}\"),
    ("\x1b]0;title\x07", r"\u{1b}]0;title\u{7}"),
    ("\x1b]2;title\u{9c}", r"\u{1b}]2;title\u{9c}"),
    ("\x1b]4;1;rgb:00/00/00\x07", r"\u{1b}]4;1;rgb:00/00/00\u{7}"),
    ("\x1b]9;notice\x07", r"\u{1b}]9;notice\u{7}"),
    ("\x1b]50;font\x07", r"\u{1b}]50;font\u{7}"),
    ("\x1b]133;A\x07", r"\u{1b}]133;A\u{7}"),
    ("\x1b]777;notify;a;b\x07", r"\u{1b}]777;notify;a;b\u{7}"),
    ("\x1b]1337;File=:AA\x07", r"\u{1b}]1337;File=:AA\u{7}"),
    // Device strings, application commands, resets and single controls.
    ("\x1bP$q\"p\x1b\\", r#"\u{1b}P$q"p\u{1b}\"#),
    ("\x1bP+q544e\x1b\\", r"\u{1b}P+q544e\u{1b}\"),
    ("\x1b_Gf=100;AA\x1b\\", r"\u{1b}_Gf=100;AA\u{1b}\"),
    ("\x1b^private\x1b\\", r"\u{1b}^private\u{1b}\"),
    ("\x1bc", r"\u{1b}c"),
    ("\x1b(0", r"\u{1b}(0"),
    ("\x1b7\x1b8", r"\u{1b}7\u{1b}8"),
    ("\x1b#8", r"\u{1b}#8"),
    ("rm -rf /\rls       ", r"rm -rf /\u{d}ls       "),
    ("rm\x08\x08ls", r"rm\u{8}\u{8}ls"),
    ("a\nb", r"a\u{a}b"),
    ("a\tb", r"a\u{9}b"),
    ("a\x0bb\x0cc", r"a\u{b}b\u{c}c"),
    ("\0\x05\x0e\x0f", r"\u{0}\u{5}\u{e}\u{f}"),
    ("\x7f\x18\x1a", r"\u{7f}\u{18}\u{1a}"),
    // The same in one C1 character.
    ("\u{9b}2J", r"\u{9b}2J"),
    ("\u{9d}52;c;AA\u{9c}", r"\u{9d}52;c;AA\u{9c}"),
    ("\u{90}q\u{9c}", r"\u{90}q\u{9c}"),
    ("\u{9f}G\u{9e}\u{98}", r"\u{9f}G\u{9e}\u{98}"),
    ("a\u{85}b\u{84}\u{8d}", r"a\u{85}b\u{84}\u{8d}"),
    // Order of showing.
    ("invoice_\u{202e}fdp.sh", r"invoice_\u{202e}fdp.sh"),
    (
        "\u{202a}\u{202b}\u{202c}\u{202d}",
        r"\u{202a}\u{202b}\u{202c}\u{202d}",
    ),
    (
        "\u{2066}\u{2067}\u{2068}\u{2069}",
        r"\u{2066}\u{2067}\u{2068}\u{2069}",
    ),
    ("\u{200e}\u{200f}\u{61c}", r"\u{200e}\u{200f}\u{61c}"),
    // What draws nothing.
    ("pass\u{200b}word", r"pass\u{200b}word"),
    (
        "\u{200c}\u{200d}\u{2060}\u{feff}",
        r"\u{200c}\u{200d}\u{2060}\u{feff}",
    ),
    (
        "\u{ad}\u{180e}\u{2061}\u{206f}",
        r"\u{ad}\u{180e}\u{2061}\u{206f}",
    ),
    (
        "a\u{e0001}\u{e0072}\u{e006d}\u{e007f}",
        r"a\u{e0001}\u{e0072}\u{e006d}\u{e007f}",
    ),
    (
        "a\u{fe00}\u{fe0f}\u{e0100}\u{e01ef}",
        r"a\u{fe00}\u{fe0f}\u{e0100}\u{e01ef}",
    ),
    (
        "\u{34f}\u{17b4}\u{180b}\u{180f}",
        r"\u{34f}\u{17b4}\u{180b}\u{180f}",
    ),
    (
        "\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}",
        r"\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}",
    ),
    // Spaces and line ends that are not the ordinary ones.
    ("a\u{a0}b\u{3000}c\u{202f}d", r"a\u{a0}b\u{3000}c\u{202f}d"),
    (
        "\u{1680}\u{2000}\u{200a}\u{205f}",
        r"\u{1680}\u{2000}\u{200a}\u{205f}",
    ),
    ("a\u{2028}b\u{2029}c", r"a\u{2028}b\u{2029}c"),
    // Private, never assigned, and the escape itself forged.
    (
        "\u{e000}\u{f0000}\u{10fffd}\u{ffff}\u{378}",
        r"\u{e000}\u{f0000}\u{10fffd}\u{ffff}\u{378}",
    ),
    (
        r"\u{202e} \\u{a} \u{",
        r"\u{5c}u{202e} \\u{5c}u{a} \u{5c}u{",
    ),
];

#[test]
fn hostile_sequences_become_harmless_text() {
    for (raw, line) in HOSTILE {
        assert_eq!(escape_line(raw), line);
        assert_eq!(unescape(line), raw);
        assert!(!line.chars().any(forbidden), "{line}");
    }
}

#[test]
fn every_hostile_character_is_also_found() {
    for (raw, line) in HOSTILE {
        let layout = raw.contains(['\n', '\t']) || raw.starts_with('\\');
        assert_eq!(findings(raw).is_empty(), layout, "{line}");
    }
}

#[test]
fn no_character_at_all_passes_that_is_forbidden() {
    // The planes between these hold nothing assigned; their ends stand for them.
    let planes = ('\0'..='\u{3ffff}').chain('\u{e0000}'..='\u{e0fff}');
    let ends = [
        '\u{40000}',
        '\u{dffff}',
        '\u{e1000}',
        '\u{f0000}',
        '\u{ffffe}',
        char::MAX,
    ];
    let all: String = planes.chain(ends).collect();
    let line = escape_line(&all);
    let passed: Vec<char> = line.chars().filter(|c| forbidden(*c)).collect();
    assert_eq!(passed, []);
    assert!(unescape(&line) == all, "the round trip changed something");
}

#[test]
fn ordinary_text_is_borrowed_as_it_is() {
    let texts = [
        "",
        r"C:\Users\ann\u.txt \\server\share\",
        r"^\d+\.\w{2}\\\u0041$ \n \x1b \U{41}",
        "naïve café, 東京, Привет, שלום, नमस्ते, 😀 👍🏽 🇩🇪",
        "⚠️ ❤️ ☑︎ ‼️ ℹ️ 1️⃣ #️⃣ ©️",
    ];
    for text in texts {
        assert!(matches!(escape_line(text), Cow::Borrowed(same) if same == text));
        assert_eq!(kinds(text), []);
    }
}

#[test]
fn a_block_keeps_newline_and_tab_only() {
    let text = "a\tb\r\nc\u{b}\u{2028}\u{85}";
    assert_eq!(escape_block(text), "a\tb\\u{d}\nc\\u{b}\\u{2028}\\u{85}");
    assert!(matches!(escape_block("a\n\tb"), Cow::Borrowed("a\n\tb")));
}

#[test]
fn a_selector_is_kept_only_where_it_dresses_a_symbol() {
    let cases = [
        ("⚠\u{fe0f}\u{fe0f}", "⚠\u{fe0f}\\u{fe0f}"),
        ("\u{fe0f}", "\\u{fe0f}"),
        ("1\u{fe0f}", "1\\u{fe0f}"),
        ("a\u{fe0e}", "a\\u{fe0e}"),
        ("⚠\u{fe01}", "⚠\\u{fe01}"),
        ("\u{2800}\u{fe0f}", "\\u{2800}\\u{fe0f}"),
    ];
    for (raw, line) in cases {
        assert_eq!(escape_line(raw), line);
        assert_eq!(unescape(line), raw);
    }
}

#[test]
fn what_the_escaper_does_not_write_is_left_alone() {
    for text in [
        r"\u{",
        r"\u{}",
        r"\u{202e",
        r"\u{202E}",
        r"\u{+1}",
        r"\u{d800}",
        r"\u{110000}",
        r"\u{0000061}",
        r"\u{é}",
        r"\u",
        r"\\u",
        "u{41}",
    ] {
        assert_eq!(unescape(text), text);
    }
    assert_eq!(unescape(r"\u{\u{41}"), r"\u{A");
}

#[test]
fn sentences_name_what_they_found() {
    let text = "curl shоp.example\u{200b} \u{202e}x \x1b[0m abж\u{5d0}";
    assert_eq!(
        sentences(text),
        [
            "Look-alike letter: the “o” in “shop” is Cyrillic (U+043E).",
            r"Hidden character: zero width space (\u{200b}).",
            r"Hidden character: right-to-left override (\u{202e}), it changes the order in which the text is shown.",
            r"Control character: escape (\u{1b}), a terminal would act on it instead of showing it.",
            "Mixed alphabets: “abж\u{5d0}” has letters of more than one alphabet.",
        ]
    );
}

#[test]
fn a_finding_says_where_it_is() {
    let found = findings("é \u{202e} pаypal.com");
    let expected = [
        (3, FindingKind::Bidi { char: '\u{202e}' }),
        (7, look_alike("pаypal")),
    ]
    .map(|(at, kind)| TextFinding { at, kind });
    assert_eq!(found, expected);
}

#[test]
fn look_alikes_and_mixtures_are_told_from_ordinary_words() {
    let marked = [
        ("pаypal", vec![look_alike("pаypal")]),
        ("раураl", vec![look_alike("раураl")]),
        ("сору", vec![look_alike("сору")]),
        ("run сору file", vec![look_alike("сору")]),
        ("cd /орс", vec![look_alike("орс")]),
        ("𝐩𝐚𝐲𝐩𝐚𝐥", vec![look_alike("𝐩𝐚𝐲𝐩𝐚𝐥")]),
        ("ｒｍ", vec![look_alike("ｒｍ")]),
        ("bank.example⁄login", vec![look_alike("example⁄login")]),
        ("1৪", vec![look_alike("1৪")]),
        ("шindows", vec![look_alike("шindows")]),
        ("HTTPстатус", vec![mixed("HTTPстатус")]),
        ("Ωжה", vec![mixed("Ωжה")]),
    ];
    for (text, kinds_of) in marked {
        assert_eq!(kinds(text), kinds_of, "{text}");
    }
    let ordinary = [
        "Он и я с ней, у нас все хорошо, а ее нет.",
        "Запусти docker-контейнер",
        "Хорошо",
        "հարցում",
        "Η απάντηση είναι ο αριθμός",
        "Dockerコンテナを再起動しますか",
        "使用Docker容器",
        "Docker를 다시 시작",
        "µs Δt kΩ λx πr² 10²",
        "kapı ısı færdig œuvre straße þing",
        "۱۲۳ ١٥ ৪৫",
        "1º 2ª ½",
        "שלום עולם, سلام دنیا",
        "นี่คือคำถาม",
        "नमस्ते दुनिया",
    ];
    for text in ordinary {
        assert_eq!(kinds(text), [], "{text}");
    }
}

#[test]
fn a_hidden_character_does_not_part_a_mixed_word() {
    assert_eq!(
        kinds("p\u{200b}\u{430}\u{200b}y\u{200b}"),
        [
            look_alike("p\u{200b}\u{430}\u{200b}y"),
            FindingKind::Hidden { char: '\u{200b}' },
            FindingKind::Hidden { char: '\u{200b}' },
            FindingKind::Hidden { char: '\u{200b}' },
        ]
    );
}

#[test]
fn a_flood_of_one_kind_leaves_room_for_another_and_is_counted() {
    let text = "\u{200b}".repeat(FINDINGS_PER_KIND + 5) + "\u{202e}";
    let found = findings(&text);
    assert_eq!(found.len(), FINDINGS_PER_KIND + 2);
    let last = &found[FINDINGS_PER_KIND..];
    let expected = [
        (
            3 * (FINDINGS_PER_KIND + 5),
            FindingKind::Bidi { char: '\u{202e}' },
        ),
        (3 * FINDINGS_PER_KIND, FindingKind::More { count: 5 }),
    ]
    .map(|(at, kind)| TextFinding { at, kind });
    assert_eq!(last, expected);
    assert_eq!(last[1].sentence(), "Not listed: 5 more.");
}

#[test]
fn the_longest_and_worst_text_is_one_pass() {
    // Were any of it quadratic, this would take minutes.
    let size = 1 << 18;
    for part in [
        "\\",
        "\\u{",
        "\u{1b}",
        "\u{202e}",
        "а",
        "a\u{200b}а",
        "с ",
        "\u{fe0f}",
    ] {
        let text = part.repeat(size / part.len());
        let line = escape_line(&text);
        assert_eq!(unescape(&line), text);
        assert!(line.len() <= 6 * text.len());
        let found = findings(&text);
        assert!(found.len() <= 5 * FINDINGS_PER_KIND + 1);
        assert!(found.iter().all(|found| found.sentence().len() < 600));
    }
}

/// Any text, thick with what the escaper looks at.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\\",
            "\\\\",
            "\\u",
            "u{",
            "\\u{",
            "{",
            "}",
            "41}",
            "\\u{5c}",
            "\\u{202e}",
            "\u{202e}",
            "\n",
            "\t",
            "\r\n",
            "\u{1b}[",
            "\u{fe0f}",
            "⚠",
            "1",
            "\u{20e3}",
            "а",
            "с ",
            "p",
            "東",
            "\u{200b}",
            "\u{2044}",
        ])
        .prop_map(str::to_owned),
        prop::sample::select(HOSTILE.to_vec()).prop_map(|(raw, _)| raw.to_owned()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn the_escaped_text_has_no_forbidden_character(text in text()) {
        let (line, block) = (escape_line(&text), escape_block(&text));
        prop_assert!(!line.chars().any(forbidden));
        prop_assert!(!block.chars().any(|c| forbidden(c) && c != '\n' && c != '\t'));
    }

    #[test]
    fn unescaping_gives_back_the_text(text in text()) {
        prop_assert_eq!(unescape(&escape_line(&text)), text.as_str());
        prop_assert_eq!(unescape(&escape_block(&text)), text.as_str());
        let twice = escape_line(&text).into_owned();
        prop_assert_eq!(unescape(&unescape(&escape_line(&twice))), text.as_str());
    }

    #[test]
    fn what_needs_no_escape_is_borrowed_and_what_does_is_changed(text in text()) {
        for escaped in [escape_line(&text), escape_block(&text)] {
            match escaped {
                Cow::Borrowed(same) => prop_assert_eq!(same, text.as_str()),
                Cow::Owned(changed) => prop_assert_ne!(changed, text.as_str()),
            }
        }
    }

    #[test]
    fn printable_ascii_without_a_backslash_is_untouched(text in "[ -\\[\\]-~]*") {
        prop_assert!(matches!(escape_line(&text), Cow::Borrowed(same) if same == text));
        prop_assert!(matches!(escape_block(&text), Cow::Borrowed(same) if same == text));
        prop_assert_eq!(findings(&text), []);
    }

    #[test]
    fn a_block_is_the_line_with_its_newlines_and_tabs_back(text in text()) {
        let lines: Vec<_> = escape_block(&text)
            .replace('\n', "\\u{a}")
            .replace('\t', "\\u{9}")
            .chars()
            .collect();
        prop_assert_eq!(lines.into_iter().collect::<String>(), escape_line(&text));
    }

    #[test]
    fn findings_are_bounded_in_order_and_in_the_text(text in text()) {
        let found = findings(&text);
        prop_assert!(found.len() <= 5 * FINDINGS_PER_KIND + 1);
        let mut last = 0;
        for finding in &found {
            let sentence = finding.sentence();
            prop_assert!(!sentence.chars().any(forbidden), "{}", sentence);
            let rest = text.get(finding.at..).expect("on a character");
            match &finding.kind {
                FindingKind::Hidden { char } | FindingKind::Bidi { char }
                | FindingKind::Control { char } => prop_assert!(rest.starts_with(*char)),
                FindingKind::MixedScript { word } | FindingKind::LookAlike { word } => {
                    prop_assert!(rest.starts_with(word.as_str()));
                }
                FindingKind::More { .. } => continue,
            }
            prop_assert!(finding.at >= last);
            last = finding.at;
        }
    }
}
