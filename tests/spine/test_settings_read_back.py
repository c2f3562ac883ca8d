"""Settings of every step, read back from the form that `workspace.json`, a release's manifest and an operation contain.

Each setting of each step gets values other than its default, made from its type. The record in a run is plain JSON, can
be read, and yields the same record again; otherwise, a run would write a workspace that no command can open.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from generated_settings import other_values
from PIL import Image

from benchwright.errors import BenchwrightError
from benchwright.recipe import Recipe, parse_recipe, read_resolved, step
from benchwright.rooms import catalogue
from benchwright.settings.yaml_places import setting_names
from benchwright.steps import Step

MOST = 2
"""Values tried of one setting beside each set of others."""
SHA = f"sha256:{'a' * 64}"
MODEL = {"model": "m"}
BY_DIGEST = {"model": SHA, "refuse": {"nsfw": 0.5}}
BESIDE: dict[str, list[dict[str, Any]]] = {
    "answer_flip": [{"chat": MODEL}],
    "basic_vis_qa": [{}, {"mode": "paper", "chat": MODEL}],
    "blind_answers": [{"results": SHA, "release": "release"}],
    "collect": [{"prompts": ["A cup."]}],
    "dataset": [{"reader": "vsr", "folder": SHA, "options": {"split": "zeroshot"}}],
    "detected_boxes": [{"weights": SHA, "phrases": ["cup"]}],
    "draft_descriptions": [{"chat": MODEL}, {"stated_by": "facts"}],
    "draft_questions": [{"chat": MODEL}, {"stated_by": "facts"}, {"annotations_of": "dataset"}],
    "draft_translations": [{"language": "de", "chat": MODEL}],
    "estimated_depth": [{"weights": SHA}, {"maps": SHA}],
    "evaluate": [{"models": ["random"]}],
    "facts": [{"file": "facts.yaml"}, {"stated_by": ["mark"]}],
    "freeze": [{"name": "bench", "version": "1.0"}],
    "ideas": [{}, {"writer": {"backend": "endpoint", "chat": {**MODEL, "omit": ["temperature"]}}}],
    "items": [{"file": "questions.csv"}, {"file": SHA}],
    "know_vis_qa": [{}, {"mode": "paper", "chat": MODEL}],
    "leakage": [{"against": ["pictures"]}],
    "licences": [{"allow": ["cc0"]}],
    "manipulate": [{}, {"backend": "endpoint", "editor": {"model": "m"}}],
    "mark": [
        {"fields": [{"name": "things", "label": "Things", "shape": "box", "free_label": True}]},
        {"fields": [{"name": "same", "label": "Same", "shape": "correspondence"}], "over": "pairs", "pairs": "a.b"},
    ],
    "object_localization": [{}, {"dataset": "sequences"}],
    "pair_items": [{}, {"writer": "endpoint", "chat": MODEL}],
    "question_faults": [{"ignore": ["placeholder_text"], "drop": ["personal_data"]}],
    "question_overlap": [{"against": ["questions.csv"]}],
    "second_answers": [{"chat": {**MODEL, "omit": ["temperature", "max_tokens"], "fields": {"effort": "low"}}}],
    "similar_pictures": [{"weights": SHA}],
    "spatial_relation": [{}, {"chat": MODEL}],
    "splits": [{}, {"sizes": {"dev": 3}}],
    "text_ratio": [{}, {"backend": "paddleocr"}],
    "visual_correspondence": [{}, {"dataset": "sequences"}],
    "write": [{"task": "story"}],
}  # fmt: skip
"""Settings beside which those of a step are tried, where it requires some, or some mean nothing without them."""
UNTRIED = {
    "dataset": {"reader", "options"},  # `BESIDE` has another reader, and settings of it
    "forensic_detection": {"mode"}, "iq_test": {"mode"},  # one value is left
    "basic_vis_qa": {"wordings"}, "beyond_vis_qa": {"mode", "wordings"}, "know_vis_qa": {"wordings"},
    "mark": {"over", "propose", "start_from", "helpers"},  # `over` goes with `pairs`; the others name files and helpers
    "draft_questions": {"drawn_options"},
    "items": {"pictures", "mapping"},  # other files
    "question_faults": {"ignore", "drop"},  # names of rules, as in `BESIDE`
}  # fmt: skip
NEED_WEIGHTS = {"clip_direction", "forensic_detection", "item_safety", "safety"}
"""Steps of which no setting can be recorded without real weights; their own tests read them back."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that settings name."""
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "pictures").mkdir()
    Image.new("RGB", (8, 8)).save(folder / "pictures" / "a.png")
    (folder / "questions.csv").write_text("question,answer,image\nWhat is it?,a cup,a.png\n", encoding="utf-8")
    (folder / "facts.yaml").write_text("format: benchwright-facts/1\nimages: {}\n", encoding="utf-8")
    return folder


def recorded(name: str, settings: dict[str, Any], folder: Path) -> tuple[Step, dict[str, Any]]:
    """Return a step and what a run records of its recipe."""
    recipe = Recipe("recorded", [step(name, as_="entry", **settings)], folder=folder)
    return recipe.steps[0][1], json.loads(json.dumps(recipe.resolved()))


def tried(name: str, folder: Path) -> Iterator[tuple[str, Step, dict[str, Any]]]:
    """Yield each setting of a step that is accepted with another value, the step, and what a run records."""
    fields = setting_names(catalogue("steps")[name].load())
    for beside in BESIDE.get(name, [{}]):
        for setting, field in fields.items():
            accepted = 0
            for value in islice(other_values(field), 60):
                try:
                    made, document = recorded(name, {**beside, setting: value}, folder)
                except BenchwrightError:
                    continue
                yield setting, made, document
                accepted += 1
                if accepted == MOST:
                    break


@pytest.mark.parametrize("name", sorted(set(catalogue("steps")) - NEED_WEIGHTS))
def test_each_setting_of_a_step_is_read_back_as_it_was_recorded(name: str, folder: Path) -> None:
    settings = set()
    for setting, made, document in tried(name, folder):
        settings.add(setting)
        parameters = made.parameters()
        again = read_resolved(document, "workspace.json", folder)
        assert again.resolved() == document, setting
        [(_, read)] = again.steps
        assert read.parameters() == parameters == json.loads(json.dumps(parameters)), setting
    assert set(setting_names(catalogue("steps")[name].load())) - settings <= UNTRIED.get(name, set())


def test_a_retired_setting_is_refused_in_a_recipe_and_read_in_what_an_earlier_version_recorded(folder: Path) -> None:
    cut = {"step": "manipulate", "masks": {"min_edges": 0.95, "min_area": 0.01}}
    with pytest.raises(BenchwrightError, match=r"'masks.min_edges' \(value 0.95\); `masks.max_tear` takes its place"):
        parse_recipe(json.dumps({"name": "old", "steps": [cut]}), "old.yaml", folder)
    recorded = {"name": "old", "steps": [{**cut, "as": "manipulate", "version": "1"}]}
    [(_, read)] = read_resolved(recorded, "workspace.json", folder).steps
    assert read.masks.min_area == 0.01  # type: ignore[attr-defined]
