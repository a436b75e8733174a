"""sayso for the OpenAI Agents SDK: tools that need approval are allowed or denied by a person."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents import FunctionTool, RunContextWrapper, Runner, RunState, ToolApprovalItem

from . import _steps, _wire, words
from .server import Server

__all__ = ["arun", "run"]

log = logging.getLogger("sayso.openai_agents")

#: Pauses of one run; an agent that asks more often than this does not come to an end.
PAUSES_MAX = 1000


def run(agent: Any, input: Any, **more: Any) -> Any:
    """``arun`` for programs without an event loop."""
    return asyncio.run(arun(agent, input, **more))


async def arun(
    agent: Any,
    input: Any,
    *,
    keep: str | os.PathLike[str] | None = None,
    server: Server | None = None,
    timeout: float | None = None,
    **more: Any,
) -> Any:
    """Runs the agent, asks a person for every tool that needs approval, and gives the result.

    With ``keep``, a file for this task, the paused run is written there before anything is asked:
    the same call in another process goes on with it and finds its asks. The file holds what the
    agent knows, and is removed at the end. An input that a person edited cannot be given to the
    SDK, so the model is told what is wanted instead. ``more`` goes to ``Runner.run``.
    """
    where = server or Server(agent=getattr(agent, "name", None))
    file = None if keep is None else Path(keep)
    name, begin, state = "", input, None
    if file is not None and file.exists():
        kept = json.loads(file.read_text("utf-8"))
        name, state = kept["name"], await RunState.from_string(agent, kept["state"])
    for _ in range(PAUSES_MAX):
        if state is None:
            result = await Runner.run(agent, begin, **more)
            if not result.interruptions:
                if file is not None:
                    file.unlink(missing_ok=True)
                return result
            # Each pause has its own name: what was allowed in one is not allowed in the next.
            name, state = uuid.uuid4().hex, result.to_state()
            if file is not None:
                _write(file, json.dumps({"name": name, "state": state.to_string()}))
        items = state.get_interruptions()
        schemas = [await _schema(item, more.get("context")) for item in items]
        asked = _asked(where, name, items, schemas, timeout)
        outcomes = await where._all_async(asked, timeout, file is not None)
        for item, outcome in zip(items, outcomes, strict=True):
            if isinstance(outcome, words.Allowed) and not outcome.edited:
                state.approve(item)
            else:
                state.reject(item, rejection_message=_refusal(outcome))
        begin, state = state, None
        for ask in asked.asks:
            await where._drive_async(_steps.confirm(ask))
    raise RuntimeError(f"the run paused {PAUSES_MAX} times and is not complete")


def _write(file: Path, text: str) -> None:
    """Replaces the file as a whole, readable by nobody else."""
    new = file.with_name(f"{file.name}.new")
    new.touch(mode=0o600)
    with new.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    new.replace(file)


async def _schema(item: ToolApprovalItem, context: Any) -> str | None:
    """The schema of the tool that an item is about, where the agent tells it."""
    tools = list(item.agent.tools)
    try:
        tools += await item.agent.get_mcp_tools(RunContextWrapper(context=context))
    except Exception as error:
        # An MCP server that can't be listed tells no schema; the approval doesn't depend on it.
        log.warning("cannot list the MCP tools of %s: %s", item.agent.name, error)
    return _wire.told_schema(
        [
            tool.params_json_schema
            for tool in tools
            if isinstance(tool, FunctionTool) and tool.name == item.name
        ]
    )


def _asked(
    where: Server,
    name: str,
    items: Sequence[ToolApprovalItem],
    schemas: Sequence[str | None],
    timeout: float | None,
) -> _steps.Asked:
    asks = []
    for number, (item, schema) in enumerate(zip(items, schemas, strict=True)):
        draft = _wire.approval(
            item.name or "tool",
            item.arguments or json.dumps(item.raw_item, default=str),
            cwd=None,
            reason=None,
            act=None,
            high_risk=False,
            flags=(),
            tool_schema=schema,
        )
        key = f"openai-agents-{name}-{number}{_wire.schema_key(draft)}"
        asks.append((where._complete(draft, None, timeout, None), key))
    return _steps.Asked(asks)


def _refusal(outcome: words.Outcome) -> str:
    if isinstance(outcome, words.Allowed):
        return f"The user wants it with this input instead: {outcome.input}"
    note = getattr(outcome, "note", None)
    denied = isinstance(outcome, words.Denied)
    sentence = "The user denied this tool call" if denied else "Nobody allowed this tool call"
    return sentence if note is None else f"{sentence}: {note}"
