"""A model that follows a script, for examples and tests that need no key.

It listens on loopback and speaks the parts of OpenAI's chat completions and of Anthropic's
messages that agents use. What it does next is read off the conversation, so that it goes on where
it was when its caller was restarted.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, dict[str, Any]]


class Scripted:
    """Each turn calls the tools of one entry; the last word is ``Done: `` and what came back."""

    def __init__(self, *turns: list[Call]) -> None:
        self.turns = turns
        model = self

        class Door(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if self.path.startswith("/v1/chat/") and body.get("stream"):
                    kind, text = "text/event-stream", model.chunks(body)
                elif self.path.startswith("/v1/chat/"):
                    kind, text = "application/json", json.dumps(model.completion(body))
                elif "count_tokens" in self.path:
                    kind, text = "application/json", '{"input_tokens": 1}'
                else:
                    kind, text = "text/event-stream", model.events(body)
                written = text.encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(written)))
                self.end_headers()
                self.wfile.write(written)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The address for OpenAI's kind; Anthropic's is the same without ``/v1``."""
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        """What the model says to these messages."""
        messages = body["messages"]
        begun = max(at for at, one in enumerate(messages) if one["role"] == "user")
        since = messages[begun + 1 :]
        turn = sum(1 for one in since if one["role"] == "assistant" and one.get("tool_calls"))
        message: dict[str, Any] = {"role": "assistant", "content": None}
        if turn < len(self.turns):
            message["tool_calls"] = [
                {
                    "id": f"call_{turn}_{number}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments)},
                }
                for number, (name, arguments) in enumerate(self.turns[turn])
            ]
        else:
            results = [str(one["content"]) for one in since if one["role"] == "tool"]
            message["content"] = "Done: " + " | ".join(results)
        return {
            "id": "scripted",
            "object": "chat.completion",
            "created": 0,
            "model": body.get("model", "scripted"),
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }

    def chunks(self, body: dict[str, Any]) -> str:
        """The same in pieces."""
        whole = self.completion(body)
        delta = dict(whole["choices"][0]["message"])
        for index, call in enumerate(delta.get("tool_calls", [])):
            call["index"] = index
        usage = whole.pop("usage")
        whole["object"] = "chat.completion.chunk"
        first = {"index": 0, "delta": delta, "finish_reason": None}
        last = {"index": 0, "delta": {}, "finish_reason": "stop"}
        pieces = [{**whole, "choices": [one]} for one in (first, last)]
        pieces.append({**whole, "choices": [], "usage": usage})
        return "".join(f"data: {json.dumps(one)}\n\n" for one in pieces) + "data: [DONE]\n\n"

    def events(self, body: dict[str, Any]) -> str:
        """The same as a stream of Anthropic's events."""
        results: list[str] = []
        turn = 0
        for message in body["messages"]:
            blocks = message["content"] if isinstance(message["content"], list) else []
            turn += any(block["type"] == "tool_use" for block in blocks)
            for block in blocks:
                if block["type"] == "tool_result":
                    said = block["content"]
                    results.append(said if isinstance(said, str) else said[0]["text"])
        # Calls without tools are the program's own housekeeping and get a word.
        calls = self.turns[turn] if body.get("tools") and turn < len(self.turns) else []
        blocks = [
            {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex}", "name": name, "input": given}
            for name, given in calls
        ] or [{"type": "text", "text": "Done: " + " | ".join(results)}]
        return "".join(_event(one) for one in _stream(blocks, body.get("model", "scripted")))


def _stream(blocks: list[dict[str, Any]], model: str) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    begun = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant"}
    whole: dict[str, Any] = {
        **begun,
        "model": model,
        "content": [],
        "stop_reason": None,
        "usage": usage,
    }
    yield {"type": "message_start", "message": whole}
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if blocks[0]["type"] == "tool_use" else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
    yield {"type": "message_stop"}


def _event(event: dict[str, Any]) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
