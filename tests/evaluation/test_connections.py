"""Connections to an endpoint: kept alive, renewed when the server hangs up, whole responses within a limit."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchwright.evaluation.backends import (
    LARGE_PIECE_BYTES,
    MAX_RESPONSE_BYTES,
    Bounded,
    Direct,
    UnusableResponse,
    transport_for,
)

Peer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def asking(peer: Peer, work: Callable[[httpx2.AsyncClient, str], Awaitable[None]], **how: Any) -> None:
    """Run a server on the loopback and something that asks it, in one event loop."""

    async def both() -> None:
        server = await asyncio.start_server(peer, "127.0.0.1", 0, ssl=how.get("tls"), limit=1 << 24)
        port = server.sockets[0].getsockname()[1]
        scheme = "https" if how.get("tls") else "http"
        async with httpx2.AsyncClient(transport=how.get("transport") or Direct()) as client:
            await work(client, f"{scheme}://127.0.0.1:{port}/v1")
        server.close()

    asyncio.run(both())


async def request(reader: asyncio.StreamReader) -> bytes:
    """Read one request and return its body."""
    head = await reader.readuntil(b"\r\n\r\n")
    (length,) = (line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    return await reader.readexactly(int(length))


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
            writer.write(response)
            await writer.drain()
        await close(writer)

    return peer


def test_one_connection_serves_requests_one_after_the_other() -> None:
    met: list[int] = []

    async def work(client: httpx2.AsyncClient, url: str) -> None:
        for _ in range(3):
            assert (await client.post(url, content=b"x")).content == b"ok"

    asking(saying(OK, OK, OK, met=met), work)
    assert met == [3]


def test_a_connection_that_the_server_has_closed_is_not_used_again() -> None:
    met: list[int] = []

    async def work(client: httpx2.AsyncClient, url: str) -> None:
        for _ in range(3):
            assert (await client.post(url, content=b"x")).content == b"ok"
            await asyncio.sleep(0.05)

    asking(saying(OK, met=met), work)
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
    ],
)
def test_responses_of_every_shape_are_read(response: bytes) -> None:
    async def work(client: httpx2.AsyncClient, url: str) -> None:
        assert (await client.post(url, content=b"x")).content == b"ok"

    asking(saying(response, met=[]), work)


@pytest.mark.parametrize("sizes", [(3, 5), (3, LARGE_PIECE_BYTES * 9, 5), (LARGE_PIECE_BYTES,) * 3, (0, 7)])
def test_a_body_in_pieces_arrives_whole_and_in_order(sizes: tuple[int, ...]) -> None:
    pieces = [bytes([65 + number]) * size for number, size in enumerate(sizes)]
    got: list[bytes] = []

    async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.append(await request(reader))
        writer.write(OK)
        await close(writer)

    async def body() -> Any:
        for piece in pieces:
            yield piece

    async def work(client: httpx2.AsyncClient, url: str) -> None:
        await client.post(url, content=body(), headers={"content-length": str(sum(sizes))})

    asking(peer, work)
    assert got == [b"".join(pieces)]


LONG = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % (MAX_RESPONSE_BYTES + 1) + b" " * (MAX_RESPONSE_BYTES + 1)
CODED = gzip.compress(b" " * 1000, mtime=0)
CODED = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(CODED) + CODED


@pytest.mark.parametrize("inner", [None, httpx2.AsyncHTTPTransport], ids=["direct", "bounded"])
@pytest.mark.parametrize(("response", "words"), [(LONG, "more than 8388608 bytes"), (CODED, "was not asked for")])
def test_responses_that_could_fill_the_memory_are_not_read(response: bytes, words: str, inner: Any) -> None:
    async def work(client: httpx2.AsyncClient, url: str) -> None:
        with pytest.raises(UnusableResponse, match=words):
            await client.post(url, content=b"x")

    asking(saying(response, met=[]), work, transport=inner and Bounded(inner()))


@pytest.mark.parametrize("response", [b"", OK[:-1], OK[:9], b"SSH-2.0-OpenSSH_9.2\r\n"])
def test_a_response_that_is_cut_off_or_no_http_is_a_broken_connection(response: bytes) -> None:
    async def work(client: httpx2.AsyncClient, url: str) -> None:
        with pytest.raises(httpx2.TransportError):
            await client.post(url, content=b"x")

    asking(saying(response, met=[]), work)


def test_a_request_that_is_given_up_takes_its_connection_with_it() -> None:
    met: list[int] = []

    async def peer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(len(met))
        await request(reader)
        if len(met) == 1:
            await reader.read()  # says nothing until the other side hangs up
        writer.write(OK)
        await close(writer)

    async def work(client: httpx2.AsyncClient, url: str) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.post(url, content=b"x"), 0.1)
        assert (await client.post(url, content=b"x")).content == b"ok"

    asking(peer, work)
    assert met == [0, 1]


def test_where_nobody_listens_is_said() -> None:
    async def work() -> None:
        async with httpx2.AsyncClient(transport=Direct()) as client:
            with pytest.raises(httpx2.ConnectError):
                await client.post("http://127.0.0.1:1/v1", content=b"x")

    asyncio.run(work())


def test_https_is_spoken_and_a_certificate_of_nobody_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*words.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)

    async def trusted(client: httpx2.AsyncClient, url: str) -> None:
        assert (await client.post(url, content=b"x" * 300_000)).content == b"ok"

    async def refused(client: httpx2.AsyncClient, url: str) -> None:
        with pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            await client.post(url, content=b"x")

    asking(saying(OK, met=[]), refused, tls=tls)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    asking(saying(OK, met=[]), trusted, tls=tls)


def test_a_proxy_of_the_environment_is_used_unless_it_is_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:3128")
    assert isinstance(transport_for("http://models.example/v1"), Bounded)
    monkeypatch.setenv("no_proxy", "models.example")
    assert isinstance(transport_for("http://models.example/v1"), Direct)
