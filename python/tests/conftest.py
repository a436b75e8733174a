"""What every test may ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# The package is tried from its source, also in the processes that a test starts.
for folder in (HERE, HERE.parent / "examples", HERE.parent / "src"):
    sys.path.insert(0, str(folder))
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:3])

from house import House  # noqa: E402


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    there = House(tmp_path / "state")
    yield there
    there.stop()


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may find the server of whoever runs it."""
    for name in list(os.environ):
        if name.startswith(("SAYSO_", "XDG_")) and name != "SAYSO_BIN":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/nonexistent")
