"""The card that describes a release to readers, as Markdown with the settings that Hugging Face reads.

It includes the funnel: each step's input, its output, and the reasons for the difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import yaml

from benchwright.overrides import REVERSED
from benchwright.release.format.agreement import is_empty, is_simulated
from benchwright.release.format.estimates import decided_by
from benchwright.release.format.manifest import ItemCounts, SealedSplits
from benchwright.release.format.provenance import SourceCount
from benchwright.release.format.statements import Statements
from benchwright.rights import normalized_licence

from .card_facts import CardFacts
from .citation import CITATION, bibtex
from .datasheet import datasheet, in_words
from .earlier_words import in_earlier_words
from .example import EXAMPLE, ExampleItem
from .image_sources import IMAGE_SOURCES
from .markdown import amount, cell, code, table
from .people_checks import checks

HEAD = ("step", "reads", "in", "out", "dropped", "asked about", "failed", "reversed", "made")


class _FunnelRow(NamedTuple):
    """Counts for one step of the funnel.

    Args:
        step: Name of the recipe entry.
        reads: Stream that the step reads, `images` or `items`; empty if the manifest does not name it.
        records: Number of input records.
        out: Number of records kept.
        dropped: Counts of dropped records by reason; a step that makes items does not use these records and keeps them.
        asked: Counts of records to ask about, by reason; the step kept them.
        failed: Counts of failed records by reason.
        reversed: Number of records kept because a curator overturned a verdict.
        made: Counts of made records by kind.
    """

    step: str
    reads: str
    records: int
    out: int
    dropped: Mapping[str, int]
    asked: Mapping[str, int]
    failed: Mapping[str, int]
    reversed: int
    made: Mapping[str, int]


def _funnel_rows(stages: Iterable[Mapping[str, Any]]) -> list[_FunnelRow]:
    """Return one row per step from the stages in a manifest; the counts of an entry's stages are summed."""
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for stage in stages:
        entries.setdefault(str(stage.get("entry", stage.get("stage"))), []).append(stage)
    return [_row(entry, parts) for entry, parts in entries.items()]


def _row(entry: str, parts: Sequence[Mapping[str, Any]]) -> _FunnelRow:
    counts = [part.get("counts") or {} for part in parts]
    reasons_by_verdict: dict[str, Counter[str]] = {verdict: Counter() for verdict in ("keep", "drop", "ask", "failed")}
    made: Counter[str] = Counter()
    for marker_counts in counts:
        made.update(marker_counts.get("made", {}))
        for verdict, reasons in marker_counts.get("verdicts", {}).items():
            reasons_by_verdict.setdefault(verdict, Counter()).update(reasons)
    records = int(counts[0].get("in", 0))
    gone = reasons_by_verdict["failed"].total() + (
        0 if any(part.get("makes") for part in parts) else reasons_by_verdict["drop"].total()
    )
    dropped, asked_about, failed = (
        dict(sorted(reasons_by_verdict[verdict].items())) for verdict in ("drop", "ask", "failed")
    )
    reads = str(parts[0].get("consumes", ""))
    return _FunnelRow(
        entry,
        reads,
        records,
        records - gone,
        dropped,
        asked_about,
        failed,
        reasons_by_verdict["keep"][REVERSED],
        dict(sorted(made.items())),
    )


_MAX_SOURCE_ROWS = 50

CARD_VERSION = 7
"""Version of the layout and wording of everything except the curator's words; raise it when either changes."""

_MARK = "<!-- benchwright/card {version} -->"
"""Last line of a card, which states the layout version; cards of the first version have none."""

_VERIFY = (
    "`benchwright release verify` on this folder checks that its files agree with each other. To check that they are "
    "the frozen ones, add `--expect` with the release id that the authors published, or `--signed-by` with their key."
)
_EARLIER_VERIFY = "`benchwright release verify` on this folder tells whether every file is as it was frozen."
_LOAD = """\
import datasets

benchmark = datasets.load_dataset("path/to/this/folder")"""

EARLIER_USE = f"```python\n{_LOAD}\n```\n\n{_EARLIER_VERIFY}"
"""Instructions for reading the release, on cards without a version mark."""

