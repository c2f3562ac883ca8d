"""The `construct` commands."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("emu")
@click.argument("dataset", metavar="DATASET", type=_FOLDER, help="Folder with emu_<split>.jsonl.")
@click.option("--images", required=True, type=_FOLDER, help="Folder with <split>/<index>_s.jpg.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder for images/ and facts.yaml; must be new."
)
@json_option(
    """
    `{"lines", "pairs", "images", "boxes", "frames": {frame: n}, "left_out": {reason: n}, "rows": {"read", "used",
    "refused": {reason: n}, "left_out": {reason: n}}}`; `rows` counts lines, each used with its image or refused
    """
)
def emu(dataset: Path, images: Path, out: Path, *, as_json: bool) -> None:
    """Make an image folder and a facts file from EMU's source images, as MVP-Bench uses them.

    The command counts missing and broken entries by reason, and continues without them.
    """
    from benchwright.errors import BenchwrightError

    from .datasets.emu import read_emu

    if out.exists():
        raise BenchwrightError(f"{out} already exists; give a folder that does not exist")
    images_of_emu, counts = read_emu(dataset, images)
    for image in images_of_emu:
        place = out / "images" / image.split / image.path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(image.path, place)
    _write_facts(out, images_of_emu)
    document = {
        "lines": counts.lines,
        "pairs": counts.pairs,
        "images": len(images_of_emu),
        "boxes": sum(len(image.boxes) for image in images_of_emu),
        "frames": counts.frames,
        "left_out": counts.left_out,
        "rows": counts.rows.document(),
    }
    lost = ", ".join(f"{reason} {n}" for reason, n in counts.left_out.items()) or "nothing"
    emit(
        document,
        as_json=as_json,
        text=f"{len(images_of_emu)} of {counted(counts.pairs, 'source image')} in {out / 'images'}; left out: {lost}\n"
        f"{counts.rows}",
    )


@click.command("readers")
@json_option(
    """
    `{"readers": [{"name", "title", "help", "home", "licence", "pictures_licence", "gives": [kind], "needs": [{"path",
    "content", "obtained"}], "options": [{"name", "kind", "default", "help"}]}]}`; `gives` are kinds of ground truth
    """
)
def readers(*, as_json: bool) -> None:
    """List the readers of source datasets, with the files each needs, how to get them, licenses and options.

    Downloads nothing. The step `dataset` of a recipe takes a reader's name; `construct check` examines a folder.
    """
    from .readers.listing import reader_documents, reader_text

    documents = reader_documents()
    emit({"readers": documents}, as_json=as_json, text=lambda: "\n\n".join(map(reader_text, documents)))


@click.command("survey")
@click.argument(
    "folder", metavar="DIR", type=_FOLDER, help="Folder with photographs, and with annotations if there are any."
)
@click.option(
    "--items/--no-items",
    "expects_items",
    default=True,
    show_default=True,
    help="Estimate the number of items of each task; --no-items opens no picture.",
)
@json_option(
    """
    `{"folder", "pictures", "sources": [{"source", "truths": {kind: n}, "rows": {"read", "used", "refused": {reason: n},
    "left_out": {reason: n}}}], "unused": [{"file", "reason", "detail"}], "models": {repository: path}, "tasks":
    [{"task", "fed", "by": [line], "records", "pictures", "lacks", "expected": [{"mode", "is_set", "items", "least",
    "most", "looked_at", "of", "left_out": {reason: n}, "advice", "pictures"}]}], "not_expected",
    "pairs": {"pictures", "categories": [{"category", "title", "way", "without_model": {"fed", "pictures", "ideas",
    "lacks", "note"}, "api": {...}, "weights": {...}}], "unread": [line]}}`; counts stop at 2,000 records of a dataset;
    a number is null where it was not counted, a path where the model is not here; rows are refused as wrong or left
    out by a rule, as far as is known before pictures are opened; `expected` are items of `run blink` by mode, with a
    95 % interval where a sample was looked at, and empty where nobody can say; `not_expected` says why none are
    counted though they were asked for
    """
)
def survey(folder: Path, *, expects_items: bool, as_json: bool) -> None:
    """Show which of BLINK's fourteen tasks and which of MVP-Bench's categories of pairs a folder suffices for, and what
    the others lack.

    The folder, and the folders directly in it, may hold source datasets in the layouts of their readers, files of boxes
    (COCO, Pascal VOC, YOLO), captions, tables and facts files next to the photographs. The command counts the items of
    each task, in its default mode and in `paper`, as a run chooses them; if pixels decide, it makes the items of 24
    photographs as a sample. Filters before and after a task remove some items.

    Pairs of the thirteen categories can be made without a model, from a facts file; with an API that edits pictures; or
    with weights on this machine.
    """
    from .datasets.survey import survey_folder, survey_text
    from .manipulation.pair_survey import pairs_text, survey_pairs

    surveyed = survey_folder(folder, expects_items=expects_items)
    pairs = survey_pairs(folder)
    emit(
        {**surveyed.to_json(), "pairs": pairs.to_json()},
        as_json=as_json,
        text=lambda: f"{survey_text(surveyed)}\n\n{pairs_text(pairs)}",
    )


@click.command("check")
@click.argument(
    "folder",
    metavar="FOLDER",
    type=click.Path(exists=True, path_type=Path),
    help="Folder of the dataset, or its archive.",
)
@click.option("--reader", required=True, help="Name of the reader; `construct readers` lists them.")
@click.option("--images", type=click.Path(exists=True, path_type=Path), help="Folder of its pictures, if separate.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Setting of the reader; may be repeated."
)
@click.option("--rows-only", is_flag=True, help="Check only that pictures exist; do not open them.")
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Number of refusals to show for each reason.",
)
@json_option(
    """
    `{"reader", "folder", "ok", "records", "pictures", "truths": {kind: n}, "licences": {licence: n},
    "refused": {reason: n}, "examples": [{"file", "entry", "reason", "detail", "rows"}], "rows": {"read", "used",
    "refused": {reason: n}, "left_out": {reason: n}}}`; `licences` counts pictures, `refused` refusals; `rows` counts
    what the dataset states, records and the annotations that they are made of: each is used, refused as wrong, or left
    out by a rule; an example has `rows` where several are refused with it; `ok` says whether nothing is refused
    """
)
def check(
    folder: Path,
    reader: str,
    images: Path | None,
    options: tuple[str, ...],
    rows_only: bool,
    examples: int,
    *,
    as_json: bool,
) -> None:
    """Show the content of a source dataset's folder, and its faults; exit code 1 if anything is refused.

    The command reads every row, and opens every picture to read its size. Each missing or wrong one is a refusal, with
    file, row and value. If the folder has another layout, an error states the expected one.
    """
    from benchwright.errors import CheckFailed

    from .datasets.dataset_check import check_dataset, check_text
    from .readers.listing import make_reader, options_in

    document = check_dataset(
        make_reader(reader, options_in(options)),
        folder,
        images=images,
        opens_pictures=not rows_only,
        examples=examples,
    )
    emit(document, as_json=as_json, text=lambda: check_text(document))
    if not document["ok"]:
        click.get_current_context().exit(CheckFailed.exit_code)


def _write_facts(out: Path, images: list[Any]) -> None:
    import yaml

    from benchwright.workspace.atomic import write_bytes

    from .datasets.emu import facts_of

    facts = {
        "format": "benchwright-facts",
        "version": 1,
        "images": {f"{image.split}/{image.path.name}": facts_of(image) for image in images},
    }
    out.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
    write_bytes(out / "facts.yaml", text.encode("utf-8"))
