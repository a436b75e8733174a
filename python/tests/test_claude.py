"""The callback without a CLI: what each outcome becomes for the SDK."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from house import Aside, House

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk import (
    ClaudeAgentOptions,
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
    ToolPermissionContext,
)

import sayso.claude

FORMAT = {
    "question": "How should I format the output?",
    "header": "Format",
    "options": [
        {"label": "Summary", "description": "Brief overview"},
        {"label": "Detailed", "description": "Full explanation", "preview": "# A\n# B"},
    ],
    "multiSelect": False,
}
SECTIONS = {
    "question": "Which sections?",
    "header": "Sections",
    "options": [{"label": "A, B", "description": "a"}, {"label": "C", "description": "c"}],
    "multiSelect": True,
}
INPUT = {"questions": [FORMAT, SECTIONS], "metadata": {"source": "x"}}


def decided(house: House, tool: str, given: dict[str, Any], **more: Any) -> Aside:
    suggestion = PermissionUpdate(type="setMode", mode="acceptEdits", destination="session")
    context = ToolPermissionContext(
        suggestions=[suggestion], tool_use_id="toolu_1", description="Run it"
    )
    decide = sayso.claude.permission(house.here(), **more)
    return Aside(lambda: asyncio.run(decide(tool, given, context)))  # type: ignore[arg-type]


def test_answers_go_back_by_the_text_of_the_question(house: House) -> None:
    deciding = decided(house, "AskUserQuestion", INPUT)
    [ask] = house.opened()
    assert [(one["tag"], one["pick"]) for one in ask["questions"]] == [
        ("Format", "one"),
        ("Sections", "many"),
    ]
    assert ask["questions"][0]["choices"][1]["preview"] == "# A\n# B"
    house.answer(
        ask,
        replies=[
            {"question": 0, "labels": [], "other": "As a table", "note": "please"},
            {"question": 1, "labels": ["A, B", "C"]},
        ],
    )
    assert deciding.result() == PermissionResultAllow(
        updated_input={
            **INPUT,
            "answers": {
                "How should I format the output?": "As a table",
                "Which sections?": "A, B, C",
            },
            "annotations": {"How should I format the output?": {"notes": "please"}},
        }
    )


def test_time_out_and_cancel_are_as_the_document_says(house: House) -> None:
    expected = PermissionResultDeny(message="User response timeout", interrupt=True)
    assert decided(house, "AskUserQuestion", INPUT, timeout=1).result() == expected
    deciding = decided(house, "AskUserQuestion", INPUT)
    house.dismiss(house.opened()[0])
    assert deciding.result() == expected


def test_a_question_left_out_has_no_key(house: House) -> None:
    deciding = decided(house, "AskUserQuestion", INPUT)
    house.reply(house.opened()[0], ["Summary"])
    assert deciding.result().updated_input["answers"] == {
        "How should I format the output?": "Summary"
    }


def test_a_permission_is_an_approval_and_suggestions_are_not_echoed(house: House) -> None:
    given = {"command": "git push", "timeout": 5}
    deciding = decided(house, "Bash", given)
    [ask] = house.opened()
    assert ask["action"]["act"] == {"kind": "shell", "command": "git push"}
    assert ask["action"]["reason"] == "Run it"
    house.allow(ask)
    result = deciding.result()
    assert result == PermissionResultAllow(updated_input=given)
    assert result.updated_permissions is None


def test_a_person_may_change_the_input(house: House) -> None:
    deciding = decided(house, "Bash", {"command": "git push"})
    house.allow(house.opened()[0], input='{"command":"git push --dry-run"}')
    assert deciding.result().updated_input == {"command": "git push --dry-run"}
    deciding = decided(house, "Bash", {"command": "git push"})
    house.allow(house.opened()[0], input="[]")
    assert isinstance(deciding.result(), PermissionResultDeny)


def test_every_no_is_a_denial(house: House) -> None:
    deciding = decided(house, "Write", {"file_path": "/a", "content": "b"})
    [ask] = house.opened()
    assert ask["action"]["act"] == {"kind": "write", "path": "/a", "content": "b"}
    house.deny(ask, note="not there")
    assert deciding.result() == PermissionResultDeny(message="not there")
    deciding = decided(house, "Write", {})
    house.deny(house.opened()[0])
    denied = PermissionResultDeny(message="Permission denied by user for tool: Write")
    assert deciding.result() == denied
    assert decided(house, "Bash", {}, timeout=1).result() == PermissionResultDeny(
        message="User response timeout", interrupt=True
    )


def test_what_nobody_can_be_asked_is_denied(house: House) -> None:
    for given in ({}, {"questions": 5}, {"questions": [1]}, {"questions": []}):
        result = decided(house, "AskUserQuestion", given).result()
        assert isinstance(result, PermissionResultDeny)
        assert result.message.startswith("The question could not be asked: ")
    house.kill()
    result = decided(house, "Bash", {}).result()
    assert isinstance(result, PermissionResultDeny)


def test_a_key_finds_the_answer_again_and_never_an_approval(house: House) -> None:
    deciding = decided(house, "AskUserQuestion", INPUT, key="task-1")
    house.reply(house.opened()[0], ["Summary"])
    first = deciding.result()
    assert decided(house, "AskUserQuestion", INPUT, key="task-1").result() == first
    for _ in range(2):
        deciding = decided(house, "Bash", {"command": "ls"}, key="task-1")
        house.allow(house.opened()[0])
        assert isinstance(deciding.result(), PermissionResultAllow)


def test_options_take_over_what_is_there() -> None:
    base = ClaudeAgentOptions(allowed_tools=["Read"], system_prompt="x")
    made = sayso.claude.options(base, max_turns=3)
    assert made.allowed_tools == ["Read", "AskUserQuestion"]
    assert (made.system_prompt, made.max_turns) == ("x", 3)
    assert made.can_use_tool is not None
    assert made.hooks is not None
    assert list(made.hooks) == ["PreToolUse"]
    assert (base.allowed_tools, base.can_use_tool, base.hooks) == (["Read"], None, None)
