"""Real Agno agents with a scripted model, whose pauses are answered through the real server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import sayso
from house import Aside, House, program, until
from scripted import Scripted

pytest.importorskip("agno")

from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.openai import OpenAIChat
from agno.tools import tool

import sayso.agno
from sayso import _wire
from sayso.agno import ask_user_question, create_question

try:
    from agno.tools.user_feedback import UserFeedbackTools
except ImportError:
    UserFeedbackTools = None

FRAMEWORK = create_question(
    "Which framework should we use?",
    "Framework",
    [
        {"label": "React", "description": "Popular UI library"},
        {"label": "Vue", "description": "Progressive framework"},
    ],
)
FEATURES = create_question(
    "Which features?",
    "Features",
    [{"label": "Dark mode", "description": "d"}, {"label": "i18n, l10n", "description": "i"}],
    multi_select=True,
)
ASKS = ("ask_user_question", {"questions_json": json.dumps([FRAMEWORK, FEATURES])})


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGNO_TELEMETRY", "false")


def agent(script: Scripted, tools: list[Any], db: Path | None = None) -> Agent:
    return Agent(
        name="DecisionAgent",
        model=OpenAIChat(id="scripted", base_url=script.url, api_key="none"),
        tools=tools,
        db=None if db is None else SqliteDb(db_file=str(db)),
        telemetry=False,
    )


@pytest.fixture(params=["blocking", "awaited"])
def run(request: pytest.FixtureRequest) -> Any:
    def begun(*arguments: Any, **more: Any) -> Aside:
        if request.param == "blocking":
            return Aside(lambda: sayso.agno.run(*arguments, **more))
        return Aside(lambda: asyncio.run(sayso.agno.arun(*arguments, **more)))

    return begun


def results(run: Any) -> list[Any]:
    """What the tools of a complete run returned to the model."""
    assert not run.is_paused, run
    assert not getattr(run, "active_requirements", [])
    return [one.content for one in run.messages if one.role == "tool"]


def test_a_paused_run_is_answered_through_the_server(house: House, run: Any) -> None:
    going = run(agent(Scripted([ASKS]), [ask_user_question]), "Help", server=house.here())
    [ask] = house.opened()
    assert [one["tag"] for one in ask["questions"]] == ["Framework", "Features"]
    house.answer(
        ask,
        replies=[
            {"question": 0, "labels": [], "other": "Svelte"},
            {"question": 1, "labels": ["Dark mode", "i18n, l10n"]},
        ],
    )
    done = going.result()
    expected = {
        "answers": {"Framework": ["Svelte"], "Features": ["Dark mode", "i18n, l10n"]},
        "questions_asked": 2,
        "status": "completed",
    }
    assert [json.loads(one) for one in results(done)] == [expected]
    assert done.content == "Done: " + sayso.agno._contract.printed(expected)
    assert house.ask(ask["id"])["delivery"] == "confirmed"


@pytest.mark.parametrize("how", ["dismissed", "expired"])
def test_what_is_not_answered_is_told_to_the_agent(house: House, run: Any, how: str) -> None:
    timeout = 1 if how == "expired" else None
    there = agent(Scripted([ASKS]), [ask_user_question])
    going = run(there, "Help", server=house.here(), timeout=timeout)
    if how == "dismissed":
        house.dismiss(house.opened()[0], "not now")
    sentence = {
        "dismissed": "The questions were dismissed: not now",
        "expired": "Nobody answered in time",
    }[how]
    [result] = results(going.result())
    assert json.loads(result) == {"error": sentence, "status": "failed"}


def test_wrong_arguments_come_back_to_the_agent_and_nobody_is_asked(house: House, run: Any) -> None:
    wrong = ("ask_user_question", {"questions_json": "[]"})
    done = run(agent(Scripted([wrong]), [ask_user_question]), "Help", server=house.here()).result()
    [result] = results(done)
    assert json.loads(result) == {"error": "Must ask 1-4 questions, got 0", "status": "failed"}
    assert house.asks() == []


def test_a_run_may_ask_again(house: House, run: Any) -> None:
    going = run(agent(Scripted([ASKS], [ASKS]), [ask_user_question]), "Help", server=house.here())
    seen = []
    for label in ("React", "Vue"):
        [ask] = house.opened()
        seen.append(ask["id"])
        house.reply(ask, [label], None)
        house.gone(ask)
    answers = [json.loads(one)["answers"] for one in results(going.result())]
    assert answers == [
        {"Framework": ["React"], "Features": []},
        {"Framework": ["Vue"], "Features": []},
    ]
    assert len(set(seen)) == 2


def deploying(done: list[str]) -> Any:
    @tool(requires_confirmation=True)
    def deploy(target: str) -> str:
        """Deploys.

        Args:
            target: Where to.
        """
        done.append(target)
        return f"deployed to {target}"

    return deploy


def test_a_confirmation_is_an_approval(house: House, run: Any) -> None:
    done: list[str] = []
    script = Scripted([("deploy", {"target": "production"}), ("deploy", {"target": "test"})])
    seen: list[Any] = []
    completion = script.completion
    script.completion = lambda body: seen.append(body) or completion(body)  # type: ignore
    going = run(agent(script, [deploying(done)]), "Deploy", server=house.here())
    first, second = house.opened(2)
    # The schema that goes with the ask is the one the model was told.
    told_to_model = seen[0]["tools"][0]["function"]["parameters"]
    assert first["action"]["tool_schema"] == _wire._schema(told_to_model)
    assert (first["action"]["tool"], first["action"]["input"]) == (
        "deploy",
        '{"target": "production"}',
    )
    house.allow(second, input='{"target": "staging"}')
    house.deny(first, note="never on a Friday")
    told = results(going.result())
    assert done == ["staging"]
    assert any("never on a Friday" in str(one) for one in told)
    assert any("deployed to staging" in str(one) for one in told)


def test_silence_is_no_confirmation(house: House, run: Any) -> None:
    done: list[str] = []
    script = Scripted([("deploy", {"target": "production"})])
    going = run(agent(script, [deploying(done)]), "Deploy", server=house.here(), timeout=1)
    [told] = results(going.result())
    assert "Nobody allowed this tool call in time" in told
    assert done == []


def test_user_input_is_a_form(house: House, run: Any) -> None:
    sent: list[Any] = []

    @tool(requires_user_input=True, user_input_fields=["to", "copies"])
    def mail(subject: str, to: str, copies: int) -> str:
        """Sends a mail.

        Args:
            subject: What about.
            to: Whom to send it to.
            copies: How many.
        """
        sent.append((subject, to, copies))
        return "sent"

    going = run(agent(Scripted([("mail", {"subject": "Hi"})]), [mail]), "Mail", server=house.here())
    [ask] = house.opened()
    fields = [(one["name"], one["kind"], one["required"]) for one in ask["form"]["fields"]]
    assert fields == [("to", "text", True), ("copies", "integer", True)]
    assert "Hi" in ask["form"]["message"]
    house.answer(ask, fields={"to": "ann", "copies": 2})
    assert results(going.result()) == ["sent"]
    assert sent == [("Hi", "ann", 2)]


@pytest.mark.skipif(UserFeedbackTools is None, reason="this Agno has no UserFeedbackTools")
def test_agnos_own_question_tool_is_answered_too(house: House, run: Any) -> None:
    question = {
        "question": "Which framework?",
        "header": "Framework",
        "options": [{"label": "React"}, {"label": "Vue", "description": "Progressive"}],
        "multi_select": True,
    }
    script = Scripted([("ask_user", {"questions": [question]})])
    going = run(agent(script, [UserFeedbackTools()]), "Help", server=house.here())
    [ask] = house.opened()
    house.answer(ask, replies=[{"question": 0, "labels": ["Vue"], "other": "Svelte"}])
    said = '[{"question": "Which framework?", "selected": ["Vue", "Svelte"]}]'
    assert results(going.result()) == [f"User feedback received: {said}"]


RUN = """
import json, os, sys
import sayso.agno
from test_agno import agent, ask_user_question
from types import SimpleNamespace
from pathlib import Path
there = agent(SimpleNamespace(url=os.environ["MODEL"]), [ask_user_question], Path(os.environ["DB"]))
done = sayso.agno.run(there, "Help", session_id=os.environ.get("SESSION", "s1"))
print(done.content)
"""


def test_the_process_is_killed_while_paused_and_the_next_goes_on(
    house: House, tmp_path: Path
) -> None:
    script = Scripted([ASKS])
    where = {"MODEL": script.url, "DB": str(tmp_path / "agno.db")}
    first = program(house, RUN, **where)
    [ask] = house.opened()
    first.kill()
    first.wait()
    second = program(house, RUN, **where)
    house.kill()
    house.start()
    house.reply(ask, ["React"], None)
    out, error = second.communicate(timeout=60)
    assert '"React"' in out, error
    assert len(until(lambda: house.asks("closed"))) == 1
    assert house.asks() == []


def test_two_runs_at_once_get_their_own_answers(house: House, tmp_path: Path) -> None:
    script = Scripted([ASKS])
    where = {"MODEL": script.url, "DB": str(tmp_path / "agno.db")}
    going = {}
    for name in ("one", "two"):
        going[name] = program(house, RUN, SESSION=name, **where)
        house.opened(len(going))
    for ask in house.opened(2):
        house.reply(ask, ask["conversation"]["name"], None)
    for name, process in going.items():
        out, error = process.communicate(timeout=60)
        assert f'"{name}"' in out, error


def test_without_a_paused_run_there_must_be_an_input(house: House, tmp_path: Path) -> None:
    there = agent(Scripted(), [ask_user_question], tmp_path / "agno.db")
    with pytest.raises(ValueError, match="no paused run"):
        sayso.agno.run(there, session_id="s1", server=house.here())


@pytest.mark.parametrize("form", ["durable", "durable_async"])
def test_the_durable_form_waits_by_itself(house: House, form: str) -> None:
    asks = getattr(sayso.agno, form)(house.here(), conversation="talk")
    there = agent(Scripted([ASKS]), [asks])
    if form == "durable":
        going = Aside(lambda: there.run("Help"))
    else:
        going = Aside(lambda: asyncio.run(there.arun("Help")))
    [ask] = house.opened()
    assert ask["conversation"]["name"] == "talk"
    house.reply(ask, ["React"], ["Dark mode"])
    [result] = results(going.result())
    assert json.loads(result) == {
        "answers": {"Framework": ["React"], "Features": ["Dark mode"]},
        "questions_asked": 2,
        "status": "completed",
    }


def test_the_durable_form_finds_its_answers_again_by_its_key(house: House) -> None:
    def going() -> Any:
        asks = sayso.agno.durable(house.here(), key="run-42")
        return agent(Scripted([ASKS], [ASKS]), [asks]).run("Help")

    first = Aside(going)
    for label in ("React", "Vue"):
        [ask] = house.opened()
        house.reply(ask, [label], None)
        house.gone(ask)
    answered = results(first.result())
    assert [json.loads(one)["answers"]["Framework"] for one in answered] == [["React"], ["Vue"]]
    assert results(Aside(going).result()) == answered
    assert house.asks() == []
