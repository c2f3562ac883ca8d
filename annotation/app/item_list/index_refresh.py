"""The update of the item index before a page reads it, which takes minutes on the first visit of a large workspace."""

from __future__ import annotations

import threading
from html import escape

from starlette.responses import Response

from ...items.item_index import ItemIndex
from ..auth.known_pages import ITEMS
from ..own_pages.shell import own_page
from ..wording.curator_texts import TEXTS

_PATIENCE_S = 5.0
"""Seconds for which a page waits for the index before it reports that the index is not ready."""
_LOOK_AGAIN_S = 2
"""Seconds after which a page that waits for the index loads again."""


def being_read(title: str) -> Response:
    """Return a page that states that the workspace is being read, and loads again until its content can be shown."""
    words = f'<p role="status">{escape(TEXTS["reading"])}</p>'
    return own_page(title, f'<meta http-equiv="refresh" content="{_LOOK_AGAIN_S}">{words}', here=ITEMS)


class IndexRefresh:
    """Updates of an index. While one takes long, later visits wait for it instead of beginning another one.

    Args:
        index: The index.
    """

    def __init__(self, index: ItemIndex) -> None:
        self._index = index
        self._last: _Update | None = None

    def generation(self, *, patience_s: float = _PATIENCE_S) -> str | None:
        """Update the index, and return the name of its state, or None if that takes longer than `patience_s`.

        Raises:
            BenchwrightError: The workspace's tables are damaged, or the index is not writable.
        """
        if (last := self._last) is not None and not last.is_over.wait(patience_s):
            return None
        self._last = update = _Update(self._index)
        return update.result() if update.is_over.wait(patience_s) else None


class _Update:
    """One update in a thread of its own, which ends with the server."""

    def __init__(self, index: ItemIndex) -> None:
        self.is_over = threading.Event()
        self._index = index
        self._generation = ""
        self._error: BaseException | None = None
        threading.Thread(target=self._run, daemon=True, name="item-index").start()

    def _run(self) -> None:
        try:
            self._generation = self._index.refresh().generation
        except Exception as error:  # noqa: BLE001 - raised again where the result is read
            self._error = error
        finally:
            self.is_over.set()

    def result(self) -> str:
        """Return the name of the index's state.

        Raises:
            BenchwrightError: The update failed.
        """
        if self._error is not None:
            raise self._error
        return self._generation
