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
    """One thing to choose."""

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
    """One value of a form's field."""

    value: str
    title: str | None = None


@dataclass(frozen=True)
class Field:
    """One field of a form."""

    name: str
    kind: FieldKind = "text"
    title: str | None = None
    description: str | None = None
    options: Sequence[FieldChoice] = ()
    default: str | int | float | bool | Sequence[str] | None = None
    required: bool = False


@dataclass(frozen=True)
class By:
    """Who ended an ask: a person on a device, a rule, the agent, or the clock."""

    person: str | None = None
    device: str | None = None
    rule: str | None = None
    version: int | None = None
    agent: str | None = None
    clock: bool = False


@dataclass(frozen=True)
class Reply:
    """The answer to one question: the labels that were chosen, and the person's own words."""

    question: int
    labels: tuple[str, ...] = ()
    other: str | None = None
    note: str | None = None

    @property
    def values(self) -> list[str]:
        """The labels, then the person's own words."""
        own = [] if self.other is None else [self.other]
        return [*self.labels, *own]

    @property
    def text(self) -> str:
        """The values as one string."""
        return JOINT.join(self.values)


@dataclass(frozen=True)
class _Ended:
    """What every outcome has: which ask, who ended it, and when."""

    ask: str
    by: By
    at: datetime


@dataclass(frozen=True)
class Answered(_Ended):
    """Somebody answered. A question that was left out has no reply."""

    replies: tuple[Reply, ...]

    def reply(self, question: int = 0) -> Reply | None:
        """The reply to a question, counted from 0."""
        return next((one for one in self.replies if one.question == question), None)

    @property
    def text(self) -> str:
        """What was said to the first question, as one string."""
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
    """An outcome that is nobody's yes; it counts as false wherever a truth is wanted."""

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class Denied(_No):
    """The action must not be done."""

    note: str | None = None


@dataclass(frozen=True)
class Dismissed(_No):
    """A person put the ask aside."""

    note: str | None = None


@dataclass(frozen=True)
class Expired(_No):
    """Nobody answered in time. ``late`` is an answer that came afterwards and changed nothing."""

    late: Answered | Filled | None = None


@dataclass(frozen=True)
class Withdrawn(_No):
    """The asker took the ask back."""

    note: str | None = None


AskOutcome = Answered | Dismissed | Expired | Withdrawn
ApproveOutcome = Allowed | Denied | Dismissed | Expired | Withdrawn
FormOutcome = Filled | Dismissed | Expired | Withdrawn
Outcome = Answered | Allowed | Denied | Filled | Dismissed | Expired | Withdrawn
