"""A real AgentOS on loopback with scripted agents, as a process that can be killed.

    python agentos.py FOLDER PORT

Each agent pauses for one thing that Agno knows; what its tools did is written to `done` in the
folder, so that a test sees what was really carried out. The database is in the folder too.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import uvicorn
from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.openai import OpenAIChat
from agno.os import AgentOS
from agno.os.interfaces.agui import AGUI
from agno.tools import tool

from sayso.agno import ask_user_question, create_question
from scripted import Call, Scripted

try:
    from agno.tools.user_feedback import UserFeedbackTools
except ImportError:
    UserFeedbackTools = None

CHOICES = [
    {"label": "React", "description": "Popular UI library"},
    {"label": "Vue", "description": "Progressive framework"},
]
FEATURES = [
    {"label": "Dark mode", "description": "d"},
    {"label": "i18n, l10n", "description": "i"},
]
QUESTIONS = [
    create_question("Which framework should we use?", "Framework", CHOICES),
    create_question("Which features?", "Features", FEATURES, multi_select=True),
]
FEEDBACK = {
    "question": "Which framework?",
    "header": "Framework",
    "options": [{"label": "React"}, {"label": "Vue", "description": "Progressive"}],
    "multi_select": True,
}


def agents(folder: Path) -> list[Agent]:
    def done(what: str) -> None:
        with (folder / "done").open("a") as file:
            file.write(f"{what}\n")

    @tool(requires_confirmation=True)
    def deploy(target: str) -> str:
        """Deploys.

        Args:
            target: Where to.
        """
        done(f"deployed to {target}")
        return f"deployed to {target}"

    @tool(requires_user_input=True, user_input_fields=["to", "copies"])
    def mail(subject: str, to: str, copies: int) -> str:
        """Sends a mail.

        Args:
            subject: What about.
            to: Whom to send it to.
            copies: How many.
        """
        done(f"mailed {subject} to {to}, {copies!r} copies")
        return "sent"

    ask = ("ask_user_question", {"questions_json": json.dumps(QUESTIONS)})
    wanted: dict[str, tuple[list[Any], list[list[Call]]]] = {
        "decide": ([ask_user_question], [[ask]]),
        "ask_twice": ([ask_user_question], [[ask], [ask]]),
        "deploy": (
            [deploy],
            [[("deploy", {"target": "production"}), ("deploy", {"target": "test"})]],
        ),
        "mail": ([mail], [[("mail", {"subject": "Hi"})]]),
        "wrong": ([ask_user_question], [[("ask_user_question", {"questions_json": "[]"})]]),
    }
    if UserFeedbackTools is not None:
        wanted["feedback"] = ([UserFeedbackTools()], [[("ask_user", {"questions": [FEEDBACK]})]])
    db = SqliteDb(db_file=str(folder / "agno.db"))
    return [
        Agent(
            id=name,
            name=name,
            model=OpenAIChat(id="scripted", base_url=Scripted(*turns).url, api_key="none"),
            tools=tools,
            db=db,
            telemetry=False,
        )
        for name, (tools, turns) in wanted.items()
    ]


def main(folder: Path, port: int) -> None:
    made = agents(folder)
    interfaces = [AGUI(agent=one, prefix=f"/{one.id}") for one in made]
    app = AgentOS(id="office", agents=made, interfaces=interfaces, telemetry=False).get_app()
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
