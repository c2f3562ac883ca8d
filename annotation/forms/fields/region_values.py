"""Values of a region field: lists of regions as JSON values, checked against the task's pictures.

They come from browsers, tables and other programs, and are untrusted. `benchwright.regions` checks each region; this
module checks the list as a whole, the labels and the size.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.regions import MAX_LABEL, Region, RegionError, RegionShape, SizeWH, read_region
from benchwright.texts.normalization import counted

from .texts import can_be_kept

MOST_REGIONS = 1_000
"""Maximum number of regions that one field accepts."""
MAX_REGION_BYTES = 4 << 20
"""Maximum size in bytes of all regions in one submission, as JSON."""
_MOST_TOLD = 5
_PLURALS: Mapping[RegionShape, tuple[str, str]] = {
    "point": ("point", "points"),
    "points": ("row of points", "rows of points"),
    "box": ("box", "boxes"),
    "polygon": ("polygon", "polygons"),
    "mask": ("mask", "masks"),
    "correspondence": ("correspondence", "correspondences"),
}


class RegionRule(NamedTuple):
    """The regions that a field accepts.

    Args:
        shape: Shape of every region.
        labels: Labels to choose from, by code.
        free_label: Whether an annotator may write their own label.
        max_count: Maximum number of regions.
    """

    shape: RegionShape
    labels: Mapping[str, str]
    free_label: bool
    max_count: int


def read_regions(value: Any, rule: RegionRule, sizes_wh: Sequence[SizeWH]) -> list[dict[str, Any]]:
    """Return the regions of a field as JSON values, in the order drawn; empty if there are none.

    Args:
        value: List of regions as JSON values, or the same list as JSON text, as in tables.
        rule: Rule of the field.
        sizes_wh: Size of each picture of the task in pixels, upright.

    Raises:
        RegionError: A region is wrong; the message names up to five wrong regions by position.
    """
    documents = _listed(value)
    if documents and not sizes_wh:
        raise RegionError("regions belong to a picture, and this task shows none whose size is known")
    if len(documents) > rule.max_count:
        raise RegionError(f"at most {rule.max_count:,} regions; it has {len(documents):,}")
    regions: list[dict[str, Any]] = []
    mistakes: list[str] = []
    for number, document in enumerate(documents, start=1):
        try:
            regions.append(_read(document, rule, sizes_wh).model_dump(mode="json"))
        except RegionError as error:
            mistakes.append(f"region {number}: {error}")
    if mistakes:
        more = [f"and {len(mistakes) - _MOST_TOLD} more are wrong"] if len(mistakes) > _MOST_TOLD else []
        raise RegionError("; ".join([*mistakes[:_MOST_TOLD], *more]))
    return regions


def size_of(regions: Sequence[Mapping[str, Any]]) -> int:
    """Return the size in bytes of regions as JSON."""
    return len(canonical_json(regions).encode("utf-8", "surrogatepass"))


def regions_in_words(regions: Sequence[Mapping[str, Any]], rule: RegionRule) -> str:
    """Return a description of marks for readers, such as `3 boxes (dog 2, cat)`."""
    one, several = _PLURALS[rule.shape]
    counts = Counter(region.get("label", "") for region in regions)
    labels = ", ".join(
        rule.labels.get(label, label) + (f" {n}" if n > 1 else "") for label, n in counts.items() if label
    )
    head = counted(len(regions), one, several)
    return f"{head} ({labels})" if labels else head


def shape_in_words(shape: RegionShape) -> str:
    """Return the plural name of a shape for readers."""
    return _PLURALS[shape][1]


def _listed(value: Any) -> list[Any]:
    """Return the JSON documents in an untrusted value."""
    if value is None or value == "":
        return []
    if isinstance(value, str):
        if len(value) > MAX_REGION_BYTES:
            raise RegionError(f"at most {MAX_REGION_BYTES >> 20} MiB of regions; it has {len(value):,} characters")
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise RegionError("this is not a list of regions in JSON") from None
    if not isinstance(value, list | tuple):
        raise RegionError("regions must be a list of JSON objects")
    return list(value)


def _read(document: Any, rule: RegionRule, sizes_wh: Sequence[SizeWH]) -> Region:
    region = read_region(document, sizes_wh)
    if region.shape != rule.shape:
        raise RegionError(f"this field takes {shape_in_words(rule.shape)}, not {shape_in_words(region.shape)}")
    label = region.label.strip()
    if rule.labels and not rule.free_label and label not in rule.labels:
        label_problem = f"label {ascii(label)[:80]} is not one of" if label else "a label is missing; it is one of"
        raise RegionError(f"{label_problem} {', '.join(rule.labels)}")
    if not rule.labels and not rule.free_label and label:
        raise RegionError(f"this field takes no labels, and the region has {ascii(label)[:80]}")
    if rule.free_label:
        _check_free(label)
    return region if label == region.label else region.model_copy(update={"label": label})


def _check_free(label: str) -> None:
    if not label:
        raise RegionError("a label is missing; say in a word or two what is marked")
    if len(label.splitlines()) > 1 or not can_be_kept(label):
        raise RegionError(
            f"a label must be one line of at most {MAX_LABEL} characters, without null or incomplete ones"
        )
