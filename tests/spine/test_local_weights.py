"""Weights on this machine are found by the name of their repository, and nothing is downloaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.canonical import digest, file_digest
from benchwright.models.local_weights import weights_digest, weights_on_this_machine

REPOSITORY = "depth-anything/Depth-Anything-V2-Small-hf"


@pytest.mark.parametrize("name", [REPOSITORY, "Depth-Anything-V2-Small-hf"])
def test_a_folder_of_models_is_looked_through_by_both_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path))
    assert weights_on_this_machine(REPOSITORY) == tmp_path / name
    assert weights_on_this_machine("facebook/dinov2-small") is None


def test_the_cache_of_the_hub_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("huggingface_hub")
    monkeypatch.delenv("BENCHWRIGHT_MODELS", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    cached = tmp_path / "models--depth-anything--Depth-Anything-V2-Small-hf"
    commit = "0" * 40
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text(commit, encoding="utf-8")
    (cached / "snapshots" / commit).mkdir(parents=True)
    (cached / "snapshots" / commit / "config.json").write_text("{}", encoding="utf-8")
    assert weights_on_this_machine(REPOSITORY) == cached / "snapshots" / commit
    assert weights_on_this_machine("nobody/has-this") is None
    assert weights_on_this_machine("no/such/name/at all") is None


def test_weights_are_read_once_until_they_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vae").mkdir()
    files = [tmp_path / name for name in ("config.json", "vae/model.safetensors", "model.safetensors")]
    for file in files:
        file.write_text(file.name, encoding="utf-8")
    names = {file.relative_to(tmp_path).as_posix(): file_digest(file) for file in files}
    read: list[Path] = []
    monkeypatch.setattr(
        "benchwright.models.local_weights.file_digest", lambda path: read.append(path) or file_digest(path)
    )
    assert weights_digest(tmp_path, files) == digest(names)
    assert weights_digest(tmp_path, reversed(files)) == digest(names)
    assert sorted(read) == sorted(files)
    files[1].write_text("other weights", encoding="utf-8")
    changed = weights_digest(tmp_path, files)
    assert changed == digest(names | {"vae/model.safetensors": file_digest(files[1])}) != digest(names)
    assert read[3:] == [files[1]]
