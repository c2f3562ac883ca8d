"""Question sources as people publish them, drawn from a seed, with the truth by construction.

`make_source(seed)` gives one source: its files as bytes, the truth of each row, how it was drawn (`kind`), and what the
judge says of its keys. It was written before the reader of question files, by an author who had not seen it, and imports
nothing of the project.
"""

from __future__ import annotations

import io
import random

from PIL import Image

from .files import records_of, write_files
from .judge import judge_source, readings_of
from .keys import draw_key_form, write_keys
from .sources import OMITTED, Row, Source
from .words import COLUMN_NAMES, NUMBERED_COLUMNS, pick, question_of

TABLES = ("csv comma", "csv semicolon", "csv tab", "tsv", "xlsx")


def make_source(seed: int) -> Source:
    """One source; drawn again (same seed, next attempt) where a draw is unfair on its face."""
    for attempt in range(200):
        rng = random.Random(f"layouts {seed} {attempt}")
        source = _draw(rng, seed)
        if source is not None:
            source.kind["attempt"] = str(attempt)
            return source
    raise AssertionError(f"no fair source for seed {seed}")


def _draw(rng: random.Random, seed: int) -> Source | None:
    kind: dict[str, str] = {}
    kind["container"] = container = pick(rng, {
        "csv comma": 16, "csv semicolon": 6, "csv tab": 4, "tsv": 8, "json list": 16, "json by id": 10,
        "json lines": 14, "json lines in .json": 3, "parquet": 13, "xlsx": 10})  # fmt: skip
    kind["layout"] = pick(rng, {"one file": 50, "shards": 17, "splits": 18, "subjects": 15})
    kind["texts"] = texts = pick(rng, {
        "words": 36, "words and numbers": 14, "words and letters": 9, "words and yes/no": 6, "special words": 10,
        "numbers 1-4 shuffled": 4, "small counts": 5, "large numbers": 5, "letters": 1.5, "yes/no": 4, "true/false": 2,
        "no options": 7})  # fmt: skip
    table = container in TABLES
    if texts == "no options":
        options_form = "no options"
    elif table:
        options_form = pick(rng, {"columns": 48, "list as repr": 14, "list as json": 10, "cell A.": 8, "cell (a)": 5,
                                  "cell A)": 3, "cell lines": 7, "cell bare lines": 3, "dict as text": 5})  # fmt: skip
    else:
        options_form = pick(rng, {"list": 50, "columns": 22, "dict": 13, "list as repr": 4, "list as json": 3,
                                  "cell A.": 3, "cell (a)": 2, "cell lines": 3})  # fmt: skip
    kind["options"] = options_form
    kind["columns"] = columns = pick(rng, {
        "A": 34, "option_a": 15, "option_A": 6, "Option A": 5, "opt1": 10, "option1": 6, "option_1": 5,
        "choice0": 9, "option_0": 4, "choice_a": 5}) if options_form == "columns" else "-"  # fmt: skip
    if columns in NUMBERED_COLUMNS:
        kind["numbered columns"] = str(NUMBERED_COLUMNS[columns])
    varying = texts == "words and yes/no" or (
        rng.random() < 0.35 and texts not in {"yes/no", "true/false", "no options"}
    )
    kind["count"] = "varying" if varying else "constant"
    most = 2 if texts in {"yes/no", "true/false", "no options"} else rng.choice([3, 4, 4, 4, 4, 5, 6])
    if texts == "words and yes/no":
        most = max(most, 3)
    if texts == "numbers 1-4 shuffled":
        most = min(most, 4) if rng.random() < 0.7 else most

    rows = _rows(rng, texts, most, varying)
    draw_key_form(rng, kind, options_form, columns, texts)
    names = _split_into_files(rng, kind, rows)
    if kind["key"] in {"from 0", "from 1"} and len(names) > 1 and rng.random() < 0.5:
        kind["quiet file"] = "yes"
        _quiet_file(rng, rows, kind["key"], names)
    elif kind["key"] in {"from 0", "from 1"} and most > 2 and not varying and rng.random() < 0.08:
        kind["base shown nowhere"] = "yes"
        for row in rows:
            row.right = row.meant = rng.randrange(1, most) if kind["key"] == "from 0" else rng.randrange(most - 1)
    if rng.random() < 0.15 and most > 2 and texts not in {"letters"}:
        _repeat_options(rng, rows)
    native = _native_numbers(rng, kind, texts, options_form, container)
    kind["option type"] = "number" if native else "text"
    write_keys(rng, kind, rows, columns, native)
    _ids(rng, kind, rows, names)
    pictures = _pictures(rng, kind, rows, names)

    column_names = [COLUMN_NAMES[columns](i) for i in range(most)] if columns != "-" else []
    source = Source(seed, kind=kind, rows=rows)
    source.judge = judge_source(rows, kind, column_names)
    if not _fair(rng, source, column_names):
        return None
    source.judge["truth"] = kind["key"]
    true_name = {"letter": "letter", "from 0": "from 0", "from 1": "from 1", "text": "text",
                 "column name": "column name"}.get(kind["key"], "yes/no")  # fmt: skip
    source.judge["rank_of_truth"] = (
        source.judge["ranked"].index(true_name) + 1 if true_name in source.judge["ranked"] else None
    )
    kind["ambiguous"] = "yes" if source.ambiguous else "no"
    records = records_of(rng, kind, rows, options_form, column_names, native, most)
    write_files(rng, source, records, names)
    source.files.update(pictures)
    if rng.random() < 0.2:
        source.files["README.md"] = b"# Questions about pictures\n\nMade for a test. See the files beside this one.\n"
    return source


