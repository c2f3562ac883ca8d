"""The writer of releases: items may be given in any order, and the bytes of the folder depend only on its content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.drawing.model_pictures import DRAWING_VERSION
from benchwright.errors import BenchwrightError, DataError
from benchwright.progress import Progress, Silent
from benchwright.record_map import RecordMap, map_here
from benchwright.records import ImageRecord, Item, Operation
from benchwright.release.card.card import card
from benchwright.release.card.card_facts import CardFacts
from benchwright.release.card.citation import CITATION, citation
from benchwright.release.card.example import EXAMPLE
from benchwright.release.card.image_sources import IMAGE_SOURCES, image_source_lines
from benchwright.release.card.pictures_to_fetch import FETCH_LIST, FETCH_SCRIPT, fetch_list_lines, fetch_script
from benchwright.release.format import agreement as agreements
from benchwright.release.format import documents, manifest
from benchwright.release.format import human_baseline as human
from benchwright.release.format.blind_strategy import BlindStrategy, spelled
from benchwright.release.format.errata import FORMAT as ERRATA_FORMAT
from benchwright.release.format.errata import Corrections, errata_document
from benchwright.release.format.identity import canary_of
from benchwright.release.format.manifest import FileEntry, ItemCounts, Manifest, SplitCounts
from benchwright.release.format.parquet import PieceLimits
from benchwright.release.format.provenance import (
    ENCODED,
    FILE_STEPS,
    METADATA_REMOVED,
    TURNED,
    address_of,
    write_provenance,
)
from benchwright.release.format.reader import Release
from benchwright.release.format.statements import Statements
from benchwright.release.sealing.sealing import Sealing
from benchwright.release.verification.claims import people_claimed
from benchwright.release.verification.verify import verify_release
from benchwright.release.writing.data_files import DataFiles, entry_of
from benchwright.release.writing.expected_size import ExpectedSize, expected_size
from benchwright.release.writing.folder import move_into_place, unfinished
from benchwright.release.writing.staging import Staging
from benchwright.workspace.item_cache import ItemCache


@dataclass(frozen=True)
class _Contents:
    """Content of a release other than its items and pictures."""

    name: str
    version: str
    operations: Sequence[Operation]
    recipe: Mapping[str, Any]
    stages: Sequence[Mapping[str, Any]]
    agreement: Mapping[str, Mapping[str, Any]]
    seed: int | None
    licence: str | None
    description: str
    human_baseline: Mapping[str, Any] | None
    corrections: Corrections | None
    limits: PieceLimits
    sealing: Sealing | None
    by_address: Callable[[ImageRecord], bool] | None
    visual: Container[str]
    exact_tasks: Container[str]
    blind: BlindStrategy | None
    statements: Statements | None
    store: ItemCache
    announce: Callable[[ExpectedSize], None]
    record_map: RecordMap
    progress: Progress
    note: Callable[[Path, str, os.stat_result], None]

    def is_visual(self, operation_id: str, task: str) -> bool:
        """Return whether only the appearance of the pictures matters for items of a task made by an operation."""
        return operation_id in self.visual and task not in self.exact_tasks

    def operations_of(self, *steps: str) -> list[str]:
        """Return the ids of the operations of the given steps."""
        return [operation.operation_id for operation in self.operations if operation.step in steps]


def write_release(
    folder: Path,
    *,
    name: str,
    version: str,
    items: Iterable[tuple[Item, str]],
    image: Callable[[str], ImageRecord],
    image_bytes: Callable[[ImageRecord], bytes],
    operations: Iterable[Operation],
    recipe: Mapping[str, Any],
    stages: Sequence[Mapping[str, Any]],
    agreement: Mapping[str, Mapping[str, Any]],
    seed: int | None,
    licence: str | None = None,
    description: str = "",
    human_baseline: Mapping[str, Any] | None = None,
    corrections: Corrections | None = None,
    replace: bool = False,
    limits: PieceLimits | None = None,
    sealing: Sealing | None = None,
    key: Path | None = None,
    by_address: Callable[[ImageRecord], bool] | None = None,
    visual: Container[str] = frozenset(),
    exact_tasks: Container[str] = frozenset(),
    blind: BlindStrategy | None = None,
    statements: Statements | None = None,
    store: ItemCache | None = None,
    announce: Callable[[ExpectedSize], None] | None = None,
    record_map: RecordMap = map_here,
    progress: Progress | None = None,
    note: Callable[[Path, str, os.stat_result], None] | None = None,
) -> Release:
    """Write a release folder, either completely or not at all, and return the open release.

    Equal content gives equal bytes, whatever the order of items. Memory use grows neither with items nor with pictures.

    Args:
        folder: Folder of the release; left unchanged if it already contains exactly this release.
        name: Name of the benchmark: lower-case letters, digits, `-` and `_`.
        version: Version of the release: letters, digits, `.`, `+` and `-`.
        items: Items, each given once, with the names of their splits.
        image: Function that returns the record of an image that the last item taken shows or derives from.
        image_bytes: Function that returns the file of a record; called later and in another order, at least once per
            picture.
        operations: Operations that made the items and their images.
        recipe: Resolved recipe, without values that vary between machines.
        stages: Name, fingerprint and counts of each stage.
        agreement: Summaries of campaigns by name; `simulated` in a summary marks its annotators as simulated.
        seed: Seed of the run; None if it is withheld.
        licence: License of the release as a whole, such as `cc-by-4.0`.
        description: Markdown for the card.
        human_baseline: How often annotators answered these items right, as
            `benchwright.release.format.human_baseline.read_human_baseline` returns it; None if none were asked.
        corrections: Corrections that `items` have passed through; the result of each erratum is written to the release.
        replace: Whether to replace another release in the folder, as drafts do.
        limits: Sizes at which row groups and files are split.
        sealing: Sealing that the items and all other content passed through; None if no split is sealed.
        key: Path of the key file, which is written before the release; only with `sealing`.
        by_address: Function that returns whether the release states the URL and the hash of a record instead of
            containing its file; None if it contains every file.
        visual: Ids of the operations for whose items only the appearance of pictures matters; drawings of their
            pictures are JPEG. Read only after the last item.
        exact_tasks: Tasks in which each pixel matters, whatever operation made the items.
        blind: Accuracy of the best strategy that does not see the pictures; None if not measured.
        statements: Statements of the curators about the release.
        store: Store of pictures drawn or encoded for earlier releases, and of the digests of their files, so that
            unchanged ones are copied; without one, all are made.
        announce: Receiver of the size of the release, called before anything is drawn or written.
        record_map: Map that draws the marks over pictures; by default in this process.
        progress: Receiver of the number of marked items drawn so far.
        note: Receiver of the path of each data file, its SHA-256, and its status from before it was hashed.

    Raises:
        BenchwrightError: The folder contains something else, or the name or the version is invalid.
        DataError: An item, an image, an operation or the human baseline is invalid, or the description attributes
            simulated work to people.
    """  # phrase: allowed
    _check_names(folder, name, version)
    if claim := people_claimed(description, agreement):
        raise DataError(
            f"the description of release {name!r} says {claim!r}, but every campaign was simulated; leave that out "
            "(the card itself states who decided), or say that it was simulated"
        )
    contents = _Contents(
        name,
        version,
        _distinct(operations),
        recipe,
        stages,
        agreement,
        seed,
        licence,
        description,
        human_baseline,
        corrections,
        limits or PieceLimits(),
        sealing,
        by_address,
        visual,
        exact_tasks,
        blind,
        statements if statements is not None and statements.document() else None,
        store or ItemCache(None),
        announce or (lambda _: None),
        record_map,
        progress or Silent(),
        note or (lambda *_: None),
    )
    with unfinished(folder) as draft:
        scratch = draft / "staging.sqlite"
        with Staging(scratch) as staging:
            staging.take_in(items, image)
            _write(draft, folder, staging, image_bytes, contents)
        scratch.unlink()
        is_new = not folder.exists() or (replace and not _is_same(draft, folder))
        if sealing is not None and key is not None and (is_new or _is_same(draft, folder)):
            _, release_id = manifest.read_manifest(draft)
            sealing.write_key(key, release=f"{name} {version}", release_id=release_id)
        if is_new:
            move_into_place(draft, folder)
        else:
            _check_existing(draft, folder)
    return Release.open(folder)


def _check_names(folder: Path, name: str, version: str) -> None:
    if not re.fullmatch(manifest.NAME, name):
        raise BenchwrightError(f"release name {name!r}: give lower-case letters, digits, '-' and '_', at most 64")
    if not re.fullmatch(manifest.VERSION, version):
        raise BenchwrightError(f"release version {version!r}: give letters, digits, '.', '+' and '-', at most 64")
    if folder.is_symlink() or folder.exists():
        try:
            manifest.read_manifest(folder)
        except DataError as error:
            raise BenchwrightError(
                f"{folder} exists and is not a readable release ({error}); give a folder that does not exist"
            ) from error


def _distinct(operations: Iterable[Operation]) -> list[Operation]:
    return list({operation.operation_id: operation for operation in operations}.values())


def _write(
    draft: Path, folder: Path, staging: Staging, image_bytes: Callable[[ImageRecord], bytes], contents: _Contents
) -> None:
    counts = _counts(staging)
    if not counts.items:
        raise DataError(f"release {contents.name!r} would be empty: no item remains to release")
    _check_operations(staging, contents)
    _check_baseline(staging, contents)
    size = expected_size(
        staging.shown(contents.is_visual),
        image=staging.image,
        steps={operation.operation_id: operation.step for operation in contents.operations},
        by_address=contents.by_address or (lambda _: False),
        text_bytes=staging.text_bytes(),
    )
    contents.announce(size)
    canary = canary_of(contents.name, contents.version)
    (draft / "data").mkdir()
    if marked := sum(staging.marked().values()):
        contents.progress.phase("drawing of marks", marked, "items")
    data = DataFiles(
        draft=draft,
        folder=folder,
        staging=staging,
        canary=canary,
        limits=contents.limits,
        image_bytes=image_bytes,
        by_address=contents.by_address or (lambda _: False),
        is_visual=contents.is_visual,
        store=contents.store,
        record_map=contents.record_map,
        progress=contents.progress,
        note=contents.note,
    )
    files: dict[str, FileEntry] = {}
    for split in sorted(counts.splits):
        files |= data.write(split, size.splits[split])
    example = data.example().item
    write_provenance(draft / manifest.PROVENANCE, contents.operations, staging.images())
    with (draft / IMAGE_SOURCES).open("wb") as handle:
        handle.writelines(image_source_lines(staging.images()))
    by_address = _by_address(staging, contents)
    texts = _documents(contents)
    if contents.by_address is not None and by_address:
        absent = (record for record in staging.images() if contents.by_address(record))
        texts |= {FETCH_LIST: b"".join(fetch_list_lines(absent)), FETCH_SCRIPT: fetch_script()}
    sealed = None if contents.sealing is None else contents.sealing.manifest_entry()
    facts = CardFacts(
        name=contents.name,
        version=contents.version,
        licence=contents.licence,
        canary=canary,
        counts=counts,
        marked=staging.marked(),
        estimated=staging.estimated(),
        sources=staging.sources(),
        stages=contents.stages,
        agreement=contents.agreement,
        human_baseline=contents.human_baseline,
        sealed=sealed,
        drawing_version=DRAWING_VERSION,
        by_address=by_address,
        has_fetch_script=bool(by_address),
        without_metadata=staging.made_by(contents.operations_of(METADATA_REMOVED)),
        encoded=staging.made_by(contents.operations_of(ENCODED)),
        made_as_jpeg=staging.made_as_jpeg(but_by=contents.operations_of(*FILE_STEPS)),
        turned=staging.made_by(contents.operations_of(TURNED)),
        statements=contents.statements,
        example=example,
        texts=staging.tally.texts,
        languages=staging.tally.languages,
    )
    if example is not None:
        texts[EXAMPLE] = example.file()
    if contents.blind is not None:
        texts[manifest.BLIND_STRATEGY] = spelled(contents.blind)
    texts[CITATION] = citation(facts, content_id=staging.content_id())
    texts[manifest.CARD] = card(facts, description=contents.description).encode()
    for name, text in texts.items():
        (draft / name).write_bytes(text)
    for name in (*texts, manifest.PROVENANCE, IMAGE_SOURCES):
        files[name] = entry_of(draft / name)
    whole = Manifest(
        drawing_version=DRAWING_VERSION,
        name=contents.name,
        release_version=contents.version,
        content_id=staging.content_id(),
        canary=canary,
        licence=contents.licence,
        seed=contents.seed,
        counts=counts,
        files=dict(sorted(files.items())),
        recipe=dict(contents.recipe),
        stages=[dict(stage) for stage in contents.stages],
        sealed=sealed,
        by_address=by_address or None,
        statements=contents.statements,
    )
    spelled_manifest = documents.spell(whole.model_dump(), title=manifest.MANIFEST)
    (draft / manifest.MANIFEST).write_bytes(spelled_manifest)
    (draft / manifest.SEAL).write_bytes(manifest.seal(spelled_manifest))


def _counts(staging: Staging) -> ItemCounts:
    splits = {split: SplitCounts(items=sum(tasks.values()), tasks=tasks) for split, tasks in staging.counts().items()}
    return ItemCounts(items=sum(split.items for split in splits.values()), splits=splits)


def _by_address(staging: Staging, contents: _Contents) -> int:
    """Return the number of pictures for which the release states only the URL.

    Raises:
        DataError: One of them has no URL, or splits are sealed, in which case a URL would reveal a source.
    """
    if contents.by_address is None:
        return 0
    records = [record for record in staging.images() if contents.by_address(record)]
    if records and contents.sealing is not None:
        raise DataError("a release with sealed splits cannot state addresses of pictures: they reveal the sources")
    if without := next((record.image_id for record in records if address_of(record) is None), None):
        raise DataError(f"image {without} has no address; include its file in the release")
    return len(records)


def _check_operations(staging: Staging, contents: _Contents) -> None:
    known = {operation.operation_id for operation in contents.operations}
    missing = [operation_id for operation_id in staging.operation_ids() if operation_id not in known]
    if missing:
        raise DataError(
            f"items or images name {len(missing)} unknown operations, such as {missing[0]}; pass the operation of "
            "every step that made something"
        )


def _check_baseline(staging: Staging, contents: _Contents) -> None:
    """Check the structure of the human baseline, and that the release contains the baseline's items."""
    if contents.human_baseline is None:
        return
    for campaign, answers in human.check_human_baseline(contents.human_baseline).items():
        missing = next((item_id for item_id in sorted(answers.items) if not staging.has_item(item_id)), None)
        if missing is not None:
            raise DataError(
                f"the human baseline {campaign!r} counts answers to item {missing}, which is not in the release"
            )


