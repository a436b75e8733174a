"""What can go wrong between a program and the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SaysoError(Exception):
    """Why something did not succeed. ``hint`` says what to do about it."""

    #: Whether the same call may succeed later without anything being changed by the caller.
    passing = False
    #: Seconds after which the server said to come back.
    retry_after: float | None = None

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence if hint is None else f"{sentence} ({hint})")
        self.sentence = sentence
        self.hint = hint


class NotFound(SaysoError):
    """No server is known, or the token for it is missing."""


class Unreachable(SaysoError):
    """The connection failed, so the server has not seen the request."""

    passing = True


class Cut(SaysoError):
    """The connection was lost or timed out; whether the server acted is unknown."""

    passing = True


class BadReply(SaysoError):
    """The response can't be read."""


class Erased(SaysoError):
    """The ask is closed, but its outcome was erased."""


class Refused(SaysoError):
    """The server rejected the request. ``problem`` is its full response."""

    def __init__(self, problem: Mapping[str, Any], retry_after: float | None) -> None:
        super().__init__(_sentence(problem), problem.get("hint"))
        self.problem = problem
        self.code: str = str(problem.get("code", ""))
        self.status: int = int(problem.get("status", 0))
        self.retry_after = retry_after
        self.passing = self.status == 429 or self.status >= 500


def _sentence(problem: Mapping[str, Any]) -> str:
    violations = problem.get("violations") or []
    listed = "; ".join(f"{one.get('path')}: {one.get('message')}" for one in violations)
    said = listed or problem.get("detail") or problem.get("title")
    return str(said or "the server rejected the request")
