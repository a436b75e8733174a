"""The steps of asking and waiting, taken by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sayso import _steps
from sayso._steps import Call, LookAgain, Pause
from sayso.errors import Cut, Refused, Unreachable

OPEN = {"id": "1", "state": "open"}
CLOSED = {"id": "1", "state": "closed"}
DRAFT = {"matter": "questions"}


def refused(status: int, code: str = "x", retry_after: float | None = None) -> Refused:
    return Refused({"status": status, "code": code, "title": "No"}, retry_after)


def taken(steps: Any, replies: list[Any]) -> tuple[list[Any], Any]:
    """Every step until the end or the last reply, and the result. Errors are thrown in."""
    made = []
    try:
        made.append(next(steps))
        while True:
            if not isinstance(made[-1], Call):
                made.append(steps.send(None))
                continue
            if not replies:
                return made, None
            reply = replies.pop(0)
            made.append(steps.throw(reply) if isinstance(reply, Exception) else steps.send(reply))
    except StopIteration as done:
        return made, done.value


def test_an_ask_is_sent_once_when_it_arrives() -> None:
    steps, ask = taken(_steps.begin(DRAFT, "k"), [OPEN])
    assert steps == [Call("POST", "/v1/asks", json.dumps(DRAFT).encode(), "k")]
    assert ask == OPEN


@pytest.mark.parametrize("error", [Unreachable("away"), refused(429), refused(503), refused(422)])
def test_an_ask_that_did_not_arrive_is_an_error_at_once(error: Exception) -> None:
    with pytest.raises(type(error)):
        taken(_steps.begin(DRAFT, "k"), [error])


def test_an_ask_that_may_have_arrived_is_sent_again_under_its_key() -> None:
    errors = [Cut("gone"), Unreachable("away"), refused(503, retry_after=7)]
    steps, ask = taken(_steps.begin(DRAFT, "k"), [*errors, OPEN])
    calls = [one for one in steps if isinstance(one, Call)]
    assert [one.key for one in calls] == ["k"] * 4
    assert len({one.body for one in calls}) == 1
    pauses = [one.seconds for one in steps if isinstance(one, Pause)]
    assert 0.05 <= pauses[0] <= 0.1 < pauses[1] <= 0.2
    assert pauses[2] == 7
    assert sum(isinstance(one, LookAgain) for one in steps) == 3
    assert ask == OPEN
    with pytest.raises(Refused):
        taken(_steps.begin(DRAFT, "k"), [Cut("gone"), refused(409, "key_conflict")])


def test_a_wait_rides_out_what_passes_and_ends_with_what_does_not() -> None:
    steps, ask = taken(_steps.follow(OPEN), [OPEN, Cut("gone"), Unreachable("away"), CLOSED])
    assert ask == CLOSED
    assert {one.route for one in steps if isinstance(one, Call)} == {"/v1/asks/1?wait=30"}
    with pytest.raises(Refused):
        taken(_steps.follow(OPEN), [refused(401)])
    assert taken(_steps.follow(CLOSED), []) == ([], CLOSED)


def test_the_waits_between_tries_have_an_end_to_their_growth() -> None:
    steps, _ = taken(_steps.follow(OPEN), [Unreachable("away")] * 30)
    pauses = [one.seconds for one in steps if isinstance(one, Pause)]
    assert max(pauses) <= 5
    assert min(pauses[10:]) >= 2.5


def test_a_confirmation_is_tried_a_few_times_and_is_no_error() -> None:
    steps, _ = taken(_steps.confirm(OPEN), [Cut("gone")] * 9)
    assert sum(isinstance(one, Call) for one in steps) == 5
    steps, _ = taken(_steps.confirm(OPEN), [refused(404)])
    assert len(steps) == 1


def test_what_was_on_its_way_is_seen_through_before_it_is_taken_back() -> None:
    asked = _steps.Asked([(DRAFT, "a"), (DRAFT, "b"), (DRAFT, "c")])
    begun = _steps.all_of(asked, None)
    next(begun)
    begun.send(OPEN)
    second = {"id": "2", "state": "open"}
    steps, _ = taken(
        _steps.withdraw_all(asked, "stop"), [second, {}, refused(409, "already_closed")]
    )
    assert [(one.route, one.key) for one in steps] == [
        ("/v1/asks", "b"),
        ("/v1/asks/1/withdraw", None),
        ("/v1/asks/2/withdraw", None),
    ]
    assert steps[1].body == b'{"note": "stop"}'


def test_an_id_cannot_leave_its_place_in_the_address() -> None:
    steps, _ = taken(_steps.confirm({"id": "../admin?x", "state": "open"}), [{}])
    assert steps[0].route == "/v1/asks/..%2Fadmin%3Fx/confirm"
