"""Streamlit's own files as the app serves them, and files it must not find next to its script."""

from __future__ import annotations

import pytest

from benchwright.annotation.app.security.static_files import LATER, needed_files, static_files
from benchwright.annotation.app.serve import SCRIPT


@pytest.mark.parametrize("name", LATER)
def test_what_a_page_needs_later_is_still_called_so(name: str) -> None:
    assert [path for path in needed_files() if path.rsplit("/", 1)[1].startswith(f"{name}.")]


def test_what_is_needed_is_a_small_part_of_all_scripts_styles_and_fonts() -> None:
    assert set(needed_files()) < set(static_files())
    assert sum(static_files()[path].stat().st_size for path in needed_files()) < 4_000_000
    assert {path.rsplit(".", 1)[1] for path in static_files()} == {"js", "css", "woff2"}


def test_no_folder_of_pages_lies_beside_the_script_for_streamlit_to_serve_by_itself() -> None:
    assert SCRIPT.is_file()
    assert not (SCRIPT.parent / "pages").exists()
