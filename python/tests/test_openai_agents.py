"""The real OpenAI Agents SDK with a scripted model; its approvals go through the real server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from house import Aside, House, program
from scripted import Scripted

pytest.importorskip("agents")

from agents import Agent, OpenAIChatCompletionsModel, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

import sayso.openai_agents
from sayso import _wire

set_tracing_disabled(True)
DEPLOY: Any = [[("deploy", {"target": "production"}), ("deploy", {"target": "test"})]]


def agent(url: str, done: Path) -> Agent[Any]:
    @function_tool(needs_approval=True)
    def deploy(target: str) -> str:
        """Deploys."""
        with done.open("a") as file:
            file.write(f"{target}\n")
        return f"deployed to {target}"

    client = AsyncOpenAI(base_url=url, api_key="none")
    model = OpenAIChatCompletionsModel(model="scripted", openai_client=client)
    return Agent(name="Deployer", model=model, tools=[deploy])


def test_only_what_is_allowed_is_done(house: House, tmp_path: Path) -> None:
    there = agent(Scripted(*DEPLOY).url, tmp_path / "done")
    going = Aside(lambda: sayso.openai_agents.run(there, "Deploy", server=house.here()))
    first, second = house.opened(2)
    assert (first["action"]["tool"], first["action"]["input"]) == (
        "deploy",
        '{"target": "production"}',
    )
    house.deny(first, note="not on a Friday")
    house.allow(second)
    told = "Done: The user denied this tool call: not on a Friday | deployed to test"
    assert going.result().final_output == told
    assert (tmp_path / "done").read_text() == "test\n"


def test_the_schema_of_the_tool_goes_with_the_ask(house: House, tmp_path: Path) -> None:
    there = agent(Scripted(DEPLOY[0][:1]).url, tmp_path / "done")
    [tool] = there.tools
    going = Aside(lambda: sayso.openai_agents.run(there, "Deploy", server=house.here()))
    [ask] = house.opened()
    assert ask["action"]["tool_schema"] == _wire._schema(tool.params_json_schema)  # type: ignore[union-attr]
    house.allow(ask)
    assert going.result().final_output == "Done: deployed to production"


def test_each_pause_is_asked_anew(house: House, tmp_path: Path) -> None:
    again: Any = [DEPLOY[0][:1], DEPLOY[0][:1]]
    there = agent(Scripted(*again).url, tmp_path / "done")
    going = Aside(lambda: sayso.openai_agents.run(there, "Deploy", server=house.here()))
    [first] = house.opened()
    house.allow(first)
    house.gone(first)
    house.deny(house.opened()[0])
    told = "Done: deployed to production | The user denied this tool call"
    assert going.result().final_output == told
    assert (tmp_path / "done").read_text() == "production\n"


def test_an_edit_and_silence_are_no_yes_to_the_original(house: House, tmp_path: Path) -> None:
    there = agent(Scripted(*DEPLOY).url, tmp_path / "done")
    going = Aside(lambda: sayso.openai_agents.run(there, "Deploy", server=house.here(), timeout=5))
    house.allow(house.opened(2)[0], input='{"target": "staging"}')
    wish = 'The user wants it with this input instead: {"target": "staging"}'
    assert going.result().final_output == f"Done: {wish} | Nobody allowed this tool call"
    assert not (tmp_path / "done").exists()


RUN = """
import os
from pathlib import Path
import sayso.openai_agents
from test_openai_agents import agent
place = Path(os.environ["PLACE"])
there = agent(os.environ["MODEL"], place / "done")
print(sayso.openai_agents.run(there, "Deploy", keep=place / "task.json").final_output)
"""


def test_the_process_is_killed_and_the_next_goes_on(house: House, tmp_path: Path) -> None:
    where = {"MODEL": Scripted(*DEPLOY).url, "PLACE": str(tmp_path)}
    first = program(house, RUN, **where)
    asks = house.opened(2)
    first.kill()
    first.communicate()
    assert os.stat(tmp_path / "task.json").st_mode & 0o777 == 0o600
    house.allow(asks[0])
    second = program(house, RUN, **where)
    house.allow(asks[1])
    out, error = second.communicate(timeout=60)
    assert out == "Done: deployed to production | deployed to test\n", error
    assert sorted((tmp_path / "done").read_text().splitlines()) == ["production", "test"]
    assert house.asks() == []
    assert not (tmp_path / "task.json").exists()
