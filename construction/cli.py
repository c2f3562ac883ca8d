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
    """Make an image folder and a facts file of EMU's source images, as MVP-Bench takes them.

    What is missing or broken is counted by reason and stops nothing.
    """
    from benchwright.errors import BenchwrightError

    from .datasets.emu import read_emu

    if out.exists():
        raise BenchwrightError(f"{out} is there already; give a folder that is not")
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
    """List the readers of source datasets: what each needs, how to get it, its licences, its options.

    Nothing is fetched. The step `dataset` of a recipe takes a reader's name; `construct check` looks at a folder.
    """
    from .readers.listing import reader_documents, reader_text

    documents = reader_documents()
    emit({"readers": documents}, as_json=as_json, text=lambda: "\n\n".join(map(reader_text, documents)))


@click.command("survey")
@click.argument("folder", metavar="DIR", type=_FOLDER, help="Folder with photographs and whatever they come with.")
@click.option(
    "--items/--no-items",
    "expects_items",
    default=True,
    show_default=True,
    help="Say how many items each task will give; without, no picture is opened.",
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
    """Say which of BLINK's fourteen tasks a folder can feed, in which of MVP-Bench's categories it can give pairs, and
    what the others lack.

    The folder, and the folders directly in it, may hold source datasets in the layouts of their readers, files of boxes
    (COCO, Pascal VOC, YOLO), captions, tables and facts files beside the photographs. How many items a task will give,
    in its own mode and in `paper`, is counted as the run chooses them; where pixels decide, items of 24 photographs are
    made. Filters before a task and after it take some out.

    Pairs of the thirteen categories can be made without a model, of what a facts file states; with an API that edits
    pictures; or with weights on this machine.
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
@click.option("--images", type=click.Path(exists=True, path_type=Path), help="Folder of its pictures, if another one.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="Setting of the reader; may be repeated."
)
@click.option("--rows-only", is_flag=True, help="Only see that pictures are there; do not open them.")
@click.option("--examples", type=click.IntRange(min=0), default=5, show_default=True, help="Refusals shown a reason.")
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
    """Say what is in the folder of a source dataset, and what is wrong; exit 1 where anything is refused.

    Every row is read, and every picture is opened as far as its size. One that is missing or wrong is one refusal, with
    file, row and value; a folder that is laid out in another way is an error that says what was expected.
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
