//! Where PostgreSQL is and how to get in: the URL, completed from the usual places, tried host by host.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sayso_store::StoreError;
use tokio::task::AbortHandle;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::fault;
use crate::inner::locked;
use crate::pass_file::{self, PassWanted};
use crate::refusal::{HostError, HostRefusal};
use crate::settings::PostgresSettings;
use crate::tls::PgTls;
use crate::url::{PostgresUrl, UrlHost, UrlParts, listed};

/// How long a server may take to answer. One that hangs takes connections and then says nothing.
pub(crate) const ANSWER: Duration = Duration::from_secs(5);
/// After this much silence a connection is asked whether it is there.
const KEEPALIVE: Duration = Duration::from_secs(5);
/// How long it may take to answer before it is asked again, and how often it is.
const KEEPALIVE_AGAIN: Duration = Duration::from_secs(1);
const KEEPALIVES_MAX: u32 = 3;
/// How long sent bytes may stay without an acknowledgement.
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);
/// The port of PostgreSQL.
const PORT: u16 = 5432;
/// Where Debian and Red Hat keep the socket of PostgreSQL.
const SOCKETS: &str = "/var/run/postgresql";

pub(crate) type PgConnection =
    Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// Where to connect to, and how.
pub(crate) struct PgTarget {
    hosts: Arc<PgHosts>,
    pub(crate) settings: PostgresSettings,
    /// Why the password file does not count, if it does not.
    ignored: Option<String>,
}

/// The servers, one of which takes writes.
pub(crate) struct PgHosts {
    /// In the order in which they are tried.
    all: Vec<PgHost>,
    tls: MakeRustlsConnect,
    /// Which one is tried first: the next one after a host that hung.
    first: AtomicUsize,
    /// When a connection of this node was last opened because another one was gone. What was opened
    /// before may lead to a server that is no longer the primary.
    renewed: Mutex<Instant>,
    /// What drives each connection for reading, to end those to a host that hangs: somebody waits for
    /// what was asked there.
    readers: Mutex<Vec<(HostNumber, AbortHandle)>>,
}

/// One server of several.
struct PgHost {
    /// What errors call it.
    shown: String,
    config: Config,
}

impl std::fmt::Debug for PgTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.settings.fmt(f)
    }
}

impl PgTarget {
    pub(crate) fn new(settings: PostgresSettings) -> Result<Self, StoreError> {
        settings.check()?;
        Self::of_any_schema(settings)
    }

    /// The same for a schema whose name was made from one that was checked.
    pub(crate) fn of_any_schema(settings: PostgresSettings) -> Result<Self, StoreError> {
        let unreadable = |why: String| fault::unusable("the URL of PostgreSQL can't be read", why);
        let url: PostgresUrl = settings.url.parse().map_err(unreadable)?;
        let parts = url.parts().map_err(unreadable)?;
        let usual = &settings.environment;
        let named = parts.root_cert.as_ref().map(PathBuf::from);
        let root = named.or_else(|| settings.root_certificates.clone());
        let root = root.or_else(|| usual.root_cert.clone());
        // The authorities that everybody trusts, by the name that `libpq` has for them.
        let root = root.filter(|path| path != Path::new("system"));
        let mode = parts.ssl_mode.as_deref().or(usual.ssl_mode.as_deref());
        let tls = PgTls::of(mode, root.is_some())?;
        let (text, ignored) = match parts
            .pass_file
            .as_ref()
            .map(PathBuf::from)
            .or_else(|| usual.pass_file.clone())
        {
            Some(path) => match pass_file::read(&path) {
                Ok(text) => (text, None),
                Err(why) => (None, Some(why)),
            },
            None => (None, None),
        };
        let hosts = hosts(&parts, &settings).map_err(unreadable)?;
        let base = base(parts.config, &settings, tls);
        let hosts = hosts
            .into_iter()
            .map(|host| PgHost::new(&base, host, text.as_deref(), tls));
        let hosts = PgHosts {
            all: hosts.collect(),
            tls: MakeRustlsConnect::new(tls.client(root.as_ref())?),
            first: AtomicUsize::new(0),
            renewed: Mutex::new(moment()),
            readers: Mutex::default(),
        };
        let target = Self {
            hosts: Arc::new(hosts),
            ignored,
            settings,
        };
        if let Some(why) = &target.ignored {
            tracing::warn!("{why}");
        }
        Ok(target)
    }