def _fair(rng: random.Random, source: Source, column_names: list[str]) -> bool:
    """Whether a careful person could hold the source against a reader."""
    kind, rows, judge = source.kind, source.rows, source.judge
    if kind["options"] == "no options":
        return True
    for row in rows:  # a stray key is plainly none, and a missing one is missing
        if row.key_state == "stray" and readings_of(row.key, row.options, column_names):
            return False
        if (
            row.key_state == "stray"
            and row.second_key is not OMITTED
            and readings_of(row.second_key, row.options, column_names)
        ):
            return False
    if sum(row.right is not None for row in rows) < 6:
        return False
    if kind["key"] not in judge["complete"]:
        raise AssertionError(f"seed {source.seed}: the true reading {kind['key']} is not complete: {judge}")
    base = {"from 0": "0", "from 1": "1"}.get(kind["key"])
    if judge["ambiguous"]:
        if base and "numbered columns" in kind and kind["numbered columns"] != base:
            return False  # opt1.. with keys that never show their base 0: the face would lie
        return rng.random() < 0.75
    return True


def _rows(rng: random.Random, texts: str, most: int, varying: bool) -> list[Row]:
    """Questions with their options in order and the place of the right one."""
    total = rng.choice([rng.randint(10, 18), rng.randint(10, 30), rng.randint(20, 60)])
    numbers = rng.sample(range(1, 1000), total)
    share = rng.choice([0.1, 0.25, 0.5])
    rows = []
    for index, n in enumerate(numbers):
        kind = texts
        if texts.startswith("words and "):
            # At least two rows of each kind, so that the mixture is there.
            other = index in {3, 7} or (index not in {0, 5} and rng.random() < share)
            kind = texts.removeprefix("words and ") if other else "words"
            if kind == "numbers":
                kind = rng.choice(["numbers 1-4 shuffled", "small counts", "large numbers"])
            if kind == "yes/no":
                kind = rng.choice(["yes/no", "yes/no", "true/false"])
        elif texts == "special words":
            kind = "special words" if index in {2, 6} or rng.random() < 0.3 else "words"
        count = rng.randint(2, most) if varying else most
        if kind in {"yes/no", "true/false", "no options"}:
            count = 2
        question, options = question_of(rng, kind, count, n)
        right = rng.randrange(count)
        rows.append(Row(question, options, right, meant=right, texts=kind))
    return rows


def _split_into_files(rng: random.Random, kind: dict[str, str], rows: list[Row]) -> list[str]:
    ending = {"csv comma": ".csv", "csv semicolon": ".csv", "csv tab": ".csv", "tsv": ".tsv", "json list": ".json",
              "json by id": ".json", "json lines": ".jsonl", "json lines in .json": ".json", "parquet": ".parquet",
              "xlsx": ".xlsx"}[kind["container"]]  # fmt: skip
    layout = kind["layout"]
    if layout == "one file":
        names = [rng.choice(["test", "questions", "data", "val", "annotations", "benchmark"]) + ending]
    elif layout == "shards":
        count = rng.choice([2, 3, 3, 4])
        split = rng.choice(["train", "test", "validation"])
        folder = rng.choice(["", "", "data/"])
        names = [f"{folder}{split}-{i:05}-of-{count:05}{ending}" for i in range(count)]
    elif layout == "splits":
        names = [name + ending for name in rng.choice([["dev", "test"], ["val", "test"], ["dev", "val", "test"]])]
    else:
        subjects = rng.sample(["anatomy", "art_history", "botany", "traffic", "kitchen", "maps"], rng.choice([2, 3, 4]))
        base = rng.choice(["test", "questions", "data"])
        names = [f"{subject}/{base}{ending}" for subject in sorted(subjects)]
    sizes = _sizes(rng, len(rows), len(names))
    position = 0
    for name, size in zip(names, sizes, strict=True):
        for row, truth in enumerate(rows[position : position + size]):
            truth.file, truth.row = name, row
        position += size
    return names


