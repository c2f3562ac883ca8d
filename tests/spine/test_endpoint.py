"""The connection to an endpoint, against servers on the loopback: what is sent, what is read, and within which limits.

Facts held here: connections are kept and renewed; responses of every HTTP/1 shape are read; time and bytes are bounded,
for refusals and through proxies too; compressed responses are refused; proxies of the environment and TLS work.
"""

from __future__ import annotations

import asyncio
import gzip
import ssl
import subprocess
import zlib
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import httpx2
import openai
import pytest

from benchwright.errors import PrerequisiteError
from benchwright.models.endpoints.endpoint import MAX_REPLY_BYTES, Endpoint
from benchwright.models.endpoints.vendors.failures import ModelAddress, UnusableReply

Peer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)


def asking(
    peer: Peer,
    work: Callable[[Endpoint], Awaitable[None]],
    *,
    tls: ssl.SSLContext | None = None,
    proxy_of: str | None = None,
    timeout_s: float = 20,
    key: str = "",
    monkeypatch: pytest.MonkeyPatch | None = None,
) -> None:
    """Run a server on the loopback and something that asks it, in one event loop.

    Args:
        proxy_of: Address to ask instead, with the server as the environment's proxy.
    """

    async def both() -> None:
        server = await asyncio.start_server(peer, "127.0.0.1", 0, ssl=tls, limit=1 << 24)
        url = f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        if proxy_of is not None:
            assert monkeypatch is not None
            monkeypatch.setenv("http_proxy", url)
        endpoint = Endpoint(ModelAddress("m", proxy_of or f"{url}/v1", key, "MY_KEY"), timeout_s)
        try:
            await work(endpoint)
        finally:
            await endpoint.close()
            server.close()
            if peers := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(peers, timeout=10)

    asyncio.run(both())


async def request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Read one request and return its head in lower case and its body."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    (length,) = (line.split(b":")[1] for line in head.split(b"\r\n") if line.startswith(b"content-length"))
    return head, await reader.readexactly(int(length))


async def close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


def saying(*responses: bytes, met: list[int]) -> Peer:
    """Return a peer that answers the requests of one connection in turn, then hangs up; counts connections."""

    async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(0)
        for response in responses:
            try:
                await request(reader)
            except asyncio.IncompleteReadError:
                break
            met[-1] += 1
            with suppress(ConnectionError):  # nobody reads a response without end to its end
                writer.write(response)
                await writer.drain()
        await close(writer)

    return peer


def listening(heads: list[bytes], bodies: list[bytes]) -> Peer:
    """Return a peer that keeps what it is sent and answers `ok`."""

    async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, body = await request(reader)
        heads.append(head)
        bodies.append(body)
        writer.write(OK)
        await close(writer)

    return peer


def test_one_connection_serves_requests_one_after_the_other() -> None:
    met: list[int] = []

    async def work(endpoint: Endpoint) -> None:
        for _ in range(3):
            assert await endpoint.post(b"{}") == b"ok"

    asking(saying(OK, OK, OK, met=met), work)
    assert met == [3]


def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    met: list[int] = []
    closed = asyncio.Queue[None]()

    async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await saying(OK, met=met)(reader, writer)
        closed.put_nowait(None)

    async def work(endpoint: Endpoint) -> None:
        for _ in range(3):
            assert await endpoint.post(b"{}") == b"ok"
            await closed.get()

    asking(peer, work)
    assert met == [1, 1, 1]


@pytest.mark.parametrize(
    "response",
    [
        pytest.param(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", id="chunked"
        ),
        pytest.param(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok", id="up to the end"),
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\nok", id="HTTP/1.0"),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" + OK, id="after a 100"),
        pytest.param(OK.replace(b"\r\n\r\n", b"\r\ncontent-encoding: identity\r\n\r\n"), id="plain and said so"),
    ],
)
def test_responses_of_every_shape_are_read(response: bytes) -> None:
    async def work(endpoint: Endpoint) -> None:
        assert await endpoint.post(b"{}") == b"ok"

    asking(saying(response, met=[]), work)


@pytest.mark.parametrize("size", [2, 64 * 1024, 5_000_000])
def test_a_body_arrives_as_it_is_with_the_key_and_nothing_about_this_machine(size: int) -> None:
    heads: list[bytes] = []
    bodies: list[bytes] = []

    async def work(endpoint: Endpoint) -> None:
        await endpoint.post(b"x" * size)

    asking(listening(heads, bodies), work, key="sk-secret")
    assert bodies == [b"x" * size]
    lines = heads[0].split(b"\r\n")
    assert lines[0] == b"post /v1/chat/completions http/1.1"
    assert {b"authorization: bearer sk-secret", b"accept-encoding: identity", b"content-type: application/json"} <= set(
        lines
    )
    assert b"stainless" not in heads[0]


LONG = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % (MAX_REPLY_BYTES + 1) + b" " * (MAX_REPLY_BYTES + 1)


def coded(data: bytes, coding: bytes = b"gzip") -> bytes:
    """Return a response with a coding that was not asked for."""
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: %s\r\ncontent-length: %d\r\n\r\n"
    return head % (coding, len(data)) + data


ZIPPED = gzip.compress(b'{"a": 1}' * 100, mtime=0)