    /// Opens a connection to the first host that takes writes.
    pub(crate) async fn connect(&self) -> Result<PgConnected, HostRefusal> {
        let connected = self.hosts.connect().await;
        connected.map_err(|tried| HostRefusal::new(tried, self.ignored.clone()))
    }

    /// The host hung: another one may be the primary by now. Whoever reads there waits for nothing.
    pub(crate) fn distrust(&self, host: HostNumber) {
        let next = (host.0 + 1) % self.hosts.all.len().max(1);
        self.hosts.first.store(next, Ordering::SeqCst);
        self.renew();
        locked(&self.hosts.readers).retain(|(at, driver)| {
            if *at == host {
                driver.abort();
            }
            *at != host
        });
    }

    /// A connection was opened where another one was gone.
    pub(crate) fn renew(&self) {
        *locked(&self.hosts.renewed) = moment();
    }

    /// Since when connections for reading lead to the primary.
    pub(crate) fn renewed(&self) -> Instant {
        self.hosts.renewed()
    }

    /// The servers, for whoever opens connections by itself.
    pub(crate) fn hosts(&self) -> &Arc<PgHosts> {
        &self.hosts
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the pool tells by this clock when it opened a connection"
)]
fn moment() -> Instant {
    Instant::now()
}

/// The hosts of the URL, else those of the environment, else this machine.
fn hosts(url: &UrlParts, settings: &PostgresSettings) -> Result<Vec<UrlHost>, String> {
    let usual = &settings.environment;
    let ports = usual.port.as_deref();
    if url.hosts.is_empty() {
        let here = if Path::new(SOCKETS).exists() {
            SOCKETS
        } else {
            "localhost"
        };
        return listed(usual.host.as_deref().unwrap_or(here), ports);
    }
    let names: Vec<&str> = url.hosts.iter().map(|host| host.name.as_str()).collect();
    let with_ports = listed(&names.join(","), ports)?;
    let said = url.hosts.iter().zip(with_ports);
    Ok(said
        .map(|(host, usual)| UrlHost {
            name: host.name.clone(),
            port: host.port.or(usual.port),
        })
        .collect())
}

/// What all hosts have in common.
fn base(mut config: Config, settings: &PostgresSettings, tls: PgTls) -> Config {
    let usual = &settings.environment;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(ANSWER);
    }
    if config.get_application_name().is_none() {
        config.application_name("sayso");
    }
    if let (None, Some(user)) = (config.get_user(), &usual.user) {
        config.user(user);
    }
    if let (None, Some(database)) = (config.get_dbname(), &usual.database) {
        config.dbname(database);
    }
    if let (None, Some(password)) = (config.get_password(), &usual.password) {
        config.password(password);
    }
    config
        .ssl_mode(if tls.is_used() {
            SslMode::Require
        } else {
            SslMode::Disable
        })
        .target_session_attrs(TargetSessionAttrs::ReadWrite)
        .keepalives(true)
        .keepalives_idle(KEEPALIVE)
        .keepalives_interval(KEEPALIVE_AGAIN)
        .keepalives_retries(KEEPALIVES_MAX)
        .tcp_user_timeout(UNACKNOWLEDGED);
    config
}

impl PgHost {
    fn new(base: &Config, host: UrlHost, pass_file: Option<&str>, tls: PgTls) -> Self {
        let mut config = base.clone();
        let port = host.port.unwrap_or(PORT);
        let user = config.get_user().unwrap_or_default().to_owned();
        let database = config.get_dbname().unwrap_or(&user).to_owned();
        let wanted = PassWanted {
            host: &host.name,
            port,
            database: &database,
            user: &user,
        };
        let found = pass_file.and_then(|text| pass_file::find(text, &wanted));
        if let (None, Some(password)) = (config.get_password(), found) {
            config.password(password);
        }
        let is_socket = host.name.starts_with('/');
        if is_socket {
            // A socket never leaves the machine, and PostgreSQL has no TLS on it.
            config.ssl_mode(SslMode::Disable);
        }
        let is_near = is_socket
            || host.name == "localhost"
            || host
                .name
                .parse()
                .is_ok_and(|address: std::net::IpAddr| address.is_loopback());
        let shown = if is_socket {
            host.name.clone()
        } else {
            format!("{}:{port}", host.name)
        };
        if tls == PgTls::Unsaid && !is_near {
            tracing::warn!(
                "the connection to PostgreSQL at {shown} is not encrypted; set store.root_cert, or add ?sslmode=verify-full to store.url"
            );
        }
        config.host(host.name).port(port);
        Self { shown, config }
    }
}

