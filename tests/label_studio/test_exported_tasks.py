"""Label Studio imports exported tasks: texts and options as they are, the key out of sight, every pixel served."""

from __future__ import annotations

import json
from typing import Any

from exported_releases import expected_items, pixels_of, same_pixels
from nasty_release import nasty_release

from benchwright.exports import export_release


def test_tasks_and_pictures_equal_the_release(label_studio: Any, tmp_path: Any) -> None:
    release = nasty_release(tmp_path / "r")
    folder = label_studio.media / "nasty export"
    export_release(release, "label-studio", folder)
    config = (folder / "label_config.xml").read_text(encoding="utf-8")
    project = label_studio.api("admin", "POST", "projects", {"title": "nasty", "label_config": config})["id"]
    storage = {"project": project, "path": str(folder / "images"), "use_blob_urls": True}
    label_studio.api("admin", "POST", "storages/localfiles", storage)
    for split in release.splits:
        tasks = json.loads((folder / f"{split}.json").read_text(encoding="utf-8"))
        label_studio.api("admin", "POST", f"projects/{project}/import", tasks)
    read = {task["data"]["item_id"]: task for task in label_studio.tasks(project)}
    expected = expected_items(release)
    assert list(read) == [item.item_id for item in expected]
    for item in expected:
        data, meta = read[item.item_id]["data"], read[item.item_id]["meta"]
        assert data["question"] == item.question
        options = [f"({chr(65 + place)}) {text}" for place, text in enumerate(item.options)]
        assert [option["value"] for option in data["options"]] == options
        assert (meta["target"], meta["split"], meta["canary"]) == (item.target, item.split, release.canary)
        assert "target" not in data
        assert same_pixels([pixels_of(label_studio.fetch("admin", url)) for url in data["images"]], item.pixels)
    chosen = next(item for item in expected if "NA" in item.options)
    answer = [
        {"from_name": "answer", "to_name": "question", "type": "choices", "value": {"choices": ["(B) NA"]}}
    ]  # fmt: skip
    task = read[chosen.item_id]["id"]
    made = label_studio.api("ann", "POST", f"tasks/{task}/annotations", {"result": answer})
    assert made["result"][0]["value"]["choices"] == ["(B) NA"]
