//! A way in to one server as one token.

use std::sync::Arc;

use http::HeaderValue;
use rustls::ClientConfig;

use crate::address::ServerAddress;
use crate::error::ClientError;
use crate::token::TokenSecret;
use crate::trust::{self, Trust};

/// Where a server is, and the token to come in with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its address, such as `http://127.0.0.1:7717`.
    pub url: String,
    /// The token; without one only the open routes answer.
    pub token: Option<TokenSecret>,
}

/// A way in to one server as one token. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    address: ServerAddress,
    /// Marked as sensitive, so that it does not print.
    token: Option<HeaderValue>,
    tls: Arc<ClientConfig>,
}

impl Client {
    /// A way in with a token.
    pub fn new(url: &str, token: impl Into<TokenSecret>) -> Result<Self, ClientError> {
        Self::trusting(url, Some(token.into()), &Trust::Web)
    }

    /// A way in to this server.
    pub fn of(server: &Server) -> Result<Self, ClientError> {
        Self::trusting(&server.url, server.token.clone(), &Trust::Web)
    }

    /// A way in to a server that may show a certificate of its own.
    pub fn trusting(
        url: &str,
        token: Option<TokenSecret>,
        trust: &Trust,
    ) -> Result<Self, ClientError> {
        let token = token.map(|token| header(&token)).transpose()?;
        let inner = Inner {
            address: ServerAddress::parse(url)?,
            token,
            tls: trust::settings(trust)?,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Where the server is.
    pub fn url(&self) -> String {
        self.inner.address.to_string()
    }

    /// The same way in without the path of the address.
    pub(crate) fn at_root(&self) -> Self {
        Self {
            inner: Arc::new(Inner {
                address: self.inner.address.root(),
                token: self.inner.token.clone(),
                tls: Arc::clone(&self.inner.tls),
            }),
        }
    }

    pub(crate) fn address(&self) -> &ServerAddress {
        &self.inner.address
    }

    pub(crate) fn token(&self) -> Option<&HeaderValue> {
        self.inner.token.as_ref()
    }

    pub(crate) fn tls(&self) -> &Arc<ClientConfig> {
        &self.inner.tls
    }
}

fn header(token: &TokenSecret) -> Result<HeaderValue, ClientError> {
    let mut value = HeaderValue::try_from(format!("Bearer {}", token.reveal()))
        .map_err(|_| ClientError::NotSent("the token contains invalid characters".into()))?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_never_prints() {
        let client = Client::new("http://127.0.0.1:1", "hunter2").unwrap();
        assert!(!format!("{client:?}").contains("hunter2"));
        let server = Server {
            url: "http://127.0.0.1:1".into(),
            token: Some("hunter2".into()),
        };
        assert!(!format!("{server:?}").contains("hunter2"));
        assert!(Client::new("http://127.0.0.1:1", "two\nlines").is_err());
    }
}
