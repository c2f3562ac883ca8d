"""Allowed webhook addresses: only public internet addresses, unless a setting allows others.

A server that sends to arbitrary addresses could be made to reach private ones: its own machine, the network behind it,
or a cloud's metadata service. A name is looked up at the time of sending, all its addresses are checked, and the
request goes to a checked address, so that the name cannot resolve differently in between.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from benchwright.errors import BenchwrightError

_LONGEST = 2000
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Target(NamedTuple):
    """The target of a request.

    Args:
        scheme: `https`, or `http`.
        host: Name, as the address states it.
        port: Port.
        path: Path and query.
    """

    scheme: str
    host: str
    port: int
    path: str


def target_of(url: str, *, allow_private: bool) -> Target:
    """Return the target of a webhook's address, after checking the form of the address and any IP address in it.

    Args:
        url: Address from a curator.
        allow_private: Whether it may be in a private network or on this machine, and use plain HTTP.

    Raises:
        BenchwrightError: Sending there is impossible or forbidden; the message gives the reason.
    """
    shown = f"webhook address {url[:200]!r}"
    if len(url) > _LONGEST or not url.isascii() or not url.isprintable() or " " in url:
        raise BenchwrightError(f"{shown}: expected at most {_LONGEST} printable ASCII characters without spaces")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BenchwrightError(f"{shown} is not an address: {error}") from None
    if parts.scheme not in {"https", "http"} or not parts.hostname:
        raise BenchwrightError(f"{shown}: expected https://HOST/PATH")
    if parts.scheme == "http" and not allow_private:
        raise BenchwrightError(f"{shown}: events hold people's decisions, so they need https")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise BenchwrightError(f"{shown}: leave out user, password and fragment; the signature says whose it is")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    target = Target(parts.scheme, parts.hostname, port or (443 if parts.scheme == "https" else 80), path)
    try:
        stated = ipaddress.ip_address(target.host)
    except ValueError:
        return target
    if not allow_private and not is_public(stated):
        raise BenchwrightError(
            f"{shown}: {stated} is not on a public network; `review serve --private-webhooks` allows it"
        )
    return target


def resolved(target: Target, *, allow_private: bool) -> str:
    """Return the IP address to which to send.

    Raises:
        BenchwrightError: The name is not found, or one of its addresses is not public.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise BenchwrightError(f"host {target.host!r} was not found: {error}") from None
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    for address in addresses:
        if not allow_private and not is_public(address):
            raise BenchwrightError(f"host {target.host!r} resolves to {address}, which is not on a public network")
    return str(addresses[0])


def is_public(address: Address) -> bool:
    """Return whether an address is public; an IPv6 address that represents an IPv4 address is judged as the latter."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast and not address.is_reserved
