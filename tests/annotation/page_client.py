"""A page of the review app without a browser: Streamlit's websocket, and the requests that the workbench sends.

It draws nothing and loads no pictures, and it can send requests that no page would. Benchmarks also use it, fifty at a
time.
"""

from __future__ import annotations

import asyncio
import json
import time
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

WORKBENCH = "benchwright_workbench"
PATIENCE_S = 60.0


class OnScreen(NamedTuple):
    """The task that a page shows: the workbench's component, the task's id and card, and all that the page got."""

    element: str
    task: int
    card: dict[str, Any]
    data: dict[str, Any]

    @property
    def slot(self) -> int:
        """Return the slot that the card shows."""
        return int(self.card["slot"])


class PageClient:
    """One page, open as long as its websocket.

    Args:
        url: Of the app.
        cookies: By name, with those of a session.
        query: The page's address after the question mark.
    """

    def __init__(self, url: str, cookies: dict[str, str], *, query: str) -> None:
        self._url = url
        self._cookies = "; ".join(f"{name}={value}" for name, value in cookies.items())
        self._query = query
        self._socket: ClientConnection | None = None
        self._script = ""
        self._http: HTTPConnection | None = None
        self._tasks: dict[str, dict[str, Any]] = {}
        self.waited_s = 0.0
        """From the last message to the card that it brought."""
        self.told: list[str] = []
        """Every text of the last answer besides the card: toasts, alerts, errors."""

    async def open(self) -> OnScreen | None:
        """Open the page and return the task on it; None where it shows none."""
        self._socket = await connect(
            self._url.replace("http", "ws", 1) + "/_stcore/stream", additional_headers={"Cookie": self._cookies},
            subprotocols=["streamlit"], max_size=None, compression=None, ping_interval=None,
        )  # fmt: skip
        return await self._run(BackMsg())

    async def accept(self, seen: OnScreen) -> OnScreen | None:
        """Accept the task on the screen; return the next one once its content is here, None where all are done."""
        event = {"task": seen.task, "does": "decide", "decision": "accept", "reasons": [], "note": ""}
        known = [int(task) for task in self._tasks]
        started = time.perf_counter()
        status, reply = await self.post({"campaign": seen.data["campaign"], "events": [event], "known": known})
        self.waited_s = time.perf_counter() - started
        if status != 200:
            raise ConnectionError(f"{status}: {reply}")
        return self._first(seen.element, {**seen.data, "state": reply})

    async def post(self, body: Any, *, path: str = "/work") -> tuple[int, Any]:
        """Send the workbench's request, as JSON or as the bytes that it is; return status and JSON, or text."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await asyncio.to_thread(self._post, sent, path)

    def _post(self, body: bytes, path: str) -> tuple[int, Any]:
        headers = {"Cookie": self._cookies, "Content-Type": "application/json", "x-benchwright-draft": "1"}
        if self._http is None:
            self._http = HTTPConnection(urlsplit(self._url).netloc, timeout=PATIENCE_S)
        try:
            self._http.request("POST", path, body, headers)
            response = self._http.getresponse()
            text = response.read()
        except OSError:
            self._http.close()
            raise
        is_json = response.headers.get("content-type", "").startswith("application/json")
        return response.status, json.loads(text) if is_json else text.decode("utf-8", "replace")

    def _first(self, element: str, data: dict[str, Any]) -> OnScreen | None:
        """Return the task that a workbench shows first; what it has of later ones stays known."""
        state = data["state"]
        self._tasks |= state["tasks"]
        wanted = [str(task) for task in [state["opened"], *state["upcoming"]] if task is not None]
        self._tasks = {task: self._tasks[task] for task in wanted}
        return OnScreen(element, int(wanted[0]), self._tasks[wanted[0]]["card"], data) if wanted else None

    async def send(self, element: str, said: Any, *, state: str | None = "{}") -> OnScreen | None:
        """Send whatever a component might say, as JSON, or as the text that it is; return the task then shown."""
        message = BackMsg()
        widgets = message.rerun_script.widget_states.widgets
        if state is not None:
            widgets.add(id=element, json_value=state)
        text = said if isinstance(said, str) else json.dumps(said)
        widgets.add(id=f"$$STREAMLIT_INTERNAL_KEY_{element}__events", json_trigger_value=text)
        return await self._run(message)

    async def aclose(self) -> None:
        """Leave without a word, as a closed lid does."""
        if self._http is not None:
            self._http.close()
        if self._socket is not None:
            self._socket.transport.abort()
            await self._socket.wait_closed()
            self._socket = None

    async def _run(self, message: BackMsg) -> OnScreen | None:
        """Send a message, read the whole page that it brings, and note when its card came."""
        assert self._socket is not None
        message.rerun_script.query_string = self._query
        message.rerun_script.page_script_hash = self._script
        started, found, self.told = time.perf_counter(), None, []
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE_S):
            async for data in self._socket:
                assert isinstance(data, bytes)
                forward = ForwardMsg.FromString(data)
                if forward.HasField("new_session"):
                    self._script = forward.new_session.page_script_hash
                if (bench := _workbench_in(forward)) is not None:
                    found, self.waited_s = self._first(*bench), time.perf_counter() - started
                elif forward.HasField("delta"):
                    self.told.append(str(forward.delta.new_element))
                # A page that leads on to another one ends early, and that one follows.
                if (
                    forward.HasField("script_finished")
                    and forward.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
                ):
                    return found
        raise ConnectionError("the server closed the page")


def _workbench_in(forward: ForwardMsg) -> tuple[str, dict[str, Any]] | None:
    if forward.WhichOneof("type") != "delta" or forward.delta.WhichOneof("type") != "new_element":
        return None
    element = forward.delta.new_element
    if element.WhichOneof("type") != "bidi_component" or element.bidi_component.component_name != WORKBENCH:
        return None
    component = element.bidi_component
    return component.id, json.loads(component.mixed.json or component.json)
