"""The tool's document gone through from top to bottom, with our module in place of its own."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest

from scripted import Scripted

pytest.importorskip("agno")

from agno.agent import Agent
from agno.models.openai import OpenAIChat

import sayso.agno


@pytest.fixture(autouse=True)
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGNO_TELEMETRY", "false")
    for name in ("src", "src.tools"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "src.tools.ask_user_question", sayso.agno)


def asking(questions: list[dict[str, Any]]) -> Any:
    """A scripted model in place of the one that needs a key."""
    call = ("ask_user_question", {"questions_json": json.dumps(questions)})
    script = Scripted([call])
    return OpenAIChat(id="gpt-4o-mini", base_url=script.url, api_key="none")


def options(*labels: str) -> list[dict[str, str]]:
    return [{"label": label, "description": f"About {label}"} for label in labels]


def test_basic_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    from src.tools.ask_user_question import ask_user_question, create_question  # type: ignore

    questions = [
        create_question(
            question="Which framework should we use?",
            header="Framework",
            options=[
                {"label": "React", "description": "Popular UI library"},
                {"label": "Vue", "description": "Progressive framework"},
            ],
            multi_select=False,
        )
    ]
    agent = Agent(
        name="DecisionAgent",
        model=asking(questions),
        tools=[ask_user_question],
        instructions=["When you need user input, use the ask_user_question tool."],
        telemetry=False,
    )
    run_response = agent.run("Help me choose a framework")
    assert run_response.is_paused
    prompts: list[str] = []

    def typed(prompt: str) -> str:
        prompts.append(prompt)
        return '{"question_0": ["Vue"]}'

    monkeypatch.setattr("builtins.input", typed)
    for tool in run_response.tools_requiring_user_input:
        input_schema = tool.user_input_schema
        for field in input_schema:
            if field.value is None:
                user_value = input(f"{field.description}: ")
                field.value = user_value
    assert prompts == ["Filled in by the user, never by the agent.: "]
    run_response = agent.continue_run(run_response=run_response)
    assert not run_response.is_paused
    [result] = [json.loads(one.content) for one in run_response.messages if one.role == "tool"]
    assert result == {
        "answers": {"Framework": ["Vue"]},
        "questions_asked": 1,
        "status": "completed",
    }


def test_example_1_single_choice() -> None:
    from src.tools.ask_user_question import ask_user_question, create_question

    labels = options("Tailwind CSS", "Material-UI", "Bootstrap")
    questions = [
        create_question(
            question="Which CSS framework should we use?",
            header="Styling",
            options=labels,
            multi_select=False,
        )
    ]
    result = ask_user_question.entrypoint(questions_json=json.dumps(questions))
    assert json.loads(result) == {
        "questions": questions,
        "total_questions": 1,
        "status": "awaiting_user_input",
    }
    final_result = ask_user_question.entrypoint(
        questions_json=json.dumps(questions),
        user_answers=json.dumps({"question_0": ["Tailwind CSS"]}),
    )
    assert json.loads(final_result) == {
        "answers": {"Styling": ["Tailwind CSS"]},
        "questions_asked": 1,
        "status": "completed",
    }
    # The same tool as a function.
    assert ask_user_question(json.dumps(questions)) == result


def test_example_2_multiple_choice() -> None:
    from src.tools.ask_user_question import ask_user_question, create_question

    questions = [
        create_question(
            question="Which features do you want to enable?",
            header="Features",
            options=options("Dark mode", "Analytics", "i18n", "PWA"),
            multi_select=True,
        )
    ]
    final_result = ask_user_question.entrypoint(
        questions_json=json.dumps(questions),
        user_answers=json.dumps({"question_0": ["Dark mode", "Analytics", "PWA"]}),
    )
    assert json.loads(final_result)["answers"] == {"Features": ["Dark mode", "Analytics", "PWA"]}


def test_example_3_multiple_questions_with_one_choice_as_the_default() -> None:
    from src.tools.ask_user_question import ask_user_question, create_question

    questions = [
        create_question(
            question="Which framework?", header="Framework", options=options("React", "Vue")
        ),
        create_question(
            question="Which state management?",
            header="State mgmt",
            options=options("Redux", "Zustand"),
        ),
    ]
    assert [one["multiSelect"] for one in questions] == [False, False]
    final_result = ask_user_question.entrypoint(
        questions_json=json.dumps(questions),
        user_answers=json.dumps({"question_0": ["React"], "question_1": ["Zustand"]}),
    )
    assert json.loads(final_result) == {
        "answers": {"Framework": ["React"], "State mgmt": ["Zustand"]},
        "questions_asked": 2,
        "status": "completed",
    }


def test_example_4_an_agent_that_is_continued() -> None:
    from src.tools.ask_user_question import ask_user_question, create_question

    questions = [create_question("Which framework?", "Framework", options("React", "Vue"))]
    agent = Agent(
        name="SetupAssistant",
        model=asking(questions),
        tools=[ask_user_question],
        instructions=[
            "Help users set up their projects.",
            "Ask about their technology preferences using ask_user_question.",
        ],
        telemetry=False,
    )
    run_response = agent.run("Help me set up a new web project")
    assert run_response.is_paused
    for tool in run_response.tools_requiring_user_input:
        # Process user input...
        assert tool.tool_name == "ask_user_question"
    run_response = agent.continue_run(run_response=run_response)
    assert not run_response.is_paused
    # Nobody filled anything in, and the tool says so.
    [result] = [json.loads(one.content) for one in run_response.messages if one.role == "tool"]
    assert result["status"] == "awaiting_user_input"


def test_the_formats() -> None:
    from src.tools.ask_user_question import ask_user_question

    methods = options("JWT", "OAuth 2.0", "Session")
    authentication = {
        "question": "Which authentication method should we use?",
        "header": "Auth method",
        "multiSelect": False,
        "options": methods,
    }
    features = {
        "question": "Which features?",
        "header": "Features",
        "multiSelect": True,
        "options": options("Dark mode", "Analytics"),
    }
    answers = {"question_0": ["JWT"], "question_1": ["Dark mode", "Analytics"]}
    result = ask_user_question.entrypoint(
        questions_json=json.dumps([authentication, features]), user_answers=json.dumps(answers)
    )
    assert json.loads(result) == {
        "answers": {"Auth method": ["JWT"], "Features": ["Dark mode", "Analytics"]},
        "questions_asked": 2,
        "status": "completed",
    }


def test_validation_rules(caplog: pytest.LogCaptureFixture) -> None:
    from src.tools.ask_user_question import ask_user_question, create_question

    def said(question: str = "Which?", header: str = "H", count: int = 2) -> dict[str, Any]:
        choices = options(*(f"{number}" for number in range(count)))
        asked = [create_question(question, header, choices)]
        return dict(json.loads(ask_user_question.entrypoint(questions_json=json.dumps(asked))))

    longest = "x" * 12
    assert said(header=longest)["status"] == "awaiting_user_input"
    assert said(header=longest + "x")["error"] == (
        f"Error parsing question 0: Header '{longest}x' exceeds 12 character limit"
    )
    assert [said(count=count)["status"] for count in (2, 3, 4)] == ["awaiting_user_input"] * 3
    for count in (1, 5):
        wrong = f"Error parsing question 0: Must have 2-4 options, got {count}"
        assert said(count=count) == {"error": wrong, "status": "failed"}
    assert not caplog.records
    assert said(question="Choose one")["status"] == "awaiting_user_input"
    [warning] = caplog.records
    assert warning.levelname == "WARNING"
    assert "should end with '?'" in warning.getMessage()


def test_error_handling() -> None:
    from src.tools.ask_user_question import ask_user_question, create_question

    result = json.loads(ask_user_question.entrypoint(questions_json="invalid json"))
    assert result["status"] == "failed"
    assert result["error"].startswith("Invalid questions_json format: ")
    five = [create_question("Which?", "H", options("a", "b"))] * 5
    result = json.loads(ask_user_question.entrypoint(questions_json=json.dumps(five)))
    assert result == {"error": "Must ask 1-4 questions, got 5", "status": "failed"}
    questions = [{"question": "Test?"}]
    result = json.loads(ask_user_question.entrypoint(questions_json=json.dumps(questions)))
    assert result == {"error": "Question 0 missing required fields", "status": "failed"}


def test_architecture() -> None:
    from src.tools.ask_user_question import Question, QuestionOption, ask_user_question

    assert ask_user_question.name == "ask_user_question"
    assert ask_user_question.requires_user_input is True
    assert list(QuestionOption.__dataclass_fields__) == ["label", "description"]
    assert list(Question.__dataclass_fields__) == ["question", "header", "options", "multi_select"]


def test_the_model_sees_the_questions_and_never_the_answers() -> None:
    from src.tools.ask_user_question import ask_user_question

    seen: list[Any] = []
    script = Scripted()
    completion = script.completion
    script.completion = lambda body: seen.append(body) or completion(body)  # type: ignore
    model = OpenAIChat(id="gpt-4o-mini", base_url=script.url, api_key="none")
    Agent(model=model, tools=[ask_user_question], telemetry=False).run("Help")
    [tool] = seen[0]["tools"]
    assert tool["function"]["name"] == "ask_user_question"
    parameters = tool["function"]["parameters"]
    assert list(parameters["properties"]) == ["questions_json"]
    assert parameters["properties"]["questions_json"]["type"] == "string"
    assert parameters["required"] == ["questions_json"]
    assert "1-4 questions" in tool["function"]["description"]
