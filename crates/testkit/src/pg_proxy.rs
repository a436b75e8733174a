//! A way to PostgreSQL that can be cut: a proxy on a socket in a folder of its own.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::pg::{PgCluster, socket, url};
use crate::proxy::Proxy;

/// A way to the server.
#[derive(Debug)]
pub struct PgProxy {
    folder: PathBuf,
    proxy: Proxy,
}

impl PgProxy {
    /// A way to this server.
    pub fn to(cluster: &PgCluster) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sayso-px-{}-{number}", std::process::id());
        let folder = PathBuf::from("/tmp").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).expect("a folder for the proxy");
        let proxy = Proxy::to_socket(&socket(&folder), cluster.socket());
        Self { folder, proxy }
    }

    /// Where a node connects to.
    pub fn url(&self) -> String {
        self.url_of("sayso")
    }

    /// Where a node connects to for this database.
    pub fn url_of(&self, database: &str) -> String {
        url(&self.folder, database)
    }
}

impl Deref for PgProxy {
    type Target = Proxy;

    fn deref(&self) -> &Proxy {
        &self.proxy
    }
}

impl Drop for PgProxy {
    fn drop(&mut self) {
        // Before the socket goes, by which it is told.
        self.proxy.end();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
