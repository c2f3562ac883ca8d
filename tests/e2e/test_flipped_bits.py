"""A sample of single flipped bits over every class of file: none that changes a value goes unnoticed.

docs/security.md lists the unprotected values of the review store; the protected ones are tested by row.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from damage import make_workspace_to_flip
from flipped_bits import CLASSES, flips


def test_no_flipped_bit_that_changes_a_value_goes_unnoticed(tmp_path: Path) -> None:
    sample = list(flips(make_workspace_to_flip(tmp_path), count=48, seed=13))
    assert Counter(flip.kind for flip in sample).keys() == CLASSES.keys()
    vouched_for = [flip for flip in sample if flip.kind != "review store"]
    assert [flip for flip in vouched_for if flip.changes] == []
    assert sum(flip.noticed for flip in vouched_for) >= 40