def _sizes(rng: random.Random, total: int, parts: int) -> list[int]:
    if parts == 1:
        return [total]
    if rng.random() < 0.45:  # one small file
        small = rng.randint(2, 4)
        rest = total - small
        sizes = [rest // (parts - 1)] * (parts - 1)
        sizes[0] += rest - sum(sizes)
        sizes.insert(rng.randrange(parts), small)
        return sizes
    sizes = [total // parts] * parts
    sizes[-1] += total - sum(sizes)
    return sizes


def _quiet_file(rng: random.Random, rows: list[Row], key: str, names: list[str]) -> None:
    """One file that shows nothing of the base by itself, while the others do."""
    name = min(names, key=lambda one: sum(row.file == one for row in rows))
    for row in rows:
        if row.file == name:
            last = len(row.options) - 1
            places = range(1, last + 1) if key == "from 0" else range(last)
            row.right = row.meant = rng.choice(list(places))
    others = [row for row in rows if row.file != name]
    for row in rng.sample(others, min(2, len(others))):
        row.right = row.meant = 0 if key == "from 0" else len(row.options) - 1


def _repeat_options(rng: random.Random, rows: list[Row]) -> None:
    able = [row for row in rows if len(row.options) > 2 and row.texts not in {"yes/no", "true/false", "letters"}]
    for row in rng.sample(able, min(len(able), rng.choice([1, 1, 2]))):
        one, other = rng.sample(range(len(row.options)), 2)
        row.options[one] = row.options[other]
        row.repeated = True


def _native_numbers(rng: random.Random, kind: dict[str, str], texts: str, form: str, container: str) -> bool:
    """Whether options that are numbers are numbers in the file, not texts."""
    if rng.random() > 0.4:
        return False
    numeric = texts in {"numbers 1-4 shuffled", "small counts", "large numbers"}
    mixed = texts == "words and numbers"
    if container == "parquet":
        return numeric and form in {"list", "columns"}
    if container == "xlsx":
        return (numeric or mixed) and form == "columns"
    return (numeric or mixed) and form in {"list", "columns", "dict", "list as repr", "list as json"} and (
        container not in TABLES or form.startswith("list as"))  # fmt: skip


def _ids(rng: random.Random, kind: dict[str, str], rows: list[Row], names: list[str]) -> None:
    kind["ids"] = pick(rng, {"unique": 50, "absent": 22, "anew in each file": 28})
    if kind["container"] == "json by id" and kind["ids"] == "absent":
        kind["ids"] = "unique"
    if len(names) == 1 and kind["ids"] == "anew in each file":
        kind["ids"] = "unique"
    kind["id column"] = rng.choice(["id", "id", "question_id", "qid", "index"])
    start, shape = rng.choice([0, 1]), rng.choice(["int", "int", "name"])
    for position, row in enumerate(rows):
        number = (row.row if kind["ids"] == "anew in each file" else position) + start
        row.source_id = None if kind["ids"] == "absent" else number if shape == "int" else f"q_{number:04}"
        if kind["container"] == "json by id":
            row.source_id = str(row.source_id)


def _pictures(rng: random.Random, kind: dict[str, str], rows: list[Row], names: list[str]) -> dict[str, bytes]:
    kind["picture column"] = rng.choice(["image", "image", "image_path", "img", "filename"])
    kind["picture name"] = how = pick(rng, {"plain": 50, "with folder": 32, "without ending": 18})
    beside = how == "plain" and rng.random() < 0.3
    own_folder = kind["layout"] == "subjects" and rng.random() < 0.5
    folder = "" if beside else rng.choice(["images", "images", "imgs", "pictures"])
    kind["pictures in"] = folder or "beside the files"
    files = {}
    for position, row in enumerate(rows):
        name = f"pic_{position:04}"
        root = row.file.rpartition("/")[0] if own_folder or beside else ""
        place = "/".join(part for part in (root, folder, name + ".png") if part)
        files[place] = _png(rng)
        row.image = {"plain": f"{name}.png", "with folder": f"{folder}/{name}.png", "without ending": name}[how]
    return files


def _png(rng: random.Random) -> bytes:
    picture = Image.frombytes("RGB", (8, 8), rng.randbytes(192))
    buffer = io.BytesIO()
    picture.resize((32, 32), Image.Resampling.NEAREST).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()
