"""The command `benchwright release statistics`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

if TYPE_CHECKING:
    from .pair_counts import PairStatistics


@click.command("statistics")
@click.argument(
    "source",
    metavar="SOURCE",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release, or of II-Bench's published files.",
)
@click.option("--split", metavar="NAME", help="Count this split only.")
@click.option(
    "--top",
    type=click.IntRange(1, 100),
    default=5,
    show_default=True,
    help="Number of words of pairs' captions to list.",
)
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw pairs' counts into this SVG file.")
@json_option(
    """
    `{"implication", "awareness", "pairs"}`, each null if no question is of its kind, or: implication `{"questions",
    "images", "splits": [{"split", "questions", "images"}], "words": {"question", "option", "explanation"}, "labels":
    {"difficulty": [{"label", "images", "questions", "share"}], "domain": [...], "emotion": [...], "image_type": [...],
    "rhetoric": [...]}, "domains_by_type": [{"image_type", "domain", "images", "share"}]}`; awareness `{"items",
    "parts": [{"part", "name", "items", "images", "categories": [{"category", "items", "share"}]}], "words": {"queries",
    "options"}, "letters": {"correct": [{"letter", "items", "share"}], "refusal": [{"letter", "items", "share"}]},
    "options": {number: n}, "without_refusal"}`; pairs `{"items", "pairs", "images", "categories": [{"category",
    "aspect", "pairs", "low", "high", "published": {"pairs", "low", "high"}}], "ways": [{"way", "pairs"}], "gaps":
    {"categories": [code], "aspects": [name]}, "types": [{"type", "level", "items", "published"}],
    "whole_picture": {"value", "numerator", "denominator"}, "images_with_both_levels": {"value", "numerator",
    "denominator"}, "pairs_with_both_levels": {"value", "numerator", "denominator"}, "words": {"natural": {"adjectives":
    [{"word", "captions"}], "nouns": [{"word", "captions"}]}, "manipulated": {"adjectives": [{"word", "captions"}],
    "nouns": [{"word", "captions"}]}}, "editors": {editor: n}}`
    """
)
def statistics(source: Path, split: str | None, top: int, plot: Path | None, as_json: bool) -> None:
    """Count the content of a release as II-Bench, MM-SAP and MVP-Bench count theirs: each table that applies to its
    items.

    Questions about pictures with labels, such as `domain`, are counted as in II-Bench's table 1 and figure 5: by split
    and label, with mean lengths in words.

    Questions with an option that declines are counted as in MM-SAP's figure 3 and tables 5 and 6: the three sets with
    pictures and categories, mean numbers of words, and how often each letter is right and declines.

    Pairs of a natural and a manipulated picture are counted as in MVP-Bench's figure 3: pairs and questions of each
    level by category, next to those of its 530 published pairs, and which of the thirteen categories have no pair;
    types of questions by level; ways of making; pairs whose whole picture was altered; the share of pictures with
    questions at both levels; frequent adjectives and nouns of captions.
    """
    from benchwright.release import Release

    from .label_counts import count_implications
    from .labelled_questions import published_questions, released_questions
    from .pair_counts import count_pairs
    from .set_counts import count_awareness

    is_release = (source / "manifest.json").is_file()
    released = list(Release.open(source).items()) if is_release else []
    questions = list(released_questions(released) if is_release else published_questions(source))
    if split is not None:
        of_split = [one for one in released if one.split == split]
        asked = [one for one in questions if one.split == split]
        if not of_split and not asked:
            splits = sorted({one.split for one in released} | {one.split for one in questions})
            raise BenchwrightError(f"{source} has no split {split!r}; it has {', '.join(map(repr, splits)) or 'none'}")
        released, questions = of_split, asked
    items = [one.item for one in released]
    implication, awareness, pairs = count_implications(questions), count_awareness(items), count_pairs(items)
    if implication is None and awareness is None and pairs is None:
        raise BenchwrightError(
            f"{source}: no table applies to its {counted(len(items), 'item')}: none is about a picture with labels "
            "such as `domain`, offers an option that declines, or belongs to a pair of a natural and a manipulated "
            "picture; `benchwright release show` counts any release"
        )
    if plot is not None:
        _draw(pairs, plot, top=top)
    document = {
        "implication": implication and implication.to_json(),
        "awareness": awareness and awareness.to_json(),
        "pairs": pairs and pairs.to_json(top=top),
    }
    emit(document, as_json=as_json, text=lambda: "\n".join(_lines(document)))


def _draw(pairs: PairStatistics | None, plot: Path, *, top: int) -> None:
    from benchwright.workspace.atomic import write_bytes

    from .pair_chart import statistics_chart

    if pairs is None:
        raise BenchwrightError(f"--plot {plot}: nothing to draw, since no item belongs to a pair")
    write_bytes(plot, statistics_chart(pairs, top=top).file.encode())
    note(f"drawn: {plot}")


def _lines(document: Mapping[str, Mapping[str, Any] | None]) -> Iterator[str]:
    tables: tuple[tuple[str, str, Callable[[Mapping[str, Any]], Iterator[str]]], ...] = (
        ("implication", "questions about pictures with labels, as II-Bench counts", _lines_of_implications),
        ("awareness", "questions with an option that declines, as MM-SAP counts", _lines_of_awareness),
        ("pairs", "natural and manipulated pairs, as MVP-Bench counts", _lines_of_pairs),
    )
    between = ""
    for name, title, lines in tables:
        table = document[name]
        if table is not None:
            yield f"{between}{title}"
            yield from lines(table)
            between = "\n"


def _lines_of_implications(table: Mapping[str, Any]) -> Iterator[str]:
    yield f"questions {table['questions']}, images {table['images']}"
    for row in table["splits"]:
        name = printable(row["split"] or "(no split)")
        yield f"  {name:12}  {counted(row['questions'], 'question'):>16}  {counted(row['images'], 'image'):>13}"
    words = {name: value for name, value in table["words"].items() if value is not None}
    yield "average number of words: " + ", ".join(f"{name} {value:.2f}" for name, value in words.items())
    for kind, rows in table["labels"].items():
        yield f"{kind:24}  images  share   questions"
        for row in rows:
            yield f"  {printable(row['label']):22}  {row['images']:6}  {row['share']:6.2%}  {row['questions']:8}"
    yield "domains by image type"
    types: dict[str, list[str]] = {}
    for row in table["domains_by_type"]:
        types.setdefault(row["image_type"], []).append(
            f"{printable(row['domain'])} {row['images']} ({row['share']:.2%})"
        )
    for name, parts in types.items():
        yield f"  {printable(name):20}  {', '.join(parts)}"


def _lines_of_awareness(table: Mapping[str, Any]) -> Iterator[str]:
    for part in table["parts"]:
        yield f"{part['name']}: {counted(part['items'], 'item')}, {counted(part['images'], 'image')}"
        for row in part["categories"]:
            yield f"  {printable(row['category'] or '(none)'):28}  {row['items']:5}  {row['share']:6.1%}"
    words = table["words"]
    yield f"average number of words: queries {words['queries']:.1f}, options {words['options']:.1f}"
    letters = table["letters"]
    yield "                 " + "  ".join(f"{row['letter']:>6}" for row in letters["refusal"])
    for name, rows in (("correct options", letters["correct"]), ("refusal options", letters["refusal"])):
        yield f"{name}  " + "  ".join(f"{row['share']:6.1%}" for row in rows)
    if len(table["options"]) > 1:
        yield "options an item: " + ", ".join(f"{count} with {number}" for number, count in table["options"].items())
    if table["without_refusal"]:
        yield f"not counted: {counted(table['without_refusal'], 'item')} without an option that declines"


def _lines_of_pairs(table: Mapping[str, Any]) -> Iterator[str]:
    yield f"pairs {table['pairs']}, images {table['images']}, items {table['items']}"
    yield "category  pairs  low  high  of MVP-Bench's pairs  low  high  aspect"
    for row in table["categories"]:
        paper = row["published"] or {"pairs": "", "low": "", "high": ""}
        yield (
            f"{printable(row['category']):8}  {row['pairs']:5}  {row['low']:3}  {row['high']:4}  "
            f"{paper['pairs']:>20}  {paper['low']:>3}  {paper['high']:>4}  {row['aspect'] or ''}"
        )
    yield "pairs by way: " + (", ".join(f"{printable(row['way'])} {row['pairs']}" for row in table["ways"]) or "none")
    yield "categories without a pair: " + (", ".join(table["gaps"]["categories"]) or "none")
    yield "aspects without a high-level question: " + (", ".join(table["gaps"]["aspects"]) or "none")
    yield "type          level  items  of MVP-Bench's"
    for row in table["types"]:
        paper = "" if row["published"] is None else row["published"]
        yield f"{row['type']:12}  {row['level']:5}  {row['items']:5}  {paper:>14}"
    for unit in ("images", "pairs"):
        share = table[f"{unit}_with_both_levels"]
        yield f"{unit} with questions at both levels: {share['numerator']} of {share['denominator']}"
    whole = table["whole_picture"]
    yield f"pairs whose whole picture was altered: {whole['numerator']} of {whole['denominator']}"
    for side, words in table["words"].items():
        for kind, listed in words.items():
            yield f"{side} {kind}: " + ", ".join(f"{printable(row['word'])} {row['captions']}" for row in listed)
    yield "editors: " + ", ".join(f"{printable(name)} {count}" for name, count in table["editors"].items())
