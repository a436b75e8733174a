//! One connection to the server, plain or TLS. Opening it is bounded; what runs over it is not.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::address::ServerAddress;
use crate::error::ClientError;

/// A server that does not take a connection in this time is not there.
pub(crate) const CONNECT_MAX: Duration = Duration::from_secs(2);

/// A connection.
#[derive(Debug)]
pub(crate) enum NetStream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// Opens a connection within [`CONNECT_MAX`], name lookup and TLS included.
pub(crate) async fn connect(
    address: &ServerAddress,
    tls: &Arc<ClientConfig>,
) -> Result<NetStream, ClientError> {
    let unreachable = |why: String| ClientError::Unreachable {
        url: address.to_string(),
        why,
    };
    match timeout(CONNECT_MAX, open(address, tls)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(error)) => Err(unreachable(plain(&error))),
        Err(_) => Err(unreachable(format!(
            "no connection within {} s",
            CONNECT_MAX.as_secs()
        ))),
    }
}

async fn open(address: &ServerAddress, tls: &Arc<ClientConfig>) -> io::Result<NetStream> {
    let tcp = TcpStream::connect((address.host(), address.port())).await?;
    // Frames are small and a person waits for each: never hold one back to fill a packet.
    tcp.set_nodelay(true)?;
    if !address.is_tls() {
        return Ok(NetStream::Plain(tcp));
    }
    let name = ServerName::try_from(address.host().to_owned()).map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "the host cannot have a certificate",
        )
    })?;
    let stream = TlsConnector::from(Arc::clone(tls))
        .connect(name, tcp)
        .await?;
    Ok(NetStream::Tls(Box::new(stream)))
}

/// The system's words without its error number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = match text.rfind(" (os error") {
        Some(end) => text.get(..end).unwrap_or_default(),
        None => &text,
    };
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

impl AsyncRead for NetStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for NetStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
