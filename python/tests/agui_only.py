"""AG-UI endpoints without an AgentOS, as a process that can be killed.

    python agui_only.py FOLDER PORT

`/decide/agui` and `/deploy/agui` are Agno's own interface alone; `/interrupts` is a server of AG-UI
1.0 that asks by interrupts and says what it was resumed with. It is written with the protocol's own
package, which refuses what the protocol does not allow.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
from ag_ui import core
from ag_ui.encoder import EventEncoder
from agno.os.interfaces.agui import AGUI
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from agentos import agents

APPROVED = {"approved": {"type": "boolean"}, "editedArgs": {"type": "object"}}
PLACE = {
    "db": {"type": "string", "enum": ["Redis", "SQLite"]},
    "port": {"type": "integer", "minimum": 1},
}


def interrupts() -> Any:
    def schema(properties: dict[str, Any]) -> dict[str, Any]:
        return {"type": "object", "properties": properties, "required": [next(iter(properties))]}

    leave = core.Interrupt(
        id="leave",
        reason="tool_call",
        message="Send email?",
        tool_call_id="c1",
        response_schema=schema(APPROVED),
    )
    place = core.Interrupt(
        id="place", reason="input_required", message="Where?", response_schema=schema(PLACE)
    )
    return core.RunFinishedInterruptOutcome(type="interrupt", interrupts=[leave, place])


def events(given: core.RunAgentInput) -> Iterator[core.BaseEvent]:
    ids = {"thread_id": given.thread_id, "run_id": given.run_id}
    yield core.RunStartedEvent(**ids)
    resumed = {one.interrupt_id: one for one in given.resume or []}
    if not resumed:
        call = {"tool_call_id": "c1"}
        yield core.ToolCallStartEvent(**call, tool_call_name="send")
        yield core.ToolCallArgsEvent(**call, delta='{"to": "ann"}')
        yield core.ToolCallEndEvent(**call)
        yield core.RunFinishedEvent(**ids, outcome=interrupts())
        return
    assert set(resumed) == {"leave", "place"}, "a partial resume"
    said = {name: [one.status, one.payload] for name, one in sorted(resumed.items())}
    roles = [one.role for one in given.messages]
    yield core.TextMessageStartEvent(message_id="m", role="assistant")
    yield core.TextMessageContentEvent(message_id="m", delta=f"Resumed {json.dumps(said)} {roles}")
    yield core.TextMessageEndEvent(message_id="m")
    yield core.RunFinishedEvent(**ids)


def main(folder: Path, port: int) -> None:
    app = FastAPI()
    for one in agents(folder):
        if one.id in ("decide", "deploy"):
            app.include_router(AGUI(agent=one, prefix=f"/{one.id}").get_router())
    if hasattr(core, "Interrupt"):

        @app.post("/interrupts")
        def run(given: core.RunAgentInput) -> StreamingResponse:
            encoder = EventEncoder()
            text = (encoder.encode(event) for event in events(given))
            return StreamingResponse(text, media_type="text/event-stream")

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
