//! A model that says what a script says, and keeps what it was told.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A tool that the model calls, and with what.
pub(super) type Tool = (&'static str, Value);

/// What the model heard.
type Heard = Arc<Mutex<Memory>>;

#[derive(Default)]
struct Memory {
    /// Of its tools.
    results: Vec<Value>,
    /// Everything, each time that it was to go on with its work.
    turns: Vec<Value>,
}

/// A model on loopback.
pub(super) struct Model {
    pub(super) port: u16,
    heard: Heard,
}

impl Model {
    /// A model that calls these tools, turn by turn, and then says that it is done.
    pub(super) fn saying(turns: Vec<Vec<Tool>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Heard::default();
        let memory = Arc::clone(&heard);
        let turns = Arc::new(turns);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (turns, heard) = (Arc::clone(&turns), Arc::clone(&memory));
                std::thread::spawn(move || serve(stream, &turns, &heard));
            }
        });
        Self { port, heard }
    }

    /// What the model was told of this call, counted over all turns.
    pub(super) fn result(&self, number: usize) -> Option<Value> {
        let id = json!(id_of(number));
        let heard = self.heard.lock().unwrap();
        let mut results = heard.results.iter();
        results.find(|one| one["tool_use_id"] == id).cloned()
    }

    /// What the model was sent, each time that it was to go on with its work.
    pub(super) fn turns(&self) -> Vec<Value> {
        self.heard.lock().unwrap().turns.clone()
    }
}

/// Stands for the id that the last tool returned.
pub(super) const LAST_ID: &str = "$id";

/// What the model says when it has called everything.
pub(super) const DONE: &str = "All done";

fn id_of(number: usize) -> String {
    format!("toolu_{number}")
}

fn returned_id(result: Option<&Value>) -> Value {
    let Some(result) = result else {
        return Value::Null;
    };
    let text = result["content"].as_str();
    let text = text.or_else(|| result["content"][0]["text"].as_str());
    let returned: Option<Value> = text.and_then(|text| serde_json::from_str(text).ok());
    returned.map_or(Value::Null, |returned| returned["id"].clone())
}

/// One connection: any number of calls, one after the other.
fn serve(stream: TcpStream, turns: &[Vec<Tool>], heard: &Heard) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some((line, body)) = read(&mut reader) {
        let (kind, text) = reply(&line, &body, turns, heard);
        let status = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
            if line.starts_with("HEAD") {
                0
            } else {
                text.len()
            }
        );
        let text = if line.starts_with("HEAD") { "" } else { &text };
        if writer
            .write_all(format!("{status}{text}").as_bytes())
            .is_err()
        {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<(String, Vec<u8>)> {
    let mut first = String::new();
    if reader.read_line(&mut first).ok()? == 0 {
        return None;
    }
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first, body))
}

fn reply(line: &str, body: &[u8], turns: &[Vec<Tool>], heard: &Heard) -> (&'static str, String) {
    let sent: Value = serde_json::from_slice(body).unwrap_or_default();
    if !line.contains("/v1/messages") || line.contains("count_tokens") {
        return ("application/json", r#"{"input_tokens":1}"#.to_owned());
    }
    let results: Vec<Value> = sent["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["content"].as_array())
        .flatten()
        .filter(|block| block["type"] == "tool_result")
        .cloned()
        .collect();
    let has_tools = sent["tools"]
        .as_array()
        .is_some_and(|tools| !tools.is_empty());
    let mut blocks = vec![json!({"type": "text", "text": DONE})];
    let mut before = 0;
    for turn in turns.iter().filter(|_| has_tools) {
        if before == results.len() {
            blocks = (before..)
                .zip(turn)
                .map(|(number, (name, input))| {
                    let mut input = input.clone();
                    if input["id"] == LAST_ID {
                        input["id"] = returned_id(results.last());
                    }
                    json!({"type": "tool_use", "id": id_of(number), "name": name, "input": input})
                })
                .collect();
        }
        before += turn.len();
    }
    let mut memory = heard.lock().unwrap();
    if has_tools {
        memory.turns.push(sent["messages"].clone());
    }
    if !results.is_empty() {
        memory.results = results;
    }
    drop(memory);
    let uses_tools = blocks.iter().any(|block| block["type"] == "tool_use");
    let stop = if uses_tools { "tool_use" } else { "end_turn" };
    let mut message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    if sent["stream"] != json!(true) {
        message["content"] = json!(blocks);
        message["stop_reason"] = json!(stop);
        return ("application/json", message.to_string());
    }
    let mut events = vec![json!({"type": "message_start", "message": message})];
    for (index, block) in blocks.into_iter().enumerate() {
        let (start, delta) = if block["type"] == "text" {
            (
                json!({"type": "text", "text": ""}),
                json!({"type": "text_delta", "text": block["text"]}),
            )
        } else {
            let mut start = block.clone();
            start["input"] = json!({});
            let input = block["input"].to_string();
            (
                start,
                json!({"type": "input_json_delta", "partial_json": input}),
            )
        };
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 1}}));
    events.push(json!({"type": "message_stop"}));
    let mut text = String::new();
    for event in &events {
        let name = event["type"].as_str().unwrap();
        text.push_str(&["event: ", name, "\ndata: ", &event.to_string(), "\n\n"].concat());
    }
    ("text/event-stream", text)
}
