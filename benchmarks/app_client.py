"""An annotator without a browser: signs in over HTTP and speaks Streamlit's own websocket protocol to the running app.

What it sends is what the page's script sends, byte for byte the same messages; what it reads is what the page gets. It
draws nothing and loads no pictures, so that fifty of them fit beside the server on a small machine.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "annotation"))

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from visitor import Visitor
from websockets.asyncio.client import ClientConnection, connect

CARD = "benchwright_task_card"
PATIENCE_S = 60.0


class OnScreen(NamedTuple):
    """The task that the page shows: the card's component, the slot, and the serial that an act raises."""

    element: str
    slot: int
    serial: int


class AppClient:
    """One annotator's page."""

    def __init__(self, url: str, name: str, password: str, *, campaign: str) -> None:
        self.name = name
        self._url = url
        self._password = password
        self._campaign = campaign
        self._visitor = Visitor(url)
        self._socket: ClientConnection | None = None
        self._page = ""
        self.waited_s = 0.0
        """From the last message to the card that it brought."""

    async def open(self) -> OnScreen | None:
        """Sign in, unless that is done, open the review page, and return the task on it; None where all are done."""
        await self.close()
        if not self._visitor.cookies.get("benchwright_session"):
            reply = await asyncio.to_thread(self._visitor.sign_in, self.name, self._password)
            if reply.status != 303:
                raise ConnectionError(f"{self.name} was not let in: {reply.status}")
        cookies = "; ".join(f"{name}={value}" for name, value in self._visitor.cookies.items())
        self._socket = await connect(
            self._url.replace("http", "ws", 1) + "/_stcore/stream", additional_headers={"Cookie": cookies},
            subprotocols=["streamlit"], max_size=None, compression=None, ping_interval=None,
        )  # fmt: skip
        return await self._run_page(BackMsg())

    async def accept(self, seen: OnScreen) -> OnScreen | None:
        """Accept the task on the screen; return the next one once it is there, None where all are done."""
        act = {"slot": seen.slot, "does": "decide", "decision": "accept", "reasons": [], "note": ""}
        message = BackMsg()
        message.rerun_script.widget_states.widgets.add(id=seen.element, json_value="{}")
        state = message.rerun_script.widget_states.widgets.add()
        state.id = f"$$STREAMLIT_INTERNAL_KEY_{seen.element}__events"
        state.json_trigger_value = json.dumps([{"event": "act", "value": act}])
        return await self._run_page(message)

    async def close(self) -> None:
        """Leave without a word, as a closed lid does."""
        if self._socket is not None:
            self._socket.transport.abort()
            self._socket = None

    async def _run_page(self, message: BackMsg) -> OnScreen | None:
        """Send a message, read the whole page that it brings, and note when its card came."""
        assert self._socket is not None
        message.rerun_script.query_string = f"campaign={self._campaign}"
        message.rerun_script.page_script_hash = self._page
        started, found = time.perf_counter(), None
        await self._socket.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE_S):
            async for data in self._socket:
                assert isinstance(data, bytes)
                forward = ForwardMsg.FromString(data)
                if forward.HasField("new_session"):
                    self._page = forward.new_session.page_script_hash
                if (card := _card_in(forward)) is not None:
                    found, self.waited_s = card, time.perf_counter() - started
                if forward.HasField("script_finished"):
                    return found
        raise ConnectionError("the server closed the page")


def _card_in(forward: ForwardMsg) -> OnScreen | None:
    if forward.WhichOneof("type") != "delta" or forward.delta.WhichOneof("type") != "new_element":
        return None
    element = forward.delta.new_element
    if element.WhichOneof("type") != "bidi_component" or element.bidi_component.component_name != CARD:
        return None
    component = element.bidi_component
    data: dict[str, Any] = json.loads(component.mixed.json or component.json)
    return OnScreen(component.id, data["slot"], data["serial"])
