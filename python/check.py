"""Everything that must hold of the Python package: types, and tests against the real server. The
files in `deploy` are checked here too, because their validators come from the same index.

    python3 python/check.py [ROOM]...
    python3 python/check.py --room ROOM

Each room is a virtual environment with one framework in it. Rooms are made once for each list of
requirements, in `$XDG_CACHE_HOME/sayso/rooms`, outside of the repository. It needs nothing but
Python 3.10 with venv, cargo, and on the first run a package index. The second form only makes the
room and prints its interpreter.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

#: The tests of each room. What a test needs and the room has not is skipped there.
ROOMS = {
    "agno3": [
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
        ["-m", "mypy", "src/sayso/__init__.py", "src/sayso/agno", "examples"],
        ["-m", "pytest"],
    ],
    "agno2": [
        ["-m", "pytest", *(f"tests/test_{name}.py" for name in ("agno", "agno_contract"))]
        + [f"tests/test_{name}.py" for name in ("agno_document", "bridge_agui", "readme")],
    ],
    "claude": [
        ["-m", "mypy", "src/sayso/claude.py"],
        [
            "-m",
            "pytest",
            *(f"tests/test_{name}.py" for name in ("claude", "claude_real", "readme")),
        ],
    ],
    "langgraph": [
        ["-m", "mypy", "src/sayso/langgraph.py"],
        ["-m", "pytest", "tests/test_langgraph.py", "tests/test_readme.py", "-k", "langgraph"],
    ],
    "deploy": [
        [
            "-m",
            "check_jsonschema",
            "--builtin-schema",
            "vendor.compose-spec",
            "../deploy/compose.yaml",
        ],
        ["-m", "kubernetes_validate", "--strict", "../deploy/kubernetes.yaml"],
    ],
    "openai_agents": [
        ["-m", "mypy", "src/sayso/openai_agents.py"],
        ["-m", "pytest", "tests/test_openai_agents.py", "tests/test_readme.py", "-k", "agents"],
    ],
}


def main(names: list[str]) -> int:
    only_room = names[:1] == ["--room"]
    names = names[1:] if only_room else names
    unknown = [name for name in names if name not in ROOMS]
    if unknown:
        print(f"check: no room is called {', '.join(unknown)}; there are {', '.join(ROOMS)}")
        return 2
    if only_room:
        print(*map(room, names), sep="\n")
        return 0
    run(["cargo", "build", "-p", "sayso"], ROOT)
    for name in names or ROOMS:
        python = room(name)
        for arguments in ROOMS[name]:
            begun = time.monotonic()
            print(f"== {name}: python {' '.join(arguments)}", flush=True)
            run([str(python), *arguments], HERE)
            print(f"== {name}: ok, {time.monotonic() - begun:.1f} s", flush=True)
    return 0


def room(name: str) -> Path:
    """The interpreter of a room, which is made when there is none with these requirements."""
    wanted = HERE / "tests" / "rooms" / f"{name}.txt"
    version = ".".join(map(str, sys.version_info[:2]))
    key = hashlib.sha256(wanted.read_bytes() + version.encode()).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "sayso" / "rooms" / f"{name}-{key}"
    python, done = folder / "bin" / "python", folder / "complete"
    if not done.exists():
        print(f"== {name}: making {folder}", file=sys.stderr, flush=True)
        # What an interrupted run left behind.
        shutil.rmtree(folder, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(folder)], HERE)
        run([str(python), "-m", "pip", "install", "-q", "-r", str(wanted)], HERE)
        done.touch()
    return python


def run(line: list[str], cwd: Path) -> None:
    code = subprocess.run(line, cwd=cwd).returncode
    if code != 0:
        print(f"check: `{' '.join(line)}` failed ({code}), in {cwd}")
        raise SystemExit(1)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
