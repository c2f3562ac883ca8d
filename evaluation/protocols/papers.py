"""BLINK's and MVP-Bench's protocols, which ask each question once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from ..prompting.question import Released, question_of
from .base import JudgedReply, ProtocolQuestion
from .templated import Templated

if TYPE_CHECKING:
    from ..backends.options import BackendOptions


class Blink(Templated):
    """Ask as BLINK does: its words, disclaimers before three tasks, up to ten tries, pictures in their own size.

    `joined=true` is for models that take one picture.
    """

    name: ClassVar[str] = "blink"
    source: ClassVar[str] = "BLINK section 4.1, and its repository's eval/test_benchmark.py"

    wording: Literal["blink"] = "blink"
    tries: int = Field(10, ge=1, le=101)
    """How often an item is asked at most, until it is answered; what passes by itself (`retries`) counts apart."""

    def decoding(self, options: BackendOptions) -> BackendOptions:
        """Return the options with this protocol's number of tries."""
        return options.model_copy(update={"tries": self.tries})


class MVPBench(Templated):
    """Ask as MVP-Bench does, once; with the instruction that encourages commonsense where that is wanted.

    Its multiple-choice questions are counted under `circular:wording=mvp-bench`.
    """

    name: ClassVar[str] = "mvp-bench"
    source: ClassVar[str] = "MVP-Bench section 3 and section 5.2 (table 4: commonsense=true)"

    wording: Literal["mvp-bench"] = "mvp-bench"
    commonsense: bool = False

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the question, with or without the instruction."""
        del earlier
        worded = Templated(wording="mvp-bench-commonsense" if self.commonsense else "mvp-bench", joined=self.joined)
        return [worded.put(released.item, question_of(released))]
