"""The tool itself, in two forms: one that pauses the run, and one that waits for the answer."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Optional

from agno.tools.function import Function

from ..server import Server
from . import _contract

NAME = "ask_user_question"
#: The arguments by which the tool is known again in a paused run.
QUESTIONS, ANSWERS = "questions_json", "user_answers"

_DESCRIPTION = """\
Ask the user 1-4 questions with 2-4 options each and get the answers.

Use it when a decision is the user's: a preference, an unclear instruction, a choice between ways.
The user may always answer in words of their own.

Args:
    questions_json (str): A JSON array of questions. Each has "question" (ends with ?), "header"
        (a label of at most 12 characters), "multiSelect" (true or false) and "options", each of
        these with "label" and "description".
    user_answers (str): Filled in by the user, never by the agent.

Returns:
    str: JSON with "answers" by header and "status", which is "completed" or "failed".
"""


class AskUserQuestion(Function):
    """The tool of the document: give it to an agent, or call it as a function."""

    def __call__(self, questions_json: Any, user_answers: Any = None) -> str:
        """What the tool returns; nobody is asked."""
        return _contract.formatted(questions_json, user_answers)


def _as_tool(function: Callable[..., Any]) -> Callable[..., Any]:
    # Agno reads names, types and the description of a tool off its function, and needs the types
    # as values: as text they would be looked up where nobody knows them. Agno 2.2 stores a paused
    # tool with the names of its types, and `str | None` has none.
    function.__name__ = function.__qualname__ = NAME
    function.__doc__ = _DESCRIPTION
    function.__annotations__ = {QUESTIONS: str, ANSWERS: Optional[str], "return": str}  # noqa: UP045
    return function


def _formatted(questions_json: Any, user_answers: Any = None) -> str:
    return _contract.formatted(questions_json, user_answers)


#: Pauses the run until ``user_answers`` is filled in, by hand or by ``sayso.agno.run``.
ask_user_question = AskUserQuestion(
    name=NAME,
    entrypoint=_as_tool(_formatted),
    requires_user_input=True,
    user_input_fields=[ANSWERS],
)


class _Durable:
    """What the two durable forms have in common: how to read the call, and under which key to ask.

    The same questions in the same order get the same keys.
    """

    def __init__(self, key: str | None, **more: Any) -> None:
        self._key, self._more = key, more
        self._seen, self._lock = Counter[str](), threading.Lock()

    def read(self, questions_json: Any, user_answers: Any) -> str | list[_contract.Question]:
        """The questions, or what the tool returns at once."""
        if user_answers is not None:
            return _contract.formatted(questions_json, user_answers)
        try:
            return _contract.read_questions(questions_json)
        except _contract.Failure as failure:
            return _contract.failed(str(failure))

    def arguments(self, questions: list[_contract.Question]) -> dict[str, Any]:
        """What to ask with. An ask that can be found again stays open when it is interrupted."""
        asked = {"question": _contract.asked(questions), **self._more}
        if self._key is None:
            return asked
        text = _contract.awaiting(questions)
        with self._lock:
            self._seen[text] += 1
            number = self._seen[text]
        whole = f"agno\0{self._key}\0{number}\0{text}"
        key = hashlib.sha256(whole.encode()).hexdigest()
        return {**asked, "key": key, "leave_open": True}


def durable(
    server: Server | None = None,
    *,
    timeout: float | None = None,
    conversation: str | None = None,
    key: str | None = None,
) -> Function:
    """The same tool without a pause: it asks through the server and waits for the person.

    The ask survives a restart of the server. With a ``key``, one for each run of the agent, it is
    also found again when the process was killed and the run begins anew: the same questions in the
    same order get the answers that were given before.
    """
    where = server or Server()
    form = _Durable(key, timeout=timeout, conversation=conversation)

    def ask(questions_json: Any, user_answers: Any = None) -> str:
        questions = form.read(questions_json, user_answers)
        if isinstance(questions, str):
            return questions
        return _contract.returned(where.ask(**form.arguments(questions)), questions)

    return Function(name=NAME, entrypoint=_as_tool(ask))


def durable_async(
    server: Server | None = None,
    *,
    timeout: float | None = None,
    conversation: str | None = None,
    key: str | None = None,
) -> Function:
    """``durable`` for ``agent.arun``: the event loop goes on while it waits."""
    where = server or Server()
    form = _Durable(key, timeout=timeout, conversation=conversation)

    async def ask(questions_json: Any, user_answers: Any = None) -> str:
        questions = form.read(questions_json, user_answers)
        if isinstance(questions, str):
            return questions
        return _contract.returned(await where.ask_async(**form.arguments(questions)), questions)

    return Function(name=NAME, entrypoint=_as_tool(ask))
