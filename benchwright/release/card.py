"""The card: what a person should know of a release, as Markdown with the settings that Hugging Face reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from benchwright.release.funnel_table import HEAD, FunnelRow, funnel_rows
from benchwright.release.manifest import Counts
from benchwright.release.staging import SourceCount

MAX_SOURCE_ROWS = 50

_USE = """\
```python
import datasets

benchmark = datasets.load_dataset("path/to/this/folder")
```

`benchwright release verify` on this folder tells whether every file is as it was frozen."""

_HUB_LICENCE = re.compile(r"[a-z0-9][a-z0-9.-]*")


def card(
    *,
    name: str,
    version: str,
    licence: str | None,
    description: str,
    canary: str,
    counts: Counts,
    sources: Sequence[SourceCount],
    stages: Sequence[Mapping[str, Any]],
    agreement: Mapping[str, Mapping[str, Any]],
    human_baseline: Mapping[str, Mapping[str, Any]] | None,
) -> str:
    """Return the text of `README.md`."""
    parts = [
        _front_matter(name, licence, counts),
        f"# {_cell(name)} {_cell(version)}",
        description.strip(),
        "## Items",
        _items(counts),
        "## Funnel",
        _funnel(stages),
        "## People",
        _people(agreement),
        *(_baseline(name, answers) for name, answers in sorted((human_baseline or {}).items())),
        "## Sources",
        _sources(sources),
        "## Use",
        _USE,
        "## Canary",
        f"`{canary}`",
        "This data is for testing. Leave it out of training sets: a model that can complete the mark above "
        "has been trained on it, and its scores here say little.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def is_simulated(summary: Mapping[str, Any]) -> bool:
    """Return whether a campaign's summary says that any of its annotators was simulated."""
    return bool(summary.get("simulated"))


def _front_matter(name: str, licence: str | None, counts: Counts) -> str:
    fields: dict[str, Any] = {"pretty_name": name}
    if licence is not None and _HUB_LICENCE.fullmatch(licence):
        fields["license"] = licence
    elif licence is not None:
        fields |= {"license": "other", "license_name": licence}
    files = [{"split": split, "path": f"data/{split}-*.parquet"} for split in sorted(counts.splits)]
    fields["configs"] = [{"config_name": "default", "data_files": files}]
    return f"---\n{yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)}---"


def _items(counts: Counts) -> str:
    splits = sorted(counts.splits)
    tasks = sorted({task for split in counts.splits.values() for task in split.tasks})
    rows = [[_code(task), *(str(counts.splits[split].tasks.get(task, 0)) for split in splits)] for task in tasks]
    totals = ["all", *(str(counts.splits[split].items) for split in splits)]
    return _table(["task", *(_code(split) for split in splits)], [*rows, totals])


def _funnel(stages: Sequence[Mapping[str, Any]]) -> str:
    rows = funnel_rows(stages)
    table = _table(HEAD, [_step(row) for row in rows])
    told = [
        "What went into each step and what came out. A step that makes items passes on what it did not use. "
        "`manifest.json` holds the same counts, stage by stage."
    ]
    if brought_back := sum(row.reversed for row in rows):
        told.append(f"Curators looked again and reversed {brought_back} verdicts; those records count as kept.")
    return f"{table}\n\n{' '.join(told)}"


def _step(row: FunnelRow) -> list[str]:
    return [
        _code(row.step), _cell(row.reads), str(row.records), str(row.out), _reasons(row.dropped), _reasons(row.asked),
        _reasons(row.failed), str(row.reversed or ""), _reasons(row.made),
    ]  # fmt: skip


def _reasons(reasons: Mapping[str, int]) -> str:
    return _cell(", ".join(f"{reason} {n}" for reason, n in reasons.items()))


def _people(agreement: Mapping[str, Mapping[str, Any]]) -> str:
    if not agreement:
        return "No campaign: nobody looked at these items before they were released."
    lines = [f"- {_code(name)}: {_who(summary)}" for name, summary in sorted(agreement.items())]
    return "\n".join([*lines, "", "`agreement.json` holds how far they agreed."])


def _baseline(name: str, answers: Mapping[str, Any]) -> str:
    return (
        f"Human baseline {_code(name)}: {len(answers['items'])} items, up to {answers['answers_per_item']} answers "
        f"each, by {_who(answers)} (`human_baseline.json`)."
    )


def _who(told: Mapping[str, Any]) -> str:
    return "**simulated** annotators, not people" if is_simulated(told) else "people"


def _sources(sources: Sequence[SourceCount]) -> str:
    rows = [
        [
            _cell(one.dataset or "not stated"),
            _cell(one.licence or "not stated"),
            str(one.images),
            str(one.authors),
        ]
        for one in sources[:MAX_SOURCE_ROWS]
    ]
    table = _table(["dataset", "licence", "images", "named authors"], rows)
    more = len(sources) - MAX_SOURCE_ROWS
    rest = f"\n\n{more} more rows are left out here." if more > 0 else ""
    return f"{table}{rest}\n\n`provenance.json` names each image's source, author and licence."


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _code(text: str) -> str:
    """Return a name as it can stand in a code span in a cell."""
    return f"`{re.sub(r'[`|]', '', ' '.join(text.split()))}`"


def _cell(text: str) -> str:
    """Return text that stays inside one cell and is not taken for markup."""
    line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", line)
