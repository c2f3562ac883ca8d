"""The file to which a picture's name refers: tables of folders and names, read as by `construct items`."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.pictures import save

from benchwright.question_files.item_check import check_items, check_items_text, read_questions
from benchwright.question_files.listed_rows import listed_rows

MISSING, AMBIGUOUS = "missing_picture", "ambiguous_picture"
ROW = {"question": "Which?", "options": ["x", "y"], "answer": "B"}
NFD = unicodedata.normalize("NFD", "café.png")
NFC = unicodedata.normalize("NFC", "café.png")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("drawn") / "p.png"
    save(path, 3, 12, 9)
    return path.read_bytes()


def bench(folder: Path, drawn: bytes, files: Sequence[str], rows: Mapping[str, Sequence[Any]]) -> Path:
    """Write pictures that all differ, and files of questions with a picture's name a row."""
    for number, name in enumerate(files):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(drawn + b"\0" * number)
    for name, pictures in rows.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        entries = [{"id": f"{name}{n}", "image": picture, **ROW} for n, picture in enumerate(pictures)]
        (folder / name).write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return folder


def shown(source: Path, **settings: Any) -> list[str]:
    """Return for each row the picture that it shows, or why it shows none."""
    with read_questions(source, **settings) as read:
        return [row.get("left_out") or row["images"][0] for row in listed_rows(read.index)]


