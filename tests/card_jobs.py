"""A model and jobs for the tests of cards; a separate module because workers and cards import it."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.engines import Attempt
from benchwright.engines.card_client import CardClient
from benchwright.errors import PrerequisiteError

DEADLY, UNLUCKY, WITHOUT_KEY = 666, 1313, -1


class Computed(NamedTuple):
    """The model's result for a number: its square, the place, and the size of its batch."""

    square: int
    process: int
    batch: int


@dataclass(frozen=True)
class Squarer:
    """A model whose batches are all even or all odd."""

    batch_size: int = 4
    facts: str = "numbers, please"

    def key(self, number: int) -> Hashable:
        if number == WITHOUT_KEY:
            raise ValueError("no key")
        return number % 2

    def run(self, numbers: Sequence[int]) -> list[Computed]:
        if DEADLY in numbers:
            os._exit(3)
        if UNLUCKY in numbers:
            raise KeyError("unlucky")
        return [Computed(number * number, os.getpid(), len(numbers)) for number in numbers]


@dataclass(frozen=True)
class Host:
    """A worker context; each opening of a model is a line in a file."""

    log: Path
    address: str = ""

    def at_card(self, address: str) -> Host:
        return replace(self, address=address)

    def shared_model(self, name: str) -> Squarer:
        if name == "missing":
            raise PrerequisiteError("no weights here; fetch them")
        with self.log.open("a", encoding="utf-8") as lines:
            lines.write(f"{name} {os.environ['CUDA_VISIBLE_DEVICES']}\n")
        return Squarer()

    def keep_only(self, names: Sequence[str]) -> None:
        with self.log.open("a", encoding="utf-8") as lines:
            lines.write(f"only {' '.join(names)}\n")


@dataclass(frozen=True)
class Ask:
    """Sends numbers to the card; after the death of a worker, one by one, without those to blame."""

    numbers: tuple[int, ...]
    model: str = "squares"
    closing: tuple[str, ...] | None = None
    name: str = "ask"
    size: int = 1

    def run(self, worker: Host, attempt: Attempt) -> list[Any]:
        attempt.at((self.name, str(self.numbers[0])))
        client = CardClient(worker.address)
        if self.closing is not None:
            client.keep_only(self.closing)
        assert client.open(self.model) == Squarer.facts
        if not attempt.singly:
            return client.compute(self.model, iter(self.numbers))
        return [self._one(number, client, attempt) for number in self.numbers]

    def _one(self, number: int, client: CardClient, attempt: Attempt) -> Any:
        place = (self.name, str(number))
        if place in attempt.blamed:
            return f"blamed: {attempt.blamed[place]}"
        attempt.at(place)
        return client.compute(self.model, [number])[0]


@dataclass(frozen=True)
class AskTwice:
    """Sends numbers that fail, then others on the same connection; returns the failure's text and the results."""

    first: tuple[int, ...]
    then: tuple[int, ...]
    name: str = "ask twice"
    size: int = 1

    def run(self, worker: Host, attempt: Attempt) -> tuple[str, list[Any]]:
        client = CardClient(worker.address)
        client.open("squares")
        try:
            client.compute("squares", self.first)
        except (KeyError, ValueError) as error:
            return str(error), client.compute("squares", self.then)
        return "", []


@dataclass(frozen=True)
class Address:
    """Returns the card of its worker."""

    name: str = "address"
    size: int = 1

    def run(self, worker: Host, attempt: Attempt) -> str:
        return worker.address
