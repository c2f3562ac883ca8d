"""inspect_ai: samples as JSON lines, a file of tasks that run and score them, and the reader of replies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from benchwright.errors import DataError
from benchwright.records import LETTERS

from ..exporting.base import ExportFormat, NotCarried, ReadItem
from ..exporting.exported import ExportedItem, ExportHeader
from ..exporting.files import LinesWriter, PictureFolder, PictureReader, read_lines
from ..exporting.reply_reader import LOADER, READER, write_reader

TASKS = "task.py"


class InspectAI(ExportFormat):
    """A file `SPLIT.jsonl` of samples, pictures in `images/`, and `task.py` with a task for each split.

    The solver `multiple_choice` replaces all the text in a message with a single block, so pictures come before the
    question.
    """

    name: ClassVar[str] = "inspect"
    pictures_first: ClassVar[bool] = True
    canary_in: ClassVar[str] = "each sample's metadata, `task.py` and the reader"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        self._lines = LinesWriter(folder)
        self._pictures = PictureFolder(folder)

    def add(self, exported: ExportedItem) -> None:
        """Write the item's sample and its pictures."""
        item = exported.item
        content: list[dict[str, str]] = [
            {"type": "image", "image": self._pictures.path_of(picture)} for picture in exported.pictures
        ]
        content.append({"type": "text", "text": exported.question})
        metadata = {
            **item.model_dump(mode="json", include=set(_METADATA)),
            "canary": self.header.canary,
            "content_hash": item.content_hash,
            "split": exported.split,
            "image_ids": [image.image_id for image in item.images],
            "image_roles": [image.role for image in item.images],
            "sources": [[credit.document() for credit in picture.credits] for picture in exported.pictures],
        }
        sample = {
            "id": exported.item_id,
            "input": [{"role": "user", "content": content}],
            "choices": list(exported.options.values()),
            "target": exported.target or "",
            "metadata": metadata,
        }
        self._lines.write(f"{exported.split}.jsonl", sample)

    def finish(self) -> None:
        """Close the sample file and write the tasks."""
        self._lines.close()
        (self.folder / TASKS).write_text(self._tasks(), encoding="utf-8", newline="\n")
        write_reader(self.folder, self.header)

    def _tasks(self) -> str:
        functions = "\n\n".join(_FUNCTION.format(split=split) for split in self.header.splits)
        loader = LOADER.format(name=f"reply_reader_of_{self.header.identifier}")
        return _MODULE.format(title=self.header.title, canary=self.header.canary, functions=functions, loader=loader)

    def read(self) -> Iterator[ReadItem]:
        """Yield the items as inspect_ai reads them: choices are A, B, C in order; paths are relative to the file."""
        files = PictureReader(self.folder)
        for split in self.header.splits:
            for sample in read_lines(self.folder / f"{split}.jsonl"):
                try:
                    [message] = sample["input"]
                    *images, text = message["content"]
                    yield ReadItem(
                        item_id=sample["id"],
                        split=sample["metadata"]["split"],
                        question=text["text"],
                        options=dict(zip(LETTERS, sample["choices"], strict=False)),
                        answer=sample["target"] or None,
                        pictures=[files.read(image["image"]) for image in images],
                    )
                except (KeyError, TypeError, ValueError) as error:
                    raise DataError(f"{split}.jsonl has a line that is not a sample: {error!r}") from error

    def not_carried(self, exported: ExportedItem) -> Iterator[NotCarried]:
        """Yield the parts of an item that the inspect_ai format cannot carry."""
        yield from super().not_carried(exported)
        if not all(text.strip() for text in exported.options.values()):
            yield NotCarried(
                f"options without words, outside of `{TASKS}`",
                f"inspect_ai's own reader of samples drops them, and letters shift; `{TASKS}` reads them as they are",
            )

    def usage(self) -> str:
        """Return instructions for running the tasks."""
        split = self.header.splits[0]
        return f"""\
```sh
inspect eval {TASKS}@{split} --model openai/gpt-4o
```

There is a task for each split; `-T cot=true` lets models think before they answer. inspect_ai's own
`multiple_choice` asks; replies are read by `{READER}/`, which is the reader of `benchwright evaluate`, so both give the
same score. Samples without a right choice have no target: they are asked, and
neither right nor wrong counts. An item that nothing in its pictures answers has the option that declines as target."""


_METADATA: dict[str, Any] = dict.fromkeys(
    ("task", "kind", "answer", "refusal", "level", "category", "attributes", "explanation", "group_keys", "written_by",
     "operation_id", "root_image_id", "made_from", "evidence", "revision")
)  # fmt: skip

_FUNCTION = '''\
@task(name="{split}")
def split_{split}(cot: bool = False) -> Task:
    """Ask the items of the split `{split}`."""
    return _task("{split}", cot)
'''

_MODULE = '''\
"""Tasks of {title} for inspect_ai. Benchmark data; leave it out of training sets. Canary {canary}"""

import importlib.util
import sys
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Dataset, Sample, json_dataset
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, multiple_choice

HERE = Path(__file__).resolve().parent


{loader}

@scorer(metrics=[accuracy(), stderr()])
def choice_where_one_is_right() -> Scorer:
    """Score the letter that `benchwright evaluate` reads in a reply; samples without a target are left unscored."""

    async def score(state: TaskState, target: Target) -> Score | None:
        if not target.text:
            return None
        reply = state.output.completion
        letter = _reader().letter_of(reply, [choice.value for choice in state.choices])
        value = CORRECT if letter == target.text else INCORRECT
        return Score(value=value, answer=letter or "", explanation=reply)

    return score


def sample_of(record: dict) -> Sample:
    """Return a line as a sample with all its choices; inspect_ai's own reader drops those without words."""
    messages = [ChatMessageUser(content=message["content"]) for message in record["input"]]
    rest = {{key: record[key] for key in ("id", "choices", "target", "metadata")}}
    return Sample(input=messages, **rest)


def samples(split: str) -> Dataset:
    """Return the samples of a split, in order."""
    return json_dataset(str(HERE / f"{{split}}.jsonl"), sample_of, name=f"{{HERE.name}}_{{split}}")


def _task(split: str, cot: bool) -> Task:
    return Task(dataset=samples(split), solver=multiple_choice(cot=cot), scorer=choice_where_one_is_right())


{functions}'''
