//! Settings of dialects: which layer wins, and what is refused and where.

use super::super::layers::SettingSource;
use super::super::tests::gathered;

/// What is set otherwise than by default.
fn set(file: &str, pairs: &[(&str, &str)]) -> Result<Vec<[String; 3]>, String> {
    let all = gathered(file, &[pairs, &[("HOME", "/home/ann")]].concat(), &[])?;
    let set = all
        .dialects
        .iter()
        .filter(|one| one.setting.source != SettingSource::Default);
    Ok(set.map(|one| one.setting.line()).collect())
}

#[test]
fn values_are_taken_as_text_and_the_environment_wins() {
    let text = "[dialects.whimmy]\nask_timeout_s = 60\ntemperature = 0.5\nmodel = 'big'\n";
    let line = |key: &str, value: &str, from: &str| {
        [
            format!("dialects.whimmy.{key}"),
            value.to_owned(),
            from.to_owned(),
        ]
    };
    assert_eq!(
        set(text, &[("SAYSO_DIALECTS_WHIMMY_MODEL", "small")]),
        Ok(vec![
            line("ask_timeout_s", "60", "/s.toml, line 2"),
            line("model", "small", "SAYSO_DIALECTS_WHIMMY_MODEL"),
            line("temperature", "0.5", "/s.toml, line 3"),
        ])
    );
    let emptied = set("[dialects.whimmy]\napprove_tools = ''\n", &[]).unwrap();
    assert_eq!(emptied, [line("approve_tools", "none", "/s.toml, line 2")]);
    let all = gathered("", &[("HOME", "/home/ann")], &[])
        .unwrap()
        .dialects;
    let knobs = sayso_dialects::DIALECTS
        .iter()
        .flat_map(|dialect| dialect.knobs);
    let usual: Vec<(&str, &str)> = knobs.map(|knob| (knob.key, knob.usual)).collect();
    let there: Vec<(&str, &str)> = all
        .iter()
        .map(|one| (one.key, one.setting.value.as_str()))
        .collect();
    assert_eq!(there, usual);
}

#[test]
fn what_will_not_do_is_an_error_with_its_line() {
    for (text, error) in [
        (
            "person = 'ann'\n[dialects.whimsy]\nmodel = 'm'\n",
            "/s.toml, line 2: unknown key `dialects.whimsy`; did you mean `[dialects.whimmy]`?",
        ),
        (
            "[dialects.whimmy]\nmodel = 'm'\n\nmodle = 'm'\n",
            "/s.toml, line 4: unknown key `dialects.whimmy.modle`; did you mean `dialects.whimmy.model`?",
        ),
        (
            "[dialects.whimmy]\n\nask_timeout_s = 0\n",
            "/s.toml, line 3: dialects.whimmy.ask_timeout_s: must be ",
        ),
        (
            "[dialects.whimmy]\nmodel = ['m']\n",
            "/s.toml, line 2: dialects.whimmy.model: must be a string or a number",
        ),
        (
            "dialects = 3\n",
            "/s.toml, line 1: unknown key `dialects`; did you mean `[dialects]`?",
        ),
    ] {
        let said = set(text, &[]).unwrap_err();
        assert!(said.starts_with(error), "{said}");
    }
    let said = set("", &[("SAYSO_DIALECTS_WHIMMY_ASK_TIMEOUT_S", "soon")]).unwrap_err();
    let error = "SAYSO_DIALECTS_WHIMMY_ASK_TIMEOUT_S: must be ";
    assert!(said.starts_with(error), "{said}");
}
