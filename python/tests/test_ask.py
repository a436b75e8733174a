"""Asking over the real server: each way in which an ask can end, blocking and awaited."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import sayso
from house import Aside, House
from sayso import Act, Choice, Field, FieldChoice, Question, Reply, _wire

DATABASE = Question(
    "Which database?",
    [Choice("Redis", "In-memory", recommended=True), "SQLite"],
    tag="Database",
)


@pytest.fixture(params=["blocking", "awaited"])
def call(request: pytest.FixtureRequest) -> Any:
    """A method of a server by its name, in both forms."""

    def made(server: sayso.Server, name: str, *arguments: Any, **more: Any) -> Aside:
        if request.param == "blocking":
            return Aside(lambda: getattr(server, name)(*arguments, **more))
        twin = getattr(server, f"{name}_async")
        return Aside(lambda: asyncio.run(twin(*arguments, **more)))

    return made


def test_an_answer_has_labels_and_own_words_apart(house: House, call: Any) -> None:
    asking = call(
        house.here(agent="py"),
        "ask",
        [DATABASE, Question("Which features?", ["a", "b, c", "d"], pick="many"), Question("Why?")],
        title="Cache",
        conversation="talk",
    )
    [ask] = house.opened()
    assert ask["title"] == "Cache"
    assert ask["conversation"]["name"] == "talk"
    assert ask["agent"]["name"] == "py"
    assert ask["questions"][0]["choices"] == [
        {"label": "Redis", "description": "In-memory", "recommended": True},
        {"label": "SQLite"},
    ]
    assert [one["pick"] for one in ask["questions"]] == ["one", "many", "text"]
    house.answer(
        ask,
        replies=[
            {"question": 0, "labels": ["Redis"], "note": "only for now"},
            {"question": 1, "labels": ["b, c", "d"], "other": "x"},
        ],
    )
    outcome = asking.result()
    assert isinstance(outcome, sayso.Answered)
    assert outcome.replies == (
        Reply(0, ("Redis",), None, "only for now"),
        Reply(1, ("b, c", "d"), "x"),
    )
    assert outcome.text == "Redis"
    assert outcome.replies[1].text == "b, c, d, x"
    assert outcome.reply(2) is None
    assert outcome.by.person is not None
    assert outcome.ask == ask["id"]
    assert house.ask(ask["id"])["delivery"] == "confirmed"


def test_a_dismissal_is_no_answer(house: House, call: Any) -> None:
    asking = call(house.here(), "ask", "Deploy?", ["Yes", "No"])
    [ask] = house.opened()
    house.dismiss(ask, "not now")
    outcome = asking.result()
    assert isinstance(outcome, sayso.Dismissed)
    assert outcome.note == "not now"
    assert not outcome


def test_the_time_runs_out(house: House, call: Any) -> None:
    outcome = call(house.here(), "ask", "Deploy?", ["Yes", "No"], timeout=0.2).result()
    assert isinstance(outcome, sayso.Expired)
    assert outcome.by == sayso.By(clock=True)
    assert not outcome


def test_a_late_answer_is_found_by_the_key_and_stays_late(house: House, call: Any) -> None:
    asking = call(house.here(), "ask", "Deploy?", ["Yes", "No"], timeout=1, key="late")
    [ask] = house.opened()
    assert isinstance(asking.result(), sayso.Expired)
    with pytest.raises(AssertionError, match='"kept":true'):
        house.reply(ask, ["Yes"])
    again = call(house.here(), "ask", "Deploy?", ["Yes", "No"], timeout=1, key="late").result()
    assert isinstance(again, sayso.Expired)
    assert isinstance(again.late, sayso.Answered)
    assert again.late.text == "Yes"


def test_a_yes_comes_with_the_input_that_was_shown(house: House, call: Any) -> None:
    asking = call(
        house.here(),
        "approve",
        "Bash",
        {"command": "git push"},
        reason="to deploy",
        act=Act("shell", command="git push"),
        high_risk=True,
        flags=["no_always"],
    )
    [ask] = house.opened()
    assert ask["action"]["act"] == {"kind": "shell", "command": "git push"}
    assert (ask["action"]["risk"], ask["action"]["reason"]) == ("high", "to deploy")
    assert "no_always" in ask["action"]["flags"]
    house.allow(ask, note="go")
    outcome = asking.result()
    assert isinstance(outcome, sayso.Allowed)
    assert (outcome.input, outcome.edited) == ('{"command": "git push"}', False)
    assert (outcome.note, outcome.scope) == ("go", "once")
    assert outcome


def test_a_rule_for_a_tool_of_a_server_is_bound_to_its_schema(house: House, call: Any) -> None:
    schema = {"type": "object", "properties": {"table": {"type": "string"}}}
    # The order of its keys says nothing about a schema.
    turned = {"properties": {"table": {"type": "string"}}, "type": "object"}
    for given in (schema, None):
        asking = call(house.here(), "approve", "mcp__db__query", "{}", tool_schema=given)
        [ask] = house.opened()
        # Without a schema this exact input may be allowed; that the tool may change is said.
        assert ask["scopes"] == ["once", "always"]
        hashed = _wire.approval(
            "x", "", cwd=None, reason=None, act=None, high_risk=False, flags=(), tool_schema=turned
        )["action"]["tool_schema"]
        assert ask["action"].get("tool_schema") == (hashed if given else None)
        house.deny(ask)
        assert not asking.result()


def test_a_yes_may_change_the_input(house: House, call: Any) -> None:
    asking = call(house.here(), "approve", "Bash", '{"command":"rm -r /"}')
    house.allow(house.opened()[0], input='{"command":"ls /"}')
    outcome = asking.result()
    assert (outcome.input, outcome.edited) == ('{"command":"ls /"}', True)


def test_no_and_silence_are_no_yes(house: House, call: Any) -> None:
    asking = call(house.here(), "approve", "Bash", "{}")
    house.deny(house.opened()[0], note="never")
    denied = asking.result()
    assert isinstance(denied, sayso.Denied)
    assert denied.note == "never"
    assert not denied
    assert not call(house.here(), "approve", "Bash", "{}", timeout=1).result()


def test_a_form_gives_its_fields(house: House, call: Any) -> None:
    asking = call(
        house.here(),
        "form",
        "Where to?",
        [
            Field("port", "integer", title="Port", default=8080, required=True),
            Field("tls", "boolean"),
            Field("zone", "one_of", options=[FieldChoice("eu", "Europe"), FieldChoice("us", "US")]),
        ],
    )
    [ask] = house.opened()
    house.answer(ask, fields={"port": 80, "tls": True, "zone": "eu"})
    outcome = asking.result()
    assert isinstance(outcome, sayso.Filled)
    assert outcome.fields == {"port": 80, "tls": True, "zone": "eu"}


def test_the_same_key_finds_the_same_ask_and_another_ask_is_refused(
    house: House, call: Any
) -> None:
    asking = call(house.here(), "ask", "One?", ["a", "b"], key="k")
    house.reply(house.opened()[0], ["a"])
    first = asking.result()
    assert call(house.here(), "ask", "One?", ["a", "b"], key="k").result() == first
    with pytest.raises(sayso.Refused) as refused:
        call(house.here(), "ask", "Two?", ["a", "b"], key="k").result()
    assert refused.value.code == "key_conflict"
    assert not refused.value.passing


def test_what_makes_no_sense_is_refused_with_its_place(house: House, call: Any) -> None:
    with pytest.raises(sayso.Refused, match="/questions") as refused:
        call(house.here(), "ask", "").result()
    assert (refused.value.code, refused.value.status) == ("invalid", 422)
    with pytest.raises(TypeError, match="into the Question"):
        call(house.here(), "ask", DATABASE, ["a"]).result()
    assert house.asks() == []


def test_many_wait_at_once(house: House) -> None:
    async def all_of_them() -> list[str]:
        here = house.here()
        asking = [here.ask_async(f"Number {number}?", key=f"n{number}") for number in range(20)]
        outcomes = await asyncio.gather(*asking)
        return [one.text if isinstance(one, sayso.Answered) else "" for one in outcomes]

    asking = Aside(lambda: asyncio.run(all_of_them()))
    for ask in house.opened(20):
        house.reply(ask, ask["questions"][0]["text"])
    assert asking.result() == [f"Number {number}?" for number in range(20)]
