"""Marks in a real Label Studio: drawn shapes return to a hundredth of a pixel, brush strokes to the pixel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from label_studio.conftest import LabelStudio, bench, email, pull, push, region, store_of

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.label_studio.drawn_regions import drawn_result
from benchwright.annotation.label_studio.label_config import codes_by_words, control_of
from benchwright.drawing import mask_of
from benchwright.regions import Region

RECIPE = """
name: marked
seed: 3
steps:
  - step: mark
    rule: unanimous(2)
    fields:
      - {name: things, label: Things, shape: box, options: [{code: cup, words: A cup}, {code: spoon, words: A spoon}]}
      - {name: spots, label: Spots, shape: point, free_label: true}
      - {name: outline, label: Outline, shape: polygon}
      - {name: area, label: Area, shape: mask}
"""


def drawn_on(size_wh: tuple[int, int]) -> dict[str, Region]:
    width, height = size_wh
    rows, columns = np.mgrid[:height, :width]
    area = (rows - height / 3) ** 2 + (columns - width / 2) ** 2 < (height / 5) ** 2
    return {
        "things": Region(shape="box", points=((10.123, 20.456), (width / 3, height / 2)), label="spoon"),
        "spots": Region(shape="point", points=((width / 7, height / 3),), label="the handle"),
        "outline": Region(shape="polygon", points=((0, 0), (width, height / 9), (width / 3, height))),
        "area": Region(shape="mask", mask=mask_of(area)),
    }


def test_what_is_drawn_there_comes_back_as_it_was_drawn(
    label_studio: LabelStudio, photographs: Path, tmp_path: Path
) -> None:
    (tmp_path / "recipe.yaml").write_text(RECIPE, encoding="utf-8")
    workspace = tmp_path / "marked"
    ran = bench("run", tmp_path / "recipe.yaml", "--images", photographs, "--workspace", workspace)
    assert ran["state"] == "waiting"
    project = push(label_studio, workspace)["project"]
    with store_of(workspace) as store:
        form = store.campaign("mark").form.typed
        tasks = {task.item_id: task for task in store.tasks("mark")}
    assert form is not None
    fields = {field.name: field for field in form.region_fields}
    sent: dict[str, dict[str, Region]] = {}
    there = sorted(label_studio.tasks(project), key=lambda task: str(task["data"]["benchwright_task"]))
    for number, task in enumerate(there):
        item_id = task["data"]["benchwright_task"].partition(":")[0]
        width, height = tasks[item_id].payload["sizes_wh"][0]
        sent[item_id] = drawn_on((width, height))
        result: list[dict[str, Any]] = [region("field_marked", "Marked", is_text=False)]
        for name, drawn in sent[item_id].items():
            field = fields[name]
            result += drawn_result(
                field, control_of(field), codes_by_words(field), drawn, (width, height), number=number
            )
        label_studio.api("ann", "POST", f"tasks/{task['id']}/annotations", {"result": result, "lead_time": 30})
    lying = {"format": "rle", "rle": [255] * 60}
    [brush] = [part for part in result if part["type"] == "brush"]
    hostile = [result[0], {**brush, "value": lying}]
    label_studio.api("ben", "POST", f"tasks/{there[0]['id']}/annotations", {"result": hostile, "lead_time": 3})
    done = pull(label_studio, workspace, code=1)
    assert done["new"] == len(there)
    [refused] = done["quarantined"]
    assert refused["author"] == email("ben")
    assert "a brush" in refused["reason"]
    with store_of(workspace) as store:
        decisions = store.decisions("mark")
        came = {decision.item_id: decision.fields or {} for decision in decisions}
        assert {decision.annotator for decision in decisions} == {email("ann")}
    for item_id, regions in sent.items():
        for name, original in regions.items():
            [document] = came[item_id][name]
            back = Region.model_validate(document)
            assert (back.shape, back.label, back.mask) == (original.shape, original.label, original.mask)
            if original.points:
                assert np.abs(np.array(back.points) - np.array(original.points)).max() < 0.01
    assert isinstance(decisions[0], Submission)
