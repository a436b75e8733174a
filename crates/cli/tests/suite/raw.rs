//! HTTP written by hand over a plain connection, so that it can also be wrong.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use serde_json::Value;

use super::stage::PATIENCE;

/// A call as it goes over the wire.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: &'static str,
    target: String,
    /// What stands in `Host`; every entry is a header of its own. Nothing means the right one.
    hosts: Option<Vec<String>>,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Call {
    pub(crate) fn new(method: &'static str, target: impl Into<String>) -> Self {
        Self {
            method,
            target: target.into(),
            hosts: None,
            headers: Vec::new(),
            body: None,
        }
    }

    pub(crate) fn get(target: impl Into<String>) -> Self {
        Self::new("GET", target)
    }

    pub(crate) fn post(target: impl Into<String>) -> Self {
        Self::new("POST", target)
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", format!("Bearer {token}"))
    }

    pub(crate) fn hosts(mut self, hosts: &[&str]) -> Self {
        self.hosts = Some(hosts.iter().map(|&host| host.to_owned()).collect());
        self
    }

    pub(crate) fn bytes(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json")
            .bytes(body.to_string())
    }

    /// The same as the beginning of a WebSocket.
    pub(crate) fn upgrade(self) -> Self {
        self.header("Upgrade", "websocket")
            .header("Connection", "Upgrade")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    }

    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    fn head(&self, port: u16) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        let hosts = self
            .hosts
            .clone()
            .unwrap_or_else(|| vec![format!("127.0.0.1:{port}")]);
        for host in hosts {
            write!(head, "Host: {host}\r\n").unwrap();
        }
        for (name, value) in &self.headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        if let Some(body) = &self.body {
            write!(head, "Content-Length: {}\r\n", body.len()).unwrap();
        }
        head += "\r\n";
        head.into_bytes()
    }

    /// Sends the call and reads nothing.
    pub(crate) fn start(&self, port: u16) -> TcpStream {
        let mut stream = connect(port);
        // A server that has refused may close while we write; its reply is still to be read.
        drop(
            stream
                .write_all(&self.head(port))
                .and_then(|()| stream.write_all(self.body.as_deref().unwrap_or_default())),
        );
        stream
    }

    /// Sends the head of the call and waits until the server wants its body, which is then sent by
    /// what comes out.
    pub(crate) fn hold(self, port: u16) -> impl FnOnce() -> Reply {
        let call = self.header("Expect", "100-continue");
        let mut stream = connect(port);
        stream.write_all(&call.head(port)).unwrap();
        assert_eq!(Reply::read_head(&mut stream).status, 100);
        move || {
            stream.write_all(&call.body.unwrap_or_default()).unwrap();
            Reply::read(&mut stream)
        }
    }

    /// Sends the call and reads the head of the reply; the rest stays on the connection.
    pub(crate) fn begin(&self, port: u16) -> (Reply, TcpStream) {
        let mut stream = self.start(port);
        (Reply::read_head(&mut stream), stream)
    }

    /// Sends the call and reads the whole reply, unless it is one without an end.
    pub(crate) fn send(&self, port: u16) -> Reply {
        Reply::read(&mut self.start(port))
    }
}

/// A connection that gives up rather than hang.
pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Reads a whole reply.
    pub(crate) fn read(stream: &mut TcpStream) -> Self {
        let mut reply = Self::read_head(stream);
        reply.read_body(stream);
        reply
    }

    fn read_head(stream: &mut TcpStream) -> Self {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            assert_eq!(
                stream.read(&mut byte).unwrap(),
                1,
                "the reply ended in its head: {:?}",
                String::from_utf8_lossy(&head)
            );
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        Self {
            status: status.parse().unwrap(),
            headers,
            body: Vec::new(),
        }
    }

    /// Reads the body; a reply without a length has none that ends.
    pub(crate) fn read_body(&mut self, stream: &mut TcpStream) {
        let length = self
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        self.body = vec![0; length];
        stream.read_exact(&mut self.body).unwrap();
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(there, _)| there == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {} {:?}", self.status, self.text()))
    }

    /// The body of a reply with this status.
    pub(crate) fn with(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }

    /// A refusal in a line: its status, its code, and where things are wrong.
    pub(crate) fn refusal(&self) -> String {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{} {}",
            self.status,
            self.text()
        );
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{problem}");
        refusal_of(&problem)
    }
}

/// A problem in a line, after a look at what every problem has.
pub(crate) fn refusal_of(problem: &Value) -> String {
    let code = problem["code"].as_str().unwrap();
    assert_eq!(problem["type"], format!("urn:sayso:problem:{code}"));
    for part in ["title", "detail", "hint"] {
        let text = problem[part].as_str().unwrap_or_default();
        assert!(!text.is_empty(), "no {part} in {problem}");
    }
    let paths: Vec<&str> = problem["violations"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|violation| violation["path"].as_str().unwrap())
        .collect();
    format!("{} {code} {}", problem["status"], paths.join(" "))
        .trim_end()
        .to_owned()
}
