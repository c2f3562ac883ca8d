"""Bounds on connections, under a real server: half-sent requests end, slow ones that keep sending do not.

- A head, or a body, that does not arrive in time is answered with 408 and closed.
- A body that keeps arriving may take longer, unless the server no longer reads it.
- An upgraded connection outlives every limit, silent or under typing, whatever its earlier requests; so does a slow
  reader of a long answer.
- One address may open a bounded number of connections; a trusted proxy does not count as one address.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict

import pytest

pytest.importorskip("uvicorn")

import uvicorn
from websockets.sync.client import connect

from benchwright.annotation.app.security.connections import (
    ConnectionLimits,
    served_within,
    trusted_network,
    with_more_files,
)
from benchwright.errors import BenchwrightError

LIMITS = ConnectionLimits(
    head_s=0.4, body_s=0.4, bytes_per_s=1000, longest_body_s=3, keep_alive_s=1, per_address=4, in_all=100
)
HASTY = ConnectionLimits(head_s=0.3, body_s=0.3, longest_body_s=0.3, keep_alive_s=0, ping_s=0.5, per_address=50)
LONGER_S = sum(value for name, value in asdict(HASTY).items() if name.endswith("_s") and name != "bytes_per_s")
"""Longer than all limits in time of `HASTY` one after the other."""
LONG = 8_000_000
HEAD = b"POST /%s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


async def app(scope: dict, receive: Callable, send: Callable) -> None:
    """Answer with the body's length; at `/early` without reading it, at `/long` at length; echo a websocket."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                await send({"type": "websocket.send", "text": message["text"]})
        return
    length, more = 0, scope["path"] != "/early"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length, more = length + len(message["body"]), message["more_body"]
    text = b"x" * LONG if scope["path"] == "/long" else f"{length} from {scope['client'][0]}".encode()
    headers = [(b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text})


