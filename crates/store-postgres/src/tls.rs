//! TLS to PostgreSQL: verified, or not used.
//!
//! A certificate that nobody vouches for protects from nobody who is in the way, so that what `libpq` does
//! with `sslmode=prefer` is refused, and `require` verifies too.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use sayso_store::StoreError;

use crate::fault;

/// What is asked of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PgTls {
    /// Nothing, because nothing was said.
    Unsaid,
    /// Nothing.
    Off,
    /// A certificate of the authority that is named, whatever name is in it.
    Authority,
    /// A certificate for the name of the host.
    Full,
}

impl PgTls {
    /// What an `sslmode` asks for.
    pub(crate) fn of(mode: Option<&str>, has_root: bool) -> Result<Self, StoreError> {
        let refused = |mode: &str, detail: &str| {
            Err(fault::unusable(
                format!("sslmode={mode} can't be used with PostgreSQL"),
                detail,
            ))
        };
        match mode {
            None if has_root => Ok(Self::Full),
            None => Ok(Self::Unsaid),
            Some("disable") => Ok(Self::Off),
            Some("require" | "verify-ca") if has_root => Ok(Self::Authority),
            Some("require" | "verify-full") => Ok(Self::Full),
            Some("verify-ca") => refused(
                "verify-ca",
                "set store.root_cert to the certificate of your authority, or use sslmode=verify-full",
            ),
            Some(mode @ ("allow" | "prefer")) => refused(
                mode,
                "sayso verifies a server's certificate or uses no TLS. Use disable, require, verify-ca or verify-full",
            ),
            Some(_) => refused("...", "use disable, require, verify-ca or verify-full"),
        }
    }

    pub(crate) const fn is_used(self) -> bool {
        match self {
            Self::Unsaid | Self::Off => false,
            Self::Authority | Self::Full => true,
        }
    }

    /// The settings of the TLS library for it. `root` is a PEM file; without one, the public authorities count.
    pub(crate) fn client(self, root: Option<&PathBuf>) -> Result<ClientConfig, StoreError> {
        let unusable = |error: &dyn std::fmt::Display| {
            fault::unusable("the certificates for PostgreSQL can't be used", error)
        };
        let roots = match root {
            Some(path) if self.is_used() => roots(path)?,
            Some(_) | None => RootCertStore {
                roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
            },
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&error))?;
        if self != Self::Authority {
            return Ok(config.with_root_certificates(roots).with_no_client_auth());
        }
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .map_err(|error| unusable(&error))?;
        Ok(config
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyName(verifier)))
            .with_no_client_auth())
    }
}

fn roots(path: &Path) -> Result<RootCertStore, StoreError> {
    let failed = |error: &dyn std::fmt::Display| {
        let what = format!("the certificates in {} can't be used", path.display());
        fault::unusable(what, format_args!("{error}. It must be a PEM file"))
    };
    let mut roots = RootCertStore::empty();
    for one in CertificateDer::pem_file_iter(path).map_err(|error| failed(&error))? {
        let one = one.map_err(|error| failed(&error))?;
        roots.add(one).map_err(|error| failed(&error))?;
    }
    if roots.is_empty() {
        return Err(failed(&"it contains no certificate"));
    }
    Ok(roots)
}

/// Verifies all but the name, which `verify-ca` leaves open.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The name is looked at last, so that everything else holds when it alone is wrong.
        match self
            .0
            .verify_server_cert(end_entity, intermediates, name, ocsp, now)
        {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_verified_or_not_asked_for() {
        let of = |mode: &str, has_root| PgTls::of(Some(mode), has_root);
        assert_eq!(PgTls::of(None, false).unwrap(), PgTls::Unsaid);
        assert_eq!(PgTls::of(None, true).unwrap(), PgTls::Full);
        assert_eq!(of("disable", true).unwrap(), PgTls::Off);
        assert_eq!(of("require", false).unwrap(), PgTls::Full);
        assert_eq!(of("require", true).unwrap(), PgTls::Authority);
        assert_eq!(of("verify-ca", true).unwrap(), PgTls::Authority);
        assert_eq!(of("verify-full", false).unwrap(), PgTls::Full);
        for refused in ["allow", "prefer", "verify-ca", "Require"] {
            let said = of(refused, false).unwrap_err().to_string();
            assert!(said.contains("sslmode="), "{said}");
        }
    }
}
