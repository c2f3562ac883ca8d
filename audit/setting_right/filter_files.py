"""Files for using errata without the corrected release: a filter for two harnesses, and a page in Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchwright.records import Item
from benchwright.release.format.errata import Erratum
from benchwright.texts.normalization import counted, printable
from benchwright.workspace.atomic import write_bytes

from . import errata_filter

if TYPE_CHECKING:
    from .outcome import SetRight

COLUMNS = (
    "id", "item_id", "became", "finding", "key", "instead", "was_text", "right_text", "edits", "agreed", "asked",
    "reasons",
)  # fmt: skip
"""Columns of `errata.tsv`: `became` is `left_out`, `key_set` or `edited`; `edits` and `reasons` contain JSON."""
TABLE, FILTER, PAGE = "errata.tsv", "errata_filter.py", "README.md"
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>|#@"})
_BECAME = {"left_out": "left out", "key_set": "key corrected", "edited": "edited"}


def write_filter(folder: Path, done: SetRight, items: Mapping[str, Item]) -> None:
    """Write `errata.tsv`, `errata_filter.py` and `README.md` into a folder, created if missing.

    Args:
        folder: The folder; files of these names are replaced.
        done: The corrected release and its errata.
        items: The items of the errata before the correction, by id.
    """
    folder.mkdir(parents=True, exist_ok=True)
    applied = [erratum for erratum in done.errata if erratum.became in _BECAME]
    write_bytes(folder / TABLE, _table(applied, done.own_ids, items))
    write_bytes(folder / FILTER, Path(errata_filter.__file__).read_bytes())
    write_bytes(folder / PAGE, "\n".join([*_page(folder, done, applied), ""]).encode())


def _table(errata: list[Erratum], own_ids: Mapping[str, str], items: Mapping[str, Item]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    for erratum in errata:
        item = items[erratum.item_id]
        texts = {choice.key: choice.text or "" for choice in item.choices}
        edits = {} if erratum.edits is None else erratum.edits.to_json()
        choices = {letter: (texts[letter], after) for letter, after in edits.get("choices", {}).items()}
        after = {**texts, **edits.get("choices", {})}
        instead = erratum.instead or edits.get("right") or ""
        writer.writerow(
            {
                "id": own_ids[erratum.item_id],
                "item_id": erratum.item_id,
                "became": erratum.became,
                "finding": erratum.finding,
                "key": erratum.key or "",
                "instead": instead,
                "was_text": texts.get(erratum.key or "", ""),
                "right_text": after.get(instead, ""),
                "edits": json.dumps(_changed_words(edits, choices), ensure_ascii=False) if edits else "",
                "agreed": erratum.agreed,
                "asked": erratum.asked,
                "reasons": json.dumps(list(erratum.reasons), ensure_ascii=False),
            }
        )
    return text.getvalue().encode()


def _changed_words(edits: Mapping[str, object], choices: Mapping[str, tuple[str, str]]) -> dict[str, object]:
    question = {"question": edits["question"]} if edits.get("question") is not None else {}
    return {**question, **({"choices": choices} if choices else {})}


def _page(folder: Path, done: SetRight, errata: list[Erratum]) -> Iterator[str]:
    """Yield the lines of a page for an issue thread: faults, how many annotators found them, and changes."""
    before, after = done.before, done.after
    yield f"# Errata of {_escaped(before.name)} {_escaped(before.version)}"
    yield ""
    number = counted(len(errata), "item is", "items are")
    yield (
        f"{number} wrong or of doubtful use, according to annotators; version {_escaped(after.version)} has "
        f"{counted(len(after), 'item')}, {done.differences.same:,} of them unchanged (release "
        f"`{after.release_id[:12]}`, previous `{before.release_id[:12]}`)."
    )
    page = quote(Path("..", done.page.name).as_posix()) if done.page.parent.resolve() == folder.parent.resolve() else ""
    yield ""
    yield "| item | finding | became | agreed | why |"
    yield "|---|---|---|---:|---|"
    for erratum in errata:
        own = _escaped(done.own_ids[erratum.item_id])
        name = f"[{own}]({page}#item-{erratum.item_id})" if page else own
        became = f"key {erratum.key} is {erratum.instead}" if erratum.instead else _BECAME[str(erratum.became)]
        why = "; ".join(map(_escaped, erratum.reasons[:3]))
        found = erratum.finding.replace("_", " ")
        yield f"| {name} | {found} | {became} | {erratum.agreed} of {erratum.asked} | {why} |"
    if done.scores:
        yield ""
        yield f"| model | {_escaped(before.version)} | {_escaped(after.version)} | items |"
        yield "|---|---:|---:|---:|"
        for score in done.scores:
            then = "-" if score.after is None else f"{score.after:.3f}"
            yield f"| {_escaped(score.model)} | {score.before:.3f} | {then} | {score.kept:,} |"
    yield ""
    yield "## To use them"
    yield ""
    yield (
        f"`{FILTER}` applies `{TABLE}` and needs only Python. VLMEvalKit: `python {FILTER} NAME.tsv "
        "NAME_corrected.tsv` writes the dataset `NAME_corrected` for `$LMUData`. lmms-eval: a task file in this "
        "folder for `--include_path`:"
    )
    yield ""
    yield "```yaml"
    yield "include: /path/to/the/task.yaml"
    yield "task: NAME_corrected"
    yield "process_docs: !function errata_filter.process_docs"
    yield "```"


def _escaped(text: str) -> str:
    """Return a text on one line with its Markdown syntax escaped."""
    return printable(text).translate(_SPECIAL)
