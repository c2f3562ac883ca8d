"""Put the app together, and serve it until somebody stops it."""

from __future__ import annotations

import gc
import ipaddress
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import BenchwrightError

from .site import Site, serve_from

if TYPE_CHECKING:
    import streamlit as st

SCRIPT = Path(__file__).with_name("screen.py")
SWITCH_S = 0.0005
"""How long one thread keeps the others waiting: whoever holds the store's lock goes on after each statement at once."""


def build_app(site: Site) -> st.App:
    """Return the ASGI app of a site: the doors, the gate, and Streamlit behind it."""
    import streamlit as st
    from starlette.middleware import Middleware

    from .doors import door_routes
    from .gate import Gate
    from .guidelines import guideline_routes
    from .oidc_doors import oidc_routes
    from .photograph_routes import photograph_routes
    from .task_routes import task_routes

    serve_from(site)
    return st.App(
        SCRIPT,
        routes=[
            *door_routes(site), *oidc_routes(site), *task_routes(site), *photograph_routes(site),
            *guideline_routes(site),
        ],
        middleware=[Middleware(Gate, site=site)],
    )  # fmt: skip


def run_app(site: Site, *, address: str, port: int) -> None:
    """Serve a site on an address until interrupted.

    Raises:
        BenchwrightError: The address cannot be listened on.
    """
    check_free(address, port)
    app = build_app(site)
    _settle()
    app.run(config=_config(address, port))


def _settle() -> None:
    """Load what the first visitor would wait for, and spare the garbage collector from going through it ever again."""
    from . import frame
    from .static_files import preloads

    del frame
    preloads()
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()


def check_free(address: str, port: int) -> None:
    """Check that a port can be listened on.

    Raises:
        BenchwrightError: It cannot; the message says why.
    """
    try:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        raise BenchwrightError(
            f"cannot listen on {address} port {port}: {error.strerror or error}; give another --port or --address"
        ) from error


def is_loopback(address: str) -> bool:
    """Return whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _config(address: str, port: int) -> dict[str, Any]:
    """Return Streamlit's settings: quiet, no data to its makers, no developer's tools, small uploads."""
    return {
        "server.address": address,
        "server.port": port,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.runOnSave": False,
        "server.maxUploadSize": 1,
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "client.showSidebarNavigation": True,
        "logger.hideWelcomeMessage": True,
        "logger.level": "warning",
        "runner.magicEnabled": False,
        # Collecting after each run went through every object there is: three quarters of the time of a decision.
        "runner.postScriptGC": False,
        "theme.light.primaryColor": "#1d4ed8",
        "theme.dark.primaryColor": "#8fb4ff",
    }
