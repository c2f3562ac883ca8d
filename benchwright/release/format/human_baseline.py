"""The human baseline of a release: how often annotators who did not see the key answered each item correctly.

A release may contain several baselines, one per answer campaign. Pseudonyms identify the annotators; their names stay
in the review store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.records import ItemId, Record
from benchwright.release.format import documents
from benchwright.release.format.files import read_inside, shown
from benchwright.release.format.manifest import HUMAN_BASELINE
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from benchwright.release.format.reader import Release

FORMAT: Literal["benchwright/human-baseline"] = "benchwright/human-baseline"
FORMAT_VERSION = 2
"""Version of the format; version 2 added each annotator's result per item, by pseudonym."""
Pseudonym = Annotated[str, Field(pattern=r"^annotator-[1-9][0-9]{0,5}$")]


class ItemAnswers(Record):
    """Answers to one item: `right` out of the `asked` annotators gave the right answer."""

    asked: int = Field(ge=1)
    right: int = Field(ge=0)
    by: dict[Pseudonym, bool] | None = None
    """Whether each annotator was right, by pseudonym; None in a release of an older version."""

    @model_validator(mode="after")
    def _counts_are_those_of_the_annotators(self) -> ItemAnswers:
        if self.right > self.asked:
            answers = counted(self.right, "answer is", "answers are")
            raise ValueError(f"{answers} right, but only {self.asked} were asked")
        if self.by is not None and (of_all := (sum(self.by.values()), len(self.by))) != (self.right, self.asked):
            raise ValueError(f"{self.right} right of {self.asked} asked, but annotators: {of_all[0]} of {of_all[1]}")
        return self


class CampaignBaseline(Record):
    """Results of one answer campaign."""

    simulated: bool
    """Whether the annotators were simulated."""
    annotators: int = Field(ge=1)
    """Number of distinct annotators in the campaign."""
    answers_per_item: int = Field(ge=1)
    items: dict[ItemId, ItemAnswers]
    """Answers by item, only for released items that at least one annotator answered."""

    @model_validator(mode="after")
    def _no_item_was_asked_of_more(self) -> CampaignBaseline:
        most = min(self.annotators, self.answers_per_item)
        for item_id, answers in self.items.items():
            if answers.asked > most:
                raise ValueError(
                    f"item {item_id} was asked {counted(answers.asked, 'time')}, which {counted(most, 'annotator')} "
                    "cannot be"
                )
        named = {name for answers in self.items.values() for name in answers.by or ()}
        if len(named) > self.annotators:
            raise ValueError(f"{counted(len(named), 'annotator')} answered, of {self.annotators}")
        return self


_Baseline = TypeAdapter(dict[Annotated[str, Field(min_length=1, max_length=200)], CampaignBaseline])


def read_human_baseline(release: Release) -> Mapping[str, Any] | None:
    """Return a release's human baseline as JSON values, or None if no annotator was asked.

    Returns:
        By campaign: `{"simulated", "annotators", "answers_per_item", "items": {item_id: {"asked", "right", "by"}}}`.
        `by` maps each annotator's pseudonym to whether the annotator was right; older releases lack it.

    Raises:
        DataError: The file is missing, was changed after freezing, or is not such a document.
    """
    if HUMAN_BASELINE not in release.manifest.files:
        return None
    try:
        data = read_inside(release.path, HUMAN_BASELINE, max_bytes=documents.MAX_BYTES)
        if bytes_digest(data) != release.manifest.files[HUMAN_BASELINE].sha256:
            raise DataError(
                f"{HUMAN_BASELINE} differs from the frozen file; `benchwright release verify` shows details"
            )
        baseline = parse_human_baseline(data)
    except DataError as error:
        raise DataError(f"{release.path}: {error}") from error
    return _Baseline.dump_python(baseline, mode="json", exclude_none=True)  # type: ignore[no-any-return]


def parse_human_baseline(data: bytes) -> dict[str, CampaignBaseline]:
    """Return the content of a `human_baseline.json` given as bytes, by campaign.

    Raises:
        DataError: The document has another format or a newer version, or impossible counts.
    """
    document = documents.parse(data, title=HUMAN_BASELINE)
    body = documents.stated(document, FORMAT, FORMAT_VERSION, title=HUMAN_BASELINE)
    if unknown := sorted(body.keys() - {"format", "version", "baseline"}):
        raise DataError(f"{HUMAN_BASELINE}: contains {shown(unknown[0][:60])}, which is not part of the format")
    return check_human_baseline(body.get("baseline"))


def check_human_baseline(baseline: Any) -> dict[str, CampaignBaseline]:
    """Check a human baseline, given as JSON values, and return it.

    Raises:
        DataError: The value has another structure, or impossible counts.
    """
    try:
        return _Baseline.validate_python(baseline, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(["baseline", *(str(part)[:60] for part in first["loc"])])
        raise DataError(f"{HUMAN_BASELINE}: {shown(place)}: {shown(first['msg'])}") from error
