//! A pair over Redis streams: the agent appends its ask to one stream and waits at another, where the
//! person appends the answer. Redis keeps and syncs both, and decides nothing.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::text;

/// One connection that speaks the protocol of Redis.
#[derive(Debug)]
pub(super) struct StreamWire {
    stream: BufReader<TcpStream>,
    outbox: Vec<u8>,
    line: Vec<u8>,
}

impl StreamWire {
    pub(super) async fn open(server: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(server).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
            outbox: Vec::new(),
            line: Vec::new(),
        })
    }

    /// Puts a command into the outbox.
    pub(super) fn put(&mut self, words: &[&[u8]]) {
        self.outbox
            .extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
        for word in words {
            self.outbox
                .extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
            self.outbox.extend_from_slice(word);
            self.outbox.extend_from_slice(b"\r\n");
        }
    }

    pub(super) async fn flush(&mut self) -> Result<()> {
        self.stream
            .write_all(&self.outbox)
            .await
            .context("could not send")?;
        self.outbox.clear();
        Ok(())
    }

    /// The strings of the next reply, however deep they lie.
    pub(super) async fn reply(&mut self) -> Result<Vec<Vec<u8>>> {
        let (mut strings, mut left) = (Vec::new(), 1);
        while left > 0 {
            self.line.clear();
            self.stream.read_until(b'\n', &mut self.line).await?;
            let line = String::from_utf8_lossy(&self.line);
            let (kind, rest) = line.split_at_checked(1).unwrap_or_default();
            left -= 1;
            match kind {
                "*" => left += rest.trim().parse::<i64>()?.max(0),
                "$" => {
                    let mut bytes = vec![0; rest.trim().parse::<usize>()? + 2];
                    self.stream.read_exact(&mut bytes).await?;
                    bytes.truncate(bytes.len() - 2);
                    strings.push(bytes);
                }
                "+" | ":" => strings.push(rest.trim().as_bytes().to_vec()),
                _ => bail!("Redis said {line:?}"),
            }
        }
        Ok(strings)
    }
}

#[derive(Debug)]
pub(super) struct Streams {
    name: String,
    asks: Vec<u8>,
    answers: Vec<u8>,
    agent: StreamWire,
    person: StreamWire,
    asked: Vec<u8>,
    answered: Vec<u8>,
    frame: Vec<u8>,
}

impl Streams {
    pub(super) async fn open(server: SocketAddr, name: String) -> Result<Self> {
        Ok(Self {
            asks: format!("asks:{name}").into_bytes(),
            answers: format!("answers:{name}").into_bytes(),
            agent: StreamWire::open(server).await?,
            person: StreamWire::open(server).await?,
            asked: b"0".to_vec(),
            answered: b"0".to_vec(),
            frame: Vec::new(),
            name,
        })
    }

    /// The agent appends an ask, the person reads it and appends the answer, the agent reads that.
    pub(super) async fn round_trip(&mut self, number: u64) -> Result<()> {
        text::ask(number, &self.name, &mut self.frame);
        self.agent
            .put(&[b"XADD", &self.asks, b"*", b"ask", &self.frame]);
        wait_at(&mut self.agent, &self.answers, &self.answered);
        self.agent.flush().await?;
        wait_at(&mut self.person, &self.asks, &self.asked);
        self.person.flush().await?;
        self.asked = entry(&mut self.person).await?;
        text::answer(&[b'0'; 36], &[b'0'; 71], &mut self.frame);
        self.person
            .put(&[b"XADD", &self.answers, b"*", b"answer", &self.frame]);
        self.person.flush().await?;
        self.person.reply().await?;
        self.agent.reply().await?;
        self.answered = entry(&mut self.agent).await?;
        Ok(())
    }
}

fn wait_at(wire: &mut StreamWire, stream: &[u8], after: &[u8]) {
    let words: [&[u8]; 6] = [b"XREAD", b"BLOCK", b"0", b"STREAMS", stream, after];
    wire.put(&words);
}

/// The id of the entry that was waited for: a reply names the stream, the id and the fields.
async fn entry(wire: &mut StreamWire) -> Result<Vec<u8>> {
    let strings = wire.reply().await?;
    strings.into_iter().nth(1).context("Redis sent no entry")
}
