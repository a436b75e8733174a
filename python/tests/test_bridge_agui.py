"""`sayso bridge agui` beside a real AgentOS, whose runs are started as a front end starts them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from house import BINARY, ROOT, House, until
from sayso._wire import told_schema

pytest.importorskip("agno.os")
pytest.importorskip("ag_ui")

import ag_ui.core

HERE = Path(__file__).parent
DISMISSED = {"error": "The questions were dismissed: not now", "status": "failed"}
EXPIRED = {"error": "Nobody answered in time", "status": "failed"}
REACT = {
    "answers": {"Framework": ["React"], "Features": []},
    "questions_asked": 2,
    "status": "completed",
}


class Office:
    """A server of agents that can be killed and comes back at the same address."""

    def __init__(self, program: str, folder: Path, key: str | None = None) -> None:
        self.program, self.folder, self.key = program, folder, key
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        self.http = httpx.Client(base_url=self.url, timeout=60, trust_env=False, headers=headers)
        self.start()

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, HERE / self.program, self.folder, str(self.port)],
                env={**os.environ, **({} if self.key is None else {"OS_SECURITY_KEY": self.key})},
                stdout=log,
                stderr=log,
            )
        until(self.is_there)

    def is_there(self) -> bool:
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            self.http.get("/config")
        except httpx.HTTPError:
            return False
        return True

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def begin(self, agent: str) -> str:
        """Starts a run as a front end does; its session."""
        session = uuid.uuid4().hex
        reply = self.http.post(
            f"/{agent}/agui",
            json={
                "threadId": session,
                "runId": uuid.uuid4().hex,
                "state": {},
                "messages": [{"id": "1", "role": "user", "content": "Help"}],
                "tools": [],
                "context": [],
                "forwardedProps": {},
            },
        )
        assert reply.status_code == 200, reply.text
        assert "RUN_FINISHED" in reply.text, reply.text
        return session

    def run(self, session: str) -> dict[str, Any]:
        [run] = self.http.get(f"/sessions/{session}/runs").json()
        return dict(run)

    def said(self, session: str) -> str:
        """What the agent said in the end."""

        def done() -> str:
            content = str(self.run(session)["content"])
            return content if content.startswith("Done: ") else ""

        return str(until(done)).removeprefix("Done: ")

    def done(self) -> list[str]:
        """What was carried out since the last time this was asked."""
        file = self.folder / "done"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


def an_office(program: str, folder: Path) -> Iterator[Office]:
    there = Office(program, folder)
    yield there
    there.kill()


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    yield from an_office("agentos.py", tmp_path_factory.mktemp("office"))


@pytest.fixture(scope="module")
def endpoints(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    yield from an_office("agui_only.py", tmp_path_factory.mktemp("endpoints"))


class Bridge:
    """The real bridge as a process."""

    def __init__(self, house: House, *words: str, **environment: str) -> None:
        self.house, self.words, self.environment = house, words, environment
        self.start()

    def start(self) -> None:
        line = [BINARY, "bridge", "agui", *self.words, "--every", "1s", "--state", self.house.state]
        self.process = subprocess.Popen(
            line,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.house.state.parent),
                **self.environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def stop(self) -> tuple[int, str]:
        self.process.send_signal(signal.SIGTERM)
        _, told = self.process.communicate(timeout=60)
        return self.process.returncode, told

    def refused(self) -> tuple[int, str]:
        """How it ended by itself, and what it said."""
        _, told = self.process.communicate(timeout=60)
        return self.process.returncode, told


@pytest.fixture
def beside(house: House) -> Iterator[Callable[..., Bridge]]:
    """Makes bridges; each that still runs at the end must stop well."""
    made: list[Bridge] = []

    def make(*words: str, **environment: str) -> Bridge:
        made.append(Bridge(house, *words, **environment))
        return made[-1]

    yield make
    for one in made:
        assert one.process.poll() is not None or one.stop()[0] == 0


@pytest.fixture
def bridge(beside: Callable[..., Bridge], office: Office) -> Bridge:
    return beside(office.url)


def confirmed(house: House, ask: dict[str, Any]) -> None:
    until(lambda: house.ask(ask["id"])["delivery"] == "confirmed")


def test_labels_and_own_words_reach_the_tool(house: House, office: Office, bridge: Bridge) -> None:
    session = office.begin("decide")
    [ask] = house.opened()
    assert [one["tag"] for one in ask["questions"]] == ["Framework", "Features"]
    assert [one["pick"] for one in ask["questions"]] == ["one", "many"]
    assert (ask["agent"]["name"], ask["conversation"]["name"]) == ("decide", session)
    house.answer(
        ask,
        replies=[
            {"question": 0, "labels": [], "other": "Svelte"},
            {"question": 1, "labels": ["Dark mode", "i18n, l10n"]},
        ],
    )
    assert json.loads(office.said(session)) == {
        "answers": {"Framework": ["Svelte"], "Features": ["Dark mode", "i18n, l10n"]},
        "questions_asked": 2,
        "status": "completed",
    }
    confirmed(house, ask)


def test_a_dismissed_question_is_told_to_the_agent(
    house: House, office: Office, bridge: Bridge
) -> None:
    session = office.begin("decide")
    house.dismiss(house.opened()[0], "not now")
    assert json.loads(office.said(session)) == DISMISSED


def test_an_expired_question_and_an_expired_confirmation_are_no_answer(
    house: House, office: Office, beside: Callable[..., Bridge]
) -> None:
    beside(office.url, "--timeout", "1s")
    asking, deploying = office.begin("decide"), office.begin("deploy")
    assert json.loads(office.said(asking)) == EXPIRED
    told = "Nobody allowed this tool call in time"
    assert office.said(deploying) == f"{told} | {told}"
    assert office.done() == []


def test_confirmations_are_approvals(house: House, office: Office, bridge: Bridge) -> None:
    session = office.begin("deploy")
    first, second = sorted(house.opened(2), key=lambda ask: ask["action"]["input"])
    assert first["action"]["tool"] == "deploy"
    told = office.http.get("/agents/deploy").json()["tools"]["tools"]
    parameters = next(tool["parameters"] for tool in told if tool["name"] == "deploy")
    assert parameters["properties"]
    assert first["action"]["tool_schema"] == told_schema([parameters])
    assert json.loads(first["action"]["input"]) == {"target": "production"}
    house.allow(second, input='{"target": "staging"}')
    house.deny(first, note="never on a Friday")
    told = "The user denied this tool call: never on a Friday | deployed to staging"
    assert office.said(session) == told
    assert office.done() == ["deployed to staging"]


def test_user_input_is_a_form(house: House, office: Office, bridge: Bridge) -> None:
    session = office.begin("mail")
    [ask] = house.opened()
    fields = [(one["name"], one["kind"], one["required"]) for one in ask["form"]["fields"]]
    assert fields == [("to", "text", True), ("copies", "integer", True)]
    house.answer(ask, fields={"to": "ann", "copies": 2})
    assert office.said(session) == "sent"
    assert office.done() == ["mailed Hi to ann, 2 copies"]


@pytest.mark.skipif(
    find_spec("agno.tools.user_feedback") is None, reason="this Agno has no UserFeedbackTools"
)
def test_agnos_own_questions(house: House, office: Office, bridge: Bridge) -> None:
    session = office.begin("feedback")
    [ask] = house.opened()
    house.answer(ask, replies=[{"question": 0, "labels": ["Vue"], "other": "Svelte"}])
    said = '[{"question": "Which framework?", "selected": ["Vue", "Svelte"]}]'
    assert office.said(session) == f"User feedback received: {said}"


def test_wrong_questions_come_back_to_the_agent_and_nobody_is_asked(
    house: House, office: Office, bridge: Bridge
) -> None:
    session = office.begin("wrong")
    failed = {"error": "Must ask 1-4 questions, got 0", "status": "failed"}
    assert json.loads(office.said(session)) == failed
    assert house.asks() == house.asks("closed") == []


def test_two_runs_at_once_and_each_asks_twice(house: House, office: Office, bridge: Bridge) -> None:
    sessions = [office.begin("ask_twice") for _ in range(2)]
    labels = dict(zip(sessions, ["React", "Vue"], strict=True))
    seen = set()
    for _ in range(4):
        new = until(lambda: [one for one in house.asks() if one["id"] not in seen])
        seen.add(new[0]["id"])
        house.reply(new[0], [labels[new[0]["conversation"]["name"]]], None)
    for session, label in labels.items():
        twice = [json.loads(one)["answers"] for one in office.said(session).split(" | ")]
        assert twice == [{"Framework": [label], "Features": []}] * 2
    assert len(seen) == 4


def test_the_bridge_is_killed_while_somebody_is_asked(
    house: House, office: Office, bridge: Bridge
) -> None:
    before, after = office.begin("decide"), office.begin("decide")
    asks = {ask["conversation"]["name"]: ask for ask in house.opened(2)}
    bridge.kill()
    house.reply(asks[before], ["React"], None)
    bridge.start()
    assert json.loads(office.said(before)) == REACT
    assert [one["id"] for one in house.asks()] == [asks[after]["id"]]
    house.reply(asks[after], ["React"], None)
    assert json.loads(office.said(after)) == REACT
    until(lambda: len(house.asks("closed")) == 2)


def test_our_server_is_killed_while_somebody_is_asked(
    house: House, office: Office, bridge: Bridge
) -> None:
    session = office.begin("decide")
    [ask] = house.opened()
    house.kill()
    # This one pauses while there is nobody to ask.
    other = office.begin("decide")
    house.start()
    house.reply(ask, ["React"], None)
    assert json.loads(office.said(session)) == REACT
    house.dismiss(house.opened()[0], "not now")
    assert json.loads(office.said(other)) == DISMISSED


def test_the_agents_server_is_killed_while_somebody_is_asked(
    house: House, office: Office, bridge: Bridge
) -> None:
    session = office.begin("deploy")
    first, second = house.opened(2)
    office.kill()
    for ask in (first, second):
        house.allow(ask)
    office.start()
    told = sorted(office.said(session).split(" | "))
    assert told == ["deployed to production", "deployed to test"]
    confirmed(house, first)
    assert sorted(office.done()) == told


def test_what_is_answered_elsewhere_is_withdrawn(
    house: House, office: Office, bridge: Bridge
) -> None:
    session = office.begin("deploy")
    asks = house.opened(2)
    run = office.run(session)
    tools = [{**tool, "confirmed": False} for tool in run["tools"]]
    reply = office.http.post(
        f"/agents/deploy/runs/{run['run_id']}/continue",
        data={"tools": json.dumps(tools), "session_id": session, "stream": "false"},
    )
    assert reply.status_code == 200, reply.text
    for ask in asks:
        house.gone(ask)
        outcome = house.ask(ask["id"])["outcome"]
        assert outcome["kind"] == "withdrawn"
        assert outcome["note"] == "It was answered elsewhere, or its run has ended."
    assert office.done() == []


def message(house: House, agent: str, text: str) -> str:
    """Says something to an agent, once it is there; the conversation."""

    def known() -> Any:
        agents = house.person("GET", "/v1/agents")["agents"]
        return [one for one in agents if one["name"] == agent and one["connected"]]

    until(known)
    sent = house.person("POST", "/v1/conversations/new/messages", {"agent": agent, "text": text})
    return str(sent["conversation"]["id"])


def said(house: House, conversation: str) -> list[str]:
    """What the agent said, once its turn is over."""

    def idle() -> Any:
        there = house.person("GET", f"/v1/conversations/{conversation}/entries")
        texts = [one["text"] for one in there["entries"] if one["kind"] == "said"]
        return texts if there["turn"] == "idle" and texts else None

    return list(until(idle))


def test_what_is_said_to_the_agent_starts_a_run(
    house: House, office: Office, beside: Callable[..., Bridge]
) -> None:
    beside(f"{office.url}/decide/agui")
    conversation = message(house, "decide", "Help me choose")
    [ask] = house.opened()
    assert ask["conversation"]["id"] == conversation
    house.reply(ask, ["React"], None)
    paused, done = said(house, conversation)
    assert paused == "I have tools to execute, but I need user input."
    assert json.loads(done.removeprefix("Done: ")) == REACT
    # Our server comes back at another address, and the agent is there again.
    house.kill()
    house.start()
    conversation = message(house, "decide", "Help me again")
    [ask] = house.opened()
    house.dismiss(ask, "not now")
    assert json.loads(said(house, conversation)[-1].removeprefix("Done: ")) == DISMISSED


def test_a_second_bridge_and_a_wrong_address_are_refused(
    house: House, office: Office, bridge: Bridge, beside: Callable[..., Bridge]
) -> None:
    office.said(office.begin("wrong"))
    code, told = beside(office.url).refused()
    assert (code, "another bridge is already running for" in told) == (31, True)
    code, told = beside("http://127.0.0.1:1/agui").refused()
    assert (code, "start the agent's server" in told) == (20, True)


def test_a_locked_office_wants_its_key(
    house: House, tmp_path: Path, beside: Callable[..., Bridge]
) -> None:
    office = Office("agentos.py", tmp_path, "s3cret")
    try:
        for environment in ({}, {"SAYSO_AGUI_TOKEN": "wrong"}):
            code, told = beside(office.url, **environment).refused()
            assert (code, "set SAYSO_AGUI_TOKEN" in told) == (21, True)
        bridge = beside(office.url, SAYSO_AGUI_TOKEN="s3cret")
        session = office.begin("decide")
        house.dismiss(house.opened()[0], "not now")
        assert json.loads(office.said(session)) == DISMISSED
        assert "s3cret" not in bridge.stop()[1]
    finally:
        office.kill()


def test_the_lines_of_the_guide_do_what_they_say(
    house: House, office: Office, beside: Callable[..., Bridge]
) -> None:
    guide = (ROOT / "docs" / "agui.md").read_text("utf-8")
    lines = re.findall(r"^sayso bridge agui (\S+)", guide, re.MULTILINE)
    assert lines == ["http://127.0.0.1:7777", "http://127.0.0.1:7777/agui"]
    for line in lines:
        path = "/decide/agui" if line.endswith("/agui") else ""
        bridge = beside(office.url + path)
        session = office.begin("decide")
        house.dismiss(house.opened()[0], "not now")
        assert json.loads(office.said(session)) == DISMISSED
        code, told = bridge.stop()
        assert (code, "watching the AgentOS" in told) == (0, True)
        assert ("messages to decide go to" in told) is bool(path)


def test_agnos_interface_alone_is_answered_in_its_own_shape(
    house: House, endpoints: Office, beside: Callable[..., Bridge]
) -> None:
    bridge = beside(f"{endpoints.url}/decide/agui")
    conversation = message(house, "decide", "Help me choose")
    [ask] = house.opened()
    # Whoever comes next goes on with what was left.
    bridge.kill()
    house.reply(ask, ["React"], None)
    bridge.start()
    done = said(house, conversation)[-1]
    assert json.loads(done.split("Done: ")[-1]) == REACT
    confirmed(house, ask)


@pytest.mark.skipif(not hasattr(ag_ui.core, "Interrupt"), reason="this AG-UI has no interrupts")
@pytest.mark.parametrize("killed", ["nothing", "bridge", "server"])
def test_interrupts_are_resumed_all_at_once(
    house: House, endpoints: Office, beside: Callable[..., Bridge], killed: str
) -> None:
    bridge = beside(f"{endpoints.url}/interrupts", "--agent", "writer")
    conversation = message(house, "writer", "Send it")
    leave, place = sorted(house.opened(2), key=lambda ask: ask["matter"])
    assert (leave["action"]["tool"], leave["action"]["reason"]) == ("send", "Send email?")
    assert place["form"]["message"] == "Where?"
    house.allow(leave, input='{"to": "bob"}')
    if killed == "bridge":
        bridge.kill()
    elif killed == "server":
        endpoints.kill()
    if killed == "nothing":
        house.dismiss(place)
    else:
        house.answer(place, fields={"db": "Redis", "port": 6379})
    if killed == "bridge":
        bridge.start()
    elif killed == "server":
        endpoints.start()
    allowed = ["resolved", {"editedArgs": {"to": "bob"}, "approved": True}]
    where = (
        ["cancelled", None] if killed == "nothing" else ["resolved", {"db": "Redis", "port": 6379}]
    )
    resumed = {"leave": allowed, "place": where}
    text = said(house, conversation)[-1].removeprefix("Resumed ")
    payload, rest = json.JSONDecoder().raw_decode(text)
    assert payload == resumed
    assert text[rest:] == " ['user', 'assistant']"
