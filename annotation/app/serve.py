"""Build the app, and serve it until interrupted."""

from __future__ import annotations

import ipaddress
import socket
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import BenchwrightError

from .base.state import AppState, set_current

if TYPE_CHECKING:
    import streamlit as st

    from .security.connections import ConnectionLimits, Network

SCRIPT = Path(__file__).parent / "script" / "screen.py"
_MOST_SENT_BYTES = 8 * 1024 * 1024
"""Maximum size in bytes of a browser's websocket message; photographs and drafts use separate routes."""
_PAGES_AFTER_S = 3
"""Seconds for which a new server answers requests before it imports its pages."""
SWITCH_S = 0.0005
"""Seconds that one thread may keep the others waiting. Short, so that a thread that holds the store's lock resumes
at once after each statement.
"""


def build_app(state: AppState) -> st.App:
    """Return the ASGI app: middleware, the app's own routes, and Streamlit for all other paths."""
    import streamlit as st
    from starlette.middleware import Middleware

    from .api.api_routes import api_routes
    from .auth.known_pages import KnownPages
    from .auth.login import login_routes
    from .auth.middleware import ACCOUNT, LANGUAGE, SessionMiddleware
    from .auth.oidc import oidc_routes
    from .auth.page_language import language_route
    from .building.build_routes import build_routes
    from .campaign_pages.agreement_routes import agreement_routes
    from .campaign_pages.connection_routes import connection_routes
    from .campaign_pages.guidelines_routes import guidelines_page_routes
    from .campaign_pages.reason_routes import reason_routes
    from .cockpit.rule_routes import rule_routes
    from .cockpit.threshold_routes import threshold_routes
    from .entry.entry_routes import entry_routes
    from .item_list.list_routes import item_list_routes
    from .item_pages.one_item_routes import one_item_routes
    from .new_benchmark.dialogue_routes import new_benchmark_routes
    from .own_pages.job_news import job_routes
    from .own_pages.shell import own_page_routes
    from .people_pages.annotator_routes import annotator_routes
    from .people_pages.flag_routes import flag_routes
    from .people_pages.message_routes import message_routes
    from .people_pages.people_routes import people_routes
    from .publishing.publish_routes import publish_routes
    from .recipe_page.recipe_routes import recipe_routes
    from .routes.downloads import download_routes
    from .routes.field_examples import field_example_routes
    from .routes.guidelines import guideline_routes
    from .routes.other_pictures import other_picture_routes
    from .routes.photographs import photograph_routes
    from .routes.practice import practice_routes
    from .routes.record_pictures import record_picture_routes
    from .routes.regions import region_routes
    from .routes.tasks import task_routes
    from .sending.sending_routes import sending_routes
    from .work_pages.discussion_routes import discussion_routes
    from .work_pages.history_routes import history_routes
    from .workbench.work_routes import work_routes

    set_current(state)
    return st.App(
        SCRIPT,
        routes=[
            *login_routes(state),
            *oidc_routes(state),
            language_route(state, LANGUAGE, ACCOUNT),
            *entry_routes(state),
            *task_routes(state),
            *region_routes(state),
            *work_routes(state),
            *photograph_routes(state),
            *other_picture_routes(state),
            *practice_routes(state),
            *record_picture_routes(state),
            *guideline_routes(state),
            *field_example_routes(state),
            *download_routes(state),
            *own_page_routes(),
            *job_routes(state),
            *item_list_routes(state),
            *new_benchmark_routes(state),
            *recipe_routes(state),
            *publish_routes(state),
            *build_routes(state),
            *people_routes(state),
            *annotator_routes(state),
            *flag_routes(state),
            *message_routes(state),
            *guidelines_page_routes(state),
            *reason_routes(state),
            *agreement_routes(state),
            *rule_routes(state),
            *threshold_routes(state),
            *connection_routes(state),
            *sending_routes(state),
            *history_routes(state),
            *discussion_routes(state),
            *one_item_routes(state),
            *api_routes(state),
        ],
        middleware=[Middleware(SessionMiddleware, state=state), Middleware(KnownPages)],
        lifespan=partial(_while_serving, state),
    )


def run_app(
    state: AppState,
    *,
    address: str,
    port: int,
    trusted_proxies: tuple[Network, ...] = (),
    limits: ConnectionLimits | None = None,
) -> None:
    """Serve the app on an address until interrupted.

    Args:
        state: State of the app.
        address: IP address to listen on.
        port: Port to listen on.
        trusted_proxies: Proxies whose `X-Forwarded-For` header the app trusts; default none.
        limits: Limits on connections; default `ConnectionLimits()`.

    Raises:
        BenchwrightError: The server cannot listen on the address.
    """
    import uvicorn
    from streamlit.web import bootstrap

    from .security.connections import ConnectionLimits, served_within, with_more_files

    check_free(address, port)
    app = build_app(state)
    sys.setswitchinterval(SWITCH_S)
    # Like Streamlit's `App.run`, but with a bounded protocol and trust in the named proxies only.
    bootstrap.load_config_options(_config(address, port))
    uvicorn.run(
        app,
        host=address,
        port=port,
        **served_within(with_more_files(limits or ConnectionLimits()), trusted_proxies),
        ws_max_size=_MOST_SENT_BYTES,
        ws_per_message_deflate=True,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=[str(network) for network in trusted_proxies],
        use_colors=False,
        access_log=False,
    )


@asynccontextmanager
async def _while_serving(state: AppState, _app: st.App) -> AsyncIterator[None]:
    """Send webhooks, and import the first page's modules while the first visitor reads the sign-in page."""
    from ..webhooks.sending import WebhookSender

    warming = threading.Timer(_PAGES_AFTER_S, import_module, ["benchwright.annotation.app.frame"])
    warming.daemon = True
    warming.start()
    sender = WebhookSender(state.store, allow_private=state.private_webhooks)
    sender.start()
    yield
    sender.stop()


def check_free(address: str, port: int) -> None:
    """Check that the server can listen on a port.

    Raises:
        BenchwrightError: The server cannot listen on the port; the message states the reason.
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
    """Return whether an address can be reached only from this machine."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _config(address: str, port: int) -> dict[str, Any]:
    """Return Streamlit's settings: no telemetry, no developer tools, small uploads, little output."""
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
        # A full garbage collection after each page run takes about 70 ms and blocks all other pages.
        "runner.postScriptGC": False,
        "theme.light.primaryColor": "#1d4ed8",
        "theme.dark.primaryColor": "#8fb4ff",
    }
