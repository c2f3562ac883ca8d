"""A worker's connection to the process that serves a GPU card and runs models for all workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from multiprocessing.connection import Client
from multiprocessing.process import current_process
from typing import Any


class CardLostError(BaseException):
    """The process of the card has ended.

    It does not derive from `Exception`, so that no step mistakes it for a fault of a record. The worker ends as if the
    model had killed it, and the supervisor runs its job again.
    """


class CardClient:
    """A connection to a card's process; one thread may use it.

    Args:
        address: Address of the process, as `Cards.address_for` gives it.

    Raises:
        CardLostError: The process has ended; raised by every method.
    """

    def __init__(self, address: str) -> None:
        try:
            self._conn = Client(address, authkey=bytes(current_process().authkey))
        except (OSError, EOFError) as error:
            raise CardLostError(str(error)) from error

    def open(self, model: str) -> Any:
        """Request a model, which is opened once for all workers, and return its `facts`.

        Raises:
            BenchwrightError: The step's `open` failed, with its message.
        """
        self._send("open", model)
        return self._answer()

    def keep_only(self, models: Sequence[str]) -> None:
        """Request that the process close all models except one."""
        self._send("keep_only", tuple(models))
        self._answer()

    def compute(self, model: str, things: Iterable[Any]) -> list[Any]:
        """Return one result per input, in order; the first are computed while the last inputs are being prepared."""
        self._send("compute", model)
        try:
            for thing in things:
                self._send("thing", thing)
        finally:  # the connection stays usable, however `things` ended
            self._send("end")
            answer = self._received()
        return list(_result(answer))

    def _answer(self) -> Any:
        return _result(self._received())

    def _send(self, *message: Any) -> None:
        try:
            self._conn.send(message)
        except OSError as error:
            raise CardLostError(str(error)) from error

    def _received(self) -> Any:
        try:
            return self._conn.recv()
        except (OSError, EOFError) as error:
            raise CardLostError(str(error)) from error


def _result(answer: tuple[str, Any]) -> Any:
    kind, result = answer
    if kind == "raised":
        raise result
    return result
