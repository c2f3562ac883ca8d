"""Copies of pictures: within a split, between splits, and in other collections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from benchwright.canonical import digest
from benchwright.diagnostics.copies.pair_looks import FileToLookAt, LookedAt, PairToLookAt, by_certainty, likeliest
from benchwright.diagnostics.copies.pairing import DISTANCE
from benchwright.diagnostics.copies.picture_copies import PictureCopies
from benchwright.statistics.components import components_of

from ..check import AuditContext, CheckSkipped
from ..evidence import copy_measures_of, looked_at, picture_copies, readable_pictures
from ..findings.finding import Finding
from ..picture_measures import PictureMeasures
from ..source.audited_items import AuditedItems

_FIXED = 1 << 62
"""Pixel count given to pictures of other collections to mark them as the ones that stay, as in the step `leakage`."""


class CopiedPictures:
    """Copies among the source's own pictures.

    Within a split, items that intentionally use the same file, such as several questions about it, are not copies of
    one another. Between splits, the same file is as bad as a copy of it.
    """

    name: ClassVar[str] = "copies"
    title: ClassVar[str] = "Exact and near copies of pictures, within and between splits"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each group of pictures that are copies of one another, and for each doubtful series."""
        readable_pictures(audited, context)
        copies = picture_copies(audited, context)
        grouped = {image_id for group in copies.copies for image_id in group}
        alone = [(image_id,) for image_id in audited.items_of_picture if image_id not in grouped]
        for group in (*copies.copies, *alone):
            yield from self._of_group(audited, copies, group)
        for series in _series(copies.pairs("unsure")):
            yield _similar(audited, series)
        for look in copies.pairs("scene"):
            items = _items_of(audited, (look.first, look.second))
            if len(_splits_of(audited, items)) > 1:
                yield Finding(
                    "scene_across_splits",
                    "low",
                    items,
                    "Two splits show the same scene from different viewpoints.",
                    {"splits": sorted(_splits_of(audited, items))},
                    "likely",
                    (look.first, look.second),
                )

    def _of_group(self, audited: AuditedItems, copies: PictureCopies, group: Sequence[str]) -> Iterator[Finding]:
        items = _items_of(audited, group)
        files = _files_of(audited, group)
        splits = sorted(_splits_of(audited, items))
        if len(splits) > 1:
            kind, severity = "duplicate_picture_across_splits", "high"
            summary = f"The same picture is in the splits {', '.join(splits)}."
        elif len(files) > 1 or len(group) > 1:
            kind, severity = "duplicate_picture", "medium"
            summary = f"{len(files)} files are copies of one picture, so results on their items are not independent."
        else:
            return
        if len(items) < 2:  # one item shows both pictures, perhaps on purpose
            return
        exact = {copies.same_as.get(image_id, image_id) for image_id in group}
        evidence: dict[str, Any] = {
            "copies": "exact" if len(exact) == 1 else "near",
            "alike": copies.score(group),
            "files": files,
        }
        if splits:
            evidence["splits"] = splits
        certainty = "certain" if len(exact) == 1 else "likely"
        yield Finding(kind, severity, items, summary, evidence, certainty, tuple(group))  # type: ignore[arg-type]


def _series(looks: Iterable[LookedAt]) -> list[list[LookedAt]]:
    """Return the doubtful pairs by series; each series consists of the fewest and likeliest pairs that link it.

    Twelve drawings of one template form 66 doubtful pairs but should give a curator only one message. Eleven pairs
    suffice to name each picture with its most similar one.
    """
    pairs = sorted(looks, key=by_certainty)
    series: defaultdict[int, list[LookedAt]] = defaultdict(list)
    for component, look in zip(components_of((look.first, look.second) for look in pairs), pairs, strict=True):
        series[component].append(look)
    return [_spanning(together) for together in series.values()]


def _spanning(looks: Sequence[LookedAt]) -> list[LookedAt]:
    """Return the first pairs that together link all pictures."""
    above: dict[str, str] = {}

    def root(image_id: str) -> str:
        while (next_above := above.setdefault(image_id, image_id)) != image_id:
            above[image_id] = above[next_above]
            image_id = next_above
        return image_id

    kept = []
    for look in looks:
        one, other = root(look.first), root(look.second)
        if one != other:
            kept.append(look)
            above[one] = other
    return kept


def _similar(audited: AuditedItems, looks: Sequence[LookedAt]) -> Finding:
    pictures = tuple(dict.fromkeys(image_id for look in looks for image_id in (look.first, look.second)))
    evidence: dict[str, Any] = {"alike": looks[0].alike}
    summary = "Two pictures have much in common: a curator should check whether one was made from the other."
    if len(looks) > 1:
        evidence["pairs"] = [[look.first, look.second] for look in looks]
        summary = (
            f"{len(pictures)} pictures have much in common, like those of one template: a curator should check "
            "whether any was made from another."
        )
    return Finding("similar_pictures", "low", _items_of(audited, pictures), summary, evidence, "possible", pictures)


