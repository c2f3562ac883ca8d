"""Limits on a recipe changed in the browser: no new endpoints, variables or folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.annotation.app.recipe_page.recipe_reach import check_reach
from benchwright.errors import BenchwrightError

BEFORE = """
name: ten
steps:
  - step: ideas
    writer: {chat: {model: a, base_url: "http://127.0.0.1:9/v1", api_key_env: OWN_KEY}}
  - step: verify
    guidelines: "Accept and/or reject: see ../ in the text, 10:30.\\nMore."
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("http://127.0.0.1:9/v1", "http://elsewhere.example/v1"),
        ("api_key_env: OWN_KEY", "api_key_env: AWS_SECRET_ACCESS_KEY"),
        ("model: a,", "model: a, headers: {X-Token: 'ENV:TEAM_TOKEN'},"),
        ("- step: verify", "- step: facts\n    file: /etc/passwd\n  - step: verify"),
        ("- step: verify", "- step: facts\n    file: ../../secrets.yaml\n  - step: verify"),
        ("- step: verify", "- step: facts\n    file: ~/facts.yaml\n  - step: verify"),
    ],
)
def test_what_the_file_on_the_server_does_not_name_is_refused(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(BenchwrightError, match="did not name before; add it to the file on the server"):
        check_reach(BEFORE, BEFORE.replace(old, new), tmp_path)


def test_files_beside_the_recipe_and_what_it_names_already_are_taken(tmp_path: Path) -> None:
    beside = tmp_path / "gold.csv"
    more = f"  - step: facts\n    file: facts/mine.yaml\n  - step: answer\n    gold: {beside}\n"
    check_reach(BEFORE, BEFORE + more, tmp_path)
    check_reach(BEFORE, BEFORE.replace("model: a", "model: b"), tmp_path)
