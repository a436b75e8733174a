//! A way between two programs that can be moved to another place, cut, delayed, and made to hold back
//! everything.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes that are never reached.
const NEVER: i64 = i64::MAX;
/// Whose bytes are counted.
const CLIENT: usize = 0;
const SERVER: usize = 1;
/// The most that is passed on at once.
const PIECE: usize = 64 * 1024;
/// How often it is looked whether what is held back may go on.
const LOOK: Duration = Duration::from_millis(2);

/// Where one end of the way is.
#[derive(Debug, Clone)]
enum Address {
    Socket(PathBuf),
    Port(SocketAddr),
}

/// A way between programs. Whoever is connected is cut off when it ends.
#[derive(Debug)]
pub struct Proxy {
    at: Address,
    way: Arc<Way>,
}

#[derive(Debug)]
struct Way {
    /// Where connections lead to, one after the other; one that is away is passed over.
    servers: Mutex<Vec<Address>>,
    /// Bytes that clients may still send before everything is cut, and the server.
    left: [AtomicI64; 2],
    /// Whether nobody gets through.
    closed: AtomicBool,
    /// Whether what the server says goes nowhere.
    silent: AtomicBool,
    /// Whether everything is held back, both ways, and nobody is told.
    held: AtomicBool,
    /// Milliseconds by which everything comes later.
    delay: AtomicU64,
    /// Whether the proxy is gone.
    ended: AtomicBool,
    count: AtomicU64,
    open: Mutex<BTreeMap<u64, [Wire; 2]>>,
}

impl Proxy {
    /// A way from a port of this machine to others, one after the other: each connection to the next.
    pub fn to_ports(servers: &[SocketAddr]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port for the proxy");
        let at = listener.local_addr().expect("the port of the proxy");
        let servers = servers.iter().copied().map(Address::Port);
        let way = Arc::new(Way::to(servers.collect()));
        let inside = Arc::clone(&way);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !inside.carry(Wire::Tcp(client)) {
                    return;
                }
            }
        });
        Self {
            at: Address::Port(at),
            way,
        }
    }

    /// A way from a socket to another.
    pub(crate) fn to_socket(at: &Path, server: PathBuf) -> Self {
        let listener = UnixListener::bind(at).expect("a socket for the proxy");
        let way = Arc::new(Way::to(vec![Address::Socket(server)]));
        let inside = Arc::clone(&way);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if !inside.carry(Wire::Unix(client)) {
                    return;
                }
            }
        });
        Self {
            at: Address::Socket(at.to_owned()),
            way,
        }
    }

    /// Host and port at which a client comes in.
    pub fn host(&self) -> String {
        match &self.at {
            Address::Port(at) => at.to_string(),
            Address::Socket(path) => path.display().to_string(),
        }
    }

    /// Leads to other places from now on; whoever is connected is cut off.
    pub fn move_to(&self, servers: &[SocketAddr]) {
        let servers = servers.iter().copied().map(Address::Port);
        *locked(&self.way.servers) = servers.collect();
        self.way.cut();
    }

    /// Cuts the connection that has been there for longest. Says whether there was one.
    pub fn cut_oldest(&self) -> bool {
        let oldest = locked(&self.way.open).pop_first();
        if let Some((_, wires)) = &oldest {
            wires.iter().for_each(Wire::end);
        }
        oldest.is_some()
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

    /// Holds back everything, both ways, until [`Proxy::open`]. Nobody is told.
    pub fn hold(&self) {
        self.way.held.store(true, Ordering::SeqCst);
    }

    /// Has everything come this much later.
    pub fn delay(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.way.delay.store(by, Ordering::SeqCst);
    }

    /// Cuts everything now. Whoever comes back gets through.
    pub fn cut(&self) {
        self.way.cut();
    }

    /// Cuts everything now, and lets nobody through until [`Proxy::open`].
    pub fn close(&self) {
        self.way.closed.store(true, Ordering::SeqCst);
        self.way.cut();
    }

    /// Lets everybody through again, at once.
    pub fn open(&self) {
        self.way.set_left(CLIENT, NEVER);
        self.way.set_left(SERVER, NEVER);
        self.way.delay.store(0, Ordering::SeqCst);
        self.way.silent.store(false, Ordering::SeqCst);
        self.way.held.store(false, Ordering::SeqCst);
        self.way.closed.store(false, Ordering::SeqCst);
    }
}

