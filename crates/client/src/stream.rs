//! One connection to the server, plain or TLS. Opening it is bounded; what runs over it is not.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

use crate::address::ServerAddress;
use crate::error::ClientError;

/// A server that does not take a connection in this time is not there.
pub(crate) const CONNECT_MAX: Duration = Duration::from_secs(2);

/// A connection, plain or encrypted.
pub(crate) type NetStream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

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
        return Ok(Either::Left(tcp));
    }
    let name = ServerName::try_from(address.host().to_owned()).map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "the host name is not valid for TLS",
        )
    })?;
    let stream = TlsConnector::from(Arc::clone(tls))
        .connect(name, tcp)
        .await?;
    Ok(Either::Right(Box::new(stream)))
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
