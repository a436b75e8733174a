"""The client for a server: ask, approve and send forms, blocking or async."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

import anyio

from . import _drive, _place, _steps, _wire
from ._steps import Asked, Steps
from ._wire import Json
from .words import (
    Act,
    ApproveOutcome,
    AskOutcome,
    Choice,
    Field,
    Flag,
    FormOutcome,
    Outcome,
    Pick,
    Question,
)

T = TypeVar("T")

#: How long a cancelled wait may take to withdraw: whoever cancelled wants out.
WITHDRAW_S_MAX = 2.0
_CANCELLED = "The asking program was interrupted."

#: What can be asked: one text, one question, or several.
Questions = str | Question | Sequence[Question]


class Server:
    """Where asks go.

    Without arguments the server is found as the ``sayso`` command finds it: ``SAYSO_URL`` and
    ``SAYSO_TOKEN``, else ``server.json`` and the local agent token in the state folder
    (``SAYSO_STATE``, else ``$XDG_STATE_HOME/sayso``). It is looked for when something is asked, and
    again after every failure, because it may come back at another address.

    ``agent`` is what the asker goes by; without it, the name of its token.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        state: str | os.PathLike[str] | None = None,
        agent: str | None = None,
    ) -> None:
        self._url, self._token, self._state, self.agent = url, token, state, agent

    def ask(
        self,
        question: Questions,
        choices: Sequence[Choice | str] = (),
        *,
        tag: str | None = None,
        pick: Pick | None = None,
        title: str | None = None,
        timeout: float | None = None,
        key: str | None = None,
        conversation: str | None = None,
        cwd: str | None = None,
        leave_open: bool = False,
    ) -> AskOutcome:
        """Asks and waits for the outcome, for ever unless ``timeout`` (seconds) is given.

        The ask is on disk before the wait begins; a restart of the server does not end it. Give a
        ``key`` to find the same ask again when this process was started anew. An interrupt
        (Ctrl-C, a cancelled task) withdraws it, unless it is to be ``leave_open``. ``cwd`` is where
        the asker works, when that is not the working directory.
        """
        draft = _wire.questions(_questions(question, choices, tag, pick))
        draft = self._complete(draft, title, timeout, conversation, cwd)
        return cast(AskOutcome, self._one(draft, timeout, key, leave_open))

    async def ask_async(
        self,
        question: Questions,
        choices: Sequence[Choice | str] = (),
        *,
        tag: str | None = None,
        pick: Pick | None = None,
        title: str | None = None,
        timeout: float | None = None,
        key: str | None = None,
        conversation: str | None = None,
        cwd: str | None = None,
        leave_open: bool = False,
    ) -> AskOutcome:
        """``ask``, awaited."""
        draft = _wire.questions(_questions(question, choices, tag, pick))
        draft = self._complete(draft, title, timeout, conversation, cwd)
        return cast(AskOutcome, await self._one_async(draft, timeout, key, leave_open))

    def approve(
        self,
        tool: str,
        input: str | Mapping[str, Any] = "{}",
        *,
        reason: str | None = None,
        cwd: str | None = None,
        act: Act | None = None,
        high_risk: bool = False,
        flags: Sequence[Flag] = (),
        tool_schema: str | Mapping[str, Any] | None = None,
        title: str | None = None,
        timeout: float | None = None,
        key: str | None = None,
        conversation: str | None = None,
        leave_open: bool = False,
    ) -> ApproveOutcome:
        """Asks leave to act. Only ``Allowed`` is a yes, and it says with which input.

        Every other outcome is false where a truth is wanted: silence is never a yes. With
        ``tool_schema``, the tool's schema or its hash, rules made from this ask end when the schema
        changes; a tool of an MCP server (``mcp__server__tool``) is offered a rule only with it.
        """
        draft = _approval(tool, input, reason, cwd, act, high_risk, flags, tool_schema)
        draft = self._complete(draft, title, timeout, conversation, cwd)
        return cast(ApproveOutcome, self._one(draft, timeout, key, leave_open))

    async def approve_async(
        self,
        tool: str,
        input: str | Mapping[str, Any] = "{}",
        *,
        reason: str | None = None,
        cwd: str | None = None,
        act: Act | None = None,
        high_risk: bool = False,
        flags: Sequence[Flag] = (),
        tool_schema: str | Mapping[str, Any] | None = None,
        title: str | None = None,
        timeout: float | None = None,
        key: str | None = None,
        conversation: str | None = None,
        leave_open: bool = False,
    ) -> ApproveOutcome:
        """``approve``, awaited."""
        draft = _approval(tool, input, reason, cwd, act, high_risk, flags, tool_schema)
        draft = self._complete(draft, title, timeout, conversation, cwd)
        return cast(ApproveOutcome, await self._one_async(draft, timeout, key, leave_open))

    def form(
        self,
        message: str,
        fields: Sequence[Field],
        *,
        title: str | None = None,
        timeout: float | None = None,
        key: str | None = None,
        conversation: str | None = None,
        leave_open: bool = False,
    ) -> FormOutcome:
        """Asks for the fields of a form."""
        draft = self._complete(_wire.form(message, fields), title, timeout, conversation)
        return cast(FormOutcome, self._one(draft, timeout, key, leave_open))

    async def form_async(
        self,
        message: str,
        fields: Sequence[Field],
        *,
        title: str | None = None,
        timeout: float | None = None,
        key: str | None = None,
        conversation: str | None = None,
        leave_open: bool = False,
    ) -> FormOutcome:
        """``form``, awaited."""
        draft = self._complete(_wire.form(message, fields), title, timeout, conversation)
        return cast(FormOutcome, await self._one_async(draft, timeout, key, leave_open))

    # What follows is for the frameworks' rooms: several drafts at once, confirmed apart.

    def _complete(
        self,
        draft: Json,
        title: str | None,
        timeout: float | None,
        conversation: str | None,
        cwd: str | None = None,
    ) -> Json:
        return _wire.with_context(
            draft,
            title=title,
            timeout=timeout,
            conversation=conversation,
            agent=self.agent,
            workspace=_place.workspace(cwd)[1],
        )

    def _find(self) -> _place.Place:
        return _place.find(self._url, self._token, self._state, os.environ)

    def _drive(self, steps: Steps[T]) -> T:
        return _drive.blocking(steps, self._find)

    async def _drive_async(self, steps: Steps[T]) -> T:
        return await _drive.waiting(steps, self._find)

    def _all(self, asked: Asked, timeout: float | None, leave_open: bool) -> list[Outcome]:
        """Asks all of it and gives the outcomes, which stay owed until they are confirmed."""
        try:
            closed = self._drive(_steps.all_of(asked, timeout))
        except (KeyboardInterrupt, SystemExit):
            if not leave_open:
                self._take_back(asked)
            raise
        return [_wire.outcome(ask) for ask in closed]

    async def _all_async(
        self, asked: Asked, timeout: float | None, leave_open: bool
    ) -> list[Outcome]:
        try:
            closed = await self._drive_async(_steps.all_of(asked, timeout))
        except (KeyboardInterrupt, SystemExit, anyio.get_cancelled_exc_class()):
            if not leave_open:
                with anyio.move_on_after(WITHDRAW_S_MAX, shield=True):
                    await self._take_back_async(asked)
            raise
        return [_wire.outcome(ask) for ask in closed]

    def _take_back(self, asked: Asked) -> None:
        try:
            _drive.blocking(_steps.withdraw_all(asked, _CANCELLED), self._find, WITHDRAW_S_MAX)
        except Exception as error:
            _steps.log.warning("interrupted; could not withdraw the ask: %s", error)

    async def _take_back_async(self, asked: Asked) -> None:
        try:
            await self._drive_async(_steps.withdraw_all(asked, _CANCELLED))
        except Exception as error:
            _steps.log.warning("interrupted; could not withdraw the ask: %s", error)

    def _one(
        self, draft: Json, timeout: float | None, key: str | None, leave_open: bool
    ) -> Outcome:
        asked = Asked([(draft, key or _random_key())])
        [outcome] = self._all(asked, timeout, leave_open)
        self._drive(_steps.confirm(asked.asks[0]))
        return outcome

    async def _one_async(
        self, draft: Json, timeout: float | None, key: str | None, leave_open: bool
    ) -> Outcome:
        asked = Asked([(draft, key or _random_key())])
        [outcome] = await self._all_async(asked, timeout, leave_open)
        await self._drive_async(_steps.confirm(asked.asks[0]))
        return outcome


def _random_key() -> str:
    return uuid.uuid4().hex


def _questions(
    asked: Questions, choices: Sequence[Choice | str], tag: str | None, pick: Pick | None
) -> Sequence[Question]:
    if isinstance(asked, str):
        return [Question(asked, choices, tag=tag, pick=pick)]
    if choices or tag or pick:
        raise TypeError("put choices, tag and pick into the Question")
    return [asked] if isinstance(asked, Question) else asked


def _approval(
    tool: str,
    given: str | Mapping[str, Any],
    reason: str | None,
    cwd: str | None,
    act: Act | None,
    high_risk: bool,
    flags: Sequence[Flag],
    tool_schema: str | Mapping[str, Any] | None,
) -> Json:
    return _wire.approval(
        tool,
        given,
        cwd=_place.workspace(cwd)[0],
        reason=reason,
        act=act,
        high_risk=high_risk,
        flags=flags,
        tool_schema=tool_schema,
    )
