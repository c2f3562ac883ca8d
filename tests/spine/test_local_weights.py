"""Weights on this machine are found by the name of their repository, and nothing is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.models.local_weights import weights_on_this_machine

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