impl Proxy {
    /// Cuts everything and takes nobody any more.
    pub(crate) fn end(&self) {
        self.way.ended.store(true, Ordering::SeqCst);
        self.way.cut();
        // The thread that accepts wakes up and sees that it is over.
        drop(Wire::connect(&self.at));
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.end();
    }
}

impl Way {
    fn to(servers: Vec<Address>) -> Self {
        Self {
            servers: Mutex::new(servers),
            left: [const { AtomicI64::new(NEVER) }; 2],
            closed: AtomicBool::new(false),
            silent: AtomicBool::new(false),
            held: AtomicBool::new(false),
            delay: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            count: AtomicU64::new(0),
            open: Mutex::default(),
        }
    }

    fn cut(&self) {
        for wires in std::mem::take(&mut *locked(&self.open)).into_values() {
            wires.iter().for_each(Wire::end);
        }
    }

    /// Carries one connection. Says whether there may be more.
    fn carry(self: &Arc<Self>, client: Wire) -> bool {
        if self.ended.load(Ordering::SeqCst) {
            return false;
        }
        if self.closed.load(Ordering::SeqCst) {
            return true;
        }
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        let Some(server) = self.connect(number) else {
            return true;
        };
        let copies = [&client, &server, &client, &server].map(Wire::copy);
        let [Some(kept), Some(also), Some(from_client), Some(from_server)] = copies else {
            return true;
        };
        locked(&self.open).insert(number, [kept, also]);
        let way = Arc::clone(self);
        std::thread::spawn(move || way.pass_on(number, from_client, server, CLIENT));
        let way = Arc::clone(self);
        std::thread::spawn(move || way.pass_on(number, from_server, client, SERVER));
        true
    }

    /// Connects to the next server that is there.
    fn connect(&self, number: u64) -> Option<Wire> {
        let servers = locked(&self.servers).clone();
        let first = usize::try_from(number).unwrap_or_default() % servers.len().max(1);
        let mut next = servers.iter().cycle().skip(first).take(servers.len());
        next.find_map(Wire::connect)
    }

    fn pass_on(&self, number: u64, mut from: Wire, mut to: Wire, side: usize) {
        let mut bytes = vec![0; PIECE];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            let read = bytes.get(..count).unwrap_or_default();
            self.hold_back(number);
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
        to.end();
        locked(&self.open).remove(&number);
    }

    /// Waits for as long as bytes of this connection are held back.
    fn hold_back(&self, number: u64) {
        let delay = self.delay.load(Ordering::SeqCst);
        if delay > 0 {
            std::thread::sleep(Duration::from_millis(delay));
        }
        while self.held.load(Ordering::SeqCst) && locked(&self.open).contains_key(&number) {
            std::thread::sleep(LOOK);
        }
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

/// A connection of either kind.
#[derive(Debug)]
enum Wire {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Wire {
    fn connect(to: &Address) -> Option<Self> {
        match to {
            Address::Socket(path) => UnixStream::connect(path).ok().map(Self::Unix),
            Address::Port(at) => TcpStream::connect(at).ok().map(Self::Tcp),
        }
    }

    fn copy(&self) -> Option<Self> {
        match self {
            Self::Unix(stream) => stream.try_clone().ok().map(Self::Unix),
            Self::Tcp(stream) => stream.try_clone().ok().map(Self::Tcp),
        }
    }

    fn end(&self) {
        // One that has ended needs no end.
        let _ = match self {
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl Read for Wire {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(bytes),
            Self::Tcp(stream) => stream.read(bytes),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(bytes),
            Self::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
