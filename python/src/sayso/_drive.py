"""Takes steps over HTTP, blocking or not. The only room that opens a connection.

Each call opens its own connection: a reused one may be closed by the server at the moment we
write, and then nobody could say whether an ask was taken in. Proxies and ``.netrc`` of the
environment are not looked at, because a token must reach the server and nobody else.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import anyio
import httpx

from . import _trust
from ._place import Place
from ._steps import Call, LookAgain, Pause, Step, Steps
from .errors import BadReply, Cut, Refused, SaysoError, Unreachable

T = TypeVar("T")

#: A server that does not take a connection in this time is not there.
CONNECT_S_MAX = 2.0
#: The largest reply we read: a large ask fits, an endless body does not.
BODY_BYTES_MAX = 16 * 1024 * 1024

Find = Callable[[], Place]


def blocking(steps: Steps[T], find: Find, reply_s_max: float | None = None) -> T:
    """Takes the steps in this thread; replies may be wanted sooner than the calls say."""
    way = _Way(find)
    value, error = None, None
    while True:
        try:
            step = _next(steps, value, error)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        value, error = None, None
        try:
            if isinstance(step, Call):
                sooner = step if reply_s_max is None else replace(step, reply_s_max=reply_s_max)
                value = _send(way.place(), sooner)
            elif isinstance(step, Pause):
                time.sleep(step.seconds)
            elif isinstance(step, LookAgain):
                way.look_again()
        except SaysoError as caught:
            error = caught


async def waiting(steps: Steps[T], find: Find) -> T:
    """Takes the steps on the running event loop, whichever it is."""
    way = _Way(find)
    value, error = None, None
    while True:
        try:
            step = _next(steps, value, error)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        value, error = None, None
        try:
            if isinstance(step, Call):
                value = await _send_async(way.place(), step)
            elif isinstance(step, Pause):
                await anyio.sleep(step.seconds)
            elif isinstance(step, LookAgain):
                way.look_again()
        except SaysoError as caught:
            error = caught


def _next(steps: Steps[Any], value: Any, error: SaysoError | None) -> Step:
    return steps.send(value) if error is None else steps.throw(error)


class _Way:
    """The place as it was found last."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._place: Place | None = None

    def place(self) -> Place:
        if self._place is None:
            self._place = self._find()
        return self._place

    def look_again(self) -> None:
        # While the server is away its file is gone; then there is no news.
        try:
            self._place = self._find()
        except SaysoError:
            pass


def _settings(place: Place, call: Call) -> dict[str, Any]:
    return {
        "verify": _trust.context(place),
        "trust_env": False,
        "timeout": httpx.Timeout(call.reply_s_max, connect=CONNECT_S_MAX),
    }


def _arguments(place: Place, call: Call) -> dict[str, Any]:
    headers = {
        "accept": "application/json",
        "authorization": f"Bearer {place.token}",
        "connection": "close",
    }
    if call.body is not None:
        headers["content-type"] = "application/json"
    if call.key is not None:
        headers["idempotency-key"] = call.key
    url = place.url.rstrip("/") + call.route
    return {"method": call.method, "url": url, "headers": headers, "content": call.body}


def _send(place: Place, call: Call) -> Any:
    try:
        with httpx.Client(**_settings(place, call)) as client:
            with client.stream(**_arguments(place, call)) as reply:
                body = bytearray()
                for piece in reply.iter_bytes():
                    _add(body, piece)
        return _read(reply, bytes(body))
    except httpx.HTTPError as error:
        raise _failure(place, error) from error


async def _send_async(place: Place, call: Call) -> Any:
    try:
        async with httpx.AsyncClient(**_settings(place, call)) as client:
            async with client.stream(**_arguments(place, call)) as reply:
                body = bytearray()
                async for piece in reply.aiter_bytes():
                    _add(body, piece)
        return _read(reply, bytes(body))
    except httpx.HTTPError as error:
        raise _failure(place, error) from error


def _add(body: bytearray, piece: bytes) -> None:
    body.extend(piece)
    if len(body) > BODY_BYTES_MAX:
        raise BadReply(f"the response is longer than {BODY_BYTES_MAX} bytes")


def _failure(place: Place, error: httpx.HTTPError) -> SaysoError:
    why = str(error) or type(error).__name__
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        return Unreachable(
            f"cannot reach the server at {place.url}: {why}", "start it with `sayso serve`"
        )
    return Cut(f"the connection to the server was lost: {why}")


def _read(reply: httpx.Response, body: bytes) -> Any:
    try:
        value = json.loads(body) if body else None
    except ValueError:
        value = None
    if reply.is_success:
        if body and value is None:
            raise BadReply("the server's response is not valid JSON")
        return value
    if isinstance(value, dict) and "code" in value:
        raise Refused(value, _seconds(reply.headers.get("retry-after")))
    if reply.status_code in (502, 504):
        # A proxy in front of a server that is just restarting speaks for itself.
        raise Cut(f"a proxy responded with status {reply.status_code}")
    raise BadReply(f"the response has status {reply.status_code} and no problem details")


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
