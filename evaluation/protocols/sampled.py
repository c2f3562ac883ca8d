"""A protocol that draws several replies to each question of another protocol, to measure how the replies vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

from benchwright.errors import BenchwrightError

from ..metrics.base import is_right
from ..metrics.votes import DRAW, voted
from .base import Ask, ItemVerdict, JudgedReply, Protocol, ProtocolQuestion, worst_state

if TYPE_CHECKING:
    from pathlib import Path

    from benchwright.records import Item
    from benchwright.release import Release

    from ..backends.base import Backend
    from ..backends.options import BackendOptions
    from ..prompting.question import Released


class Sampled(Protocol):
    """Ask the one question of another protocol k times; metrics count every draw, and the item's verdict is the vote.

    It has no name on the command line: `samples` is an option of the model, like the temperature.
    """

    name: ClassVar[str] = "sampled"
    source: ClassVar[str] = "M. Chen et al., arXiv:2107.03374 (pass@k); X. Wang et al., arXiv:2203.11171 (the vote)"
    repeats: ClassVar[bool] = True

    inner: Protocol
    draws: int

    @property
    def text(self) -> str:
        """Return the sampled protocol in command-line form."""
        return self.inner.text

    def settings(self) -> dict[str, Any]:
        """Return the name and settings of the sampled protocol."""
        return self.inner.settings()

    def takes(self, item: Item) -> bool:
        """Return whether the sampled protocol can ask an item."""
        return self.inner.takes(item)

    def begin(self, release: Release, split: str | None) -> Ask:
        """Return the function that asks every question once for each draw, `d1` to `d<k>`."""
        ask = self.inner.begin(release, split)

        def drawn(released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
            [asked] = ask(released, earlier)
            return [_of_draw(asked, released.item.item_id, number) for number in range(1, self.draws + 1)]

        return drawn

    def outline(self) -> Sampled:
        """Return the same draws of the sampled protocol's outline."""
        return self.model_copy(update={"inner": self.inner.outline()})

    def files(self) -> tuple[Path, ...]:
        """Return the files of the sampled protocol."""
        return self.inner.files()

    def chance(self, item: Item) -> float:
        """Return the probability that a uniformly drawn letter answers the item correctly."""
        return self.inner.chance(item)

    def region_iou(self, item: Item, attempts: Sequence[JudgedReply]) -> float | None:
        """Return the mean over the samples, or None if no region was requested."""
        values = [self.inner.region_iou(item, [attempt]) for attempt in attempts]
        located = [value for value in values if value is not None]
        return fmean(located) if located else None

    def verdict(self, item: Item, attempts: Sequence[JudgedReply]) -> ItemVerdict:
        """Return the verdict of the vote: the letter that most draws name, or no letter in a tie."""
        letter = voted([attempt.letter for attempt in attempts])
        if letter is not None:
            return ItemVerdict("answered", letter, is_right(item, letter))
        state = worst_state(attempts)
        return ItemVerdict("miss" if state == "answered" else state, None, right=False)


def draws_of(protocol: Protocol) -> int:
    """Return the number of replies to sample for each question of a protocol."""
    return protocol.draws if isinstance(protocol, Sampled) else 1


def sampled(protocol: Protocol, options: BackendOptions, backend: Backend) -> Protocol:
    """Return a protocol with the number of samples given in the options, or the same protocol for a single sample.

    Raises:
        BenchwrightError: The protocol asks more than one question per item, or all samples would be equal.
    """
    if options.samples == 1:
        return protocol
    if not getattr(backend, "draws_samples", False):
        raise BenchwrightError(
            f"--samples needs a model that draws its replies, such as openai:NAME; {backend.name} always gives the "
            "same reply"
        )
    check_samples(protocol, options)
    return Sampled(inner=protocol, draws=options.samples)


def check_samples(protocol: Protocol, options: BackendOptions) -> None:
    """Refuse several samples under a protocol with several questions per item, and samples that would all be identical.

    Raises:
        BenchwrightError: Protocol and options conflict.
    """
    if options.samples == 1:
        return
    if protocol.repeats or protocol.rounds > 1 or not protocol.asks_once:
        raise BenchwrightError(
            f"--samples needs a protocol with one question per item, and {protocol.text!r} asks several; draw "
            "samples under another protocol, such as vanilla"
        )
    if options.temperature == 0 and not {"temperature"} & {*options.omit, *options.fields}:
        raise BenchwrightError(
            f"{options.samples} samples at temperature 0 would be equal: give --temperature, such as 0.7, or --omit "
            "temperature for a model that takes none (in a recipe temperature, omit)"
        )


def _of_draw(asked: ProtocolQuestion, item_id: str, number: int) -> ProtocolQuestion:
    variant = f"{DRAW}{number}"
    question = asked.question and replace(asked.question, item_id=f"{item_id}.{variant}", draw=number)
    return asked._replace(variant=variant, question=question)
