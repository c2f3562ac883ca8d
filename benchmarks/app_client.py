"""An annotator without a browser: signs in over HTTP, then speaks Streamlit's own protocol to the running app."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "annotation"))

from page_client import OnScreen, PageClient
from visitor import Visitor

SESSION = "benchwright_session"


class AppClient:
    """One annotator, who returns when the server does."""

    def __init__(self, url: str, name: str, password: str, *, campaign: str) -> None:
        self.name = name
        self._url = url
        self._password = password
        self._campaign = campaign
        self._visitor = Visitor(url)
        self._page: PageClient | None = None

    @property
    def waited_s(self) -> float:
        """Return how long the last task took to arrive, in seconds."""
        return 0.0 if self._page is None else self._page.waited_s

    async def open(self) -> OnScreen | None:
        """Sign in if necessary, open the review page, and return its task; None if all are done."""
        await self.close()
        if not any(SESSION in name for name in self._visitor.cookies):
            reply = await asyncio.to_thread(self._visitor.sign_in, self.name, self._password)
            if reply.status != 303:
                raise ConnectionError(f"{self.name} was not let in: {reply.status}")
        self._page = PageClient(self._url, self._visitor.cookies, query=f"campaign={self._campaign}")
        return await self._page.open()

    async def accept(self, seen: OnScreen) -> OnScreen | None:
        """Accept the task on the screen; return the next one once it is there, None if all are done."""
        assert self._page is not None
        return await self._page.accept(seen)

    async def close(self) -> None:
        """Leave without signing out."""
        if self._page is not None:
            await self._page.aclose()
