//! Opening the doors, taking connections in, and sending everyone home at the end.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use sayso_core::limits;
use sayso_hub::Hub;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::admission::{Admission, ConnectionPlace};
use crate::auth::host::{Hosts, Scheme};
use crate::auth::peer::Peer;
use crate::doors::dialect::{end_tied, give_up, hear};
use crate::error::ServerError;
use crate::fresh;
use crate::gate;
use crate::head::Strict;
use crate::notices;
use crate::routes;
use crate::samples;
use crate::settings::ServerSettings;
use crate::shared::Shared;
use crate::stream::Impatient;
use crate::tls::{self, Tls};

/// A caller who has not said what they want by then goes; a kept connection may be quiet this long.
const HEAD_MAX: Duration = Duration::from_secs(10);
/// Headers of one call: a browser sends about twenty.
const HEADERS_MAX: usize = 64;
/// Connections that the system keeps until they are taken in.
const BACKLOG: u32 = 1024;
/// After an error that is not the caller's (no file descriptors left), wait before the next try.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// What is owed is written down within this time at the end, or told once more at the next start.
const FLUSH_MAX: Duration = Duration::from_secs(5);
/// Connections that have not ended by then at the end are cut.
const GOODBYE_MAX: Duration = Duration::from_secs(3);

/// Doors that are open and not yet watched.
#[derive(Debug)]
pub struct Bound {
    listeners: Vec<TcpListener>,
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
    tls: Option<Tls>,
    url: String,
    admission: Arc<Admission>,
}

/// Opens the doors. Nobody is let in before [`Bound::serve`].
pub async fn bind(settings: ServerSettings, hub: Hub) -> Result<Bound, ServerError> {
    let tls = settings.tls.as_ref().map(tls::open).transpose()?;
    let mut listeners = Vec::new();
    let mut addresses = Vec::new();
    for listen in settings.listen.iter().copied() {
        if !listen.ip().to_canonical().is_loopback() && tls.is_none() && settings.proxies.is_empty()
        {
            return Err(ServerError::Exposed { listen });
        }
        let failed = |error: std::io::Error| ServerError::Listen {
            listen,
            detail: error.to_string(),
        };
        let listener = open(listen).map_err(failed)?;
        addresses.push(listener.local_addr().map_err(failed)?);
        listeners.push(listener);
    }
    let scheme = if tls.is_some() {
        Scheme::Https
    } else {
        Scheme::Http
    };
    let url = local_url(
        scheme,
        addresses.first().copied().ok_or(ServerError::NoListen)?,
    );
    let hosts = Hosts::new(&addresses, scheme, settings.public_url.as_ref());
    let links_to = settings
        .public_url
        .as_ref()
        .map_or_else(|| url.clone(), ToString::to_string);
    let shared = Shared::new(&settings, hub.clone(), hosts, links_to).await?;
    end_tied(&shared.speeches, &hub).await?;
    let admission = Admission::new(settings.connections_max);
    Ok(Bound {
        listeners,
        addresses,
        shared,
        tls,
        url,
        admission,
    })
}

