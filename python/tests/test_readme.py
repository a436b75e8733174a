"""Every example of the README, run as it stands, with a person who takes the first choice."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from house import House, program

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def answered(house: House) -> Iterator[House]:
    """A house in which everything is answered at once."""
    over = threading.Event()

    def person() -> None:
        while not over.wait(0.02):
            for ask in house.asks():
                if ask["matter"] == "approval":
                    house.allow(ask)
                else:
                    house.reply(ask, *([one["choices"][0]["label"]] for one in ask["questions"]))

    answering = threading.Thread(target=person)
    answering.start()
    yield house
    over.set()
    answering.join()


def test_there_is_one_for_each_framework() -> None:
    text = "\n".join(BLOCKS)
    assert len(BLOCKS) == 9
    for name in (
        "sayso.ask(",
        "sayso.approve(",
        "_async(",
        "sayso.agno.run(",
        "sayso.claude.options(",
        "sayso.langgraph.run(",
        "sayso.openai_agents.run(",
    ):
        assert name in text


#: The module of each framework, as an example imports it.
FRAMEWORKS = ("agno", "claude_agent_sdk", "langgraph", "agents")


def framework(block: str) -> str | None:
    return next((one for one in FRAMEWORKS if re.search(rf"^from {one}\b", block, re.M)), None)


@pytest.mark.parametrize(
    "block", BLOCKS, ids=[f"{at}-{framework(one)}" for at, one in enumerate(BLOCKS)]
)
def test_it_prints_what_it_says(answered: House, tmp_path: Path, block: str) -> None:
    wanted = framework(block)
    if wanted is not None and importlib.util.find_spec(wanted) is None:
        pytest.skip(f"{wanted} is not in this room")
    (tmp_path / "work").mkdir()
    running = program(answered, block, cwd=tmp_path / "work", HOME=str(tmp_path))
    out, error = running.communicate(timeout=60)
    assert (running.returncode, out.splitlines()) == (0, re.findall(r"# prints: (.*)", block)), (
        error
    )


def test_the_wheel_has_everything_and_says_that_it_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "-w", str(tmp_path), str(Path(__file__).parents[1])], check=True)
    [wheel] = tmp_path.glob("sayso-*.whl")
    source = Path(__file__).parents[1] / "src"
    expected = {
        str(one.relative_to(source))
        for one in source.rglob("*")
        if one.is_file() and "__pycache__" not in one.parts
    }
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("sayso/")}
    assert inside == expected
    assert "sayso/py.typed" in inside
