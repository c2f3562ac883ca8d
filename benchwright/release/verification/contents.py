"""Comparison of a release's rows with each other and with its manifest and provenance.

Malicious files can crash the process inside Arrow, so `verify_release` runs this module as a separate program
(`benchwright.release.verification.subprocess_check`).
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from io import BufferedReader
from pathlib import Path

from benchwright.canonical import bytes_digest
from benchwright.drawing.model_pictures import DRAWING_VERSION, KNOWN_VERSIONS
from benchwright.engines.record_jobs import map_on_this_machine
from benchwright.errors import DataError
from benchwright.machine.garbage import keep_to_the_end
from benchwright.records import ImageRecord, Operation
from benchwright.release.card.card_facts import CardFacts
from benchwright.release.card.citation import CITATION, citation
from benchwright.release.card.example import EXAMPLE, ExampleChoice
from benchwright.release.card.image_sources import IMAGE_SOURCES, image_source_lines
from benchwright.release.card.pictures_to_fetch import FETCH_LIST, FETCH_SCRIPT, fetch_list_lines, fetch_script
from benchwright.release.card.texts import TextTally
from benchwright.release.format import documents, identity
from benchwright.release.format import manifest as manifests
from benchwright.release.format.agreement import contradictions, read_agreement
from benchwright.release.format.drawn import has_marks
from benchwright.release.format.estimates import decided_by, is_estimated
from benchwright.release.format.files import open_inside, read_inside, shown
from benchwright.release.format.human_baseline import CampaignBaseline, parse_human_baseline
from benchwright.release.format.manifest import Manifest
from benchwright.release.format.parquet import read_rows
from benchwright.release.format.provenance import (
    ENCODED,
    FILE_STEPS,
    METADATA_REMOVED,
    TURNED,
    SourceTally,
    address_of,
    read_provenance,
)
from benchwright.release.format.rows import KnownFiles, ReleasedItem, released_item, row_of
from benchwright.release.format.schema import sort_key_of
from benchwright.release.sealing.public_items import what_tells
from benchwright.release.verification.claims import CardCheck, check_card
from benchwright.release.verification.drawings import DrawingComparer
from benchwright.release.verification.problems import Problems, ReleaseContents
from benchwright.rights import holds_metadata
from benchwright.texts.normalization import counted


@dataclass
class _Seen:
    """Facts collected from the rows of all intact data files; these take about 250 bytes per item."""

    leaves: list[bytes] = field(default_factory=list)
    item_ids: set[bytes] = field(default_factory=set)
    images: set[bytes] = field(default_factory=set)
    operations: set[str] = field(default_factory=set)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    marked: Counter[str] = field(default_factory=Counter)
    estimated: int = 0
    undrawable: list[str] = field(default_factory=list)
    sources: SourceTally = field(default_factory=SourceTally)
    with_metadata: dict[bytes, bool] = field(default_factory=dict)
    """Whether picture files have metadata other than an orientation: True if they do, False if they may."""

    files_made: Counter[str] = field(default_factory=Counter)
    made_as_jpeg: int = 0
    """Number of files that freezing made, according to the provenance, by step."""

    example: ExampleChoice = field(default_factory=ExampleChoice)
    texts: TextTally = field(default_factory=TextTally)
    absent: set[bytes] = field(default_factory=set)
    """Pictures whose files the release lacks."""

    def add(self, released: ReleasedItem) -> None:
        item = released.item
        self.leaves.append(identity.leaf_of(item, released.split))
        for image_id, data in released.images.items():
            if bytes.fromhex(image_id) not in self.images and (holds := holds_metadata(data)) is not False:
                self.with_metadata[bytes.fromhex(image_id)] = bool(holds)
        if self.example.wants(item.item_id, is_marked=has_marks(item)):
            self.example.take(
                row_of(item, released.split),
                is_marked=has_marks(item),
                pictures=[
                    None if image.prompts and drawn is None else drawn or released.images.get(image.image_id)
                    for image, drawn in zip(item.images, released.drawn, strict=True)
                ],
                image_ids=[image.image_id for image in item.images],
            )
        shown_ids = {image.image_id for image in item.images}
        self.images.update(bytes.fromhex(image_id) for image_id in (item.root_image_id, *shown_ids))
        self.absent.update(bytes.fromhex(image_id) for image_id in shown_ids - released.images.keys())
        self.operations.add(item.operation_id)
        self.counts[released.split, item.task] += 1
        if has_marks(item):
            self.marked[item.task] += 1
        self.estimated += is_estimated(item)
        self.texts.add(item)


def check_contents(root: Path, manifest: Manifest) -> ReleaseContents:
    """Read and check all rows of a release whose files match its manifest."""
    seen, problems, whole = _Seen(), Problems(), True
    with map_on_this_machine("verify") as record_map:
        comparer = DrawingComparer(manifest.drawing_version, record_map)
        for name in sorted(manifest.files):
            split = manifests.split_of(name)
            if split is None:
                continue
            try:
                with open_inside(root, name) as handle:
                    _check_file(handle, name, split, manifest, seen, comparer)
            except DataError as error:
                problems.add(str(error))
                whole = False
    if not whole:
        return ReleaseContents(None, problems.all())
    _check_counts(manifest, seen, problems)
    if len(seen.absent) != (manifest.by_address or 0):
        problems.add(
            f"{manifests.MANIFEST}: states {counted(manifest.by_address or 0, 'picture')} by address, but the data "
            f"has no files for {len(seen.absent)}"
        )
    content_id = identity.root(sorted(seen.leaves))
    if content_id != manifest.content_id:
        problems.add(f"{manifests.MANIFEST}: content_id is {manifest.content_id}, but the items give {content_id}")
    _check_provenance(root, seen, problems)
    baseline = _check_baseline(root, seen, problems) if manifests.HUMAN_BASELINE in manifest.files else None
    if problems.found:  # otherwise errors of the card would only follow from these problems
        return ReleaseContents(content_id, problems.all())
    card = _check_card(root, manifest, seen, baseline)
    for line in card.problems:
        problems.add(line)
    return ReleaseContents(
        content_id,
        problems.all(),
        list(card.proven),
        [*_absent(seen), *_not_drawn(manifest, seen), *_with_metadata(seen), *card.not_proven],
    )


def _not_drawn(manifest: Manifest, seen: _Seen) -> list[str]:
    """Return statements of what the drawings of marks could not prove."""
    lines = []
    if manifest.drawing_version not in {None, *KNOWN_VERSIONS}:
        lines.append(
            f"that pictures match their files and marks: version {manifest.drawing_version} of the drawing made them, "
            f"but this Benchwright draws by version {DRAWING_VERSION}"
        )
    if seen.undrawable:
        lines.append(
            f"that models can see {counted(len(seen.undrawable), 'item')} as intended: their marks cannot be drawn "
            f"(the first is {shown(seen.undrawable[0])})"
        )
    return lines


def _absent(seen: _Seen) -> list[str]:
    n = len(seen.absent)
    return (
        [f"that its {counted(n, 'picture')} without files can still be obtained; `benchwright release fetch` gets them"]
        if n
        else []
    )


def _with_metadata(seen: _Seen) -> list[str]:
    """Return the statement that picture files reveal more than their pixels, if they do or may."""
    kinds = (
        (True, "hold EXIF, XMP, texts or the like, such as the place where a photograph was taken"),
        (False, "have formats whose metadata is neither removed nor read here"),
    )
    counts = [(sum(holds == kind for holds in seen.with_metadata.values()), words) for kind, words in kinds]
    return [f"that its picture files reveal only their pixels: {n} {words}" for n, words in counts if n]


def _check_file(
    handle: BufferedReader, name: str, split: str, manifest: Manifest, seen: _Seen, comparer: DrawingComparer
) -> None:
    """Check the rows of a data file and collect their facts."""
    for released, fault in comparer.compared(_checked_rows(handle, name, split, manifest, seen)):
        if fault is not None and not fault.is_undrawable:
            raise DataError(f"{name}: {fault.text}")
        if fault is not None:
            seen.undrawable.append(fault.text)
        seen.add(released)


def _checked_rows(
    handle: BufferedReader, name: str, split: str, manifest: Manifest, seen: _Seen
) -> Iterator[ReleasedItem]:
    """Yield the items of a data file, each checked by itself and against earlier ones."""
    last = ("", "")
    known = KnownFiles()
    for row in read_rows(handle, title=name, canary=manifest.canary, version=manifest.version):
        released = released_item(row, title=name, known=known)
        item_id = released.item.item_id
        if released.split != split:
            raise DataError(
                f"{name}: item {item_id} is in a file of a split other than its own, {shown(released.split)}"
            )
        if (key := sort_key_of(row, manifest.version)) <= last:
            how = "the first picture of image_ids, then item_id" if manifest.version >= 3 else "item_id"
            raise DataError(f"{name}: item {item_id} comes after {last[1]}; rows are sorted by {how}")
        if bytes.fromhex(item_id) in seen.item_ids:
            raise DataError(f"{name}: item {item_id} is in the release twice")
        if split in manifest.sealed_splits and (telling := what_tells(released.item)):
            raise DataError(f"{name}: item {item_id} is sealed, and its {', '.join(telling)} may reveal the answer")
        last = key
        seen.item_ids.add(bytes.fromhex(item_id))
        yield released


def _check_counts(manifest: Manifest, seen: _Seen, problems: Problems) -> None:
    stated = {(split, task): n for split, counts in manifest.counts.splits.items() for task, n in counts.tasks.items()}
    for split, task in sorted(stated.keys() | seen.counts.keys()):
        if stated.get((split, task), 0) != seen.counts[split, task]:
            problems.add(
                f"{manifests.MANIFEST}: states {counted(stated.get((split, task), 0), 'item')} of task {task} in "
                f"split {split}, but the data has {seen.counts[split, task]}"
            )


def _check_provenance(root: Path, seen: _Seen, problems: Problems) -> None:
    missing, operations = set(seen.images), set(seen.operations)
    steps: dict[str, str] = {}
    try:
        for record in read_provenance(root):
            if isinstance(record, Operation):
                operations.discard(record.operation_id)
                steps[record.operation_id] = record.step
            else:
                missing.discard(bytes.fromhex(record.image_id))
                if bytes.fromhex(record.image_id) in seen.absent and address_of(record) is None:
                    problems.add(
                        f"{manifests.PROVENANCE}: gives no address of image {record.image_id}, and the data has no "
                        "file of it"
                    )
                step = steps.get(record.operation_id or "", "")
                seen.files_made[step] += 1
                is_made = record.source is None and record.operation_id is not None and step not in FILE_STEPS
                seen.made_as_jpeg += is_made and record.media_type == "image/jpeg"
                if step == METADATA_REMOVED and seen.with_metadata.get(bytes.fromhex(record.image_id)):
                    problems.add(
                        f"{manifests.PROVENANCE}: says that the metadata of image {record.image_id} was removed, but "
                        "its file has some"
                    )
                if record.source is not None:
                    seen.sources.add(record.source.dataset, record.source.licence, record.source.author)
    except DataError as error:
        problems.add(str(error))
        return
    for operation_id in sorted(operations):
        problems.add(f"{manifests.PROVENANCE}: lacks operation {shown(operation_id)}")
    for image_id in sorted(missing):
        problems.add(f"{manifests.PROVENANCE}: lacks image {image_id.hex()}")


def _check_baseline(root: Path, seen: _Seen, problems: Problems) -> Mapping[str, CampaignBaseline] | None:
    try:
        data = read_inside(root, manifests.HUMAN_BASELINE, max_bytes=documents.MAX_BYTES)
        baseline = parse_human_baseline(data)
    except DataError as error:
        problems.add(str(error))
        return None
    for campaign, answers in sorted(baseline.items()):
        for item_id in sorted(answers.items):
            if bytes.fromhex(item_id) not in seen.item_ids:
                problems.add(
                    f"{manifests.HUMAN_BASELINE}: {shown(campaign)} counts answers to item {item_id}, which the "
                    "release does not have"
                )
    return baseline


def _check_card(
    root: Path, manifest: Manifest, seen: _Seen, baseline: Mapping[str, CampaignBaseline] | None
) -> CardCheck:
    """Compare the card with the rows, the manifest and the other documents, and those documents with each other."""
    try:
        text = read_inside(root, manifests.CARD, max_bytes=documents.MAX_BYTES).decode()
        agreement = read_agreement(root)
    except DataError as error:
        return CardCheck((str(error),))
    except UnicodeDecodeError:
        return CardCheck((f"{manifests.CARD}: not UTF-8",))
    answers = (
        None if baseline is None else {name: answers.model_dump(mode="json") for name, answers in baseline.items()}
    )
    facts = CardFacts(
        name=manifest.name,
        version=manifest.release_version,
        licence=manifest.licence,
        canary=manifest.canary,
        counts=manifest.counts,
        marked=seen.marked,
        estimated=seen.estimated,
        sources=seen.sources.counts(),
        stages=manifest.stages,
        agreement=agreement,
        human_baseline=answers,
        sealed=manifest.sealed,
        drawing_version=manifest.drawing_version,
        by_address=manifest.by_address or 0,
        has_fetch_script=FETCH_SCRIPT in manifest.files,
        without_metadata=seen.files_made[METADATA_REMOVED],
        encoded=seen.files_made[ENCODED],
        made_as_jpeg=seen.made_as_jpeg,
        turned=seen.files_made[TURNED],
        statements=manifest.statements,
        example=seen.example.item if EXAMPLE in manifest.files else None,
        texts=seen.texts.texts,
        languages=seen.texts.languages,
    )
    check = check_card(text, facts)
    contradicted = contradictions(manifest.recipe, agreement, answers or {})
    contradicted = [*contradicted, *_beside_the_card(root, manifest, facts), *_to_fetch(root, manifest, seen)]
    undecided = (
        [f"what its curators state in their own words ({manifests.MANIFEST}, statements)"]
        if manifest.statements
        else []
    )
    if FETCH_SCRIPT in manifest.files and manifest.files[FETCH_SCRIPT].sha256 != bytes_digest(fetch_script()):
        undecided.append(
            f"what {FETCH_SCRIPT} does: it is not the script that this version of Benchwright writes; `benchwright "
            "release fetch` does not need it"
        )
    if seen.estimated and decided_by(manifest.stages, agreement) != "people":
        undecided.append(
            f"that any person looked at {seen.estimated} of its {counted(manifest.counts.items, 'item')}, whose "
            f"answers a model estimated: by {manifests.AGREEMENT}, simulated annotators decided on them at most"
        )
    return replace(check, problems=(*contradicted, *check.problems), not_proven=(*undecided, *check.not_proven))


def _beside_the_card(root: Path, manifest: Manifest, facts: CardFacts) -> Iterator[str]:
    """Compare the citation and the table of sources, if present, with those generated from the other files."""
    if CITATION in manifest.files:
        data = read_inside(root, CITATION, max_bytes=documents.MAX_BYTES)
        if data != citation(facts, content_id=manifest.content_id):
            yield f"{CITATION}: is not the citation for {manifests.MANIFEST}"
    if EXAMPLE in manifest.files:
        data = read_inside(root, EXAMPLE, max_bytes=documents.MAX_BYTES)
        if facts.example is None or not facts.example.is_shown_by(data):
            yield f"{EXAMPLE}: does not show the pictures of the card's example"
    if IMAGE_SOURCES in manifest.files:
        images = (record for record in read_provenance(root) if isinstance(record, ImageRecord))
        digest = hashlib.sha256()
        for line in image_source_lines(images):
            digest.update(line)
        if digest.hexdigest() != manifest.files[IMAGE_SOURCES].sha256:
            yield f"{IMAGE_SOURCES}: does not match the images of {manifests.PROVENANCE}"


def _to_fetch(root: Path, manifest: Manifest, seen: _Seen) -> Iterator[str]:
    """Compare the list of pictures to download, if present, with the data and the provenance."""
    if FETCH_LIST not in manifest.files:
        return
    absent = (
        record
        for record in read_provenance(root)
        if isinstance(record, ImageRecord) and bytes.fromhex(record.image_id) in seen.absent
    )
    if bytes_digest(b"".join(fetch_list_lines(absent))) != manifest.files[FETCH_LIST].sha256:
        yield f"{FETCH_LIST}: does not match the pictures without files in {manifests.PROVENANCE}"


def main(folder: str, memory_bytes: str) -> None:
    """Check a release's contents within a memory limit and print the result as JSON."""
    for resource_kind, wanted in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, int(memory_bytes))):
        with suppress(ValueError, OSError):  # macOS, or an existing lower limit
            resource.setrlimit(resource_kind, (wanted, wanted))
    root = Path(folder)
    manifest, _ = manifests.read_manifest(root)
    sys.stdout.write(json.dumps(asdict(check_contents(root, manifest))))
    keep_to_the_end()


if __name__ == "__main__":
    main(*sys.argv[1:])
