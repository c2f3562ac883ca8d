"""Addresses on this machine, which clients contact directly: a proxy in the environment is for other machines.

Every client in the package takes its settings from this module. `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY` therefore
do not affect a server on this machine, nor require proxy packages (SOCKS) for it, unless the environment requests that.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from benchwright.errors import PrerequisiteError

PROXY_VARIABLES = frozenset({"http_proxy", "https_proxy", "all_proxy"})
"""Environment variables that name proxies, in lower case."""
PROXY_HERE = "BENCHWRIGHT_PROXY_THIS_MACHINE"
"""Variable that, if set to 1, routes requests to this machine's servers through the environment's proxies as well."""


def is_this_machine(host: str) -> bool:
    """Return whether a host name or address denotes this machine, without looking up any name.

    Example:
        >>> [is_this_machine(host) for host in ("localhost", "127.0.0.2", "::1", "models.example")]
        [True, True, True, False]
    """
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or address.is_unspecified or (mapped is not None and mapped.is_loopback)


def client_settings(url: str) -> dict[str, Any]:
    """Return the settings with which an HTTP client (httpx, httpx2) contacts an address on this machine directly.

    The settings are empty for other machines, and if `PROXY_HERE` is 1; the client then takes proxies from the
    environment. Certificates that the environment names (`SSL_CERT_FILE`) apply in either case.
    """
    address = urlsplit(url)
    if not is_this_machine(address.hostname or "") or os.environ.get(PROXY_HERE) == "1":
        return {}
    if address.scheme != "https":
        return {"trust_env": False}
    import httpx2

    return {"trust_env": False, "verify": httpx2.create_ssl_context()}


@contextmanager
def naming_proxies(url: str) -> Iterator[None]:
    """Convert the error of a client that cannot use a proxy from the environment into a readable error.

    Raises:
        PrerequisiteError: The environment names a proxy that the client cannot use.
    """
    try:
        yield
    except (ImportError, ValueError) as error:
        if "proxy" not in str(error).lower():
            raise
        raise PrerequisiteError(
            f"{urlsplit(url).hostname} cannot be reached through the proxy that ALL_PROXY, HTTP_PROXY or HTTPS_PROXY "
            f"names ({str(error).splitlines()[0]}); for SOCKS, pip install socksio, or name the host in NO_PROXY and "
            "an HTTP proxy in these variables"
        ) from error
