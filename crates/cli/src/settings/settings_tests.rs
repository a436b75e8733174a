//! Which layer wins, what is refused and where, what `doctor` lists, and the page that lists it too.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::names::NAMES;
use super::*;
use crate::text::add;

const HOME: (&str, &str) = ("HOME", "/home/ann");

pub(super) fn environment(pairs: &[(&str, &str)]) -> Environment {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Environment::of(pairs.iter().map(owned))
}

/// The settings of a file, an environment and flags, or what is said about them.
pub(super) fn gathered(
    file: &str,
    pairs: &[(&str, &str)],
    flags: &[(&'static str, &str)],
) -> Result<Settings, String> {
    let flags = flags.iter().map(|(flag, text)| (*flag, (*text).to_owned()));
    let said = |failure: Failure| failure.error.unwrap_or_default();
    Settings::of(&Layers {
        environment: &environment(pairs),
        flags: &flags.collect(),
        file: File::parse(Path::new("/s.toml"), file).map_err(said)?,
    })
    .map_err(said)
}

/// The settings of a file and an environment with a home folder.
fn set(file: &str, pairs: &[(&str, &str)]) -> Result<Settings, String> {
    gathered(file, &[pairs, &[HOME]].concat(), &[])
}

fn bad(file: &str, pairs: &[(&str, &str)]) -> String {
    set(file, pairs).unwrap_err()
}

fn line(number: usize) -> SettingSource {
    SettingSource::File("/s.toml".into(), number)
}

/// `doctor`'s lines, with one space between the columns.
fn listed(settings: &Settings) -> Vec<String> {
    settings.lines().iter().map(|line| line.join(" ")).collect()
}

#[test]
fn without_a_word_everything_is_the_default() {
    let settings = set("", &[("USER", "ann")]).unwrap();
    assert!(
        settings
            .lines()
            .iter()
            .all(|[_, _, from]| from == "default")
    );
    let lines = listed(&settings);
    for line in [
        "config /home/ann/.config/sayso/sayso.toml default",
        "listen 127.0.0.1:7717 default",
        "state /home/ann/.local/state/sayso default",
        "public_url none default",
        "person ann default",
        "retention_days never default",
        "delivery.offer_for 7d default",
    ] {
        assert!(lines.contains(&line.to_owned()), "{line} in {lines:#?}");
    }
    let day = Duration::from_secs(86_400);
    assert_eq!(settings.listen.value, ([127, 0, 0, 1], 7717).into());
    assert_eq!(settings.public_url.value, None);
    assert_eq!(
        (settings.tls_cert.value, settings.tls_key.value),
        (None, None)
    );
    assert!(settings.proxy.value.is_empty() && settings.allowed_origins.value.is_empty());
    assert_eq!(settings.asks_per_minute.value, 600);
    assert_eq!(settings.open_asks_per_agent.value, 10_000);
    assert_eq!(settings.connections.value, 20_000);
    assert_eq!(
        settings.bytes_per_minute.value,
        sayso_core::limits::BYTES_PER_MINUTE
    );
    assert_eq!(
        settings.conversations_per_token.value,
        sayso_core::limits::CONVERSATIONS_PER_TOKEN
    );
    assert_eq!(
        (settings.tokens_idle.value, settings.tokens_max_age.value),
        (None, None)
    );
    assert_eq!(settings.retention_days.value, None);
    assert_eq!(settings.offer_for.value, Some(7 * day));
    assert_eq!(settings.withdraw_after.value, Some(day));
    assert_eq!(settings.withdraw_durable_after.value, None);
    assert_eq!(settings.chat_agent.value, None);
    assert_eq!(settings.turn_timeout.value, Duration::from_secs(600));
    assert!(settings.push_private_origins.value.is_empty());
    assert_eq!(settings.log_format.value, LogFormat::Text);
}

#[test]
fn every_key_of_the_file_is_read_and_listed_with_its_line() {
    let text = "listen = '127.0.0.1:0'\nstate = '/srv/sayso'\npublic_url = 'https://ask.example'\n\
        proxy = ['10.0.0.1', '::1']\nperson = 'ann'\nretention_days = 90\nlog = 'warn'\nlog_format = 'json'\n\
        tls = { cert = '/c.pem', key = '/k.pem' }\n\
        [allowed_origins]\n'/ws' = ['https://board.example', 'https://b.example']\n\
        [limits]\nasks_per_minute = 0x3c\nopen_asks_per_agent = 9\nbytes_per_minute = 7_000\n\
        connections = 8\nconversations_per_token = '6'\n\
        [tokens]\nidle = '30d'\nmax_age = '90d'\n\
        [delivery]\noffer_for = 'never'\nwithdraw_after = '2h'\nwithdraw_durable_after = 60\n\
        [chat]\nagent = 'coder'\nturn_timeout = '5m'\n\
        [push]\nprivate_origins = ['https://push.lan']\n";
    let settings = set(text, &[]).unwrap();
    let lines = listed(&settings);
    for line in [
        "listen 127.0.0.1:0 /s.toml, line 1",
        "state /srv/sayso /s.toml, line 2",
        "public_url https://ask.example /s.toml, line 3",
        "tls.cert /c.pem /s.toml, line 9",
        "tls.key /k.pem /s.toml, line 9",
        "proxy 10.0.0.1,::1 /s.toml, line 4",
        "allowed_origins /ws=https://board.example,https://b.example /s.toml, line 10",
        "person ann /s.toml, line 5",
        "limits.asks_per_minute 60 /s.toml, line 13",
        "limits.open_asks_per_agent 9 /s.toml, line 14",
        "limits.bytes_per_minute 7000 /s.toml, line 15",
        "limits.conversations_per_token 6 /s.toml, line 17",
        "limits.connections 8 /s.toml, line 16",
        "tokens.idle 30d /s.toml, line 19",
        "tokens.max_age 90d /s.toml, line 20",
        "retention_days 90 /s.toml, line 6",
        "delivery.offer_for never /s.toml, line 22",
        "delivery.withdraw_after 2h /s.toml, line 23",
        "delivery.withdraw_durable_after 60 /s.toml, line 24",
        "chat.agent coder /s.toml, line 26",
        "chat.turn_timeout 5m /s.toml, line 27",
        "push.private_origins https://push.lan /s.toml, line 29",
        "log warn /s.toml, line 7",
        "log_format json /s.toml, line 8",
    ] {
        assert!(lines.contains(&line.to_owned()), "{line} in {lines:#?}");
    }
    assert_eq!(settings.asks_per_minute.value, 60);
    assert_eq!(settings.tls_key.value, Some("/k.pem".into()));
    assert_eq!(settings.proxy.value.len(), 2);
    assert_eq!(settings.allowed_origins.value["/ws"].len(), 2);
    assert_eq!(settings.offer_for.value, None);
    assert_eq!(
        settings.withdraw_durable_after.value,
        Some(Duration::from_secs(60))
    );
    assert_eq!(settings.retention_days.value, Some(90));
    assert_eq!(settings.log_format.value, LogFormat::Json);
}

/// Any text is either taken and listed with its place, or refused with its place.
#[test]
fn every_row_is_read_from_the_file_the_environment_and_its_flag() {
    let taken = |row: &SettingRow, said: Result<Settings, String>, place: &str| match said {
        Ok(settings) => {
            let lines = settings.lines();
            let [_, _, from] = lines.iter().find(|line| line[0] == row.name()).unwrap();
            assert_eq!(from, place);
        }
        Err(why) if row.key.starts_with("tls.") => assert!(why.contains("set together"), "{why}"),
        Err(why) => assert!(why.starts_with(place), "{why}"),
    };
    for row in rows() {
        if !row.key.is_empty() {
            taken(
                row,
                set(&format!("{} = '?'", row.key), &[]),
                "/s.toml, line 1",
            );
        }
        if !row.environment.is_empty() {
            taken(row, set("", &[(row.environment, "?")]), row.environment);
        }
        if !row.flag.is_empty() {
            taken(row, gathered("", &[HOME], &[(row.flag, "?")]), row.flag);
        }
        assert_eq!(environment(&[(row.environment, "?")]).unknown().count(), 0);
        let meaning = row.meaning.trim();
        assert!(
            !meaning.is_empty() && !meaning.contains("  "),
            "{}",
            row.name()
        );
    }
}

#[test]
fn the_later_layer_wins() {
    let file = "listen = '127.0.0.1:1'\nstate = '/file'\nproxy = ['::1']\n";
    let one = set(file, &[]).unwrap();
    assert_eq!((one.listen.value.port(), one.listen.source), (1, line(1)));
    let pairs = [
        HOME,
        ("SAYSO_LISTEN", "127.0.0.1:2"),
        ("SAYSO_STATE", "/env"),
        ("SAYSO_PROXY", "10.0.0.1, 10.0.0.2"),
        ("SAYSO_LOG", ""),
    ];
    let two = gathered(file, &pairs, &[]).unwrap();
    assert_eq!(
        (two.listen.value.port(), two.listen.source),
        (2, SettingSource::Environment("SAYSO_LISTEN"))
    );
    assert_eq!(two.state.value, PathBuf::from("/env"));
    assert_eq!(two.proxy.value.len(), 2);
    assert_eq!(two.log.source, SettingSource::Default);
    let flags = [("--listen", "127.0.0.1:3"), ("--state", "/flag")];
    let three = gathered(file, &pairs, &flags).unwrap();
    assert_eq!(
        (three.listen.value.port(), three.listen.source),
        (3, SettingSource::Flag("--listen"))
    );
    assert_eq!(
        (three.state.value, three.state.source),
        (PathBuf::from("/flag"), SettingSource::Flag("--state"))
    );
}

#[test]
fn a_path_does_not_depend_on_the_working_directory() {
    let settings = gathered(
        "tls = { cert = 'c', key = 'k' }",
        &[HOME],
        &[("--state", "here")],
    );
    let settings = settings.unwrap();
    let here = std::path::absolute("here").unwrap();
    assert_eq!(settings.state.value, here);
    assert_eq!(settings.state.line()[1], here.display().to_string());
    assert!(settings.tls_cert.value.unwrap().is_absolute());
    let relative = set("", &[("XDG_STATE_HOME", "here")]).unwrap();
    assert_eq!(
        relative.state.value,
        PathBuf::from("/home/ann/.local/state/sayso")
    );
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_key_that_was_meant() {
    for (text, error) in [
        (
            "person = 'ann'\n\nlissten = '127.0.0.1:0'\n",
            "line 3: unknown key `lissten`; did you mean `listen`?",
        ),
        (
            "[tls]\ncert = '/c'\nkey = '/k'\nkay = 1\n",
            "line 4: unknown key `tls.kay`; did you mean `tls.key`?",
        ),
        (
            "[limit]\nconnections = 1\n",
            "line 1: unknown key `limit`; did you mean `[limits]`?",
        ),
        (
            "[limits]\nconnections = 1\nperson = 'ann'\n",
            "line 3: unknown key `limits.person`; did you mean `person`?",
        ),
        (
            "connections = 1\n",
            "line 1: unknown key `connections`; did you mean `limits.connections`?",
        ),
        (
            "'limits.connections' = 1\n",
            "line 1: unknown key `\"limits.connections\"`; did you mean `limits.connections`?",
        ),
        ("zzz = 1\naaa = 1\n", "line 1: unknown key `zzz`"),
        ("config = '/c'\n", "line 1: unknown key `config`"),
        ("'' = '/c'\n", "line 1: unknown key `\"\"`"),
        ("\"a\\u001b\" = 1\n", "line 1: unknown key `a\\u{1b}`"),
        (
            "limits = 3\n",
            "line 1: unknown key `limits`; did you mean `[limits]`?",
        ),
    ] {
        assert_eq!(bad(text, &[]), format!("/s.toml, {error}"));
    }
    assert!(
        bad("person = 'ann'\nperson = 'bob'\n", &[]).starts_with("/s.toml, line 2: duplicate key")
    );
}

#[test]
fn a_wrong_value_is_named_with_its_place_and_why() {
    for (text, error) in [
        (
            "person = 'ann'\nlisten = 'nowhere'\n",
            "line 2: listen: `nowhere` is not an IP address and port, such as 127.0.0.1:7717",
        ),
        (
            "listen = 7717\n",
            "line 1: listen: `7717` is not an IP address and port, such as 127.0.0.1:7717",
        ),
        (
            "listen = ['127.0.0.1:1']\n",
            "line 1: listen: must be a string or a number",
        ),
        (
            "listen = 1979-05-27\n",
            "line 1: listen: must be a string or a number",
        ),
        ("state = ''\n", "line 1: state: must not be empty"),
        (
            "proxy = ['::1', 'x']\n",
            "line 1: proxy: `x` is not an IP address",
        ),
        (
            "proxy = [['::1']]\n",
            "line 1: proxy: must be a string or a number",
        ),
        (
            "allowed_origins = ['x']\n",
            "line 1: allowed_origins: must be a table of lists",
        ),
        (
            "\nretention_days = 'x'\n",
            "line 2: retention_days: `x` is not a number of days, or `never`",
        ),
        (
            "[limits]\nconnections = -1\n",
            "line 2: limits.connections: `-1` is not a whole number, or is too large",
        ),
        (
            "[limits]\nconnections = 4294967296\n",
            "line 2: limits.connections: `4294967296` is not a whole number, or is too large",
        ),
        (
            "[tokens]\nidle = '0s'\n",
            "line 2: tokens.idle: must be at least 1 s, or `never`",
        ),
        (
            "[delivery]\nwithdraw_after = '59s'\n",
            "line 2: delivery.withdraw_after: must be at least 1 min, or `never`",
        ),
        (
            "[chat]\nturn_timeout = '0s'\n",
            "line 2: chat.turn_timeout: must be at least 1 s",
        ),
        (
            "log_format = 'xml'\n",
            "line 1: log_format: `xml` is not text or json",
        ),
        (
            "public_url = 'ask.example'\n",
            "line 1: public_url: the public url must look like https://sayso.example or https://sayso.example:8443, without a path",
        ),
    ] {
        assert_eq!(bad(text, &[]), format!("/s.toml, {error}"));
    }
    // Also where a later layer has another value.
    let later = [("SAYSO_LISTEN", "127.0.0.1:2")];
    assert!(bad("listen = 'x'\n", &later).starts_with("/s.toml, line 1: listen: "));
    assert!(bad("", &[("SAYSO_LISTEN", "nowhere")]).starts_with("SAYSO_LISTEN: `nowhere` is not "));
    assert!(
        bad("", &[("SAYSO_TOKENS_IDLE", "soon")]).starts_with("SAYSO_TOKENS_IDLE: `soon` is not ")
    );
    assert!(bad("", &[("SAYSO_LOG", "a=b=c")]).starts_with("SAYSO_LOG: `a=b=c` is not a filter"));
    let drawn = bad("", &[("SAYSO_LISTEN", "\u{1b}[2J")]);
    assert!(
        drawn.starts_with("SAYSO_LISTEN: `\\u{1b}[2J` is not "),
        "{drawn}"
    );
    assert!(bad("person = ''\n", &[]).starts_with("/s.toml, line 1: person: "));
    let flag = gathered("", &[HOME], &[("--listen", "localhost:1")]).unwrap_err();
    assert!(
        flag.starts_with("--listen: `localhost:1` is not "),
        "{flag}"
    );
    assert!(
        gathered("", &[], &[])
            .unwrap_err()
            .contains("neither HOME nor XDG_")
    );
}

#[test]
fn certificate_and_key_come_from_one_place() {
    let both = "tls = { cert = '/c', key = '/k' }\n";
    let cert = [("SAYSO_TLS_CERT", "/c2")];
    assert!(bad("", &cert).contains("set together"));
    assert!(bad("tls = { cert = '/c' }\n", &[]).contains("set together"));
    assert!(bad(both, &cert).contains("set together"));
    let pair = [("SAYSO_TLS_CERT", "/c2"), ("SAYSO_TLS_KEY", "/k2")];
    assert_eq!(set(both, &pair).unwrap().tls_cert.value, Some("/c2".into()));
}

#[test]
fn a_login_name_that_cannot_be_a_name_is_not_taken() {
    let person = |user: &str| set("", &[("USER", user)]).unwrap().person.value.to_string();
    assert_eq!(person("ann"), "ann");
    assert_eq!(person(&"x".repeat(300)), "me");
}

#[test]
fn names_that_nothing_reads_are_found() {
    let environment = environment(&[
        ("SAYSO_LOGG", "x"),
        ("SAYSO_NONSENSE", "x"),
        ("SAYSO_TOKEN", "x"),
        ("SAYSO_RUN", "x"),
        ("SAYSO_AGUI_TOKEN", "x"),
        ("SAYSO_CONFIG", "x"),
    ]);
    let unknown: Vec<_> = environment.unknown().collect();
    assert_eq!(
        unknown,
        [
            ("SAYSO_LOGG", Some("SAYSO_LOG".to_owned())),
            ("SAYSO_NONSENSE", None)
        ]
    );
}

/// A file that is read and one that other users can write; what is missing is an error only by name.
#[test]
fn a_file_that_others_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sayso.toml");
    let mode =
        |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    std::fs::write(&path, "person = 'ann'\n").unwrap();
    mode(0o644);
    assert!(File::read(&path, true).unwrap().get("person").is_some());
    for writable in [0o646, 0o664] {
        mode(writable);
        let failure = File::read(&path, true).unwrap_err();
        assert!(failure.error.unwrap().contains("other users can write"));
    }
    let missing = folder.path().join("none.toml");
    assert!(File::read(&missing, false).unwrap().get("person").is_none());
    assert!(File::read(&missing, true).is_err());
    assert!(File::read(folder.path(), true).is_err());
}

/// The rows of a table of the page.
fn page<'a>(
    rows: impl Iterator<Item = &'a SettingRow>,
    cells: fn(&SettingRow) -> Vec<String>,
) -> String {
    let mut text = String::new();
    for row in rows {
        for cell in cells(row) {
            let space = if cell.is_empty() { "" } else { " " };
            add(&mut text, format_args!("|{space}{cell} "));
        }
        text.push_str("|\n");
    }
    text
}

fn code(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("`{text}`"),
    }
}