_DRAW = """\
import datasets
from benchwright.release import drawn_pictures

benchmark = datasets.load_dataset("path/to/this/folder")
benchmark = benchmark.cast_column("images", datasets.List(datasets.Image(decode=False)))
row = benchmark["{split}"][0]
pictures = drawn_pictures(row)  # one for each of the row's images, with its marks"""

_SHOW = """

row = benchmark["{split}"][0]
row["images"][0].show()"""

_DRAW_ANEW = """\
from benchwright.release import drawn_pictures

for column in ("images", "unmarked"):
    benchmark = benchmark.cast_column(column, datasets.List(datasets.Image(decode=False)))
row = benchmark["{split}"][0]
pictures = drawn_pictures(row)  # one for each of the row's images, with its marks"""

_HUB_LICENCE = re.compile(r"[a-z0-9][a-z0-9.-]*")


@dataclass(frozen=True)
class CardSection:
    """A section of the card.

    Attributes:
        heading: Heading without the leading `#` characters.
        body: Markdown.
        source: Part of the release from which the body is made.
    """

    heading: str
    body: str
    source: str


def card(facts: CardFacts, *, description: str) -> str:
    """Return the text of `README.md`: the facts, with the curator's words between the title and the first section."""
    version = CARD_VERSION
    parts = [card_head(facts, version=version), description.strip()]
    parts += [f"## {section.heading}\n\n{section.body}" for section in card_sections(facts, version=version)]
    parts.append(_MARK.format(version=version))
    return "\n\n".join(part for part in parts if part) + "\n"


def card_head(facts: CardFacts, *, version: int = CARD_VERSION) -> str:
    """Return the beginning of a card: the settings for Hugging Face and the title.

    Args:
        facts: Facts of the release.
        version: Version of the card's layout; cards of version 1 do not state categories, size and tags.
    """
    title = f"# {cell(facts.name)} {cell(facts.version)}"
    return f"{_front_matter(facts, version)}\n\n{title}"


def card_sections(facts: CardFacts, *, version: int = CARD_VERSION) -> tuple[CardSection, ...]:
    """Return the sections of the card, in order.

    Args:
        facts: Facts of the release.
        version: Version of the card's layout. Cards before version 3 have no citation, data sheet or totals by license.
            Cards before version 4 omit drafts and languages. Cards before version 5 count a campaign without decisions
            as one by people, and treat every source as stated. Cards before version 6 use an earlier wording. Cards
            before version 7 have the plural after every number.
    """
    sections = _sections(facts, version)
    if version >= 6:
        return sections
    return tuple(replace(section, body=in_earlier_words(section.body)) for section in sections)


def _sections(facts: CardFacts, version: int) -> tuple[CardSection, ...]:
    statements = facts.statements or Statements()
    texts = facts.about_texts(version) if version >= 4 else None
    return (
        CardSection("Items", _items(facts.counts), "the data"),
        *([CardSection("Example", _example(facts.example), "the data")] if facts.example and version >= 3 else []),
        *([CardSection("Pictures to fetch", _to_fetch(facts, version), "manifest.json")] if facts.by_address else []),
        *([CardSection("Sealed answers", _sealed(facts.sealed), "manifest.json")] if facts.sealed else []),
        CardSection("Funnel", _funnel(facts.stages), "manifest.json"),
        CardSection("People", _people_and_baseline(facts, version), "agreement.json and human_baseline.json"),
        *([CardSection("Texts", texts, "the data and agreement.json")] if texts else []),
        CardSection("Sources", _sources(facts, version), "provenance.json"),
        *([CardSection("Access", _access(statements), "manifest.json")] if statements.access_terms else []),
        CardSection("Use", _use(facts), "the data"),
        CardSection("Canary", _canary(facts.canary), "manifest.json"),
        *(
            [
                CardSection("Citation", _citation(facts), "manifest.json"),
                CardSection("Data sheet", datasheet(facts, version=version), "the release's other files"),
            ]
            if version >= 3
            else []
        ),
    )


