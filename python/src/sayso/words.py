"""The words: what is asked, what is said, and how an ask ended.

Nothing here talks to a server or knows how a value looks on the wire.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

__all__ = [
    "Act",
    "Allowed",
    "Answered",
    "By",
    "Choice",
    "Denied",
    "Dismissed",
    "Expired",
    "Field",
    "FieldChoice",
    "Filled",
    "Question",
    "Reply",
    "Withdrawn",
]

Pick = Literal["one", "many", "text"]
Look = Literal["list", "buttons", "dropdown"]
Scope = Literal["once", "conversation", "always"]
Flag = Literal["default_no", "no_always", "needs_person"]
FieldKind = Literal["text", "number", "integer", "boolean", "one_of", "many_of", "secret"]

#: What stands between two values where a reply is wanted as one string.
JOINT = ", "


@dataclass(frozen=True)
class Choice:
    """A choice."""

    label: str
    description: str | None = None
    preview: str | None = None
    recommended: bool = False


@dataclass(frozen=True)
class Question:
    """One question. A choice that is only a label may be a string.

    Without ``pick`` it takes one choice where there are choices, and text where there are none.
    """

    text: str
    choices: Sequence[Choice | str] = ()
    tag: str | None = None
    pick: Pick | None = None
    look: Look = "list"
    default: Sequence[str] = ()
    free_text: bool = True
    required: bool = False


@dataclass(frozen=True)
class Act:
    """What an action does, where that is known: devices draw a command or a change better so."""

    kind: Literal["shell", "edit", "write", "other"]
    command: str | None = None
    path: str | None = None
    old: str | None = None
    new: str | None = None
    content: str | None = None


@dataclass(frozen=True)
class FieldChoice:
    """A choice of a form's field."""

    value: str
    title: str | None = None


@dataclass(frozen=True)
class Field:
    """A field of a form."""

    name: str
    kind: FieldKind = "text"
    title: str | None = None
    description: str | None = None
    options: Sequence[FieldChoice] = ()
    default: str | int | float | bool | Sequence[str] | None = None
    required: bool = False


@dataclass(frozen=True)
class By:
    """Who closed an ask: a person on a device, a rule, the agent, or the clock."""

    person: str | None = None
    device: str | None = None
    rule: str | None = None
    version: int | None = None
    agent: str | None = None
    clock: bool = False


@dataclass(frozen=True)
class Reply:
    """The answer to one question: the chosen labels, and the free text."""

    question: int
    labels: tuple[str, ...] = ()
    other: str | None = None
    note: str | None = None

    @property
    def values(self) -> list[str]:
        """The labels, then the free text."""
        own = [] if self.other is None else [self.other]
        return [*self.labels, *own]

    @property
    def text(self) -> str:
        """The values as one string."""
        return JOINT.join(self.values)


@dataclass(frozen=True)
class _Ended:
    """What every outcome has: the ask, who closed it, and when."""

    ask: str
    by: By
    at: datetime


@dataclass(frozen=True)
class Answered(_Ended):
    """A person or a rule answered. A question without an answer has no reply."""

    replies: tuple[Reply, ...]

    def reply(self, question: int = 0) -> Reply | None:
        """The reply to a question, counted from 0."""
        return next((one for one in self.replies if one.question == question), None)

    @property
    def text(self) -> str:
        """The answer to the first question, as one string."""
        reply = self.reply()
        return "" if reply is None else reply.text


@dataclass(frozen=True)
class Allowed(_Ended):
    """The action may be done, with exactly this ``input``."""

    input: str
    edited: bool
    scope: Scope
    note: str | None = None


@dataclass(frozen=True)
class Filled(_Ended):
    """The form was filled in."""

    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _No(_Ended):
    """An outcome that allows nothing; it is false in a boolean context."""

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Denied(_No):
    """The action is denied."""

    note: str | None = None


@dataclass(frozen=True)
class Dismissed(_No):
    """A person dismissed the ask."""

    note: str | None = None


@dataclass(frozen=True)
class Expired(_No):
    """Nobody answered in time. ``late`` is a late answer, which changed nothing."""

    late: Answered | Filled | None = None


@dataclass(frozen=True)
class Withdrawn(_No):
    """The agent withdrew the ask."""

    note: str | None = None


AskOutcome = Answered | Dismissed | Expired | Withdrawn
ApproveOutcome = Allowed | Denied | Dismissed | Expired | Withdrawn
FormOutcome = Filled | Dismissed | Expired | Withdrawn
Outcome = Answered | Allowed | Denied | Filled | Dismissed | Expired | Withdrawn