fn default_cell(row: &SettingRow) -> String {
    match row.default {
        "" => "none".to_owned(),
        plain @ "the login name" => plain.to_owned(),
        text => code(text),
    }
}

fn meaning(row: &SettingRow) -> String {
    format!("{}.", row.meaning.trim().trim_end_matches('.'))
}

/// The page with the table under this head as the rows say.
fn replaced(page: &str, head: &str, rows: &str) -> String {
    let rule = "| --- ".repeat(head.matches('|').count() - 1);
    let head = format!("{head}\n{rule}|\n");
    let (before, rest) = page.split_once(&head).expect(&head);
    let (_, after) = rest.split_once("\n\n").expect("a line after the table");
    format!("{before}{head}{rows}\n{after}")
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the one switch of this test: write the page anew"
)]
fn the_page_lists_what_the_table_has() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let there = std::fs::read_to_string(&file).unwrap();
    let fixed = page(table::ROWS.iter(), |row| {
        let flag = code(row.flag);
        vec![
            code(row.key),
            code(row.environment),
            flag,
            default_cell(row),
            meaning(row),
        ]
    });
    let dialects = page(dialects::rows(), |row| {
        vec![
            code(row.key),
            code(row.environment),
            default_cell(row),
            meaning(row),
        ]
    });
    let names = page(NAMES.iter(), |row| {
        vec![code(row.environment), meaning(row)]
    });
    let wanted = replaced(
        &there,
        "| Key | Environment | Flag | Default | Meaning |",
        &fixed,
    );
    let wanted = replaced(
        &wanted,
        "| Key | Environment | Default | Meaning |",
        &dialects,
    );
    let wanted = replaced(&wanted, "| Environment | Meaning |", &names);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &wanted).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap();
    assert!(
        there == wanted,
        "docs/settings.md is not what the table says; run UPDATE_DOCS=1 cargo test -p sayso the_page_lists"
    );
}
