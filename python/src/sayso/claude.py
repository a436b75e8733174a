"""sayso for the Claude Agent SDK: its questions and its permissions, decided by a person.

``can_use_tool`` goes into ``ClaudeAgentOptions``; ``options`` makes them. What the SDK suggests as
a permanent permission is never sent back: how far a yes reaches is a rule of the server.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
)
from claude_agent_sdk.types import CanUseTool, HookContext, HookInput, HookJSONOutput

from .errors import SaysoError
from .server import Server
from .words import Act, Allowed, Answered, Choice, Dismissed, Expired, Outcome, Question, Withdrawn

__all__ = ["can_use_tool", "options", "permission"]

QUESTIONS = "AskUserQuestion"
#: What the SDK is told when a question got no answer.
UNANSWERED = "User response timeout"

PermissionResult = PermissionResultAllow | PermissionResultDeny


def permission(
    server: Server | None = None,
    *,
    timeout: float | None = None,
    conversation: str | None = None,
    cwd: str | None = None,
    key: str | None = None,
) -> CanUseTool:
    """A ``can_use_tool`` that asks through this server, for ``timeout`` seconds or for ever.

    Questions of ``AskUserQuestion`` are questions; every other tool is an approval. With a ``key``,
    one for each task of the app, a process that was started anew finds the answers to the questions
    that it had asked before, in the same order. An approval is never found again: it was for once.
    """
    where = server or Server()
    seen: Counter[str] = Counter()

    def key_of(given: Mapping[str, Any]) -> str | None:
        if key is None:
            return None
        text = json.dumps(given.get("questions"), sort_keys=True)
        seen[text] += 1
        return hashlib.sha256(f"claude\0{key}\0{seen[text]}\0{text}".encode()).hexdigest()

    async def decide(
        tool_name: str, tool_input: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        try:
            if tool_name == QUESTIONS:
                return _answered(
                    tool_input,
                    await where.ask_async(
                        _questions(tool_input),
                        timeout=timeout,
                        conversation=conversation,
                        cwd=cwd,
                        key=key_of(tool_input),
                    ),
                )
            return _verdict(
                tool_name,
                await where.approve_async(
                    tool_name,
                    tool_input,
                    reason=_reason(context),
                    cwd=cwd,
                    act=_act(tool_name, tool_input),
                    timeout=timeout,
                    conversation=conversation,
                ),
            )
        except SaysoError as error:
            # What nobody could be asked is not allowed, and the model reads why.
            return PermissionResultDeny(message=f"The question could not be asked: {error}")

    return decide


async def can_use_tool(
    tool_name: str, tool_input: dict[str, Any], context: ToolPermissionContext
) -> PermissionResult:
    """Asks a person through the server that the ``sayso`` command would use, and waits."""
    return await permission()(tool_name, tool_input, context)


def options(
    base: ClaudeAgentOptions | None = None,
    *,
    server: Server | None = None,
    timeout: float | None = None,
    conversation: str | None = None,
    key: str | None = None,
    **more: Any,
) -> ClaudeAgentOptions:
    """Options with everything that brings questions and permissions to a person.

    ``base`` is taken over; ``more`` are further fields of ``ClaudeAgentOptions``. With the SDK and
    CLI of today the callback alone does it; the allowed tool and the hook are for older ones.
    """
    # The SDK takes the allowed tool for one that is never asked about, which this one always is.
    warnings.filterwarnings("ignore", "can_use_tool will not be invoked for: AskUserQuestion\\. ")
    made = replace(base or ClaudeAgentOptions(), **more)
    hooks = dict(made.hooks or {})
    hooks["PreToolUse"] = [*hooks.get("PreToolUse", []), HookMatcher(hooks=[_no_op])]
    return replace(
        made,
        can_use_tool=permission(
            server,
            timeout=timeout,
            conversation=conversation,
            cwd=None if made.cwd is None else str(made.cwd),
            key=key,
        ),
        hooks=hooks,
        allowed_tools=list(dict.fromkeys([*made.allowed_tools, QUESTIONS])),
    )


async def _no_op(given: HookInput, tool_use_id: str | None, context: HookContext) -> HookJSONOutput:
    """Keeps the stream to the CLI open in versions of the SDK that would close it otherwise."""
    return {"continue_": True}


def _questions(given: Mapping[str, Any]) -> list[Question]:
    asked = given.get("questions")
    if not isinstance(asked, list) or not all(isinstance(one, Mapping) for one in asked):
        raise SaysoError("the questions are not a list of questions")
    return [
        Question(
            text=str(one.get("question", "")),
            tag=str(one["header"]) if one.get("header") else None,
            pick=("many" if one.get("multiSelect") else "one") if one.get("options") else "text",
            choices=[
                Choice(
                    str(option.get("label", "")), option.get("description"), option.get("preview")
                )
                for option in one.get("options") or []
            ],
        )
        for one in asked
    ]


def _answered(given: Mapping[str, Any], outcome: Outcome) -> PermissionResult:
    if not isinstance(outcome, Answered):
        note = outcome.note if isinstance(outcome, (Dismissed, Withdrawn)) else None
        return PermissionResultDeny(message=note or UNANSWERED, interrupt=True)
    answers: dict[str, str] = {}
    annotations: dict[str, dict[str, str]] = {}
    for reply in outcome.replies:
        text = str(given["questions"][reply.question]["question"])
        # Equal questions share the one key that the SDK has for them.
        answers[text] = f"{answers[text]}, {reply.text}" if text in answers else reply.text
        if reply.note is not None:
            annotations[text] = {"notes": reply.note}
    updated = {**given, "questions": given["questions"], "answers": answers}
    if annotations:
        updated["annotations"] = annotations
    return PermissionResultAllow(updated_input=updated)


def _verdict(tool: str, outcome: Outcome) -> PermissionResult:
    if isinstance(outcome, Allowed):
        # What was shown is what is returned, and a person's change of it was shown too.
        allowed = json.loads(outcome.input)
        if isinstance(allowed, dict):
            return PermissionResultAllow(updated_input=allowed)
        return PermissionResultDeny(message="The changed input is not an object")
    if isinstance(outcome, Expired):
        return PermissionResultDeny(message=UNANSWERED, interrupt=True)
    note = getattr(outcome, "note", None)
    return PermissionResultDeny(message=note or f"Permission denied by user for tool: {tool}")


def _reason(context: ToolPermissionContext) -> str | None:
    said = (getattr(context, name, None) for name in ("title", "description", "decision_reason"))
    return "\n".join(dict.fromkeys(one for one in said if one)) or None


def _act(tool: str, given: Mapping[str, Any]) -> Act | None:
    def text(name: str) -> str | None:
        value = given.get(name)
        return value if isinstance(value, str) else None

    if tool == "Bash" and text("command") is not None:
        return Act("shell", command=text("command"))
    path = text("file_path")
    if tool == "Write" and path is not None and text("content") is not None:
        return Act("write", path=path, content=text("content"))
    old, new = text("old_string"), text("new_string")
    if tool == "Edit" and path is not None and old is not None and new is not None:
        return Act("edit", path=path, old=old, new=new)
    return None
