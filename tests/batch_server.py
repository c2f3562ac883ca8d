"""A server that takes batches as OpenAI, Anthropic and Gemini do, in the shapes of their documentation.

It also answers single requests. `fate` decides the result of a request in a batch: a text is its answer, otherwise it
is `expired`, `error` or `lost` (no line at all).
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from chat_server import without_keys_and_proxies, words_of
from vendor_stub import SERVERS, reply

OPENAI, ANTHROPIC, GEMINI = "OpenAI", "Anthropic", "Gemini"


class BatchServer:
    """The server.

    Attributes:
        fate: Result of a request in a batch, by its words.
        looks: Number of looks at which a batch is still under way.
        alone: Bodies of single requests.
        batches: Requests of each batch that was handed in, by id.
        loses: Number of lost answers to accepted submissions.
        refuses: Statuses that refuse the next submissions.
        ends: Final state of batches, if unusual.
    """

    def __init__(self) -> None:
        self.fate: Callable[[str], str] = lambda words: "(B)"
        self.looks, self.loses = 1, 0
        self.refuses: list[int] = []
        self.ends: str | None = None
        self.alone: list[dict[str, Any]] = []
        self.batches: dict[str, dict[str, dict[str, Any]]] = {}
        self._about: dict[str, dict[str, Any]] = {}
        self._files: dict[str, bytes] = {}
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                server._answer(self, self.rfile.read(length))

            def do_GET(self) -> None:
                server._answer(self, None)

            def log_message(self, *arguments: Any) -> None:
                """Stay silent."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def address(self, vendor: str) -> str:
        return self.url + SERVERS[vendor].root

    def _answer(self, handler: Any, body: bytes | None) -> None:
        path = handler.path.partition("?")[0]
        is_gemini = "x-goog-api-key" in handler.headers
        if path.startswith("/put/") or (is_gemini and "/files" in path):
            self._gemini_file(handler, path, body)
            return
        if path.startswith("/v1/messages"):
            status, said = self._anthropic(path, body)
        elif is_gemini:
            status, said = self._gemini(path, body)
        else:
            status, said = self._openai(path, body, handler.headers.get("content-type") or "")
        self._say(handler, status, said)

    def _say(self, handler: Any, status: int, said: Any, **headers: str) -> None:
        if status == 0:
            handler.close_connection = True
            handler.connection.close()
            return
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        handler.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    def _taken(self, requests: dict[str, dict[str, Any]], **about: Any) -> tuple[int, str]:
        """Accept a batch; return the status of the answer, 0 for none, and the batch's id."""
        if self.refuses:
            return self.refuses.pop(0), ""
        batch_id = f"{about.pop('prefix', 'batch_')}{len(self.batches)}"
        self.batches[batch_id] = requests
        self._about[batch_id] = {"looks": 0, "at": time.time(), **about}
        if self.loses:
            self.loses -= 1
            return 0, batch_id
        return 200, batch_id

    def _is_over(self, batch_id: str) -> bool:
        self._about[batch_id]["looks"] += 1
        return bool(self._about[batch_id]["looks"] > self.looks)

    def _fates(self, batch_id: str) -> Iterator[tuple[str, str]]:
        kept = self._about[batch_id].setdefault("fates", {})
        for name, body in reversed(self.batches[batch_id].items()):  # in a different order
            if name not in kept:
                kept[name] = self.fate(words_of(body))
            yield name, kept[name]

    def _openai(self, path: str, body: bytes | None, kind: str) -> tuple[int, Any]:
        if path == "/v1/files" and body is not None:
            boundary = kind.partition("boundary=")[2].encode()
            parts = dict(
                re.findall(rb'name="(\w+)"[^\r]*\r\n(?:[^\r]+\r\n)*\r\n(.*?)\r\n--' + re.escape(boundary), body, re.S)
            )
            assert parts[b"purpose"] == b"batch"
            self._files[name := f"file-{len(self._files)}"] = parts[b"file"]
            return 200, {"id": name, "object": "file", "purpose": "batch", "bytes": len(parts[b"file"])}
        if path == "/v1/batches" and body is not None:
            wanted = json.loads(body)
            assert wanted["completion_window"] == "24h"
            lines = [json.loads(line) for line in self._files[wanted["input_file_id"]].splitlines()]
            assert {(line["method"], line["url"]) for line in lines} == {("POST", wanted["endpoint"])}
            requests = {line["custom_id"]: line["body"] for line in lines}
            status, batch_id = self._taken(requests, metadata=wanted["metadata"], of=wanted["endpoint"])
            if status not in (0, 200):
                return status, {"error": {"message": "Billing hard limit has been reached", "code": None}}
            return status, self._openai_batch(batch_id)
        if path == "/v1/batches":
            return 200, {"object": "list", "data": [self._openai_batch(name) for name in reversed(self.batches)]}
        if path.startswith("/v1/batches/"):
            batch_id = path.rpartition("/")[2]
            if batch_id not in self.batches:
                return 404, {"error": {"message": f"No batch found with id '{batch_id}'."}}
            if self._is_over(batch_id):
                self._about[batch_id]["status"] = self.ends or "completed"
                self._about[batch_id] |= {} if self.ends == "failed" else self._openai_files(batch_id)
            return 200, self._openai_batch(batch_id)
        if path.startswith("/v1/files/"):
            return 200, self._files[path.split("/")[3]]
        return self._one(body, "Responses" if path == "/v1/responses" else OPENAI)

    def _openai_batch(self, batch_id: str) -> dict[str, Any]:
        about = self._about[batch_id]
        errors = {
            "object": "list",
            "data": [{"code": "token_limit_exceeded", "message": "Enqueued token limit reached"}],
        }
        return {
            "id": batch_id, "object": "batch", "status": about.get("status", "in_progress"),
            "metadata": about["metadata"], "output_file_id": about.get("output"), "error_file_id": about.get("errors"),
            "errors": errors if about.get("status") == "failed" else None, "created_at": int(about["at"]),
        }  # fmt: skip

    def _openai_files(self, batch_id: str) -> dict[str, str]:
        lines: dict[str, list[dict[str, Any]]] = {"output": [], "errors": []}
        vendor = "Responses" if self._about[batch_id]["of"] == "/v1/responses" else OPENAI
        for name, fate in self._fates(batch_id):
            line: dict[str, Any] = {"id": f"batch_req_{name[:8]}", "custom_id": name, "error": None, "response": None}
            if fate == "expired":
                line["error"] = {"code": "batch_expired", "message": "This request could not be executed in time."}
            elif fate == "error":
                error = {"message": "Invalid image data.", "type": "invalid_request_error", "code": "invalid_image"}
                line["response"] = {"status_code": 400, "request_id": "req", "body": {"error": error}}
            else:
                line["response"] = {"status_code": 200, "request_id": "req", "body": reply(SERVERS[vendor], fate)}
            if fate != "lost":
                lines["errors" if fate in ("expired", "error") else "output"].append(line)
        for kind, some in lines.items():
            self._files[f"{kind}-{batch_id}"] = b"".join(json.dumps(line).encode() + b"\n" for line in some)
        return {kind: f"{kind}-{batch_id}" for kind, some in lines.items() if some}

    def _anthropic(self, path: str, body: bytes | None) -> tuple[int, Any]:
        if path == "/v1/messages":
            return self._one(body, ANTHROPIC)
        if body is not None:
            requests = {entry["custom_id"]: entry["params"] for entry in json.loads(body)["requests"]}
            assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in requests)
            status, batch_id = self._taken(requests, prefix="msgbatch_")
            if status not in (0, 200):
                return status, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
            return status, self._message_batch(batch_id, is_over=False)
        if path == "/v1/messages/batches":
            some = [self._message_batch(name, is_over=False) for name in reversed(self.batches)]
            return 200, {"data": some, "has_more": False, "first_id": None, "last_id": None}
        batch_id = path.split("/")[4]
        if batch_id not in self.batches:
            return 404, {"type": "error", "error": {"type": "not_found_error", "message": "not found"}}
        if path.endswith("/results"):
            results = [
                {"custom_id": name, "result": self._result(fate)}
                for name, fate in self._fates(batch_id)
                if fate != "lost"
            ]
            return 200, b"".join(json.dumps(line).encode() + b"\n" for line in results)
        return 200, self._message_batch(batch_id, is_over=self._is_over(batch_id))

    @staticmethod
    def _result(fate: str) -> dict[str, Any]:
        if fate == "expired":
            return {"type": "expired"}
        if fate == "error":
            error = {"type": "invalid_request_error", "message": "Could not process image"}
            return {"type": "errored", "error": {"type": "error", "error": error, "request_id": "req"}}
        return {"type": "succeeded", "message": reply(SERVERS[ANTHROPIC], fate)}

    def _message_batch(self, batch_id: str, *, is_over: bool) -> dict[str, Any]:
        number = len(self.batches[batch_id])
        counts = {"processing": 0 if is_over else number, "succeeded": number if is_over else 0, "errored": 0}
        return {
            "id": batch_id, "type": "message_batch", "processing_status": "ended" if is_over else "in_progress",
            "request_counts": counts | {"canceled": 0, "expired": 0},
            "created_at": datetime.fromtimestamp(self._about[batch_id]["at"], UTC).isoformat(),
            "results_url": f"http://elsewhere.invalid/v1/messages/batches/{batch_id}/results" if is_over else None,
        }  # fmt: skip

    def _gemini(self, path: str, body: bytes | None) -> tuple[int, Any]:
        if path.endswith(":generateContent"):
            return self._one(body, GEMINI)
        if body is not None:
            batch = json.loads(body)["batch"]
            lines = [json.loads(line) for line in self._files[batch["inputConfig"]["fileName"]].splitlines()]
            requests = {line["key"]: line["request"] for line in lines}
            status, batch_id = self._taken(requests, prefix="batches/b", name=batch["displayName"])
            if status not in (0, 200):
                return status, {
                    "error": {"code": status, "message": "The service is overloaded", "status": "UNAVAILABLE"}
                }
            return status, self._job(batch_id)
        batch_id = "batches/" + path.rpartition("/")[2]
        if batch_id == "batches/batches":
            return 200, {"operations": [self._job(name) for name in reversed(self.batches)]}
        if batch_id not in self.batches:
            return 404, {"error": {"code": 404, "message": "not found", "status": "NOT_FOUND"}}
        if self._is_over(batch_id):
            self._about[batch_id]["state"] = self.ends or "SUCCEEDED"
            if self.ends is None:
                self._about[batch_id]["output"] = self._responses(batch_id)
        return 200, self._job(batch_id)

    def _responses(self, batch_id: str) -> dict[str, str]:
        lines = []
        for name, fate in self._fates(batch_id):
            if fate in ("expired", "error"):
                lines.append({"key": name, "error": {"code": 3, "message": "Unable to process input image"}})
            elif fate != "lost":
                lines.append({"key": name, "response": reply(SERVERS[GEMINI], fate)})
        file = f"files/{batch_id.replace('/', '-')}"
        self._files[file] = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        return {"responsesFile": file}

    def _job(self, batch_id: str) -> dict[str, Any]:
        about = self._about[batch_id]
        metadata = {
            "displayName": about["name"],
            "state": f"BATCH_STATE_{about.get('state', 'RUNNING')}",
            "model": "models/m",
        }
        return {"name": batch_id, "metadata": metadata | ({"output": about["output"]} if "output" in about else {})}

    def _gemini_file(self, handler: Any, path: str, body: bytes | None) -> None:
        """Play the resumable upload, and the download."""
        if path.endswith(":download"):
            name = "files/" + path.rpartition("/")[2].removesuffix(":download")
            return self._say(handler, 200, self._files[name])
        if path.startswith("/put/"):
            assert handler.headers["x-goog-upload-command"] == "upload, finalize"
            name = path.removeprefix("/put/")
            self._files[name] = body or b""
            return self._say(handler, 200, {"file": {"name": name}}, x_goog_upload_status="final")
        url = f"{self.url}/put/files/up{len(self._files)}"
        return self._say(handler, 200, {}, x_goog_upload_url=url, x_goog_upload_status="active")

    def _one(self, body: bytes | None, vendor: str) -> tuple[int, Any]:
        document = json.loads(body or b"{}")
        self.alone.append(document)
        return 200, reply(SERVERS[vendor], "(B)")


@pytest.fixture(name="batch_server")
def running_batch_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    """A server for one test, closed at its end."""
    without_keys_and_proxies(monkeypatch)
    running = BatchServer()
    yield running
    running.close()