/// Which of the hosts a connection leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HostNumber(usize);

/// A connection that nobody drives yet.
pub(crate) struct PgConnected {
    pub(crate) client: Client,
    pub(crate) connection: PgConnection,
    pub(crate) host: HostNumber,
}

impl PgHosts {
    /// When a connection of this node was last opened because another one was gone.
    pub(crate) fn renewed(&self) -> Instant {
        *locked(&self.renewed)
    }

    /// A connection for reading was opened.
    pub(crate) fn reads_at(&self, host: HostNumber, driver: AbortHandle) {
        let mut readers = locked(&self.readers);
        readers.retain(|(_, driver)| !driver.is_finished());
        readers.push((host, driver));
    }

    /// The first host that takes writes, or what each of them said.
    pub(crate) async fn connect(&self) -> Result<PgConnected, Vec<(String, HostError)>> {
        let mut tried = Vec::new();
        let first = self.first.load(Ordering::SeqCst);
        let (before, after) = self.all.split_at(first.min(self.all.len()));
        let numbered = (first..).zip(after).chain((0..).zip(before));
        for (number, host) in numbered {
            let connecting = host.config.connect(self.tls.clone());
            let error = match tokio::time::timeout(ANSWER, connecting).await {
                Ok(Ok((client, connection))) => {
                    return Ok(PgConnected {
                        client,
                        connection,
                        host: HostNumber(number),
                    });
                }
                Ok(Err(error)) => HostError::Said(error),
                Err(_) => HostError::Silent,
            };
            tried.push((host.shown.clone(), error));
        }
        Err(tried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PgEnvironment;

    fn target(url: &str, names: &[(&str, &str)]) -> PgTarget {
        let get = |name: &str| {
            names
                .iter()
                .find(|(one, _)| *one == name)
                .map(|(_, value)| *value)
        };
        PgTarget::new(PostgresSettings {
            environment: PgEnvironment::of(get),
            ..PostgresSettings::new(url, [7; 32])
        })
        .unwrap()
    }

    #[test]
    fn the_environment_completes_a_url() {
        let names = [
            ("PGHOST", "x,y"),
            ("PGPORT", "6000"),
            ("PGUSER", "ann"),
            ("PGDATABASE", "db"),
            ("PGPASSWORD", "canary"),
        ];
        let all = target("postgres://", &names);
        let shown: Vec<_> = all
            .hosts
            .all
            .iter()
            .map(|host| host.shown.as_str())
            .collect();
        assert_eq!(shown, ["x:6000", "y:6000"]);
        for host in &all.hosts.all {
            assert_eq!(host.config.get_user(), Some("ann"));
            assert_eq!(host.config.get_dbname(), Some("db"));
            assert_eq!(host.config.get_password(), Some(&b"canary"[..]));
            assert_eq!(
                host.config.get_target_session_attrs(),
                TargetSessionAttrs::ReadWrite
            );
        }
        let some = target("postgres://node:own@a,b:5433/sayso", &names);
        let shown: Vec<_> = some
            .hosts
            .all
            .iter()
            .map(|host| host.shown.as_str())
            .collect();
        assert_eq!(shown, ["a:6000", "b:5433"]);
        let [first, _] = &some.hosts.all[..] else {
            panic!("two hosts")
        };
        assert_eq!(first.config.get_user(), Some("node"));
        assert_eq!(first.config.get_password(), Some(&b"own"[..]));
        assert!(!format!("{all:?}{some:?}").contains("canary"));
    }

    #[test]
    fn tls_is_off_unless_it_is_asked_for_and_on_sockets_always() {
        let modes = |url: &str, names: &[(&str, &str)]| -> Vec<SslMode> {
            let target = target(url, names);
            target
                .hosts
                .all
                .iter()
                .map(|host| host.config.get_ssl_mode())
                .collect()
        };
        assert_eq!(modes("postgres://a/b", &[]), [SslMode::Disable]);
        assert_eq!(
            modes("postgres://a/b", &[("PGSSLMODE", "require")]),
            [SslMode::Require]
        );
        assert_eq!(
            modes(
                "postgres://%2Frun%2Fpg,a/b?sslmode=verify-full",
                &[("PGSSLMODE", "disable")]
            ),
            [SslMode::Disable, SslMode::Require]
        );
    }
}