/// Listens there. Connections inherit how much the system buffers for them.
fn open(listen: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match listen {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(limits::SEND_BUFFER_BYTES)?;
    socket.bind(listen)?;
    socket.listen(BACKLOG)
}

/// The address by which this machine reaches a door.
fn local_url(scheme: Scheme, address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!(
        "{}://{}",
        scheme.word(),
        SocketAddr::new(ip, address.port())
    )
}

impl Bound {
    /// Where the first door is.
    pub fn local_addr(&self) -> SocketAddr {
        self.addresses
            .first()
            .copied()
            .unwrap_or_else(|| SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)))
    }

    /// The address by which commands on this machine reach the server.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address that links lead to: the public one when there is one.
    pub fn public_url(&self) -> &str {
        &self.shared.url
    }

    /// Our own certificate in DER, when there is one.
    pub fn certificate(&self) -> Option<&[u8]> {
        self.tls.as_ref().map(|tls| tls.certificate.as_ref())
    }

    /// Lets everyone in until `shutdown` resolves; then no more asks, and everyone goes home
    /// within a few seconds.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send) -> Result<(), ServerError> {
        let Self {
            listeners,
            addresses: _,
            shared,
            tls,
            url,
            admission,
        } = self;
        let router = routes::router(&shared);
        tokio::spawn(notices::run(Arc::clone(&shared)));
        tokio::spawn(fresh::watch(Arc::clone(&shared)));
        tokio::spawn(give_up(Arc::clone(&shared)));
        tokio::spawn(hear(Arc::clone(&shared)));
        shared.hub.listens_at(&url);
        samples::resume(&shared);
        let mut taking = JoinSet::new();
        for listener in listeners {
            let door = Door {
                shared: Arc::clone(&shared),
                router: router.clone(),
                tls: tls.clone(),
                admission: Arc::clone(&admission),
            };
            taking.spawn(door.take_in(listener));
        }
        shutdown.await;
        taking.shutdown().await;
        if tokio::time::timeout(FLUSH_MAX, shared.hub.stop())
            .await
            .is_err()
        {
            tracing::warn!("could not record deliveries in time; agents will receive them again");
        }
        shared.stop();
        if tokio::time::timeout(GOODBYE_MAX, admission.emptied())
            .await
            .is_err()
        {
            let left = admission.live();
            tracing::info!(left, "connections did not close in time and are dropped");
        }
        Ok(())
    }
}

/// One open door.
struct Door {
    shared: Arc<Shared>,
    router: Router,
    tls: Option<Tls>,
    admission: Arc<Admission>,
}

impl Door {
    async fn take_in(self, listener: TcpListener) {
        let exposed = self.tls.is_none()
            && !listener
                .local_addr()
                .is_ok_and(|address| address.ip().to_canonical().is_loopback());
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(taken) => taken,
                Err(error) => {
                    tracing::warn!(%error, "could not accept a connection");
                    self.admission.make_room();
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let peer = peer.ip().to_canonical();
            let proxies = &self.shared.proxies;
            let is_proxy = proxies.iter().any(|proxy| proxy.to_canonical() == peer);
            // Without a certificate of our own only the proxy that has one may come from outside.
            if exposed && !peer.is_loopback() && !is_proxy {
                tracing::debug!(%peer, "refused a connection that is not from a declared proxy");
                continue;
            }
            // A proxy's address says nothing about the caller; what it forwards is known later.
            let network = (!is_proxy).then(|| Peer(peer).network());
            let (held, place) = self.admission.arrive(network);
            // Small frames must not wait for more to send.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection closed immediately");
                continue;
            }
            let stream = Impatient::new(stream, held);
            let caller = Caller {
                shared: Arc::clone(&self.shared),
                router: self.router.clone(),
                peer,
                place,
            };
            match &self.tls {
                None => drop(tokio::spawn(connection(caller, stream))),
                Some(tls) => drop(tokio::spawn(encrypted(tls.clone(), caller, stream))),
            }
        }
    }
}

/// Whoever is at the other end of a connection, and what answers them.
struct Caller {
    shared: Arc<Shared>,
    router: Router,
    peer: IpAddr,
    place: Arc<ConnectionPlace>,
}

async fn encrypted(tls: Tls, caller: Caller, stream: Impatient<TcpStream>) {
    let peer = caller.peer;
    match tokio::time::timeout(HEAD_MAX, tls.acceptor.accept(stream)).await {
        Ok(Ok(stream)) => connection(caller, stream).await,
        Ok(Err(error)) => tracing::debug!(%error, %peer, "the TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "the TLS handshake timed out"),
    }
}

async fn connection<S>(caller: Caller, stream: S)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let Caller {
        shared,
        router,
        peer,
        place,
    } = caller;
    let service = {
        let shared = Arc::clone(&shared);
        service_fn(move |request| {
            let (shared, place) = (Arc::clone(&shared), Arc::clone(&place));
            gate::pass(shared, router.clone(), peer, place, request)
        })
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_MAX)
        .max_headers(HEADERS_MAX)
        .max_buf_size(limits::HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(Strict::new(stream)), service)
        .with_upgrades();
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shared.stopped() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, %peer, "a connection ended early");
    }
}