@contextmanager
def running(*trusted: str, limits: ConnectionLimits = LIMITS) -> Iterator[int]:
    networks = tuple(map(trusted_network, trusted))
    config = uvicorn.Config(
        app, port=0, **served_within(limits, networks), lifespan="off", log_level="error",
        proxy_headers=bool(networks), forwarded_allow_ips=[str(network) for network in networks],
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    until = time.monotonic() + 10
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(timeout=10)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running() as listening:
        yield listening


def sent(port: int, data: bytes, *, then: bytes = b"", times: int = 0) -> tuple[bytes, float]:
    """Send a text, then more every 50 ms; return the whole response and its duration."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        since = time.monotonic()
        connection.sendall(data)
        try:
            for _ in range(times):
                time.sleep(0.05)
                connection.sendall(then)
        except OSError:
            pass
        reply = b""
        try:
            while piece := connection.recv(65536):
                reply += piece
        except ConnectionResetError:
            pass
        return reply, time.monotonic() - since


@pytest.mark.parametrize(
    "half",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\n", id="head"),
        pytest.param(HEAD % (b"", 100) + b"abc", id="body"),
    ],
)
def test_half_a_request_is_closed_in_time(port: int, half: bytes) -> None:
    reply, took_s = sent(port, half)
    assert reply.startswith(b"HTTP/1.1 408 ")
    assert 0.3 < took_s < 2


def test_a_head_that_comes_a_byte_at_a_time_gets_no_more_time(port: int) -> None:
    reply, took_s = sent(port, b"GET / HTTP/1.1\r\n", then=b"a: b\r\n", times=30)
    assert b"200 OK" not in reply
    assert took_s < 2.5


def test_the_second_request_of_a_connection_is_bounded_as_the_first(port: int) -> None:
    reply, took_s = sent(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", then=b"GET /", times=1)
    assert reply.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in reply
    assert took_s < 2


def test_a_body_that_keeps_coming_may_take_longer(port: int) -> None:
    reply, took_s = sent(port, HEAD % (b"", 2000), then=b"x" * 100, times=20)  # 2000 bytes a second, for one second
    assert b"2000 from" in reply
    assert took_s > 0.8


def test_a_body_that_hardly_comes_does_not(port: int) -> None:
    reply, _ = sent(port, HEAD % (b"", 2000), then=b"x", times=30)
    assert b"from" not in reply


def test_a_body_that_nobody_reads_any_more_ends(port: int) -> None:
    reply, took_s = sent(port, HEAD % (b"early", 100_000_000), then=b"x" * 1000, times=60)
    assert b"0 from" in reply
    assert took_s < 4


@pytest.fixture(scope="module")
def hasty() -> Iterator[int]:
    with running(limits=HASTY) as listening:
        yield listening


ASKS = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
UPGRADES = (
    b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


def test_a_websocket_outlives_every_limit_in_silence_and_under_typing(hasty: int) -> None:
    address = f"ws://127.0.0.1:{hasty}"
    with connect(address) as silent, connect(address) as typing:
        until = time.monotonic() + LONGER_S
        typed, came = 0, 0
        while time.monotonic() < until:
            typing.send(str(typed))
            typed += 1
            came += typing.recv(timeout=5) == str(came)
            time.sleep(0.02)
        assert came == typed > 10
        silent.send("still here")
        assert silent.recv(timeout=5) == "still here"


@pytest.mark.parametrize("head", [UPGRADES, ASKS + UPGRADES], ids=["alone", "behind another request"])
def test_nothing_of_http_is_written_into_an_upgraded_stream(hasty: int, head: bytes) -> None:
    """Byte by byte, with a client that answers no ping: the stream ends by the ping's limit, and with its close."""
    reply, took_s = sent(hasty, head)
    upgraded = reply.partition(b" 101 Switching Protocols")[2].partition(b"\r\n\r\n")[2]
    assert b"HTTP/" not in upgraded
    assert upgraded[:1] == b"\x89", "a ping"
    assert b"keepalive ping timeout" in upgraded
    assert took_s > 1.5 * HASTY.ping_s


def test_a_long_answer_reaches_a_slow_reader(hasty: int) -> None:
    with socket.create_connection(("127.0.0.1", hasty), timeout=10) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.sendall(ASKS.replace(b"/ ", b"/long ", 1))
        until, got = time.monotonic() + LONGER_S, 0
        while piece := connection.recv(65536 if time.monotonic() < until else LONG):
            got += len(piece)
            if time.monotonic() < until:
                time.sleep(0.03)
    assert got > LONG


def test_one_address_has_so_many_connections_and_no_more(port: int) -> None:
    with ExitStack() as stack:
        for _ in range(LIMITS.per_address):
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        reply, _ = sent(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert reply.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 5" in reply
    until = time.monotonic() + 10
    again = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    while not (reply := sent(port, again)[0]).startswith(b"HTTP/1.1 200 "):  # the server has yet to hear of the ends
        assert reply.startswith(b"HTTP/1.1 503 ")
        assert time.monotonic() < until


def test_what_is_said_of_addresses_is_believed_of_trusted_proxies_alone(port: int) -> None:
    asked = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: 203.0.113.9, 198.51.100.7\r\n\r\n"
    assert b"from 127.0.0.1" in sent(port, asked)[0]
    with running("10.0.0.0/8") as elsewhere:
        assert b"from 127.0.0.1" in sent(elsewhere, asked)[0]
    with running("127.0.0.1") as behind:
        assert b"from 198.51.100.7" in sent(behind, asked)[0]
        with ExitStack() as stack:
            for _ in range(2 * LIMITS.per_address):
                stack.enter_context(socket.create_connection(("127.0.0.1", behind)))
            assert b"200 OK" in sent(behind, asked)[0]
    with running("127.0.0.1", "198.51.100.0/24") as behind_two:
        assert b"from 203.0.113.9" in sent(behind_two, asked)[0]


@pytest.mark.parametrize("stated", ["proxy", "", "10.0.0.0/33", "0.0.0.0/0", "::/0", "*"])
def test_a_proxy_is_an_address_or_a_network_and_never_everybody(stated: str) -> None:
    with pytest.raises(BenchwrightError, match="--trusted-proxy"):
        trusted_network(stated)


def test_connections_leave_files_to_the_rest_of_the_app() -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    fitting = with_more_files(ConnectionLimits())
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert hard == before[1]
    assert soft >= before[0]
    assert fitting.in_all < soft or soft == resource.RLIM_INFINITY
