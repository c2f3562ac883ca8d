"""The human baseline of a release: how often people who saw no key answered each item right.

A release may carry several, one per campaign that asked. Annotators go by pseudonyms; names stay in the review store.
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

if TYPE_CHECKING:
    from benchwright.release.format.reader import Release

FORMAT: Literal["benchwright/human-baseline"] = "benchwright/human-baseline"
FORMAT_VERSION = 2
"""Version 2 says, under a pseudonym, which annotator had which item right."""
Pseudonym = Annotated[str, Field(pattern=r"^annotator-[1-9][0-9]{0,5}$")]


class ItemAnswers(Record):
    """What became of one item: `right` of the `asked` annotators gave the right answer."""

    asked: int = Field(ge=1)
    right: int = Field(ge=0)
    by: dict[Pseudonym, bool] | None = None
    """Whether each annotator was right; None in a release of an older program."""

    @model_validator(mode="after")
    def _counts_are_those_of_the_annotators(self) -> ItemAnswers:
        if self.right > self.asked:
            raise ValueError(f"{self.right} right of {self.asked} asked")
        if self.by is not None and (counted := (sum(self.by.values()), len(self.by))) != (self.right, self.asked):
            raise ValueError(f"{self.right} right of {self.asked} asked, but annotators: {counted[0]} of {counted[1]}")
        return self


class CampaignBaseline(Record):
    """What one campaign of answers came to."""

    simulated: bool
    """Nobody answered: the annotators are simulated."""
    annotators: int = Field(ge=1)
    """Different annotators in the campaign."""
    answers_per_item: int = Field(ge=1)
    items: dict[ItemId, ItemAnswers]
    """Only items of the release; one that nobody was asked is not there."""

    @model_validator(mode="after")
    def _no_item_was_asked_of_more(self) -> CampaignBaseline:
        most = min(self.annotators, self.answers_per_item)
        for item_id, answers in self.items.items():
            if answers.asked > most:
                raise ValueError(f"item {item_id} was asked {answers.asked} times, which {most} annotators cannot be")
        named = {name for answers in self.items.values() for name in answers.by or ()}
        if len(named) > self.annotators:
            raise ValueError(f"{len(named)} annotators answered, of {self.annotators}")
        return self


_Baseline = TypeAdapter(dict[Annotated[str, Field(min_length=1, max_length=200)], CampaignBaseline])


def read_human_baseline(release: Release) -> Mapping[str, Any] | None:
    """Return a release's human baseline as JSON values; None where nobody was asked.

    Returns:
        By campaign: `{"simulated", "annotators", "answers_per_item", "items": {item_id: {"asked", "right", "by"}}}`,
        where `by` says of each annotator's pseudonym whether they were right, and is missing in older releases.

    Raises:
        DataError: The file is missing, is not as it was frozen, or is no such document.
    """
    if HUMAN_BASELINE not in release.manifest.files:
        return None
    try:
        data = read_inside(release.path, HUMAN_BASELINE, max_bytes=documents.MAX_BYTES)
        if bytes_digest(data) != release.manifest.files[HUMAN_BASELINE].sha256:
            raise DataError(f"{HUMAN_BASELINE} is not as it was frozen; `benchwright release verify` says more")
        baseline = parse_human_baseline(data)
    except DataError as error:
        raise DataError(f"{release.path}: {error}") from error
    return _Baseline.dump_python(baseline, mode="json", exclude_none=True)  # type: ignore[no-any-return]


def parse_human_baseline(data: bytes) -> dict[str, CampaignBaseline]:
    """Return what the bytes of a `human_baseline.json` say, by campaign.

    Raises:
        DataError: It is of another format or a newer version, or counts what cannot be.
    """
    document = documents.parse(data, title=HUMAN_BASELINE)
    body = documents.stated(document, FORMAT, FORMAT_VERSION, title=HUMAN_BASELINE)
    if unknown := sorted(body.keys() - {"format", "version", "baseline"}):
        raise DataError(f"{HUMAN_BASELINE}: holds {shown(unknown[0][:60])}, which is no part of the format")
    return check_human_baseline(body.get("baseline"))


def check_human_baseline(baseline: Any) -> dict[str, CampaignBaseline]:
    """Return a human baseline given as JSON values, checked.

    Raises:
        DataError: It has another shape, or counts what cannot be.
    """
    try:
        return _Baseline.validate_python(baseline, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(["baseline", *(str(part)[:60] for part in first["loc"])])
        raise DataError(f"{HUMAN_BASELINE}: {shown(place)}: {shown(first['msg'])}") from error
