"""A run that keeps going until it is complete: what it pauses for is asked through the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _steps
from ..server import Server
from . import _needs

#: Pauses of one run; an agent that asks more often than this does not come to an end.
PAUSES_MAX = 1000


class _Asking:
    """What both forms of the runner have in common."""

    def __init__(
        self, agent: Any, session_id: str | None, server: Server | None, timeout: float | None
    ) -> None:
        self.server = server or Server(agent=getattr(agent, "name", None))
        self.timeout = timeout
        # A run in a database is found again by whoever comes next, and so must be its asks.
        self.leave_open = session_id is not None and getattr(agent, "db", None) is not None

    def asked(self, run: Any, needs: Sequence[_needs.Need]) -> _steps.Asked:
        complete = [
            (self.server._complete(need.draft, None, self.timeout, run.session_id), need.key)
            for need in needs
        ]
        return _steps.Asked(complete)


def run(
    agent: Any,
    input: Any = None,
    *,
    session_id: str | None = None,
    server: Server | None = None,
    timeout: float | None = None,
    **more: Any,
) -> Any:
    """Runs the agent, brings everything it pauses for to a person, and gives the complete run.

    Questions (``ask_user_question``, Agno's ``UserFeedbackTools``), confirmations and user input
    are asked through the server, all that are open at once, each for ``timeout`` seconds or for
    ever. What is not answered is told to the agent as such: a confirmation counts as refused.

    With a database on the agent and a ``session_id`` it survives a restart: the same call goes on
    with the paused run and finds the asks that were made for it. Without ``input`` it only goes on.
    A run that waits for an external execution is given back paused, because that is a program's.
    ``more`` goes to ``agent.run``.
    """
    asking = _Asking(agent, session_id, server, timeout)
    paused = None
    if asking.leave_open:
        paused = _paused(agent.get_session(session_id=session_id), input)
    if paused is None:
        paused = agent.run(_wanted(input), session_id=session_id, stream=False, **more)
    for _ in range(PAUSES_MAX):
        if not paused.is_paused or not _needs.is_for_a_person(paused):
            return paused
        needs = _needs.of(paused, agent)
        asked = asking.asked(paused, needs)
        outcomes = asking.server._all(asked, timeout, asking.leave_open)
        for need, outcome in zip(needs, outcomes, strict=True):
            need.settle(outcome)
        paused = agent.continue_run(run_response=paused, stream=False)
        for ask in asked.asks:
            asking.server._drive(_steps.confirm(ask))
    raise RuntimeError(f"the run paused {PAUSES_MAX} times and is not complete")


async def arun(
    agent: Any,
    input: Any = None,
    *,
    session_id: str | None = None,
    server: Server | None = None,
    timeout: float | None = None,
    **more: Any,
) -> Any:
    """``run``, awaited."""
    asking = _Asking(agent, session_id, server, timeout)
    paused = None
    if asking.leave_open:
        paused = _paused(await agent.aget_session(session_id=session_id), input)
    if paused is None:
        paused = await agent.arun(_wanted(input), session_id=session_id, stream=False, **more)
    for _ in range(PAUSES_MAX):
        if not paused.is_paused or not _needs.is_for_a_person(paused):
            return paused
        needs = _needs.of(paused, agent)
        asked = asking.asked(paused, needs)
        outcomes = await asking.server._all_async(asked, timeout, asking.leave_open)
        for need, outcome in zip(needs, outcomes, strict=True):
            need.settle(outcome)
        paused = await agent.acontinue_run(run_response=paused, stream=False)
        for ask in asked.asks:
            await asking.server._drive_async(_steps.confirm(ask))
    raise RuntimeError(f"the run paused {PAUSES_MAX} times and is not complete")


def _paused(session: Any, input: Any) -> Any:
    """The last run of a session, when it is paused and was asked for the same thing."""
    runs = getattr(session, "runs", None) or []
    if not runs or not runs[-1].is_paused:
        return None
    begun = getattr(runs[-1].input, "input_content", None)
    return runs[-1] if input is None or begun == input else None


def _wanted(input: Any) -> Any:
    if input is None:
        raise ValueError("there is no paused run to go on with, and no input to begin one")
    return input
