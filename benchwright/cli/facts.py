"""``benchwright facts``: creates skeletons of facts files and reports their mistakes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from benchwright.facts import Facts

_MOST_SHOWN = 20


@click.command("new")
@click.option(
    "--images",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Image folder, with the files below it, as a run reads it.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; nothing is overwritten.  [default: facts.yaml, with --csv facts.csv]",
)
@click.option("--csv", "is_table", is_flag=True, help="Write a table with one row for each picture, box or question.")
@click.option("--pairs", "for_pairs", is_flag=True, help="Write the facts that pairs of pictures need, outlines first.")
@json_option('`{"file", "pictures", "same_bytes", "unreadable": [{"path", "reason"}]}`')
def new(images: Path, out: Path | None, is_table: bool, for_pairs: bool, as_json: bool) -> None:
    """Write a facts file of a folder's pictures, with their sizes and everything else to fill in.

    Comments explain each key, or each column of a table. Files with equal bytes are one picture. The command names
    files that are not pictures, with the reason, and omits them. Leave keys that you do not need empty, or delete them.
    With `--pairs`, comments lead from outlines in the review app to pairs of natural and manipulated pictures.
    """
    from benchwright.errors import BenchwrightError
    from benchwright.facts import skeleton_of
    from benchwright.pipeline.ingest import list_files
    from benchwright.workspace.atomic import write_bytes

    if is_table and for_pairs:
        raise BenchwrightError(
            "--csv and --pairs exclude each other: facts for pairs are YAML, with comments for each key"
        )
    target = out if out is not None else Path("facts.csv" if is_table else "facts.yaml")
    if is_table != (target.suffix.lower() == ".csv"):
        raise BenchwrightError(f"{target}: .csv is the ending of a table; use it with --csv, and only with --csv")
    if os.path.lexists(target):
        raise BenchwrightError(f"{target} already exists and is not overwritten; give another file with --out")
    if target.resolve().is_relative_to(images.resolve()):
        raise BenchwrightError(f"{target} would be among the images; give a file outside {images} with --out")
    skeleton = skeleton_of(images, list_files(images))
    unreadable = [{"path": path, "reason": reason} for path, reason in sorted(skeleton.unreadable.items())]
    for entry in unreadable[:_MOST_SHOWN]:
        note(f"left out: {entry['path']} ({entry['reason']})")
    if len(unreadable) > _MOST_SHOWN:
        note(f"left out: {counted(len(unreadable) - _MOST_SHOWN, 'more file')}; --json names them all")
    if not skeleton.pictures:
        raise BenchwrightError(f"{images} contains no readable picture")
    target.parent.mkdir(parents=True, exist_ok=True)
    text = skeleton.table() if is_table else skeleton.pairs_yaml() if for_pairs else skeleton.yaml()
    write_bytes(target, text.encode("utf-8"))
    same = sum(len(picture.also) for picture in skeleton.pictures.values())
    document = {"file": str(target), "pictures": len(skeleton.pictures), "same_bytes": same, "unreadable": unreadable}
    said = (
        f"{target}: {counted(len(skeleton.pictures), 'picture')} awaiting facts; `benchwright facts check` reads the "
        "file"
    )
    emit(document, as_json=as_json, text=said)


@click.command("export")
@click.argument("workspace", type=click.Path(path_type=Path), help="Workspace of a run with such campaigns.")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write, a table if it ends in .csv; an existing file is never overwritten.",
)
@click.option(
    "--campaign",
    "campaigns",
    multiple=True,
    help="Campaign to take; may be given several times.  [default: all with marks or statements]",
)
@click.option(
    "--over", type=click.Path(path_type=Path), help="Facts file that people's facts override.  [default: none]"
)
@json_option('`{"file", "campaigns", "pictures", "left_out": {picture: {part: reason}}}`')
def export(workspace: Path, out: Path, campaigns: tuple[str, ...], over: Path | None, as_json: bool) -> None:
    """Write people's marks and statements as a facts file, which the step `facts` reads.

    The command combines decided campaigns, `mark` and `state` together: marks give subjects their places, statements
    give them their words. It reports unusable parts, which contradict others or name missing things, with the reason,
    as in the evidence of the step `facts`.
    """
    from benchwright.errors import BenchwrightError
    from benchwright.facts import facts_table, facts_yaml, read_facts, stated_in_workspace
    from benchwright.workspace.atomic import write_bytes

    if os.path.lexists(out):
        raise BenchwrightError(f"{out} already exists and is not overwritten; give another file with --out")
    filed = None if over is None else read_facts(over).images
    facts = stated_in_workspace(workspace, campaigns=campaigns, over=filed)
    for picture, parts in facts.left_out.items():
        for part, why in parts.items():
            note(f"left out: {picture}: {part}: {why}")
    is_table = out.suffix.lower() == ".csv"
    text = facts_table(facts.pictures) if is_table else facts_yaml(facts.pictures)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(out, text.encode("utf-8"))
    document = {
        "file": str(out),
        "campaigns": list(facts.campaigns),
        "pictures": len(facts.pictures),
        "left_out": facts.left_out,
    }
    said = f"{out}: facts of {counted(len(facts.pictures), 'picture')}, stated in {', '.join(facts.campaigns)}"
    emit(document, as_json=as_json, text=said)


@click.command("check")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path), help="YAML or CSV."
)
@json_option(
    """
    `{"ok", "files": [{"file", "ok", "pictures", "subjects", "unanswerable", "answerable", "implications", "pairs",
    "stating_nothing": [picture], "mistakes": [text]}]}`
    """
)
def check(files: Sequence[Path], as_json: bool) -> int:
    """Read facts files and name all their mistakes at once, or count their facts.

    The exit code is 1 if any of them has a mistake.
    """
    from benchwright.errors import BenchwrightError
    from benchwright.facts import read_facts

    rows: list[dict[str, Any]] = []
    for path in files:
        try:
            rows.append({"file": str(path), "ok": True, **_counted(read_facts(path)), "mistakes": []})
        except BenchwrightError as error:
            nothing = {**dict.fromkeys(_COUNTS, 0), "stating_nothing": []}
            rows.append({"file": str(path), "ok": False, **nothing, "mistakes": [*(error.mistakes or (str(error),))]})
    is_ok = all(row["ok"] for row in rows)
    emit({"ok": is_ok, "files": rows}, as_json=as_json, text=lambda: "\n".join(map(_in_words, rows)))
    return 0 if is_ok else 1


_COUNTS = "pictures", "subjects", "unanswerable", "answerable", "implications", "pairs"


def _counted(facts: Facts) -> dict[str, Any]:
    pictures = facts.images.values()
    return {
        "pictures": len(pictures),
        "subjects": sum(len(picture.subjects) for picture in pictures),
        "unanswerable": sum(len(picture.unanswerable) for picture in pictures),
        "answerable": sum(len(picture.answerable) for picture in pictures),
        "implications": sum(picture.implication is not None for picture in pictures),
        "pairs": sum(picture.pairs is not None for picture in pictures),
        "stating_nothing": [key for key, picture in facts.images.items() if not picture.states_something],
    }


def _in_words(row: dict[str, Any]) -> str:
    if not row["ok"]:
        mistakes = [f"  {line}" for line in row["mistakes"]]
        return "\n".join([f"{row['file']}: {len(mistakes)} mistake{'s' if len(mistakes) > 1 else ''}", *mistakes])
    counts = ", ".join(f"{row[name]} {name}" for name in _COUNTS)
    empty = row["stating_nothing"]
    more = f"; {len(empty)} of the pictures have no facts" if empty else ""
    return f"{row['file']}: {counts}{more}"
