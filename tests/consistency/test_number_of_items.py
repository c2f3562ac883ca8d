"""Every reader of a file of questions finds the same items in it, with the same options and keys."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from benchwright.audit.source.kept_values import KeptValues, KnownPictures
from benchwright.audit.source.reading import read_source
from benchwright.evaluation.published.importing import import_published
from benchwright.pipeline import open_view, run_recipe
from benchwright.question_files.item_check import check_items
from benchwright.recipe import load_recipe
from benchwright.records import Item
from benchwright.source_files.item_files import ItemFiles, SourceItem, items_in_files
from benchwright.workspace.item_cache import ItemCache

Found = dict[str, tuple[tuple[str | None, ...], str | None]]
"""Options and key of each item, by its own id."""


class Folder(NamedTuple):
    """A benchmark's folder, what of it holds questions, and what is to be found there.

    Args:
        questions: File or folder of questions.
        pictures: Folder of their pictures.
        items: Its items.
        published: Name by which it is imported; None for none.
    """

    questions: Path
    pictures: Path
    items: Found
    published: str | None = None


def photograph(shade: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (16, 12), (shade, 90, 200 - shade)).save(out, "PNG")
    return out.getvalue()


def placed(folder: Path, *names: str) -> None:
    for shade, name in enumerate(names, start=1):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(photograph(20 * shade))


def ii_bench(folder: Path) -> Folder:
    def record(key: str, image: str, **question: Any) -> dict[str, Any]:
        asked = {"id": key, "question": "Why?", "options": ["one", "two", "three"], **question}
        return {"local_path": image, "questions": [asked], "meta_data": {"domain": "Life", "difficulty": "Easy"}}

    placed(folder, "images/a.png", "images/b.png")
    (folder / "data").mkdir()
    dev = [
        record("d1", "images/a.png", answer="B"),
        record("d2", "images/b.png", answer="C"),
        record("bad key", "images/a.png", answer="F"),
        record("no picture", "images/gone.png", answer="A"),
    ]
    (folder / "data" / "dev.json").write_text(json.dumps(dev))
    (folder / "data" / "test.json").write_text(json.dumps([record("sealed", "images/a.png")]))
    options = ("one", "two", "three")
    return Folder(folder / "data", folder, {"d1": (options, "B"), "d2": (options, "C")}, "ii-bench")


def mvp_bench(folder: Path) -> Folder:
    placed(folder, "Single_Images/7_s.png", "Cross_Images/7.png")
    asked = "What changed?\nA. hat\nB. bag\nAnswer with the option's letter of the most possible choice directly."
    yes_no = "A hat?\nPlease answer yes or no."
    rows = [
        {"question_id": 0, "id": 7, "image": "Single_Images/7_s.png", "question": yes_no, "answer": "no",
         "type": "y/n-s", "level": "low"},
        {"question_id": 1, "id": 7, "image": "Cross_Images/7.png", "question": asked, "answer": "B",
         "type": "mcq-cross", "level": "high"},
        {"question_id": 2, "id": 8, "image": "Cross_Images/8.png", "question": asked, "answer": "A",
         "type": "mcq-cross", "level": "high"},
    ]  # fmt: skip
    (folder / "data").mkdir()
    (folder / "data" / "all_questions.json").write_text("\n".join(map(json.dumps, rows)))
    items: Found = {"0": (("Yes", "No"), "B"), "1": (("hat", "bag"), "B")}
    return Folder(folder / "data" / "all_questions.json", folder, items, "mvp-bench")


def blink(folder: Path) -> Folder:
    def row(idx: str, answer: str, shade: int) -> dict[str, Any]:
        shown = {f"image_{number}": {"bytes": photograph(shade + number), "path": None} for number in (1, 2)}
        words = {"idx": idx, "sub_task": "Jigsaw", "question": "Which fits?", "answer": answer}
        return {**words, "choices": ["the first image", "the second image"], **shown}

    (folder / "Jigsaw").mkdir(parents=True)
    for split, rows in (("val", [row("v1", "(A)", 1), row("v2", "(C)", 5)]), ("test", [row("t1", "hidden", 9)])):
        pq.write_table(pa.Table.from_pylist(rows), folder / "Jigsaw" / f"{split}-00000-of-00001.parquet")
    return Folder(folder, folder, {"v1": (("the first image", "the second image"), "A")}, "blink")


def semicolons(folder: Path) -> Folder:
    placed(folder, "a.png")
    text = "id;image;question;A;B;answer\n1;a.png;Größe?;1,5;2,5;B\n2;a.png;Farbe?;rot;blau;A\n3;a.png;Form?;rund;eckig;Z\n"
    (folder / "q.csv").write_bytes(text.encode("utf-16"))
    return Folder(folder / "q.csv", folder, {"1": (("1,5", "2,5"), "B"), "2": (("rot", "blau"), "A")})


def found_in(item: Item) -> tuple[tuple[str | None, ...], str | None]:
    return tuple(choice.text for choice in item.choices), item.answer


def audited(place: Folder, scratch: Path) -> Found:
    with ItemCache(scratch / "cache.sqlite") as cache:
        known = KnownPictures(KeptValues(cache, "files"), KeptValues(cache, "origins"))
        read = read_source(place.questions, objects=scratch / "objects", pictures=place.pictures, known=known)
    return {each.item_id: found_in(each.item) for each in read.items if each.has_key and not each.missing}


def in_a_run(place: Folder, scratch: Path) -> Found:
    recipe = {"name": "r", "steps": [{"step": "items", "file": str(place.questions), "pictures": str(place.pictures)}]}
    (scratch / "r.yaml").write_text(json.dumps(recipe))
    run_recipe(load_recipe(scratch / "r.yaml"), workspace=scratch / "ws")
    return {str(item.attributes["source_id"]): found_in(item) for item, _ in open_view(scratch / "ws").items()}


def without_a_run(place: Folder, scratch: Path) -> Found:
    del scratch
    rows = items_in_files(ItemFiles(place.questions, place.pictures))
    items = [row for row in rows if isinstance(row, SourceItem) and row.has_pictures and row.item.answer is not None]
    return {str(row.own_id): found_in(row.item) for row in items}


def imported(place: Folder, scratch: Path) -> Found:
    if place.published is None:
        return place.items
    made = import_published(place.published, place.pictures, scratch / "release").release
    return {str(each.item.attributes["published_id"]): found_in(each.item) for each in made.items()}


READERS: Mapping[str, Callable[[Folder, Path], Found]] = {
    "audit": audited,
    "run": in_a_run,
    "filter shortcuts": without_a_run,
    "evaluate import": imported,
}


@pytest.mark.parametrize("make", [ii_bench, mvp_bench, blink, semicolons])
def test_every_command_finds_the_same_items_options_and_keys(tmp_path: Path, make: Callable[[Path], Folder]) -> None:
    place = make(tmp_path / "bench")
    found = {}
    for name, read in READERS.items():
        (tmp_path / name).mkdir()
        found[name] = read(place, tmp_path / name)
    assert found == dict.fromkeys(READERS, place.items)
    assert check_items(place.questions, pictures=place.pictures)["items"] == len(place.items)
