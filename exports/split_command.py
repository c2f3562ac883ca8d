"""The command `release splits`."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.output import emit, json_option, note
from benchwright.errors import CheckFailed
from benchwright.text_normalization import counted

from .split_check import LOOKED_FOR, MAX_BITS, NOT_LOOKED_FOR, SplitCheck, check_splits

MAX_PAIRS = 200
"""Pairs of near pictures that are listed; all are counted."""

_MAX_LINES = 10


@click.command("splits")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release.",
)
@click.option(
    "--max-bits",
    type=click.IntRange(0, 16),
    default=MAX_BITS,
    show_default=True,
    help="Bits of 64 in which perceptual hashes of near pictures may differ.",
)
@json_option(
    """
    `{"apart", "looked_for": [text], "not_looked_for": [text], "pictures", "shared_pictures": {image id: [split]},
    "shared_groups": {group key: [split]},
    "near_pictures": [{"first", "second", "first_item", "second_item", "bits"}], "near_pictures_count", "equal_texts":
    {task: n}, "shares": [{"field", "value", "split", "items", "target", "residual"}], "unreadable": [image id]}`;
    `apart` is false where a picture, near picture or group key is in several splits, null where none was found, since
    `not_looked_for` may be, and true of a single split; at most 200 near pictures are listed
    """
)
def splits(folder: Path, *, max_bits: int, as_json: bool) -> None:
    """Say what the splits of a release share, and how far they are from their shares.

    Looks for pictures, near copies, group keys and texts in several splits: what few-shot examples of one split would
    give away of another. It cannot find crops, recolourings and the like, and says so: exit code 1 if anything is
    shared, or if nothing was found and it is not known.
    """
    from benchwright.release import Release

    check = check_splits(Release.open(folder), max_bits=max_bits)
    document = {
        "apart": check.is_apart,
        "looked_for": list(LOOKED_FOR),
        "not_looked_for": list(NOT_LOOKED_FOR),
        "pictures": check.pictures,
        "shared_pictures": {image: list(names) for image, names in check.shared_pictures.items()},
        "shared_groups": {key: list(names) for key, names in check.shared_groups.items()},
        "near_pictures": [pair._asdict() for pair in check.near_pictures[:MAX_PAIRS]],
        "near_pictures_count": len(check.near_pictures),
        "equal_texts": dict(check.equal_texts),
        "shares": [share._asdict() for share in check.shares],
        "unreadable": list(check.unreadable),
    }
    emit(document, as_json=as_json, text=lambda: _text(folder, check))
    if check.is_apart is None:
        note("whether the splits are apart is not known: nothing was found of what was looked for, and not all was")
    if check.is_apart is not True:
        click.get_current_context().exit(CheckFailed.exit_code)


def _text(folder: Path, check: SplitCheck) -> str:
    lines = [
        f"{folder}: {counted(check.pictures, 'picture')} compared by bytes and hashes; in several splits: "
        f"{counted(len(check.shared_pictures), 'equal file')}, {counted(len(check.shared_groups), 'group key')}; "
        f"{counted(len(check.near_pictures), 'pair')} of nearly equal hashes",
        f"looked for: {', '.join(LOOKED_FOR)}",
        f"not looked for, so not known: {', '.join(NOT_LOOKED_FOR)}; `benchwright audit {folder}` finds more of it",
    ]
    lines += [
        f"  near, {pair.bits} bits: item {pair.first_item} and item {pair.second_item}"
        for pair in check.near_pictures[:_MAX_LINES]
    ]
    if check.equal_texts:
        tasks = ", ".join(f"{task} {items}" for task, items in check.equal_texts.items())
        lines.append(f"items with a text that another split has too: {tasks}")
    if check.unreadable:
        lines.append(f"compared by bytes only: {counted(len(check.unreadable), 'picture')} that cannot be decoded")
    furthest = sorted(check.shares, key=lambda share: -abs(share.residual))[:_MAX_LINES]
    lines += [
        f"  {share.field} {share.value} in {share.split}: {counted(share.items, 'item')}, target {share.target:g} "
        f"({share.residual:+g})"
        for share in furthest
    ]
    return "\n".join(lines)
