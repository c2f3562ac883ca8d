"""A program that plays an OpenAI-compatible endpoint on the loopback, fast enough not to affect measurements.

    python stub_endpoint.py --port 8200 --latency-ms 100 --fault-share 0.2

Every chat request is answered "(B)" after the latency; a random share of them fails in one of the ways that endpoints
do. `GET /health` answers as soon as the program listens, and `GET /stats` returns the number of requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
from collections import Counter
from typing import ClassVar

ANSWER = {
    "id": "stub", "object": "chat.completion", "created": 0, "model": "stub",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "(B)"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 3, "total_tokens": 103},
}  # fmt: skip
FAULTS = ("429", "429 with a pause", "500", "503", "reset", "half a reply", "garbage")


class Stub(asyncio.Protocol):
    """One connection."""

    latency_s = 0.0
    fault_share = 0.0
    rng = random.Random(1)
    seen: ClassVar[Counter[str]] = Counter()
    under_way = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.head = bytearray()
        self.missing: int | None = None

    def data_received(self, data: bytes) -> None:
        if self.missing is None:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return None
            head = bytes(self.head[:end]).lower()
            if head.startswith(b"get"):
                self.head.clear()
                return self._tell(head)
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            self.missing = length - (len(self.head) - end - 4)
            self.head.clear()
        else:
            self.missing -= len(data)
        if self.missing <= 0:
            self.missing = None
            self.seen["requests"] += 1
            Stub.under_way += 1
            self.seen["most under way"] = max(self.seen["most under way"], Stub.under_way)
            asyncio.get_running_loop().call_later(self.latency_s, self._reply)
        return None

    def _tell(self, head: bytes) -> None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        stats = {**self.seen, "cpu_s": usage.ru_utime + usage.ru_stime}
        self._say(200, json.dumps(stats if b"/stats" in head else {"status": "ok"}).encode())

    def _reply(self) -> None:
        Stub.under_way -= 1
        if self.rng.random() >= self.fault_share:
            self.seen["answered"] += 1
            return self._say(200, json.dumps(ANSWER).encode())
        fault = self.rng.choice(FAULTS)
        self.seen[fault] += 1
        if fault == "reset":
            self.transport.abort()
        elif fault == "half a reply":
            self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n" + json.dumps(ANSWER).encode()[:80])
            self.transport.close()
        elif fault == "garbage":
            self._say(200, json.dumps(ANSWER).encode()[:100])
        else:
            pause = "retry-after-ms: 20\r\n" if "pause" in fault else ""
            self._say(int(fault[:3]), b'{"error": {"message": "stub trouble"}}', pause)
        return None

    def _say(self, status: int, body: bytes, more: str = "") -> None:
        head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{more}content-length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)


async def serve(port: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency-ms", type=float, default=0)
    parser.add_argument("--fault-share", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    Stub.latency_s, Stub.fault_share, Stub.rng = given.latency_ms / 1000, given.fault_share, random.Random(given.seed)
    asyncio.run(serve(given.port))


if __name__ == "__main__":
    main()
