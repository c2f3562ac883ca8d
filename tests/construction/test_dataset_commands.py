"""`construct readers` and `construct check`: the available readers, the content of a folder, and its faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.vsr_files import write_vsr

from benchwright.cli.main import invoke
from benchwright.construction.readers.reader import DatasetReader
from benchwright.rooms import catalogue


def printed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    assert invoke([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_every_reader_says_what_it_needs_how_to_get_it_and_its_licences(capsys: pytest.CaptureFixture[str]) -> None:
    readers = printed(capsys, "construct", "readers")["readers"]
    assert [reader["name"] for reader in readers] == sorted(catalogue("dataset_readers"))
    for reader in readers:
        assert all(reader[key] for key in ("title", "help", "home", "licence", "pictures_licence", "needs"))
        assert all(all(needed.values()) for needed in reader["needs"])
        assert all(option["help"] and option["default"] is not None for option in reader["options"])
    assert invoke(["construct", "readers"]) == 0
    assert "needs     images/<12 digits>.jpg" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(catalogue("dataset_readers")))
def test_every_reader_is_there_under_its_name(name: str) -> None:
    kind = catalogue("dataset_readers")[name].load()
    assert issubclass(kind, DatasetReader)
    assert kind.name == name


def test_a_sound_folder_is_counted_and_a_wrong_one_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vsr(tmp_path)
    words = ("construct", "check", str(tmp_path), "--reader", "vsr")
    document = printed(capsys, *words)
    assert (document["ok"], document["records"], document["pictures"]) == (True, 41, 21)
    assert (document["truths"], document["refused"]) == ({"claims": 41}, {})
    (tmp_path / "images" / "000000000004.jpg").unlink()
    (tmp_path / "images" / "000000000005.jpg").write_bytes(b"x")
    document = printed(capsys, *words, code=1)
    assert document["refused"] == {"missing_picture": 2, "picture_not_an_image": 2}
    assert len(document["examples"]) == 4
    assert printed(capsys, *words, "--rows-only", "--examples", "1", code=1)["refused"] == {"missing_picture": 2}
    assert invoke(list(words)) == 1
    shown = capsys.readouterr()
    assert "refused: missing_picture 2, picture_not_an_image 2" in shown.out
    assert "line 8: missing_picture (there is no file" in shown.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--reader", "vsrr"], "there is no dataset_reader named 'vsrr'; did you mean 'vsr'"),
        (["--reader", "vsr", "--option", "split"], "'split' is not NAME=VALUE"),
        (["--reader", "vsr", "--option", "split=some"], "options of reader 'vsr': split"),
        (["--reader", "spair71k"], "is not laid out as SPair-71k"),
    ],
)
def test_wrong_use_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    write_vsr(tmp_path)
    document = printed(capsys, "construct", "check", str(tmp_path), *words, code=2)
    assert message in document["error"]["message"]