@pytest.mark.parametrize("proxy_of", [None, "http://models.example/v1"], ids=["direct", "through a proxy"])
@pytest.mark.parametrize(
    ("response", "words"),
    [
        pytest.param(LONG, "more than 8388608 bytes", id="long"),
        pytest.param(LONG.replace(b"200 OK", b"500 Oh"), "more than 8388608 bytes", id="a long refusal"),
        pytest.param(coded(gzip.compress(b" " * 9_000_000)), "more than 8388608 bytes", id="a bomb"),
        pytest.param(coded(ZIPPED[:-9]), "broken gzip: it ends too early", id="cut"),
        pytest.param(coded(b"{}"), "broken gzip", id="not compressed"),
        pytest.param(coded(b"{}", b"br"), "is not supported", id="another coding"),
    ],
)
def test_responses_that_could_fill_the_memory_are_not_read(
    response: bytes, words: str, proxy_of: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(endpoint: Endpoint) -> None:
        with pytest.raises(UnusableReply, match=words):
            await endpoint.post(b"{}")

    asking(saying(response, met=[]), work, proxy_of=proxy_of, monkeypatch=monkeypatch)


@pytest.mark.parametrize("asked", ["", "1"])
def test_a_server_on_this_machine_is_asked_through_a_proxy_only_where_that_is_asked_for(
    asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_PROXY_THIS_MACHINE", asked)
    met: list[int] = []

    async def work(endpoint: Endpoint) -> None:
        with nullcontext() if asked else pytest.raises(openai.APIConnectionError):
            await endpoint.post(b"{}")

    asking(saying(OK, met=met), work, proxy_of="http://127.0.0.1:1/v1", monkeypatch=monkeypatch)
    assert bool(met) == bool(asked)


@pytest.mark.parametrize("data", [(ZIPPED, b"gzip"), (zlib.compress(b'{"a": 1}' * 100), b"deflate")])
def test_a_compressed_response_is_unpacked_though_none_was_asked_for(data: tuple[bytes, bytes]) -> None:
    async def work(endpoint: Endpoint) -> None:
        assert await endpoint.post(b"{}") == b'{"a": 1}' * 100

    asking(saying(coded(*data), met=[]), work)


@pytest.mark.parametrize("response", [b"", OK[:-1], OK[:9], b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_a_response_that_is_cut_off_or_no_http_is_a_broken_connection(response: bytes) -> None:
    async def work(endpoint: Endpoint) -> None:
        with pytest.raises(openai.APIConnectionError) as caught:
            await endpoint.post(b"{}")
        assert isinstance(caught.value.__cause__, httpx2.TransportError)

    asking(saying(response, met=[]), work)


def test_a_request_that_takes_too_long_is_given_up_and_takes_its_connection_with_it() -> None:
    met: list[int] = []

    async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(len(met))
        await request(reader)
        if len(met) == 1:
            await reader.read()  # says nothing until the other side hangs up
        with suppress(ConnectionError):
            writer.write(OK)
        await close(writer)

    async def work(endpoint: Endpoint) -> None:
        with pytest.raises(TimeoutError):
            await endpoint.post(b"{}")
        assert await endpoint.post(b"{}") == b"ok"

    asking(peer, work, timeout_s=0.5)
    assert met == [0, 1]


def test_where_nobody_listens_is_said() -> None:
    async def work() -> None:
        endpoint = Endpoint(ModelAddress("m", "http://127.0.0.1:1/v1", "", "MY_KEY"), 20)
        with pytest.raises(openai.APIConnectionError) as caught:
            await endpoint.post(b"{}")
        assert isinstance(caught.value.__cause__, httpx2.ConnectError)
        await endpoint.close()

    asyncio.run(work())


@pytest.mark.slow
def test_https_is_spoken_and_a_certificate_of_nobody_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*words.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)

    async def trusted(endpoint: Endpoint) -> None:
        assert await endpoint.post(b"x" * 300_000) == b"ok"

    async def refused(endpoint: Endpoint) -> None:
        with pytest.raises(openai.APIConnectionError) as caught:
            await endpoint.post(b"{}")
        assert isinstance(caught.value.__cause__, httpx2.ConnectError)
        assert "CERTIFICATE_VERIFY_FAILED" in str(caught.value.__cause__)

    asking(saying(OK, met=[]), refused, tls=tls)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    asking(saying(OK, met=[]), trusted, tls=tls)


def test_a_proxy_of_the_environment_gets_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    heads: list[bytes] = []

    async def work(endpoint: Endpoint) -> None:
        assert await endpoint.post(b"{}") == b"ok"

    asking(listening(heads, []), work, proxy_of="http://models.example/v1", monkeypatch=monkeypatch)
    assert heads[0].startswith(b"post http://models.example/v1/chat/completions ")


def test_an_address_that_the_environment_exempts_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    async def work(endpoint: Endpoint) -> None:
        assert await endpoint.post(b"{}") == b"ok"

    asking(saying(OK, met=[]), work)


@pytest.mark.parametrize("key", ["two\nlines", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_named_by_its_variable(key: str) -> None:
    address = ModelAddress("m", "http://127.0.0.1:1/v1", key, "MY_KEY")
    assert key not in repr(address)
    with pytest.raises(PrerequisiteError, match="MY_KEY") as caught:
        Endpoint(address, 20)
    assert key not in str(caught.value)


def test_settings_of_the_client_are_no_surprise(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address in the environment is for programs that name none: ours do."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    heads: list[bytes] = []

    async def work(endpoint: Endpoint) -> None:
        assert await endpoint.post(b"{}") == b"ok"

    asking(listening(heads, []), work)
    assert len(heads) == 1
