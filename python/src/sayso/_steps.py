"""Asking and waiting as steps without IO, so that the blocking and the async form are one thing.

Until the server has the ask, an error is raised at once: whoever asks should know. From then on
only the outcome, or a refusal that cannot pass, ends the wait.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from ._wire import Json
from .errors import Cut, Refused, SaysoError, Unreachable

log = logging.getLogger("sayso")

T = TypeVar("T")

#: A reply may take as long as a slow disk needs for a commit, and not longer.
REPLY_S_MAX = 15.0
#: One long poll: below the time at which proxies give up.
POLL_S = 30
#: The waits between tries double up to this.
PAUSE_S_FIRST, PAUSE_S_MAX = 0.1, 5.0
#: Tries to confirm; an outcome that stays unconfirmed is offered again, so little is lost.
CONFIRM_TRIES = 5
#: How long after its deadline an ask is still waited for when the server cannot be reached.
GRACE_S = 10.0


@dataclass(frozen=True)
class Call:
    """Send this; what comes back is the reply's JSON."""

    method: str
    route: str
    body: bytes | None = None
    key: str | None = None
    reply_s_max: float = REPLY_S_MAX


@dataclass(frozen=True)
class Pause:
    """Let time pass."""

    seconds: float


@dataclass(frozen=True)
class LookAgain:
    """The server may have come back at another address."""


Step = Call | Pause | LookAgain
Steps = Generator[Step, Any, T]


class _Backoff:
    """The waits between tries: doubling, capped, and never the same for two callers."""

    def __init__(self) -> None:
        self._tries = 0

    def after(self, error: SaysoError) -> Pause:
        span = min(PAUSE_S_MAX, PAUSE_S_FIRST * 2**self._tries)
        self._tries = min(self._tries + 1, 16)
        # The server's own word on when to come back counts when it is later than ours.
        return Pause(max(span * random.uniform(0.5, 1), error.retry_after or 0))


def _post(route: str, body: Json, key: str | None = None) -> Call:
    return Call("POST", route, json.dumps(body).encode(), key)


def _route(ask: Json, verb: str = "") -> str:
    return f"/v1/asks/{quote(str(ask['id']), safe='')}{verb}"


def begin(draft: Json, key: str) -> Steps[Json]:
    """Asks. The same key finds the same ask, with or without its outcome.

    When the connection breaks after the ask was sent, nobody knows whether it arrived; it is then
    sent again under the same key until the server says so.
    """
    backoff, sent_before = _Backoff(), False
    while True:
        try:
            asked: Json = yield _post("/v1/asks", draft, key)
            return asked
        except SaysoError as error:
            sent_before = sent_before or isinstance(error, Cut)
            if not (sent_before and error.passing):
                raise
            yield backoff.after(error)
            yield LookAgain()


def follow(ask: Json, timeout: float | None = None) -> Steps[Json]:
    """Waits until the ask is closed."""
    backoff, is_cut = _Backoff(), False
    give_up = None if timeout is None else time.monotonic() + timeout + GRACE_S
    while ask["state"] == "open":
        route = f"{_route(ask)}?wait={POLL_S}"
        try:
            ask = yield Call("GET", route, reply_s_max=POLL_S + REPLY_S_MAX)
            backoff, is_cut = _Backoff(), False
        except SaysoError as error:
            if not error.passing:
                raise
            if give_up is not None and time.monotonic() > give_up:
                raise Unreachable(
                    f"the deadline of {ask['id']} has passed and the server can't be reached",
                    "the same key finds the ask again",
                ) from error
            if not is_cut:
                log.warning("%s; the ask %s is saved, retrying", error.sentence, ask["id"])
            is_cut = True
            yield backoff.after(error)
            yield LookAgain()
    return ask


def confirm(ask: Json) -> Steps[None]:
    """Says that the outcome was handed over. What cannot be told stays owed, and is no error."""
    backoff = _Backoff()
    for _ in range(CONFIRM_TRIES):
        try:
            yield _post(_route(ask, "/confirm"), {})
            return
        except SaysoError as error:
            if not error.passing:
                log.warning("could not confirm the outcome: %s", error.sentence)
                return
            yield backoff.after(error)
            yield LookAgain()


def withdraw(ask: Json, note: str | None) -> Steps[None]:
    """Withdraws the ask, unless it was answered first."""
    try:
        yield _post(_route(ask, "/withdraw"), {} if note is None else {"note": note})
    except Refused as error:
        if error.code not in ("already_closed", "expired"):
            raise


@dataclass
class Asked:
    """Asks that are under way together: what was drafted, and what the server has of it."""

    drafts: Sequence[tuple[Json, str]]
    asks: list[Json] = field(default_factory=list)
    on_its_way: bool = False


def all_of(asked: Asked, timeout: float | None) -> Steps[list[Json]]:
    """Asks everything first and then waits for each, so that a person sees all of it at once."""
    for draft, key in asked.drafts:
        asked.on_its_way = True
        asked.asks.append((yield from begin(draft, key)))
        asked.on_its_way = False
    for place, ask in enumerate(asked.asks):
        asked.asks[place] = yield from follow(ask, timeout)
    return asked.asks


def withdraw_all(asked: Asked, note: str) -> Steps[None]:
    """Takes back what is open. An ask that was on its way is seen through first."""
    if asked.on_its_way:
        draft, key = asked.drafts[len(asked.asks)]
        asked.asks.append((yield _post("/v1/asks", draft, key)))
    for ask in asked.asks:
        if ask["state"] == "open":
            yield from withdraw(ask, note)