def _example(example: ExampleItem) -> str:
    options = "\n".join(f"- **{key}** {cell(text)}" for key, text in example.options)
    return (
        f"![The pictures of this item, as models see them]({EXAMPLE})\n\n{cell(example.question)}\n\n{options}\n\n"
        f"An item of {code(example.task)}, shown with reduced pictures: `{example.item_id}`. The data holds its right "
        "option unless it is sealed."
    )


def _access(statements: Statements) -> str:
    fields = ", ".join(map(cell, statements.access_fields))
    asked = f"\n\nApplicants state: {fields}." if fields else ""
    terms = in_words(statements.access_terms or "")
    return f"Access requires agreement to these terms.\n\n{terms}{asked}"


def _citation(facts: CardFacts) -> str:
    return f"`{CITATION}` holds the citation for programs. For BibTeX:\n\n```bibtex\n{bibtex(facts)}\n```"


def _front_matter(facts: CardFacts, version: int) -> str:
    name, licence, counts = facts.name, facts.licence, facts.counts
    statements = facts.statements or Statements()
    fields: dict[str, Any] = {"pretty_name": name}
    if licence is not None and _HUB_LICENCE.fullmatch(licence):
        fields["license"] = licence
    elif licence is not None:
        fields |= {"license": "other", "license_name": licence}
    if version > 1:
        fields |= {
            "task_categories": ["visual-question-answering", "multiple-choice"],
            "size_categories": [_size_category(counts.items)],
            "tags": ["benchmark", "benchwright"],
        }
    stated = facts.languages if version >= 4 else {}
    if languages := list(dict.fromkeys([*statements.languages, *stated])):
        fields["language"] = languages
    if statements.access_terms:
        fields["extra_gated_prompt"] = statements.access_terms
    if statements.access_fields:
        fields["extra_gated_fields"] = dict.fromkeys(statements.access_fields, "text")
    files = [{"split": split, "path": f"data/{split}-*.parquet"} for split in sorted(counts.splits)]
    fields["configs"] = [{"config_name": "default", "data_files": files}]
    return f"---\n{yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)}---"


def _size_category(items: int) -> str:
    """Return the Hub's name for a size, which states the powers of ten that enclose the number of items."""
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for bound, name in bounds if items < bound), "1M<n<10M")


def _items(counts: ItemCounts) -> str:
    splits = sorted(counts.splits)
    tasks = sorted({task for split in counts.splits.values() for task in split.tasks})
    rows = [[code(task), *(str(counts.splits[split].tasks.get(task, 0)) for split in splits)] for task in tasks]
    totals = ["all", *(str(counts.splits[split].items) for split in splits)]
    return table(["task", *(code(split) for split in splits)], [*rows, totals])


def _to_fetch(facts: CardFacts, version: int) -> str:
    without_benchwright = (
        " Without Benchwright, `python fetch_pictures.py` does the same from `pictures_by_address.csv`; it needs only "
        "Python."
        if facts.has_fetch_script
        else ""
    )
    is_one = facts.by_address == 1 and version >= 7
    whose, bytes_of = ("its license does", "its") if is_one else ("their licenses do", "their")
    missing = amount(facts.by_address, "picture is", "pictures are", version=version)
    return (
        f"**{missing} not in this release**, because {whose} not permit "
        f"redistribution; `images` has null in place of {bytes_of} bytes. `provenance.json` states the address of "
        "each, and `image_ids` its SHA-256. This command fetches and checks them:\n\n"
        "```sh\nbenchwright release fetch path/to/this/folder\n```\n\n"
        "The command puts them next to the folder, where `benchwright evaluate run` and `benchwright release export` "
        "find them. Exports then include them, and must not be passed on."
        f"{without_benchwright}"
    )


