"""The command `release diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.questions.own_ids import called
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from .differences import DifferentItem

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_LINES = 20
"""Number of items of each kind that the text output names."""


@click.command("diff")
@click.argument("before", metavar="A", type=_FOLDER, help="Folder of the older release.")
@click.argument("after", metavar="B", type=_FOLDER, help="Folder of the newer release.")
@click.option(
    "--results",
    type=_FOLDER,
    multiple=True,
    metavar="DIR",
    help="Folder of a model's results on A, as `evaluate run` writes it, to judge by the keys of B as well; may be "
    "repeated.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html",
    help="Write a page with the pictures of both releases side by side.",
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=60,
    show_default=True,
    help="Maximum number of items of each kind on the page.",
)
@json_option(
    """
    `{"a", "b", "same", "added", "dropped", "moved", "changed": [{"item_id", "source_id", "task", "fields",
    "why"}], "settings": [line], "scores": [{"model", "before", "asked", "after", "kept", "to_ask", "turned_right":
    [id], "turned_wrong": [id]}], "page"}`; `source_id` is present if an item's source has an id for it; `added`,
    `dropped` and `moved` are lists like `changed`; `settings` names the differences in recipe, campaigns, seed and
    license; `before` and `after` are accuracies, on `asked` and `kept` items
    """
)
def diff(before: Path, after: Path, *, results: tuple[Path, ...], out: Path | None, most: int, as_json: bool) -> None:
    """Show the differences between two releases, item by item and field by field, and why.

    Items with equal ids count as the same item. The reasons are errata, edits, other settings of steps, other
    photographs and other votes, as far as the releases record them.
    """
    from benchwright.release import Release

    from .differences import compare_releases
    from .page import write_comparison
    from .rescored import rescored

    old, new = Release.open(before), Release.open(after)
    differences = compare_releases(old, new)
    scores = [rescored(folder, old, new) for folder in results]
    if out is not None:
        write_comparison(out, old, new, differences, scores, most=most)
    kinds = {
        "added": differences.added,
        "dropped": differences.dropped,
        "moved": differences.moved,
        "changed": differences.changed,
    }
    document = {
        "a": {"name": old.name, "version": old.version, "release_id": old.release_id},
        "b": {"name": new.name, "version": new.version, "release_id": new.release_id},
        "same": differences.same,
        **{name: [item.to_json() for item in items] for name, items in kinds.items()},
        "settings": list(differences.settings),
        "scores": [score.to_json() for score in scores],
        "page": None if out is None else str(out),
    }

    def text() -> str:
        counts = ", ".join(f"{len(items)} {name}" for name, items in kinds.items())
        lines = [f"{old.name} {old.version} and {new.name} {new.version}: {counts}, {differences.same} the same"]
        lines += [f"  {line}" for line in differences.settings]
        for name, items in kinds.items():
            lines += [_line(name, item) for item in items[:_LINES]]
            if len(items) > _LINES:
                lines.append(f"{name}: {len(items) - _LINES} more; --json lists all")
        for score in scores:
            then = "none is shown as before" if score.after is None else f"{score.after:.3f} of {score.kept}"
            lines.append(f"{score.model}: {score.before:.3f} of {score.asked} by A, {then} by B, {score.to_ask} to ask")
        return "\n".join([*lines, *([] if out is None else [f"page: {out}"])])

    emit(document, as_json=as_json, text=text)


def _line(name: str, item: DifferentItem) -> str:
    fields = f" ({', '.join(item.fields)})" if item.fields else ""
    return f"{name} {item.task} {printable(called(item.item_id, item.source_id))}{fields}: {item.why}"
