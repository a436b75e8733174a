"""A server of our own that speaks TLS is known by its certificate, and by nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import sayso
from house import Aside, House


def certificate(folder: Path) -> dict[str, str]:
    folder.mkdir()
    key, cert = folder / "key.pem", folder / "cert.pem"
    made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    place = ["-subj", "/CN=elsewhere", "-days", "2", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(["openssl", "req", *made, *place], check=True, capture_output=True)
    return {"SAYSO_TLS_CERT": str(cert), "SAYSO_TLS_KEY": str(key)}


def test_the_certificate_of_the_server_file_is_trusted_and_no_other(tmp_path: Path) -> None:
    house = House(tmp_path / "state", **certificate(tmp_path / "one"))
    try:
        assert house.file()["url"].startswith("https://")
        asking = Aside(lambda: house.here().ask("Deploy?", ["Yes", "No"]))
        house.reply(house.opened()[0], ["Yes"])
        assert asking.result().text == "Yes"
        file = house.state / "server.json"
        told = json.loads(file.read_text())
        for wrong in ({"certificate": "0" * 64}, {"certificate": None}):
            file.write_text(json.dumps({**told, **wrong}))
            with pytest.raises(sayso.Unreachable, match="certificate"):
                house.here().ask("Deploy?")
    finally:
        house.stop()
