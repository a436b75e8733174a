"""What the tool takes and returns, as its document says, without Agno and without a server.

The sentences are the tool's own, because programs and their tests compare them; the vectors that
hold them are those of the server's Agno dialect.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import words

log = logging.getLogger("sayso.agno")

HEADER_CHARS_MAX = 12
QUESTIONS_MAX = 4
CHOICES_MIN, CHOICES_MAX = 2, 4
#: Nesting of JSON that is read: the tool needs 4; deeper input is an attack on the reader's stack.
DEPTH_MAX = 64
REQUIRED = ("question", "header", "options", "multiSelect")


@dataclass
class QuestionOption:
    """One option of a question."""

    label: str
    description: str


@dataclass
class Question:
    """One question of the tool."""

    question: str
    header: str
    options: list[QuestionOption]
    multi_select: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The question as it stands in ``questions_json``."""
        return {
            "question": self.question,
            "header": self.header,
            "options": [
                {"label": one.label, "description": one.description} for one in self.options
            ],
            "multiSelect": self.multi_select,
        }


def create_question(
    question: str,
    header: str,
    options: Sequence[Mapping[str, str] | QuestionOption],
    multi_select: bool = False,
) -> dict[str, Any]:
    """A question as a dictionary, to be put into a list and dumped as ``questions_json``.

    Nothing is checked here; the tool says what is wrong when it is called.
    """
    plain = [
        {"label": one.label, "description": one.description}
        if isinstance(one, QuestionOption)
        else dict(one)
        for one in options
    ]
    return {
        "question": question,
        "header": header,
        "options": plain,
        "multiSelect": multi_select,
    }


class Failure(ValueError):
    """The tool says no, in its own words."""


class _Object(dict[str, Any]):
    """An object of JSON that remembers a key it had twice."""

    twice: str | None = None


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    made = _Object()
    for key, value in pairs:
        if key in made and made.twice is None:
            made.twice = key
        made[key] = value
    return made


def _loads(text: str) -> Any:
    too_deep = ValueError(f"invalid JSON: nested deeper than {DEPTH_MAX} levels")
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise too_deep from None
    level = [value]
    for _ in range(DEPTH_MAX):
        inner: list[Any] = []
        for one in level:
            inner.extend(one if isinstance(one, list) else ())
            inner.extend(one.values() if isinstance(one, dict) else ())
        level = [one for one in inner if isinstance(one, (list, dict))]
        if not level:
            return value
    raise too_deep


def _whole(value: _Object) -> _Object:
    if value.twice is not None:
        raise ValueError(f"/{value.twice}: is a duplicate")
    return value


def read_questions(questions_json: Any) -> list[Question]:
    """The questions, checked; JSON in a string, or as plain values."""
    try:
        text = questions_json if isinstance(questions_json, str) else json.dumps(questions_json)
        given = _loads(text)
    except (ValueError, TypeError) as error:
        raise Failure(f"Invalid questions_json format: {error}") from error
    if not isinstance(given, list):
        raise Failure("questions_json must be a JSON array of question objects")
    if not 1 <= len(given) <= QUESTIONS_MAX:
        raise Failure(f"Must ask 1-4 questions, got {len(given)}")
    return [_question(index, one) for index, one in enumerate(given)]


def _question(index: int, given: Any) -> Question:
    # The tool's document prints this one sentence without the prefix of all the others.
    if not isinstance(given, _Object):
        raise Failure(f"Question {index} missing required fields")
    try:
        _whole(given)
        if any(key not in given for key in REQUIRED):
            raise Failure(f"Question {index} missing required fields")
        options = _options(index, given["options"])
        header = _typed(given["header"], str, "header", "a string")
        if len(header) > HEADER_CHARS_MAX:
            raise ValueError(f"Header '{header}' exceeds 12 character limit")
        if not CHOICES_MIN <= len(options) <= CHOICES_MAX:
            raise ValueError(f"Must have 2-4 options, got {len(options)}")
        text = _typed(given["question"], str, "question", "a string")
        many = _typed(given["multiSelect"], bool, "multiSelect", "true or false")
    except Failure:
        raise
    except ValueError as error:
        raise Failure(f"Error parsing question {index}: {error}") from error
    if not text.endswith("?"):
        log.warning("Question %d should end with '?': %s", index, text)
    return Question(text, header, options, many)