def _items_of(audited: AuditedItems, pictures: Iterable[str]) -> tuple[str, ...]:
    return audited.in_order(item for image_id in pictures for item in audited.items_of_picture.get(image_id, ()))


def _splits_of(audited: AuditedItems, items: Iterable[str]) -> set[str]:
    return {audited.splits[item] for item in items if item in audited.splits}


def _files_of(audited: AuditedItems, pictures: Iterable[str]) -> list[str]:
    """Return the names by which items refer to the pictures of a group, sorted and without repetitions."""
    group = set(pictures)
    names = {
        name
        for item in _items_of(audited, group)
        for image, name in zip(audited.worded[item].item.images, audited.worded[item].names, strict=False)
        if image.image_id in group
    }
    return sorted(names or {audited.pictures[image_id].name for image_id in group})


class CopiesElsewhere:
    """Pictures that are also in another collection: a folder, a release, a hash list."""

    name: ClassVar[str] = "copies_elsewhere"
    title: ClassVar[str] = "Pictures that other collections also hold"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each picture that a collection contains, or may contain."""
        if not context.against:
            raise CheckSkipped(
                "no other collection given; name a folder of pictures, a release or a hash list with --against"
            )
        measured = readable_pictures(audited, context)
        for place in context.against:
            yield from _found_in(place, audited, measured, context)


def _found_in(
    place: Path, audited: AuditedItems, measured: Mapping[str, PictureMeasures], context: AuditContext
) -> Iterator[Finding]:
    from benchwright.diagnostics.copies.collections import open_collection, picture_path
    from benchwright.diagnostics.copies.picture_hashes import KnownPicture
    from benchwright.diagnostics.copies.search import possible_leaks, sure_leaks

    collection = open_collection(place)
    rows = context.kept(
        "audit collection 1",
        collection.content,
        lambda: [picture._asdict() for picture in collection.pictures(workers=context.workers)],
    )
    theirs = [KnownPicture(**row) for row in rows]
    ids = list(measured)
    mine = []
    for image_id in ids:
        known = copy_measures_of(measured[image_id])._asdict()
        known.pop("miniature")  # a hash list has none
        mine.append(KnownPicture(image_id, image_id, _canonical_id(audited, image_id), **known))
    sure = sure_leaks(mine, theirs)
    for row, leak in sorted(sure.items()):
        yield _elsewhere(place, audited, ids[row], theirs[leak.place].name, {"by": leak.by}, is_sure=True)
    perhaps = {row: found for row, found in possible_leaks(mine, theirs, distance=DISTANCE).items() if row not in sure}
    folder = collection.pixels(context.folder)
    if folder is None:  # a hash list has no pixels to compare
        for row, candidates in sorted(perhaps.items()):
            name = theirs[candidates[0].place].name
            yield _elsewhere(place, audited, ids[row], name, {"by": "hash"}, is_sure=False)
        return
    files = {image_id: FileToLookAt(str(audited.pictures[image_id].file), 0) for image_id in ids}
    pairs: list[PairToLookAt] = []
    names: dict[str, str] = {}
    for row, candidates in sorted(perhaps.items()):
        for candidate in candidates:
            name = theirs[candidate.place].name
            other = digest([collection.content, name])
            names[other] = name
            files[other] = FileToLookAt(str(picture_path(folder, name)), _FIXED)
            pairs.append(PairToLookAt(ids[row], other, candidate.mirrored))
    for image_id, look in sorted(likeliest(looked_at(pairs, files, context).values()).items()):
        evidence = {"by": "look", "alike": look.alike, **({"scene": True} if look.verdict == "scene" else {})}
        is_sure = look.verdict == "confirmed"
        yield _elsewhere(place, audited, image_id, names[look.second], evidence, is_sure=is_sure)


def _canonical_id(audited: AuditedItems, image_id: str) -> str | None:
    source = audited.pictures[image_id].source
    return None if source is None else source.canonical_id


def _elsewhere(
    place: Path, audited: AuditedItems, image_id: str, name: str, evidence: dict[str, Any], *, is_sure: bool
) -> Finding:
    same = "another view of the same scene" if evidence.get("scene") else "the same picture"
    return Finding(
        "duplicate_in_other_collection" if is_sure else "similar_in_other_collection",
        "high" if is_sure else "low",
        audited.items_of_picture.get(image_id, ()),
        f"{place.name} holds {same}, as {name}."
        if is_sure
        else f"{place.name} may hold {same}, as {name}: a curator should check.",
        {"collection": str(place), "name": name, **evidence},
        "certain" if evidence.get("by") in ("file", "pixels", "canonical_id") else "likely" if is_sure else "possible",
        (image_id,),
    )