ONE_FILE = {
    # name in the question: (files, what is shown)
    "beside": ("p.png", ["p.png"], "p.png"),
    "in images": ("p.png", ["images/p.png"], "images/p.png"),
    "anywhere": ("p.png", ["a/b/p.png"], "a/b/p.png"),
    "two of the name": ("p.png", ["a/p.png", "b/p.png"], AMBIGUOUS),
    "other folder": ("./chart/p.png", ["examples/p.png"], MISSING),
    "other folder, file at the root": ("chart/p.png", ["p.png"], MISSING),
    "longer path here": ("chart/p.png", ["data/chart/p.png"], "data/chart/p.png"),
    "shorter path here": ("/mnt/bench/chart/p.png", ["chart/p.png"], "chart/p.png"),
    "shared last folder, others differ": ("a/images/p.png", ["b/images/p.png"], MISSING),
    "longest match": ("x/chart/p.png", ["y/x/chart/p.png", "z/chart/p.png"], "y/x/chart/p.png"),
    "the folder's own name": ("bench/p.png", ["p.png"], "p.png"),
    "absolute, folder's own name": ("/home/u/bench/p.png", ["p.png"], "p.png"),
    "case": ("Chart/P.PNG", ["chart/p.png"], "chart/p.png"),
    "case of two": ("P.png", ["a/p.png", "a/p.PNG"], AMBIGUOUS),
    "exact case of two": ("p.png", ["a/p.png", "a/P.png"], "a/p.png"),
    "composed": (NFC, [f"a/{NFD}"], f"a/{NFD}"),
    "decomposed": (f"a/{NFD}", [f"a/{NFC}"], f"a/{NFC}"),
    "encoded": ("a/my%20cup.png", ["a/my cup.png"], "a/my cup.png"),
    "a file that is called so": ("a/my%20cup.png", ["a/my%20cup.png", "b/my cup.png"], "a/my%20cup.png"),
    "encoded here": ("my cup.png", ["my%20cup.png"], "my%20cup.png"),
    "backslashes": (r".\chart\p.png", ["chart/p.png"], "chart/p.png"),
    "drive": (r"C:\Users\ann\chart\p.png", ["chart/p.png"], "chart/p.png"),
    "drive, other folder": (r"C:\Users\ann\p.png", ["p.png"], MISSING),
    "network share": (r"\\server\share\chart\p.png", ["chart/p.png"], "chart/p.png"),
    "local files": ("/data/local-files/?d=chart/p%201.png", ["chart/p 1.png"], "chart/p 1.png"),
    "local files, other folder": ("/data/local-files/?d=chart/p.png", ["table/p.png"], MISSING),
    "local files of a host": (
        "http://localhost:8080/data/local-files/?d=b/chart/p.png",
        ["chart/p.png"],
        "chart/p.png",
    ),
    "upload": ("/data/upload/3/0a1b2c3d-p.png", ["p.png"], "p.png"),
    "upload as it is": ("/data/upload/3/0a1b2c3d-p.png", ["0a1b2c3d-p.png", "p.png"], "0a1b2c3d-p.png"),
    "file address": ("file:///srv/bench/chart/my%20p.png", ["chart/my p.png"], "chart/my p.png"),
    "bucket": ("s3://pool/v1/chart/p.png", ["chart/p.png"], "chart/p.png"),
    "address": ("https://x.org/v1/chart/p.png?sig=1/2#top", ["chart/p.png"], "chart/p.png"),
    "address, other folder": ("https://x.org/chart/p.png", ["p.png"], MISSING),
    "address without folders": ("https://x.org/p.png", ["p.png"], "p.png"),
    "address that asks": ("https://x.org/show?file=chart%2Fp.png", ["chart/p.png"], "chart/p.png"),
    "no end": ("chart/p", ["chart/p.png"], "chart/p.png"),
    "no end, dots": ("fig.1", ["fig.1.png"], "fig.1.png"),
    "no end of two": ("p", ["p.png", "p.jpg"], AMBIGUOUS),
    "other end": ("p.jpg", ["p.png"], MISSING),
    "other end of one format": ("a/p.jpg", ["a/p.jpeg", "b/p.jpeg"], "a/p.jpeg"),
    "other end of one format, of two": ("p.jpg", ["p.jpeg", "p.jfif"], AMBIGUOUS),
    "other first folder": ("vqa/set2/cat/1.png", ["pics/set1/cat/1.png", "pics/set2/cat/1.png"], "pics/set2/cat/1.png"),
    "other first folder of two": ("vqa/set/cat/1.png", ["pics/set/cat/1.png", "old/set/cat/1.png"], AMBIGUOUS),
    "first folder that tells sets apart": ("set1/val/cat/1.png", ["set2/val/cat/1.png"], MISSING),
    "first folder that tells splits apart": ("train2017/a/b/1.png", ["val2017/a/b/1.png"], MISSING),
    "quotes": ("'a/p.png'", ["a/p.png"], "a/p.png"),
    "quotes of the name": ("'p.png'", ["'p.png'", "p.png"], "'p.png'"),
    "several, and a file of that whole name": ("c.png, d.png", ["c.png, d.png", "c.png", "d.png"], "c.png, d.png"),
    "number": (123456, ["val2014/COCO_val2014_000000123456.jpg"], "val2014/COCO_val2014_000000123456.jpg"),
    "number, padded": ("17", ["img/000017.png", "img/000170.png"], "img/000017.png"),
    "number of words": (12, ["chart_12.png"], MISSING),
    "number of two": (7, ["a_0007.png", "b_0007.png"], AMBIGUOUS),
    "COCO of 2017": ("COCO_val2014_000000000009.jpg", ["000000000009.jpg"], "000000000009.jpg"),
    "up and down": ("chart/../table/p.png", ["table/p.png", "chart/p.png"], "table/p.png"),
    "above": ("../p.png", ["p.png"], MISSING),
    "thumbnail": ("p.png", ["p.png", "@eaDir/p.png", ".thumbnails/p.png"], "p.png"),
    "checkpoint, elsewhere": ("p.png", ["a/p.png", "a/.ipynb_checkpoints/p.png", "__MACOSX/a/p.png"], "a/p.png"),
    "thrown away": ("p.png", [".Trash-1000/files/p.png", "#recycle/p.png", "$RECYCLE.BIN/p.png"], MISSING),
    "resource fork": ("x", ["a/x.jpg", "a/._x.jpg"], "a/x.jpg"),
    "hidden, but stated": (".cache/p.png", [".cache/p.png"], ".cache/p.png"),
}


@pytest.mark.parametrize("case", ONE_FILE)
def test_a_name_stands_for_one_file(case: str, tmp_path: Path, drawn: bytes) -> None:
    name, files, wanted = ONE_FILE[case]
    source = bench(tmp_path / "bench", drawn, files, {"q.jsonl": [name]})
    assert shown(source) == [wanted]


