"""VLMEvalKit's reading of an export, by its rules: texts, order and pixels through the shipped class."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest
from exported_releases import Expected, expected_items, pixels_of, same_pixels
from nasty_release import nasty_release
from vlmevalkit_rules import vlmeval_with

from benchwright.exports import export_release
from benchwright.release import Release


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return nasty_release(tmp_path_factory.mktemp("nasty") / "r")


@pytest.fixture(scope="module")
def expected(release: Release) -> list[Expected]:
    return expected_items(release)


@pytest.fixture
def data_root(release: Release, tmp_path: Path) -> Path:
    """VLMEvalKit's data folder with the exported tables."""
    export_release(release, "vlmevalkit", tmp_path / "export")
    (tmp_path / "LMUData").mkdir()
    for path in (tmp_path / "export").glob("*.tsv"):
        shutil.copy(path, tmp_path / "LMUData")
    return tmp_path / "LMUData"


def test_the_shipped_class_gives_every_text_and_pixel(
    data_root: Path, tmp_path: Path, release: Release, expected: list[Expected]
) -> None:
    seen = []
    with vlmeval_with(tmp_path / "export" / "benchwright_dataset.py", data_root) as classes:
        names = list(classes.shipped.DATASET_URL)
        assert [name.rpartition("_")[2] for name in names] == list(release.splits)
        for name in names:
            dataset = classes.shipped(name)
            for place, item in enumerate(one for one in expected if name.endswith(f"_{one.split}")):
                row = dataset.data.iloc[place]
                *pictures, words = dataset.build_prompt(place)
                options = "".join(f"{chr(65 + n)}. {text}\n" for n, text in enumerate(item.options))
                assert words["value"].startswith(f"Question: {item.question}\nOptions:\n{options}Please select")
                assert (row["item_id"], row["answer"], row["index"]) == (item.item_id, item.target or "", place + 1)
                assert same_pixels([pixels_of(Path(picture["value"])) for picture in pictures], item.pixels)
                seen.append(item.item_id)
    assert seen == [item.item_id for item in expected]


def test_without_the_class_options_vanish_as_the_readme_says(
    data_root: Path, tmp_path: Path, release: Release, expected: list[Expected]
) -> None:
    with vlmeval_with(tmp_path / "export" / "benchwright_dataset.py", data_root) as classes:
        name = next(name for name in classes.shipped.DATASET_URL if name.endswith("_test"))
        data = classes.plain(name).data
    row = data[data["item_id"] == next(item.item_id for item in expected if "NA" in item.options)].iloc[0]
    assert all(pd.isna(row[key]) for key in "ABCDE")
    readme = (tmp_path / "export" / "README.md").read_text(encoding="utf-8")
    assert "options such as NA, None or 1, without the dataset class (1 item)" in readme


def test_a_picture_that_rows_share_is_written_once(data_root: Path) -> None:
    path = next(data_root.glob("*_test.tsv"))
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    short = table[table["image"].str.len() <= 64]
    assert len(short) == 3  # five questions about two pictures, shown once each
    assert set(short["image"]) <= set(table["index"])


def test_names_of_datasets_hold_the_release_id(data_root: Path, release: Release) -> None:
    names = sorted(path.stem for path in data_root.iterdir())
    assert names == [f"nasty_1_0_{release.release_id[:12]}_{split}" for split in release.splits]


def test_the_shipped_class_scores_by_our_reader(data_root: Path, tmp_path: Path, expected: list[Expected]) -> None:
    with vlmeval_with(tmp_path / "export" / "benchwright_dataset.py", data_root) as classes:
        name = next(iter(classes.shipped.DATASET_URL))
        dataset = classes.shipped(name)
        items = [item for item in expected if name.endswith(f"_{item.split}")]
        said = [
            f"I was torn, but it is ({item.target})." if place % 2 else "no idea" for place, item in enumerate(items)
        ]
        told = tmp_path / "m.xlsx"
        dataset.data[["index", "question"]].assign(prediction=said).to_excel(told, index=False)
        accuracy = dataset.evaluate(str(told))
        scored = pd.read_excel(tmp_path / "m_benchwright_result.xlsx", keep_default_na=False)
    counted = [place for place, item in enumerate(items) if item.target]
    assert list(scored["item_id"]) == [items[place].item_id for place in counted]
    assert list(scored["hit"]) == [place % 2 for place in counted]
    assert accuracy["Overall"].tolist() == [sum(place % 2 for place in counted) / len(counted)]
    assert accuracy.equals(pd.read_csv(tmp_path / "m_acc.csv"))
