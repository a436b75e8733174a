"""Real graphs with real checkpoints, whose interrupts are answered through the real server."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any, TypedDict

import pytest

from house import Aside, House, program

pytest.importorskip("langgraph")

from langchain_core.tools import tool as as_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

import sayso.langgraph
from sayso import _wire

CONFIG: Any = {"configurable": {"thread_id": "choose-1"}}
HITL = {
    "action_requests": [
        {"name": "deploy", "args": {"target": "production"}, "description": "Tests are green"},
        {"name": "deploy", "args": {"target": "test"}},
    ],
    "review_configs": [{"action_name": "deploy", "allowed_decisions": ["approve", "reject"]}],
}


class State(TypedDict, total=False):
    said: Any


def graph(*values: Any, checkpoints: Any = None) -> Any:
    """A graph whose one step waits for each of the values."""

    def step(_: State) -> State:
        return {"said": [interrupt(value) for value in values]}

    made = StateGraph(State)
    made.add_node("step", step)
    made.add_edge(START, "step")
    made.add_edge("step", END)
    return made.compile(checkpointer=checkpoints or InMemorySaver())


@pytest.fixture(params=["blocking", "awaited"])
def run(request: pytest.FixtureRequest, house: House) -> Any:
    def begun(there: Any) -> Aside:
        more: Any = {"server": house.here()}
        if request.param == "blocking":
            return Aside(lambda: sayso.langgraph.run(there, {}, CONFIG, **more))
        return Aside(lambda: asyncio.run(sayso.langgraph.arun(there, {}, CONFIG, **more)))

    return begun


def test_questions_are_resumed_with_words(house: House, run: Any) -> None:
    question = {"question": "Which cache?", "options": ["Redis", "SQLite"]}
    going = run(graph(question, "Why?", "Why?", {"odd": [1]}))
    for said in (["Redis"], "It is fast", "I said so"):
        [ask] = house.opened()
        house.reply(ask, said)
        house.gone(ask)
    [ask] = house.opened()
    assert ask["questions"][0]["text"] == '{"odd": [1]}'
    house.dismiss(ask)
    assert going.result() == {"said": ["Redis", "It is fast", "I said so", None]}


def test_decisions_of_the_middleware(house: House, run: Any) -> None:
    going = run(graph(HITL))
    first, second = house.opened(2)
    assert first["action"]["reason"] == "Tests are green"
    house.deny(first, note="not on a Friday")
    house.allow(second, input='{"target": "staging"}')
    staging = {"name": "deploy", "args": {"target": "staging"}}
    decisions = [
        {"type": "reject", "message": "Denied: not on a Friday"},
        {"type": "edit", "edited_action": staging},
    ]
    assert going.result() == {"said": [{"decisions": decisions}]}


def deploy(target: str) -> str:
    """Deploys."""
    return target


def test_the_schema_of_the_tool_goes_with_the_ask(house: House, run: Any) -> None:
    made = StateGraph(State)
    made.add_node("step", lambda _: {"said": interrupt(HITL)})
    made.add_node("tools", ToolNode([deploy]))
    made.add_edge(START, "step")
    made.add_edge("step", END)
    going = run(made.compile(checkpointer=InMemorySaver()))
    asks = house.opened(2)
    schema = as_tool(deploy).tool_call_schema.model_json_schema()
    assert list(schema["properties"]) == ["target"]
    assert {ask["action"]["tool_schema"] for ask in asks} == {_wire._schema(schema)}
    for ask in asks:
        house.allow(ask)
    assert going.result() == {"said": {"decisions": [{"type": "approve"}] * 2}}


def test_silence_is_no_yes(house: House) -> None:
    done = sayso.langgraph.run(graph(HITL), {}, CONFIG, server=house.here(), timeout=1)
    no = {"type": "reject", "message": "Nobody allowed this"}
    assert done == {"said": [{"decisions": [no, no]}]}


RUN = """
import sys
import sayso.langgraph
from test_langgraph import CONFIG, SqliteSaver, graph, sqlite3
checkpoints = SqliteSaver(sqlite3.connect(sys.argv[1], check_same_thread=False))
print(sayso.langgraph.run(graph("First?", "Second?", checkpoints=checkpoints), {}, CONFIG)["said"])
"""


def test_the_process_is_killed_and_the_next_goes_on(house: House, tmp_path: Path) -> None:
    text = RUN.replace("sys.argv[1]", repr(str(tmp_path / "graph.db")))
    first = program(house, text)
    [asked] = house.opened()
    house.reply(asked, "one")
    house.gone(asked)
    [second] = house.opened()
    assert second["questions"][0]["text"] == "Second?"
    first.kill()
    first.communicate()
    house.reply(second, "two")
    again = program(house, text)
    out, error = again.communicate(timeout=60)
    assert out == "['one', 'two']\n", error
    assert house.asks() == []
    assert SqliteSaver(sqlite3.connect(tmp_path / "graph.db")).get_tuple(CONFIG) is not None
