"""The command `release splits`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.diagnostics.copies.pairing import DISTANCE
from benchwright.diagnostics.features.hamming import MAX_DISTANCE
from benchwright.errors import CheckFailed
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted

from .split_check import LOOKED_FOR, NOT_LOOKED_FOR, NearPictures, SplitCheck, check_splits

MAX_PAIRS = 200
"""Maximum number of pairs of each kind to list; the counts include all pairs."""

_MAX_LINES = 10


@click.command("splits")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release.",
)
@click.option(
    "--distance",
    type=click.IntRange(0, MAX_DISTANCE),
    default=DISTANCE,
    show_default=True,
    help="Compare pairs whose 64-bit perceptual hashes differ in at most this many bits.",
)
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: one per processor]")
@json_option(
    """
    `{"apart", "looked_for": [text], "not_looked_for": [text], "pictures", "shared_pictures": {image id: [split]},
    "shared_groups": {group key: [split]},
    "near_pictures": [{"first", "second", "first_item", "second_item", "bits", "verdict", "alike"}],
    "near_pictures_count",
    "possible_pictures": [{"first", "second", "first_item", "second_item", "bits", "verdict", "alike"}],
    "possible_pictures_count", "equal_texts": {task: n},
    "shares": [{"field", "value", "split", "items", "target", "residual"}], "unreadable": [image id]}`;
    `near_pictures` have the verdict `confirmed`, `possible_pictures` the verdict `unsure` or `scene`, at most 200 of
    each; `apart` is false if several splits share a picture, a copy or a group key, true if not, and null if nothing
    was found and the pictures in `unreadable` could not be compared
    """
)
def splits(folder: Path, *, distance: int, workers: int | None, as_json: bool) -> None:
    """Show what the splits of a release have in common, and how far their sizes are from the requested shares.

    Looks for pictures, their copies, group keys and texts in several splits: few-shot examples of one split would give
    these away in another. Finds copies as `audit` and `filter leakage` do. Exit code 1 if several splits share a
    picture, a copy or a group key, or if nothing was found and some pictures could not be compared. Pairs to inspect do
    not count as shared.
    """
    from benchwright.release import Release
    from benchwright.terminal.progress_bars import ProgressBars

    with ProgressBars() as progress:
        check = check_splits(Release.open(folder), distance=distance, workers=workers, progress=progress)
    document = {
        "apart": check.is_apart,
        "looked_for": list(LOOKED_FOR),
        "not_looked_for": list(NOT_LOOKED_FOR),
        "pictures": check.pictures,
        "shared_pictures": {image: list(names) for image, names in check.shared_pictures.items()},
        "shared_groups": {key: list(names) for key, names in check.shared_groups.items()},
        "near_pictures": [pair._asdict() for pair in check.near_pictures[:MAX_PAIRS]],
        "near_pictures_count": len(check.near_pictures),
        "possible_pictures": [pair._asdict() for pair in check.possible_pictures[:MAX_PAIRS]],
        "possible_pictures_count": len(check.possible_pictures),
        "equal_texts": dict(check.equal_texts),
        "shares": [share._asdict() for share in check.shares],
        "unreadable": list(check.unreadable),
    }
    emit(document, as_json=as_json, text=lambda: _text(folder, check))
    if check.is_apart is None:
        note("cannot say whether the splits are separate: nothing was found, but not all pictures could be compared")
    if check.is_apart is not True:
        click.get_current_context().exit(CheckFailed.exit_code)


def _text(folder: Path, check: SplitCheck) -> str:
    lines = [
        f"{folder}: {counted(check.pictures, 'picture')}; in several splits: "
        f"{counted(len(check.shared_pictures), 'equal file')}, "
        f"{counted(len(check.near_pictures), 'pair')} of copies, {counted(len(check.shared_groups), 'group key')}; "
        f"to look at: {counted(len(check.possible_pictures), 'pair')}",
        f"looked for: {', '.join(LOOKED_FOR)}",
        f"not looked for, so not known: {', '.join(NOT_LOOKED_FOR)}",
    ]
    lines += [_line(pair) for pair in (*check.near_pictures[:_MAX_LINES], *check.possible_pictures[:_MAX_LINES])]
    if check.equal_texts:
        tasks = ", ".join(f"{task} {items}" for task, items in check.equal_texts.items())
        lines.append(f"items whose text also occurs in another split: {tasks}")
    if check.unreadable:
        lines.append(
            f"compared by bytes only: {counted(len(check.unreadable), 'picture')} that cannot be decoded or compared"
        )
    furthest = sorted(check.shares, key=lambda share: -abs(share.residual))[:_MAX_LINES]
    lines += [
        f"  {share.field} {share.value} in {share.split}: {counted(share.items, 'item')}, target {share.target:g} "
        f"({share.residual:+g})"
        for share in furthest
    ]
    return "\n".join(lines)


def _line(pair: NearPictures) -> str:
    called = {"confirmed": "copy", "unsure": "perhaps a copy", "scene": "one scene"}[pair.verdict]
    return f"  {called}, {pair.alike:.3f} alike: item {pair.first_item} and item {pair.second_item}"
