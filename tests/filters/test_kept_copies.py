"""The deciding step: settings, declared groups from a file or an earlier step, and its outcome for each image."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchwright.errors import PrerequisiteError, RecipeError
from benchwright.filters.duplicates.kept_copies import KeptOfCopies, read_groups
from benchwright.recipe import parse_recipe
from benchwright.steps import FOLDER, GatherContext

CONTEXT = GatherContext(seed=0, stage="near_duplicates.kept")
IDS = [letter * 64 for letter in "abcd"]
TEXTS = pa.list_(pa.string())


def step(folder: Path = Path(), **settings: Any) -> KeptOfCopies:
    whole = {"keep": ["resolution"], "protected": [], "licences": [], **settings}
    return KeptOfCopies.model_validate(whole, context={FOLDER: folder})


def told(
    made: KeptOfCopies,
    *,
    confirmed: dict[int, list[int]],
    unsure: dict[int, list[int]] | None = None,
    scene: dict[int, list[int]] | None = None,
    confirmed_by_chain: dict[int, list[int]] | None = None,
    **more: Any,
) -> dict[str, tuple[str, str | None, dict[str, Any]]]:
    count = len(IDS)

    def partners(links: dict[int, list[int]]) -> pa.Array:
        return pa.array([[IDS[n] for n in links[row]] if row in links else None for row in range(count)], TEXTS)

    columns = {
        "image_id": IDS, "source_uri": [f"{one[0]}.png" for one in IDS], "licence": pa.array([None] * count, pa.string()),
        "width": [40, 30, 20, 10], "height": [10] * count, "size_bytes": [100] * count,
        "looks.confirmed": partners(confirmed), "looks.unsure": partners(unsure or {}),
        "looks.scene": partners(scene or {}), "chain_looks.confirmed": partners(confirmed_by_chain or {}),
        "chain_looks.unsure": partners({}), "chain_looks.scene": partners({}), **more,
    }  # fmt: skip
    table = pa.table(columns).select(list(made.columns))
    found = made.gather(table, CONTEXT)
    assert found.verdicts is not None
    assert found.reasons is not None
    assert found.evidence is not None
    return {
        IDS[row][0]: (found.verdicts[place], found.values["group"][place], dict(found.evidence[place]))
        for place, row in enumerate(found.rows.tolist())
    }


def test_what_was_confirmed_along_a_chain_counts_as_what_was_proposed() -> None:
    found = told(step(), confirmed={1: [0], 2: [1]}, confirmed_by_chain={2: [0]})
    assert {name: row[0] for name, row in found.items()} == {"a": "keep", "b": "drop", "c": "drop"}


def test_a_copy_is_dropped_for_the_kept_one_and_shares_its_group() -> None:
    group = f"cluster:{'a' * 16}"
    assert told(step(), confirmed={1: [0]}, unsure={2: [0]}) == {
        "a": ("keep", group, {}),
        "b": ("drop", group, {"of": IDS[0]}),
        "c": ("ask", group, {"like": [IDS[0]]}),
    }


def test_views_of_a_scene_stay_unasked_and_share_a_group() -> None:
    group = f"cluster:{'a' * 16}"
    assert told(step(), confirmed={1: [0]}, scene={2: [1]}) == {
        "a": ("keep", group, {}),
        "b": ("drop", group, {"of": IDS[0]}),
        "c": ("keep", group, {}),
    }


def test_views_of_one_scene_on_purpose_are_no_copies_and_copies_of_other_scenes_still_are() -> None:
    group = f"cluster:{'a' * 16}"
    scenes = pa.array([["v"], ["v", "w"], ["w"], None], TEXTS)
    placed = step().with_scenes(("dataset.scenes",))
    links = {"confirmed": {1: [0], 3: [0]}, "unsure": {2: [1]}}
    assert told(placed, **links, **{"dataset.scenes": scenes}) == {
        "a": ("keep", group, {}),
        "b": ("keep", group, {}),
        "c": ("keep", group, {}),
        "d": ("drop", group, {"of": IDS[0]}),
    }
    assert told(step(), **links)["b"][0] == "drop"


def test_a_partner_that_is_gone_is_passed_over() -> None:
    made = step()
    table_of = told(made, confirmed={}, unsure={})
    assert table_of == {}


def test_groups_of_a_file_are_exempt_and_named_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("path,group\na.png,p1\nb.png,p1\n", encoding="utf-8")
    made = step(tmp_path, groups="pairs.csv")
    assert told(made, confirmed={1: [0], 2: [0]})["c"][0] == "drop"
    assert "b" not in told(made, confirmed={1: [0], 2: [0]})
    (tmp_path / "pairs.csv").rename(tmp_path / "other.csv")
    assert step(tmp_path, groups="other.csv").parameters() == made.parameters()
    assert made.parameters()["groups"].startswith("sha256:")


@pytest.mark.parametrize("values", [["p", "p", None, None], [["p", "q"], ["q"], None, None]])
def test_groups_may_be_a_value_of_a_step_before(values: list[Any]) -> None:
    made = step(groups="scenes.of")
    assert made.columns[-1] == "scenes.of"
    found = told(made, confirmed={1: [0], 2: [0]}, **{"scenes.of": values})
    assert ("b" in found, found["c"][0]) == (False, "drop")


def test_a_measured_quality_of_a_step_before_decides() -> None:
    made = step(keep=["quality"], quality="sharpness.level")
    found = told(made, confirmed={1: [0]}, **{"sharpness.level": [0.1, 0.9, 0.0, 0.0]})
    assert found["a"][:1] == ("drop",)


def test_groups_that_are_known_by_digest_only_cannot_be_used_anew() -> None:
    with pytest.raises(PrerequisiteError, match="known by digest only; give the file"):
        told(step(groups="sha256:" + "0" * 64), confirmed={})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"file,group\na,b\n", "column 'path' is missing"),
        (b"path,group\na.png,\n", "line 2: path and group must both be given"),
        (b"", "column 'path' is missing; the file is empty"),
        (None, "cannot be read"),
    ],
)
def test_a_groups_file_that_is_wrong_is_refused(tmp_path: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "g.csv").write_bytes(content)
    with pytest.raises(RecipeError, match=words):
        read_groups(tmp_path / "g.csv")


def test_a_recipe_finds_its_groups_beside_it(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("path,group\na.png,x\n", encoding="utf-8")
    text = "name: x\nsteps:\n  - step: near_duplicates\n    groups: g.csv\n"
    [(_, made)] = parse_recipe(text, "r.yaml", tmp_path).steps
    assert made.parameters()["groups"].startswith("sha256:")
    with pytest.raises(RecipeError, match="cannot be read"):
        parse_recipe(text, "r.yaml", tmp_path / "elsewhere")
