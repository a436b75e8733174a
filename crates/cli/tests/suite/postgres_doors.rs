//! How a node gets into PostgreSQL: passwords from the usual places, which show nowhere, and TLS.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::process::Stdio;

use sayso_testkit::pg::PgCluster;

use super::on_postgres::key;
use super::raw::Call;
use super::stage::{Ended, Stage, text_of};

const CANARY: &str = "canary-p%40ss-71f3";
/// The same once it is decoded.
const PASSWORD: &str = "canary-p@ss-71f3";

/// Makes a cluster ask for passwords of everyone but its owner.
fn with_passwords(cluster: &PgCluster) -> String {
    let folder = cluster.socket().parent().unwrap().to_owned();
    let rules = "local all sayso trust\nlocal all all scram-sha-256\n";
    fs::write(folder.join("data/pg_hba.conf"), rules).unwrap();
    let sql = format!("ALTER ROLE node PASSWORD '{PASSWORD}'");
    cluster.psql("postgres", &sql);
    cluster.psql("postgres", "SELECT pg_reload_conf()");
    text_of(&folder)
}

fn private(path: &Path, text: &str, mode: u32) -> String {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    text_of(path)
}

#[test]
fn a_password_comes_from_the_usual_places_and_shows_nowhere() {
    let cluster = PgCluster::start(&[]);
    let folder = with_passwords(&cluster);
    let url = format!("postgres:///sayso?host={folder}&user=node");
    let with_password = format!(
        "postgres://node:{CANARY}@{}/sayso",
        folder.replace('/', "%2F")
    );
    let mut stage = Stage::empty();
    let key = key(&stage);
    let mut said: Vec<String> = Vec::new();

    // A server, with everything in its log, that makes the journal.
    let log = stage.path("server.log");
    let words = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--key-file",
        &key,
        "--node",
        "one",
    ];
    let mut command = stage.command(&words);
    command
        .env("SAYSO_STORE_URL", &with_password)
        .env("SAYSO_LOG", "trace")
        .stderr(Stdio::from(fs::File::create(&log).unwrap()));
    stage.serve_by(command);
    for target in ["/v1/health", "/metrics", "/health"] {
        said.push(stage.by("admin", Call::get(target)).text());
    }
    let nodes = |change: &dyn Fn(&mut std::process::Command)| {
        let mut command = stage.command(&["nodes", "--json"]);
        change(&mut command);
        Ended::of(command.output().unwrap())
    };
    let gets_in = |what: &str, change: &dyn Fn(&mut std::process::Command)| {
        let ended = nodes(change);
        assert_eq!(ended.code, Some(0), "{what}: {ended:?}");
        assert!(ended.data.contains("\"node\":\"one\""), "{what}: {ended:?}");
        format!("{ended:?}")
    };
    let line = format!("*:5432:sayso:node:{PASSWORD}\n");
    let pass_file = private(&stage.path("pgpass"), &line, 0o600);
    let open_file = private(&stage.path("open"), &line, 0o644);
    said.push(gets_in("SAYSO_STORE_URL", &|command| {
        command.env("SAYSO_STORE_URL", &with_password);
    }));
    said.push(gets_in("PGPASSWORD", &|command| {
        command.args(["--store", &url]).env("PGPASSWORD", PASSWORD);
    }));
    said.push(gets_in("PGPASSFILE", &|command| {
        command
            .args(["--store", &url])
            .env("PGPASSFILE", &pass_file);
    }));
    let settings = format!("[store]\nurl = {with_password:?}\n");
    let settings = private(&stage.path("sayso.toml"), &settings, 0o600);
    said.push(gets_in("the settings file", &|command| {
        command.args(["--config", &settings]);
    }));
    said.push(gets_in("every name of the environment", &|command| {
        command
            .args(["--store", "postgres://"])
            .env("PGHOST", &folder)
            .env("PGUSER", "node")
            .env("PGDATABASE", "sayso")
            .env("PGPORT", "5432")
            .env("PGPASSWORD", PASSWORD);
    }));
    private(
        &stage.path(".pgpass"),
        &line.replace('*', "localhost"),
        0o600,
    );
    said.push(gets_in("~/.pgpass", &|command| {
        command.args(["--store", &url]);
    }));

    // Without the right one nobody gets in, and is told where it goes.
    fs::remove_file(stage.path(".pgpass")).unwrap();
    for (what, name, value, why) in [
        ("none", "PGUSER", "node", "password missing"),
        (
            "a wrong one",
            "PGPASSWORD",
            "wrong-canary-9d",
            "password authentication failed",
        ),
        ("an open file", "PGPASSFILE", &open_file, "chmod 600"),
        ("a port", "PGPORT", "1", "can't be used"),
    ] {
        let ended = nodes(&|command| {
            command.args(["--store", &url]).env(name, value);
        });
        assert_eq!(ended.code, Some(1), "{what}: {ended:?}");
        assert!(ended.said.contains(why), "{what}: {ended:?}");
        said.push(format!("{ended:?}"));
    }
    let mut doctor = stage.command(&["doctor"]);
    doctor
        .env("SAYSO_STORE_URL", &with_password)
        .env("PGPASSWORD", PASSWORD);
    let doctor = Ended::of(doctor.output().unwrap());
    assert!(
        doctor.data.contains("postgres://node:***@"),
        "{}",
        doctor.data
    );
    said.push(format!("{doctor:?}"));
    stage.terminate();
    said.push(stage.ended().1);
    said.push(fs::read_to_string(&log).unwrap());
    for entry in fs::read_dir(stage.state()).unwrap().flatten() {
        said.push(
            String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default()).into_owned(),
        );
    }
    for text in &said {
        for secret in [CANARY, PASSWORD, "wrong-canary-9d"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
    assert!(said.len() > 12, "{}", said.len());
}

/// An authority, and a certificate of it for the address `$1`.
const CERTIFICATES: &str = r#"
cd "$HOME" && new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes" &&
openssl req -x509 $new -days 2 -subj /CN=authority -keyout ca.key -out ca.pem &&
openssl req -x509 $new -days 2 -subj /CN=other -keyout other.key -out other.pem &&
openssl req $new -subj /CN=db -keyout server.key -out server.csr &&
echo "subjectAltName=IP:ADDRESS" > names &&
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.crt
"#;

#[test]
fn tls_is_verified_or_not_used() {
    // Every test has an address of its own, so that the port can stay as it is.
    let [a, b, c, _] = std::process::id().to_le_bytes();
    let address = format!("127.{}.{b}.{}", a.max(1), c.max(2));
    let other_name = format!("127.{}.{b}.{}", a.max(1), c.max(2).wrapping_add(1).max(3));
    let addresses = format!("listen_addresses={address},{other_name}");
    let cluster = PgCluster::start(&[&addresses]);
    let data = cluster.socket().parent().unwrap().join("data");
    let mut stage = Stage::empty();
    let made = stage
        .shell(&CERTIFICATES.replace("ADDRESS", &address))
        .status()
        .unwrap();
    assert!(made.success(), "openssl could not make certificates");
    let owner = fs::metadata(&data).unwrap();
    for name in ["server.crt", "server.key"] {
        let file = data.join(name);
        fs::copy(stage.path(name), &file).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        chown(&file, Some(owner.uid()), Some(owner.gid())).unwrap();
    }
    let rules = "local all all trust\nhostssl all all 0.0.0.0/0 trust\n";
    fs::write(data.join("pg_hba.conf"), rules).unwrap();
    cluster.psql("postgres", "ALTER SYSTEM SET ssl = on");
    cluster.psql("postgres", "SELECT pg_reload_conf()");
    let key = key(&stage);
    let url = |host: &str, mode: &str| format!("postgres://node@{host}/sayso{mode}");
    let root = text_of(&stage.path("ca.pem"));

    let words = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--key-file",
        &key,
        "--store",
    ];
    let store = url(&address, "");
    let mut command = stage.command(&[&words[..], &[store.as_str()]].concat());
    command
        .env("SAYSO_STORE_ROOT_CERT", &root)
        .stderr(Stdio::null());
    stage.serve_by(command);
    let encrypted = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'node' AND NOT ssl";
    assert_eq!(cluster.psql("postgres", encrypted), "0");

    let other = text_of(&stage.path("other.pem"));
    let cases: [(&str, &str, &str, Option<&str>); 9] = [
        (&address, "?sslmode=verify-full", &root, None),
        (&address, "?sslmode=require", &root, None),
        (&other_name, "?sslmode=verify-ca", &root, None),
        (&other_name, "?sslmode=require", &root, None),
        (
            &other_name,
            "?sslmode=verify-full",
            &root,
            Some("certificate"),
        ),
        (
            &address,
            "?sslmode=verify-full",
            &other,
            Some("store.root_cert"),
        ),
        (
            &address,
            "?sslmode=verify-ca",
            &other,
            Some("store.root_cert"),
        ),
        (&address, "?sslmode=require", "", Some("store.root_cert")),
        (&address, "?sslmode=disable", &root, Some("no encryption")),
    ];
    for (host, mode, root, refused) in cases {
        let store = url(host, mode);
        let mut command = stage.command(&["nodes", "--store", &store]);
        let ended = Ended::of(command.env("PGSSLROOTCERT", root).output().unwrap());
        let code = i32::from(refused.is_some());
        assert_eq!(ended.code, Some(code), "{store} {root}: {ended:?}");
        assert!(
            ended.said.contains(refused.unwrap_or("")),
            "{store} {root}: {ended:?}"
        );
    }
    let store = url(&address, "");
    let mut command = stage.command(&["nodes", "--store", &store]);
    command
        .env("PGSSLMODE", "verify-full")
        .env("PGSSLROOTCERT", &root);
    assert_eq!(Ended::of(command.output().unwrap()).code, Some(0));
}