SEVERAL = {
    "shortened twice": (["chart/p.png"], {"q.jsonl": ["x/chart/p.png", "y/chart/p.png"]}, [MISSING, MISSING]),
    "the file's own path": (["chart/p.png"], {"q.jsonl": ["x/chart/p.png", "chart/p.png"]}, [MISSING, "chart/p.png"]),
    "one machine's root": (
        ["chart/p.png", "map/p.png"],
        {"q.jsonl": ["/m/b/chart/p.png", "/m/b/map/p.png", "/m/b/chart/p.png"]},
        ["chart/p.png", "map/p.png", "chart/p.png"],
    ),
    "two hosts": (["p.png"], {"q.jsonl": ["https://a.org/p.png", "https://b.org/p.png"]}, [MISSING, MISSING]),
    "two drives": (["a/p.png"], {"q.jsonl": [r"C:\a\p.png", r"D:\a\p.png"]}, [MISSING, MISSING]),
    "two uploads of a name": (
        ["p.png"],
        {"q.jsonl": ["/data/upload/5/ab12cd34-p.png", "/data/upload/5/ffffffff-p.png"]},
        [MISSING, MISSING],
    ),
    "two ends": (["p.jpeg"], {"q.jsonl": ["p.jpg", "p.jpeg"]}, [MISSING, "p.jpeg"]),
    "two first folders": (
        ["pics/set/cat/1.png"],
        {"q.jsonl": ["vqa/set/cat/1.png", "coco/set/cat/1.png"]},
        [MISSING, MISSING],
    ),
    "two cases": (["p.png"], {"q.jsonl": ["P.png", "p.png"]}, [MISSING, "p.png"]),
    "number and name": (["007.png"], {"q.jsonl": ["7", "007.png", "07"]}, ["007.png", "007.png", "007.png"]),
    "two folders of questions": (
        ["a/p.png", "a/r.png"],
        {"a/q.jsonl": ["p.png"], "b/q.jsonl": ["p.png"]},
        ["a/p.png", MISSING],
    ),
    "shared pictures": (
        ["pool/p.png"],
        {"a/q.jsonl": ["p.png"], "b/q.jsonl": ["p.png", "../pool/p.png"]},
        ["pool/p.png"] * 3,
    ),
    "each its own": (
        ["a/images/p.png", "b/images/p.png"],
        {"a/q.jsonl": ["images/p.png"], "b/q.jsonl": ["images/p.png"]},
        ["a/images/p.png", "b/images/p.png"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SEVERAL)
def test_one_file_never_stands_for_two_paths(case: str, tmp_path: Path, drawn: bytes) -> None:
    files, rows, wanted = SEVERAL[case]
    source = bench(tmp_path / "bench", drawn, files, rows)
    assert shown(source) == wanted
    with read_questions(source) as read:
        assert sum(count.read for count in read.index.row_counts()) == len(wanted)
        counts, images = read.index.counts(), {name for name in wanted if "_picture" not in name}
        assert (counts.items, counts.images) == (sum("_picture" not in name for name in wanted), len(images))
        assert read.left_out == ({MISSING: wanted.count(MISSING)} if MISSING in wanted else {})


def test_a_row_that_refers_to_the_picture_of_another_loses_it_too(tmp_path: Path, drawn: bytes) -> None:
    source = bench(tmp_path, drawn, ["chart/p.png"], {})
    rows = [
        {"index": n, "image": image, **ROW, "question": f"Q {n}?"}
        for n, image in enumerate(("x/chart/p.png", "0", "y/chart/p.png"))
    ]
    (source / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert shown(source) == [MISSING] * 3


def test_pictures_in_an_archive_and_in_another_folder_are_matched_alike(tmp_path: Path, drawn: bytes) -> None:
    import zipfile

    source = bench(tmp_path / "bench", drawn, [], {"q.jsonl": ["/m/chart/p.png", "map/p.png"]})
    with zipfile.ZipFile(source / "chart.zip", "w") as archive:
        archive.writestr("p.png", drawn)
        archive.writestr("__MACOSX/._p.png", drawn)
    assert shown(source) == ["chart/p.png", MISSING]
    elsewhere = bench(tmp_path / "map", drawn, ["p.png"], {})
    assert shown(source, pictures=elsewhere) == [MISSING, "p.png"]


MARKS = {
    "named twice": ("Compare <image 1> with <image 2>.", ["x", "y"], 1, MISSING),
    "underscore": ("Compare <image_1> with <image_2>.", ["x", "y"], 1, MISSING),
    "brackets": ("Is [Image 2] darker?", ["x", "y"], 1, MISSING),
    "bars": ("<|image_2|> is darker?", ["x", "y"], 1, MISSING),
    "an option": ("What is to be seen?", ["<image 1>", "<image 2>"], 1, MISSING),
    "plain marks": ("<image> and <image>: which?", ["x", "y"], 1, MISSING),
    "both there": ("Compare <image 1> with <image_2>.", ["x", "y"], 2, None),
    "from 0": ("Compare <image_0> with <image_1>.", ["x", "y"], 2, None),
    "from 0, one too many": ("Compare <image_0> with <image_1>.", ["x", "y"], 1, MISSING),
    "one plain mark": ("<image>\nWhich?", ["x", "y"], 1, None),
    "no mark": ("Which of image 2 and picture 3?", ["x", "y"], 1, None),
}


@pytest.mark.parametrize("case", MARKS)
def test_a_picture_that_only_the_text_shows_is_missing(case: str, tmp_path: Path, drawn: bytes) -> None:
    ask, options, pictures, wanted = MARKS[case]
    bench(tmp_path, drawn, ["p0.png", "p1.png"], {})
    row = {
        "id": 1,
        "images": [f"p{n}.png" for n in range(pictures)],
        "question": ask,
        "options": options,
        "answer": "B",
    }
    (tmp_path / "q.jsonl").write_text(json.dumps(row))
    with read_questions(tmp_path / "q.jsonl") as read:
        [entry] = read.index.questions()
        assert (entry.outcome, entry.question.answer) == (wanted, 1)
        assert entry.item_for_texts() is not None


def test_a_mark_never_shows_the_picture_of_the_next_column(tmp_path: Path, drawn: bytes) -> None:
    bench(tmp_path, drawn, ["p1.png", "p3.png"], {})
    row = {"image_1": "p1.png", "image_2": None, "image_3": "p3.png", "question": "Is <image 2> like <image 3>?"}
    (tmp_path / "q.json").write_text(json.dumps([ROW | row]))
    with read_questions(tmp_path / "q.json") as read:
        [entry] = read.index.questions()
        assert (entry.outcome, entry.question.ask) == (MISSING, "Is <image 2> like <image 3>?")
        assert entry.names == ("p1.png", "<image 2>", "p3.png")


@pytest.mark.parametrize(
    ("ask", "read"),
    [
        ("Is <image_0> like <image_1>?", "Is <image 1> like <image 2>?"),
        ("<|image_1|>{image#2} Which?", "<image 1><image 2> Which?"),
        ("Is [Image 2] like [Image 1]?", "Is [Image 2] like [Image 1]?"),
    ],
)
def test_marks_of_all_spellings_place_the_picture_that_they_mean(
    ask: str, read: str, tmp_path: Path, drawn: bytes
) -> None:
    bench(tmp_path, drawn, ["p1.png", "p2.png"], {})
    row = {"image_1": "p1.png", "image_2": "p2.png", "question": ask}
    (tmp_path / "q.json").write_text(json.dumps([ROW | row]))
    with read_questions(tmp_path / "q.json") as found:
        [entry] = found.index.questions()
        assert (entry.question.ask, entry.names) == (read, ("p1.png", "p2.png"))


COLUMNS = {
    "name of a file": ({"image_id": 9, "photo": "p.png"}, "photo"),
    "known names": ({"image": 9, "image_path": "p.png"}, "image_path"),
    "number as text": ({"image_id": "9", "picture_of_it": "p.png"}, "picture_of_it"),
    "number alone": ({"image_id": 9}, "image_id"),
    "hash": ({"image_id": "p", "source": "p.png"}, "image_id"),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_a_column_of_file_names_goes_before_a_number(case: str, tmp_path: Path, drawn: bytes) -> None:
    cells, column = COLUMNS[case]
    bench(tmp_path, drawn, ["p.png", "0009.png"], {})
    (tmp_path / "q.jsonl").write_text(json.dumps({**ROW, **cells}))
    with read_questions(tmp_path / "q.jsonl") as read:
        assert read.files[0].columns.column("image") == column
        [entry] = read.index.questions()
        assert entry.names == (("0009.png",) if case == "number alone" else ("p.png",))


@pytest.mark.parametrize("cell", ["a.png;b.png", "a.png, b.png", "a.png | b.png", "'a.png'; 'b.png'", "a.png\nb.png"])
def test_a_cell_may_list_several_pictures(cell: str, tmp_path: Path, drawn: bytes) -> None:
    source = bench(tmp_path, drawn, ["a.png", "b.png", "c, d.png"], {"q.jsonl": [cell, "c, d.png"]})
    with read_questions(source) as read:
        assert [entry.names for entry in read.index.questions()] == [("a.png", "b.png"), ("c, d.png",)]


def test_rows_with_a_list_of_pictures_have_it_beside_rows_with_one(tmp_path: Path, drawn: bytes) -> None:
    bench(tmp_path, drawn, ["a.png", "b.png", "c.png"], {"q.jsonl": ["a.png"]})
    asks = {"id": "two", **ROW, "question": "<image 1> <image 2> Which?", "images": ["b.png", "c.png"]}
    with (tmp_path / "q.jsonl").open("a") as handle:
        handle.write(json.dumps(asks) + "\n")
    with read_questions(tmp_path) as read:
        one, two = listed_rows(read.index)
    assert (one["images"], two["images"]) == (["a.png"], ["b.png", "c.png"])
    assert "images" not in two.get("attributes", {})


def test_notes_tell_which_pictures_have_another_name_on_disk(tmp_path: Path, drawn: bytes) -> None:
    source = bench(tmp_path, drawn, ["1.jpeg", "2.jpeg"], {"q.jsonl": ["1.jpg", "2.jpg"]})
    text = check_items_text(check_items(source))
    assert "2 pictures found under another end of the same format, such as 1.jpeg for '1.jpg'" in text


def test_an_entry_of_coco_that_names_its_file_is_not_looked_up_by_number(tmp_path: Path, drawn: bytes) -> None:
    bench(tmp_path, drawn, ["7.png", "other.png"], {})
    entry = {**ROW, "id": "a", "image_id": 3, "image": "other.png"}
    (tmp_path / "q.json").write_text(json.dumps({"images": [{"id": 3, "file_name": "7.png"}], "items": [entry]}))
    assert shown(tmp_path / "q.json") == ["other.png"]


def test_one_line_says_that_nearly_all_pictures_are_absent(tmp_path: Path, drawn: bytes) -> None:
    source = bench(tmp_path, drawn, ["0.png", "1.png"], {"q.jsonl": [f"{n}.png" for n in range(20)]})
    text = check_items_text(check_items(source))
    assert f"18 of 20 pictures that rows name are not in {source}; name their folder with --pictures DIR" in text
    (source / "q.jsonl").write_text("".join((source / "q.jsonl").read_text().splitlines(keepends=True)[:4]))
    assert "absent" not in check_items_text(check_items(source))


def test_a_picture_that_cannot_be_read_here_is_called_an_image(tmp_path: Path, drawn: bytes) -> None:
    source = bench(tmp_path, drawn, [], {"q.jsonl": ["p.psd"]})
    (source / "p.psd").write_bytes(b"8BPS\0\1" + bytes(40))
    with read_questions(source) as read:
        [row] = read.refused()
        assert row.reason == "unreadable_picture"
        assert "an image (PSD) that this installation cannot read; save it as PNG or JPEG" in row.detail
