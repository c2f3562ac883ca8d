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
    """Ask like BLINK: its words, disclaimers before three tasks, up to ten tries, pictures in their original size.

    `joined=true` is for models that take one picture.
    """

    name: ClassVar[str] = "blink"
    source: ClassVar[str] = "BLINK section 4.1, and its repository's eval/test_benchmark.py"

    wording: Literal["blink"] = "blink"
    tries: int = Field(10, ge=1, le=101)
    """Largest number of tries per item until it is answered; temporary failures (`retries`) are counted separately."""

    def decoding(self, options: BackendOptions) -> BackendOptions:
        """Return the options with this protocol's number of tries."""
        return options.model_copy(update={"tries": self.tries})


class MVPBench(Templated):
    """Ask like MVP-Bench, once; on request with the instruction that encourages commonsense.

    Its multiple-choice questions count under `circular:wording=mvp-bench`.
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
