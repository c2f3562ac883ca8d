"""A proxy in the environment never comes between a client of the package and a server on this machine.

Facts held here: models, sign-in, published releases and pictures by address reach this machine directly, whatever
proxy the environment names, and for SOCKS without its requirements; other machines are reached through it; an unusable
one is named. Label Studio's client is held to it in `tests/label_studio`.
"""

from __future__ import annotations

import os

import pytest
from chat_server import ChatServer
from hub_server import WRITER, running_hub

from benchwright.annotation.app.security.identity_provider import IdentityProvider, ProviderSettings
from benchwright.errors import PrerequisiteError
from benchwright.machine.this_machine import is_this_machine
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.endpoint import Endpoint
from benchwright.models.endpoints.vendors.failures import ModelAddress
from benchwright.release.format.fetch_pictures import _opener

HERE = ["localhost", "LOCALHOST.", "me.localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]"]
ELSEWHERE = ["models.example", "localhost.example", "10.0.0.1", "192.168.1.1", "2001:db8::1", "127.0.0.1.example", ""]


@pytest.fixture(params=["http://127.0.0.1:9", "socks5://127.0.0.1:9"])
def proxied(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """An environment whose every proxy leads nowhere."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, request.param)
    return str(request.param)


def has_proxies(host: str) -> bool:
    return any("ProxyHandler" in type(handler).__name__ and handler.proxies for handler in _opener(host).handlers)


def test_what_is_this_machine(proxied: str) -> None:
    assert all(is_this_machine(host) for host in HERE)
    assert not any(is_this_machine(host) for host in ELSEWHERE)
    bare = [host.strip("[]").lower() for host in HERE]
    assert not any(has_proxies(host) for host in bare)  # the script that goes with releases has a rule of its own
    assert all(has_proxies(host) for host in ELSEWHERE)


def test_a_model_on_this_machine_is_asked_directly(chat_server: ChatServer, proxied: str) -> None:
    chat = Chat(ChatSettings(model="m", base_url=chat_server.url))
    assert chat.ask("?") == "(B)"
    chat.close()


def test_a_hub_on_this_machine_is_asked_directly(proxied: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import HfApi, close_session, constants

    from benchwright.exports.publishing.hub import _ask_this_machine_directly

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # read when the Hub's client was imported
    with running_hub() as hub:
        close_session()
        _ask_this_machine_directly(hub.url)
        assert HfApi(endpoint=hub.url, token=WRITER).whoami()["name"]
    close_session()
    assert os.environ["ALL_PROXY"] == proxied


def test_a_provider_on_this_machine_needs_no_proxy(proxied: str) -> None:
    IdentityProvider(ProviderSettings("http://127.0.0.1:9", "app", "secret", "http://127.0.0.1:8/back"))


def test_a_proxy_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with pytest.raises(PrerequisiteError, match=r"models.example cannot be reached through the proxy .*SOCKS"):
        Endpoint(ModelAddress("m", "http://models.example/v1", "", "MY_KEY"), 5)
