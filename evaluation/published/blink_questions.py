"""BLINK's questions from its data set's files: Parquet with the pictures inside, a folder a task.

The data set is `BLINK-Benchmark/BLINK` on Hugging Face; the paper's repository has outputs, and no questions. Options
speak of pictures in words ("the second image"), so they stay words, and the pictures keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import DataError

from .questions import PublishedQuestion

PICTURES = ("image_1", "image_2", "image_3", "image_4")
_TEXTS = ("idx", "sub_task", "question", "answer")
_SPLIT = re.compile(r"(val|test)-\d{5}-of-\d{5}\.parquet")
_ANSWER = re.compile(r"\(([A-E])\)")
_MAX_ROWS = 100_000


def blink_questions(data: Path, pictures: Path) -> Iterator[PublishedQuestion]:
    """Yield BLINK's questions, task by task, and put their pictures below a folder, where the questions name them.

    Args:
        data: Folder with `Task/val-00000-of-00001.parquet` and the like.
        pictures: A folder for the pictures, as they are in the files.

    Raises:
        DataError: There are no such files, or one is not what it should be.
    """
    files = sorted(
        (path for path in data.glob("*/*.parquet") if _SPLIT.fullmatch(path.name)), key=lambda p: p.parts[-2:]
    )
    if not files:
        raise DataError(
            f"{data} holds no questions of BLINK, such as Counting/val-00000-of-00001.parquet; they are the data set "
            "BLINK-Benchmark/BLINK on Hugging Face, and not in the paper's repository: fetch it and name its folder"
        )
    for path in files:
        for number, row in enumerate(_rows(path), start=1):
            yield _question(row, f"{path}: row {number}", path.name.partition("-")[0], pictures)


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = [*_TEXTS, "choices", *PICTURES]
    try:
        with pq.ParquetFile(path) as file:
            if file.metadata.num_rows > _MAX_ROWS:
                raise DataError(
                    f"{path} has {file.metadata.num_rows} rows, more than BLINK's; name its folder with --data"
                )
            if missing := [name for name in wanted if name not in file.schema_arrow.names]:
                raise DataError(f"{path} has no column {missing[0]!r}; questions of BLINK have {', '.join(wanted)}")
            for batch in file.iter_batches(batch_size=16, columns=wanted, use_threads=False):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} cannot be read ({str(error).splitlines()[0][:200]}); fetch it again") from error


def _question(row: Mapping[str, Any], where: str, split: str, pictures: Path) -> PublishedQuestion:
    for name in _TEXTS:
        if not isinstance(row[name], str) or not row[name]:
            raise DataError(f"{where}: {name} is {ascii(row[name])[:80]}, not a text")
    options = row["choices"]
    if (
        not isinstance(options, list)
        or not 2 <= len(options) <= 5
        or not all(isinstance(o, str) and o for o in options)
    ):
        raise DataError(f"{where}: choices is {ascii(options)[:80]}, not a list of two to five texts")
    key, named = row["idx"], _ANSWER.fullmatch(row["answer"])
    if named is None and row["answer"] != "hidden":
        raise DataError(f"{where}: answer is {ascii(row['answer'])[:80]}, neither such as (A) nor 'hidden'")
    if named is not None and named[1] not in "ABCDE"[: len(options)]:
        raise DataError(f"{where}: answer {row['answer']} is none of its {len(options)} options")
    if re.fullmatch(r"[A-Za-z0-9_-]{1,80}", key) is None:
        raise DataError(f"{where}: idx {ascii(key)[:80]} is not such as val_Counting_1")
    names = tuple(_kept(row[name], key, name, where, pictures) for name in PICTURES if row[name] is not None)
    if not names:
        raise DataError(f"{where}: no picture")
    task = re.sub(r"[^a-z0-9]+", "_", row["sub_task"].lower()).strip("_")
    return PublishedQuestion(
        key, split, task if task[:1].isalpha() else f"task_{task}", "multiple_choice", names[0],
        row["question"].strip(), tuple(options), None if named is None else named[1], category=row["sub_task"],
        more_images=names[1:],
    )  # fmt: skip


def _kept(value: Any, key: str, name: str, where: str, pictures: Path) -> str:
    """Put a picture's bytes into a file and return its name below the folder."""
    data = value.get("bytes") if isinstance(value, dict) else None
    if not isinstance(data, bytes):
        raise DataError(f"{where}: {name} holds no picture's bytes")
    place = f"{key}/{name}"
    (pictures / key).mkdir(exist_ok=True)
    (pictures / place).write_bytes(data)
    return place
