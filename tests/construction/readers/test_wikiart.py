"""WikiArt: styles by number and folder, and names in any spelling that the disk uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataset_fixtures.wikiart_files import COMPOSED, DECOMPOSED, MOJIBAKE, STYLES, write_wikiart
from dataset_reading import checked, read_all, reasons

from benchwright.construction.ground_truth.truths import ArtStyle
from benchwright.construction.readers.wikiart import WikiArt
from benchwright.errors import DataError


def test_every_painting_is_a_record_with_its_style(tmp_path: Path) -> None:
    rows = write_wikiart(tmp_path)
    records, refused = read_all(WikiArt(), tmp_path)
    assert (len(records), refused) == (40, [])
    for record, (path, number) in zip(records, rows, strict=True):
        [truth], [picture] = record.truths, record.pictures
        assert isinstance(truth, ArtStyle)
        assert truth.style == STYLES[number].replace("_", " ")
        assert picture.licence == "non-commercial research only; terms of WikiArt.org"
        assert picture.path == f"wikiart/{DECOMPOSED if path == COMPOSED else path}"
    assert [truth.artist for truth in records[0].truths if isinstance(truth, ArtStyle)] == ["edgar degas"]
    assert records[2].pictures[0].canonical_id == f"wikiart:{COMPOSED}"
    assert records[3].pictures[0].path == f"wikiart/{MOJIBAKE}"
    assert checked(WikiArt(), tmp_path)["ok"] is True


def test_of_the_lists_that_are_there_those_asked_for_are_read(tmp_path: Path) -> None:
    write_wikiart(tmp_path)
    assert [len(read_all(WikiArt(parts=(part,)), tmp_path)[0]) for part in ("train", "val")] == [28, 12]


def test_a_name_that_no_spelling_finds_is_a_missing_picture(tmp_path: Path) -> None:
    write_wikiart(tmp_path)
    (tmp_path / "wikiart" / MOJIBAKE).rename(tmp_path / "wikiart" / "Ukiyo_e" / "joaquín_x.jpg")
    records, [refusal] = read_all(WikiArt(), tmp_path)
    assert (len(records), refusal.reason) == (39, "missing_picture")
    assert MOJIBAKE in refusal.detail


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("Impressionism/x.jpg,0", "class '0' is Abstract_Expressionism"),
        ("Impressionism/x.jpg,99", "class '99' is no style"),
        ("Impressionism/x.jpg,,12", "3 cells where there are 2 columns"),
        ("../../etc/passwd,12", "expected Style_Name"),
        ("x.jpg,12", "expected Style_Name"),
    ],
)
def test_a_wrong_line_is_one_refusal(tmp_path: Path, line: str, detail: str) -> None:
    write_wikiart(tmp_path)
    path = tmp_path / "wikiart_csv" / "style_val.csv"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    records, [refusal] = read_all(WikiArt(), tmp_path)
    assert reasons([refusal]) == [("wikiart_csv/style_val.csv", "line 13", "bad_row")]
    assert detail in refusal.detail
    assert len(records) == 40


def test_a_line_in_a_windows_code_page_names_the_picture_that_is_meant(tmp_path: Path) -> None:
    write_wikiart(tmp_path)
    path = tmp_path / "wikiart_csv" / "style_val.csv"
    path.write_bytes(path.read_bytes() + "Impressionism/münch.jpg,12\n".encode("latin-1"))
    _, [refusal] = read_all(WikiArt(), tmp_path)
    assert refusal.detail.endswith("Impressionism/münch.jpg")


def test_a_list_of_styles_of_another_shape_is_named(tmp_path: Path) -> None:
    write_wikiart(tmp_path)
    (tmp_path / "wikiart_csv" / "style_class.txt").write_text("Impressionism\n", encoding="utf-8")
    with pytest.raises(
        DataError, match=r"style_class\.txt: line 1 is 'Impressionism'; expected a line such as 12 Impress"
    ):
        read_all(WikiArt(), tmp_path)
