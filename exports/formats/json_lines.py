"""JSON lines with pictures in separate files: the complete items, for use by your own programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from benchwright.errors import DataError

from ..exporting.base import ExportFormat, ReadItem
from ..exporting.exported import ExportedItem, ExportedPicture, ExportHeader
from ..exporting.files import LinesWriter, PictureFolder, PictureReader, read_lines


class JsonLines(ExportFormat):
    """A file `SPLIT.jsonl` with one line per item, and pictures in `images/`."""

    name: ClassVar[str] = "jsonl"
    question_as_stated: ClassVar[bool] = True
    canary_in: ClassVar[str] = "every line of the `.jsonl` files"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        self._lines = LinesWriter(folder)
        self._pictures = PictureFolder(folder)

    def add(self, exported: ExportedItem) -> None:
        """Write the item's line and its pictures."""
        item = exported.item
        options = exported.option_pictures
        document = {
            **item.model_dump(mode="json", exclude={"images", "choices"}),
            "canary": self.header.canary,
            "content_hash": item.content_hash,
            "split": exported.split,
            "target": exported.target,
            "images": [self._picture(picture) for picture in exported.pictures],
            "choices": [
                {"key": choice.key, "text": choice.text, "image": options.get(choice.key)} for choice in item.choices
            ],
        }
        self._lines.write(f"{exported.split}.jsonl", document)

    def _picture(self, picture: ExportedPicture) -> dict[str, Any]:
        return {
            "path": self._pictures.path_of(picture),
            "width": picture.width,
            "height": picture.height,
            "role": picture.image.role,
            "image_id": picture.image.image_id,
            "marks": [prompt.model_dump(mode="json") for prompt in picture.image.prompts],
            "sources": [credit.document() for credit in picture.credits],
        }

    def finish(self) -> None:
        """Close the file of JSON lines."""
        self._lines.close()

    def read(self) -> Iterator[ReadItem]:
        """Yield the items, each read only from its line and the pictures that the line names."""
        files = PictureReader(self.folder)
        for split in self.header.splits:
            for row in read_lines(self.folder / f"{split}.jsonl"):
                try:
                    yield ReadItem(
                        item_id=row["item_id"],
                        split=row["split"],
                        question=row["question"],
                        options={
                            choice["key"]: choice["text"] if choice["image"] is None else f"Image {choice['image']}"
                            for choice in row["choices"]
                        },
                        answer=row["target"],
                        pictures=[files.read(image["path"]) for image in row["images"]],
                    )
                except (KeyError, TypeError) as error:
                    raise DataError(f"{split}.jsonl has a line without {error}") from error

    def usage(self) -> str:
        """Return instructions for reading the lines."""
        return f"""\
One JSON object a line, in UTF-8; paths of pictures are relative to this folder.

```python
import json
from pathlib import Path

folder = Path("path/to/this/folder")
for line in (folder / "{self.header.splits[0]}.jsonl").open(encoding="utf-8"):
    item = json.loads(line)
    pictures = [folder / image["path"] for image in item["images"]]
```

`question` places pictures as `<image 2>`, the second of `images`. A choice has a `text`, or the number of its
`image`. `target` is the key of the right choice: `answer`, or where nothing in the picture answers `refusal`; null
where no choice is right. Pictures are upright and carry their marks; `marks` has them as vectors, in pixels of the
upright picture."""
