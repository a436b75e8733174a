//! A push service on this machine: it takes notices as those of the browsers do, and then reads
//! them as the browser would, with other code than the courier writes them with.
//!
//! Written from RFC 8030, 8291 and 8292. It panics at a notice that is not as they say.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aes_gcm::aead::{Aead as _, KeyInit as _};
use aes_gcm::{Aes128Gcm, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::{PublicKey, SecretKey};
use serde_json::Value;
use sha2::Sha256;

/// A push service that runs.
#[derive(Debug)]
pub struct PushService {
    origin: String,
    state: Arc<Mutex<State>>,
    arrived: Mutex<Receiver<Pushed>>,
}

#[derive(Debug, Default)]
struct State {
    devices: Vec<DeviceKeys>,
    answers: VecDeque<u16>,
}

#[derive(Debug, Clone)]
struct DeviceKeys {
    secret: SecretKey,
    auth: [u8; 16],
}

/// What a browser would give the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushDevice {
    /// Where its notices go.
    pub endpoint: String,
    /// Its public key.
    pub p256dh: String,
    /// Its secret.
    pub auth: String,
}

/// A notice that came.
#[derive(Debug, Clone, PartialEq)]
pub struct Pushed {
    /// For which device, in the order they subscribed.
    pub device: usize,
    /// What was answered.
    pub status: u16,
    /// What the device reads.
    pub words: Value,
    /// How many bytes came.
    pub bytes: usize,
    /// The headers, in small letters.
    pub headers: BTreeMap<String, String>,
    /// What the server says about itself.
    pub claims: Value,
    /// The key it says it with.
    pub key: String,
}

impl PushService {
    /// Starts one; it ends with the process.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let origin = format!("http://127.0.0.1:{port}");
        let state = Arc::new(Mutex::new(State::default()));
        let (sender, arrived) = channel();
        let (inside, own) = (Arc::clone(&state), origin.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &inside, &own, &sender);
            }
        });
        Self {
            origin,
            state,
            arrived: Mutex::new(arrived),
        }
    }

    /// Where it is.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// A device that subscribes.
    pub fn subscribe(&self) -> PushDevice {
        let secret = loop {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).expect("random numbers");
            if let Ok(secret) = SecretKey::from_slice(&bytes) {
                break secret;
            }
        };
        let mut auth = [0; 16];
        getrandom::fill(&mut auth).expect("random numbers");
        let public = secret.public_key().to_sec1_bytes();
        let mut state = lock(&self.state);
        state.devices.push(DeviceKeys { secret, auth });
        PushDevice {
            endpoint: format!("{}/push/{}", self.origin, state.devices.len() - 1),
            p256dh: URL_SAFE_NO_PAD.encode(public),
            auth: URL_SAFE_NO_PAD.encode(auth),
        }
    }

    /// What the next notices are answered with; 201 after that.
    pub fn answers(&self, statuses: &[u16]) {
        lock(&self.state).answers.extend(statuses);
    }

    /// The next notice that comes within this time.
    pub fn next(&self, wait: Duration) -> Option<Pushed> {
        let arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        arrived.recv_timeout(wait).ok()
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: TcpStream, state: &Mutex<State>, origin: &str, sender: &Sender<Pushed>) {
    let mut reader = BufReader::new(&stream);
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let mut words = line.split(' ');
    assert_eq!(words.next(), Some("POST"), "a notice is posted");
    let path = words.next().expect("a path").to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").expect("a length");
    let mut body = vec![0; length.parse().expect("a number")];
    reader.read_exact(&mut body).expect("the whole body");
    let device = path.strip_prefix("/push/").expect("one of our paths");
    let device: usize = device.parse().expect("a device");
    let (keys, status) = {
        let mut state = lock(state);
        let keys = state.devices.get(device).cloned().expect("a device");
        (keys, state.answers.pop_front().unwrap_or(201))
    };
    assert_eq!(
        headers.get("content-encoding").map(String::as_str),
        Some("aes128gcm")
    );
    assert!(
        headers.contains_key("ttl"),
        "a service wants to know how long"
    );
    let (claims, key) = claims(&headers["authorization"], origin);
    let words = open(&body, &keys);
    let pushed = Pushed {
        device,
        status,
        words: serde_json::from_slice(&words).expect("JSON in the notice"),
        bytes: body.len(),
        headers,
        claims,
        key,
    };
    let answer = format!("HTTP/1.1 {status} Whatever\r\nContent-Length: 0\r\n\r\n");
    // Who does not wait for the answer is not our concern.
    drop((&stream).write_all(answer.as_bytes()));
    drop(sender.send(pushed));
}

/// What the server says about itself, checked with the key it brings (RFC 8292).
fn claims(header: &str, origin: &str) -> (Value, String) {
    let rest = header.strip_prefix("vapid t=").expect("vapid");
    let (token, key) = rest.split_once(", k=").expect("a key");
    let (said, signature) = token.rsplit_once('.').expect("a signature");
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64");
    let verifying = VerifyingKey::from_sec1_bytes(&decode(key)).expect("a public key");
    let signature = Signature::from_slice(&decode(signature)).expect("a signature");
    verifying
        .verify(said.as_bytes(), &signature)
        .expect("the signature of that key");
    let (_, claims) = said.split_once('.').expect("claims");
    let claims: Value = serde_json::from_slice(&decode(claims)).expect("JSON in the claims");
    assert_eq!(claims["aud"], origin, "it is meant for us");
    (claims, key.to_owned())
}

/// What the device reads (RFC 8291).
fn open(body: &[u8], keys: &DeviceKeys) -> Vec<u8> {
    let (salt, rest) = body.split_at(16);
    let (size, rest) = rest.split_at(4);
    assert!(u32::from_be_bytes(size.try_into().expect("four bytes")) >= 18);
    let (length, rest) = rest.split_at(1);
    let (theirs, sealed) = rest.split_at(usize::from(length[0]));
    let theirs_key = PublicKey::from_sec1_bytes(theirs).expect("a public key");
    let shared =
        p256::ecdh::diffie_hellman(keys.secret.to_nonzero_scalar(), theirs_key.as_affine());
    let ours = keys.secret.public_key().to_sec1_bytes();
    let info = [b"WebPush: info\0", &ours[..], theirs].concat();
    let first = derive::<32>(&keys.auth, shared.raw_secret_bytes(), &info);
    let key = derive::<16>(salt, &first, b"Content-Encoding: aes128gcm\0");
    let nonce = derive::<12>(salt, &first, b"Content-Encoding: nonce\0");
    let cipher = Aes128Gcm::new(&key.into());
    let mut plain = cipher
        .decrypt(&Nonce::from(nonce), sealed)
        .expect("a notice that this device can read");
    while plain.last() == Some(&0) {
        plain.pop();
    }
    assert_eq!(plain.pop(), Some(2), "the last record ends so");
    plain
}

fn derive<const N: usize>(salt: &[u8], secret: &[u8], info: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    Hkdf::<Sha256>::new(Some(salt), secret)
        .expand(info, &mut out)
        .expect("a short key");
    out
}
