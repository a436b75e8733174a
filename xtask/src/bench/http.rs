//! As much of HTTP as it takes to read from the server over one connection that stays open.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The largest answer we expect: a page of 50 asks is a hundredth of it.
const BYTES_MAX: usize = 16 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Http {
    server: SocketAddr,
    token: String,
    stream: Option<TcpStream>,
}

impl Http {
    pub(super) fn new(server: SocketAddr, token: &str) -> Self {
        Self {
            server,
            token: token.to_owned(),
            stream: None,
        }
    }

    /// The status and the body of what is at `path`.
    pub(super) async fn get(&mut self, path: &str) -> Result<(u16, Vec<u8>)> {
        self.send("GET", path, "").await
    }

    /// The status and the body of what comes back for a body.
    pub(super) async fn post(&mut self, path: &str, body: &str) -> Result<(u16, Vec<u8>)> {
        self.send("POST", path, body).await
    }

    async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<(u16, Vec<u8>)> {
        let mut stream = if let Some(stream) = self.stream.take() {
            stream
        } else {
            let stream = TcpStream::connect(self.server)
                .await
                .context("could not connect")?;
            stream.set_nodelay(true)?;
            stream
        };
        let bearer = if self.token.is_empty() {
            String::new()
        } else {
            format!("Authorization: Bearer {}\r\n", self.token)
        };
        let ask = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n{bearer}\r\n{body}",
            self.server,
            body.len()
        );
        stream.write_all(ask.as_bytes()).await?;
        let mut bytes = Vec::with_capacity(64 * 1024);
        loop {
            if let Some((status, start, length)) = head(&bytes)? {
                let end = start + length;
                if end > BYTES_MAX {
                    bail!("{path} answers with {length} bytes");
                }
                if bytes.len() >= end {
                    self.stream = Some(stream);
                    return Ok((status, bytes.get(start..end).unwrap_or_default().to_vec()));
                }
            }
            if stream.read_buf(&mut bytes).await? == 0 {
                bail!("the server hung up on {path}");
            }
        }
    }
}

/// Status, where the body starts and how long it is, once the head is there.
fn head(bytes: &[u8]) -> Result<Option<(u16, usize, usize)>> {
    let Some(length) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text =
        String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).to_ascii_lowercase();
    let mut lines = text.lines();
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|word| word.parse().ok())
        .context("an answer without a status")?;
    let body = lines
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|word| word.trim().parse().ok());
    let body = body.with_context(|| format!("an answer ({status}) without a length"))?;
    Ok(Some((status, length + 4, body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_an_answer_is_read() {
        let text = b"HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(head(text).unwrap(), Some((200, 44, 5)));
        assert_eq!(head(&text[..30]).unwrap(), None);
        assert!(head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
