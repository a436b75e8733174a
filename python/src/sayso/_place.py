"""Where the server is and how to come in, found in the way the ``sayso`` command finds it.

A local token is only ever sent to the address in ``server.json``; any other address needs a token
of its own. Nothing is read from the working directory.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import NotFound

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: None of the files is ever longer than a page.
_BYTES_MAX = 256 * 1024


@dataclass(frozen=True)
class Place:
    """An address, the token for it, and the hash of the one certificate it may show."""

    url: str
    token: str
    certificate: str | None = None

    def __repr__(self) -> str:
        return f"Place(url={self.url!r})"


def find(
    url: str | None,
    token: str | None,
    state: str | os.PathLike[str] | None,
    environment: Mapping[str, str],
) -> Place:
    """The server to talk to. What is given wins over the environment, that over ``server.json``."""
    url = url or environment.get("SAYSO_URL") or None
    token = token or environment.get("SAYSO_TOKEN") or None
    if url is not None and token is not None:
        address(url)
        folder = None
    else:
        folder = Path(state) if state is not None else _state(environment)
    local = None if folder is None else _server_file(folder)
    if url is None and local is None:
        raise NotFound(
            f"no server is running for the state in {folder}",
            "start it with `sayso serve`, or set SAYSO_URL and SAYSO_TOKEN",
        )
    is_local = local is not None and (url is None or address(url) == address(local["url"]))
    if token is None:
        if not is_local or folder is None:
            raise NotFound(
                f"{url} is not the server of this state",
                "set SAYSO_TOKEN to a token of that server with the role agent",
            )
        token = _read_own(folder / "agent.token")
        if not token:
            raise NotFound(
                f"there is no agent.token in {folder}",
                "restart the server; it creates missing local tokens",
            )
    if local is not None and is_local:
        return Place(local["url"], token.strip(), local.get("certificate"))
    return Place(url or "", token.strip())


def address(url: str) -> tuple[str, str, int, str]:
    """An address in the one form in which two can be compared."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NotFound(f"`{parts.hostname}` does not look like http://127.0.0.1:7717")
    if parts.username is not None or parts.query:
        raise NotFound(
            f"the URL of {parts.hostname} contains a credential or a query",
            "pass the token separately",
        )
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return parts.scheme, parts.hostname, port, parts.path.rstrip("/")


def _state(environment: Mapping[str, str]) -> Path:
    named = environment.get("SAYSO_STATE") or _state_of_settings(environment)
    if named:
        return Path(named).absolute()
    return _folder(environment, "XDG_STATE_HOME", ".local/state") / "sayso"


def _state_of_settings(environment: Mapping[str, str]) -> str | None:
    named = environment.get("SAYSO_CONFIG")
    path = Path(named) if named else _folder(environment, "XDG_CONFIG_HOME", ".config")
    if not named:
        path = path / "sayso" / "sayso.toml"
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > _BYTES_MAX:
            raise NotFound(f"the settings {path} are not a valid settings file")
        if about.st_mode & 0o022 or about.st_uid not in (os.getuid(), 0):
            raise NotFound(
                f"other users can write to the settings in {path}", f"run `chmod go-w {path}`"
            )
        value = tomllib.loads(path.read_text("utf-8")).get("state")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise NotFound(f"cannot read the settings in {path}: {error}") from error
    return value if isinstance(value, str) else None


def _folder(environment: Mapping[str, str], name: str, fallback: str) -> Path:
    given = Path(environment.get(name) or "")
    if given.is_absolute():
        return given
    home = Path(environment.get("HOME") or "")
    if home.is_absolute():
        return home / fallback
    raise NotFound(f"neither HOME nor {name} is set", "set SAYSO_URL and SAYSO_TOKEN")


def _server_file(folder: Path) -> dict[str, Any] | None:
    path = folder / "server.json"
    text = _read_own(path)
    if text is None:
        return None
    try:
        read = json.loads(text)
        if isinstance(read, dict) and isinstance(read["url"], str):
            return read
    except (ValueError, KeyError):
        pass
    raise NotFound(f"{path} cannot be read", "restart the server; it writes a new file")


def _read_own(path: Path) -> str | None:
    """A small file that only we may have written and only we may read."""
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode):
            raise NotFound(f"{path} is not a plain file")
        if about.st_mode & 0o077:
            raise NotFound(f"other users can read or write {path}", f"run `chmod 600 {path}`")
        if about.st_uid != os.getuid():
            raise NotFound(f"{path} belongs to another user")
        if about.st_size > _BYTES_MAX:
            raise NotFound(f"{path} is too large")
        return path.read_text("utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise NotFound(f"cannot read {path}: {error}") from error


def workspace(cwd: str | None) -> tuple[str | None, str | None]:
    """Where the asker works, and the git root above it; only names of folders are looked at."""
    try:
        here = Path(cwd).absolute() if cwd else Path.cwd()
    except OSError:
        return None, None
    root = next((one for one in (here, *here.parents) if (one / ".git").exists()), here)
    return str(here), str(root)
