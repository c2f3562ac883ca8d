"""The next version of a release with errors corrected, without a workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from benchwright.errors import BenchwrightError, DataError
from benchwright.images.made_pictures import is_jpeg
from benchwright.records import ImageRecord, Item, Operation
from benchwright.release.format.errata import Corrections, Erratum, released_errata
from benchwright.workspace.objects import ObjectStore

if TYPE_CHECKING:
    from benchwright.release import Release


def correct_release(
    release: Release,
    errata: Sequence[Erratum],
    *,
    version: str,
    out: Path,
    description: str = "",
    metadata: Literal["remove", "keep"] = "remove",
) -> Release:
    """Write a release with corrected keys and without the items found to be wrong, and return the opened release.

    Everything else stays: splits, pictures, provenance, agreement, and the human baseline of unchanged items. Picture
    files lose their remaining metadata. The new release's `errata.json` lists the outcome of each erratum, after the
    errata of earlier versions.

    Args:
        release: Release to correct.
        errata: Errors found.
        version: Version of the new release.
        out: Folder of the new release.
        description: Markdown for the card; default empty.
        metadata: `remove` cuts EXIF (including locations), XMP, IPTC and comments out of picture files that still
            contain them in the older release; `keep` copies files unchanged.

    Raises:
        BenchwrightError: The version equals the old one, or `out` exists with different content.
        DataError: The release is damaged.
    """
    from benchwright.diagnostics.shortcuts.blind_strategy import blind_strategy
    from benchwright.release import verify_release, write_release
    from benchwright.release.format.agreement import read_agreement
    from benchwright.release.writing.file_changes import FileChanges

    if version == release.version:
        raise BenchwrightError(f"{release.path} is already version {version!r}; releases never change, so raise it")
    if release.manifest.sealed is not None:
        raise BenchwrightError(
            f"{release.path} has sealed splits, whose keys it does not contain; freeze the workspace again "
            "with --errata"
        )
    if not (verification := verify_release(release.path)).ok:
        raise DataError(f"{release.path} was changed after freezing ({verification.problems[0]}); get a fresh copy")
    provenance = list(release.provenance())
    images = {record.image_id: record for record in provenance if isinstance(record, ImageRecord)}
    shown: set[str] = set()
    corrections = Corrections((*released_errata(release), *errata))
    with TemporaryDirectory(prefix="benchwright-") as folder:
        pictures = ObjectStore(Path(folder) / "pictures", tmp=Path(folder))

        def stored(record: ImageRecord) -> bytes:
            return pictures.path(record.image_id).read_bytes()

        def is_absent(record: ImageRecord) -> bool:
            return record.image_id in shown and not pictures.path(record.image_id).exists()

        changes = FileChanges(
            images.__getitem__,
            stored,
            removes_metadata=lambda record: metadata == "remove" and not is_absent(record),
            encodes=lambda _: None,
        )
        visual: set[str] = set()
        formats: dict[str, set[bool]] = {}
        for released in release.items(fetched=False):
            shown.update(image.image_id for image in released.item.images)
            for data in released.images.values():
                pictures.put(data)
            of_drawn = {is_jpeg(data) for data in released.drawn if data is not None}
            formats.setdefault(released.item.task, set()).update(of_drawn)
            if True in of_drawn:
                visual.add(released.item.operation_id)
            changes.survey([released.item])

        def items() -> Iterator[tuple[Item, str]]:
            for released in release.items(pictures_of=()):
                if (item := corrections.correct(released.item)) is not None:
                    yield changes.item(item), released.split

        blind = blind_strategy(item for item, _ in items())
        return write_release(
            out,
            name=release.name,
            version=version,
            items=items(),
            image=changes.image,
            image_bytes=changes.image_bytes,
            operations=[
                *(operation for operation in provenance if isinstance(operation, Operation)),
                *changes.operations(),
            ],
            recipe=release.manifest.recipe,
            stages=release.manifest.stages,
            agreement=read_agreement(release.path),
            seed=release.manifest.seed,
            licence=release.manifest.licence,
            description=description,
            human_baseline=_baseline(release, {(erratum.item_id, erratum.content_hash) for erratum in errata}),
            corrections=corrections,
            blind=blind,
            statements=release.manifest.statements,
            by_address=is_absent,
            visual=visual,
            exact_tasks={task for task, jpeg in formats.items() if jpeg == {False}},
        )


def _baseline(release: Release, changed: set[tuple[str, str]]) -> dict[str, Any] | None:
    """Return the human baseline of the unchanged items."""
    from benchwright.release.format.human_baseline import read_human_baseline

    baseline = read_human_baseline(release)
    if baseline is None:
        return None
    gone = {
        released.item.item_id
        for released in release.items(pictures_of=())
        if (released.item.item_id, released.item.content_hash) in changed
    }
    kept = {
        name: {**answers, "items": {item_id: item for item_id, item in answers["items"].items() if item_id not in gone}}
        for name, answers in baseline.items()
    }
    return {name: answers for name, answers in kept.items() if answers["items"]} or None
