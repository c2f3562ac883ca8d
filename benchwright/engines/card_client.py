"""A worker's connection to the process of a card, which runs models for all workers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from multiprocessing.connection import Client
from multiprocessing.process import current_process
from typing import Any


class CardLostError(BaseException):
    """The process of the card has ended.

    No `Exception`, so that no step takes it for a fault of a record: the worker ends, as it would if the model had
    ended the worker itself, and the supervisor runs its job again.
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
        """Have a model opened, once for all workers, and return its `facts`.

        Raises:
            BenchwrightError: It cannot be opened, as the step's `open` says.
        """
        self._send("open", model)
        return self._answer()

    def keep_only(self, models: Sequence[str]) -> None:
        """Have all other models closed."""
        self._send("keep_only", tuple(models))
        self._answer()

    def compute(self, model: str, things: Iterable[Any]) -> list[Any]:
        """Return one result for each thing, in order; the card computes the first while the last are still prepared."""
        self._send("compute", model)
        try:
            for thing in things:
                self._send("thing", thing)
        finally:  # whatever ended `things`, the next call finds the connection in order
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
