"""Ask a person a question or request approval, and continue with the answer.

``ask``, ``approve`` and ``form`` block; ``ask_async``, ``approve_async`` and ``form_async`` are
awaited. All of them use the server that the ``sayso`` command would use; a ``Server`` names
another.
"""

from .errors import BadReply, Cut, Erased, NotFound, Refused, SaysoError, Unreachable
from .server import Server
from .words import (
    Act,
    Allowed,
    Answered,
    ApproveOutcome,
    AskOutcome,
    By,
    Choice,
    Denied,
    Dismissed,
    Expired,
    Field,
    FieldChoice,
    Filled,
    FormOutcome,
    Question,
    Reply,
    Withdrawn,
)

__version__ = "0.1.0"

__all__ = [
    "Act",
    "Allowed",
    "Answered",
    "ApproveOutcome",
    "AskOutcome",
    "BadReply",
    "By",
    "Choice",
    "Cut",
    "Denied",
    "Dismissed",
    "Erased",
    "Expired",
    "Field",
    "FieldChoice",
    "Filled",
    "FormOutcome",
    "NotFound",
    "Question",
    "Refused",
    "Reply",
    "SaysoError",
    "Server",
    "Unreachable",
    "Withdrawn",
    "approve",
    "approve_async",
    "ask",
    "ask_async",
    "form",
    "form_async",
]

_server = Server()

ask = _server.ask
ask_async = _server.ask_async
approve = _server.approve
approve_async = _server.approve_async
form = _server.form
form_async = _server.form_async
