"""`benchwright evaluate items` and `subset`: the difficulty of items, and a subset that represents all items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted

from .arguments import scored_release

if TYPE_CHECKING:
    from ..item_response.subset import SubsetMethod

_RESULTS = click.argument(
    "results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    nargs=-1,
    required=True,
    metavar="RESULT...",
    help="Folders of results of one release, split and protocol.",
)
_PROTOCOL = click.option(
    "--protocol",
    metavar="NAME",
    help="Use only results under this protocol, if there are several; as `evaluate run` takes it.",
)
_FORCE = click.option("--force", is_flag=True, help="Replace the file if it exists.")


@click.command("items")
@_RESULTS
@scored_release
@_PROTOCOL
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write all items as .csv.",
)
@_FORCE
@json_option(
    """
    `{"release", "release_id", "split", "protocol", "converged", "models": [{"model", "ability", "error"}], "items":
    [{"item_id", "split", "task", "models", "share_right", "difficulty", "difficulty_ci": [low, high],
    "discrimination", "discrimination_ci": [low, high], "guessing", "is_suspected", "reversed"}], "out"}`; `out` is
    null without a file
    """
)
def items(
    results: tuple[Path, ...], release: Path, protocol: str | None, out: Path | None, force: bool, as_json: bool
) -> None:
    """Show items by difficulty and discrimination, from an item response model of several models' replies.

    It lists items that weak models have right and able ones miss, and whether `evaluate suspects` doubts their key.
    """
    from textwrap import fill

    from benchwright.release import Release

    from ..analysis.label_issues import find_suspects
    from ..item_response.calibration import read_calibration
    from ..item_response.item_table import calibrated_items, item_tables, items_document, notes_on, write_items
    from ..results.summary import drawn

    opened = Release.open(release)
    calibration = read_calibration(results, opened, protocol)
    suspected = frozenset(issue.item_id for folder in results for issue in find_suspects(folder, opened).found)
    found = calibrated_items(calibration, suspected)
    if out is not None:
        write_items(found.items, out, force=force)
        note(f"written to {out}")

    def text() -> str:
        tables = [drawn(table, names=1) for table in item_tables(found)]
        return "\n".join([*tables, "", *(fill(line, 100) for line in notes_on(found))])

    emit(items_document(found, out), as_json=as_json, text=text)


@click.command("subset")
@click.argument("release", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of a release.")
@_RESULTS
@click.option(
    "--items", "count", type=click.IntRange(min=1), default=100, show_default=True, help="Number of items to draw."
)
@click.option(
    "--method",
    type=click.Choice(("doubt", "random")),
    default="doubt",
    show_default=True,
    help="Probability of drawing an item: higher the less is known of its reply, or equal for all.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@_PROTOCOL
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="JSON file to write, for --items-from of `evaluate run` and `score`.",
)
@_FORCE
@json_option(
    """
    `{"subset", "release", "release_id", "split", "protocol", "models": [name], "items", "of", "method", "misfit",
    "digest"}`; `misfit` is null with too few models to leave some out
    """
)
def subset(
    release: Path,
    results: tuple[Path, ...],
    count: int,
    method: SubsetMethod,
    seed: int,
    protocol: str | None,
    out: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Draw items that represent a whole release, based on the replies of other models.

    A model asked only these items gets an estimate of its score on all items, with an interval.
    """
    import json

    from benchwright.release import Release
    from benchwright.workspace.written_once import REPLACE, written_once

    from ..item_response.calibration import read_calibration, subset_of
    from ..item_response.subset import METHODS

    opened = Release.open(release)
    drawn = subset_of(read_calibration(results, opened, protocol), opened, count, method=method, seed=seed)
    with written_once(out, otherwise=REPLACE, force=force) as draft:
        draft.write_text(json.dumps(drawn.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8")
    note(f"written to {out}")
    document = {
        "subset": str(out),
        "release": drawn.release,
        "release_id": drawn.release_id,
        "split": drawn.split,
        "protocol": drawn.protocol,
        "models": list(drawn.models),
        "items": count,
        "of": len(drawn.items),
        "method": method,
        "misfit": drawn.misfit,
        "digest": drawn.digest,
    }
    models = counted(len(drawn.models), "model")
    off = (
        f"of {models}, too few to measure the error of their item response model for other models"
        if drawn.misfit is None
        else f"of {models}; for models left out, the item response model alone erred by {drawn.misfit:.3f}"
    )
    text = (
        f"{count:,} of {counted(len(drawn.items), 'item')} of {drawn.release}, {METHODS[method]}, by replies {off}. "
        f"Ask them with `benchwright evaluate run {release} --model M --items-from {out}`"
    )
    emit(document, as_json=as_json, text=text)
