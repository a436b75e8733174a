"""What a paused run waits for, as asks; and their outcomes as what the run goes on with.

It knows both generations of Agno: the tools of a run, and the requirements around them that newer
ones have. It never starts or continues a run.
"""

from __future__ import annotations

import hashlib
import json
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agno.tools import Function, Toolkit

from .. import _wire, words
from .._wire import Json
from . import _contract
from ._tool import ANSWERS, QUESTIONS

_KINDS: dict[Any, words.FieldKind] = {int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True)
class Need:
    """One ask for one paused tool, and what to do with its outcome."""

    draft: Json
    key: str
    settle: Callable[[words.Outcome], None]


def is_for_a_person(run: Any) -> bool:
    """Whether everything that a paused run waits for is a person's to give.

    A tool that is to be executed outside of the agent waits for a program.
    """
    paused = [tool for tool in run.tools or [] if tool.is_paused]
    return not any(
        tool.external_execution_required and tool.result is None and not tool.requires_confirmation
        for tool in paused
    )


def of(run: Any, agent: Any) -> list[Need]:
    """Everything that a paused run of the agent waits for."""
    _join(run)
    needs = []
    for place, tool in enumerate(run.tools):
        if not tool.is_paused or _is_settled(tool):
            continue
        try:
            needs.append(_need(run, place, tool, agent))
        except _Wrong as wrong:
            _give_result(tool, str(wrong))
            _tell_requirement(run, tool)
    return needs


def _join(run: Any) -> None:
    """A run read from a database has every tool twice; the one in its requirement counts."""
    required = {
        one.tool_execution.tool_call_id: one.tool_execution
        for one in getattr(run, "requirements", None) or []
        if one.tool_execution is not None
    }
    run.tools = [required.get(tool.tool_call_id, tool) for tool in run.tools or []]


def _is_settled(tool: Any) -> bool:
    if tool.requires_confirmation:
        return tool.confirmed is not None
    if tool.external_execution_required:
        return tool.result is not None
    return bool(tool.answered)


def _need(run: Any, place: int, tool: Any, agent: Any) -> Need:
    draft, settle = _asked(tool, agent)
    # The place in the run is in it because some models give every call the same id.
    whole = f"agno\0{run.run_id}\0{place}\0{tool.tool_call_id}{_wire.schema_key(draft)}"
    key = hashlib.sha256(whole.encode()).hexdigest()

    def settled(outcome: words.Outcome) -> None:
        settle(outcome)
        _tell_requirement(run, tool)

    return Need(draft, key, settled)


def _asked(tool: Any, agent: Any) -> tuple[Json, Callable[[words.Outcome], None]]:
    if tool.requires_confirmation:
        return _confirmation(tool, _schema(agent, tool.tool_name))
    feedback = getattr(tool, "user_feedback_schema", None)
    if feedback:
        return _feedback(tool, feedback)
    fields = {field.name: field for field in tool.user_input_schema or []}
    if QUESTIONS in fields and ANSWERS in fields:
        return _questions(tool, fields)
    return _form(tool, [field for field in fields.values() if field.value is None])


def _schema(agent: Any, name: str) -> str | None:
    """The schema of a tool of the agent: what Agno tells the model about its parameters."""
    found = []
    for one in _functions(getattr(agent, "tools", None)):
        if one.name == name:
            # Agno reads the function only when it runs, and writes what it found into it.
            read = one.model_copy(deep=True)
            read.process_entrypoint()
            found.append(read.parameters)
    return _wire.told_schema(found)


def _functions(tools: Any) -> Iterator[Function]:
    for one in tools if isinstance(tools, (list, tuple)) else ():
        if isinstance(one, Function):
            yield one
        elif isinstance(one, Toolkit):
            yield from one.functions.values()
        elif callable(one):
            yield Function.from_callable(one)


def _confirmation(
    tool: Any, tool_schema: str | None
) -> tuple[Json, Callable[[words.Outcome], None]]:
    draft = _wire.approval(
        tool.tool_name or "",
        tool.tool_args or {},
        cwd=None,
        reason=None,
        act=None,
        high_risk=False,
        flags=(),
        tool_schema=tool_schema,
    )

    def settle(outcome: words.Outcome) -> None:
        if isinstance(outcome, words.Allowed):
            arguments = json.loads(outcome.input) if outcome.edited else tool.tool_args
            if isinstance(arguments, dict) or not outcome.edited:
                tool.tool_args, tool.confirmed = arguments, True
                return
            tool.confirmation_note = "The changed input is not an object"
        else:
            tool.confirmation_note = _refusal(outcome)
        tool.confirmed = False

    return draft, settle


