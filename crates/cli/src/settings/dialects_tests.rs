//! Settings of dialects: which layer wins, what is refused and where, and the page that lists them.

use std::path::Path;

use super::*;
use crate::settings::File;
use crate::text::add;

fn environment(pairs: &[(&str, &str)]) -> Environment {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Environment::of(pairs.iter().map(owned))
}

/// What is set otherwise than usual.
fn set(text: &str, pairs: &[(&str, &str)]) -> Result<Vec<(String, String, Source)>, String> {
    let file = File::parse(text).map_err(|(line, why)| format!("{line}: {why}"))?;
    let from = Source::File("/s.toml".into());
    let all = merge(&file.dialects, &from, &environment(pairs))
        .map_err(|failure| failure.error.unwrap_or_default())?;
    Ok(all
        .into_iter()
        .filter(|one| one.setting.source != Source::BuiltIn)
        .map(|one| (one.name.key(), one.setting.value, one.setting.source))
        .collect())
}

#[test]
fn values_are_taken_as_text_and_the_environment_wins() {
    let text = "[dialects.whimmy]\nask_timeout_s = 60\ntemperature = 0.5\nmodel = 'big'\n";
    let file = || Source::File("/s.toml".into());
    let name = |key: &str| format!("dialects.whimmy.{key}");
    assert_eq!(
        set(text, &[("SAYSO_DIALECTS_WHIMMY_MODEL", "small")]),
        Ok(vec![
            (name("ask_timeout_s"), "60".to_owned(), file()),
            (
                name("model"),
                "small".to_owned(),
                Source::Environment("SAYSO_DIALECTS_WHIMMY_MODEL")
            ),
            (name("temperature"), "0.5".to_owned(), file()),
        ])
    );
    let all = merge(&DialectKeys::default(), &file(), &environment(&[])).unwrap();
    assert_eq!(all.len(), KNOBS.len());
    for one in all {
        assert_eq!(one.setting.value, one.name.knob.usual, "{}", one.name.key());
    }
}

#[test]
fn what_will_not_do_is_an_error_with_its_line() {
    for (text, error) in [
        (
            "person = 'ann'\n[dialects.whimsy]\nmodel = 'm'\n",
            "2: there is no dialect called `whimsy`; there is something to set for ",
        ),
        (
            "[dialects.whimmy]\nmodel = 'm'\n\nmodle = 'm'\n",
            "4: the dialect whimmy has no setting `modle`",
        ),
        (
            "[dialects.whimmy]\n\nask_timeout_s = 0\n",
            "3: `ask_timeout_s` of the dialect whimmy must be ",
        ),
        ("[dialects.whimmy]\nmodel = ['m']\n", "2: invalid type: "),
        ("dialects = 3\n", "1: invalid type: "),
    ] {
        let said = set(text, &[]).unwrap_err();
        assert!(said.starts_with(error), "{said}");
    }
    let said = set("", &[("SAYSO_DIALECTS_WHIMMY_ASK_TIMEOUT_S", "soon")]).unwrap_err();
    assert!(
        said.starts_with("SAYSO_DIALECTS_WHIMMY_ASK_TIMEOUT_S: `ask_timeout_s` of "),
        "{said}"
    );
}

/// The part of docs/settings.md that the dialect table says.
fn page() -> String {
    let mut text = String::new();
    for one in KNOBS.iter() {
        let usual = match one.knob.usual {
            "" => "empty".to_owned(),
            usual => format!("`{usual}`"),
        };
        let about = one.knob.about.trim_end_matches('.');
        add(
            &mut text,
            format_args!(
                "| `{}` | `{}` | {usual} | {about}. |\n",
                one.key(),
                one.environment
            ),
        );
    }
    text
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the one switch of this test: write the page anew"
)]
fn the_page_lists_what_the_table_has() {
    const HEAD: &str = "| Key | Environment | Default | Meaning |\n| --- | --- | --- | --- |\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let there = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = there.split_once(HEAD).unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let wanted = format!("{before}{HEAD}{}\n{after}", page());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &wanted).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap();
    assert!(
        there == wanted,
        "docs/settings.md is not what the table says; run UPDATE_DOCS=1 cargo test -p sayso the_page_lists"
    );
}
