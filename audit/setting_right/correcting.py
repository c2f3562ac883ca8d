"""Correction of a release by annotators' decisions on an audit's findings, with the changes and their reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.errors import BenchwrightError, DataError
from benchwright.questions.own_ids import own_id
from benchwright.records import Item
from benchwright.release import Release
from benchwright.release.format.errata import Erratum, released_errata, spelled
from benchwright.texts.normalization import counted
from benchwright.workspace.atomic import write_bytes
from benchwright.workspace.workspace import Workspace

from .campaigns import EDITS, FOLDER, ITEMS, PAIRS, REVIEWS, item_campaigns, release_of
from .filter_files import write_filter
from .outcome import SetRight

if TYPE_CHECKING:
    from benchwright.annotation import JudgedCopy, ReviewStore


def set_right(
    workspace: Path,
    *,
    version: str,
    out: Path,
    page: Path | None = None,
    results: Sequence[Path] = (),
    decided_only: bool = False,
) -> SetRight:
    """Write the release that follows from annotators' decisions, and the page that compares it with the previous one.

    The errata are also written to `audit/errata-VERSION.json` in the workspace, and to `OUT-errata` as a filter for
    other harnesses with a page in Markdown (`filter_files`). Repeating the call with the same decisions changes
    nothing.

    Args:
        workspace: Workspace in which `open_campaigns` opened campaigns.
        version: Version of the new release.
        out: Folder of the new release.
        page: File for the comparison, replaced if it exists; `OUT-diff.html` by default.
        results: Folders with models' results on the previous release, as written by `evaluate run`.
        decided_only: Whether to continue even if tasks are open; open tasks have no effect.

    Raises:
        BenchwrightError: Tasks are open, or `out` already contains something else.
        DataError: No campaigns were opened from an audit, or a release is damaged.
    """
    from benchwright.annotation import open_store, store_exists
    from benchwright.exports import compare_releases, correct_release, rescored, write_comparison

    before = release_of(workspace)
    page = page or out.with_name(f"{out.name}-diff.html")
    if page.resolve().is_relative_to(out.resolve()):
        raise BenchwrightError(
            f"{page} would be a foreign file in the release {out}; give a path outside it with --page"
        )
    if not store_exists(Workspace(workspace).store_url):
        raise DataError(f"{workspace} has no campaigns, because no finding of the audit needs annotators")
    with open_store(Workspace(workspace).store_url) as store:
        errata, undecided, still_open = _errata_in(store, workspace, before)
    if still_open and not decided_only:
        raise BenchwrightError(
            f"{counted(still_open, 'task still lacks', 'tasks still lack')} answers; `benchwright review status "
            f"--workspace {workspace}` lists them. --decided-only continues with the decided ones"
        )
    for folder in results:  # a folder without results of this release is reported before any writing
        rescored(folder, before, before)
    after = correct_release(before, errata, version=version, out=out)
    write_bytes(workspace / FOLDER / f"errata-{version}.json", spelled(errata), private=True)
    differences = compare_releases(before, after)
    scores = tuple(rescored(folder, before, after) for folder in results)
    page.unlink(missing_ok=True)
    write_comparison(page, before, after, differences, scores)
    mine = {(erratum.item_id, erratum.content_hash) for erratum in errata}
    became = tuple(each for each in released_errata(after) if (each.item_id, each.content_hash) in mine)
    judged = {*undecided, *(erratum.item_id for erratum in errata)}
    items = {each.item.item_id: each.item for each in before.items(fetched=False) if each.item.item_id in judged}
    own_ids = {item_id: _own_id(item) for item_id, item in items.items()}
    folder = out.with_name(f"{out.name}-errata")
    done = SetRight(before, after, became, own_ids, differences, scores, page, folder, still_open, undecided)
    write_filter(folder, done, items)
    return done


def _own_id(item: Item) -> str:
    """Return the id of an item in its source, or its item id if the source states none."""
    return own_id(item.attributes) or item.item_id


def _errata_in(store: ReviewStore, workspace: Path, release: Release) -> tuple[list[Erratum], tuple[str, ...], int]:
    """Return the errata from annotators, one per item, the undecided items, and the number of open tasks."""
    from benchwright.annotation import copies_judged, errata_judged

    by_item: defaultdict[str, list[Erratum]] = defaultdict(list)
    undecided: set[str] = set()
    still_open = 0
    names = store.campaign_names()
    for name in (campaign for kind in (ITEMS, EDITS, REVIEWS) for campaign in item_campaigns(workspace, kind)):
        if name in names:
            judged = errata_judged(store, name)
            still_open += judged.open
            undecided.update(judged.undecided)
            for erratum in judged.errata:
                by_item[erratum.item_id].append(erratum)
    if PAIRS in names:
        copies, open_pairs = copies_judged(store, PAIRS)
        still_open += open_pairs
        for erratum in _errata_of_copies(copies, release):
            by_item[erratum.item_id].append(erratum)
    joined = [_joined(errata) for _, errata in sorted(by_item.items())]
    return joined, tuple(sorted(undecided - by_item.keys())), still_open


def _joined(errata: Sequence[Erratum]) -> Erratum:
    """Return a single erratum for all errata of an item: removal takes precedence over a fix; all reasons are kept."""
    first = min(errata, key=lambda erratum: erratum.instead is not None or erratum.edits is not None)
    reasons = sorted({reason for erratum in errata for reason in erratum.reasons})
    return first.model_copy(update={"reasons": tuple(reasons)})


def _errata_of_copies(copies: Mapping[str, JudgedCopy], release: Release) -> Iterator[Erratum]:
    """Yield an erratum for each item that shows a copy instead of the picture that is kept."""
    showing: defaultdict[str, list[str]] = defaultdict(list)
    listed = []
    for released in release.items(pictures_of=()):
        ids = {image.image_id for image in released.item.images}
        for image_id in ids:
            showing[image_id].append(_own_id(released.item))
        if ids & copies.keys():
            listed.append((released.item, ids))
    for item, ids in listed:
        copy = next(
            (copies[image_id] for image_id in sorted(ids & copies.keys()) if copies[image_id].kept not in ids), None
        )
        if copy is None:
            continue
        stays = f"The same picture as that of {', '.join(showing[copy.kept][:3])}, which stays."
        yield Erratum(
            item_id=item.item_id,
            content_hash=item.content_hash,
            release=f"{release.name} {release.version}",
            release_id=release.release_id,
            finding="duplicate",
            key=item.right_key,
            agreed=copy.agreed,
            asked=copy.asked,
            reasons=tuple(sorted({stays, *copy.notes})),
        )
