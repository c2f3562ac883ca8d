"""The human baseline of a release.

- A written baseline is read back; a release without one yields none.
- Impossible counts, and items that the release lacks, are refused by writer, reader and `release verify`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_bench import Bench, reseal

from benchwright.errors import DataError
from benchwright.release import Release, verify_release
from benchwright.release.format.human_baseline import read_human_baseline

pytestmark = pytest.mark.slow

NOBODY = "f" * 32
"""Id of no item."""


def by(asked: int, right: int, first: int = 1) -> dict[str, bool]:
    """Return that the first `right` of `asked` annotators were right."""
    return {f"annotator-{first + number}": number < right for number in range(asked)}


def baseline_of(bench: Bench, **changes: Any) -> dict[str, Any]:
    """Return a baseline in which three annotators were asked the first five items, right 0, 1, 2, 3 and 3 times."""
    ids = [item.item_id for item, _ in bench.items[:5]]
    items = {
        item_id: {"asked": 3, "right": min(number, 3), "by": by(3, min(number, 3))}
        for number, item_id in enumerate(ids)
    }
    return {"answer": {"simulated": False, "annotators": 4, "answers_per_item": 3, "items": items, **changes}}


@pytest.fixture(scope="module")
def whole(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Release:
    return bench.write(tmp_path_factory.mktemp("baseline") / "r", human_baseline=baseline_of(bench))


@pytest.fixture
def folder(whole: Release, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole.path, tmp_path / "r"))


def forge(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the document and vouch for it in the manifest, as the release's author could."""
    path = folder / "human_baseline.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    reseal(folder)


def test_what_was_written_is_read_back_and_verifies(bench: Bench, whole: Release) -> None:
    assert read_human_baseline(whole) == baseline_of(bench)
    assert verify_release(whole.path).problems == []


def test_a_baseline_of_version_1_is_read_which_does_not_say_who_was_right(folder: Path) -> None:
    def older(document: dict[str, Any]) -> None:
        document["version"] = 1
        for told in document["baseline"]["answer"]["items"].values():
            del told["by"]

    forge(folder, older)
    assert verify_release(folder).problems == []
    baseline = read_human_baseline(Release.open(folder))
    assert baseline is not None
    assert {told["asked"] for told in baseline["answer"]["items"].values()} == {3}
    assert not any("by" in told for told in baseline["answer"]["items"].values())


def test_a_release_without_one_has_nothing_to_read(bench: Bench, tmp_path: Path) -> None:
    assert read_human_baseline(bench.write(tmp_path / "r")) is None


def test_the_card_says_in_one_line_that_there_is_one_and_who_answered(bench: Bench, tmp_path: Path) -> None:
    for simulated, who in ((False, "people"), (True, "**simulated** annotators, not people")):
        bench.write(tmp_path / who, human_baseline=baseline_of(bench, simulated=simulated))
        lines = (tmp_path / who / "README.md").read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if "baseline" in line] == [
            f"Human baseline `answer`: 5 items, up to 3 answers each, by {who} (`human_baseline.json`)."
        ]


def _item(document: dict[str, Any]) -> dict[str, Any]:
    return next(iter(document["baseline"]["answer"]["items"].values()))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda d: _item(d).update(right=4), "4 answers are right, but only 3 were asked", id="more right than asked"),
        pytest.param(lambda d: _item(d).update(right=-1), "greater than or equal to 0", id="negative"),
        pytest.param(lambda d: _item(d).update(asked=0, right=0), "greater than or equal to 1", id="never asked"),
        pytest.param(lambda d: _item(d).update(right=1.5), "valid integer", id="half an answer"),
        pytest.param(lambda d: _item(d).update(asked=4, right=0, by=by(4, 0)), "asked 4 times", id="more asked than answers"),
        pytest.param(lambda d: _item(d).update(right=1, by=by(3, 2)), "annotators: 2 of 3", id="other annotators right"),
        pytest.param(lambda d: _item(d).update(right=0, by=by(2, 0)), "annotators: 0 of 2", id="an annotator missing"),
        pytest.param(lambda d: _item(d).update(by={"ann": False}), "match pattern", id="a name for a pseudonym"),
        pytest.param(lambda d: _item(d).update(right=0, by=by(3, 0, first=3)), "5 annotators answered, of 4", id="strangers"),
        pytest.param(lambda d: d["baseline"]["answer"].update(annotators=2), "asked 3 times", id="too few annotators"),
        pytest.param(lambda d: d["baseline"]["answer"].pop("simulated"), "simulated: Field required", id="unmarked"),
        pytest.param(lambda d: d["baseline"]["answer"].update(names=["ann"]), "names: Extra inputs", id="names"),
        pytest.param(
            lambda d: d["baseline"]["answer"]["items"].update({NOBODY: {"asked": 3, "right": 3}}),
            f"'answer' counts answers to item {NOBODY}", id="another item",
        ),
        pytest.param(lambda d: d["baseline"]["answer"]["items"].update({"../x": {}}), "match pattern", id="no id"),
        pytest.param(lambda d: d.pop("baseline"), "valid dictionary", id="empty"),
        pytest.param(lambda d: d.update(more=1), "contains more", id="unknown field"),
        pytest.param(lambda d: d.update(version=3), "upgrade benchwright", id="newer"),
    ],
)  # fmt: skip
def test_a_forged_baseline_is_found(folder: Path, change: Callable[[dict[str, Any]], object], message: str) -> None:
    forge(folder, change)
    [line] = verify_release(folder).problems
    assert line.startswith("human_baseline.json")
    assert message.replace("'", "") in line.replace("'", "")


def test_reading_refuses_what_the_manifest_does_not_vouch_for(folder: Path) -> None:
    path = folder / "human_baseline.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"right": 0', '"right": 3'), encoding="utf-8")
    with pytest.raises(DataError, match="differs from the frozen file"):
        read_human_baseline(Release.open(folder))


def test_reading_refuses_a_document_of_another_shape(folder: Path) -> None:
    forge(folder, lambda document: document["baseline"].update(answer={"accuracy": 0.9}))
    with pytest.raises(DataError, match=r"human_baseline\.json: baseline\.answer\."):
        read_human_baseline(Release.open(folder))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        pytest.param({NOBODY: {"asked": 1, "right": 1}}, "not in the release", id="another item"),
        pytest.param({"x": {"asked": 1, "right": 1}}, "match pattern", id="no id"),
    ],
)
def test_writing_refuses_a_baseline_of_other_items(
    bench: Bench, tmp_path: Path, items: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        bench.write(tmp_path / "r", human_baseline=baseline_of(bench, items=items))
    assert not (tmp_path / "r").exists()
