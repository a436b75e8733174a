"""The tool as a function, held against the vectors of the server's dialect, without Agno."""

from __future__ import annotations

import json
import logging
from datetime import datetime, timezone
from typing import Any

import pytest

from house import ROOT
from sayso import words
from sayso._wire import questions as written

pytest.importorskip("agno")

from sayso.agno import _contract

VECTORS = ROOT / "crates" / "dialects" / "src" / "agno" / "vectors"
#: Where another reader of JSON finds its own words for what is wrong.
READERS_OWN = (
    "Invalid questions_json format: ",
    "Invalid user_answers format: ",
)


def vectors(name: str) -> list[Any]:
    # A body that is none of the tool's exists only where there is a body.
    return [
        pytest.param(one, id=one["name"])
        for one in json.loads((VECTORS / name).read_text("utf-8"))
        if one.get("status", 200) == 200
    ]


def comparable(printed: str) -> Any:
    read = json.loads(printed)
    for prefix in READERS_OWN:
        own = read.get("error", "").startswith(prefix) and "is a duplicate" not in read["error"]
        if own and "nested deeper" not in read["error"]:
            return {**read, "error": prefix}
    return printed


@pytest.mark.parametrize("vector", vectors("calls.json") + vectors("bad.json"))
def test_it_prints_what_the_dialect_prints(vector: dict[str, Any]) -> None:
    body = vector["body"]
    printed = _contract.formatted(body["questions_json"], body.get("user_answers"))
    assert comparable(printed) == comparable("\n".join(vector["format"]))


@pytest.mark.parametrize(
    "vector", [one for one in vectors("calls.json") if one.values[0].get("asks")]
)
def test_it_asks_what_the_dialect_asks(vector: dict[str, Any]) -> None:
    questions = _contract.read_questions(vector["body"]["questions_json"])
    asked = [
        {
            "text": one["text"],
            "tag": one.get("tag"),
            "many": one["pick"] == "many",
            "choices": [[choice["label"], choice["description"]] for choice in one["choices"]],
            "free_text": one["free_text"],
            "required": one["required"],
        }
        for one in written(_contract.asked(questions))["questions"]
    ]
    assert asked == vector["asks"]


def outcome(vector: dict[str, Any]) -> words.Outcome:
    common: Any = {"ask": "1", "by": words.By(person="ann"), "at": datetime.now(timezone.utc)}
    note = vector.get("note")
    if "replies" in vector:
        replies = [words.Reply(at, tuple(labels), own) for at, labels, own in vector["replies"]]
        return words.Answered(**common, replies=tuple(replies))
    if vector["other"] == "expired":
        return words.Expired(**common)
    kinds = {"dismissed": words.Dismissed, "withdrawn": words.Withdrawn}
    return kinds[vector["other"]](**common, note=note)


@pytest.mark.parametrize(
    "vector", [one for one in vectors("calls.json") if one.values[0].get("outcomes")]
)
def test_it_returns_what_the_dialect_returns(vector: dict[str, Any]) -> None:
    questions = _contract.read_questions(vector["body"]["questions_json"])
    for told in vector["outcomes"]:
        returned = _contract.returned(outcome(told), questions)
        assert returned == "\n".join(told["prints"])


def test_a_question_without_its_mark_warns_and_is_taken(caplog: Any) -> None:
    options = [{"label": "a", "description": "1"}, {"label": "b", "description": "2"}]
    with caplog.at_level(logging.WARNING, "sayso.agno"):
        printed = _contract.formatted(
            [_contract.create_question("Pick one", "Pick", options)], None
        )
    assert json.loads(printed)["status"] == "awaiting_user_input"
    assert [one.message for one in caplog.records] == ["Question 0 should end with '?': Pick one"]


def test_create_question_takes_options_of_either_kind() -> None:
    made = _contract.create_question("Which?", "H", [_contract.QuestionOption("a", "1")])
    assert made == {
        "question": "Which?",
        "header": "H",
        "options": [{"label": "a", "description": "1"}],
        "multiSelect": False,
    }
