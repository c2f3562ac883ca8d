"""Sources of a folder's images: the table takes precedence over XMP, XMP over EXIF, and EXIF over IPTC."""

from __future__ import annotations

from pathlib import Path

import pytest
from odd_steps import Batched
from rights_pictures import XMP, photograph

from benchwright.errors import DataError
from benchwright.images.formats.walking import Limits
from benchwright.pipeline import run_steps
from benchwright.records import Source
from benchwright.rights import embedded_sources, read_source_table
from benchwright.workspace.run_results import FinishedRun
from benchwright.workspace.tables import image_records, read_table


def _run(root: Path, *, name: str = "w") -> FinishedRun:
    return run_steps([Batched()], images=root, workspace=root.parent / name, workers=1)


def _sources(root: Path) -> dict[str, Source]:
    paths = sorted((root.parent / "w" / "tables" / "00_ingest").glob("images-*.parquet")) or sorted(
        path for path in (root.parent / "w" / "tables").rglob("*.parquet") if "images" in path.name
    )
    sources = [record.source for path in paths for record in image_records(read_table(path))]
    return {source.uri: source for source in sources if source is not None}


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_a_file_says_who_made_it_in_xmp_and_exif(tmp_path: Path, suffix: str) -> None:
    path = photograph(tmp_path / f"a.{suffix}")
    stated = embedded_sources(path, f"image/{'jpeg' if suffix == 'jpg' else suffix}", limits=Limits())
    assert stated["XMP"] == {
        "author": "Ada X, Bo X", "licence": "CC-BY-SA-4.0", "url": "https://example.org/cup",
        "attribution": "Photo desk",
    }  # fmt: skip
    assert stated["EXIF"] == {"author": "Eve E", "licence": "CC-BY-4.0", "attribution": "CC BY 4.0"}
    assert stated.get("IPTC") == ({"author": "Ivy I"} if suffix == "jpg" else None)
    assert list(stated) == [name for name in ("XMP", "EXIF", "IPTC") if name in stated]


def test_entities_of_xmp_are_not_expanded(tmp_path: Path) -> None:
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(10))
    bomb = f"<!DOCTYPE x [{lines}]>" + XMP.split("?>", 1)[1].replace("(c) Ada X", "&l9;")
    path = photograph(tmp_path / "a.jpg")
    segment = b"http://ns.adobe.com/xap/1.0/\0" + bomb.encode()
    path.write_bytes(b"\xff\xd8\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + path.read_bytes()[2:])
    assert list(embedded_sources(path, "image/jpeg", limits=Limits())) == ["EXIF", "IPTC"]


def test_what_the_table_states_goes_before_what_the_file_says_and_conflicts_are_kept(tmp_path: Path) -> None:
    root = tmp_path / "in"
    photograph(root / "a" / "cup.jpg", 0)
    photograph(root / "b.png", 1, metadata=False)
    (root / "sources.csv").write_text(
        "file,author,licence,url,dataset,date\n"
        "a/*,Street team,,,trip,\n"
        "a/cup.jpg,Jane Doe,CC0,,,2021-05-06\n"
        'b.png,"Doe, J.",our terms,https://example.org/b,,\n'
    )
    rows = {row["uri"]: row for row in _run(root).files()}
    assert sorted(rows) == ["a/cup.jpg", "b.png"]
    assert rows["b.png"]["detail"] is None
    assert rows["a/cup.jpg"]["verdict"] == "keep"
    assert rows["a/cup.jpg"]["detail"].split("; ")[:2] == [
        "author: sources.csv says 'Jane Doe', XMP says 'Ada X, Bo X'",
        "licence: sources.csv says 'CC0-1.0', XMP says 'CC-BY-SA-4.0'",
    ]
    assert _sources(root) == {
        "a/cup.jpg": Source(
            uri="a/cup.jpg", author="Jane Doe", licence="CC0-1.0", url="https://example.org/cup", dataset="trip",
            date="2021-05-06", attribution="Photo desk",
        ),
        "b.png": Source(uri="b.png", author="Doe, J.", licence="our terms", url="https://example.org/b"),
    }  # fmt: skip


def test_a_changed_table_changes_the_sources_without_reading_the_files_again(tmp_path: Path) -> None:
    root = tmp_path / "in"
    photograph(root / "b.png", metadata=False)
    _run(root)
    (root / "sources.csv").write_text("file,licence\nb.png,CC0\n")
    _run(root)
    assert _sources(root)["b.png"].licence == "CC0-1.0"


def test_all_that_is_wrong_with_a_table_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "sources.csv").write_text(
        "file,url,author\nnone.png,,x\nb.png,ftp://x,y\nb.png,,z\nstreet/*,,w\n,,v\nb.png,one\n"
    )
    with pytest.raises(DataError) as error:
        read_source_table(tmp_path, ["b.png", "sources.csv"])
    text = str(error.value)
    assert f"{tmp_path / 'sources.csv'} has 6 wrong cells or rows" in text
    for part in (
        "line 2: no file 'none.png'", "line 3: url 'ftp://x' is not an http or https address",
        "line 4 repeats 'b.png' from line 3", "line 5: no file matches 'street/*'", "line 6 names no file",
        "line 7 has 2 cells where there are 3 columns",
    ):  # fmt: skip
        assert part in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"file,auhtor,license\n", "unknown columns: 'auhtor', 'license'; the columns are file, author, licence"),
        (b"author\nx\n", "no column 'file'"),
        (b"file,file\n", "repeated columns: 'file'"),
        (b"file,author\nb.png,\xff\x81\n", "is not UTF-8 .byte 0xff"),
        (b'file,author\nb.png,"x\n', "line 2: no CSV: unexpected end of data; a quotation mark"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_in_words(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "sources.csv").write_bytes(content)
    with pytest.raises(DataError, match=words):
        read_source_table(tmp_path, ["b.png", "sources.csv"])


def test_two_tables_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"both sources\.csv and sources\.tsv"):
        read_source_table(tmp_path, ["sources.csv", "sources.tsv"])


def test_a_source_states_new_fields_only_where_there_is_something_to_state() -> None:
    assert "url" not in Source(uri="a").model_dump()
    assert Source.model_validate(Source(uri="a", url="https://x").model_dump()).url == "https://x"
