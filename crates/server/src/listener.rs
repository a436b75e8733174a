//! Opening the doors, taking connections in, and sending everyone home at the end.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use sayso_hub::Hub;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::auth::host::{Hosts, Scheme};
use crate::doors::dialect::end_tied;
use crate::error::ServerError;
use crate::gate;
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
/// Bytes read ahead for one call: its head must fit.
const HEAD_BYTES_MAX: usize = 32 * 1024;
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
    places: Arc<Semaphore>,
    places_max: u32,
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
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
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
    let shared = Shared::new(&settings, hub.clone(), hosts, links_to)?;
    end_tied(&shared.speeches, &hub).await?;
    let places_max = u32::try_from(settings.connections_max)
        .unwrap_or(u32::MAX)
        .max(1);
    let places = Arc::new(Semaphore::new(places_max as usize));
    Ok(Bound {
        listeners,
        addresses,
        shared,
        tls,
        url,
        places,
        places_max,
    })
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

    /// Where every door is.
    pub fn local_addrs(&self) -> &[SocketAddr] {
        &self.addresses
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
            url: _,
            places,
            places_max,
        } = self;
        let router = routes::router(&shared);
        tokio::spawn(notices::run(Arc::clone(&shared)));
        samples::resume(&shared);
        let mut taking = JoinSet::new();
        for listener in listeners {
            let door = Door {
                shared: Arc::clone(&shared),
                router: router.clone(),
                tls: tls.clone(),
                places: Arc::clone(&places),
            };
            taking.spawn(door.take_in(listener));
        }
        shutdown.await;
        taking.shutdown().await;
        if tokio::time::timeout(FLUSH_MAX, shared.hub.stop())
            .await
            .is_err()
        {
            tracing::warn!(
                "deliveries could not be written down in time; agents will be told once more"
            );
        }
        shared.stop();
        // Every connection holds a place: once all are free again, all are gone.
        if tokio::time::timeout(GOODBYE_MAX, places.acquire_many(places_max))
            .await
            .is_err()
        {
            let left = (places_max as usize).saturating_sub(places.available_permits());
            tracing::info!(left, "connections did not end in time and are cut");
        }
        Ok(())
    }
}

/// One open door.
struct Door {
    shared: Arc<Shared>,
    router: Router,
    tls: Option<Tls>,
    places: Arc<Semaphore>,
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
                    tracing::warn!(%error, "a connection could not be taken in");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let peer = peer.ip().to_canonical();
            // Without a certificate of our own only the proxy that has one may come from outside.
            if exposed
                && !peer.is_loopback()
                && !self
                    .shared
                    .proxies
                    .iter()
                    .any(|proxy| proxy.to_canonical() == peer)
            {
                tracing::debug!(%peer, "turned away: not a declared proxy");
                continue;
            }
            let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
                self.shared.metrics.turned_away.inc();
                tracing::debug!(%peer, "turned away: too many connections");
                continue;
            };
            // Small frames must not wait for more to send.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection ended at once");
                continue;
            }
            let stream = Impatient::new(stream, place);
            let (shared, router) = (Arc::clone(&self.shared), self.router.clone());
            match &self.tls {
                None => drop(tokio::spawn(connection(shared, router, peer, stream))),
                Some(tls) => drop(tokio::spawn(encrypted(
                    tls.clone(),
                    shared,
                    router,
                    peer,
                    stream,
                ))),
            }
        }
    }
}

async fn encrypted(
    tls: Tls,
    shared: Arc<Shared>,
    router: Router,
    peer: IpAddr,
    stream: Impatient<TcpStream>,
) {
    match tokio::time::timeout(HEAD_MAX, tls.acceptor.accept(stream)).await {
        Ok(Ok(stream)) => connection(shared, router, peer, stream).await,
        Ok(Err(error)) => tracing::debug!(%error, %peer, "no encrypted connection came about"),
        Err(_) => tracing::debug!(%peer, "no encrypted connection came about in time"),
    }
}

async fn connection<S>(shared: Arc<Shared>, router: Router, peer: IpAddr, stream: S)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let service = {
        let shared = Arc::clone(&shared);
        service_fn(move |request| gate::pass(Arc::clone(&shared), router.clone(), peer, request))
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_MAX)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
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
