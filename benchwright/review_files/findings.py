"""Findings of a campaign of error analysis, as a document without annotators' names, for reports.

It contains only counts and reasons; only the review store knows who gave them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from benchwright.errors import DataError
from benchwright.records import ItemId, Record, Sha256
from benchwright.release.format import documents
from benchwright.review_files.tasks import Code, FindingCategory
from benchwright.texts.normalization import counted

FORMAT: Literal["benchwright/review-findings"] = "benchwright/review-findings"
VERSION = 1

_Text = Annotated[str, Field(max_length=10_000)]
_Alpha = Annotated[float, Field(ge=-1, le=1)]


class ItemFindings(Record):
    """Findings of annotators about one item.

    Attributes:
        item_id: Id of the item.
        about: Subject of the task, such as the model.
        annotators: Number of annotators who examined the item.
        categories: Number of annotators who named each category.
        reasons: Reasons that they wrote, sorted.
    """

    item_id: ItemId
    about: dict[Code, str] = Field(default_factory=dict)
    annotators: int = Field(ge=1)
    categories: dict[Code, Annotated[int, Field(ge=1)]]
    reasons: tuple[_Text, ...] = ()

    @model_validator(mode="after")
    def _nobody_names_a_category_twice(self) -> ItemFindings:
        if (most := max(self.categories.values(), default=0)) > self.annotators:
            raise ValueError(
                f"item {self.item_id}: a category named {counted(most, 'time')} by "
                f"{counted(self.annotators, 'annotator')}"
            )
        return self


class Findings(Record):
    """Results of a campaign of error analysis.

    Attributes:
        campaign: Name of the campaign.
        kind: Kind of the campaign.
        release: Name and version of the release, for display.
        release_id: Id of the release.
        categories: Categories that annotators could name, in their order.
        tasks: Number of items to examine; `items` contains fewer while the campaign is open.
        annotators: Number of different annotators.
        agreement: Krippendorff's alpha over sets of categories (`masi_alpha`); None if undefined.
        by_category: Alpha for each category, as named or not named; None if undefined.
        items: Findings for each item, sorted by id.
    """

    format: Literal["benchwright/review-findings"] = FORMAT
    version: Literal[1] = 1
    campaign: Annotated[str, Field(min_length=1, max_length=200)]
    kind: Code
    release: str
    release_id: Sha256
    categories: tuple[FindingCategory, ...]
    tasks: int = Field(ge=0)
    annotators: int = Field(ge=0)
    agreement: _Alpha | None = None
    by_category: dict[Code, _Alpha | None] = Field(default_factory=dict)
    items: tuple[ItemFindings, ...]

    @model_validator(mode="after")
    def _categories_are_known(self) -> Findings:
        known = {category.code for category in self.categories}
        for item in self.items:
            if unknown := sorted(set(item.categories) - known):
                raise ValueError(f"item {item.item_id} names category {unknown[0]!r}, which the campaign does not have")
        return self

    def spelled(self) -> bytes:
        """Return the document as bytes; equal findings give equal bytes."""
        return documents.spell(self.model_dump(mode="json"), title="findings")


def read_findings(path: Path) -> Findings:
    """Return the findings in a file.

    Raises:
        DataError: The file does not contain findings, or has a newer version.
    """
    if not path.is_file() or path.stat().st_size > documents.MAX_BYTES:
        problem = "too large" if path.is_file() else "not a file" if path.exists() else "not there"
        raise DataError(f"{path} is {problem}; `benchwright review results CAMPAIGN --out FILE.json` writes findings")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    document: Any = documents.stated(documents.parse(data, title=str(path)), FORMAT, VERSION, title=str(path))
    try:
        return Findings.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part)[:60] for part in first["loc"])
        raise DataError(f"{path}: {ascii(place)[1:-1]}: {first['msg']}") from error
