"""An Agno agent whose questions go to the page through sayso; its model is a script, so no key is needed.

    PYTHONPATH=python/src:python/examples SAYSO_TOKEN=... SAYSO_URL=http://127.0.0.1:7717 \
        python3 examples/copilotkit/agno_agent.py
"""

import json

from agno.agent import Agent
from agno.models.openai import OpenAIChat
from scripted import Scripted

import sayso.agno
from sayso.agno import create_question

CHOICES = [
    {"label": "Redis", "description": "In memory"},
    {"label": "SQLite", "description": "One file"},
]
questions = [
    create_question("Which store?", "Store", CHOICES),
    create_question("Which parts?", "Parts", CHOICES, multi_select=True),
]
model = Scripted([("ask_user_question", {"questions_json": json.dumps(questions)})])
agent = Agent(
    model=OpenAIChat(id="scripted", base_url=model.url, api_key="none"),
    tools=[sayso.agno.durable(conversation="shop", timeout=3600)],
    telemetry=False,
)
print(agent.run("Set up the store").content.removeprefix("Done: "))
