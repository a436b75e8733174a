//! A way to PostgreSQL that can be cut: after so many bytes, at once, or for good.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::pg::{PgCluster, socket, url};

/// Bytes that are never reached.
const NEVER: i64 = i64::MAX;
/// Whose bytes are counted.
const CLIENT: usize = 0;
const SERVER: usize = 1;

/// A way to the server.
#[derive(Debug)]
pub struct PgProxy {
    folder: PathBuf,
    way: Arc<Way>,
}

#[derive(Debug)]
struct Way {
    server: PathBuf,
    /// Bytes that clients may still send before everything is cut, and the server.
    left: [AtomicI64; 2],
    /// Whether nobody gets through.
    closed: AtomicBool,
    /// Whether what the server says goes nowhere.
    silent: AtomicBool,
    /// Whether the proxy is gone.
    ended: AtomicBool,
    open: Mutex<Vec<UnixStream>>,
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
        let listener = UnixListener::bind(socket(&folder)).expect("a socket for the proxy");
        let way = Arc::new(Way {
            server: cluster.socket(),
            left: [const { AtomicI64::new(NEVER) }; 2],
            closed: AtomicBool::new(false),
            silent: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            open: Mutex::default(),
        });
        let inside = Arc::clone(&way);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if inside.ended.load(Ordering::SeqCst) {
                    return;
                }
                inside.carry(client);
            }
        });
        Self { folder, way }
    }

    /// Where a node connects to.
    pub fn url(&self) -> String {
        url(&self.folder)
    }

    /// Cuts everything once clients have sent this many more bytes; the last of them do not arrive.
    pub fn cut_after(&self, bytes: i64) {
        self.way.set_left(CLIENT, bytes);
    }

    /// Cuts everything once the server has sent this many more bytes; the last of them do not arrive.
    pub fn cut_reply_after(&self, bytes: i64) {
        self.way.set_left(SERVER, bytes);
    }

    /// From now on the server hears everything, and nobody hears the server.
    pub fn silence(&self) {
        self.way.silent.store(true, Ordering::SeqCst);
    }

    /// Cuts everything now, and lets nobody through until [`PgProxy::open`].
    pub fn close(&self) {
        self.way.closed.store(true, Ordering::SeqCst);
        self.way.cut();
    }

    /// Lets everybody through again.
    pub fn open(&self) {
        self.way.set_left(CLIENT, NEVER);
        self.way.set_left(SERVER, NEVER);
        self.way.silent.store(false, Ordering::SeqCst);
        self.way.closed.store(false, Ordering::SeqCst);
    }
}

impl Drop for PgProxy {
    fn drop(&mut self) {
        self.way.ended.store(true, Ordering::SeqCst);
        self.way.cut();
        // The thread that accepts wakes up and sees that it is over.
        let _ = UnixStream::connect(socket(&self.folder));
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Way {
    fn cut(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for stream in open.drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn carry(self: &Arc<Self>, client: UnixStream) {
        if self.closed.load(Ordering::SeqCst) {
            return;
        }
        let Ok(server) = UnixStream::connect(&self.server) else {
            return;
        };
        let copies = [&client, &server].map(UnixStream::try_clone);
        let [Ok(from_client), Ok(from_server)] = copies else {
            return;
        };
        {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.extend(client.try_clone());
            open.extend(server.try_clone());
        }
        let way = Arc::clone(self);
        std::thread::spawn(move || way.copy(from_client, server, CLIENT));
        let way = Arc::clone(self);
        std::thread::spawn(move || way.copy(from_server, client, SERVER));
    }

    fn copy(&self, mut from: UnixStream, mut to: UnixStream, side: usize) {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            let read = bytes.get(..count).unwrap_or_default();
            if self.is_over(side, count) {
                self.cut();
                break;
            }
            if side == SERVER && self.silent.load(Ordering::SeqCst) {
                continue;
            }
            if to.write_all(read).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    }

    fn set_left(&self, side: usize, bytes: i64) {
        if let Some(left) = self.left.get(side) {
            left.store(bytes, Ordering::SeqCst);
        }
    }

    /// Counts bytes. Says whether these are the ones too many.
    fn is_over(&self, side: usize, count: usize) -> bool {
        let Some(left) = self.left.get(side) else {
            return false;
        };
        if left.load(Ordering::SeqCst) == NEVER {
            return false;
        }
        let count = i64::try_from(count).unwrap_or(NEVER);
        let is_over = left.fetch_sub(count, Ordering::SeqCst) < count;
        if is_over {
            // One cut for one word: whoever comes back gets through.
            left.store(NEVER, Ordering::SeqCst);
        }
        is_over
    }
}