def _refusal(outcome: words.Outcome) -> str:
    note = getattr(outcome, "note", None)
    sentence = {
        words.Denied: "The user denied this tool call",
        words.Dismissed: "The user dismissed this tool call",
        words.Expired: "Nobody allowed this tool call in time",
        words.Withdrawn: "The question about this tool call was withdrawn",
    }.get(type(outcome), "Nobody allowed this tool call")
    return sentence if note is None else f"{sentence}: {note}"


def _questions(tool: Any, fields: dict[str, Any]) -> tuple[Json, Callable[[words.Outcome], None]]:
    try:
        questions = _contract.read_questions(fields[QUESTIONS].value)
    except _contract.Failure as failure:
        # Nobody can be asked this; the agent hears why, as from the tool itself.
        raise _Wrong(_contract.failed(str(failure))) from failure

    def settle(outcome: words.Outcome) -> None:
        if not isinstance(outcome, words.Answered):
            _give_result(tool, _contract.failed(_contract.unanswered(outcome)))
            return
        said = _contract.values(outcome, len(questions))
        answers = {f"question_{index}": one for index, one in enumerate(said)}
        fields[ANSWERS].value = json.dumps(answers, ensure_ascii=False)
        tool.answered = True

    return _wire.questions(_contract.asked(questions)), settle


def _feedback(tool: Any, schema: Sequence[Any]) -> tuple[Json, Callable[[words.Outcome], None]]:
    asked = [
        words.Question(
            text=one.question,
            tag=one.header or None,
            pick="many" if one.multi_select else "one",
            choices=[
                words.Choice(option.label, option.description) for option in one.options or []
            ],
        )
        for one in schema
    ]

    def settle(outcome: words.Outcome) -> None:
        if not isinstance(outcome, words.Answered):
            _give_result(tool, _contract.failed(_contract.unanswered(outcome)))
            return
        for one, said in zip(schema, _contract.values(outcome, len(schema)), strict=True):
            one.selected_options = said
            for option in one.options or []:
                option.selected = option.label in said
        tool.answered = True

    return _wire.questions(asked), settle


def _form(tool: Any, fields: Sequence[Any]) -> tuple[Json, Callable[[words.Outcome], None]]:
    asked = [
        words.Field(
            name=field.name,
            kind=_kind(field.field_type),
            description=field.description,
            required=not _may_be_none(field.field_type),
        )
        for field in fields
    ]
    given = {name: value for name, value in (tool.tool_args or {}).items() if value is not None}
    message = f"{tool.tool_name} needs your input"
    if given:
        message += f"; it has {json.dumps(given, ensure_ascii=False, default=str)}"

    def settle(outcome: words.Outcome) -> None:
        if not isinstance(outcome, words.Filled):
            sentence = _contract.unanswered(outcome).replace("questions were", "form was")
            _give_result(tool, _contract.failed(sentence))
            return
        for field in fields:
            field.value = _value(field.field_type, outcome.fields.get(field.name))
        tool.answered = True

    return _wire.form(message, asked), settle


def _kind(field_type: Any) -> words.FieldKind:
    inner = [one for one in typing.get_args(field_type) if one is not type(None)]
    plain = inner[0] if _may_be_none(field_type) and len(inner) == 1 else field_type
    return _KINDS.get(plain, "text")


def _may_be_none(field_type: Any) -> bool:
    return type(None) in typing.get_args(field_type)


def _value(field_type: Any, said: Any) -> Any:
    """Lists and objects are asked for as text, because a form has no field for them."""
    if isinstance(said, str) and (typing.get_origin(field_type) or field_type) in (list, dict):
        try:
            return json.loads(said)
        except ValueError:
            return said
    return said


class _Wrong(Exception):
    """The tool's result, when its arguments allow no ask."""


def _give_result(tool: Any, result: str) -> None:
    """Ends the tool call with this result instead of running the tool.

    For Agno this is a call that somebody else has executed; it is the one way, in every version, to
    tell the agent that the person did not answer.
    """
    tool.requires_user_input, tool.answered = False, True
    tool.external_execution_required, tool.result = True, result


def _tell_requirement(run: Any, tool: Any) -> None:
    for one in getattr(run, "requirements", None) or []:
        if one.tool_execution is tool:
            one.confirmation, one.confirmation_note = tool.confirmed, tool.confirmation_note
            if tool.external_execution_required:
                one.external_execution_result = tool.result