def _sealed(sealed: SealedSplits) -> str:
    names = ", ".join(code(split) for split in sorted(sealed.splits))
    lines = [
        f"The answers of {names} are not in this release. In these splits `answer` is null and `attributes` holds "
        '`"sealed": true`; labels, groups, explanations, evidence, sources of pictures, the seed and '
        "people's answers are withheld, too, and item ids and the order of options are salted. The keeper of the key "
        "scores answers: `benchwright evaluate run RELEASE --model M --split SPLIT` writes a file of answers to send "
        "in.",
        "Sealing has limits: questions and pictures are public, so a person who sees the answer can write it down. "
        "If pictures or annotations come from a public dataset, answers can be looked up there, and the owner of an "
        "original picture can compare it with its changed copy. Formats and sizes of picture files are those of the "
        "pictures that models see.",
        f"The key is bound to this release: `manifest.json` states the commitment `{sealed.commitment}`.",
    ]
    if sealed.seed_is_known:
        lines.append(
            "**The seed of the recipe can be guessed.** Everything that follows from recipe and pictures, such as "
            "the place of a cut-out piece, can be made again from both; only people's answers are sealed."
        )
    return "\n\n".join(lines)


def _funnel(stages: Sequence[Mapping[str, Any]]) -> str:
    rows = _funnel_rows(stages)
    funnel = table(HEAD, [_step(row) for row in rows])
    lines = [
        "The input and output of each step. A step that makes items passes on the records that it did not use. "
        "`manifest.json` holds the same counts, stage by stage."
    ]
    if brought_back := sum(row.reversed for row in rows):
        lines.append(f"Curators reversed {brought_back} verdicts; those records count as kept.")
    return f"{funnel}\n\n{' '.join(lines)}"


def _step(row: _FunnelRow) -> list[str]:
    return [
        code(row.step),
        cell(row.reads),
        str(row.records),
        str(row.out),
        _reasons(row.dropped),
        _reasons(row.asked),
        _reasons(row.failed),
        str(row.reversed or ""),
        _reasons(row.made),
    ]


def _reasons(reasons: Mapping[str, int]) -> str:
    return cell(", ".join(f"{reason} {n}" for reason, n in reasons.items()))


def _people(agreement: Mapping[str, Mapping[str, Any]], version: int) -> str:
    if not agreement:
        return (
            "No campaign: nobody looked at these items before they were released."
            if version < 5
            else "This release has no campaign, so nothing shows that a person looked at the items."
        )  # phrase: allowed
    empty = {name for name, summary in agreement.items() if version >= 5 and is_empty(summary)}
    lines = [
        f"- {code(name)}: {'there are no decisions' if name in empty else _who(summary)}"
        for name, summary in sorted(agreement.items())
    ]
    if len(empty) == len(agreement):
        return "\n".join(lines)
    return "\n".join([*lines, "", "`agreement.json` holds their agreement."])


def _people_and_baseline(facts: CardFacts, version: int) -> str:
    baseline = facts.human_baseline or {}
    baselines = [_baseline(name, baseline[name]) for name in sorted(baseline)]
    statements = facts.statements or Statements()
    stated = (("How annotators consented", statements.consent), ("How annotators were paid", statements.pay))
    terms = [f"{name}: {in_words(text)}" for name, text in stated if text]
    return "\n\n".join(
        [*_undecided(facts), _people(facts.agreement, version), *checks(facts.agreement), *baselines, *terms]
    )


def _undecided(facts: CardFacts) -> list[str]:
    """Return the warning that no person decided on a model's estimates, if that is the case."""
    if not facts.estimated or decided_by(facts.stages, facts.agreement) == "people":
        return []
    return [
        f"**No person decided on {facts.estimated} of these {facts.counts.items} items, whose answers a model "
        "estimated; at most simulated annotators kept them. Scores on these items do not count until people have "
        "decided on them.**"
    ]


def _baseline(name: str, answers: Mapping[str, Any]) -> str:
    return (
        f"Human baseline {code(name)}: {len(answers['items'])} items, up to {answers['answers_per_item']} answers "
        f"each, by {_who(answers)} (`human_baseline.json`)."
    )


def _who(summary: Mapping[str, Any]) -> str:
    return "**simulated** annotators, not people" if is_simulated(summary) else "people"


