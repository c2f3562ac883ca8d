"""The task folder for lmms-eval: task files with absolute paths, and functions that ask, and score as `evaluate` does.

`test_datasets_read_exports.py` reads the tables as lmms-eval does, by `datasets`.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from exported_releases import expected_items
from nasty_release import nasty_release

from benchwright.exports import export_release
from benchwright.release import Release


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return nasty_release(tmp_path_factory.mktemp("nasty") / "r")


@pytest.fixture(scope="module")
def export(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks") / 'with "quotes" é 😀: #'
    export_release(release, "lmms-eval", folder)
    return folder


@pytest.fixture(scope="module")
def functions(export: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("exported_utils", export / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Loader(yaml.SafeLoader):
    """Reads `!function utils.name` as that text."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))  # type: ignore[no-untyped-call]


def _rows(export: Path, split: str) -> list[dict[str, Any]]:
    return list(pq.read_table(export / "data" / f"{split}.parquet").to_pylist())


def test_task_files_name_tables_and_functions_that_are_there(
    export: Path, release: Release, functions: ModuleType
) -> None:
    for split in release.splits:
        [path] = export.glob(f"*_{split}.yaml")
        task = yaml.load(path.read_text(encoding="utf-8"), _Loader)
        assert task["task"] == path.stem == f"nasty_1_0_{release.release_id[:12]}_{split}"
        data = Path(task["dataset_kwargs"]["data_files"][task["test_split"]])
        assert data == export / "data" / f"{split}.parquet"
        assert data.is_file()
        named = [value for value in task.values() if isinstance(value, str) and value.startswith("utils.")]
        assert len(named) == 4
        assert all(callable(getattr(functions, name.partition(".")[2])) for name in named)


def test_prompts_have_the_texts_as_they_are(export: Path, release: Release, functions: ModuleType) -> None:
    rows = [row for split in release.splits for row in _rows(export, split)]
    for row, item in zip(rows, expected_items(release), strict=True):
        options = "\n".join(f"({chr(65 + place)}) {text}" for place, text in enumerate(item.options))
        assert functions.doc_to_text(row) == f"{item.question}\n{options}\n{functions.INSTRUCTION}"
        assert functions.doc_to_target(row) == (item.target or "")
        assert len(row["images"]) == len(item.pixels)


def test_items_without_a_right_option_are_not_counted(export: Path, functions: ModuleType) -> None:
    scores = {row["item_id"]: functions.process_results(row, ["(A)"]) for row in _rows(export, "val")}
    targets = {row["item_id"]: row["target"] for row in _rows(export, "val")}
    assert scores == {
        item_id: {} if target is None else {"accuracy": float(target == "A")} for item_id, target in targets.items()
    }
    assert None in targets.values()
