"""The real SDK with its bundled CLI, a scripted model on loopback, and a clean environment."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from house import BINARY, Aside, House, program, until
from scripted import Scripted
from test_claude import FORMAT, SECTIONS

pytest.importorskip("claude_agent_sdk")

import claude_agent_sdk
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultError,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

import sayso.claude
from sayso._wire import told_schema

ASKS = ("AskUserQuestion", {"questions": [FORMAT, SECTIONS]})


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "CLAUDE", "AWS_", "HTTP", "http")):
            monkeypatch.delenv(name)
    (tmp_path / "home").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def options(script: Scripted, tmp_path: Path) -> ClaudeAgentOptions:
    return ClaudeAgentOptions(
        cwd=tmp_path / "work",
        setting_sources=[],
        env={
            "ANTHROPIC_BASE_URL": script.url.removesuffix("/v1"),
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
    )


def ran(made: ClaudeAgentOptions) -> Aside:
    async def whole() -> ResultMessage:
        last = None
        async for message in query(prompt="Help me", options=made):
            if isinstance(message, ResultMessage):
                last = message
        assert last is not None
        return last

    return Aside(lambda: asyncio.run(whole()))


@pytest.mark.filterwarnings("error::claude_agent_sdk.CanUseToolShadowedWarning")
def test_questions_are_answered(house: House, tmp_path: Path) -> None:
    base = options(Scripted([ASKS]), tmp_path)
    running = ran(sayso.claude.options(base, server=house.here()))
    [ask] = house.opened()
    house.kill()
    house.start()
    house.reply(ask, ["Detailed"], ["A, B", "C"])
    result = running.result()
    assert '"How should I format the output?"="Detailed"' in result.result
    assert '"Which sections?"="A, B, C"' in result.result


def test_own_words_reach_the_model(house: House, tmp_path: Path) -> None:
    running = ran(sayso.claude.options(options(Scripted([ASKS]), tmp_path), server=house.here()))
    house.reply(house.opened()[0], "As a table")
    assert '"How should I format the output?"="As a table"' in running.result().result


@pytest.mark.parametrize("how", ["expired", "dismissed"])
def test_no_answer_interrupts(house: House, tmp_path: Path, how: str) -> None:
    timeout = 2 if how == "expired" else None
    base = options(Scripted([ASKS]), tmp_path)
    running = ran(sayso.claude.options(base, server=house.here(), timeout=timeout))
    [ask] = house.opened()
    if how == "dismissed":
        house.dismiss(ask)
    # An interrupted run ends the CLI with an error, which the SDK raises.
    with pytest.raises(ResultError):
        running.result()
    assert house.ask(ask["id"])["outcome"]["kind"] == how


def test_a_command_runs_only_when_it_is_allowed(house: House, tmp_path: Path) -> None:
    script = Scripted(
        [("Bash", {"command": "touch asked", "description": "Make a file"})],
        [("Bash", {"command": "touch denied", "description": "Make another"})],
    )
    running = ran(sayso.claude.options(options(script, tmp_path), server=house.here()))
    [first] = house.opened()
    assert (first["action"]["cwd"], first["workspace"]) == 2 * (str(tmp_path / "work"),)
    house.allow(first, input='{"command":"touch changed"}')
    second = until(lambda: [one for one in house.asks() if one["id"] != first["id"]])[0]
    assert second["action"]["act"]["command"] == "touch denied"
    house.deny(second, note="one is enough")
    result = running.result()
    assert "one is enough" in result.result
    assert sorted(one.name for one in (tmp_path / "work").glob("*")) == ["changed"]


def test_an_interrupt_withdraws_the_question(house: House, tmp_path: Path) -> None:
    made = sayso.claude.options(options(Scripted([ASKS]), tmp_path), server=house.here())

    async def interrupted() -> None:
        async with ClaudeSDKClient(options=made) as there:
            await there.query("Help me")
            await asyncio.to_thread(house.opened)
            await there.interrupt()
            async for _ in there.receive_response():
                pass

    asyncio.run(interrupted())
    [ask] = until(lambda: house.asks("closed"))
    assert ask["outcome"]["kind"] == "withdrawn"


def test_the_stand_in_carries_the_schema_of_a_tool_in_the_app(house: House, tmp_path: Path) -> None:
    @tool("refund", "Pays an order back", {"order": str})
    async def refund(given: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": f"paid back {given['order']}"}]}

    stand_in = tmp_path / "claude"
    stand_in.write_text(f'#!/bin/sh\nexec {BINARY} claude "$@"\n')
    stand_in.chmod(0o700)
    base = options(Scripted([("mcp__my_shop__refund", {"order": "42"})]), tmp_path)
    bundled = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
    told = {"SAYSO_CLAUDE_BIN": str(bundled), "SAYSO_STATE": str(house.state)}
    shop = create_sdk_mcp_server("my shop", tools=[refund])
    made = replace(base, cli_path=stand_in, mcp_servers={"my shop": shop}, env={**base.env, **told})
    running = ran(made)
    [ask] = house.opened()
    assert ask["action"]["tool"] == "mcp__my_shop__refund"
    schema = {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]}
    assert ask["action"]["tool_schema"] == told_schema([schema])
    house.allow(ask)
    assert "paid back 42" in running.result().result


@pytest.mark.parametrize("left_out", ["allowed_tools", "hooks", "both"])
def test_the_callback_alone_is_enough(house: House, tmp_path: Path, left_out: str) -> None:
    made: Any = sayso.claude.options(options(Scripted([ASKS]), tmp_path), server=house.here())
    without: Any = {"allowed_tools": {"allowed_tools": []}, "hooks": {"hooks": None}}
    without["both"] = without["allowed_tools"] | without["hooks"]
    running = ran(replace(made, **without[left_out]))
    house.reply(house.opened()[0], ["Summary"])
    assert '"How should I format the output?"="Summary"' in running.result().result


def test_without_the_callback_nobody_is_asked(house: House, tmp_path: Path) -> None:
    made = sayso.claude.options(options(Scripted([ASKS]), tmp_path), server=house.here())
    result = ran(replace(made, can_use_tool=None)).result()
    assert '"How should I format the output?"="' not in result.result
    assert house.asks() == house.asks("closed") == []


RUN = """
import asyncio, os
from pathlib import Path
from types import SimpleNamespace
import sayso.claude
from test_claude_real import options, query, ResultMessage
base = options(SimpleNamespace(url=os.environ["MODEL"]), Path(os.environ["PLACE"]))
made = sayso.claude.options(base, key=os.environ["KEY"], conversation=os.environ["KEY"])
async def whole():
    async for message in query(prompt="Help me", options=made):
        if isinstance(message, ResultMessage):
            print(message.result)
asyncio.run(whole())
"""


def test_the_process_is_killed_and_the_next_one_finds_its_question(
    house: House, tmp_path: Path
) -> None:
    where = {"MODEL": Scripted([ASKS]).url, "PLACE": str(tmp_path), "KEY": "task-1"}
    first = program(house, RUN, **where)
    [ask] = house.opened()
    first.kill()
    first.communicate()
    second = program(house, RUN, **where)
    house.reply(ask, ["Summary"])
    out, error = second.communicate(timeout=60)
    assert '"How should I format the output?"="Summary"' in out, error
    assert house.asks() == []


def test_two_runs_at_once_get_their_own_answers(house: House, tmp_path: Path) -> None:
    where = {"MODEL": Scripted([ASKS]).url, "PLACE": str(tmp_path)}
    running = {name: program(house, RUN, KEY=name, **where) for name in ("one", "two")}
    for ask in house.opened(2):
        house.reply(ask, ask["conversation"]["name"])
    for name, process in running.items():
        out, error = process.communicate(timeout=60)
        assert f'"How should I format the output?"="{name}"' in out, error