def _options(index: int, given: Any) -> list[QuestionOption]:
    made = []
    for one in _typed(given, list, "options", "a list"):
        if not isinstance(one, _Object) or "label" not in one or "description" not in one:
            raise ValueError(f"Option in question {index} missing 'label' or 'description'")
        _whole(one)
        label = _typed(one["label"], str, "label", "a string")
        made.append(
            QuestionOption(label, _typed(one["description"], str, "description", "a string"))
        )
    return made


def _typed(value: Any, kind: type[Any], key: str, expected: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"'{key}' must be {expected}")
    return value


def read_answers(user_answers: Any, questions: int) -> list[list[Any]]:
    """The values given for each question; what is no list becomes a list of one."""
    try:
        text = user_answers if isinstance(user_answers, str) else json.dumps(user_answers)
        given = _loads(text)
        if not isinstance(given, _Object):
            raise ValueError("expected an object with question_0, question_1 and so on")
        _whole(given)
    except (ValueError, TypeError) as error:
        raise Failure(f"Invalid user_answers format: {error}") from error
    found: list[list[Any]] = []
    for index in range(questions):
        key = f"question_{index}"
        if key not in given:
            log.warning("No answer for question %d", index)
            found.append([])
        else:
            value = given[key]
            found.append(value if isinstance(value, list) else [value])
    return found


def printed(result: Mapping[str, Any]) -> str:
    """As the tool prints what it returns."""
    return json.dumps(result, indent=2, ensure_ascii=False)


def completed(questions: Sequence[Question], values: Sequence[Sequence[Any]]) -> str:
    """The result: what was said, by header. Equal headers get numbers, so that none is lost."""
    answers: dict[str, list[Any]] = {}
    for question, said in zip(questions, values, strict=True):
        key, number = question.header, 2
        while key in answers:
            key, number = f"{question.header} ({number})", number + 1
        answers[key] = list(said)
    return printed({"answers": answers, "questions_asked": len(questions), "status": "completed"})


def awaiting(questions: Sequence[Question]) -> str:
    """What the tool returns while nobody has answered."""
    return printed(
        {
            "questions": [question.to_dict() for question in questions],
            "total_questions": len(questions),
            "status": "awaiting_user_input",
        }
    )


def failed(sentence: str) -> str:
    """What the tool returns when something is wrong."""
    return printed({"error": sentence, "status": "failed"})


def formatted(questions_json: Any, user_answers: Any) -> str:
    """The tool as a function: nobody is asked."""
    try:
        questions = read_questions(questions_json)
        if user_answers is None:
            return awaiting(questions)
        return completed(questions, read_answers(user_answers, len(questions)))
    except Failure as failure:
        return failed(str(failure))


def asked(questions: Sequence[Question]) -> list[words.Question]:
    """The questions as an ask."""
    return [
        words.Question(
            text=question.question,
            tag=question.header or None,
            pick="many" if question.multi_select else "one",
            choices=[words.Choice(one.label, one.description) for one in question.options],
        )
        for question in questions
    ]


def values(outcome: words.Answered, questions: int) -> list[list[str]]:
    """What was said to each question; nothing for one that was left out."""
    replies = [outcome.reply(index) for index in range(questions)]
    return [[] if reply is None else reply.values for reply in replies]


def unanswered(outcome: words.Outcome) -> str:
    """The sentence for an outcome that is no answer."""
    if isinstance(outcome, words.Dismissed):
        return _noted("The questions were dismissed", outcome.note)
    if isinstance(outcome, words.Expired):
        return "Nobody answered in time"
    if isinstance(outcome, words.Withdrawn):
        return _noted("The questions were withdrawn", outcome.note)
    return "The answer is not an answer to questions"


def _noted(sentence: str, note: str | None) -> str:
    return sentence if note is None else f"{sentence}: {note}"


def returned(outcome: words.Outcome, questions: Sequence[Question]) -> str:
    """What the tool returns once the ask has ended."""
    if isinstance(outcome, words.Answered):
        return completed(questions, values(outcome, len(questions)))
    return failed(unanswered(outcome))
