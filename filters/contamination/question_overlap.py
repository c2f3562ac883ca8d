"""Questions whose words occur in a corpus: text that a model may have read together with its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import digest, file_digest
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.questions.overlap import NGRAM, SharedRuns, corpus_files, question_and_options
from benchwright.records import Item
from benchwright.steps import FOLDER, GatherContext, Gathered, GatherStep, Stream

if TYPE_CHECKING:
    import pyarrow as pa

_REASON = "words_in_corpus"
_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class QuestionOverlap(GatherStep):
    """Ask about items whose words appear in a corpus of yours, such as a training set or another benchmark.

    Compares runs of consecutive words in the question and the options, in this order. For a shorter item with at least
    five words, it compares all words. Ignores case and punctuation. A corpus may be of any size: it is read once, in
    chunks. A run records its digest instead of its path, so that a changed corpus is read again.

    Args:
        against: Text files, JSON lines, or folders with such files, relative to the recipe's folder; compressed ones
            end in `.gz`.
        words: Number of consecutive words that count as copied. A smaller number finds more copies, but also more
            chance matches.
        verdict: Verdict on such an item.

    Reasons:
        words_in_corpus (drop or ask): A corpus contains the words; the evidence gives its index in `against`, the file,
            the line and the words.
    """

    name: ClassVar[str] = "question_overlap"
    consumes: ClassVar[Stream] = "items"
    columns: ClassVar[tuple[str, ...]] = ("record",)

    against: tuple[str, ...] = Field(min_length=1)
    words: int = Field(NGRAM, ge=4, le=100)
    verdict: Literal["ask", "drop"] = "ask"
    _places: tuple[Path, ...] = PrivateAttr(())

    @model_validator(mode="after")
    def _find(self, info: ValidationInfo) -> QuestionOverlap:
        if not any(_BY_DIGEST.fullmatch(place) for place in self.against):
            folder = (info.context or {}).get(FOLDER, Path())
            self._places = tuple(folder / place for place in self.against)
            for place in self._places:
                try:
                    corpus_files(place)
                except BenchwrightError as error:
                    raise ValueError(str(error)) from error
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings with the digest of each corpus instead of its path."""
        known = [f"sha256:{_digest(place)}" for place in self._places]
        return super().parameters() | {"against": known or list(self.against)}

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Read the corpora once, and record where each item's words first occur."""
        if not self._places:
            raise PrerequisiteError(f"step {ctx.stage!r}: the corpora are known by digest only; give their paths")
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        runs = SharedRuns([question_and_options(item) for item in items], n=self.words)
        overlaps = runs.first_overlaps(self._places)
        rows = sorted(overlaps)
        evidence: list[Mapping[str, Any]] = [
            {"against": number, "where": overlap.where, "words": overlap.words}
            for number, overlap in (overlaps[row] for row in rows)
        ]
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=[self.verdict] * len(rows),
            reasons=[_REASON] * len(rows),
            evidence=evidence,
        )


def _digest(place: Path) -> str:
    return digest([(path.relative_to(place).as_posix(), file_digest(path)) for path in corpus_files(place)])
