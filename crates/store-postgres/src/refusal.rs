//! Why no host of PostgreSQL could be used, and whether waiting may help.

use sayso_store::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::fault;
use crate::target::ANSWER;

/// What a host said, if it said anything.
#[derive(Debug)]
pub(crate) enum HostError {
    /// It, or the way to it, said this.
    Said(Error),
    /// It takes connections and hangs.
    Silent,
}

impl HostError {
    /// What it said.
    pub(crate) fn said(self) -> Option<Error> {
        match self {
            Self::Said(error) => Some(error),
            Self::Silent => None,
        }
    }
}

impl std::fmt::Display for HostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Said(error) => f.write_str(&fault::told(error)),
            Self::Silent => write!(f, "it did not answer within {} s", ANSWER.as_secs()),
        }
    }
}

/// What each host said.
#[derive(Debug)]
pub(crate) struct HostRefusal {
    tried: Vec<(String, HostError)>,
    /// Why a password file does not count.
    ignored: Option<String>,
}

/// What becomes of one host.
enum Verdict {
    /// It may be there in a moment.
    Away,
    /// It takes no writes: a standby, which may be promoted.
    ReadOnly,
    /// It stays as it is until somebody acts, in this way.
    Lasting(&'static str),
}

impl HostRefusal {
    pub(crate) fn new(tried: Vec<(String, HostError)>, ignored: Option<String>) -> Self {
        Self { tried, ignored }
    }

    /// To a server that runs: databases come back, standbys are promoted, passwords are put right.
    pub(crate) fn for_now(&self) -> StoreError {
        fault::later(self)
    }

    /// To a server that starts: what stays as it is, is said at once.
    pub(crate) fn at_start(&self) -> StoreError {
        let mut read_only = 0;
        for (host, error) in &self.tried {
            match verdict(error) {
                Verdict::Away => {}
                Verdict::ReadOnly => read_only += 1,
                Verdict::Lasting(what_to_do) => {
                    let ignored = self.ignored.as_ref().map(|why| format!(". Note: {why}"));
                    return fault::unusable(
                        format!("PostgreSQL at {host} refuses the connection"),
                        format!("{error}. {what_to_do}{}", ignored.unwrap_or_default()),
                    );
                }
            }
        }
        if read_only > 0 && read_only == self.tried.len() {
            return fault::unusable(
                "PostgreSQL accepts no writes",
                format_args!(
                    "{} is a standby or read-only. Name the primary in store.url, or all servers: postgres://USER@HOST,HOST2/DATABASE",
                    names(&self.tried)
                ),
            );
        }
        self.for_now()
    }
}

fn names(tried: &[(String, HostError)]) -> String {
    let names: Vec<&str> = tried.iter().map(|(host, _)| host.as_str()).collect();
    names.join(" and ")
}

impl std::fmt::Display for HostRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (host, error)) in self.tried.iter().enumerate() {
            let between = if at == 0 { "" } else { "; " };
            write!(f, "{between}PostgreSQL at {host} can't be used: {error}")?;
        }
        Ok(())
    }
}

fn verdict(error: &HostError) -> Verdict {
    let HostError::Said(error) = error else {
        return Verdict::Away;
    };
    const PASSWORD: &str = "Check the user in store.url, and the password in PGPASSWORD, ~/.pgpass or store.url of the settings file";
    let source =
        std::error::Error::source(error).and_then(|source| source.downcast_ref::<std::io::Error>());
    if let Some(source) = source {
        if source.kind() == std::io::ErrorKind::PermissionDenied && source.raw_os_error().is_none()
        {
            return Verdict::ReadOnly;
        }
        let inner = source
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<rustls::Error>());
        if let Some(rustls::Error::InvalidCertificate(_)) = inner {
            return Verdict::Lasting(
                "Set store.root_cert to the certificate of the authority that signed the server's, and use the name in that certificate as the host",
            );
        }
    }
    let Some(code) = error.code() else {
        // What the driver says by itself, without a server.
        let said = error.to_string();
        return if said.starts_with("invalid configuration") {
            Verdict::Lasting(PASSWORD)
        } else if said.contains("server does not support TLS") {
            Verdict::Lasting(
                "Turn on ssl in PostgreSQL, or use sslmode=disable in a network that you trust",
            )
        } else {
            Verdict::Away
        };
    };
    // A server that is starting or full says so and can be asked again.
    if *code == SqlState::INVALID_PASSWORD {
        Verdict::Lasting(PASSWORD)
    } else if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION {
        Verdict::Lasting("Check the user in store.url, sslmode, and pg_hba.conf of the server")
    } else if *code == SqlState::INVALID_CATALOG_NAME {
        Verdict::Lasting("Create it with CREATE DATABASE, or name another one in store.url")
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        Verdict::Lasting("Give the user the right: GRANT CONNECT, CREATE ON DATABASE ... TO ...")
    } else {
        Verdict::Away
    }
}