def _sources(facts: CardFacts, version: int) -> str:
    sources = facts.sources
    rows = [
        [
            cell(source.dataset or "not stated"),
            cell(source.licence or "not stated"),
            str(source.images),
            str(source.authors),
        ]
        for source in sources[:_MAX_SOURCE_ROWS]
    ]
    counted = table(["dataset", "license", "images", "named authors"], rows)
    more = len(sources) - _MAX_SOURCE_ROWS
    rest = f"\n\n{more} more rows are left out here." if more > 0 else ""
    if version < 3:
        return f"{counted}{rest}\n\n`provenance.json` names each image's source, author and licence."  # phrase: allowed
    files = amount(facts.without_metadata, "picture file", "picture files", version=version)
    cut = (
        f"\n\nMetadata (EXIF with places, XMP, IPTC, comments) was cut out of {files}; no pixel changed."
        if facts.without_metadata
        else ""
    )
    steps_made = amount(facts.encoded, "picture that steps made is", "pictures that steps made are", version=version)
    encoded = (
        f"\n\n{steps_made} JPEG of quality 95 with full chroma: their tasks depend on "
        "appearance, not on single pixels. The files from which they were made are lossless."
        if facts.encoded
        else ""
    )
    made_by_steps = amount(facts.made_as_jpeg, "picture was", "pictures were", version=version)
    made = (
        f"\n\n{made_by_steps} made by steps as JPEG of quality 95 with full chroma, each encoded "
        "once: their tasks depend on appearance, not on single pixels."
        if facts.made_as_jpeg
        else ""
    )
    on_side = amount(
        facts.turned,
        "photograph stored on its side (EXIF) was turned upright and is",
        "photographs stored on their side (EXIF) were turned upright and are",
        version=version,
    )
    turned = f"\n\n{on_side} JPEG with the quantization of their files, at most of quality 95." if facts.turned else ""
    return (
        f"{counted}{rest}\n\nIn total: {_licence_sum(sources)}.\n\n`{IMAGE_SOURCES}` names each image's file, author, "
        f"license and address, and `provenance.json` the pictures made from it.{cut}{made}{encoded}{turned}"
    )


def _licence_sum(sources: Sequence[SourceCount]) -> str:
    images: Counter[str] = Counter()
    for source in sources:
        images[normalized_licence(source.licence) if source.licence else "not stated"] += source.images
    counted = sorted(images.items(), key=lambda entry: (-entry[1], entry[0]))
    named = [f"{cell(licence)} {n}" for licence, n in counted[:_MAX_SOURCE_ROWS]]
    rest = sum(n for _, n in counted[_MAX_SOURCE_ROWS:])
    return ", ".join([*named, *([f"others {rest}"] if rest else [])]) or "no image states a source"


def _use(facts: CardFacts) -> str:
    if not facts.marked:
        return f"```python\n{_LOAD}\n```\n\n{_VERIFY}"
    tasks = ", ".join(f"{code(task)} {n}" for task, n in sorted(facts.marked.items()))
    if facts.drawing_version is not None:
        return _use_of_drawn(facts, tasks)
    draw = _DRAW.format(split=min(facts.counts.splits))
    return (
        f"**{sum(facts.marked.values())} of {facts.counts.items} questions need marks** (rings, boxes, letters and the "
        f"like) that are not in the pixels of the pictures: {tasks}. They lie in the column `visual_prompts`. This "
        "draws them pixel by pixel as models are sent them in evaluation:\n\n"
        f"```python\n{draw}\n```\n\n{_VERIFY}"
    )


def _use_of_drawn(facts: CardFacts, tasks: str) -> str:
    split = min(facts.counts.splits)
    return (
        f"The column `images` holds pictures as models receive them in evaluation. **{sum(facts.marked.values())} of "
        f"{facts.counts.items} questions need marks** (rings, boxes, letters and the like), which are drawn there: "
        f"{tasks}.\n\n```python\n{_LOAD}{_SHOW.format(split=split)}\n```\n\n"
        "For a picture with drawn marks, `unmarked` has the picture without them (otherwise null), and "
        "`visual_prompts` has the marks as vectors. This code draws them again:\n\n"
        f"```python\n{_DRAW_ANEW.format(split=split)}\n```\n\n{_VERIFY}"
    )


def _canary(canary: str) -> str:
    return (
        f"`{canary}`\n\nThis data is for testing. Leave it out of training sets: a model that can complete the mark "
        "above has been trained on it, and its scores here mean little."
    )
