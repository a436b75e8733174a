"""Whose certificate an ``https`` server may show. Nothing here can switch the check off."""

from __future__ import annotations

import hashlib
import ssl

from ._place import Place, address
from .errors import Unreachable


def context(place: Place) -> ssl.SSLContext:
    """What a connection to this place trusts.

    A server of our own is known by the hash of its certificate: the certificate is fetched, held
    against the hash, and then is the only one that a connection accepts.
    """
    scheme, host, port, _ = address(place.url)
    if scheme == "http":
        # Never used; made without the roots, which take longer to read than a call takes.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if place.certificate is None:
        return ssl.create_default_context()
    try:
        shown = ssl.get_server_certificate((host, port), timeout=2)
    except OSError as error:
        raise Unreachable(f"cannot reach the server at {place.url}: {error}") from error
    if hashlib.sha256(ssl.PEM_cert_to_DER_cert(shown)).hexdigest() != place.certificate.lower():
        raise Unreachable(f"the server at {place.url} has a different certificate than server.json")
    pinned = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The hash says more than a name in it could.
    pinned.check_hostname = False
    pinned.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    pinned.load_verify_locations(cadata=shown)
    return pinned
