"""Which server is found, and which token goes where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sayso
from sayso._place import Place, address, find


def state(folder: Path, url: str = "http://127.0.0.1:7717") -> Path:
    folder.mkdir(parents=True)
    for name, text in (("server.json", json.dumps({"url": url})), ("agent.token", "local\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o600)
    return folder


def test_the_state_folder_is_named_or_found(tmp_path: Path) -> None:
    there = Place("http://127.0.0.1:7717", "local")
    home = {"HOME": str(tmp_path)}
    folder = state(tmp_path / ".local/state/sayso")
    assert find(None, None, None, home) == there
    assert find(None, None, folder, {}) == there
    assert find(None, None, None, {"SAYSO_STATE": str(folder)}) == there
    assert (
        find(
            None,
            None,
            None,
            {"XDG_STATE_HOME": str(tmp_path / ".local/state")} | {"HOME": "/nonexistent"},
        )
        == there
    )
    config = tmp_path / "sayso.toml"
    config.write_text(f'state = "{folder}"\nlisten = "127.0.0.1:1"\n')
    assert find(None, None, None, {"SAYSO_CONFIG": str(config)}) == there
    config.chmod(0o666)
    with pytest.raises(sayso.NotFound, match="other users can write"):
        find(None, None, None, {"SAYSO_CONFIG": str(config)})


def test_what_is_given_wins(tmp_path: Path) -> None:
    folder = state(tmp_path / "state")
    named = {"SAYSO_URL": "http://a:1", "SAYSO_TOKEN": "t", "SAYSO_STATE": str(folder)}
    assert find(None, None, None, named) == Place("http://a:1", "t")
    assert find("http://b:2", "u", None, named) == Place("http://b:2", "u")
    token_only = {"SAYSO_TOKEN": "t", "SAYSO_STATE": str(folder)}
    assert find(None, None, None, token_only) == Place("http://127.0.0.1:7717", "t")


def test_the_local_token_goes_only_to_its_own_server(tmp_path: Path) -> None:
    folder = {"SAYSO_STATE": str(state(tmp_path / "state"))}
    assert find("http://127.0.0.1:7717/", None, None, folder).token == "local"
    for other in ("http://127.0.0.1:7718", "https://127.0.0.1:7717", "http://example.com:7717"):
        with pytest.raises(sayso.NotFound, match="set SAYSO_TOKEN"):
            find(other, None, None, folder)


def test_a_token_that_others_could_read_or_plant_is_refused(tmp_path: Path) -> None:
    folder = state(tmp_path / "state")
    token = folder / "agent.token"
    token.chmod(0o640)
    with pytest.raises(sayso.NotFound, match="chmod 600"):
        find(None, None, folder, {})
    token.rename(folder / "other")
    token.symlink_to(folder / "other")
    with pytest.raises(sayso.NotFound, match="not a plain file"):
        find(None, None, folder, {})
    token.unlink()
    with pytest.raises(sayso.NotFound, match="no agent.token"):
        find(None, None, folder, {})
    (folder / "server.json").write_text("{")
    with pytest.raises(sayso.NotFound, match="writes a new file"):
        find(None, None, folder, {})


@pytest.mark.parametrize(
    "url", ["127.0.0.1:1", "ftp://a", "http://", "http://u:p@a", "http://a?t=1"]
)
def test_what_is_no_address_is_refused_without_its_secrets(url: str) -> None:
    with pytest.raises(sayso.NotFound) as refused:
        address(url)
    assert "u:p" not in str(refused.value)
    assert "t=1" not in str(refused.value)


def test_a_token_is_never_shown() -> None:
    assert "secret" not in repr(Place("http://a", "secret"))
