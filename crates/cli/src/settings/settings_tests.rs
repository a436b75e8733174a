//! Which layer wins, and that each value says where it came from.

use std::collections::BTreeMap;

use super::*;

fn environment(pairs: &[(&str, &str)]) -> Environment {
    Environment::of(
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    )
}

fn merge(pairs: &[(&str, &str)], flags: &FlagValues, file: &str) -> Result<Settings, Failure> {
    let config = Setting {
        value: "/c/sayso.toml".into(),
        source: Source::BuiltIn,
    };
    Settings::merge(
        &environment(pairs),
        flags,
        config,
        File::parse(file).unwrap(),
    )
}

#[test]
fn without_a_word_everything_is_built_in() {
    let settings = merge(
        &[("HOME", "/home/ann"), ("USER", "ann")],
        &FlagValues::default(),
        "",
    )
    .unwrap();
    assert_eq!(
        settings,
        Settings {
            config: Setting {
                value: "/c/sayso.toml".into(),
                source: Source::BuiltIn
            },
            state: Setting {
                value: "/home/ann/.local/state/sayso".into(),
                source: Source::BuiltIn
            },
            listen: Setting {
                value: LISTEN,
                source: Source::BuiltIn
            },
            public_url: Setting {
                value: None,
                source: Source::BuiltIn
            },
            tls: Setting {
                value: None,
                source: Source::BuiltIn
            },
            proxy: Setting {
                value: Vec::new(),
                source: Source::BuiltIn
            },
            allowed_origins: Setting {
                value: BTreeMap::new(),
                source: Source::BuiltIn
            },
            person: Setting {
                value: "ann".into(),
                source: Source::BuiltIn
            },
            limits: Limits::merge(None, &Source::BuiltIn, &environment(&[])).unwrap(),
            tokens: Tokens::merge(None, &Source::BuiltIn, &environment(&[])).unwrap(),
            push_private_origins: Setting {
                value: Vec::new(),
                source: Source::BuiltIn
            },
            chat: Chat {
                agent: Setting {
                    value: None,
                    source: Source::BuiltIn
                },
                turn_timeout: Setting {
                    value: std::time::Duration::from_secs(600),
                    source: Source::BuiltIn
                }
            },
            delivery: Delivery::merge(None, &Source::BuiltIn, &environment(&[])).unwrap(),
            dialects: dialects::merge(
                &dialects::DialectKeys::default(),
                &Source::BuiltIn,
                &environment(&[])
            )
            .unwrap(),
            retention_days: Setting {
                value: None,
                source: Source::BuiltIn
            },
            log: Setting {
                value: "info".into(),
                source: Source::BuiltIn
            },
            log_format: Setting {
                value: LogFormat::Text,
                source: Source::BuiltIn
            },
        }
    );
}

#[test]
fn the_later_layer_wins() {
    let home = ("HOME", "/home/ann");
    let file = "listen = '127.0.0.1:1'\nstate = '/file'\n";
    let from = Source::File("/c/sayso.toml".into());
    let one = merge(&[home], &FlagValues::default(), file).unwrap();
    assert_eq!((one.listen.value.port(), &one.listen.source), (1, &from));
    let env = [
        home,
        ("SAYSO_LISTEN", "127.0.0.1:2"),
        ("SAYSO_STATE", "/env"),
    ];
    let two = merge(&env, &FlagValues::default(), file).unwrap();
    assert_eq!(
        (two.listen.value.port(), two.listen.source),
        (2, Source::Environment("SAYSO_LISTEN"))
    );
    assert_eq!(two.state.value, PathBuf::from("/env"));
    let flags = FlagValues {
        listen: Some(([127, 0, 0, 1], 3).into()),
        state: Some("/flag".into()),
        config: None,
    };
    let three = merge(&env, &flags, file).unwrap();
    assert_eq!(
        (three.listen.value.port(), three.listen.source),
        (3, Source::Flag("--listen"))
    );
    assert_eq!(
        (three.state.value, three.state.source),
        (PathBuf::from("/flag"), Source::Flag("--state"))
    );
}

#[test]
fn a_bad_value_names_its_place() {
    let bad = |pairs: &[(&str, &str)], file: &str| {
        merge(pairs, &FlagValues::default(), file)
            .unwrap_err()
            .error
            .unwrap()
    };
    let home = ("HOME", "/home/ann");
    assert!(bad(&[home, ("SAYSO_LISTEN", "nowhere")], "").starts_with("SAYSO_LISTEN: `nowhere`: "));
    assert!(bad(&[home, ("SAYSO_TLS_CERT", "/c")], "").contains("go together"));
    assert!(bad(&[home], "public_url = 'ask.example'").starts_with("public_url (/c/sayso.toml): "));
    assert!(bad(&[home, ("SAYSO_LOG_FORMAT", "xml")], "").contains("neither text nor json"));
    assert!(bad(&[], "").contains("neither HOME nor XDG_STATE_HOME"));
}

#[test]
fn relative_xdg_folders_do_not_count() {
    let pairs = [("HOME", "/home/ann"), ("XDG_STATE_HOME", "here")];
    let settings = merge(&pairs, &FlagValues::default(), "").unwrap();
    assert_eq!(
        settings.state.value,
        PathBuf::from("/home/ann/.local/state/sayso")
    );
}