def _documents(contents: _Contents) -> dict[str, bytes]:
    bodies: dict[str, Mapping[str, Any]] = {
        manifest.AGREEMENT: {
            "format": agreements.FORMAT,
            "version": agreements.FORMAT_VERSION,
            "campaigns": dict(contents.agreement),
        },
        manifest.ERRATA: {"format": ERRATA_FORMAT, **_errata(contents)},
    }
    if contents.human_baseline is not None:
        bodies[manifest.HUMAN_BASELINE] = {
            "format": human.FORMAT,
            "version": human.FORMAT_VERSION,
            "baseline": dict(contents.human_baseline),
        }
    return {name: documents.spell(body, title=name) for name, body in bodies.items()}


def _errata(contents: _Contents) -> dict[str, Any]:
    errata = () if contents.corrections is None else contents.corrections.account()
    if contents.sealing is None:
        return errata_document(errata)
    contents.sealing.keep_errata(errata_document(errata)["errata"])
    return errata_document(erratum for erratum in errata if contents.sealing.is_open(erratum.item_id))


def _is_same(draft: Path, folder: Path) -> bool:
    return (draft / manifest.MANIFEST).read_bytes() == (folder / manifest.MANIFEST).read_bytes()


def _check_existing(draft: Path, folder: Path) -> None:
    """Raise an error unless `folder` equals, file by file, the release that was just written next to it."""
    old, old_id = manifest.read_manifest(folder)
    new, new_id = manifest.read_manifest(draft)
    if old_id == new_id:
        verification = verify_release(folder)
        if not verification.ok:
            raise DataError(
                f"{folder} contains a damaged copy of this release ({verification.problems[0]}); move it away and "
                "freeze again"
            )
        return
    difference = "other items" if old.content_id != new.content_id else "the same items, made or described differently"
    raise BenchwrightError(
        f"{folder} contains {difference} as version {old.release_version!r} (release id {old_id[:12]}, this one would "
        f"be {new_id[:12]}); a release never changes, so raise the version"
    )
