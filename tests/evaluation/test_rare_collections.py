"""The collector is kept back while rows are made, and then works as before."""

from __future__ import annotations

import gc

import pytest

from benchwright.evaluation.run import OBJECTS, rare_collections


def test_collections_are_rare_inside_and_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold()[0] == OBJECTS > before[0]
    assert gc.get_threshold() == before


def test_an_error_inside_brings_the_old_figures_back() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="on the way"), rare_collections():
        raise ValueError("on the way")
    assert gc.get_threshold() == before
