"""Only images under licenses that the recipe allows continue, and each of the others has its reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError
from rights_pictures import photograph

from benchwright.filters.licences import Licences
from benchwright.pipeline import run_steps


def test_each_image_is_judged_by_its_licence(tmp_path: Path) -> None:
    for number, name in enumerate(("by", "nd", "own", "none")):
        photograph(tmp_path / "in" / f"{name}.png", number, metadata=False)
    (tmp_path / "in" / "sources.csv").write_text(
        "file,licence\nby.png,https://creativecommons.org/licenses/by/4.0/\nnd.png,CC BY-ND 4.0\nown.png,Our Terms\n"
    )
    steps = [Licences.model_validate({"allow": ["CC BY 4.0", "our terms"]})]
    done = run_steps(steps, images=tmp_path / "in", workspace=tmp_path / "w", workers=1)
    report = done.steps[-1]
    assert (report.records, report.kept) == (4, 2)
    assert report.dropped == {"licence_missing": 1, "licence_not_allowed": 1}


def test_images_without_a_licence_go_on_where_that_is_allowed() -> None:
    step = Licences.model_validate({"allow": ["CC0"], "missing_allowed": True})
    assert step.judge({"licence": None}).verdict == "keep"
    assert step.judge({"licence": "CC-BY-4.0"}).reason == "licence_not_allowed"


def test_an_empty_list_of_licences_is_refused() -> None:
    with pytest.raises(ValidationError, match="allow"):
        Licences.model_validate({"allow": []})
