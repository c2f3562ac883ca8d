"""What `import benchwright` offers is there, and is listed."""

from __future__ import annotations

import pytest

import benchwright


@pytest.mark.parametrize("name", benchwright.__all__)
def test_every_listed_name_can_be_had(name: str) -> None:
    assert getattr(benchwright, name) is not None


def test_no_other_name_is_made_up() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Itme'"):
        _ = benchwright.Itme  # type: ignore[attr-defined]


def test_every_name_that_loads_on_use_is_listed() -> None:
    assert sorted(benchwright.__all__) == sorted([*benchwright._PUBLIC, "__version__"])
