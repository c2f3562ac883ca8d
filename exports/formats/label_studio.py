"""Label Studio: tasks to import, with a labeling config for answering the questions.

To send campaigns to Label Studio and read them back, use `review label-studio`; this export is for your own labeling.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, ClassVar
from urllib.parse import quote, unquote

from benchwright.errors import DataError
from benchwright.regions.formats.streamed_json import JsonLists

from ..exporting.base import ExportFormat, ReadItem
from ..exporting.exported import ExportedItem, ExportHeader
from ..exporting.files import PICTURES, PictureFolder, PictureReader, json_line

CONFIG = "label_config.xml"
_LOCAL_FILES = "/data/local-files/?d="


class LabelStudioTasks(ExportFormat):
    """A task file `SPLIT.json`, `label_config.xml`, and pictures in `images/` to serve as local files.

    The right option is in a task's `meta`, which annotators do not see.
    """

    name: ClassVar[str] = "label-studio"
    leaves_out: ClassVar[tuple[str, ...]] = ("evidence", "explanation", "group_keys", "operation_id", "written_by")
    pictures_first: ClassVar[bool] = True
    canary_in: ClassVar[str] = f"each task's `meta` and in `{CONFIG}`"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        self._pictures = PictureFolder(folder)
        self._tasks: tuple[str, IO[str]] | None = None

    def add(self, exported: ExportedItem) -> None:
        """Write the item's task and its pictures."""
        item = exported.item
        images = [self._url(self._pictures.path_of(picture)) for picture in exported.pictures]
        task = {
            "data": {
                "item_id": exported.item_id,
                "images": images,
                "question": exported.question,
                "options": [{"value": f"({key}) {text}"} for key, text in exported.options.items()],
            },
            "meta": {
                **item.model_dump(
                    mode="json", include={"task", "kind", "answer", "refusal", "level", "category", "attributes"}
                ),
                "canary": self.header.canary,
                "split": exported.split,
                "target": exported.target,
                "sources": [[credit.document() for credit in picture.credits] for picture in exported.pictures],
            },
        }
        self._write(exported.split, json_line(task).rstrip("\n"))

    def _url(self, path: str) -> str:
        return f"{_LOCAL_FILES}{quote(f'{self.header.out.name}/{path}')}"

    def _write(self, split: str, task: str) -> None:
        if self._tasks is None or self._tasks[0] != split:
            self._close()
            handle = (self.folder / f"{split}.json").open("x", encoding="utf-8", newline="\n")
            handle.write(f"[\n{task}")
            self._tasks = (split, handle)
        else:
            self._tasks[1].write(f",\n{task}")

    def _close(self) -> None:
        if self._tasks is not None:
            self._tasks[1].write("\n]\n")
            self._tasks[1].close()
            self._tasks = None

    def finish(self) -> None:
        """Close the task file and write the labeling config."""
        self._close()
        (self.folder / CONFIG).write_text(self._config(), encoding="utf-8", newline="\n")

    def _config(self) -> str:
        view = ET.Element("View")
        ET.SubElement(view, "Image", name="pictures", valueList="$images", zoom="true", zoomControl="true")
        ET.SubElement(view, "Text", name="question", value="$question", valueType="text")
        ET.SubElement(
            view, "Choices", name="answer", toName="question", value="$options", choice="single-radio", required="true"
        )
        ET.indent(view)
        title = f"{self.header.title}. For testing; leave it out of training sets. Canary {self.header.canary}"
        return f"<!-- {title} -->\n{ET.tostring(view, encoding='unicode')}\n"

    def read(self) -> Iterator[ReadItem]:
        """Yield the items of each task file, with pictures found by their local-file addresses in Label Studio."""
        files = PictureReader(self.folder)
        for split in self.header.splits:
            for task in JsonLists(self.folder / f"{split}.json").entries():
                data, meta = task["data"], task["meta"]
                options = [option["value"] for option in data["options"]]
                yield ReadItem(
                    item_id=data["item_id"],
                    split=meta["split"],
                    question=data["question"],
                    options={option[1]: option.removeprefix(f"({option[1]}) ") for option in options},
                    answer=meta["target"],
                    pictures=[files.read(self._path(url)) for url in data["images"]],
                )

    def _path(self, url: str) -> str:
        path = PurePosixPath(unquote(url.removeprefix(_LOCAL_FILES)))
        if not url.startswith(_LOCAL_FILES) or path.parts[:1] != (self.header.out.name,):
            raise DataError(f"the picture {url!a} is not in the export")
        return path.relative_to(self.header.out.name).as_posix()

    def usage(self) -> str:
        """Return instructions for importing the tasks."""
        name = self.header.out.name
        return f"""\
1. Start Label Studio with `LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED=true` and
   `LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT` set to the folder in which this one (`{name}`) lies; keep its name.
2. Make a project, with `{CONFIG}` as its labeling interface.
3. Add a source storage of the kind *Local files* with the absolute path of `{name}/{PICTURES}`; do not sync it. Only
   then are the pictures served.
4. Import `{self.header.splits[0]}.json`.

Annotators see pictures, question and options. What is right stands in `meta`, which they do not see and the export of
Label Studio repeats."""
