"""Whatever is killed, the ask is there and the answer arrives once."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import pytest

import sayso
from house import Aside, House, program, until

ASKING = """
import sayso
print(sayso.ask("Deploy?", ["Yes", "No"], key="deploy").text)
"""


def test_the_server_is_killed_while_somebody_waits(house: House) -> None:
    asking = Aside(lambda: house.here().ask("Deploy?", ["Yes", "No"]))
    [ask] = house.opened()
    house.kill()
    house.start()
    assert [one["id"] for one in house.asks()] == [ask["id"]]
    house.reply(ask, ["Yes"])
    assert asking.result().text == "Yes"


def test_the_server_is_killed_while_a_task_waits(house: House) -> None:
    asking = Aside(lambda: asyncio.run(house.here().ask_async("Deploy?", ["Yes", "No"])))
    [ask] = house.opened()
    house.kill()
    house.start()
    house.reply(ask, ["No"])
    assert asking.result().text == "No"


def test_the_process_is_killed_and_the_next_one_finds_its_ask(house: House) -> None:
    first = program(house, ASKING)
    [ask] = house.opened()
    first.kill()
    first.wait()
    assert house.ask(ask["id"])["state"] == "open"
    house.reply(ask, ["Yes"])
    second = program(house, ASKING)
    assert second.communicate(timeout=60) == ("Yes\n", "")
    assert len(until(lambda: house.asks("closed"))) == 1


def test_process_and_server_are_both_killed(house: House) -> None:
    first = program(house, ASKING)
    [ask] = house.opened()
    house.kill()
    first.kill()
    first.wait()
    house.start()
    second = program(house, ASKING)
    house.reply(ask, ["No"])
    assert second.communicate(timeout=60) == ("No\n", "")


def test_an_interrupt_withdraws(house: House) -> None:
    asking = program(house, ASKING)
    [ask] = house.opened()
    asking.send_signal(signal.SIGINT)
    _, error = asking.communicate(timeout=60)
    assert "KeyboardInterrupt" in error
    outcome = house.ask(ask["id"])["outcome"]
    assert (outcome["kind"], outcome["note"]) == (
        "withdrawn",
        "The asking program was interrupted.",
    )


@pytest.mark.parametrize("leave_open", [False, True])
def test_a_cancelled_task_withdraws_unless_told_otherwise(house: House, leave_open: bool) -> None:
    async def cancelled() -> str:
        here = house.here()
        task = asyncio.create_task(here.ask_async("Deploy?", key="k", leave_open=leave_open))
        [ask] = await asyncio.to_thread(house.opened)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return str(ask["id"])

    assert house.ask(asyncio.run(cancelled()))["state"] == ("open" if leave_open else "closed")


def test_the_time_of_a_caller_withdraws_too(house: House) -> None:
    async def impatient() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(house.here().ask_async("Deploy?"), 1)

    asyncio.run(impatient())
    [ask] = until(lambda: house.asks("closed"))
    assert ask["outcome"]["kind"] == "withdrawn"


def test_without_a_server_it_fails_at_once_and_says_what_to_do(house: House) -> None:
    house.kill()
    with pytest.raises(sayso.Unreachable, match="sayso serve"):
        house.here().ask("Deploy?")
    (house.state / "server.json").unlink()
    with pytest.raises(sayso.NotFound, match="no server is running for the state"):
        house.here().ask("Deploy?")


def test_with_a_deadline_it_does_not_wait_for_ever_for_a_dead_server(
    house: House, monkeypatch: Any
) -> None:
    monkeypatch.setattr("sayso._steps.GRACE_S", 0.1)
    asking = Aside(lambda: house.here().ask("Deploy?", timeout=1))
    house.opened()
    house.kill()
    with pytest.raises(sayso.Unreachable, match="the deadline of .* has passed"):
        asking.result()
