"""A model that follows a script, for examples and tests that need no key.

It listens on loopback and speaks the part of OpenAI's chat completions that agents use. What it does
next is read off the conversation, so that it goes on where it was when its caller was restarted.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, dict[str, Any]]


class Scripted:
    """Each turn calls the tools of one entry; after the last it says ``Done: `` and what came back."""

    def __init__(self, *turns: list[Call]) -> None:
        self.turns = turns
        model = self

        class Door(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                written = json.dumps(model.completion(body)).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(written)))
                self.end_headers()
                self.wfile.write(written)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
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
