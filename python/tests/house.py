"""A real server in a folder of its own, and a person who answers there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

import sayso

ROOT = Path(__file__).parents[2]
BINARY = Path(os.environ.get("SAYSO_BIN") or ROOT / "target" / "debug" / "sayso")
#: Nothing here takes longer on a busy machine; a test that waits longer is stuck.
PATIENCE_S = 60


def until(look: Callable[[], Any]) -> Any:
    """What `look` gives once it gives something."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"nothing came of {look} in {PATIENCE_S} s")


class House:
    """A server, its state folder, and what goes on in it."""

    def __init__(self, state: Path, **environment: str) -> None:
        self.state, self.environment = state, environment
        self.server: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        assert BINARY.exists(), f"{BINARY} is missing: run `cargo build -p sayso`"
        with (self.state.parent / "server.log").open("ab") as log:
            self.server = subprocess.Popen(
                [BINARY, "serve", "--state", self.state, "--listen", "127.0.0.1:0"],
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(self.state.parent),
                    **self.environment,
                },
                stdout=log,
                stderr=log,
            )
        pid = self.server.pid
        until(lambda: self.file().get("pid") == pid)

    def file(self) -> dict[str, Any]:
        try:
            return dict(json.loads((self.state / "server.json").read_text()))
        except (OSError, ValueError):
            return {}

    def kill(self) -> None:
        """As a power cut would: no good-bye, and its file stays."""
        assert self.server is not None
        self.server.kill()
        self.server.wait()

    def stop(self) -> None:
        if self.server is not None and self.server.poll() is None:
            self.kill()

    def here(self, **more: Any) -> sayso.Server:
        return sayso.Server(state=self.state, **more)

    def person(self, method: str, route: str, body: Any = None) -> Any:
        token = (self.state / "person.token").read_text().strip()
        reply = httpx.request(
            method,
            self.file()["url"] + route,
            headers={"authorization": f"Bearer {token}"},
            json=body,
            trust_env=False,
            verify=False,
            timeout=PATIENCE_S,
        )
        assert reply.is_success, reply.text
        return reply.json()

    def asks(self, state: str = "open") -> list[dict[str, Any]]:
        return list(self.person("GET", f"/v1/asks?state={state}")["asks"])

    def ask(self, id: str) -> dict[str, Any]:
        return dict(self.person("GET", f"/v1/asks/{id}"))

    def opened(self, count: int = 1) -> list[dict[str, Any]]:
        """The open asks, once there are so many, the oldest first."""

        def enough() -> list[dict[str, Any]]:
            there = sorted(self.asks(), key=lambda ask: str(ask["id"]))
            return there if len(there) >= count else []

        found = until(enough)
        assert len(found) == count
        return list(found)

    def gone(self, ask: dict[str, Any]) -> None:
        """Waits until an ask is no longer open."""
        until(lambda: ask["id"] not in [one["id"] for one in self.asks()])

    def answer(self, ask: dict[str, Any], **said: Any) -> None:
        self.person("POST", f"/v1/asks/{ask['id']}/answer", {"digest": ask["digest"], **said})

    def reply(self, ask: dict[str, Any], *replies: Any) -> None:
        """Answers each question with labels (a list) or own words (a string)."""

        def one(index: int, said: Any) -> dict[str, Any]:
            if isinstance(said, str):
                return {"question": index, "labels": [], "other": said}
            return {"question": index, "labels": said}

        given = [one(index, said) for index, said in enumerate(replies) if said is not None]
        self.answer(ask, replies=given)

    def allow(self, ask: dict[str, Any], **more: Any) -> None:
        self.answer(ask, verdict={"allow": True, **more})

    def deny(self, ask: dict[str, Any], **more: Any) -> None:
        self.answer(ask, verdict={"allow": False, **more})

    def dismiss(self, ask: dict[str, Any], note: str | None = None) -> None:
        body = {"digest": ask["digest"]} | ({} if note is None else {"note": note})
        self.person("POST", f"/v1/asks/{ask['id']}/dismiss", body)


class Aside:
    """Something that blocks, run beside the test."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._value: Any = None
        self._error: BaseException | None = None

        def run() -> None:
            try:
                self._value = work()
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def result(self) -> Any:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), "it still waits"
        if self._error is not None:
            raise self._error
        return self._value


def program(
    house: House, text: str, *, cwd: Path | None = None, **environment: str
) -> subprocess.Popen[str]:
    """Another Python process that finds the house by its environment."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SAYSO_", "XDG_", "ANTHROPIC_", "CLAUDE"))
    }
    return subprocess.Popen(
        [sys.executable, "-c", text],
        cwd=cwd,
        env={**inherited, "SAYSO_STATE": str(house.state), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
