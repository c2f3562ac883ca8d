"""The command `benchwright implication statistics`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchwright.cli.output import emit, json_option
from benchwright.text_normalization import counted, printable


@click.command("statistics")
@click.argument(
    "source",
    metavar="SOURCE",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release, or of II-Bench's published files.",
)
@click.option("--split", metavar="NAME", help="Count this split only.")
@json_option(
    """
    `{"questions", "images", "splits": [{"split", "questions", "images"}], "words": {"question", "option",
    "explanation"}, "labels": {"difficulty": [{"label", "images", "questions", "share"}], "domain": [...], "emotion":
    [...], "image_type": [...], "rhetoric": [...]}, "domains_by_type": [{"image_type", "domain", "images", "share"}]}`
    """
)
def statistics(source: Path, split: str | None, as_json: bool) -> None:
    """Count what a set of questions about implications holds, as II-Bench's table 1 and figure 5 do.

    Counted are questions and pictures, by split, mean lengths in words, and the labels of the pictures, by picture and
    by question. Questions about pictures without labels are not counted.
    """
    from benchwright.release import Release

    from .label_counts import count_implications
    from .labelled_questions import published_questions, released_questions

    is_release = (source / "manifest.json").is_file()
    questions = released_questions(Release.open(source).items()) if is_release else published_questions(source)
    document = count_implications(questions, split=split).to_json()
    emit(document, as_json=as_json, text=lambda: "\n".join(_lines(document)))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield f"questions {document['questions']}, images {document['images']}"
    for row in document["splits"]:
        name = printable(row["split"] or "(no split)")
        yield f"  {name:12}  {counted(row['questions'], 'question'):>16}  {counted(row['images'], 'image'):>13}"
    words = {name: value for name, value in document["words"].items() if value is not None}
    yield "average number of words: " + ", ".join(f"{name} {value:.2f}" for name, value in words.items())
    for kind, rows in document["labels"].items():
        yield f"{kind:24}  images  share   questions"
        for row in rows:
            yield f"  {printable(row['label']):22}  {row['images']:6}  {row['share']:6.2%}  {row['questions']:8}"
    yield "domains by image type"
    types: dict[str, list[str]] = {}
    for row in document["domains_by_type"]:
        types.setdefault(row["image_type"], []).append(
            f"{printable(row['domain'])} {row['images']} ({row['share']:.2%})"
        )
    for name, parts in types.items():
        yield f"  {printable(name):20}  {', '.join(parts)}"
