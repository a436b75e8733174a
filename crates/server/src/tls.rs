//! Our own certificate, from its files.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::error::ServerError;
use crate::settings::TlsFiles;

/// What encrypts, and the certificate it shows.
#[derive(Clone)]
pub(crate) struct Tls {
    pub(crate) acceptor: TlsAcceptor,
    pub(crate) certificate: CertificateDer<'static>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

/// Reads the certificate and its key.
pub(crate) fn open(files: &TlsFiles) -> Result<Tls, ServerError> {
    let bad = |file: &Path, detail: String| ServerError::Tls {
        file: file.to_owned(),
        detail,
    };
    let certificates = CertificateDer::pem_file_iter(&files.cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| bad(&files.cert, error.to_string()))?;
    let certificate = certificates
        .first()
        .cloned()
        .ok_or_else(|| bad(&files.cert, "it contains no certificate".to_owned()))?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| bad(&files.key, error.to_string()))?;
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ServerError::Built {
            detail: error.to_string(),
        })?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| bad(&files.key, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Tls {
        acceptor: TlsAcceptor::from(Arc::new(config)),
        certificate,
    })
}
