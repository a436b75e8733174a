"""sayso for LangGraph: a graph that keeps going until it ends; its interrupts go to a person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from . import _steps, _wire, words
from ._wire import Json
from .server import Server

__all__ = ["arun", "run"]

#: Pauses of one run; a graph that asks more often than this does not come to an end.
PAUSES_MAX = 1000
_ENDLESS = f"the graph paused {PAUSES_MAX} times and has not ended"
_Settle = Callable[[Sequence[words.Outcome]], Any]


def run(
    graph: Any,
    input: Any,
    config: Any,
    *,
    server: Server | None = None,
    timeout: float | None = None,
    **more: Any,
) -> Any:
    """Invokes the graph, brings every interrupt to a person, and gives the state it ends with.

    A thread that waits goes on with what it waits for, also in another process over the same
    checkpoints; ``input`` begins one that does not. What LangChain's human-in-the-loop middleware
    asks is an approval, with its decision as the answer. ``{"question": .., "options": [..]}`` is a
    question and every other value a question in words; they are resumed with the answer as a
    string, or with ``None`` when there is none. ``more`` goes to ``graph.invoke``.
    """
    asking = _Asking(graph, config, server, timeout)
    state = None if graph.get_state(config).interrupts else graph.invoke(input, config, **more)
    for _ in range(PAUSES_MAX):
        if not asking.begin(graph.get_state(config)):
            return state
        outcomes = asking.server._all(asking.asked, timeout, asking.durable)
        state = graph.invoke(asking.resumed(outcomes), config, **more)
        for ask in asking.asked.asks:
            asking.server._drive(_steps.confirm(ask))
    raise RuntimeError(_ENDLESS)


async def arun(
    graph: Any,
    input: Any,
    config: Any,
    *,
    server: Server | None = None,
    timeout: float | None = None,
    **more: Any,
) -> Any:
    """``run``, awaited."""
    asking = _Asking(graph, config, server, timeout)
    waits = (await graph.aget_state(config)).interrupts
    state = None if waits else await graph.ainvoke(input, config, **more)
    for _ in range(PAUSES_MAX):
        if not asking.begin(await graph.aget_state(config)):
            return state
        outcomes = await asking.server._all_async(asking.asked, timeout, asking.durable)
        state = await graph.ainvoke(asking.resumed(outcomes), config, **more)
        for ask in asking.asked.asks:
            await asking.server._drive_async(_steps.confirm(ask))
    raise RuntimeError(_ENDLESS)


class _Asking:
    def __init__(self, graph: Any, config: Any, server: Server | None, timeout: float | None):
        self.server = server or Server(agent=getattr(graph, "name", None))
        self.timeout, self.thread = timeout, str(config["configurable"]["thread_id"])
        self.graph = graph
        # Checkpoints that outlive the process are found again, and so must be their asks.
        self.durable = not isinstance(graph.checkpointer, InMemorySaver)

    def begin(self, snapshot: Any) -> bool:
        """Makes the asks for what the graph waits for; whether it waits at all."""
        checkpoint = snapshot.config["configurable"].get("checkpoint_id")
        self.settles: list[tuple[str, int, _Settle]] = []
        asks = []
        for one in snapshot.interrupts:
            drafts, settle = _needs(one.value, self.graph)
            self.settles.append((one.id, len(drafts), settle))
            for number, draft in enumerate(drafts):
                parts = f"langgraph\0{self.thread}\0{checkpoint}\0{one.id}\0{number}"
                parts += _wire.schema_key(draft)
                whole = self.server._complete(draft, None, self.timeout, self.thread)
                asks.append((whole, hashlib.sha256(parts.encode()).hexdigest()))
        self.asked = _steps.Asked(asks)
        return bool(asks)

    def resumed(self, outcomes: Sequence[words.Outcome]) -> Command[Any]:
        answers, at = {}, 0
        for id, count, settle in self.settles:
            answers[id] = settle(outcomes[at : at + count])
            at += count
        return Command(resume=answers)


def _schema(graph: Any, name: str) -> str | None:
    """The schema of a tool of this name in the tool nodes of a graph and of its subgraphs."""
    graphs = [graph, *(inner for _, inner in graph.get_subgraphs(recurse=True))]
    bound = [getattr(node, "bound", None) for one in graphs for node in one.nodes.values()]
    found = []
    for node in bound:
        tool = (getattr(node, "tools_by_name", None) or {}).get(name)
        if tool is not None:
            schema = tool.tool_call_schema
            found.append(schema if isinstance(schema, dict) else schema.model_json_schema())
    return _wire.told_schema(found)


def _needs(value: Any, graph: Any) -> tuple[list[Json], _Settle]:
    """What one interrupt asks, and how its answer is made of the outcomes."""
    if isinstance(value, Mapping) and isinstance(value.get("action_requests"), list):
        acts = [
            _wire.approval(
                one["name"],
                one["args"],
                cwd=None,
                reason=one.get("description"),
                act=None,
                high_risk=False,
                flags=(),
                tool_schema=_schema(graph, one["name"]),
            )
            for one in value["action_requests"]
        ]
        names = [one["name"] for one in value["action_requests"]]
        return acts, lambda said: {"decisions": list(map(_decision, said, names))}
    options: Sequence[Any] = ()
    if isinstance(value, Mapping) and isinstance(value.get("question"), str):
        value, options = value["question"], value.get("options") or ()
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    question = words.Question(text, [str(one) for one in options])
    return [_wire.questions([question])], lambda said: getattr(said[0], "text", None)


def _decision(outcome: words.Outcome, name: str) -> Json:
    if isinstance(outcome, words.Allowed):
        if not outcome.edited:
            return {"type": "approve"}
        # What cannot be read as the input of a tool is no yes to anything.
        try:
            edited = json.loads(outcome.input)
        except ValueError:
            edited = None
        if isinstance(edited, dict):
            return {"type": "edit", "edited_action": {"name": name, "args": edited}}
        return {"type": "reject", "message": f"Do it with this instead: {outcome.input}"}
    note = getattr(outcome, "note", None)
    sentence = "Denied" if isinstance(outcome, words.Denied) else "Nobody allowed this"
    return {"type": "reject", "message": sentence if note is None else f"{sentence}: {note}"}
