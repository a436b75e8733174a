"""sayso for Agno: the tool ``ask_user_question``, and a runner that brings pauses to a person."""

from ._contract import Question, QuestionOption, create_question
from ._run import arun, run
from ._tool import ask_user_question, durable, durable_async

__all__ = [
    "Question",
    "QuestionOption",
    "arun",
    "ask_user_question",
    "create_question",
    "durable",
    "durable_async",
    "run",
]
