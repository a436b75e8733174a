"""Our own JSON: what an ask looks like on its way out, and an outcome on its way in."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from .errors import BadReply, Erased
from .words import (
    Act,
    Allowed,
    Answered,
    By,
    Choice,
    Denied,
    Dismissed,
    Expired,
    Field,
    Filled,
    Flag,
    Outcome,
    Question,
    Reply,
    Withdrawn,
)

Json = dict[str, Any]


def _present(values: Mapping[str, Any]) -> Json:
    """Absent keys are left out, never sent as null."""
    return {name: value for name, value in values.items() if value is not None}


def _choice(choice: Choice | str) -> Json:
    if isinstance(choice, str):
        return {"label": choice}
    written = _present(asdict(choice))
    if not choice.recommended:
        del written["recommended"]
    return written


def _question(question: Question) -> Json:
    return _present(
        {
            "text": question.text,
            "tag": question.tag,
            "pick": question.pick,
            "choices": [_choice(choice) for choice in question.choices],
            "look": question.look,
            "default": list(question.default),
            "free_text": question.free_text,
            "required": question.required,
        }
    )


def _field(field: Field) -> Json:
    options = [_present(asdict(option)) for option in field.options]
    return _present({**asdict(field), "options": options or None})


def questions(asked: Sequence[Question]) -> Json:
    return {"matter": "questions", "questions": [_question(one) for one in asked]}


def _schema(given: str | Mapping[str, Any] | None) -> str | None:
    """The hash of a tool's schema; one that was hashed already stays as it is."""
    if given is None or isinstance(given, str):
        return given
    # The canonical form of RFC 8785 for all that schemas are made of: keys of plain letters, text
    # and whole numbers.
    text = json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def told_schema(given: Sequence[Any]) -> str | None:
    """The hash of the schema that a framework tells for a tool.

    ``given`` has the schema of every tool of that name. A schema without parameters counts as none,
    because frameworks send one before they have looked at the function; two that differ do too.
    """
    hashes: set[str | None] = set()
    for one in given:
        told = isinstance(one, Mapping) and bool(one.get("properties"))
        try:
            hashes.add(_schema(one) if told else None)
        except (TypeError, ValueError):
            hashes.add(None)
    return hashes.pop() if len(hashes) == 1 else None


def schema_key(draft: Json) -> str:
    """What an ask's key ends with, so that an approval isn't found again for another schema."""
    told = draft.get("action", {}).get("tool_schema")
    return "" if told is None else f"-{told.removeprefix('sha256:')[:16]}"


def approval(
    tool: str,
    given: str | Mapping[str, Any],
    *,
    cwd: str | None,
    reason: str | None,
    act: Act | None,
    high_risk: bool,
    flags: Sequence[Flag],
    tool_schema: str | Mapping[str, Any] | None = None,
) -> Json:
    # The text that is shown is the text that comes back, so it is made once and kept.
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    action = {
        "tool": tool,
        "input": text,
        "tool_schema": _schema(tool_schema),
        "cwd": cwd,
        "reason": reason,
        "act": None if act is None else _present(asdict(act)),
        "risk": "high" if high_risk else None,
        "flags": list(flags) or None,
    }
    return {"matter": "approval", "action": _present(action)}


def form(message: str, fields: Sequence[Field]) -> Json:
    return {
        "matter": "form",
        "form": {"message": message, "fields": [_field(one) for one in fields]},
    }


def with_context(
    draft: Json,
    *,
    title: str | None,
    timeout: float | None,
    conversation: str | None,
    agent: str | None,
    workspace: str | None,
) -> Json:
    """The draft with what every matter may carry. A deadline is in whole seconds, never shorter."""
    more = {
        "title": title,
        "timeout_s": None if timeout is None else max(1, math.ceil(timeout)),
        "conversation": conversation,
        "agent": agent,
        "workspace": workspace,
    }
    return {**draft, **_present(more)}


def outcome(ask: Mapping[str, Any]) -> Outcome:
    """How a closed ask ended."""
    try:
        ended = ask.get("outcome")
        if ended is None:
            raise Erased(
                "the ask is closed, but its outcome was erased", "ask again with another key"
            )
        return _ended(ask, ended)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadReply(f"the outcome can't be read: {error!r}") from error


def _ended(ask: Mapping[str, Any], ended: Mapping[str, Any]) -> Outcome:
    common: Any = {"ask": ask["id"], "by": By(**ended["by"]), "at": _time(ended["at"])}
    kind, note = ended["kind"], ended.get("note")
    if kind == "answered":
        return _said(ask, ended["answer"], common)
    if kind == "dismissed":
        return Dismissed(**common, note=note)
    if kind == "withdrawn":
        return Withdrawn(**common, note=note)
    if kind == "expired":
        late = ask.get("late")
        if late is None:
            return Expired(**common)
        after: Any = {"ask": ask["id"], "by": By(**late["by"]), "at": _time(late["at"])}
        said = _said(ask, late["answer"], after)
        # A yes that came too late is no yes.
        return Expired(**common, late=said if isinstance(said, (Answered, Filled)) else None)
    raise BadReply(f"the server sent an outcome that this package doesn't know: {kind!r}")


def _said(ask: Mapping[str, Any], answer: Mapping[str, Any], common: Any) -> Outcome:
    if "replies" in answer:
        return Answered(**common, replies=tuple(_reply(one) for one in answer["replies"]))
    if "fields" in answer:
        return Filled(**common, fields=answer["fields"])
    verdict = answer["verdict"]
    note = verdict.get("note")
    # Only the word itself is a yes; anything else that could be taken for one is not.
    if verdict["allow"] is not True:
        return Denied(**common, note=note)
    edited = verdict.get("input")
    return Allowed(
        **common,
        input=ask["action"]["input"] if edited is None else edited,
        edited=edited is not None,
        scope=verdict.get("scope", "once"),
        note=note,
    )


def _reply(reply: Mapping[str, Any]) -> Reply:
    return Reply(
        question=reply["question"],
        labels=tuple(reply.get("labels", ())),
        other=reply.get("other"),
        note=reply.get("note"),
    )


def _time(text: str) -> datetime:
    # Python 3.10 does not read the letter.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
