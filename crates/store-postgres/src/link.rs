//! One connection to PostgreSQL, and what the server says on it unasked.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use sayso_store::StoreError;
use tokio::sync::Notify;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::fault;
use crate::settings::PostgresSettings;

/// How long a host may take to answer.
const CONNECT: Duration = Duration::from_secs(5);
/// After this much silence a connection is asked whether it is there.
const KEEPALIVE: Duration = Duration::from_secs(5);
/// How long sent bytes may stay without an acknowledgement.
const UNACKNOWLEDGED: Duration = Duration::from_secs(10);

/// Where to connect to, and how.
pub(crate) struct PgTarget {
    pub(crate) config: Config,
    pub(crate) tls: MakeRustlsConnect,
    pub(crate) settings: PostgresSettings,
}

impl std::fmt::Debug for PgTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.settings.fmt(f)
    }
}

/// What the server said unasked.
#[derive(Debug, Default)]
pub(crate) struct LinkNews {
    /// A warning came. During a write it means that nothing is certain.
    pub(crate) warned: AtomicBool,
    /// A notification came.
    pub(crate) notified: Notify,
}

/// A connection. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct PgLink {
    pub(crate) client: Arc<Client>,
    pub(crate) news: Arc<LinkNews>,
}

impl PgTarget {
    pub(crate) fn new(settings: PostgresSettings) -> Result<Self, StoreError> {
        settings.check()?;
        let mut config: Config = settings.url.parse().map_err(|error| {
            let detail = fault::told(&error);
            fault::unusable("the URL of PostgreSQL cannot be read", detail)
        })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("sayso");
        }
        config
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .keepalives(true)
            .keepalives_idle(KEEPALIVE)
            .tcp_user_timeout(UNACKNOWLEDGED);
        // A certificate that nobody vouches for protects from nobody: TLS is verified, or it is not used.
        if config.get_ssl_mode() == SslMode::Prefer && settings.root_certificates.is_none() {
            config.ssl_mode(SslMode::Disable);
        }
        let tls = MakeRustlsConnect::new(tls(&settings)?);
        Ok(Self {
            config,
            tls,
            settings,
        })
    }

    /// Opens a connection and drives it on the runtime of whoever calls.
    pub(crate) async fn link(&self) -> Result<PgLink, StoreError> {
        let connected = self.config.connect(self.tls.clone()).await;
        let (client, mut connection) = connected.map_err(|error| refused(&error))?;
        let news = Arc::<LinkNews>::default();
        let heard = Arc::clone(&news);
        tokio::spawn(async move {
            while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
                match message {
                    Ok(AsyncMessage::Notice(notice)) => {
                        if notice.parsed_severity() == Some(Severity::Warning) {
                            tracing::warn!(code = notice.code().code(), "PostgreSQL: {notice}");
                            heard.warned.store(true, Ordering::SeqCst);
                        }
                    }
                    Ok(AsyncMessage::Notification(_)) => heard.notified.notify_one(),
                    Ok(_) => {}
                    Err(error) => {
                        tracing::debug!(error = fault::told(&error), "a connection ended");
                        break;
                    }
                }
            }
            // Whoever waits for news finds the connection closed.
            heard.notified.notify_one();
        });
        let link = PgLink {
            client: Arc::new(client),
            news,
        };
        let settings = self.session();
        let set = link.client.batch_execute(&settings).await;
        set.map_err(fault::journal)?;
        Ok(link)
    }

    /// What every connection sets. Plans must not hang on statistics: tables without any made PostgreSQL
    /// read all of them for a few rows. Everything is found by an index, and so is what is joined to it.
    pub(crate) fn session(&self) -> String {
        format!(
            "SET search_path = {}, {};
             SET synchronous_commit = on;
             SET client_min_messages = warning;
             SET standard_conforming_strings = on;
             SET statement_timeout = 0;
             SET lock_timeout = '10s';
             SET jit = off;
             SET enable_hashjoin = off;
             SET enable_mergejoin = off;
             SET enable_seqscan = off",
            self.settings.schema,
            self.settings.views_schema()
        )
    }
}

/// What a connection that only walks the journal sets beside that. Words are searched with bitmaps.
pub(crate) const WALK: &str = "SET enable_bitmapscan = off";

fn refused(error: &tokio_postgres::Error) -> StoreError {
    let said = fault::told(error);
    if said.contains("database does not allow writes") {
        return fault::unusable(
            "PostgreSQL takes no writes",
            "it is a standby, or read-only. Name the primary, or all hosts: `host=a,b`",
        );
    }
    // A server that is starting or full says so and can be asked again; these stay as they are.
    let lasting = [
        SqlState::INVALID_PASSWORD,
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
        SqlState::INVALID_CATALOG_NAME,
    ];
    if error.code().is_some_and(|code| lasting.contains(code)) {
        return fault::unusable("PostgreSQL refuses the connection", said);
    }
    fault::later(format_args!("PostgreSQL cannot be reached: {said}"))
}

fn tls(settings: &PostgresSettings) -> Result<ClientConfig, StoreError> {
    let failed = |error: &dyn std::fmt::Display| {
        fault::unusable("the certificates for PostgreSQL cannot be used", error)
    };
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    if let Some(path) = &settings.root_certificates {
        roots = RootCertStore::empty();
        for one in CertificateDer::pem_file_iter(path).map_err(|e| failed(&e))? {
            let one = one.map_err(|e| failed(&e))?;
            roots.add(one).map_err(|e| failed(&e))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| failed(&e))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ssl_mode(end: &str) -> SslMode {
        let url = format!("postgres://node:secret@a,b:5433/sayso{end}");
        let target = PgTarget::new(PostgresSettings::new(url, [7; 32])).unwrap();
        assert_eq!(target.config.get_hosts().len(), 2);
        assert_eq!(
            target.config.get_target_session_attrs(),
            TargetSessionAttrs::ReadWrite
        );
        assert!(!format!("{target:?}").contains("secret"));
        target.config.get_ssl_mode()
    }

    #[test]
    fn a_certificate_is_verified_or_not_asked_for() {
        assert_eq!(ssl_mode(""), SslMode::Disable);
        assert_eq!(ssl_mode("?sslmode=prefer"), SslMode::Disable);
        assert_eq!(ssl_mode("?sslmode=require"), SslMode::Require);
    }
}
